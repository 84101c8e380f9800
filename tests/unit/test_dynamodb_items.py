"""How memories and records lie in the table, and how large they are."""

from datetime import timedelta

import pytest

from m4a.adapters.dynamodb.memories import memory_item, pack_counts, unpack_counts
from m4a.adapters.dynamodb.units import item_size
from m4a.adapters.dynamodb.values import from_attributes, to_attributes, to_seconds, to_ttl
from m4a.adapters.dynamodb.work import BARE_SINCE, BUCKETS, Work, due, memory_due, partitions
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Embedding
from m4a.domain.text import analyse
from m4a.domain.times import format_instant
from tests.contract.building import ANN, START
from tests.unit.test_dynamodb_changes import memory_of

HOUR = timedelta(hours=1)
SENTENCE = (
    "On Tuesday the plumber replaced the valve of the boiler and left the old one, wrapped in paper, on the shelf. "
)


@pytest.mark.parametrize(
    "text", ["", "tea", SENTENCE * 8, "東京の会議は来週の火曜日です。", "Order PN-88417-QX, bob@example.com"]
)
def test_term_counts_come_back_as_they_were_packed(text: str) -> None:
    counts = analyse(text).counts
    assert unpack_counts(pack_counts(counts)) == counts


@pytest.mark.parametrize(("sentences", "kilobytes"), [(1, 2), (10, 3), (20, 4)])
def test_a_memory_of_a_usual_length_stays_within_one_read_unit(sentences: int, kilobytes: int) -> None:
    text = "".join(SENTENCE.replace("valve", f"part {number}") for number in range(sentences))
    memory = memory_of(
        text, embedding=Embedding("amazon.titan-embed-text-v2:0/512", bytes(range(256)) * 4), tags=("home", "boiler")
    )
    size = item_size(to_attributes({"pk": ANN.key, **memory_item(ANN, memory, START)}))
    assert size <= kilobytes * 1_024


def test_values_come_back_as_they_were_written() -> None:
    item = {"text": "größe", "empty": "", "number": -3, "bytes": b"\0\xff", "list": ["a", "b"], "none": None}
    assert from_attributes(to_attributes(item)) == {name: value for name, value in item.items() if value is not None}


def test_a_time_to_live_never_ends_too_early() -> None:
    moment = START + timedelta(milliseconds=1)
    assert to_ttl(moment) == to_seconds(START) + 1 == to_ttl(START) + 1
    assert to_seconds(moment) == to_seconds(START)


def test_a_memory_is_listed_for_all_that_has_to_be_done_to_it() -> None:
    bare = memory_of(embedding=None)
    assert memory_due(memory_of(), START) == {}
    assert memory_due(bare, START) == due(Work.EMBED, bare.memory_id, START)
    mortal = memory_of(expires_at=START + HOUR)
    assert memory_due(mortal, START) == due(Work.EXPIRE, mortal.memory_id, START + HOUR)
    both = memory_of(embedding=None, expires_at=START + HOUR)
    for committed_at in (START, START + 2 * HOUR):
        listed = due(Work.EMBED_OR_EXPIRE, both.memory_id, START + HOUR)
        assert memory_due(both, committed_at) == {**listed, BARE_SINCE: format_instant(committed_at)}


def test_work_of_each_kind_is_spread_over_its_own_partitions() -> None:
    ids = [new_ulid(START) for _ in range(400)]
    for work in Work:
        used = {due(work, one, START)["wb"] for one in ids}
        assert used == set(partitions(work))
        assert len(used) == BUCKETS
    assert len({number for work in Work for number in partitions(work)}) == BUCKETS * len(Work)
