"""What both clients are set up with: where the API is, who calls, and for whom."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from m4a.client.asking import JSON_HEADERS, Ask
from m4a.client.retrying import Attempts, Retries, unsendable
from m4a.domain.errors import Forbidden, Internal, InvalidInput, M4AError, Unauthenticated
from m4a.tools import TOOLS
from m4a.tools.export import EXPORTS
from m4a.tools.prompt import system_prompt

Token = str | Callable[[], str] | None
"""A bearer token, or what gives one for each request; None for a local server without tokens."""

TIMEOUT = httpx.Timeout(31.0, connect=5.0)
"""A little more than the API takes at most."""
MAX_PORT = 65_535


@dataclass(frozen=True, slots=True)
class Connection:
    """``user``: whom a backend with the scope memory:delegate acts for; None for the token's own user."""

    url: str
    token: Token
    user: str | None
    retries: Retries

    def attempts(self, ask: Ask[Any]) -> Attempts:
        return Attempts(self.retries, ask)

    def request(self, http: httpx.Client | httpx.AsyncClient, ask: Ask[Any]) -> httpx.Request:
        """The request as it goes over the wire. Raises InvalidInput for what can't be written."""
        token = self.token() if callable(self.token) else self.token
        headers = dict(JSON_HEADERS) if ask.body is not None else {}
        if token:
            headers["authorization"] = f"Bearer {token}"
        if self.user is not None:
            headers["m4a-on-behalf-of"] = self.user
        url = self.url.rstrip("/") + ask.path
        try:
            encoded = {name.encode(): value.encode() for name, value in headers.items()}
            request = http.build_request(ask.method, url, params=dict(ask.query), content=ask.body, headers=encoded)
        except (httpx.InvalidURL, ValueError) as error:
            raise unsendable() from error
        if (request.url.port or 0) > MAX_PORT:
            raise unsendable()
        return request


def tools(format: str) -> Any:
    """The tools in one of the formats that M4A publishes. Raises InvalidInput for another one."""
    if format not in EXPORTS:
        raise InvalidInput.of("format", "is not one that the tools are published in", ", ".join(EXPORTS))
    return EXPORTS[format](TOOLS.values())


def instructions(core_block: str) -> str:
    """How to use the tools, and then the core block."""
    return "\n\n".join(part for part in (system_prompt(), core_block) if part)


def for_model(answer: object) -> str:
    """An answer as the text of a tool's result."""
    return json.dumps(answer, ensure_ascii=False)


def refusal_for_model(error: M4AError) -> str:
    """An error that a model can react to. Raises the error if only the program can: sign-in, and faults of ours."""
    if isinstance(error, Unauthenticated | Forbidden | Internal):
        raise error
    return for_model({"error": error.code, "message": error.message, **error.details()})
