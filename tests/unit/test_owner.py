from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from m4a.domain.owner import TENANT_PATTERN, Owner

ANY_TEXT = st.text(st.characters(), max_size=20)
PAIRS = st.tuples(ANY_TEXT, ANY_TEXT)


@given(PAIRS, PAIRS)
@example(("a", "bc"), ("ab", "c"))
@example(("", "ab"), ("ab", ""))
@example(("a\0", "b"), ("a", "\0b"))
@example(("é", "x"), ("e\u0301", "x"))
@example(("A", "x"), ("a", "x"))
@example(("\ud800", ""), ("", "\ud800"))
def test_two_owners_share_a_key_only_if_they_are_the_same(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert (Owner(*one).key == Owner(*other).key) == (one == other)


@given(st.text(st.characters(), min_size=1, max_size=12))
def test_no_two_splits_of_one_text_share_a_key(text: str) -> None:
    owners = [Owner(text[:at], text[at:]) for at in range(len(text) + 1)]
    assert all(one.key != other.key for one, other in combinations(owners, 2))


def test_a_length_prefix_inside_an_id_joins_no_owners() -> None:
    prefix = (1).to_bytes(8, "big").decode()
    assert Owner("a", f"b{prefix}c").key != Owner(f"a{prefix}b", "c").key


def test_the_key_is_stable_and_of_64_hex_digits() -> None:
    assert Owner("default", "ana").key == "79aa197393da37e56421bc7ae080ecbab55daa376939b627e020e5d6a353cf1e"


@pytest.mark.parametrize("tenant", ["", "a b", "[a b]", "a/b", "ä", "a\n", "x" * 129])
def test_tenant_names_of_other_characters_or_lengths_are_not_valid(tenant: str) -> None:
    assert not TENANT_PATTERN.fullmatch(tenant)


@pytest.mark.parametrize("tenant", ["default", "acme.co:eu@1|x-y_z", "x" * 128])
def test_plain_tenant_names_are_valid(tenant: str) -> None:
    assert TENANT_PATTERN.fullmatch(tenant)
