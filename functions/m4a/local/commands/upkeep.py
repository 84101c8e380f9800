"""Commands for what `m4a serve` does by itself, or what a new version asks for."""

from collections.abc import Mapping
from typing import Any

import click

from m4a.application.upkeep import Swept, reindex, sweep
from m4a.local.failures import UNUSABLE
from m4a.local.output import note, say
from m4a.local.progress import progress
from m4a.local.session import Session, with_session


@click.command("sweep")
@with_session
def sweep_command(session: Session) -> None:
    """Forget what has expired, and embed what still has to be.

    For all users. `m4a serve` does this every minute.
    """
    total = Swept()
    with session.operator() as operator, progress("Sweeping", "memories", quiet=session.as_json) as advance:
        for total in sweep(operator.service, operator.maintenance):
            advance(total.expired + total.embedded, 0, None)
    answer = {"expired": total.expired, "embedded": total.embedded, "embedder_down": total.embedder_down}
    session.answer(answer, _show_swept)
    if total.embedder_down:
        click.get_current_context().exit(UNUSABLE)


@click.command("reindex")
@with_session
def reindex_command(session: Session) -> None:
    """Renew the search data after a change of model or token rules.

    For all users. Safe to interrupt: what was done is kept; run it again. The store can be used meanwhile.
    """
    seen = 0
    with (
        session.operator(with_model=True) as operator,
        progress("Reindexing", "memories", quiet=session.as_json) as advance,
    ):
        for seen in reindex(operator.service, operator.maintenance):
            advance(seen, 0, None)
    session.answer({"memories": seen}, lambda answer: say(f"{answer['memories']:,} memories are up to date."))


def _show_swept(answer: Mapping[str, Any]) -> None:
    say(f"{answer['expired']:,} expired memories forgotten, {answer['embedded']:,} memories embedded.")
    if answer["embedder_down"]:
        note("Note: the embedding model did not answer; the rest waits for the next sweep.")
