"""What the doctor asks of an open store."""

from collections.abc import Mapping
from dataclasses import dataclass

from m4a.adapters.sqlite.database import Database

_SHOWN_DAMAGE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """``damage`` has SQLite's own sentences, none for a sound file; ``models`` counts vectors by model id."""

    schema: int
    damage: tuple[str, ...]
    owners: int
    memories: int
    models: Mapping[str, int]
    token_rules: str

    @property
    def not_embedded(self) -> int:
        """Memories without a vector."""
        return self.memories - sum(self.models.values())


def check_up(database: Database) -> Checkup:
    """Reads the whole file. Raises Unavailable for damage that stops the reading."""
    by_model = "SELECT model, count(*) FROM memories WHERE vector IS NOT NULL GROUP BY model"
    with database.newest() as connection:
        damage = tuple(row[0] for row in connection.execute(f"PRAGMA integrity_check({_SHOWN_DAMAGE})"))
        return Checkup(
            schema=connection.pragma("user_version"),
            damage=() if damage == ("ok",) else damage,
            owners=connection.execute("SELECT count(DISTINCT owner_no) FROM memories").get,
            memories=connection.execute("SELECT count(*) FROM memories").get,
            models={str(model): int(count) for model, count in connection.execute(by_model)},
            token_rules=connection.execute("SELECT value FROM meta WHERE name = 'token_rules'").get,
        )
