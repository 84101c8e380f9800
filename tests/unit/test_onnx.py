import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import numpy as np
import onnxruntime
import pytest

from m4a.adapters.onnx import VOCABULARY, WEIGHTS, ModelUnusable, OnnxEmbedder, Session
from m4a.adapters.wordpiece import OVERLAP, WINDOW, WordPieceWindows
from m4a.domain.errors import Unavailable
from m4a.domain.vectors import unpack


def altered(source: Path, folder: Path) -> Path:
    copy = folder / source.name
    data = bytearray(source.read_bytes())
    data[-1] ^= 1
    copy.write_bytes(data)
    return copy


def test_weights_that_differ_in_one_bit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable) as refusal:
        OnnxEmbedder.load(weights=altered(WEIGHTS, tmp_path))
    assert "model.onnx" in str(refusal.value)


def test_a_vocabulary_that_differs_in_one_bit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable) as refusal:
        OnnxEmbedder.load(vocabulary=altered(VOCABULARY, tmp_path))
    assert "minilm-vocab.txt" in str(refusal.value)


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable) as refusal:
        OnnxEmbedder.load(weights=tmp_path / "gone.onnx")
    assert "gone.onnx" in str(refusal.value)


def test_a_failure_of_the_runtime_is_unavailable_and_says_nothing_of_the_text() -> None:
    padding = [f"unused{number}" for number in range(40_000)]
    beyond = WordPieceWindows([*padding, "[CLS]", "[SEP]", "[UNK]", "secret"])  # ids that the model has no row for
    embedder = OnnxEmbedder(cast(Session, onnxruntime.InferenceSession(WEIGHTS)), beyond)
    with pytest.raises(Unavailable) as failure:
        embedder.embed(["secret"], "document")
    assert "secret" not in failure.value.message
    assert failure.value.__cause__ is not None


def test_a_window_weighs_as_much_as_it_has_tokens() -> None:
    first = "tea " * (WINDOW - OVERLAP) + "boiler " * OVERLAP
    second = "boiler " * OVERLAP + "october"  # what remains when one word more goes past the first window
    whole, *parts = (
        np.array(unpack(one.data)) for one in OnnxEmbedder.load().embed([f"{first}october", first, second], "document")
    )
    expected = WINDOW * parts[0] + (OVERLAP + 1) * parts[1]
    assert whole == pytest.approx(expected / np.linalg.norm(expected), abs=1e-3)


def test_nothing_of_a_run_is_reported_or_kept_anywhere(tmp_path: Path) -> None:
    program = "from m4a.adapters.onnx import OnnxEmbedder; OnnxEmbedder.load().embed(['tea'], 'query')"
    alone = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-B", "-c", program], env=alone, check=True)
    assert list(tmp_path.rglob("*")) == []  # ONNX Runtime's reports begin with an id of the machine, kept in a file
