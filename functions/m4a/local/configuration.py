"""Writes ``docs/configuration.md`` from the settings model, so that no variable is described twice.

python -m m4a.local.configuration           writes it
python -m m4a.local.configuration --check   fails if it is not what would be written
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from m4a.settings import NEEDED_ON_AWS, PREFIX, Settings

TARGET = Path(__file__).parents[3] / "docs" / "configuration.md"
_HEAD = f"""\
# Configuration

<!-- Written by `make docs` from functions/m4a/settings.py: change it there. -->

M4A reads environment variables that begin with `{PREFIX}`, once, when a process starts. An empty variable counts as not
set. A value that is wrong, a variable that is missing and one that does not exist stop the process with a sentence that
names it.
"""
_SECTIONS: Mapping[str, str] = {
    "": "In every profile",
    "embedded": "In the profile `embedded`",
    "aws": "In the profile `aws`",
}
_FOOT = """
With `aws` the credentials are those that botocore finds: the role of the function on Lambda, `AWS_PROFILE` or
`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` elsewhere. `make stack` sets all of these variables for itself, and
writes those that lead to it to `events/local-env.json`, for functions in containers (see `events/README.md`).
"""


def main(arguments: Sequence[str]) -> int:
    """Runs one of the commands above and returns the exit code."""
    text = configuration()
    if "--check" not in arguments:
        TARGET.write_text(text, "utf-8")
    elif not TARGET.exists() or TARGET.read_text("utf-8") != text:
        print(f"{TARGET.name} is not what the settings say: run make docs.", file=sys.stderr)
        return 1
    return 0


def configuration() -> str:
    """The page, in Markdown."""
    fields: Mapping[str, Mapping[str, Any]] = Settings.model_json_schema()["properties"]
    parts = [_HEAD]
    for profile, title in _SECTIONS.items():
        rows = [_row(name, field, text) for name, field in fields.items() for text in _about(profile, field)]
        table = ["| variable | values | default | meaning |", "| --- | --- | --- | --- |", *rows]
        parts.append("\n".join([f"\n## {title}\n", *table, ""]))
    return "".join([*parts, _FOOT])


def _about(profile: str, field: Mapping[str, Any]) -> Iterator[str]:
    """The description without its profile, if it belongs to this one."""
    description: str = field["description"]
    before, colon, after = description.partition(": ")
    if colon and before in _SECTIONS:
        if before == profile:
            yield after[0].upper() + after[1:]
    elif not profile:
        yield description


def _row(name: str, field: Mapping[str, Any], meaning: str) -> str:
    default = field["default"]
    shown = "**required**" if name in NEEDED_ON_AWS else "" if default is None else f"`{_text(default)}`"
    return f"| `{PREFIX}{name.upper()}` | {_values(field)} | {shown} | {meaning} |"


def _values(field: Mapping[str, Any]) -> str:
    """What a value may be, in words."""
    kind = next((one for one in field.get("anyOf", ()) if one["type"] != "null"), field)
    match kind:
        case {"enum": choices}:
            return ", ".join(f"`{one}`" for one in choices)
        case {"type": "boolean"}:
            return "`true`, `false`"
        case {"type": "integer", "minimum": least, "maximum": most}:
            return f"{least} to {most}"
        case {"format": "path"}:
            return "a path"
        case {"pattern": pattern}:
            return f"text like `{pattern}`"
        case _:
            return "text"


def _text(default: object) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
