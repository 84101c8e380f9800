"""Whose tokens are taken: what the Gateway is told of them, and what can't be asked for."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from tests.templates.access import api_body
from tests.templates.reading import Template, main_template, nested_template
from tests.templates.settling import resolved, settled

GIVEN: Mapping[str, Any] = {
    "JwtIssuer": "https://issuer.example.com",
    "JwtAudience": "one,two",
    "Gateway": "create",
}
NAMES = {"SignIn.Outputs.Issuer": "https://pool.example.com", "SignIn.Outputs.ClientIds": "app,backend"}
WELL_KNOWN = "/.well-known/openid-configuration"
CLIENT, AUDIENCE = "AllowedClients", "AllowedAudience"


def token_check(template: Template, **given: Any) -> Mapping[str, Any]:
    """How the Gateway checks a token in a stack with these parameters."""
    passed: Mapping[str, Any] = settled(template, **given)["Resources"]["AgentcoreGatewayStack"]["Properties"]
    about = ("Issuer", "Accepted", "AcceptedBy", "DiscoveryUrl")
    parameters = resolved({name: passed["Parameters"][name] for name in about}, NAMES)
    parameters["Accepted"] = parameters["Accepted"].split(",")
    gateway = settled(nested_template("gateway"), **parameters)["Resources"]["Gateway"]["Properties"]
    return resolved(gateway["AuthorizerConfiguration"]["CustomJWTAuthorizer"], parameters)


def gateway_that_refuses_all(template: Template, **given: Any) -> list[str]:
    """Cognito's access tokens have ``client_id`` and no ``aud``: a Gateway that asks for an audience takes none."""
    return [AUDIENCE] if AUDIENCE in token_check(template, **given) else []


def test_the_gateway_checks_the_clients_of_the_own_pool(template: Template) -> None:
    checked = token_check(template, Gateway="create")
    assert checked == {"DiscoveryUrl": f"https://pool.example.com{WELL_KNOWN}", CLIENT: ["app", "backend"]}


def test_the_gateway_checks_the_clients_of_a_pool_from_outside_if_it_is_told(template: Template) -> None:
    told = {**GIVEN, "TokensNameTheirClient": "true"}
    assert gateway_that_refuses_all(template, **told) == []
    assert token_check(template, **told)[CLIENT] == ["one", "two"]
    template["Conditions"]["ByClient"] = {"Condition": "OwnUserPool"}
    assert gateway_that_refuses_all(template, **told) == [AUDIENCE]


def test_the_api_checks_each_audience_of_other_issuers(template: Template) -> None:
    scheme = api_body(settled(template, **GIVEN))["components"]["securitySchemes"]["Jwt"]
    checked = resolved(scheme["x-amazon-apigateway-authorizer"]["jwtConfiguration"], NAMES)
    assert checked == {"issuer": GIVEN["JwtIssuer"], "audience": ["one", "two"]}


@pytest.mark.parametrize(
    ("given", "taken"),
    [("", True), ("one", True), ("one,two", True), ("one,", False), (",", False), ("one, two", False)],
)
def test_an_audience_is_never_empty(template: Template, given: str, taken: bool) -> None:
    parameter = template["Parameters"]["JwtAudience"]
    assert (re.fullmatch(parameter["AllowedPattern"], given) is not None) == taken
    assert parameter["Type"] == "String"  # an empty CommaDelimitedList may be a list of one empty text, or of none


def test_the_gateway_checks_the_audience_of_other_issuers(template: Template) -> None:
    assert token_check(template, **GIVEN) == {
        "DiscoveryUrl": GIVEN["JwtIssuer"] + WELL_KNOWN,
        AUDIENCE: ["one", "two"],
    }


def test_the_gateway_reads_about_an_issuer_where_it_is_told(template: Template) -> None:
    url = f"https://issuer.example.com{WELL_KNOWN}"
    checked = token_check(template, **{**GIVEN, "JwtIssuer": "https://issuer.example.com/", "DiscoveryUrl": url})
    assert checked["DiscoveryUrl"] == url


def refused(template: Template, **given: Any) -> list[str]:
    """The rules that stop a deployment with these parameters."""
    values = {name: one.get("Default") for name, one in template["Parameters"].items()} | given
    return [
        name
        for name, rule in template["Rules"].items()
        if _holds(rule["RuleCondition"], values)
        and not all(_holds(one["Assert"], values) for one in rule["Assertions"])
    ]


def _holds(rule: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    match rule:
        case {"Fn::Not": [inner]}:
            return not _holds(inner, values)
        case {"Fn::Equals": [{"Ref": name}, wanted]}:
            return values[name] == wanted
        case _:
            raise ValueError(f"no such rule: {rule}")


@pytest.mark.parametrize(
    ("given", "by"),
    [
        ({}, []),
        ({"JwtIssuer": "https://issuer.example.com"}, ["AnIssuerNeedsAudiences"]),
        ({"JwtIssuer": "https://issuer.example.com", "JwtAudience": "one"}, []),
        ({"TenantClaim": "org"}, ["TenantsNeedAnIssuer"]),
        ({"TenantClaim": "org", "JwtIssuer": "https://issuer.example.com", "JwtAudience": "one"}, []),
    ],
)
def test_what_no_call_could_get_through_is_refused(given: dict[str, str], by: list[str]) -> None:
    assert refused(main_template(), **given) == by
