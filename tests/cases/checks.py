"""Every kind of check, in one table each for replies and for state; and how a check is judged.

To add a kind, write its function beside its kin and put it into the table. It raises CheckFailed where the check does
not hold. A kind that is in no table fails the case.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.cases import memory_checks, protocol_checks, reply_checks, state_checks
from tests.cases.judging import CannotTell, CheckFailed
from tests.cases.reply import Reply
from tests.cases.run import Run
from tests.cases.state_checks import Seen
from tests.cases.values import CannotBuild

MODIFIERS = ("step", "any_of", "soft")
END = "end"

ReplyCheck = Callable[[Reply, Any, Run], None]
StateCheck = Callable[[Seen, Any, Run], None]

REPLY_CHECKS: Mapping[str, ReplyCheck] = {
    check.__name__: check
    for check in (
        reply_checks.outcome,
        reply_checks.http,
        reply_checks.never_http,
        reply_checks.never_5xx,
        reply_checks.no_exception,
        reply_checks.names_field,
        reply_checks.error_code,
        reply_checks.json_error,
        reply_checks.no_text,
        reply_checks.text_has,
        reply_checks.flag,
        reply_checks.field,
        reply_checks.field_type,
        reply_checks.equals,
        reply_checks.not_equals,
        reply_checks.has,
        reply_checks.empty_body,
        reply_checks.valid_json,
        reply_checks.response_bytes_max,
        reply_checks.within_s,
        reply_checks.same_reply_as,
        memory_checks.ids_include,
        memory_checks.ids_exclude,
        memory_checks.ids_exactly,
        memory_checks.first_id,
        memory_checks.id_occurs,
        memory_checks.same_id_as,
        memory_checks.id_differs_from,
        memory_checks.count,
        memory_checks.count_max,
        memory_checks.count_min,
        memory_checks.tags,
        memory_checks.tag_count,
        memory_checks.content_equals,
        memory_checks.content_in,
        memory_checks.scores,
        memory_checks.scores_all_equal,
        memory_checks.score_lower_than,
        protocol_checks.jsonrpc,
        protocol_checks.jsonrpc_error,
        protocol_checks.is_error,
        protocol_checks.batch_failures_subset_of,
        protocol_checks.schema_lacks,
        protocol_checks.schema_lacks_keys,
        protocol_checks.openapi_version_prefix,
        protocol_checks.type_is_string,
        protocol_checks.every_operation,
        protocol_checks.operations_max,
    )
} | {"id": protocol_checks.message_id}
STATE_CHECKS: Mapping[str, StateCheck] = {
    check.__name__: check
    for check in (
        state_checks.stored,
        state_checks.stored_count,
        state_checks.index_count,
        state_checks.index_ids,
        state_checks.index_equals_table,
        state_checks.no_cross_model_scores,
        state_checks.logged,
        state_checks.mapping,
        state_checks.mapping_dynamic,
    )
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """``failures``: what does not hold. ``open``: what can't be told in this profile."""

    failures: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def judge(check: Mapping[str, Any], run: Run) -> Verdict:
    """Judges one check; of ``any_of`` one branch must hold."""
    if "any_of" not in check:
        return _joined(_judge_kind(check["step"], kind, check[kind], run) for kind in kinds_of(check))
    branches = [judge({"step": check.get("step"), **branch}, run) for branch in check["any_of"]]
    if Verdict() in branches:
        return Verdict()
    return Verdict(open=_joined(branches).open) if any(branch.open for branch in branches) else _joined(branches)


def kinds_of(check: Mapping[str, Any]) -> list[str]:
    """The kinds in one check object."""
    return [kind for kind in check if kind not in MODIFIERS]


def branches_of(check: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The check itself, or its branches with the step that they look at."""
    if "any_of" in check:
        for branch in check["any_of"]:
            yield from branches_of({"step": check.get("step"), **branch})
    else:
        yield check


def moment_of(step: int | str) -> int | str:
    """The step after which a check looks: ``after_3`` is 3, ``end`` is after the last."""
    return int(step.removeprefix("after_")) if isinstance(step, str) and step != END else step


def unknown_in(check: Mapping[str, Any], steps: int) -> str | None:
    """Why the check can't be understood; None if it can."""
    for branch in branches_of(check):
        kinds = kinds_of(branch)
        unknown = [kind for kind in kinds if kind not in REPLY_CHECKS and kind not in STATE_CHECKS]
        if unknown or not kinds:
            return f"unknown check {', '.join(unknown) or 'without a kind'}"
        if branch.get("step") not in (END, *range(1, steps + 1), *(f"after_{at}" for at in range(1, steps + 1))):
            return f"unknown check of step {branch.get('step')}"
    return None


def _judge_kind(step: int | str, kind: str, expected: Any, run: Run) -> Verdict:
    moment = moment_of(step)
    try:
        if kind in STATE_CHECKS:
            STATE_CHECKS[kind](run.seen[moment], run.build(expected), run)
        else:
            _judge_replies(moment, REPLY_CHECKS[kind], run.build(expected), run)
    except CannotTell as reason:
        return Verdict(open=(f"{kind}: {reason}",))
    except (CheckFailed, CannotBuild) as found:
        return Verdict(failures=(f"step {step}, {kind}: {found}",))
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        return Verdict(failures=(f"step {step}, {kind}: can't be judged, {type(error).__name__}: {error}",))
    return Verdict()


def _judge_replies(moment: int | str, check: ReplyCheck, expected: Any, run: Run) -> None:
    """Each reply of the step, each of its group, or every one at the end; there must be one."""
    replies = run.replies if moment == END else [run.replies[int(moment) - 1]]
    together = [reply for group in replies for reply in group]
    if not together:
        raise CheckFailed("the step has no reply")
    for reply in together:
        check(reply, expected, run)


def _joined(verdicts: Iterator[Verdict] | Sequence[Verdict]) -> Verdict:
    rows = list(verdicts)
    return Verdict(tuple(one for row in rows for one in row.failures), tuple(one for row in rows for one in row.open))
