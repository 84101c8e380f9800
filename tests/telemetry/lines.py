"""Everything that is logged while a test runs, as the Lambda runtime would write it."""

import json
import logging
import traceback
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

_NOT_WRITTEN = {*vars(logging.makeLogRecord({})), "aws_request_id", "tenant_id"} - {"taskName"}


class LambdaFormat(logging.Formatter):
    """As ``awslambdaric`` formats a record where the function's log format is JSON, which a test holds it against."""

    def format(self, record: logging.LogRecord) -> str:
        kind, error, trace = record.exc_info or (None, None, None)
        line = {
            "timestamp": self.formatTime(record, "%Y-%m-%dT%H:%M:%SZ"),
            "level": record.levelname,
            "message": record.getMessage(),
            "logger": record.name,
            "stackTrace": traceback.format_tb(trace) if kind else None,
            "errorType": kind.__name__ if kind else None,
            "errorMessage": str(error) if kind else None,
            "location": f"{record.pathname}:{record.funcName}:{record.lineno}" if kind else None,
            **{name: value for name, value in vars(record).items() if name not in _NOT_WRITTEN},
        }
        return json.dumps({name: value for name, value in line.items() if value is not None}, ensure_ascii=False)


class Lines(logging.Handler):
    """``all``: of every logger, at every level."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(LambdaFormat())
        self.all: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.all.append(self.format(record))

    def of(self, message: str) -> Sequence[Mapping[str, Any]]:
        """The lines of the logger of operations with this message."""
        lines = [json.loads(one) for one in self.all if '"m4a.operations"' in one]
        return [one for one in lines if (one["logger"], one["message"]) == ("m4a.operations", message)]

    @property
    def operations(self) -> Sequence[Mapping[str, Any]]:
        return self.of("operation")

    def holding(self, text: str) -> Sequence[str]:
        """Lines in which the text stands, in whatever case."""
        return [one for one in self.all if text.lower() in one.lower()]


@contextmanager
def everything_logged() -> Generator[Lines]:
    """As if somebody had set the level DEBUG for the function: for all loggers that have no level of their own."""
    root, lines = logging.getLogger(), Lines()
    level = root.level
    root.addHandler(lines)
    root.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        root.removeHandler(lines)
        root.setLevel(level)
