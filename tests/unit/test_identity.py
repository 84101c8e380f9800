import pytest

from m4a.domain.errors import Forbidden, Unauthenticated
from m4a.domain.owner import Caller
from m4a.entrypoints.identity import caller_of

DELEGATE = {"sub": "backend", "scope": "memory:delegate"}


def identify(claims: dict[str, object], on_behalf_of: str | None = None, tenant_claim: str | None = None) -> Caller:
    return caller_of(claims, on_behalf_of, tenant_claim=tenant_claim, entry_point="https", request_id="r-1")


def test_the_subject_is_the_user_of_the_one_tenant() -> None:
    caller = identify({"sub": "Ana|7"})
    assert (caller.owner.tenant, caller.owner.user, caller.actor) == ("default", "Ana|7", "Ana|7")
    assert (caller.entry_point, caller.request_id) == ("https", "r-1")


@pytest.mark.parametrize("sub", ["*", "a b", " ana", "Ünal", "a" * 256, "../x", "[a b]", "%", "null"])
def test_any_text_that_is_not_blank_is_a_user_of_its_own(sub: str) -> None:
    assert identify({"sub": sub}).owner.user == sub


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"sub": None},
        {"sub": ""},
        {"sub": "   "},
        {"sub": "\u200b"},
        {"sub": 7},
        {"sub": True},
        {"sub": ["ana"]},
        {"sub": "a" * 257},
        {"sub": "ana\n"},
        {"sub": "an\0a"},
        {"sub": "ana\u0085"},
        {"sub": "\ud800"},
        {"username": "ana"},
    ],
)
def test_a_missing_blank_or_malformed_subject_is_nobody(claims: dict[str, object]) -> None:
    with pytest.raises(Unauthenticated):
        identify(claims)


def test_subjects_are_compared_exactly() -> None:
    alike = ["ana", "Ana", "ana ", "\u00e9", "e\u0301"]
    assert len({identify({"sub": sub}).owner.key for sub in alike}) == len(alike)


def test_a_configured_tenant_claim_names_the_tenant() -> None:
    assert identify({"sub": "ana", "org": "acme:eu"}, tenant_claim="org").owner.tenant == "acme:eu"


@pytest.mark.parametrize("tenant", [None, "", " ", "a b", "[a b]", "[a]", "a/b", "a\n", "ä", "a" * 129, 7, ["a"], "*"])
def test_a_configured_tenant_claim_must_hold_one_plain_tenant(tenant: object) -> None:
    with pytest.raises(Unauthenticated):
        identify({"sub": "ana", "org": tenant}, tenant_claim="org")


def test_a_configured_tenant_claim_is_required_even_with_another_name_there() -> None:
    with pytest.raises(Unauthenticated):
        identify({"sub": "ana", "Org": "acme"}, tenant_claim="org")


@pytest.mark.parametrize("name", ["tenant_id", "custom:tenant_id"])
def test_a_tenant_that_nobody_configured_is_refused(name: str) -> None:
    with pytest.raises(Unauthenticated):
        identify({"sub": "ana", name: "acme"})


@pytest.mark.parametrize(
    "scope",
    [
        "memory:delegate",
        "openid memory:delegate",
        "[openid memory:delegate]",
        "m4a/memory:delegate",
        "[openid m4a/memory:delegate]",
        ["openid", "memory:delegate"],
        ["m4a/memory:delegate"],
        ["openid memory:delegate", 7, None],
    ],
)
def test_a_delegate_acts_for_the_named_user_in_its_own_tenant(scope: object) -> None:
    claims: dict[str, object] = {"sub": "backend", "scope": scope, "org": "acme"}
    caller = identify(claims, "ana", tenant_claim="org")
    assert (caller.owner.tenant, caller.owner.user, caller.actor) == ("acme", "ana", "backend")


@pytest.mark.parametrize(
    "scope",
    [
        None,
        "",
        "memory",
        "Memory:Delegate",
        "memory:delegate:x",
        "xmemory:delegate",
        "memory:delegate,openid",
        "other/memory:delegate",
        1,
        [],
        ["openid"],
        ["memory:", "delegate"],
        [["memory:delegate"]],
        {"memory:delegate": True},
    ],
)
def test_the_header_without_exactly_that_scope_is_forbidden(scope: object) -> None:
    with pytest.raises(Forbidden):
        identify({"sub": "backend", "scope": scope}, "ana")


def test_a_blank_header_without_the_scope_is_forbidden_too() -> None:
    with pytest.raises(Forbidden):
        identify({"sub": "backend"}, "")


@pytest.mark.parametrize("user", ["", "  ", "\u200b", "a\tb", "a" * 257])
def test_a_delegate_that_names_nobody_is_unauthenticated(user: str) -> None:
    with pytest.raises(Unauthenticated):
        identify(dict(DELEGATE), user)


def test_a_delegate_without_the_header_is_itself() -> None:
    assert identify(dict(DELEGATE)).owner.user == "backend"


def test_a_delegate_needs_a_subject_of_its_own() -> None:
    with pytest.raises(Unauthenticated):
        identify({"scope": "memory:delegate"}, "ana")
