"""The generated files, and the command that keeps them up to date."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from m4a.local.schemas import command, outdated, write

FILES = Path(__file__).parents[2] / "infra" / "schemas"


def test_the_files_of_the_repository_are_up_to_date() -> None:
    assert outdated(FILES) == []


def test_every_file_says_that_it_is_generated() -> None:
    marked = json.loads((FILES / "openapi.json").read_text("utf-8"))["x-generated-by"]
    assert marked in (FILES / "README.md").read_text("utf-8")
    for path in FILES.iterdir():
        assert path.name == "README.md" or f"`{path.name}`" in (FILES / "README.md").read_text("utf-8")


@pytest.mark.parametrize("change", ["edited", "missing", "added"])
def test_the_check_fails_and_names_what_is_out_of_date(tmp_path: Path, change: str) -> None:
    write(tmp_path)
    match change:
        case "edited":
            (tmp_path / "mcp.json").write_text("{}")
        case "missing":
            (tmp_path / "mcp.json").unlink()
        case _:
            (tmp_path / "mcp.json.orig").write_text("{}")

    checked = CliRunner().invoke(command, ["--check", str(tmp_path)])

    assert checked.exit_code == 1
    assert "mcp.json" in checked.stderr and "gateway" not in checked.stderr


def test_writing_makes_the_check_pass(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "schemas"
    assert CliRunner().invoke(command, ["--check", str(folder)]).exit_code == 1
    assert CliRunner().invoke(command, [str(folder)]).exit_code == 0
    assert CliRunner().invoke(command, ["--check", str(folder)]).exit_code == 0
