from pathlib import Path

import pytest

from m4a.local import configuration
from m4a.settings import NEEDED_ON_AWS, Settings


def test_the_page_on_configuration_is_what_the_settings_say() -> None:
    assert configuration.main(["--check"]) == 0


def test_a_page_that_was_changed_by_hand_is_found_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(configuration, "TARGET", tmp_path / "configuration.md")
    assert configuration.main(["--check"]) == 1
    assert configuration.main([]) == 0
    assert configuration.main(["--check"]) == 0
    with configuration.TARGET.open("a") as page:
        page.write("One more sentence.")
    assert configuration.main(["--check"]) == 1
    assert "make docs" in capsys.readouterr().err


def test_every_variable_has_one_row_and_what_a_profile_needs_says_so() -> None:
    rows = [line for line in configuration.configuration().splitlines() if line.startswith("| `M4A_")]
    assert sorted(row.split("`")[1] for row in rows) == sorted(f"M4A_{name.upper()}" for name in Settings.model_fields)
    required = {row.split("`")[1] for row in rows if "**required**" in row}
    assert required == {f"M4A_{name.upper()}" for name in NEEDED_ON_AWS}
