"""Every case of the files beside this one, through the HTTP API of a local server, in each profile."""

from pathlib import Path

import pytest

from tests.cases.case_file import Case, read_cases
from tests.cases.report import line_of
from tests.cases.runner import run_case
from tests.support.profiles import Profile

CASES = [case for name in ("cases.jsonl", "more.jsonl") for case in read_cases(Path(__file__).with_name(name))]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES])
def test_case(case: Case, profile: Profile) -> None:
    result = run_case(case, profile)

    if result.status == "skipped":
        pytest.skip("; ".join(result.reasons))
    assert result.status == "passed", line_of(result)
