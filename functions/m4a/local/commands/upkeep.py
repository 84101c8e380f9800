"""Commands for what `m4a serve` does by itself, or what a new version asks for."""

from collections.abc import Mapping
from typing import Any

import click

from m4a.application.index_upkeep import init_index, rebuild
from m4a.application.sweeping import Pass, sweep_pass
from m4a.application.upkeep import Renewed, Swept, reindex
from m4a.local.failures import UNUSABLE
from m4a.local.output import note, say
from m4a.local.progress import progress
from m4a.local.session import Session, with_session


@click.command("init")
@with_session
def init_command(session: Session) -> None:
    """Make an empty store.

    That is the file, or in the profile aws the search index of the table, which the template makes and which must hold
    nothing yet. What is there already stays as it is.
    """
    settings = session.settings
    if settings.profile == "embedded":
        created = not settings.db_path.exists()
        with session.operator(create=True):
            session.answer({"created": created, "db": str(settings.db_path)}, _show_made)
        return
    with session.operator() as operator:
        created = operator.indexing is not None and init_index(
            operator.indexing, operator.service.embedder.model, operator.maintenance
        )
    session.answer({"created": created, "table": settings.table, "index": settings.index_prefix}, _show_made)


@click.command("sweep")
@with_session
def sweep_command(session: Session) -> None:
    """Forget what has expired, and embed what still has to be.

    For all users. `m4a serve` does this every minute. In the profile aws it also brings changes that the indexer missed
    into the search index, and vouches for that index for another while.
    """
    with session.operator() as operator, progress("Sweeping", "memories", quiet=session.as_json) as advance:

        def go_on(total: Swept) -> bool:
            advance(total.expired + total.embedded, 0, None)
            return True

        done = sweep_pass(operator.service, operator.maintenance, operator.indexing, float("inf"), go_on)
    session.answer(_swept(done), _show_swept)
    if done.failure or done.swept.embedder_down or done.swept.postponed or done.index_alive is False:
        click.get_current_context().exit(UNUSABLE)


@click.command("reindex")
@with_session
def reindex_command(session: Session) -> None:
    """Renew the search data after a change of model or token rules.

    For all users. Safe to interrupt: what was done is kept; run it again. The store can be used meanwhile. In the
    profile aws it fills a new search index beside the old one, also where that is lost, and then puts it in its place.
    """
    done = Renewed()
    with (
        session.operator(with_model=True) as operator,
        progress("Reindexing", "memories", quiet=session.as_json) as advance,
    ):
        one, indexing = operator, operator.indexing
        steps = rebuild(one.service, indexing, one.maintenance) if indexing else reindex(one.service, one.maintenance)
        for done in steps:
            advance(done.seen, 0, None)
    session.answer(_renewed(done), _show_renewed)
    if done.not_indexed:
        click.get_current_context().exit(UNUSABLE)


def _swept(done: Pass) -> dict[str, Any]:
    swept = done.swept
    answer: dict[str, Any] = {
        "expired": swept.expired,
        "embedded": swept.embedded,
        "embedder_down": swept.embedder_down,
    }
    answer |= {name: count for name, count in (("refused", swept.refused), ("postponed", swept.postponed)) if count}
    if done.failure:
        answer["store_failed"] = done.failure.message
    if done.oldest_s is None and done.index_alive is None:
        return answer
    return {**answer, "settled": done.settled, "stuck": done.stuck, "index_alive": done.index_alive}


def _renewed(done: Renewed) -> dict[str, Any]:
    answer: dict[str, Any] = {"memories": done.seen}
    if done.not_embedded:
        answer["not_embedded"] = done.not_embedded
    if done.not_indexed:
        answer["not_indexed"] = list(done.not_indexed)
    return answer


def _show_renewed(answer: Mapping[str, Any]) -> None:
    up_to_date = answer["memories"] - len(answer.get("not_indexed", ()))
    say(f"{up_to_date:,} memories are up to date.")
    if "not_embedded" in answer:
        note(f"Note: the embedding model refuses {answer['not_embedded']:,} of them: they are found by words alone.")
    if "not_indexed" in answer:
        ids = ", ".join(answer["not_indexed"])
        note(f"Note: the search index refuses these memories for what they are: {ids}")


def _show_made(answer: Mapping[str, Any]) -> None:
    what = f"the file {answer['db']}" if "db" in answer else f"the search index of the table {answer['table']}"
    say(f"Made {what}." if answer["created"] else f"There is {what} already.")


def _show_swept(answer: Mapping[str, Any]) -> None:
    say(f"{answer['expired']:,} expired memories forgotten, {answer['embedded']:,} memories embedded.")
    if answer["embedder_down"]:
        note("Note: the embedding model did not answer; the rest waits for the next sweep.")
    if answer.get("refused"):
        note(f"Note: the embedding model refuses {answer['refused']:,} memories: they are found by words alone.")
    if answer.get("postponed"):
        note(f"Note: the store did not take {answer['postponed']:,} changes; they wait for the next sweep.")
    if "store_failed" in answer:
        note(f"Note: not all of what is due could be read or done: {answer['store_failed']}")
    if answer.get("settled"):
        say(f"{answer['settled']:,} changes that the indexer had missed were brought into the search index.")
    if answer.get("stuck"):
        note(f"Note: at least {answer['stuck']:,} changes have waited for the search index for more than an hour.")
    if answer.get("index_alive") is False:
        note("Note: the search index does not answer, or is not the one that the table knows: see m4a doctor.")
