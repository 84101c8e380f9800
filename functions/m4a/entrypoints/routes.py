"""Routes: method and path to the code that answers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from m4a.application.service import Service
from m4a.domain.errors import NotFound
from m4a.domain.owner import Caller
from m4a.entrypoints.http import Request, Response
from m4a.entrypoints.outcomes import Refusal
from m4a.tools.export.operations import Operation

Run = Callable[[Service, Caller, Request], Response]


@dataclass(frozen=True, slots=True)
class Route:
    """One route. ``path`` is a template such as ``/memories/{memory_id}``; a ``public`` one gets the caller NOBODY.

    ``operation`` is what the published OpenAPI document says of it.
    """

    method: str
    path: str
    run: Run
    operation: Operation
    public: bool = False

    @property
    def key(self) -> str:
        """The route key, as the API writes it."""
        return f"{self.method} {self.path}"


class Router:
    """Finds the route of a request."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes = {route.key: route for route in routes}

    def find(self, request: Request) -> tuple[Route, Mapping[str, str]]:
        """The route and the values of its path parameters.

        Raises NotFound for an unknown path, and a 405 for a known path with another method.
        """
        if route := self._routes.get(request.route_key):
            return route, request.params
        found = [(route, match_path(route.path, request.path)) for route in self._routes.values()]
        matches = {route.method: (route, params) for route, params in found if params is not None}
        if not matches:
            raise NotFound("There is nothing at this path.")
        if request.method in matches:
            return matches[request.method]
        raise Refusal(405, "method", "is not one that this path takes", ", ".join(sorted(matches)))


def match_path(template: str, path: str) -> dict[str, str] | None:
    """The values of the template's parameters if the path matches, else None. A last ``{name+}`` takes the
    rest, which is empty after a slash at the end."""
    names, values = template.split("/"), path.split("/", template.count("/") if template.endswith("+}") else -1)
    if len(names) != len(values):
        return None
    params: dict[str, str] = {}
    for name, value in zip(names, values, strict=True):
        if name.startswith("{") and (value or name.endswith("+}")):
            params[name[1:-1].removesuffix("+")] = unquote(value)
        elif name != value:
            return None
    return params
