"""That the cases would notice: a product broken on purpose turns them red."""

import pytest

from tests.cases import breakages
from tests.cases.runner import run_case
from tests.cases.test_cases import CASES
from tests.cases.world import Alter
from tests.support.profiles import EmbeddedProfile


@pytest.mark.parametrize(
    ("case_id", "alter"),
    [
        ("C27", breakages.forgets_nothing),
        ("C62", breakages.forgets_nothing),
        ("C24", breakages.shares_everything),
        ("C78", breakages.shares_everything),
        ("C11", breakages.is_three_hours_late),
        ("C12", breakages.is_three_hours_late),
        ("C26", breakages.keeps_old_search_fields),
        ("C29", breakages.last_writer_wins),
        ("C30", breakages.ignores_keys),
        ("C65", breakages.ignores_keys),
        ("C42", breakages.hides_failures),
        ("C45", breakages.hides_failures),
        ("C48", breakages.compares_other_models),
        ("C64", breakages.never_expires),
    ],
)
def test_a_broken_product_turns_the_case_red(case_id: str, alter: Alter, embedded: EmbeddedProfile) -> None:
    case = next(case for case in CASES if case.id == case_id)

    assert run_case(case, embedded, alter).status == "failed"
