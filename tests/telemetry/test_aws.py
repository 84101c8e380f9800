"""The aws profile with its clients at the level DEBUG: what goes to the backends and comes back is logged nowhere."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from m4a.application.service import Service
from m4a.application.sweeping import sweep_pass
from m4a.bootstrap import Operator
from m4a.entrypoints.jobs import job
from m4a.entrypoints.stream import index_records
from m4a.local.stack import on_stack, stack_settings
from tests.faults.faults import of_table
from tests.support.doubles import SettableClock
from tests.support.profiles import LIMITS
from tests.support.proxy import Fault, Proxy
from tests.support.proxy_faults import answering, only, rewritten
from tests.support.stack import Backends
from tests.support.waiting import until
from tests.telemetry.calls import CALLS
from tests.telemetry.conftest import CALLER, remembered
from tests.telemetry.doors import MARK, NAMESPACE, https
from tests.telemetry.lines import Lines

AMZ_JSON = "application/x-amz-json-1.0"
LIBRARIES = ("urllib3", "asyncio")


@dataclass(frozen=True)
class Site:
    """``table``, ``index`` and ``model`` are proxies in front of the backends."""

    table: Proxy
    index: Proxy
    model: Proxy
    operator: Operator
    clock: SettableClock

    @property
    def service(self) -> Service:
        return self.operator.service


@pytest.fixture
def site(backends: Backends) -> Iterator[Site]:
    clock = SettableClock()
    with ExitStack() as stack:
        table, index, model = (
            stack.enter_context(Proxy(one)) for one in (backends.dynamodb, backends.search, backends.bedrock)
        )
        name = stack.enter_context(backends.fresh_names())
        plain = stack_settings(table.address, index.address, model.address, table=name, prefix=name)
        settings = plain.model_copy(update={"metrics_namespace": NAMESPACE})
        running = stack.enter_context(on_stack(settings, limits=LIMITS, clock=clock))
        yield Site(table, index, model, running.operator, clock)


def catch_up(site: Site) -> None:
    until(lambda: not site.service.outbox.pending(CALLER.owner, 10))


def loggers(lines: Lines) -> set[str]:
    return {json.loads(one)["logger"].split(".")[0] for one in lines.all}


def test_no_call_leaves_a_trace_of_what_was_sent_or_stored(site: Site, lines: Lines) -> None:
    for send, _ in CALLS.values():
        send(site.service, remembered(site.service))
    catch_up(site)
    sweep_pass(site.service, site.operator.maintenance, site.operator.indexing)
    recalls = [line for line in lines.operations if line["operation"] == "recall" and line["outcome"] == "ok"]
    assert recalls and all({"embed", "outbox", "search", "read", "trace"} <= line.keys() for line in recalls)
    assert loggers(lines) >= {"m4a", *LIBRARIES}
    assert lines.holding(MARK) == []
    assert lines.holding(CALLER.owner.key) == []


def test_it_is_our_doing_that_boto_is_quiet(site: Site, lines: Lines) -> None:
    boto = logging.getLogger("botocore")
    level = boto.level
    boto.setLevel(logging.DEBUG)
    try:
        https("recall")(site.service, "")
    finally:
        boto.setLevel(level)
    assert lines.holding(MARK)


def _said(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def _error_item(answer: Any) -> Any:
    for item in answer["items"]:
        for result in item.values():
            result |= {"status": 400, "error": {"type": f"{MARK} {CALLER.owner.key}", "reason": MARK}}
    return {**answer, "errors": True}


TALKATIVE: dict[str, Callable[[Site], tuple[Proxy, Fault]]] = {
    "a table that refuses": lambda site: (
        site.table,
        of_table(answering(400, _said(__type=f"x#ValidationException{MARK}", message=MARK), AMZ_JSON)),
    ),
    "a table that fails": lambda site: (
        site.table,
        of_table(answering(500, _said(__type=MARK, message=MARK), AMZ_JSON)),
    ),
    "a table that answers something else": lambda site: (
        site.table,
        of_table(answering(200, MARK.encode(), "text/html")),
    ),
    "an index that refuses": lambda site: (site.index, answering(400, _said(error={"type": MARK, "reason": MARK}))),
    "an index that fails": lambda site: (site.index, answering(503, _said(error=MARK), x_note=MARK)),
    "an index that answers something else": lambda site: (site.index, answering(200, _said(responses=MARK))),
    "an index that answers no JSON": lambda site: (site.index, answering(200, MARK.encode())),
    "a model that refuses": lambda site: (
        site.model,
        answering(400, _said(message=MARK), x_amzn_errortype=f"ValidationException{MARK}"),
    ),
    "a model that answers something else": lambda site: (site.model, answering(200, _said(embedding=MARK))),
}


@pytest.mark.parametrize("name", TALKATIVE)
def test_nor_does_a_backend_that_fails_and_quotes_it(site: Site, lines: Lines, name: str) -> None:
    proxy, fault = TALKATIVE[name](site)
    with proxy.failing(fault):
        for call in ("https remember", "https recall", "action_group recall", "mcp recall"):
            CALLS[call][0](site.service, "")
    answered = [line for line in lines.operations if line["entry_point"] != "stream"]
    assert len(answered) == 4 and any(line["outcome"] != "ok" or line["degraded"] for line in answered)
    assert lines.holding(MARK) == []


def test_the_indexer_tells_counts_and_ids_of_what_was_refused(site: Site, lines: Lines) -> None:
    indexing = site.operator.indexing
    assert indexing
    with site.index.failing(only(lambda request: request.path.startswith("/_bulk"), rewritten(_error_item))):
        memory_id = remembered(site.service)
        (entry,) = site.service.outbox.pending(CALLER.owner, 10)
        keys = {"pk": {"S": CALLER.owner.key}, "sk": {"S": f"P#{entry.change_id}#{memory_id}#{entry.rev}"}}
        record = {"eventName": "INSERT", "dynamodb": {"SequenceNumber": "1", "Keys": keys}}
        lines.all.clear()
        failed = index_records(indexing, {"Records": [record, {"dynamodb": {"SequenceNumber": "2"}}]})
    assert [one["itemIdentifier"] for one in failed["batchItemFailures"]] == ["2", "1"]
    (line,) = [one for one in lines.operations if one.get("unreadable")]
    told = {"entry_point": "stream", "operation": "index", "outcome": "ok", "changes": 1, "failed": 1, "unreadable": 1}
    assert line.items() >= told.items() and "request_id" not in line
    assert line["failed_changes"] == [{"change_id": entry.change_id, "memory_id": memory_id}]
    assert lines.holding(MARK) == [] and lines.holding(CALLER.owner.key) == []


def test_the_sweep_has_stages_too(site: Site, lines: Lines) -> None:
    with site.model.failing(answering(500)):
        remembered(site.service)
    lines.all.clear()
    site.clock.advance(days=1)
    with job("schedule", "sweep", None, NAMESPACE):
        sweep_pass(site.service, site.operator.maintenance, site.operator.indexing)
    (line,) = [one for one in lines.operations if one["operation"] == "sweep"]
    assert {"embed", "read", "commit"} <= line.keys()
