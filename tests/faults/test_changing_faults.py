"""Users at work while one backend after the other fails, in one way after the other."""

import random
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from tests.faults.faults import INDEX_FAULTS, MODEL_FAULTS, TABLE_FAULTS
from tests.faults.site import Site
from tests.support.client import Answer
from tests.support.https import HttpsClient

USERS = 3
ROUNDS = 8
LONGEST_S = 0.4
"""How long one fault lasts at most."""
SEEDS = (1, 2)


@dataclass
class Memory:
    """What its user knows of it: ``texts`` are what it may say now, more than one after an update without an answer;
    none after a forget."""

    word: str
    memory_id: str
    texts: Sequence[str]
    may_be_gone: bool = False


@dataclass
class User:
    """Writes memories, each with a word of its own, and looks for it after each answer."""

    client: HttpsClient
    name: str
    choose: random.Random
    memories: list[Memory] = field(default_factory=list[Memory])
    answered: int = 0
    wrong: list[str] = field(default_factory=list[str])

    def work(self) -> None:
        for number in range(ROUNDS):
            word = f"{self.name}{number}"
            self._remember(word, f"The code word {word} opens the shed")
            if self.memories:
                known = self.choose.choice(self.memories)
                self.choose.choice([self._update, self._forget, self._look])(known)

    def _remember(self, word: str, text: str) -> None:
        made = self.client.call("remember", content=text)
        if not self._refused(made):
            self.memories.append(Memory(word, made["memory_id"], [text]))
            self._look(self.memories[-1])

    def _update(self, known: Memory) -> None:
        text = f"The code word {known.word} opens the barn by now, version {self.choose.random()}"
        answer = self.client.call("update_memory", memory_id=known.memory_id, content=text)
        if answer.error == "not_found" and known.may_be_gone:
            return
        known.texts = [*known.texts, text] if self._refused(answer) else [text]
        self._look(known)

    def _forget(self, known: Memory) -> None:
        answer = self.client.call("forget", memory_id=known.memory_id, reason="tried")
        known.may_be_gone = True
        if not self._refused(answer):
            known.texts = []
        self._look(known)

    def _look(self, known: Memory) -> None:
        answer = self.client.call("recall", query=f"code word {known.word}", limit=50)
        if self._refused(answer) or "memories_unread" in answer.degraded:
            return
        found = [one["content"] for one in answer["memories"] if one["memory_id"] == known.memory_id]
        missing = not found and known.texts and not known.may_be_gone
        if missing or any(text not in known.texts for text in found):
            self.wrong.append(f"{known.word}: {found} by {answer.degraded or 'a whole answer'}")

    def _refused(self, answer: Answer) -> bool:
        """Whether there was no answer for now. Any other error is wrong."""
        if answer.error not in (None, "unavailable", "throttled"):
            self.wrong.append(f"answered {answer.body}")
        self.answered += answer.error is None
        return answer.error is not None


@contextmanager
def changing_faults(site: Site, choose: random.Random) -> Generator[None]:
    """For as long as this lasts, one backend after the other fails for a moment."""
    ended = threading.Event()
    ways = [
        *((site.table, fault) for fault in TABLE_FAULTS.values()),
        *((site.index, fault) for fault in INDEX_FAULTS.values()),
        *((site.model, fault) for fault in MODEL_FAULTS.values()),
    ]

    def fail() -> None:
        while not ended.wait(choose.uniform(0, LONGEST_S / 2)):
            proxy, fault = choose.choice(ways)
            with fault(proxy):
                ended.wait(choose.uniform(0, LONGEST_S))

    thread = threading.Thread(target=fail, name="faults")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_answered_holds_while_backends_fail_in_turn(site: Site, alice: HttpsClient, seed: int) -> None:
    choose = random.Random(seed)
    users = [User(alice, name, random.Random(f"{seed} {name}")) for name in ("ash", "birch", "cedar")[:USERS]]

    with changing_faults(site, choose), ThreadPoolExecutor(USERS) as pool:
        for done in [pool.submit(user.work) for user in users]:
            done.result()

    assert [one for user in users for one in user.wrong] == []
    assert sum(user.answered for user in users) > USERS * ROUNDS
    site.recover()
    listed = [one["content"] for one in alice.send("GET", "/memories", params={"limit": 200})["memories"]]
    assert len(listed) == len(set(listed)) == site.entries()
    for user in users:
        for known in user.memories:
            kept = [text for text in listed if known.word in text.split()]
            assert len(kept) == 1 or (not kept and known.may_be_gone)
            assert not kept or kept[0] in known.texts
            answer = alice.call("recall", query=f"code word {known.word}", limit=1)
            assert answer.degraded == []
            assert not kept or answer.contents == kept
