import importlib

from m4a.entrypoints.api_gateway import PREFLIGHT, ROUTES
from m4a.entrypoints.mcp.http import AFTER_MCP
from m4a.local.routes import DEFAULT_PATH, template_routes


def test_the_template_has_the_routes_of_the_code_and_no_others() -> None:
    in_template = {(route.key, route.public) for route in template_routes() if route.path != DEFAULT_PATH}
    assert in_template == {(route.key, route.public) for route in ROUTES} | {(PREFLIGHT, True), (AFTER_MCP, False)}


def test_no_route_is_declared_twice() -> None:
    for keys in ([route.key for route in template_routes()], [route.key for route in ROUTES]):
        assert len(set(keys)) == len(keys)


def test_what_no_route_matches_reaches_our_code_behind_the_authorizer() -> None:
    (route,) = [route for route in template_routes() if route.path == DEFAULT_PATH]
    assert (route.key, route.function, route.public) == (DEFAULT_PATH, "Memories", False)


def test_only_the_health_check_the_sign_in_metadata_and_preflights_are_public() -> None:
    assert {route.key for route in template_routes() if route.public} == {
        "GET /health",
        "GET /.well-known/oauth-protected-resource",
        "GET /.well-known/oauth-protected-resource/mcp",
        "OPTIONS /{proxy+}",
    }


def test_every_handler_that_the_template_names_exists() -> None:
    for handler in {route.handler for route in template_routes()}:
        module, _, function = handler.rpartition(".")
        assert callable(getattr(importlib.import_module(module), function))


def test_each_tool_has_a_function_of_its_own() -> None:
    tools = {route.path: route.handler for route in template_routes() if route.path.startswith("/tools/")}
    assert tools == {
        f"/tools/{name}": f"{name}.handler.handler" for name in ("remember", "recall", "update_memory", "forget")
    }


def test_routes_are_read_past_the_tags_of_cloudformation() -> None:
    template = """
    Resources:
      Table: {Type: AWS::DynamoDB::Table, Properties: {Name: !Sub "${AWS::StackName}-x", Keys: [!Ref A, !GetAtt B.C]}}
      One:
        Properties:
          Handler: one.handler.handler
          Role: !If [X, !Ref Y, !Ref AWS::NoValue]
          Events:
            Tick: {Type: Schedule, Properties: {Schedule: rate(1 minute)}}
            Call: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: get, Path: /one, Auth: {Authorizer: NONE}}}
    """
    (route,) = template_routes(template)
    assert (route.key, route.public, route.function, route.handler) == ("GET /one", True, "One", "one.handler.handler")
