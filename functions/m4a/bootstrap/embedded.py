"""The profile ``embedded``: one SQLite file."""

from m4a.adapters.numpy_cosines import cosines
from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.forgotten import SqliteForgotten
from m4a.adapters.sqlite.index import SqliteIndex
from m4a.adapters.sqlite.log import SqliteLog
from m4a.adapters.sqlite.maintenance import SqliteMaintenance
from m4a.adapters.sqlite.outbox import EmptyOutbox
from m4a.adapters.sqlite.store import SqliteStore
from m4a.bootstrap.backends import Backends
from m4a.ports import Clock
from m4a.settings import Settings


def embedded_backends(settings: Settings, clock: Clock) -> Backends:
    """Opens the file, or makes it."""
    database = Database.open(settings.db_path)
    return Backends(
        store=SqliteStore(database),
        outbox=EmptyOutbox(),
        log=SqliteLog(database, clock),
        index=SqliteIndex(database),
        cosines=cosines,
        maintenance=SqliteMaintenance(database),
        forgotten=SqliteForgotten(database),
        close=database.close,
    )
