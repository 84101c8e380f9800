"""The templates as plain values: the main one after the SAM transform, the nested ones as they stand."""

import copy
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import yaml

Template = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
INFRA = ROOT / "infra"
NESTED = ("agent", "auth", "gateway", "observability", "search-domain", "search-serverless")
RELEASE = "0" * 64


def main_template(release: str = RELEASE) -> Template:
    """A copy of one's own, to be changed at will."""
    return copy.deepcopy(_synthesised(release))


def nested_template(name: str) -> Template:
    """One of ``infra/``, with the long forms of CloudFormation's functions."""
    return yaml.load((INFRA / f"{name}.yaml").read_text("utf-8"), Loader=Reader)


@cache
def _synthesised(release: str) -> Template:
    command = [sys.executable, "-m", "scripts.template_tools", "synthesise", "template.yaml", f"Release={release}"]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


class Reader(yaml.SafeLoader):
    """Reads ``!Sub x`` as ``{"Fn::Sub": x}``, and so on."""


def _long_form(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
        value = value.split(".", 1) if suffix == "GetAtt" else value
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)
        value = loader.construct_mapping(node, deep=True)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


Reader.add_multi_constructor("!", _long_form)  # pyright: ignore[reportUnknownMemberType]
