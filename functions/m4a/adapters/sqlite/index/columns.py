"""One owner's memories as arrays.

Each state of a memory has a position; positions are only appended, and the one of an older state is marked dead. So a
change costs as much as it changes, and the arrays stay as they are.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from m4a.adapters.sqlite.index.arrays import Array, Growing
from m4a.adapters.sqlite.rows import to_millis
from m4a.domain.memory import IMPORTANCES, MEMORY_TYPES, Filters

SELECT_COLUMNS = (
    "memories.no, memory_id, type, importance, created_at, begins_at, ends_at, expires_at, length, model, numbers.body"
)
_NEVER = np.iinfo(np.int64).max
_TYPE_CODES: Mapping[str, int] = {name: code for code, name in enumerate(MEMORY_TYPES)}
_IMPORTANCE_CODES: Mapping[str, int] = {name: code for code, name in enumerate(IMPORTANCES)}


class Vectors:
    """The vectors of one model and size (rows of float32), and the position of each."""

    def __init__(self, width: int) -> None:
        self.matrix = Growing(np.float32, width)
        self.positions = Growing(np.intp)

    def extend(self, positions: Sequence[int], data: Sequence[bytes]) -> None:
        self.matrix.extend(np.frombuffer(b"".join(data), "<f2").reshape(len(data), -1))
        self.positions.extend(positions)


class Columns:
    """Positions with their fields, and the vectors by model and size in bytes."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.position_of_id: dict[str, int] = {}
        self.position_of_no: dict[int, int] = {}
        self.alive = Growing(np.bool_)
        self.created = Growing(np.int64)
        self.length = Growing(np.float64)
        self.vectors: dict[tuple[str, int], Vectors] = {}
        self._type = Growing(np.int8)
        self._importance = Growing(np.int8)
        self._begins = Growing(np.int64)
        self._ends = Growing(np.int64)
        self._expires = Growing(np.int64)
        self._dead = 0

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def dead_share(self) -> float:
        return self._dead / max(1, len(self))

    def remove(self, memory_ids: Iterable[str]) -> None:
        """Marks the states of these memories dead; unknown ids are ignored."""
        for memory_id in memory_ids:
            position = self.position_of_id.pop(memory_id, None)
            if position is not None:
                self.alive.array[position] = False
                self._dead += 1

    def append(self, rows: Sequence[Sequence[Any]]) -> None:
        """Adds states of memories that have none alive, from rows that begin with ``SELECT_COLUMNS``."""
        start = len(self)
        fields = list(zip(*rows, strict=True))
        nos, ids, types, importances, created, begins, ends, expires, lengths, models, bodies = fields[:11]
        self.ids.extend(ids)
        self.position_of_id.update(zip(ids, range(start, start + len(ids)), strict=True))
        self.position_of_no.update(zip(nos, range(start, start + len(ids)), strict=True))
        self.alive.extend(np.ones(len(ids), np.bool_))
        self.created.extend(created)
        self.length.extend(lengths)
        self._type.extend([_TYPE_CODES[one] for one in types])
        self._importance.extend([_IMPORTANCE_CODES[one] for one in importances])
        self._begins.extend(begins)
        self._ends.extend(ends)
        self._expires.extend([_NEVER if one is None else one for one in expires])
        self._append_vectors(start, models, bodies)

    def living(self, now: int, exclude: Iterable[str]) -> Array:
        """Mask of the positions that are alive, not expired at ``now`` (milliseconds) and not excluded."""
        mask: Array = self.alive.array & (self._expires.array > now)
        mask[[self.position_of_id[one] for one in exclude if one in self.position_of_id]] = False
        return mask

    def matching(self, mask: Array, filters: Filters) -> Array:
        """The part of a mask that matches the filters, tags left aside."""
        if filters.type:
            mask = mask & (self._type.array == _TYPE_CODES[filters.type])
        if filters.importance:
            mask = mask & (self._importance.array == _IMPORTANCE_CODES[filters.importance])
        if filters.time_range.end:
            mask = mask & (self._begins.array <= to_millis(filters.time_range.end))
        if filters.time_range.start:
            mask = mask & (self._ends.array >= to_millis(filters.time_range.start))
        return mask

    def compact(self) -> Array:
        """Drops dead positions. Returns the new position of each old one, -1 for a dead one."""
        keep = np.flatnonzero(self.alive.array)
        moved = np.full(len(self), -1, np.intp)
        moved[keep] = np.arange(len(keep), dtype=np.intp)
        self.ids = [self.ids[position] for position in keep]
        self.position_of_id = {one: position for position, one in enumerate(self.ids)}
        self.position_of_no = {no: int(moved[at]) for no, at in self.position_of_no.items() if moved[at] >= 0}
        for column in self._columns():
            column.keep(keep)
        for group in self.vectors.values():
            living = np.flatnonzero(moved[group.positions.array] >= 0)
            group.matrix.keep(living)
            group.positions.keep(living)
            group.positions.array[:] = moved[group.positions.array]
        self._dead = 0
        return moved

    def _columns(self) -> Iterable[Growing]:
        yield from (self.alive, self.created, self.length, self._type, self._importance)
        yield from (self._begins, self._ends, self._expires)

    def _append_vectors(self, start: int, models: Sequence[str | None], bodies: Sequence[bytes | None]) -> None:
        groups: dict[tuple[str, int], tuple[list[int], list[bytes]]] = {}
        for position, (model, body) in enumerate(zip(models, bodies, strict=True), start):
            if model is not None and body is not None:
                positions, data = groups.setdefault((model, len(body)), ([], []))
                positions.append(position)
                data.append(body)
        for key, (positions, data) in groups.items():
            if key not in self.vectors:
                self.vectors[key] = Vectors(key[1] // 2)
            self.vectors[key].extend(positions, data)
