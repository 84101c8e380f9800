import pytest

from m4a.domain.errors import InvalidInput
from m4a.domain.strict_json import read_object


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"null", "is not an object"),
        (b"[]", "is not an object"),
        (b"7", "is not an object"),
        (b'"text"', "is not an object"),
        (b'{"a": 1', "is not valid JSON"),
        (b"{'a': 1}", "is not valid JSON"),
        (b'{"a": 1} {}', "is not valid JSON"),
        (b'{"a": "\n"}', "is not valid JSON"),
        (b'{"a": NaN}', "holds a number that is not finite"),
        (b'{"a": -Infinity}', "holds a number that is not finite"),
        (b'{"a": 1e999}', "holds a number that is not finite"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "is not valid JSON"),
        (b'{"a": 1, "a": 2}', "has a key that is given twice"),
        (b'{"a": {"b": 1, "b": 2}}', "has a key that is given twice"),
        (b'{"a": "\xff"}', "is not valid UTF-8"),
        (b'{"a": "\xed\xa0\x80"}', "is not valid UTF-8"),
        (b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "is nested too deeply"),
        (b'{"a":' * 150_000 + b"1" + b"}" * 150_000, "is nested too deeply"),
        (b'{"\\ud800": 1}', "holds a lone surrogate"),
    ],
)
def test_a_body_that_is_not_one_clear_object_names_the_body_and_what_is_allowed(body: bytes, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_object(body)
    (row,) = caught.value.problems
    assert (row.field, row.message) == ("body", said)
    assert row.allowed


@pytest.mark.parametrize("value", [r'"\ud83d"', r'["fine", "\uDC00\uD800"]', r'{"deep": ["\udfff"]}'])
def test_a_lone_surrogate_names_its_field(value: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_object(f'{{"limit": 1, "content": {value}}}'.encode())
    assert caught.value.problems[0].field == "content"


def test_a_surrogate_pair_is_one_character() -> None:
    assert read_object(rb'{"content": "\ud83d\ude00"}') == {"content": "\U0001f600"}
