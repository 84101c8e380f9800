"""The four tools as commands."""

from collections.abc import Mapping
from typing import Any

import click

from m4a.local.commands.options import field, given, tags, text_or_stdin
from m4a.local.output import (
    console,
    memory_cell,
    note,
    note_degraded,
    plain,
    say,
    show_fields,
    table,
)
from m4a.local.session import Session, with_session
from m4a.tools import call_tool
from m4a.tools.inputs import ForgetInput, RecallInput, RememberInput, UpdateMemoryInput

_SIGNALS = ("lexical", "cosine", "length", "importance", "recency")


@click.command("remember")
@click.argument("content")
@field(RememberInput, "type")
@field(RememberInput, "importance")
@tags("A label to filter by later.")
@field(RememberInput, "event_time")
@field(RememberInput, "expires_at")
@field(RememberInput, "source")
@field(RememberInput, "idempotency_key")
@with_session
def remember_command(session: Session, content: str, **options: Any) -> None:
    """Store CONTENT, one statement; - reads it from stdin.

    The type is fact and the importance medium unless told otherwise. The same text of the same type is stored once.
    """
    arguments = given(content=text_or_stdin(content), **options)
    with session.service(with_model=True, create=True) as (service, caller):
        session.answer(call_tool(service, caller, "remember", arguments), _show_remembered)


@click.command("recall")
@click.argument("query")
@field(RecallInput, "type")
@tags("Only memories that carry this tag; of several, all.")
@field(RecallInput, "limit")
@field(RecallInput, "time_range")
@field(RecallInput, "importance")
@click.option("--explain", is_flag=True, default=None, help="Tell how each score came about.")
@with_session
def recall_command(session: Session, **options: Any) -> None:
    """Find the memories that answer QUERY, best first.

    The search goes by words and by meaning; a best score under 0.3 is weak.
    """
    with session.service(with_model=True) as (service, caller):
        session.answer(call_tool(service, caller, "recall", given(**options)), _show_recalled)


@click.command("update")
@click.argument("memory_id")
@click.option("--content", help="The new statement, whole; - reads it from stdin.")
@field(UpdateMemoryInput, "type")
@field(UpdateMemoryInput, "importance")
@tags("A new tag; those given replace all that there were.")
@click.option("--clear-tags", is_flag=True, help="Take all tags away.")
@field(UpdateMemoryInput, "event_time")
@field(UpdateMemoryInput, "expires_at")
@field(UpdateMemoryInput, "expected_version")
@with_session
def update_command(session: Session, content: str | None, clear_tags: bool, **options: Any) -> None:
    """Change MEMORY_ID; the earlier version stays in its history.

    Only what an option names is changed.
    """
    arguments = given(content=text_or_stdin(content), **options)
    if clear_tags:
        if "tags" in arguments:
            raise click.UsageError("--tag and --clear-tags can't be given together.")
        arguments["tags"] = []
    with session.service(with_model=content is not None) as (service, caller):
        session.answer(call_tool(service, caller, "update_memory", arguments), _show_updated)


@click.command("forget")
@click.argument("memory_id")
@click.option("--reason", required=True, help=ForgetInput.model_fields["reason"].description)
@field(ForgetInput, "expected_version")
@with_session
def forget_command(session: Session, **options: Any) -> None:
    """Erase MEMORY_ID and its history for good; a receipt stays."""
    with session.service() as (service, caller):
        session.answer(call_tool(service, caller, "forget", given(**options)), _show_forgotten)


def _show_remembered(answer: Mapping[str, Any]) -> None:
    note_degraded(answer)
    if answer["created"]:
        say(f"Remembered as {answer['memory_id']}.")
    else:
        say(f"Known already as {answer['memory_id']}.")
        if answer["differs"]:
            say(f"Unlike what was sent there: {', '.join(answer['differs'])}. Use m4a update to change it.")
    if answer["similar"]:
        say("Similar memories; if this corrects one, forget this and update that one:")
        rows = table("Cosine", "Id", "Memory", whole=("Cosine", "Id"))
        for one in answer["similar"]:
            rows.add_row(f"{one['cosine']:.2f}", one["memory_id"], plain(one["content"]))
        console().print(rows)


def _show_recalled(answer: Mapping[str, Any]) -> None:
    note_degraded(answer)
    if not answer["memories"]:
        say("No memory matches.")
        return
    rows = table("Score", "Id", "Memory", whole=("Score", "Id"))
    for memory in answer["memories"]:
        rows.add_row(f"{memory['score']:.3f}", memory["memory_id"], memory_cell(memory, *_signal_lines(memory)))
    console().print(rows)
    if "explain" in answer:
        _show_explanation(answer["explain"])


def _signal_lines(memory: Mapping[str, Any]) -> list[str]:
    if "explain" not in memory:
        return []
    signals = memory["explain"]
    numbers = [f"{name} {signals[name]:.3f}" for name in _SIGNALS if signals[name] is not None]
    return [" · ".join([*numbers, f"of {signals['attainable']:.3f}"]), f"matched: {', '.join(signals['matched'])}"]


def _show_explanation(explain: Mapping[str, Any]) -> None:
    show_fields({name: explain[name] for name in ("formula", "memories", "average_length", "candidates")})
    rows = table("Term", "Weight", "Memories with it", whole=())
    for term, facts in explain["terms"].items():
        rows.add_row(plain(term), f"{facts['weight']:.3f}", str(facts["memories"]))
    console().print(rows)


def _show_updated(answer: Mapping[str, Any]) -> None:
    note_degraded(answer)
    now = "Updated" if answer["updated"] else "Nothing differs in"
    say(f"{now} {answer['memory_id']}, version {answer['version']}.")


def _show_forgotten(answer: Mapping[str, Any]) -> None:
    say(
        f"Forgotten {answer['memory_id']} at {answer['forgotten_at']}: "
        f"{answer['versions_erased']} version(s) erased. Reason: {answer['reason']}"
    )
    if not answer["residue_cleared"]:
        note("Note: another program is reading an older state of the store; the next write clears the last copy.")
