"""What must hold of the API. Each proof answers what is wrong, as sentences; nothing, if all is well."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from m4a.local.routes import DEFAULT_PATH
from tests.templates.reading import Template

PREFLIGHT = "OPTIONS /{proxy+}"
PUBLIC = re.compile(
    r"GET (/health|/console(/.*)?|/\.well-known/oauth-protected-resource(/.*)?)"
    rf"|{re.escape(PREFLIGHT)}"  # a browser sends no token with it, and it is answered with nothing
)
ANY_METHOD = "x-amazon-apigateway-any-method"
LOGGABLE = {
    "requestId",
    "requestTime",
    "routeKey",
    "status",
    "responseLatency",
    "integrationLatency",
    "responseLength",
    "identity.sourceIp",
    "authorizer.error",
    "integrationErrorMessage",
}
"""Of what API Gateway can log, what can't hold a word of a caller: paths and query strings can."""


def api_body(template: Template) -> dict[str, Any]:
    (api,) = [one for one in template["Resources"].values() if one["Type"] == "AWS::ApiGatewayV2::Api"]
    return api["Properties"]["Body"]


def operations(template: Template) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every route by its key, with what the API's description says of it."""
    for path, methods in api_body(template)["paths"].items():
        for method, operation in methods.items():
            default = path.strip("/") == DEFAULT_PATH
            name = "ANY" if method == ANY_METHOD else method.upper()
            yield (DEFAULT_PATH if default else f"{name} {path}"), operation


def routes_without_authorizer(template: Template) -> list[str]:
    return [
        key
        for key, operation in operations(template)
        if operation.get("security") != [{"Jwt": []}] and not PUBLIC.fullmatch(key)
    ]


def refused_preflights(template: Template) -> list[str]:
    """Pages of other sites can't call if an authorizer asks what a browser asks first for a token."""
    found = dict(operations(template)).get(PREFLIGHT)
    return [] if found is not None and found.get("security") in (None, [{"NONE": []}]) else [PREFLIGHT]


def loose_authorizers(template: Template) -> list[str]:
    """An authorizer must check who issued a token, and for whom."""
    found: list[str] = []
    for name, scheme in api_body(template)["components"]["securitySchemes"].items():
        authorizer = scheme["x-amazon-apigateway-authorizer"]
        checked: Mapping[str, Any] = authorizer.get("jwtConfiguration", {})
        if authorizer["type"] != "jwt" or not checked.get("issuer") or not checked.get("audience"):
            found.append(name)
    return found


def open_origins(template: Template) -> list[str]:
    """For a template that is settled: which pages of other sites may call."""
    return api_body(template).get("x-amazon-apigateway-cors", {}).get("allowOrigins", [])


def cors_lists(template: Template) -> tuple[set[str], set[str]]:
    """For a template that is settled and open to an origin: the headers that its pages may send, and may read."""
    cors = api_body(template)["x-amazon-apigateway-cors"]
    return set(cors["allowHeaders"]), set(cors["exposeHeaders"])


def stages_that_say_too_much(template: Template) -> list[str]:
    """Stages without access logs, or whose logs hold what may be a caller's words."""
    found: list[str] = []
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::ApiGatewayV2::Stage":
            logged = re.findall(
                r"\$context\.([\w.]+)", resource["Properties"].get("AccessLogSettings", {}).get("Format", "")
            )
            found += [f"{name}: {field}" for field in logged if field not in LOGGABLE] or ([] if logged else [name])
    return found


def unthrottled_stages(template: Template) -> list[str]:
    return [
        name
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::ApiGatewayV2::Stage"
        and not {"ThrottlingRateLimit", "ThrottlingBurstLimit"} <= resource["Properties"]["DefaultRouteSettings"].keys()
    ]
