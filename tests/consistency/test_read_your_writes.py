"""Read-your-writes under load: users at work, the indexer slowed, held, killed, doubled; then the record is judged."""

from collections import Counter

import pytest

from tests.consistency.bench import Place
from tests.consistency.checker import check
from tests.consistency.running import run_history

HISTORIES = 4
OPERATIONS = 260
"""Of one history: so few that its table stays small, for moto's queries go through the whole of it."""


@pytest.mark.parametrize("part", range(5))
def test_no_answer_contradicts_one_that_was_given_before(shared_place: Place, part: int) -> None:
    checked, proposed = 0, Counter[str]()
    for seed in range(part * HISTORIES, (part + 1) * HISTORIES):
        run = run_history(shared_place, seed, OPERATIONS)
        verdict = check(run.history)
        assert not verdict.anomalies, f"seed {seed}"
        checked += verdict.operations
        proposed.update(run.proposed)
    assert checked >= 1_000
    assert min(proposed["index"], proposed["outbox"]) > checked / 4, "one of the two was hardly in use"
