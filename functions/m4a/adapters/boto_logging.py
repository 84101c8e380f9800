"""What botocore may log."""

import logging


def keep_bodies_out() -> None:
    """Below WARNING botocore logs requests and answers whole, which hold memories and queries. This stays so when
    somebody sets a lower level for all loggers."""
    logging.getLogger("botocore").setLevel(logging.WARNING)
