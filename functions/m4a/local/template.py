"""The SAM template that belongs to this code, read for what the local profiles take from it."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml


def template_resources(template: str | None = None) -> Mapping[str, Mapping[str, Any]]:
    """The resources of a template (text; by default the one that belongs to this code) by logical id, in its order."""
    document = yaml.load(template if template is not None else _template(), Loader=_Loader)  # noqa: S506 a SafeLoader
    return document["Resources"]


def _template() -> str:
    packaged = files("m4a.local") / "template.yaml"
    if packaged.is_file():
        return packaged.read_text("utf-8")
    return (Path(__file__).parents[3] / "template.yaml").read_text("utf-8")


class _Loader(yaml.SafeLoader):
    """Reads CloudFormation's short tags (``!Ref`` and its kin) as None: nothing that is taken depends on one."""


def _ignore(_loader: yaml.SafeLoader, _suffix: str, _node: yaml.Node) -> None:
    return None


_Loader.add_multi_constructor("!", _ignore)  # pyright: ignore[reportUnknownMemberType]
