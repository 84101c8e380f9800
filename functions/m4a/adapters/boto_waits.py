"""Keeps the waits of a botocore client within the time that is left to an operation."""

from typing import Any, Literal

from botocore.exceptions import ReadTimeoutError

from m4a.ports.deadline import seconds_left

_LONGEST_PAUSE_S = 1.0
"""Before the second attempt, in botocore's mode ``standard``."""


def bound_waits(client: Any, read_timeout_s: float) -> None:
    """Each wait of an attempt for the next bytes of its answer takes so long at most, or the time that was left when it
    began; an answer that trickles can take longer in all. There is no attempt without any time, which raises
    ReadTimeoutError. Making a connection has its own time-out."""

    def limit(request: Any, **_: Any) -> None:
        left = seconds_left()
        if not left:
            raise ReadTimeoutError(endpoint_url=request.url)
        request.context["read_timeout"] = min(read_timeout_s, left)

    service = client.meta.service_model.service_id.hyphenize()
    client.meta.events.register(f"request-created.{service}", limit)
    client.meta.events.register_first(f"needs-retry.{service}", _refuse_late_retry)


def _refuse_late_retry(**_: Any) -> Literal[False] | None:
    return False if seconds_left() < _LONGEST_PAUSE_S else None
