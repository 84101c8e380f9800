"""How the tests write lines, held against the Lambda runtime's own way; and what that makes of ours."""

import json
import logging
import sys
from typing import Any

import pytest

from m4a.application.service import Service
from tests.telemetry.calls import CALLS
from tests.telemetry.lines import LambdaFormat

log_utils: Any = pytest.importorskip("awslambdaric.lambda_runtime_log_utils")  # there is none but for Linux


class Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.all: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.all.append(record)


@pytest.fixture
def records() -> Any:
    records, logger = Records(), logging.getLogger("m4a")
    level = logger.level
    logger.addHandler(records)
    logger.setLevel(logging.DEBUG)
    yield records.all
    logger.removeHandler(records)
    logger.setLevel(level)


@pytest.mark.parametrize("name", CALLS)
def test_lines_are_written_as_the_runtime_writes_them(
    service: Service, memory_id: str, records: list[logging.LogRecord], name: str
) -> None:
    CALLS[name][0](service, memory_id)
    assert records
    for record in records:
        written = json.loads(LambdaFormat().format(record))
        theirs = json.loads(log_utils.JsonFormatter().format(record))
        assert written.pop("timestamp")[:10] == theirs.pop("timestamp")[:10]
        assert written == theirs


def test_so_are_errors_with_their_text() -> None:
    try:
        raise ValueError("a text")
    except ValueError:
        record = logging.LogRecord("x", logging.WARNING, __file__, 1, "%s happened", ("it",), sys.exc_info(), "run")
    written = json.loads(LambdaFormat().format(record))
    assert written == json.loads(log_utils.JsonFormatter().format(record)) | {"timestamp": written["timestamp"]}
    assert written["errorMessage"] == "a text"
