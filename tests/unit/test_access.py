import json
from pathlib import Path

import pytest

from m4a.domain.errors import Unauthenticated
from m4a.local.access import CannotStart, Tokens

SECRET = "s3cret-token"


def load(tmp_path: Path, text: str, tenant_claim: str | None = None) -> Tokens:
    path = tmp_path / "tokens.json"
    path.write_text(text, "utf-8")
    return Tokens.load(path, tenant_claim)


def test_a_token_stands_for_the_claims_of_its_user(tmp_path: Path) -> None:
    tokens = load(tmp_path, json.dumps({SECRET: "ana", "other": {"user": "svc", "scope": "memory:delegate"}}))
    assert tokens.claims(f"Bearer {SECRET}") == {"sub": "ana"}
    assert tokens.claims("bearer other") == {"sub": "svc", "scope": "memory:delegate"}


def test_the_tenant_goes_under_the_configured_claim(tmp_path: Path) -> None:
    tokens = load(tmp_path, json.dumps({SECRET: {"user": "ana", "tenant": "acme"}}), tenant_claim="org")
    assert tokens.claims(f"Bearer {SECRET}") == {"sub": "ana", "org": "acme"}


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        SECRET,
        "Bearer",
        "Bearer ",
        "Basic " + SECRET,
        "Bearer " + SECRET + "x",
        "Bearer " + SECRET[:-1],
        "Bearer é",
    ],
)
def test_anything_but_a_known_bearer_token_is_refused(authorization: str | None) -> None:
    with pytest.raises(Unauthenticated):
        Tokens.of({SECRET: "ana"}).claims(authorization)


@pytest.mark.parametrize(
    ("text", "tenant_claim"),
    [
        ("{", None),
        ("[]", None),
        ("{}", None),
        ('{"s3cret-token": 7}', None),
        ('{"s3cret-token": null}', None),
        ('{"s3cret-token": ""}', None),
        ('{"s3cret-token": {}}', None),
        ('{"s3cret-token": {"user": "ana", "role": "admin"}}', None),
        ('{"s3cret-token": {"user": "ana", "tenant": "acme"}}', None),
        ('{"s3cret-token": {"user": "ana", "tenant": "a b"}}', "org"),
        ('{"s3cret-token": "ana"}', "org"),
        ('{"": "ana"}', None),
        ('{"s3cret token": "ana"}', None),
    ],
)
def test_a_tokens_file_that_is_not_clear_stops_the_start_and_shows_no_token(
    tmp_path: Path, text: str, tenant_claim: str | None
) -> None:
    with pytest.raises(CannotStart) as caught:
        load(tmp_path, text, tenant_claim)
    assert "s3cret" not in str(caught.value)


def test_a_missing_tokens_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"none\.json"):
        Tokens.load(tmp_path / "none.json", None)
