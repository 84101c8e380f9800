"""What the adapters raise while they are being opened; afterwards they raise errors of ``domain.errors`` alone."""


class Unusable(Exception):
    """A backend can't be used as it is, for a reason that trying again does not mend. The message says which, and is
    meant for the person who runs M4A."""
