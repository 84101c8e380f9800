"""What the benchmarks share: progress, quantiles, tables for people, results for programs."""

import json
import os
import platform
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

RESULTS = Path(__file__).with_name("results")
console = Console()


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and quartiles of a sample."""

    median: float
    lower: float
    upper: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        lower, median, upper = statistics.quantiles(values, n=4, method="inclusive")
        return cls(median, lower, upper)

    def __str__(self) -> str:
        return f"{self.median:.2f} [dim]({self.lower:.2f}–{self.upper:.2f})[/dim]"


def progress() -> Progress:
    """A bar for each task, on the console where there is one."""
    columns = (TextColumn("{task.description:<42}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console)


def write_results(name: str, figures: Mapping[str, Any]) -> Path:
    """Writes ``results/<name>.json``: the figures, when, and on what."""
    about = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "sqlite": apsw.sqlite_lib_version(),
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({**about, **figures}, indent=2) + "\n", encoding="utf-8")
    return path
