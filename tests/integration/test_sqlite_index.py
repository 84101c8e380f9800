"""The index in memory: current after every write, whoever wrote, and the same as one that starts anew."""

import random
import threading
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.index import SqliteIndex
from m4a.adapters.sqlite.maintenance import SqliteMaintenance
from m4a.adapters.sqlite.store import SqliteStore
from m4a.domain.memory import Filters, Memory
from m4a.domain.owner import Owner
from m4a.domain.records import Change
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.domain.text import RULES, query_terms
from tests.contract.building import ANN, BOB, START, Scribe, embedding, erasure, insertion, replacement
from tests.integration.bulk import commit_all

WORDS = "tea boiler green noon garden key door paint walk Nadia".split()
LATER = START + timedelta(days=1)
QUERIES = [
    IndexQuery(embedding=embedding(text), terms=query_terms(text), filters=filters, now=LATER, k=k)
    for text, filters, k in [
        ("green tea", Filters(), 50),
        ("the key of the garden door", Filters(tags=("home",)), 5),
        ("Nadia unheard", Filters(importance="high"), 5),
    ]
]


def answers(index: SqliteIndex, owner: Owner = ANN) -> list[IndexAnswer]:
    return [index.search(owner, query) for query in QUERIES]


def ask(index: SqliteIndex, words: str, owner: Owner = ANN) -> tuple[str, ...]:
    query = IndexQuery(embedding=None, terms=query_terms(words), filters=Filters(), now=LATER, k=50)
    return index.search(owner, query).lexical


class Churn:
    """Makes up changes to a set of memories, without committing them."""

    def __init__(self, scribe: Scribe, seed: int) -> None:
        self._scribe = scribe
        self._chance = random.Random(seed)
        self._living: list[Memory] = []
        self._count = 0

    def insertion(self) -> Change:
        tags = ("home",) if self._chance.random() < 0.3 else ()
        vector = None if self._chance.random() < 0.1 else embedding(f"{self._count}")
        memory = self._scribe.memory(self._text(), tags=tags, embedding=vector)
        self._living.append(memory)
        return insertion(memory)

    def change(self) -> Change:
        """Of any kind."""
        if self._chance.random() < 0.4 or len(self._living) < 5:
            return self.insertion()
        place = self._chance.randrange(len(self._living))
        memory = self._living[place]
        kind = self._chance.random()
        if kind < 0.4:
            del self._living[place]
            return erasure(memory, self._scribe.tick())
        if kind < 0.8:
            self._living[place] = self._scribe.changed(memory, self._text(), tags=("home",), importance="high")
        else:
            model = self._chance.choice(("test-model", "other"))
            self._living[place] = replace(memory, rev=memory.rev + 1, embedding=embedding("again", model))
        return replacement(memory, self._living[place])

    def _text(self) -> str:
        self._count += 1
        return f"Note {self._count}: {' '.join(self._chance.choices(WORDS, k=self._chance.randint(1, 12)))}"


def test_an_index_that_catches_up_answers_like_one_that_starts_anew(database: Database, ann: Scribe) -> None:
    churn, index = Churn(ann, 1), SqliteIndex(database)
    for _ in range(60):
        commit_all(database, ANN, [churn.change() for _ in range(4)])
        assert answers(index) == answers(SqliteIndex(database))


def test_an_index_with_many_dead_entries_answers_like_one_that_starts_anew(database: Database, ann: Scribe) -> None:
    churn, index = Churn(ann, 2), SqliteIndex(database)
    commit_all(database, ANN, [churn.insertion() for _ in range(1_000)])
    for _ in range(6):
        commit_all(database, ANN, [churn.change() for _ in range(300)])
        assert answers(index) == answers(SqliteIndex(database))


def test_what_another_process_wrote_is_found(path: Path, database: Database, ann: Scribe) -> None:
    index = SqliteIndex(database)
    ann.remember("Green tea.")
    assert len(ask(index, "tea")) == 1
    with closing(Database.open(path)) as other:
        scribe = Scribe(SqliteStore(other))
        scribe.moment = ann.moment
        memory = scribe.remember("Black tea.")
        assert memory.memory_id in ask(index, "tea")
        scribe.forget(memory)
        assert memory.memory_id not in ask(index, "tea")


def test_a_search_in_an_older_snapshot_leaves_the_index_current(
    database: Database, store: SqliteStore, ann: Scribe
) -> None:
    index = SqliteIndex(database)
    first = ann.remember("Green tea leaves.")

    def write_and_search() -> None:
        ann.remember("Black tea leaves.")
        assert len(ask(index, "tea")) == 2

    with store.snapshot():
        assert ask(index, "tea") == (first.memory_id,)
        thread = threading.Thread(target=write_and_search)
        thread.start()
        thread.join()
        assert len(ask(index, "leaves")) == 2  # more than the snapshot has: the store decides what exists
    assert answers(index) == answers(SqliteIndex(database))


def test_owners_beyond_the_limit_are_read_again(database: Database, store: SqliteStore) -> None:
    index = SqliteIndex(database, max_memories=3)
    scribes = [Scribe(store, owner) for owner in (ANN, BOB, Owner("default", "carl"))]
    for turn in range(3):
        for scribe in scribes:
            scribe.remember(f"{scribe.owner.user} drinks tea {turn}.")
            assert len(ask(index, "tea", scribe.owner)) == turn + 1


def test_terms_of_other_rules_are_named_until_the_marker_is_current(database: Database, ann: Scribe) -> None:
    index, maintenance = SqliteIndex(database), SqliteMaintenance(database)
    ann.remember("Green tea.")
    assert maintenance.token_rules() == RULES
    maintenance.set_token_rules("0/none")
    assert [one.code for one in answers(index)[0].degraded] == ["index_outdated"]
    maintenance.set_token_rules(RULES)
    assert answers(index)[0].degraded == ()


def test_threads_search_while_another_writes(database: Database, ann: Scribe) -> None:
    churn, index = Churn(ann, 3), SqliteIndex(database)
    commit_all(database, ANN, [churn.insertion() for _ in range(100)])
    done = threading.Event()
    failures: list[IndexAnswer] = []

    def keep_searching() -> None:
        while not done.is_set():
            answer = index.search(ANN, QUERIES[0])
            frequencies = (answer.statistics and answer.statistics.frequencies) or {}
            memories = answer.statistics.memories if answer.statistics else 0
            if len(answer.dense) < 50 or not answer.lexical or max(frequencies.values()) > memories:
                failures.append(answer)

    threads = [threading.Thread(target=keep_searching) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(60):
        commit_all(database, ANN, [churn.change() for _ in range(3)])
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert answers(index) == answers(SqliteIndex(database))


@pytest.mark.parametrize("k", [1, 7])
def test_a_leg_never_proposes_more_than_it_was_asked_for(database: Database, ann: Scribe, k: int) -> None:
    churn = Churn(ann, 4)
    commit_all(database, ANN, [churn.insertion() for _ in range(200)])
    answer = SqliteIndex(database).search(ANN, replace(QUERIES[0], k=k))
    assert (len(answer.dense), len(answer.lexical)) == (k, k)
    assert len(set(answer.dense)) == len(set(answer.lexical)) == k
