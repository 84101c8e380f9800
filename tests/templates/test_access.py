"""The API: who is let in, from where, and what is logged. Each proof is shown to fail on a bad template."""

from mcp.shared.inbound import MCP_METHOD_HEADER, MCP_NAME_HEADER, MCP_PROTOCOL_VERSION_HEADER

from m4a.entrypoints.api_gateway import PREFLIGHT, ROUTES
from m4a.entrypoints.mcp.http import AFTER_MCP
from m4a.local.routes import DEFAULT_PATH, template_routes
from tests.templates.access import (
    api_body,
    cors_lists,
    loose_authorizers,
    open_origins,
    operations,
    refused_preflights,
    routes_without_authorizer,
    stages_that_say_too_much,
    unthrottled_stages,
)
from tests.templates.headers import headers_read, headers_written
from tests.templates.reading import Template, main_template
from tests.templates.settling import settled

STAGE = "HttpApiApiGatewayDefaultStage"
SET_BY_BROWSER_AND_API = {"host", "x-forwarded-proto"}
"""No page can set them."""
SHOWN_IN_ANY_CASE = {"cache-control", "content-type"}
"""Of what is written; a browser shows these to every page: https://fetch.spec.whatwg.org, CORS-safelisted."""


def test_every_route_but_the_public_ones_needs_a_token(template: Template) -> None:
    assert routes_without_authorizer(template) == []


def test_a_route_that_anyone_may_call_is_found(template: Template) -> None:
    paths = api_body(template)["paths"]
    paths["/tools/recall"]["post"]["security"] = [{"NONE": []}]
    del paths["/export"]["get"]["security"]
    assert sorted(routes_without_authorizer(template)) == ["GET /export", "POST /tools/recall"]


def test_a_browser_s_preflight_needs_no_token_for_it_has_none(template: Template) -> None:
    assert refused_preflights(template) == []
    api_body(template)["paths"]["/{proxy+}"]["options"]["security"] = [{"Jwt": []}]
    assert refused_preflights(template) == [PREFLIGHT]
    del api_body(template)["paths"]["/{proxy+}"]
    assert refused_preflights(template) == [PREFLIGHT]


def test_the_routes_of_template_local_server_and_code_are_the_same(template: Template) -> None:
    in_template = {key for key, _ in operations(template)}
    assert in_template == {route.key for route in template_routes()}
    assert in_template == {route.key for route in ROUTES} | {DEFAULT_PATH, PREFLIGHT, AFTER_MCP}


def test_the_authorizer_checks_issuer_and_audience(template: Template) -> None:
    assert loose_authorizers(template) == []


def test_an_authorizer_that_takes_any_audience_is_found(template: Template) -> None:
    scheme = api_body(template)["components"]["securitySchemes"]["Jwt"]
    del scheme["x-amazon-apigateway-authorizer"]["jwtConfiguration"]["audience"]
    assert loose_authorizers(template) == ["Jwt"]


def test_no_page_of_another_site_may_call_unless_it_is_named() -> None:
    template = main_template()
    assert open_origins(settled(template)) == []
    assert open_origins(settled(template, CorsOrigins="https://app.example.com")) != []


def test_a_page_may_send_every_header_that_is_read_and_read_every_one_that_is_written(template: Template) -> None:
    sent, shown = cors_lists(settled(template, CorsOrigins="https://app.example.com"))
    by_the_sdk = {MCP_PROTOCOL_VERSION_HEADER, MCP_METHOD_HEADER, MCP_NAME_HEADER}
    assert sent == (headers_read() | by_the_sdk | {"authorization"}) - SET_BY_BROWSER_AND_API
    assert shown == headers_written() - SHOWN_IN_ANY_CASE - {"x-content-type-options", "accept"}
    assert "m4a-next" in shown


def test_access_logs_hold_neither_paths_nor_query_strings(template: Template) -> None:
    assert stages_that_say_too_much(template) == []


def test_access_logs_that_say_too_much_and_none_at_all_are_found(template: Template) -> None:
    logs = template["Resources"][STAGE]["Properties"]["AccessLogSettings"]
    logs["Format"] = logs["Format"].replace("$context.routeKey", "$context.path")
    assert stages_that_say_too_much(template) == [f"{STAGE}: path"]
    del template["Resources"][STAGE]["Properties"]["AccessLogSettings"]
    assert stages_that_say_too_much(template) == [STAGE]


def test_every_stage_is_throttled(template: Template) -> None:
    assert unthrottled_stages(template) == []
    del template["Resources"][STAGE]["Properties"]["DefaultRouteSettings"]["ThrottlingRateLimit"]
    assert unthrottled_stages(template) == [STAGE]
