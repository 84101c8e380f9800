"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, words: bool = False) -> str:
    """``words``: all columns but the first hold words; otherwise numbers, which stand at the right."""
    marks = ["---", *["---" if words else "---:"] * (len(columns) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (columns, marks, *rows))


def usd(value: float) -> str:
    """Dollars, with cents below a hundred."""
    return f"${value:,.2f}" if value < 100 else f"${value:,.0f}"
