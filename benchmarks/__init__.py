"""Measurements that a person runs: how well recall finds, and how long it takes.

Linear algebra gets one thread, as in ``m4a serve``: with two, a small product on a busy machine waits for the second.
The variable counts when NumPy is first imported, so it is set here.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
