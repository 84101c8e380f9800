import pytest

from m4a.domain.errors import M4AError, NotFound
from m4a.entrypoints.http import Request, Response
from m4a.entrypoints.routes import Route, Router, match_path
from m4a.tools.export.operations import Operation


def _unused(*_: object) -> Response:
    return Response()


ABOUT = Operation(id="unused", summary="Unused")
ROUTES = (("GET", "/things"), ("DELETE", "/things"), ("GET", "/things/{id}"))
ROUTER = Router([Route(method, path, _unused, ABOUT) for method, path in ROUTES])


def asked(method: str, path: str, route_key: str = "$default", params: dict[str, str] | None = None) -> Request:
    return Request(method=method, path=path, route_key=route_key, params=params or {}, request_id="r-1")


def test_the_apis_route_key_decides_before_the_path() -> None:
    route, params = ROUTER.find(asked("GET", "/mapped/things/7", "GET /things/{id}", {"id": "7"}))
    assert (route.key, params) == ("GET /things/{id}", {"id": "7"})


def test_without_a_route_of_the_apis_the_path_decides() -> None:
    route, params = ROUTER.find(asked("GET", "/things/a%20b"))
    assert (route.key, params) == ("GET /things/{id}", {"id": "a b"})


@pytest.mark.parametrize("path", ["/", "/thing", "/things/7/parts", "/things//", "/Things", "//things"])
def test_an_unknown_path_is_not_found(path: str) -> None:
    with pytest.raises(NotFound):
        ROUTER.find(asked("GET", path))


@pytest.mark.parametrize("method", ["POST", "PUT", "HEAD", "OPTIONS"])
def test_a_known_path_with_another_method_says_which_methods_there_are(method: str) -> None:
    with pytest.raises(M4AError) as caught:
        ROUTER.find(asked(method, "/things"))
    response = Response.problem(caught.value, "r-1")
    assert (response.status, response.headers["allow"]) == (405, "DELETE, GET")


def test_a_path_parameter_is_never_empty_and_never_spans_segments() -> None:
    assert match_path("/things/{id}", "/things/") is None
    assert match_path("/things/{id}", "/things/a/b") is None
    assert match_path("/things/{id}/parts", "/things/a/parts") == {"id": "a"}


def test_a_parameter_that_takes_the_rest_takes_any_number_of_segments_after_the_slash() -> None:
    assert match_path("/things/{rest+}", "/things/a") == {"rest": "a"}
    assert match_path("/things/{rest+}", "/things/a/b%20c") == {"rest": "a/b c"}
    assert match_path("/things/{rest+}", "/things/") == {"rest": ""}
    assert match_path("/things/{rest+}", "/things") is None
    assert match_path("/things/{rest+}", "/others/a") is None
