"""Writes the tools' published schemas into the templates that need them inline.

    python3 -m scripts.inline_schemas [--check]   --check writes nothing and tells which template is out of date

A template marks the place by two comments. What stands between them is made from ``infra/schemas/``. The
agent's alias gets a digest of the whole agent, its schemas and its instruction, into its description.
"""

import hashlib
import json
import re
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import yaml

ROOT = Path(__file__).resolve().parent.parent
INFRA = ROOT / "infra"
_BEGIN = r"(?P<indent> *)# BEGIN generated from infra/schemas/(?P<schema>[\w-]+\.json) by [^\n]*\n"
_PLACE = re.compile(_BEGIN + r".*?(?P=indent)# END generated", re.DOTALL)
_AGENT = re.compile(r"^  Agent:\n.*?(?=^  \w)", re.DOTALL | re.MULTILINE)
_DIGEST = re.compile(r"(?<=Description: !Sub Agent )[0-9a-f]{12}(?= )")
OWN_NAMES = ("properties", "parameters")
"""Below these, keys are names of our own."""


def pascal(value: Any) -> Any:
    """The value with its keys as CloudFormation spells them: as the service's API does, with a capital."""
    if isinstance(value, list):
        return [pascal(one) for one in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    return {key[0].upper() + key[1:]: _member(key, inner) for key, inner in cast("dict[str, Any]", value).items()}


def _member(key: str, inner: Any) -> Any:
    return {own: pascal(one) for own, one in inner.items()} if key in OWN_NAMES else pascal(inner)


def functions(schema: Any) -> Any:
    return pascal(schema["functions"])


def payload(schema: Any) -> Mapping[str, str]:
    """An OpenAPI document goes in as text."""
    return {"Payload": json.dumps(schema, ensure_ascii=False, indent=1)}


FORMS: Mapping[str, Callable[[Any], Any]] = {
    "bedrock-functions.json": functions,
    "bedrock-openapi.json": payload,
    "gateway.json": pascal,
}


class _Dumper(yaml.SafeDumper):
    """Writes text of several lines as a block."""


def _text(_dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return yaml.ScalarNode("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def filled(template: str) -> str:
    """The template with what belongs between its marks, and the agent's digest if it has an agent."""

    def fill(place: re.Match[str]) -> str:
        first, *_, last = place[0].splitlines()
        schema = json.loads((INFRA / "schemas" / place["schema"]).read_text("utf-8"))
        form = FORMS[place["schema"]](schema)
        body = yaml.dump(form, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
        return "\n".join([first, textwrap.indent(body, place["indent"]).rstrip(), last])

    return _digested(_PLACE.sub(fill, template))


def _digested(template: str) -> str:
    agent = _AGENT.search(template)
    return _DIGEST.sub(hashlib.sha256(agent[0].encode()).hexdigest()[:12], template) if agent else template


def main(arguments: Sequence[str]) -> int:
    """Writes or checks, and returns the exit code."""
    stale = [path for path in sorted(INFRA.glob("*.yaml")) if (text := path.read_text("utf-8")) != filled(text)]
    for path in stale:
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)} is out of date: run `make schemas`", file=sys.stderr)
        else:
            path.write_text(filled(path.read_text("utf-8")), "utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
