import pytest
from hypothesis import given
from hypothesis import strategies as st

from m4a.domain.text import MAX_QUERY_TERMS, RULES, analyse, query_terms
from m4a.domain.times import EventTime
from m4a.domain.words import IRREGULAR, STOP_WORDS

ANY_TEXT = st.text(st.characters(), max_size=200)
JOINED = st.text("aé中ก'\u2019-._/:@#+~\\ 1\u0301\u200d\ufe0f\ud800", max_size=60)


@given(ANY_TEXT | JOINED)
def test_any_text_has_terms_whose_counts_add_up(text: str) -> None:
    terms = analyse(text)
    assert all(term and count > 0 for term, count in terms.counts.items())
    assert 0 <= terms.distinct <= len(terms.counts)
    assert terms.distinct <= terms.length <= sum(terms.counts.values())


@given(ANY_TEXT | JOINED)
def test_a_text_as_a_query_has_the_terms_of_the_text(text: str) -> None:
    asked = query_terms(text)
    assert set(asked) <= set(analyse(text).counts)
    assert len(asked) == min(MAX_QUERY_TERMS, len(analyse(text).counts))


@given(st.text(st.characters(categories=["L", "N", "Zs", "Po"]), max_size=60))
def test_letter_case_makes_no_difference_where_it_has_a_way_back(text: str) -> None:
    if text.casefold() == text.upper().casefold():
        assert query_terms(text) == query_terms(text.upper())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Running", "runs"),
        ("went", "go"),
        ("on the 22nd", "22"),
        ("children", "child"),
        ("STRASSE", "Straße"),
        ("cafe\u0301", "caf\u00e9"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("Mia\u2019s", "mia's"),
        ("ne\u00adver", "never"),
        ("\ufeffstart", "start"),
        ("heart \u2764\ufe0f", "heart \u2764"),
        ("1\ufe0f\u20e3", "1"),
        ("half\u200bway", "half way"),
    ],
)
def test_spellings_of_one_word_are_one_term(one: str, other: str) -> None:
    assert query_terms(one) == query_terms(other) != ()


@pytest.mark.parametrize(("one", "other"), [("caf\u00e9", "cafe"), ("नमक", "नमन"), ("may", "might"), ("no1", "no 1")])
def test_different_words_stay_different(one: str, other: str) -> None:
    assert query_terms(one) != query_terms(other)


@pytest.mark.parametrize(
    "text", ["", " \n", "?!…", "\0", "\ud800", "What is it that you don't have?", "Who\u2019s not?", "_"]
)
def test_a_text_of_stop_words_and_signs_alone_has_no_terms(text: str) -> None:
    assert query_terms(text.replace("Who", "He")) == ()
    assert analyse(text.replace("Who", "He")).length == 0


def test_the_month_of_may_is_no_stop_word() -> None:
    assert "may" in query_terms("in May")


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("PN-88417-QX", "pn-88417-qx", {"pn", "88417", "qx"}),
        ("r2.32", "r2.32", {"r2", "32"}),
        ("lot_no", "lot_no", {"lot"}),
        ("Bob@Example.com", "bob@example.com", {"bob", "exampl", "com"}),
        ("src/app.py", "src/app.py", {"src", "app", "py"}),
    ],
)
def test_an_identifier_is_found_whole_and_in_parts(text: str, whole: str, parts: set[str]) -> None:
    assert set(query_terms(f"Where is {text}?")) == {whole} | parts
    terms = analyse(f"Here: {text}.")
    assert terms.counts[whole] == 1
    assert terms.length == terms.distinct == len(parts)


def test_an_ordinary_compound_is_no_identifier() -> None:
    assert query_terms("well-known") == query_terms("well known")


def test_an_identifier_of_more_than_128_characters_has_its_parts_alone() -> None:
    assert "x1-" * 60 + "x1" not in query_terms("x1-" * 60 + "x1")
    assert query_terms("x1-" * 60 + "x1") == ("x1",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京タワー", ("東京", "京タ", "タワ", "ワー")),
        ("猫", ("猫",)),
        ("한국어", ("한국", "국어")),
        ("iPhone手机", ("iphon", "手机")),
        ("ภาษา", ("ภา", "าษ", "ษา")),
    ],
)
def test_scripts_without_spaces_give_bigrams(text: str, expected: tuple[str, ...]) -> None:
    assert query_terms(text) == expected


def test_a_word_of_a_script_with_combining_marks_is_one_term() -> None:
    assert query_terms("हिन्दी") == ("हिन्दी",)


def test_the_event_date_counts_as_words_but_not_as_distinct_terms() -> None:
    plain = analyse("The roof was mended.")
    dated = analyse("The roof was mended.", EventTime.parse("2023-05-08"))
    assert set(dated.counts) - set(plain.counts) == set(query_terms("8 May 2023"))
    assert (dated.length, dated.distinct) == (plain.length + 3, plain.distinct)


def test_a_query_that_spells_the_date_in_its_own_way_finds_the_date_words() -> None:
    assert set(query_terms("May 8th, 2023")) <= set(analyse("Roof.", EventTime.parse("2023-05-08")).counts)


def test_an_event_at_an_instant_has_the_words_of_its_utc_day() -> None:
    late = EventTime.parse("2023-05-08T23:30:00-02:00")
    assert analyse("Roof.", late) == analyse("Roof.", EventTime.parse("2023-05-09"))


def test_a_repeated_word_counts_each_time_in_a_text_and_once_in_a_query() -> None:
    terms = analyse("Rain, rain and rainy days")
    assert terms.counts["rain"] == 2
    assert terms.length == 4
    assert query_terms("Rain, rain and rain") == ("rain",)


def test_a_long_query_keeps_its_first_terms() -> None:
    words = [f"w{number}" for number in range(100)]
    assert query_terms(" ".join(words)) == tuple(words[:MAX_QUERY_TERMS])


def test_the_rules_name_the_stemmer() -> None:
    assert "snowball" in RULES


def test_irregular_forms_and_stop_words_do_not_get_in_each_others_way() -> None:
    assert not STOP_WORDS & set(IRREGULAR)
    assert not set(IRREGULAR) & set(IRREGULAR.values())
