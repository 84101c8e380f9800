"""Values that a case does not write out."""

from typing import Any

import pytest

from tests.cases.values import CannotBuild, build

IDS = {"m1": "01HZZZZZZZZZZZZZZZZZZZZZZZ"}


@pytest.mark.parametrize(
    ("written", "built"),
    [
        ({"$ref": "m1"}, IDS["m1"]),
        ({"$prefix": ["m1", 4, "..."]}, "01HZ..."),
        ({"$repeat": ["ab", 3]}, "ababab"),
        ({"$repeat": [["x"], 2]}, ["x", "x"]),
        ({"$concat": ["a", {"$repeat": ["b", 2]}, {"$ref": "m1"}]}, f"abb{IDS['m1']}"),
        ({"$join": [", ", ["a", "b"]]}, "a, b"),
        ({"$join": [", ", "a", "b"]}, "a, b"),
        ({"$fmt": "box {i:03d}"}, "box 007"),
        ({"a": [{"$fmt": "{i}"}, 1, None], "b": {"c": {"$ref": "m1"}}}, {"a": ["7", 1, None], "b": {"c": IDS["m1"]}}),
        ({"$ref": "m1", "other": 1}, {"$ref": "m1", "other": 1}),
        ("{i} $ref", "{i} $ref"),
        (True, True),
    ],
)
def test_forms_are_replaced_at_any_depth_and_nothing_else_is(written: Any, built: Any) -> None:
    assert build(written, IDS, 7) == built


@pytest.mark.parametrize(
    "written",
    [
        {"$ref": "m2"},
        {"$prefix": ["m2", 4, "..."]},
        {"$shout": "a"},
        {"$repeat": "ab"},
        {"$repeat": ["ab", "three"]},
        {"$concat": ["a", 1]},
        {"$fmt": "{j}"},
        {"$fmt": 7},
    ],
)
def test_what_can_not_be_built_is_an_error(written: Any) -> None:
    with pytest.raises(CannotBuild):
        build([written], IDS)
