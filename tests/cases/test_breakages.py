"""That the cases would notice: a product broken on purpose turns them red."""

import pytest

from tests.cases import breakages, more_breakages
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
        ("C90", more_breakages.cleans_texts),
        ("C91", more_breakages.counts_in_utf_16),
        ("C94", more_breakages.keeps_old_labels),
        ("C95", more_breakages.has_a_short_list),
        ("C98", breakages.shares_everything),
        ("C99", more_breakages.brings_back_what_was_forgotten),
        ("C101", more_breakages.keeps_old_labels),
        ("C102", more_breakages.knows_no_words),
        ("C103", more_breakages.knows_no_words),
        ("C104", more_breakages.filters_after_the_cut),
        ("C105", breakages.keeps_old_search_fields),
        ("C106", more_breakages.looks_empty_when_busy),
    ],
)
def test_a_broken_product_turns_the_case_red(case_id: str, alter: Alter, embedded: EmbeddedProfile) -> None:
    case = next(case for case in CASES if case.id == case_id)

    assert run_case(case, embedded, alter).status == "failed"
