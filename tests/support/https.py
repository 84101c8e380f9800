"""The HTTPS entry point through the local server: real sockets, real events."""

import json
from typing import Any

import httpx

from tests.support.client import Answer


class HttpsClient:
    """One user with a bearer token."""

    def __init__(self, address: str, token: str) -> None:
        self.http = httpx.Client(base_url=address, headers={"authorization": f"Bearer {token}"}, timeout=30)

    def call(self, tool: str, **arguments: Any) -> Answer:
        return self.send("POST", f"/tools/{tool}", json=arguments)

    def send(self, method: str, path: str, **options: Any) -> Answer:
        """Any request whose answer is JSON."""
        reply = self.http.request(method, path, **options)
        body = json.loads(reply.text)
        return Answer(body) if reply.is_success else Answer(body, body["code"])

    def close(self) -> None:
        self.http.close()
