"""A Bedrock endpoint for this machine: InvokeModel in the wire formats of the models, answered by the ONNX model.

Vectors are padded with zeros to the size that is asked for, which changes no cosine. What the models refuse is refused.
"""

import json
import logging
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import unquote

from m4a.adapters.bedrock.models import COHERE_V4, model_called
from m4a.domain.memory import Embedding
from m4a.domain.vectors import unpack
from m4a.ports import Embedder, Purpose

MAX_TEXTS = 96
_PURPOSES: Mapping[str, Purpose] = {"search_document": "document", "search_query": "query"}

logger = logging.getLogger(__name__)


class BedrockStandIn:
    """Serves on loopback: ``with BedrockStandIn(embedder) as stand_in: stand_in.address``. Port 0: any free one."""

    def __init__(self, embedder: Embedder, port: int = 0) -> None:
        self._server = _Server(("127.0.0.1", port), partial(_Handler, embedder))
        self._thread = threading.Thread(target=self._server.serve_forever, name="m4a-bedrock-stand-in", daemon=True)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> "BedrockStandIn":
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> "BedrockStandIn":
        return self.start()

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """The kind alone, such as that of a client that hung up: a traceback could show what was sent."""
        logger.warning("the Bedrock stand-in could not answer: %s", type(sys.exception()).__name__)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open
    disable_nagle_algorithm = True

    def __init__(self, embedder: Embedder, *connection: Any) -> None:
        self._embedder = embedder
        super().__init__(*connection)

    def do_POST(self) -> None:
        model = unquote(self.path.removeprefix("/model/").removesuffix("/invoke"))
        sent = self.rfile.read(int(self.headers["content-length"]))
        try:
            answer = _answer(self._embedder, model, json.loads(sent))
        except (KeyError, TypeError, ValueError):
            self._send(400, {"message": "Malformed input request."}, {"x-amzn-errortype": "ValidationException"})
        else:
            self._send(200, answer, {})

    def _send(self, status: int, answer: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        sizes = {"content-type": "application/json", "content-length": str(len(body))}
        for name, value in {**sizes, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged: requests hold memory text."""


def _answer(embedder: Embedder, model: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
    called = model_called(model)
    if called and called.model_id == COHERE_V4.model_id:
        vectors = _vectors(embedder, request["texts"], _PURPOSES[request["input_type"]], request["output_dimension"])
        return {"embeddings": {"float": vectors}, "response_type": "embeddings_by_type"}
    text = request["inputText"]
    (vector,) = _vectors(embedder, [text], "document", request["dimensions"])
    return {"embedding": vector, "inputTextTokenCount": len(text.split())}


def _vectors(embedder: Embedder, texts: Sequence[str], purpose: Purpose, dimensions: int) -> list[list[float]]:
    if not 0 < len(texts) <= MAX_TEXTS or not all(texts):
        raise ValueError("no text, too many, or an empty one")
    return [_padded(one, dimensions) for one in embedder.embed(texts, purpose)]


def _padded(embedding: Embedding, dimensions: int) -> list[float]:
    values = unpack(embedding.data)
    return [*values, *[0.0] * (dimensions - len(values))]
