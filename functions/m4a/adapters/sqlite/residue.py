"""Wiping what forgotten memories leave in the write-ahead log.

An erasure overwrites the text in the database's pages (``secure_delete``), but older images of those pages stay in the
log until a checkpoint cuts it off, which a reader of an older state holds up. The table ``residue`` names the memories
that this concerns: the erasing transaction adds them, a cut-off log takes them out.
"""

import time

import apsw

from m4a.adapters.sqlite.connection import Connection

FORGET_PATIENCE_S = 0.2
"""How long a forget waits for readers of an older state."""
OTHER_PATIENCE_S = 0.01
"""How long any other write waits for them, to make up for a forget that could not."""
_PAUSE_S = 0.002


def clear_residue(connection: Connection, patience_s: float) -> bool:
    """Cuts the log off if it may hold forgotten text. False if others held that up for ``patience_s`` seconds.

    Leaves the connection with a busy handler of its own.
    """
    last: int | None = connection.execute("SELECT max(no) FROM residue").get
    if last is None:
        return True
    deadline = time.monotonic() + patience_s
    connection.set_busy_handler(lambda _: _wait_until(deadline))
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        connection.pragma("synchronous", "NORMAL")  # lost with the power, the rows only cause another checkpoint
        connection.execute("DELETE FROM residue WHERE no <= ?", (last,))
    except apsw.BusyError:
        return False
    return True


def _wait_until(deadline: float) -> bool:
    time.sleep(_PAUSE_S)
    return time.monotonic() < deadline
