"""Two ways of doing the same, timed in turns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from rich.progress import Progress

WARM_UP = 20
"""Rounds at the start that do not count."""

Run = Callable[[str], object]
"""One operation on one text."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Milliseconds of the product and of what it is compared with, round by round."""

    product: Sequence[float]
    other: Sequence[float]

    @property
    def ratio(self) -> float:
        """Of the medians."""
        return median(self.product) / median(self.other)

    @property
    def difference(self) -> float:
        """The median over rounds of what the product took longer."""
        return median(one - other for one, other in zip(self.product, self.other, strict=True))


def compare(product: Run, other: Run, texts: Sequence[str], bars: Progress, title: str) -> Compared:
    """Both on every text, taking turns at going first; the first ``WARM_UP`` texts do not count."""
    task = bars.add_task(title, total=len(texts))
    times: dict[Run, list[float]] = {product: [], other: []}
    for number, text in enumerate(texts):
        for run in (product, other) if number % 2 else (other, product):
            start = perf_counter()
            run(text)
            times[run].append(1000 * (perf_counter() - start))
        bars.advance(task)
    return Compared(times[product][WARM_UP:], times[other][WARM_UP:])
