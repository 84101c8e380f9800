"""Steps that give an event of the table's stream to the indexer."""

import time
from collections.abc import Mapping
from typing import Any

from m4a.adapters.dynamodb.keys import OUTBOX, outbox_key
from m4a.application.remember import Remember, remember
from m4a.domain.ids import new_ulid
from m4a.domain.owner import Caller, Owner
from m4a.domain.records import Pending
from m4a.entrypoints.stream import index_records
from tests.cases.reply import Reply
from tests.cases.world import World

TENANT = "default"
_UNREADABLE = OUTBOX + "unreadable"


def send_stream(world: World, step: Mapping[str, Any]) -> Reply:
    """``stream``: each record stands for the table's own record of the same change: a text that is inserted is first
    remembered, under the name that the record gives it. A record without a user goes as it is. Whatever the entry point
    raises is part of the reply."""
    assert world.plain.indexing and world.poller
    world.poller.pause()  # what is indexed now is so by this step
    records = [_real(world, record) for record in step["stream"]["Records"]]
    saved = {name: entry.memory_id for name, entry in world.streamed.items()}
    start = time.monotonic()
    answer, raised = None, None
    try:
        answer = index_records(world.plain.indexing, {"Records": records})
    except Exception as error:
        raised = type(error).__name__
    return Reply(
        outcome="other" if raised else "ok",
        body=b"",
        value=answer,
        document=answer,
        seconds=time.monotonic() - start,
        raised=raised,
        saved=saved,
    )


def _real(world: World, record: Mapping[str, Any]) -> Mapping[str, Any]:
    about = record["dynamodb"]
    told: Mapping[str, Any] = about.get("NewImage") or about.get("Keys") or {}
    if "user_id" not in told:
        return record
    owner = Owner(TENANT, told["user_id"]["S"])
    if record["eventName"] == "INSERT":
        sort_key = _inserted(world, owner, told["memory_id"]["S"], told["content"])
    else:
        sort_key = outbox_key(Pending(_new_id(world), _new_id(world), 1))
    keys = {"pk": {"S": owner.key}, "sk": {"S": sort_key}}
    return {**record, "dynamodb": {"SequenceNumber": about["SequenceNumber"], "Keys": keys}}


def _inserted(world: World, owner: Owner, name: str, content: Mapping[str, Any]) -> str:
    """The sort key of the outbox entry; of a content that is no text, one that can't be read."""
    if "S" not in content:
        return _UNREADABLE
    if name not in world.streamed:
        world.streamed[name] = _remembered(world, owner, content["S"])
    return outbox_key(world.streamed[name])


def _remembered(world: World, owner: Owner, content: str) -> Pending:
    service = world.plain.service
    caller = Caller(owner, owner.user, "case", _new_id(world))
    made = remember(service, caller, Remember(content=content)).memory
    (event,) = service.log.audit(owner, None, 1).items
    return Pending(event.change_id, made.memory_id, made.rev)


def _new_id(world: World) -> str:
    return new_ulid(world.clock.now())
