"""SQLite's errors in the words of the domain: the one place where they are told apart."""

from collections.abc import Generator
from contextlib import contextmanager

import apsw

from m4a.adapters.errors import Unusable
from m4a.domain.errors import Throttled, Unavailable


class StoreUnusable(Unusable):
    """The file can't be opened as a store, for a reason that trying again does not mend. Nothing in it was changed."""


_BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)
_DOWN: dict[type[apsw.Error], str] = {
    apsw.FullError: "The disk or the store's file is full, so nothing was written.",
    apsw.IOError: "The store's disk reported an error.",
    apsw.CorruptError: "The store's file is damaged; restore it from a backup.",
    apsw.NotADBError: "The store's file is damaged; restore it from a backup.",
    apsw.CantOpenError: "The store's file can't be opened.",
    apsw.ReadOnlyError: "The store's file can't be written.",
    apsw.PermissionsError: "The store's file can't be accessed.",
    apsw.NoMemError: "The store ran out of memory.",
}


@contextmanager
def translate_errors() -> Generator[None]:
    """Raises Throttled for a file that stays locked, Unavailable for one that can't be read or written.

    Other errors of SQLite are mistakes in this package and pass through.
    """
    try:
        yield
    except _BUSY as error:
        raise Throttled("Other writers kept the store busy. Try again.") from error
    except tuple(_DOWN) as error:
        raise Unavailable(next(text for kind, text in _DOWN.items() if isinstance(error, kind))) from error
