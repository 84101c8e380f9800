"""Files that people name: exports that appear whole or not at all, and imports that are read in parts."""

import os
import stat
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from m4a.domain.errors import InvalidInput
from m4a.tools.transfer import MAX_LINE_BYTES

STDIO = "-"
BATCH_LINES = 64
BATCH_BYTES = 1_000_000


@contextmanager
def written(target: Path | None) -> Generator[BinaryIO]:
    """A stream into the file, which takes its name, with mode 0600, once it is complete; stdout for None.

    What exists and is no regular file, such as a pipe, is written to directly. Raises InvalidInput.
    """
    if target is None:
        yield sys.stdout.buffer
        return
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                yield stream
        else:
            with _replacing(target.resolve()) as stream:
                yield stream
    except OSError as error:
        raise InvalidInput.of("file", f"{target} can't be written: {error.strerror}") from error


@contextmanager
def read_from(source: Path) -> Generator[tuple[BinaryIO, int | None]]:
    """The stream and its size in bytes; stdin for ``-``, whose size is not known, as a pipe's. Raises InvalidInput."""
    if str(source) == STDIO:
        yield sys.stdin.buffer, None
        return
    try:
        with source.open("rb") as stream:
            about = os.fstat(stream.fileno())
            yield stream, about.st_size if stat.S_ISREG(about.st_mode) else None
    except OSError as error:
        raise InvalidInput.of("file", f"{source} can't be read: {error.strerror}") from error


def batches(stream: BinaryIO) -> Iterator[list[bytes]]:
    """The lines in batches of bounded size. Of a line that is too long only the beginning comes, over the limit too."""
    lines: list[bytes] = []
    size = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        _skip_rest(stream, line)
        lines.append(line)
        size += len(line)
        if len(lines) == BATCH_LINES or size >= BATCH_BYTES:
            yield lines
            lines, size = [], 0
    if lines:
        yield lines


def _skip_rest(stream: BinaryIO, line: bytes) -> None:
    while len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
        line = stream.readline(MAX_LINE_BYTES + 1)


@contextmanager
def _replacing(target: Path) -> Generator[BinaryIO]:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    growing = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(descriptor)
        growing.replace(target)
    except BaseException:
        growing.unlink()
        raise
