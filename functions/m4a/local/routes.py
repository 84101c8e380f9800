"""The API's routes, read from the SAM template, so that the local server has those and no others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

DEFAULT_PATH = "$default"


@dataclass(frozen=True, slots=True)
class TemplateRoute:
    """One HttpApi event of a function. ``public``: the event takes no authorizer."""

    method: str
    path: str
    public: bool
    function: str
    handler: str

    @property
    def key(self) -> str:
        """The route key, as the API writes it."""
        return DEFAULT_PATH if self.path == DEFAULT_PATH else f"{self.method} {self.path}"


def template_routes(template: str | None = None) -> tuple[TemplateRoute, ...]:
    """Every route of the template (text; by default the one that belongs to this code), in its order."""
    document = yaml.load(template if template is not None else _template(), Loader=_Loader)  # noqa: S506 a SafeLoader
    return tuple(_routes(document["Resources"]))


def _routes(resources: Mapping[str, dict[str, Any]]) -> Iterator[TemplateRoute]:
    for name, resource in resources.items():
        properties: dict[str, Any] = resource.get("Properties", {})
        events: dict[str, dict[str, Any]] = properties.get("Events", {})
        for event in events.values():
            if event["Type"] == "HttpApi":
                yield _route(name, properties["Handler"], event["Properties"])


def _route(function: str, handler: str, event: dict[str, Any]) -> TemplateRoute:
    auth: dict[str, str] = event.get("Auth", {})
    return TemplateRoute(event["Method"].upper(), event["Path"], auth.get("Authorizer") == "NONE", function, handler)


def _template() -> str:
    packaged = files("m4a.local") / "template.yaml"
    if packaged.is_file():
        return packaged.read_text("utf-8")
    return (Path(__file__).parents[3] / "template.yaml").read_text("utf-8")


class _Loader(yaml.SafeLoader):
    """Reads CloudFormation's short tags (``!Ref`` and its kin) as None: no route depends on one."""


def _ignore(_loader: yaml.SafeLoader, _suffix: str, _node: yaml.Node) -> None:
    return None


_Loader.add_multi_constructor("!", _ignore)  # pyright: ignore[reportUnknownMemberType]
