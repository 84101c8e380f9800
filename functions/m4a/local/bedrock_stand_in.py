"""A Bedrock endpoint for this machine: InvokeModel in the wire formats of the models, answered by the ONNX model.

Vectors are padded with zeros to the size that is asked for, which changes no cosine.
"""

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import unquote

from m4a.domain.memory import Embedding
from m4a.domain.vectors import unpack
from m4a.ports import Embedder


class BedrockStandIn:
    """Serves on loopback: ``with BedrockStandIn(embedder) as stand_in: stand_in.address``. Port 0: any free one."""

    def __init__(self, embedder: Embedder, port: int = 0) -> None:
        self._server = _Server(embedder, port)
        self._thread = threading.Thread(target=self._server.serve_forever, name="m4a-bedrock-stand-in", daemon=True)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "BedrockStandIn":
        self._thread.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, embedder: Embedder, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.embedder = embedder


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        model = unquote(self.path.removeprefix("/model/").removesuffix("/invoke"))
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = json.dumps(
            _cohere(self.server.embedder, request) if "texts" in request else _titan(self.server.embedder, request)
        ).encode()
        self.send_response(200 if model else 404)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged: requests hold memory text."""


def _titan(embedder: Embedder, request: Mapping[str, Any]) -> Mapping[str, Any]:
    (embedding,) = embedder.embed([request["inputText"]], "document")
    return {
        "embedding": _padded(embedding, request["dimensions"]),
        "inputTextTokenCount": len(request["inputText"].split()),
    }


def _cohere(embedder: Embedder, request: Mapping[str, Any]) -> Mapping[str, Any]:
    embeddings = embedder.embed(request["texts"], "document")
    return {"embeddings": {"float": [_padded(one, request["output_dimension"]) for one in embeddings]}}


def _padded(embedding: Embedding, dimensions: int) -> list[float]:
    values = unpack(embedding.data)
    return [*values, *[0.0] * (dimensions - len(values))]
