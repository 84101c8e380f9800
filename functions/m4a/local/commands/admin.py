"""Commands for the operator, who may act on any owner's memories. The audit names them m4a:operator."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click

from m4a.application.erasing import BEFORE_ALL_EXPIRY
from m4a.application.service import Service
from m4a.domain.errors import NotFound
from m4a.domain.memory import Filters
from m4a.domain.owner import DEFAULT_TENANT, Caller, Owner
from m4a.local.commands.listing import listed, listing_options, show_listed
from m4a.local.commands.receipts import receipts_command, replay_command
from m4a.local.commands.transfer import answer_export, export_target
from m4a.local.output import console, plain, say, table
from m4a.local.progress import progress
from m4a.local.session import Session, with_session
from m4a.local.transfers import export_all
from m4a.tools.answers import erase_answer


@click.group("admin")
def admin_command() -> None:
    """List, export or erase the memories of any user; replay receipts."""


admin_command.add_command(receipts_command)
admin_command.add_command(replay_command)


def with_owner(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the session and the owner that --user and --tenant name."""

    @click.option("--user", required=True, help="The user, exactly as signed in.")
    @click.option("--tenant", default=DEFAULT_TENANT, show_default=True, help="The user's tenant.")
    @with_session
    @wraps(command)
    def run(session: Session, user: str, tenant: str, **values: Any) -> None:
        command(session, Owner(tenant, user), **values)

    return run


@contextmanager
def acting_on(session: Session, owner: Owner) -> Generator[tuple[Service, Caller]]:
    """The service, and the operator as its caller. Raises NotFound for an owner of whom nothing is known."""
    with session.operator() as operator:
        if not _known(operator.service, owner):
            raise NotFound("There is no such user in this tenant: m4a admin owners lists all.")
        yield operator.service, session.operator_for(owner)


def _known(service: Service, owner: Owner) -> bool:
    """Whether there are memories, expired ones too, or events. Asks for one of each: no reading of the whole store."""
    memories = service.store.list(owner, Filters(), BEFORE_ALL_EXPIRY, None, 1)
    return bool(memories.items) or bool(service.log.audit(owner, None, 1).items)


@admin_command.command("owners")
@with_session
def owners_command(session: Session) -> None:
    """List every tenant and user that has or had memories.

    In the profile aws this reads the whole table; the other commands don't.
    """
    with session.operator() as operator:
        owners = [{"tenant": one.tenant, "user": one.user} for one in operator.maintenance.owners()]
    session.answer({"owners": owners}, _show_owners)


@admin_command.command("list")
@listing_options
@with_owner
def list_command(session: Session, owner: Owner, everything: bool, **options: Any) -> None:
    """List a user's memories, newest first."""
    with acting_on(session, owner) as (service, caller):
        session.answer(listed(service, caller, everything, options), show_listed)


@admin_command.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@with_owner
def export_command(session: Session, owner: Owner, file: Path | None) -> None:
    """Write a user's memories to FILE, or to stdout; see m4a export."""
    with acting_on(session, owner) as (service, caller):
        target = export_target(session, file)
        count = export_all(service, caller, target, quiet=session.as_json)
    answer_export(session, target, count)


@admin_command.command("erase")
@click.option("--confirm", required=True, metavar="USER", help="The user once more: this can't be undone.")
@with_owner
def erase_command(session: Session, owner: Owner, confirm: str) -> None:
    """Erase all memories of a user for good; receipts stay.

    Backups that were made before keep them.
    """
    erased = 0
    with (
        acting_on(session, owner) as (service, caller),
        progress("Erasing", "memories", quiet=session.as_json) as advance,
    ):
        while True:
            answer = erase_answer(service, caller, confirm)
            erased += answer["erased"]
            advance(erased, 0, None)
            if answer["next"] is None:
                break
    session.answer({**answer, "erased": erased}, lambda _: say(f"Erased {erased:,} memories of {owner.user}."))


def _show_owners(answer: Mapping[str, Any]) -> None:
    rows = table("Tenant", "User", whole=())
    for owner in answer["owners"]:
        rows.add_row(plain(owner["tenant"]), plain(owner["user"]))
    console().print(rows)
