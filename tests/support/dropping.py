"""A server in front of another that does what it is asked and then, for a while, drops the answer."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

import httpx


class DroppingServer:
    """``with DroppingServer(address) as front``: ``front.drops`` answers are lost, all others come through."""

    def __init__(self, address: str) -> None:
        self.drops = 0
        self.seen: list[bytes] = []
        """The bodies of all requests."""
        self._behind = httpx.Client(base_url=address, timeout=30)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, name="dropping")
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        front = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                front.seen.append(body)
                kept = {name: self.headers[name] for name in ("authorization", "content-type")}
                reply = front._behind.post(self.path, content=body, headers=kept)  # pyright: ignore[reportPrivateUsage]
                if front.drops:
                    front.drops -= 1
                    return
                self.send_response(reply.status_code)
                self.send_header("content-type", reply.headers["content-type"])
                self.send_header("content-length", str(len(reply.content)))
                self.end_headers()
                self.wfile.write(reply.content)

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler

    def __enter__(self) -> "DroppingServer":
        self._thread.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._behind.close()
