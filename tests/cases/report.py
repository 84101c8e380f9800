"""Runs a file of cases and prints a line for each."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from m4a.adapters.onnx import OnnxEmbedder
from m4a.local.opensearch_node import OpenSearchNode
from tests.cases.case_file import Case, read_cases
from tests.cases.runner import Result, Status, run_case
from tests.support.profiles import EMBEDDED, EmbeddedProfile, Profile, StackProfile
from tests.support.stack import running_backends

HEAP = "512m"

WORDS: dict[Status, str] = {"passed": "passed", "failed": "FAILED", "skipped": "not applicable here"}


def run_file(path: Path, show: Callable[[str], None], profile: str = EMBEDDED) -> int:
    """The exit code: 0 if no case failed, else 1. Raises UnreadableFile."""
    cases = read_cases(path)
    results: list[Result] = []
    with _running(profile) as running:
        for case in cases:
            results.append(_run(case, running))
            show(line_of(results[-1]))
    show(summary(results))
    return int(any(result.status == "failed" for result in results))


@contextmanager
def _running(profile: str) -> Generator[Profile]:
    """The profile of that name, with all that it needs."""
    model = OnnxEmbedder.load()
    if profile == EMBEDDED:
        yield EmbeddedProfile(model)
        return
    with (
        TemporaryDirectory(prefix="m4a-cases-") as folder,
        OpenSearchNode(Path(folder), HEAP) as node,
        running_backends(node.address(), model) as backends,
    ):
        yield StackProfile(backends)


def _run(case: Case, profile: Profile) -> Result:
    """The case's result; whatever goes wrong in the runner itself must not hide the other cases."""
    try:
        return run_case(case, profile)
    except Exception as error:
        return Result(case, "failed", (f"the runner broke off: {type(error).__name__}: {error}",))


def line_of(result: Result) -> str:
    """Id, title and status; the reasons below a failure, and beside what is not applicable."""
    head = f"{result.case.id}  {WORDS[result.status]}  {result.case.title}"
    if result.status == "skipped":
        return f"{head} ({'; '.join(result.reasons)})"
    below = [*result.reasons, *(f"quality goal missed: {note}" for note in result.notes)]
    return "\n".join([head, *(f"      {one}" for one in below)])


def summary(results: Sequence[Result]) -> str:
    """``N passed, N failed``, and what was skipped, if anything was."""
    counts = {status: sum(result.status == status for result in results) for status in WORDS}
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    return f"{counts['passed']} passed, {counts['failed']} failed{skipped}"
