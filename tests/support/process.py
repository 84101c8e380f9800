"""The process that handlers take their settings and service from, anew for a test."""

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


def _forget() -> None:
    for one in _KEPT:
        one.cache_clear()
