"""The process that tests share: what handlers take their settings and service from, and what a command changes."""

import logging
import signal
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from m4a import bootstrap

_KEPT = (bootstrap.settings, bootstrap.operator, bootstrap.sparing_service)


@contextmanager
def fresh_process(environment: pytest.MonkeyPatch, **variables: str) -> Generator[None]:
    """Within it, settings and services are made from the environment with these variables, and closed at the end."""
    for name, value in variables.items():
        environment.setenv(name, value)
    _forget()
    try:
        yield
    finally:
        if bootstrap.operator.cache_info().currsize:
            bootstrap.service().close()
        if bootstrap.sparing_service.cache_info().currsize:
            bootstrap.sparing_service().close()
        _forget()


@contextmanager
def kept_process() -> Generator[None]:
    """At its end, signals and the levels of our loggers are as before: a command sets them for a process of its own."""
    levels, handler = _levels(), signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)
        for name in _levels():
            logging.getLogger(name).setLevel(levels.get(name, logging.NOTSET))


def _levels() -> dict[str, int]:
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "m4a"]
    return {name: logging.getLogger(name).level for name in names}


def _forget() -> None:
    for one in _KEPT:
        one.cache_clear()
