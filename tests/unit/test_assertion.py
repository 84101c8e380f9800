"""The assertion of an identity between interceptor and target."""

import base64
import json
from datetime import UTC, datetime, timedelta

import jwt
import pytest

from m4a.domain.errors import Unauthenticated
from m4a.entrypoints.assertion import Call, claims_of_token, sign, verify

SECRET = b"a secret that both functions know, of 32 or more bytes"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
CALL = Call("memory___recall", "7")
CLAIMS = {"sub": "maria", "org": "acme"}


def signed(on_behalf_of: str | None = None, secret: bytes = SECRET) -> str:
    return sign(secret, CALL, CLAIMS, on_behalf_of, NOW)


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).rstrip(b"=").decode()


def test_what_was_asserted_comes_back() -> None:
    assert verify(SECRET, CALL, signed(on_behalf_of="Ünal"), NOW) == (CLAIMS, "Ünal")


def test_it_is_a_jwt_that_others_can_verify() -> None:
    fields = jwt.decode(signed(), SECRET, algorithms=["HS256"], options={"verify_exp": False, "verify_iat": False})
    assert (fields["claims"], fields["exp"] - fields["iat"]) == (CLAIMS, 60)


@pytest.mark.parametrize("seconds", [-5, 0, 59.9])
def test_it_is_good_for_a_minute(seconds: float) -> None:
    claims, _ = verify(SECRET, CALL, signed(), NOW + timedelta(seconds=seconds))
    assert claims == CLAIMS


@pytest.mark.parametrize("seconds", [-6, 60, 3_600])
def test_it_is_good_for_no_longer(seconds: float) -> None:
    with pytest.raises(Unauthenticated):
        verify(SECRET, CALL, signed(), NOW + timedelta(seconds=seconds))


@pytest.mark.parametrize("call", [Call("memory___forget", "7"), Call("memory___recall", "8"), Call("recall", "7")])
def test_it_is_good_for_no_other_call(call: Call) -> None:
    with pytest.raises(Unauthenticated):
        verify(SECRET, call, signed(), NOW)


def forged() -> dict[str, str]:
    header, body, signature = signed().split(".")
    fields = json.loads(base64.urlsafe_b64decode(body + "=="))
    other = encoded({**fields, "claims": {"sub": "bob"}})
    none = encoded({"alg": "none", "typ": "JWT"})
    return {
        "another secret": signed(secret=b"another secret of thirty-two bytes"),
        "another body": f"{header}.{other}.{signature}",
        "no signature": f"{header}.{other}.",
        "algorithm none": f"{none}.{body}.",
        "algorithm none, old signature": f"{none}.{body}.{signature}",
        "another header": jwt.encode(fields, SECRET, algorithm="HS256", headers={"kid": "1"}),
        "another algorithm": jwt.encode(fields, SECRET, algorithm="HS384"),
        "empty": "",
        "dots": "..",
        "not ASCII": f"{header}.{body}.{signature}é",
        "half of a pair": f"{header}.{body}.\ud800",
        "text": "made by the interceptor, good for a minute",
    }


@pytest.mark.parametrize("kind", forged())
def test_nothing_else_is_taken_for_it(kind: str) -> None:
    with pytest.raises(Unauthenticated):
        verify(SECRET, CALL, forged()[kind], NOW)


def test_the_claims_of_a_token_are_read() -> None:
    token = jwt.encode({"sub": "maria", "scope": "a b"}, SECRET, algorithm="HS256")
    for header in (f"Bearer {token}", f"bearer  {token} "):
        assert claims_of_token(header) == {"sub": "maria", "scope": "a b"}


@pytest.mark.parametrize(
    "header",
    [
        None,
        7,
        "",
        "Bearer",
        "Bearer x",
        "Bearer a.b",
        "Bearer a.%.c",
        f"Bearer a.{encoded([1])}.c",
        f"Basic a.{encoded({'sub': 'maria'})}.c",
    ],
)
def test_another_authorization_has_no_claims(header: object) -> None:
    with pytest.raises(Unauthenticated):
        claims_of_token(header)
