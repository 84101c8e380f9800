"""Checks of what store, index and log hold: after a step, or at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.cases.entry_points import call_tool
from tests.cases.judging import CannotTell, CheckFailed, require
from tests.cases.reply import Reply
from tests.cases.run import Run
from tests.cases.state import State, look
from tests.cases.world import World

COSINES = "no_cross_model_scores"
STATELESS = ("logged", "mapping", "mapping_dynamic")
FIELDS = {"embedding": "vector", "user_id": "owner"}
"""What the index calls what cases call otherwise."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found right after a step: ``explained`` are its recalls asked again with ``explain``, ``mappings``
    those of the indices that there are (None where store and index are one)."""

    state: State
    mappings: Mapping[str, Mapping[str, Any]] | None
    replies: tuple[Reply, ...]
    model: str
    explained: tuple[Reply, ...]


def look_around(world: World, replies: Sequence[Reply], kinds: set[str]) -> Seen:
    """Everything that the state checks of these kinds may ask about."""
    explained = [_explained(world, reply) for reply in replies] if COSINES in kinds else []
    state = State(())
    if not kinds <= set(STATELESS):
        world.catch_up()
        state = look(world.plain, world.model)
    return Seen(state, world.place.mappings(), tuple(replies), world.embedder.model, tuple(explained))


def stored(seen: Seen, expected: bool, _run: Run) -> None:
    """Whether the text that the step sent is stored."""
    require(seen.replies, "the step has no reply")
    for reply in seen.replies:
        content = reply.arguments.get("content")
        require(content is not None, "the step sent no content")
        found = any(memory.content == content for memory in seen.state.memories)
        require(found is expected, f"it is {'' if found else 'not '}stored")


def stored_count(seen: Seen, expected: int, _run: Run) -> None:
    found = len(seen.state.memories)
    require(found == expected, f"{found} are stored")


def index_count(seen: Seen, expected: int, _run: Run) -> None:
    """Those that the index proposes, and the number that it counts."""
    found, counted = len(seen.state.indexed), seen.state.counted
    require(found == counted == expected, f"the index proposes {found} and counts {counted}")


def index_ids(seen: Seen, expected: Sequence[str], run: Run) -> None:
    """Names of saved memories, or ids themselves."""
    wanted = sorted(run.ids.get(name, name) for name in expected)
    require(sorted(seen.state.indexed) == wanted, f"the index proposes {seen.state.indexed}")


def index_equals_table(seen: Seen, expected: bool, _run: Run) -> None:
    """For each owner the index proposes what is stored, each once, and nothing by an earlier text."""
    different = [
        owner.owner.user
        for owner in seen.state.owners
        if sorted(owner.indexed) != sorted(owner.memories) or owner.counted != len(owner.memories) or owner.stale
    ]
    require((not different) is expected, f"index and store differ for {different}")


def no_cross_model_scores(seen: Seen, expected: bool, _run: Run) -> None:
    """No memory whose vector is of another model than the query's has a cosine."""
    require(expected is True and seen.explained, "the step has no recall")
    models = {one.memory_id: one.embedding.model for one in seen.state.memories if one.embedding}
    for reply in seen.explained:
        require(reply.outcome == "ok", f"with explain: {reply}")
        for row in reply.memories:
            compared = row["explain"]["cosine"] is not None
            other = models.get(row["memory_id"], seen.model) != seen.model
            require(not (compared and other), f"{row['memory_id']} was compared with a vector of another model")


def logged(_seen: Seen, expected: Sequence[str], run: Run) -> None:
    missing = [text for text in expected if not any(text in line for line in run.world.log_lines)]
    require(not missing, f"{missing} is in no line of the log")


def mapping(seen: Seen, expected: Mapping[str, str], _run: Run) -> None:
    """The types of fields in every index that there is; one that is not there has guessed none."""
    for name, one in _mappings(seen).items():
        types = {field: about.get("type") for field, about in one["properties"].items()}
        different = {field: types.get(FIELDS.get(field, field)) for field in expected}
        require(different == expected, f"{name} has {different}")


def mapping_dynamic(seen: Seen, expected: Sequence[str], _run: Run) -> None:
    """What becomes of a field that no mapping names."""
    found = {str(one.get("dynamic", "true")) for one in _mappings(seen).values()}
    require(found and found <= set(expected), f"dynamic is {found}")


def _mappings(seen: Seen) -> Mapping[str, Mapping[str, Any]]:
    if seen.mappings is None:
        raise CannotTell("the index of the embedded profile is SQLite's: it has no mapping")
    return seen.mappings


def _explained(world: World, reply: Reply) -> Reply:
    if "query" not in reply.arguments:
        raise CheckFailed(f"{COSINES} needs a step that recalls")
    arguments = {**reply.arguments, "explain": True}
    return call_tool(world, {"caller": reply.caller, "call": "recall", "args": arguments})
