import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from m4a.domain.memory import Filters, IdempotencyKey, Memory, Version, guard_digest, is_blank, normalise_tags
from m4a.domain.text import analyse
from m4a.domain.times import EventTime, TimeRange

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)
ANY_TEXT = st.text(st.characters(), max_size=60)


def make_memory(
    content: str = "The bakery opens at six.",
    *,
    tags: tuple[str, ...] = (),
    event_time: str | None = None,
    expires_at: datetime | None = None,
) -> Memory:
    return Memory(
        memory_id="01KR3ZTMG0M4AM4AM4AM4AM4AM",
        content=content,
        type="fact",
        importance="medium",
        tags=tags,
        source="opening hours",
        created_at=NOW,
        updated_at=NOW,
        event_time=EventTime.parse(event_time) if event_time else None,
        expires_at=expires_at,
        version=3,
        rev=5,
        terms=analyse(content),
        embedding=None,
    )


def test_a_memory_lives_until_the_moment_it_expires() -> None:
    assert make_memory().lives_at(NOW + timedelta(days=9999))
    expiring = make_memory(expires_at=NOW)
    assert expiring.lives_at(NOW - timedelta(milliseconds=1))
    assert not expiring.lives_at(NOW)


def test_an_earlier_version_keeps_what_a_user_can_change() -> None:
    memory = make_memory(tags=("bread",), event_time="2026-05-01", expires_at=NOW)
    version = Version.of(memory, replaced_at=NOW)
    names = [name for name in Version.__dataclass_fields__ if name != "replaced_at"]
    assert [getattr(version, name) for name in names] == [getattr(memory, name) for name in names]
    assert version.replaced_at == NOW


@pytest.mark.parametrize(
    "other",
    [
        "  The bakery\topens \n at six. ",
        "The\u00a0bakery opens at six.",
        unicodedata.normalize("NFD", "The bakery opens at six."),
    ],
)
def test_white_space_and_normal_form_do_not_make_another_text(other: str) -> None:
    assert guard_digest(other, "fact") == make_memory().guard


@pytest.mark.parametrize("other", ["the bakery opens at six.", "The bakery opens at six", "The bakeryopens at six."])
def test_case_signs_and_missing_spaces_make_another_text(other: str) -> None:
    assert guard_digest(other, "fact") != make_memory().guard


def test_composed_and_decomposed_letters_are_the_same_text() -> None:
    assert guard_digest("caf\u00e9", "fact") == guard_digest("cafe\u0301", "fact")


def test_the_same_text_of_another_type_is_another_memory() -> None:
    assert guard_digest("Water the fern", "task") != guard_digest("Water the fern", "fact")


@given(ANY_TEXT)
def test_any_text_has_a_guard(text: str) -> None:
    assert len(guard_digest(text, "fact")) == 32


@pytest.mark.parametrize(
    "text", ["", " \t\r\n", "\u200b\u200d\ufeff", "\0\x1f", "\u3000", "\u2800", "\u3164", "\u00ad \u202e", "\ufe0f"]
)
def test_what_draws_nothing_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["0", ".", "\u200bx", "❤\ufe0f", "\u0301", "字"])
def test_what_draws_something_is_not_blank(text: str) -> None:
    assert not is_blank(text)


def test_tags_are_trimmed_folded_and_unique_in_their_order() -> None:
    assert normalise_tags([" Travel ", "food", "TRAVEL", "", "\u200b", "Stra\u00dfe", "strasse"]) == (
        "travel",
        "food",
        "strasse",
    )


@given(st.lists(ANY_TEXT, max_size=5))
def test_normalising_tags_twice_changes_nothing(tags: list[str]) -> None:
    once = normalise_tags(tags)
    assert normalise_tags(once) == once


@pytest.mark.parametrize(
    ("filters", "matches"),
    [
        (Filters(), True),
        (Filters(type="fact", importance="medium"), True),
        (Filters(type="event"), False),
        (Filters(importance="high"), False),
        (Filters(tags=("bread",)), True),
        (Filters(tags=("town", "bread")), True),
        (Filters(tags=("bread", "milk")), False),
        (Filters(time_range=TimeRange.parse("2026-05-08", "2026-05-08")), True),
        (Filters(time_range=TimeRange.parse("2026-05-09", None)), False),
        (Filters(type="fact", tags=("milk",)), False),
    ],
)
def test_a_memory_matches_only_if_every_condition_holds(filters: Filters, matches: bool) -> None:
    assert filters.match(make_memory(tags=("bread", "town"))) is matches


def test_a_time_range_looks_at_the_event_rather_than_the_creation() -> None:
    memory = make_memory(event_time="2020-02-29")
    assert Filters(time_range=TimeRange.parse("2020-02-29T23:00:00Z", "2020-03-05")).match(memory)
    assert not Filters(time_range=TimeRange.parse("2026-05-08", "2026-05-08")).match(memory)


def test_an_idempotency_key_keeps_neither_the_key_nor_a_plain_digest_of_the_body() -> None:
    one = IdempotencyKey.of("retry-1", "body")
    assert one == IdempotencyKey.of("retry-1", "body")
    assert one.fingerprint != IdempotencyKey.of("retry-1", "other body").fingerprint
    other = IdempotencyKey.of("retry-2", "body")
    assert (one.digest, one.fingerprint) != (other.digest, other.fingerprint)
    assert one.fingerprint != other.fingerprint


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_can_be_a_key(key: str, body: str) -> None:
    assert len(IdempotencyKey.of(key, body).digest) == 32
