"""What all tests share."""

import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.support.process import kept_process

pytest_plugins = ["tests.support.opensearch", "tests.support.profiles"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script; programs would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("m4a", deadline=None)  # how long an example takes depends on what else the machine does
settings.load_profile("m4a")


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    """Whatever the order of the tests, each finds the process as it would alone."""
    with kept_process():
        yield
