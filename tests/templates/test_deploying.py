"""make deploy: what SAM is called with, and that the functions get a new version by it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.deploy import release
from tests.templates.reading import ROOT, Template, main_template

OTHER = "1" * 64


def versions(template: Template) -> set[str]:
    """Logical ids of the published versions: CloudFormation publishes one when its id is new."""
    return {name for name, one in template["Resources"].items() if one["Type"] == "AWS::Lambda::Version"}


def versions_that_stay(one: Template, other: Template) -> list[str]:
    return sorted(versions(one) & versions(other))


def test_another_release_is_a_new_version_of_every_function() -> None:
    one, other = main_template(), main_template(OTHER)
    assert versions_that_stay(one, other) == []
    stuck = next(name for name in versions(one) if name.startswith("Recall"))
    other["Resources"][stuck] = one["Resources"][stuck]
    assert versions_that_stay(one, other) == [stuck]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "Recall").mkdir()
    (tmp_path / "template.yaml").write_text("Resources: {}\n")
    (tmp_path / "Recall" / "handler.py").write_text("one = 1\n")
    return tmp_path


def test_a_release_is_another_one_for_other_code_another_template_and_any_other_parameter(built: Path) -> None:
    seen = [release(built, {"A": "b"}), release(built, {"A": "c"}), release(built, {"A": "b", "C": ""})]
    (built / "Recall" / "handler.py").write_text("one = 2\n")
    seen.append(release(built, {"A": "b"}))
    (built / "template.yaml").write_text("Resources: {X: {}}\n")
    seen.append(release(built, {"A": "b"}))
    assert len(set(seen)) == len(seen)
    assert all(re.fullmatch("[0-9a-f]{64}", one) for one in seen)
    assert release(built, {"C": "d", "A": "b"}) == release(built, {"A": "b", "C": "d"})


def test_a_release_is_the_same_for_the_same_build_elsewhere_and_later(
    built: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (built / "Recall" / "a.py").write_text("two = 2\n")
    copy = tmp_path_factory.mktemp("elsewhere")
    for path in sorted((one for one in built.rglob("*") if one.is_file()), reverse=True):
        target = copy / path.relative_to(built)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(path.read_bytes())
        os.utime(target, (1, 1))
    assert release(copy, {"A": "b"}) == release(built, {"A": "b"})


def printed(built: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "scripts.deploy", *arguments, "--built", str(built), "--print"]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def test_deploying_passes_the_environment_s_parameters_and_those_given_which_win(built: Path) -> None:
    line = printed(built, "dev", "LogRetentionDays=30", "FormerEmbeddingModel=", "--stack", "m4a-2")
    assert line.startswith("sam deploy --config-env dev --stack-name m4a-2 --parameter-overrides ")
    given = dict(re.findall(r"'(\w+)=\"(.*?)\"'", line))
    assert (given["DeletionProtection"], given["LogRetentionDays"], given["FormerEmbeddingModel"]) == (
        "false",
        "30",
        "",
    )
    assert given["Release"] == release(built, {name: value for name, value in given.items() if name != "Release"})


def test_nothing_is_deployed_that_was_not_built(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        printed(tmp_path, "dev")
