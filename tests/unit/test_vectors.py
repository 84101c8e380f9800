from math import hypot, inf, nan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from m4a.adapters import numpy_cosines
from m4a.domain import vectors
from m4a.domain.memory import Embedding
from m4a.ports import Cosines

COMPONENTS = st.floats(-1e3, 1e3).filter(lambda value: value == 0 or abs(value) > 1e-3)
DIRECTIONS = st.lists(COMPONENTS, min_size=4, max_size=4).filter(any)


def embedding(*values: float, model: str = "m") -> Embedding:
    return Embedding(model, vectors.pack(values))


ANSWERS = DIRECTIONS | st.lists(COMPONENTS, min_size=6, max_size=6).filter(any)
OTHERS = (
    st.none()
    | ANSWERS.map(lambda values: embedding(*values))
    | DIRECTIONS.map(lambda values: embedding(*values, model="other"))
)


@pytest.fixture(params=[vectors.cosines, numpy_cosines.cosines], ids=["pure", "numpy"])
def cosines(request: pytest.FixtureRequest) -> Cosines:
    return request.param


@given(DIRECTIONS)
def test_packing_scales_to_unit_length_and_keeps_the_direction(values: list[float]) -> None:
    unpacked = vectors.unpack(vectors.pack(values))
    assert hypot(*unpacked) == pytest.approx(1.0, abs=2e-3)
    assert unpacked == pytest.approx([value / hypot(*values) for value in values], abs=1e-3)


def test_a_component_takes_two_bytes_least_significant_first() -> None:
    assert vectors.pack([2.0, 0.0]) == b"\x00\x3c\x00\x00"


@pytest.mark.parametrize("values", [[], [0.0, 0.0], [nan, 1.0], [inf, 1.0], [1e200, 1e200]])
def test_a_vector_without_a_direction_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError):
        vectors.pack(values)


def test_cosines_tell_same_opposite_and_unrelated_directions(cosines: Cosines) -> None:
    others = [embedding(3, 0), embedding(-1, 0), embedding(0, 5), embedding(1, 1)]
    assert cosines(embedding(1, 0), others) == pytest.approx([1.0, -1.0, 0.0, sqrt(0.5)], abs=1e-3)


def test_vectors_of_another_model_or_size_and_missing_ones_have_no_cosine(cosines: Cosines) -> None:
    others = [None, embedding(1, 0, model="other"), embedding(1, 0, 0), embedding(1, 0)]
    assert cosines(embedding(1, 0), others) == [None, None, None, 1.0]


def test_nothing_comparable_gives_no_cosines(cosines: Cosines) -> None:
    assert cosines(embedding(1, 0), []) == []
    assert cosines(embedding(1, 0), [None]) == [None]


def test_rounding_never_takes_a_cosine_out_of_its_range(cosines: Cosines) -> None:
    one = embedding(*[1.0] * 5)
    assert sum(value * value for value in vectors.unpack(one.data)) > 1
    assert cosines(one, [one]) == [1.0]


@given(DIRECTIONS, st.lists(OTHERS, max_size=8))
def test_numpy_gives_the_cosines_of_the_domain(query: list[float], others: list[Embedding | None]) -> None:
    asked = embedding(*query)
    expected = vectors.cosines(asked, others)
    found = numpy_cosines.cosines(asked, others)
    assert [one is None for one in found] == [one is None for one in expected]
    assert [one for one in found if one is not None] == pytest.approx(
        [one for one in expected if one is not None], abs=1e-12
    )


def test_only_vectors_of_one_model_and_size_can_be_compared() -> None:
    assert vectors.comparable(embedding(1, 0), embedding(0, 1))
    assert not vectors.comparable(embedding(1, 0), embedding(0, 1, model="other"))
    assert not vectors.comparable(embedding(1, 0), embedding(0, 1, 0))
    assert not vectors.comparable(embedding(1, 0), None)
