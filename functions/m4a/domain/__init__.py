"""The words and rules of M4A: pure, no I/O, no clock, no SDK."""
