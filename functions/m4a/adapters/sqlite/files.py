"""The store's file in the file system: creating it, and reading its raw bytes without harm."""

import stat
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import apsw

from m4a.adapters.sqlite.errors import StoreUnusable

_CHUNK = 1 << 20


def make_private(path: Path) -> None:
    """Sees to it that the file exists and that no one but its owner can read it. Raises StoreUnusable.

    SQLite gives the files beside it (``-wal``, ``-shm``) the same mode.
    """
    try:
        _make_folders(path.parent)
        if path.is_dir():
            raise StoreUnusable(f"{path} is a directory, not a file.")
        if not path.exists():
            with suppress(FileExistsError):  # another process may have been faster
                path.touch(mode=0o600, exist_ok=False)
    except OSError as error:
        raise StoreUnusable(f"{path} can't be opened: {error.strerror}.") from error


def tighten(path: Path) -> None:
    """Takes reading and writing from everyone but the owner of the file, if that is us."""
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        if name.exists() and stat.S_IMODE(name.stat().st_mode) & 0o077:
            with suppress(PermissionError):
                name.chmod(0o600)


def create_private(path: Path) -> None:
    """Makes an empty file with mode 0600. Raises StoreUnusable if there is one already."""
    try:
        path.touch(mode=0o600, exist_ok=False)
    except FileExistsError as error:
        raise StoreUnusable(f"{path} exists already.") from error
    except OSError as error:
        raise StoreUnusable(f"{path} can't be created: {error.strerror}.") from error


def raw_chunks(path: Path, size: int = _CHUNK) -> Generator[bytes]:
    """The bytes of a file that SQLite may have open, in order; nothing for a missing file.

    Read through SQLite's own file layer: closing any other handle of the file would drop the locks that this process
    holds on it.
    """
    if not path.exists():
        return
    file = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        length = file.xFileSize()
        for offset in range(0, length, size):
            yield file.xRead(min(size, length - offset), offset)
    finally:
        file.xClose()


def _make_folders(folder: Path) -> None:
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
