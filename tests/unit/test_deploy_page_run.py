"""The shell blocks of docs/deploy.md, run in bash: which table and role each step sees, and what a failure stops.

Every program is a stand-in, ``tests/support/deploy_page_stub.sh``.
"""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "deploy.md").read_text("utf-8")
STUB = ROOT / "tests" / "support" / "deploy_page_stub.sh"
OLD, NEW = "table table-of-m4a-prod, role-of-m4a-prod", "table table-of-m4a-prod-2, role-of-m4a-prod-2"
RESTORED = [
    f"m4a admin receipts --output forgotten.jsonl | {OLD}",
    "aws dynamodb restore-table-to-point-in-time --source-table-name table-of-m4a-prod",
    "m4a admin replay-receipts forgotten.jsonl | table m4a-restored-1, own credentials",
    "aws cloudformation create-change-set --stack-name m4a-prod-2",
    "aws cloudformation wait change-set-create-complete --stack-name m4a-prod-2",
    "aws cloudformation execute-change-set --stack-name m4a-prod-2",
    "aws cloudformation wait stack-import-complete --stack-name m4a-prod-2",
    "make deploy ENV=prod STACK=m4a-prod-2 "
    "PARAMETERS=JwtIssuer=Issuer JwtAudience=AppClientId,BackendClientId TokensNameTheirClient=true",
    f"m4a reindex | {NEW}",
    f"m4a doctor | {NEW}",
]
"""The beginning of each call, in order."""
MEANWHILE = [
    f"m4a admin receipts --output forgotten-meanwhile.jsonl | {OLD}",
    f"m4a admin replay-receipts forgotten-meanwhile.jsonl | {NEW}",
]
REMOVED = [
    "make deploy ENV=prod STACK=m4a-prod-2 PARAMETERS=DeletionProtection=false",
    "sam delete --stack-name m4a-prod-2 --region eu-central-1 --no-prompts",
    "aws dynamodb delete-table --table-name table-of-m4a-prod-2",
    "aws cognito-idp delete-user-pool --user-pool-id pool-1",
]

Run = Callable[..., list[str]]


def blocks(beginning: str) -> list[str]:
    """The shell blocks from these words on, up to the next heading."""
    part = PAGE[PAGE.index(beginning) :].split("\n## ")[0]
    return [dedent(found) for found in re.findall(r"^ *```sh\n(.*?)^ *```$", part, re.DOTALL | re.MULTILINE)]


POINT = blocks("**2. Point the command")[0]
RESTORE, CATCH_UP = blocks("**Restore**")[:2]
REMOVE = blocks("## Remove everything")[0].replace("use m4a-prod\n", "use m4a-prod-2\n")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs blocks in a shell that points to m4a-dev, and answers the calls that change or read something."""
    programs = tmp_path / "programs"
    sam = tmp_path / ".tools" / "sam" / "bin"
    for folder, names in ((programs, ("aws", "m4a", "make", "python3", "sleep")), (sam, ("sam",))):
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).symlink_to(STUB)

    def run_blocks(*shown: str, failing: str = "", **more: str) -> list[str]:
        (tmp_path / "calls").write_text("")
        (tmp_path / "asked").write_text("")
        variables = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path), "ROOM": str(tmp_path)}
        variables |= {"AWS_REGION": "eu-central-1", "FAILING": failing, "POOL": "pool-1", **more}
        script = "\n".join((POINT, *shown))
        subprocess.run(["bash", "-c", script], cwd=tmp_path, env=variables, timeout=60, stdin=subprocess.DEVNULL)
        return (tmp_path / "calls").read_text().splitlines()

    return run_blocks


def begins_as(calls: list[str], expected: list[str]) -> bool:
    return len(calls) == len(expected) and all(map(str.startswith, calls, expected))


def test_a_restore_reads_and_forgets_in_the_table_that_each_step_is_about(run: Run) -> None:
    calls = run(RESTORE, CATCH_UP)
    assert begins_as(calls, RESTORED + MEANWHILE), calls


def test_what_was_forgotten_meanwhile_is_read_from_the_old_stack_wherever_the_shell_points_to(run: Run) -> None:
    names = RESTORE.splitlines()[0]
    assert begins_as(run(names, 'use "$new"', CATCH_UP), MEANWHILE)


def test_what_was_forgotten_meanwhile_is_not_replayed_where_it_could_not_be_read(run: Run) -> None:
    names = RESTORE.splitlines()[0]
    assert begins_as(run(names, CATCH_UP, failing=f"{MEANWHILE[0]}*"), MEANWHILE[:1])
    calls = run(names, CATCH_UP, failing="aws cloudformation describe-stacks --stack-name m4a-prod *")
    assert [one for one in calls if "describe-stacks" not in one] == []


@pytest.mark.parametrize(("number", "done"), [(1, 0), (2, 1), (3, 2), (4, 3), (5, 7), (6, 8)])
def test_a_restore_can_go_on_at_each_of_its_numbers(run: Run, number: int, done: int) -> None:
    head, rest = RESTORE.splitlines(keepends=True)[:3], RESTORE[RESTORE.index(f"# {number}. ") :]
    assert begins_as(run("".join(head) + rest), RESTORED[done:])


@pytest.mark.parametrize("step", range(len(RESTORED)))
def test_a_step_of_a_restore_that_fails_is_the_last_one(run: Run, step: int) -> None:
    calls = run(RESTORE, failing=f"{RESTORED[step]}*")
    assert begins_as(calls, RESTORED[: step + 1]), calls


@pytest.mark.parametrize("output", ["CommandEnvironment", "OperatorRoleArn"])
def test_a_stack_that_cannot_be_read_stops_what_was_meant_for_it(run: Run, output: str) -> None:
    calls = run(RESTORE, failing=f"aws cloudformation describe-stacks --stack-name m4a-prod-2 *'{output}'*")
    assert begins_as([one for one in calls if "describe-stacks" not in one], RESTORED[:-2]), calls


@pytest.mark.parametrize("output", ["Issuer", "AppClientId", "BackendClientId"])
def test_no_new_stack_is_made_without_the_old_one_s_users(run: Run, output: str) -> None:
    calls = run(RESTORE, failing=f"*'{output}'*")
    assert begins_as([one for one in calls if "describe-stacks" not in one], RESTORED[:7]), calls


def test_a_table_that_was_not_restored_is_not_used(run: Run) -> None:
    assert begins_as(run(RESTORE, TABLE_STATUS="DELETING"), RESTORED[:2])
    assert begins_as(run(RESTORE, failing="aws dynamodb describe-table*")[:-1], RESTORED[:2])


def test_an_operator_s_command_never_runs_with_one_s_own_credentials(run: Run) -> None:
    assert run("operator doctor") == ["m4a doctor | table table-of-m4a-dev, role-of-m4a-dev"]
    calls = run("operator doctor", failing="aws configure export-credentials*")
    assert [one for one in calls if one.startswith("m4a")] == []


def test_a_stack_that_cannot_be_read_leaves_no_table_of_another(run: Run) -> None:
    calls = run("use m4a-typo\nm4a doctor", failing="*m4a-typo*")
    assert calls[-1] == "m4a doctor | table none, own credentials"


def test_what_is_removed_is_of_one_stack_wherever_the_shell_points_to(run: Run) -> None:
    assert run(REMOVE) == REMOVED
    assert run(REMOVE, POOL="") == REMOVED[:-1]


def test_a_stack_that_is_still_protected_stays_whole(run: Run) -> None:
    assert run(REMOVE, PROTECTED="true") == REMOVED[:1]


@pytest.mark.parametrize("step", range(len(REMOVED)))
def test_a_step_of_a_removal_that_fails_is_the_last_one(run: Run, step: int) -> None:
    assert run(REMOVE, failing=f"{REMOVED[step]}*") == REMOVED[: step + 1]
