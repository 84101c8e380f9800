"""The least that a recall or a remember can cost here: what any design with this model and this database pays."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.comparing import Run
from m4a.adapters.sqlite.connection import open_file
from m4a.ports import Embedder

TOP = 50
OTHER_COLUMNS = b"\0" * 400
"""As many bytes as the product's row has beside text and vector."""


def recall_floor(embedder: Embedder, vectors: NDArray[np.float32]) -> Run:
    """Embeds the query, multiplies it with all vectors, and takes the best."""

    def run(query: str) -> object:
        vector = np.frombuffer(embedder.embed([query], "query")[0].data, "<f2").astype(np.float32)
        return np.argpartition(vectors @ vector, -TOP)[-TOP:]

    return run


def remember_floor(embedder: Embedder, path: Path) -> Run:
    """Embeds the text and commits one row of the product's size, as durable as there."""
    path.touch()
    connection = open_file(path)
    connection.pragma("journal_mode", "WAL")
    connection.pragma("synchronous", "FULL")
    connection.execute("CREATE TABLE memories (no INTEGER PRIMARY KEY, content TEXT, vector BLOB, other BLOB)")
    insert = "INSERT INTO memories (content, vector, other) VALUES (?, ?, ?)"

    def run(text: str) -> object:
        vector = embedder.embed([text], "document")[0].data
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(insert, (text, vector, OTHER_COLUMNS))
        return connection.execute("COMMIT")

    return run
