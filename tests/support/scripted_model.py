"""A stand-in for a model's API: it says what its script says, and keeps what it was sent."""

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


class ScriptedModel:
    """``with ScriptedModel(script) as model: model.address``. ``script``: its replies; then a 500."""

    def __init__(self, script: Sequence[object]) -> None:
        self.requests: list[Any] = []
        self._script = list(script)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, name="scripted-model")
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def say(self, body: bytes) -> tuple[int, Any]:
        self.requests.append(json.loads(body))
        return (200, self._script.pop(0)) if self._script else (500, {"message": "The script is over."})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                status, value = model.say(self.rfile.read(int(self.headers["content-length"])))
                body = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler

    def __enter__(self) -> "ScriptedModel":
        self._thread.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
