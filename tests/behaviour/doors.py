"""Which ways in a behaviour is tested through: all of them, unless a mark says which and why."""

import pytest

DOORS = ("https", "mcp", "mcp_stdio", "action_group", "action_group_openapi", "gateway")


def only_through(*doors: str, reason: str) -> pytest.MarkDecorator:
    """Leaves the behaviour to these ways in."""
    return pytest.mark.only_through(*doors, reason=reason)


https_only = only_through("https", reason="looks at routes that only HTTPS has")
every_field = only_through(
    *(door for door in DOORS if door != "action_group"), reason="function details have room for five parameters"
)
typed_values = only_through(
    "https", "mcp", "mcp_stdio", "gateway", reason="to a Bedrock agent every value is text, and blank is absent"
)
