"""That one history of writes gives the same answers in both profiles: the same scores, and the same order."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from m4a.application.recall import Recall, Recalled, recall
from m4a.bootstrap import Operator
from m4a.domain.memory import Filters
from m4a.domain.owner import Caller, Owner
from m4a.domain.times import TimeRange
from m4a.ports import Embedder
from m4a.tools import call_tool
from tests.support.doubles import FaultyEmbedder, SettableClock
from tests.support.profiles import EMBEDDED, STACK, EmbeddedProfile, Profile, Running, StackProfile
from tests.support.stack import Backends
from tests.support.waiting import until

CLOSE = 1e-3
ALICE = Caller(Owner("default", "alice"), "alice", "test", "r-1")
BOB = Caller(Owner("default", "bob"), "bob", "test", "r-2")
TEXTS = """
The boiler was serviced by Marta in October
The boiler makes a knocking noise on cold mornings
Marta prefers to be called after six
Rent goes up by forty euros from January
The landlord wants the rent by standing order
The spare key is with the neighbour on the left
The neighbour on the right has a dog called Pixel
Pixel is afraid of thunder and of the vacuum cleaner
The vacuum cleaner takes bags of the type VC-300-B
Printer cartridges are of the type PX-41-XL
The printer jams when the paper is damp
Paper, string and tape are in the top drawer
The recipe for lentil soup needs two bay leaves
Lentil soup gives Tomas a stomach ache
Tomas is allergic to hazelnuts, almonds are fine
Almond cake is the only cake that Tomas eats
The birthday of Tomas is on the ninth of May
Aunt Ines sends a parcel for every birthday
Aunt Ines moved from Faro to Coimbra
The train to Coimbra leaves from platform two
Train tickets are cheaper on Tuesdays
The bicycle has a new chain and old tyres
The bicycle lock opens with 4471
The tyre pump is lent to the neighbour on the left
Swimming lessons are on Wednesdays at five
The swimming pool is closed in August
The dentist found nothing in March
The dentist asks for an appointment every six months
Blood pressure was 128 over 82 at the check-up
The check-up at the doctor was paid by the insurance
The insurance number is KV-2210-77
The car insurance ends with the year
The car needs winter tyres before the trip to Graz
The hotel in Graz takes dogs
The choir sings in Graz on the second Sunday of Advent
The choir needs two more tenors
Tomas sings bass, his brother sings tenor
The project Heron is due at the end of June
The project Heron has a budget of 12000
The budget meeting moved to Thursday
会議は木曜日の午後です
Встреча перенесена на четверг
The password hint of the router is on its label
The router stands behind the bookshelf
The bookshelf from the attic holds the atlases
""".split("\n")[1:-1]
QUERIES = (
    "who looked after the boiler",
    "Tomas",
    "what does Tomas not eat",
    "PX-41-XL",
    "insurance number KV-2210-77",
    "when is the meeting",
    "木曜日",
    "четверг",
    "the",
    "music",
    "how do I get to Coimbra by train on a Tuesday and where do I stay in Graz with a dog",
)
FILTERS: Mapping[str, Filters] = {
    "no filter": Filters(),
    "type": Filters(type="task"),
    "tags": Filters(tags=("home", "often")),
    "importance": Filters(importance="high"),
    "time": Filters(time_range=TimeRange.parse("2026-06-01T12:10:00Z", "2026-06-01T12:25:00Z")),
}


class Lived:
    """One profile that has lived through the same day as the others."""

    def __init__(self, profile: Profile, folder: Path, stack: ExitStack) -> None:
        self.clock = SettableClock()
        self.embedder = FaultyEmbedder(profile.embedder)
        place = stack.enter_context(profile.place(folder))
        opened = place.open({}, clock=self.clock, embedder=self.embedder)
        self._running: Running = stack.enter_context(opened)
        self.write()

    @property
    def operator(self) -> Operator:
        return self._running.operator

    def write(self) -> None:
        ids = [self._remember(number, text) for number, text in enumerate(TEXTS)]
        self._call(BOB, "remember", content="Marta services boilers, and Tomas pays her")
        self._call(ALICE, "update_memory", memory_id=ids[2], content="Marta prefers to be called before noon")
        self._call(ALICE, "update_memory", memory_id=ids[5], importance="high")
        self._call(ALICE, "forget", memory_id=ids[13], reason="no longer true")
        self.embedder.mode = "down"
        self._call(ALICE, "remember", content="Tomas was not embedded when he took up the cello")
        self.embedder.mode = "up"
        self._call(ALICE, "remember", content="Tomas is out until noon", expires_at="2026-06-01T13:00:00Z")
        self.clock.advance(hours=2)

    def catch_up(self) -> None:
        if self._running.poller:
            self._running.poller.go_on()
        outbox = self.operator.service.outbox
        until(lambda: not outbox.pending(ALICE.owner, 1))

    def fall_behind(self) -> None:
        """Holds the indexer, where there is one, and writes: those changes wait in the outbox."""
        if self._running.poller:
            self._running.poller.pause()
        for text in ("The boiler is new and quiet", "Tomas eats hazelnuts again", "The choir found its tenors"):
            self._call(ALICE, "remember", content=text)
            self.clock.advance(minutes=1)

    def ask(self, query: str, filters: Filters) -> Recalled:
        return recall(self.operator.service, ALICE, Recall(query=query, filters=filters, limit=50))

    def _remember(self, number: int, text: str) -> str:
        made = self._call(
            ALICE,
            "remember",
            content=text,
            type="task" if number % 3 == 0 else "fact",
            importance=("low", "medium", "high")[number % 3],
            tags=["home", *(["often"] if number % 4 == 0 else [])],
            event_time="2026-05-08" if number % 7 == 0 else None,
        )
        self.clock.advance(minutes=1)
        return made["memory_id"]

    def _call(self, caller: Caller, tool: str, **arguments: Any) -> Mapping[str, Any]:
        return call_tool(self.operator.service, caller, tool, arguments)


@pytest.fixture(scope="module")
def lived(
    onnx: Embedder, backends: Backends, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, Lived]]:
    profiles: Sequence[Profile] = (EmbeddedProfile(onnx), StackProfile(backends))
    with ExitStack() as stack:
        yield {one.name: Lived(one, tmp_path_factory.mktemp(one.name), stack) for one in profiles}


@pytest.fixture(scope="module", params=["all of it indexed", "some of it pending"])
def both(request: pytest.FixtureRequest, lived: Mapping[str, Lived]) -> tuple[Lived, Lived]:
    """In both profiles, first with all in the index, then with some that waits for the indexer."""
    for one in lived.values():
        one.catch_up() if request.param == "all of it indexed" else one.fall_behind()
    return lived[EMBEDDED], lived[STACK]


@pytest.mark.parametrize("filters", FILTERS)
def test_both_profiles_give_the_same_scores_in_the_same_order(both: tuple[Lived, Lived], filters: str) -> None:
    found = 0
    for query in QUERIES:
        embedded, stack = (one.ask(query, FILTERS[filters]) for one in both)

        assert [one.memory.content for one in stack.ranked] == [one.memory.content for one in embedded.ranked], query
        scores, expected = ([one.signals.score for one in answer.ranked] for answer in (stack, embedded))
        assert scores == pytest.approx(expected, abs=CLOSE), query
        assert stack.candidates.statistics == embedded.candidates.statistics
        assert {one.code for one in stack.degraded} == {one.code for one in embedded.degraded}
        found += len(scores)
    assert found > 2 * len(QUERIES)


def test_without_a_query_vector_the_scores_are_the_same_too(both: tuple[Lived, Lived]) -> None:
    for one in both:
        one.embedder.mode = "down"
    for query in QUERIES:
        embedded, stack = (one.ask(query, Filters()) for one in both)
        shown, expected = (
            [(one.memory.content, round(one.signals.score, 6)) for one in answer.ranked] for answer in (stack, embedded)
        )
        assert shown == expected
    for one in both:
        one.embedder.mode = "up"
