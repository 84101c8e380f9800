"""Measurements that a person runs: how well recall finds, and how long it takes.

Linear algebra gets one thread: with two, a product of this size on a busy machine waits for the second. The variable
counts when NumPy is first imported, so it is set here.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
