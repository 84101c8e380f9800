"""Calls to an action group of the function-details style."""

from typing import Any

from m4a.application.service import Service
from m4a.entrypoints.action_group import respond
from tests.support.action_group import (
    function_event,
    lambda_context,
)

USER = "dora"


def call(service: Service, function: str, user: str = USER, **arguments: object) -> dict[str, Any]:
    """The reply to a call of the function-details style."""
    return respond(service, function_event(user, function, arguments), lambda_context())
