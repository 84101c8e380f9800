"""The API's routes, read from the SAM template, so that the local server has those and no others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from m4a.local.template import template_resources

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
    return tuple(_routes(template_resources(template)))


def _routes(resources: Mapping[str, Mapping[str, Any]]) -> Iterator[TemplateRoute]:
    for name, resource in resources.items():
        properties: dict[str, Any] = resource.get("Properties", {})
        events: dict[str, dict[str, Any]] = properties.get("Events", {})
        for event in events.values():
            if event["Type"] == "HttpApi":
                yield _route(name, properties["Handler"], event["Properties"])


def _route(function: str, handler: str, event: dict[str, Any]) -> TemplateRoute:
    auth: dict[str, str] = event.get("Auth", {})
    return TemplateRoute(event["Method"].upper(), event["Path"], auth.get("Authorizer") == "NONE", function, handler)
