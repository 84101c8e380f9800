"""The command that serves MCP over stdin and stdout."""

import logging
import sys
from datetime import UTC, datetime
from functools import partial

import click

from m4a.adapters.lazy_embedder import LazyEmbedder
from m4a.bootstrap import build_operator, load_embedder
from m4a.domain.ids import new_ulid
from m4a.domain.owner import Caller
from m4a.entrypoints.mcp.server import ENTRY_POINT
from m4a.local.output import note
from m4a.local.session import Session, with_session
from m4a.local.stdio import serve_stdio
from m4a.local.sweeping import Sweeping


@click.command("mcp")
@with_session
def mcp_command(session: Session) -> None:
    """Serve the tools over MCP on stdin and stdout.

    A program that speaks MCP starts it. The user is that of M4A_DEFAULT_USER. Nothing but the protocol is on stdout;
    notes and logs go to stderr. It sweeps every minute, and ends when the client closes stdin, or on SIGINT or SIGTERM.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    owner = session.caller.owner

    def caller() -> Caller:
        return Caller(owner, owner.user, ENTRY_POINT, new_ulid(datetime.now(UTC)))

    operator = build_operator(session.settings, embedder=LazyEmbedder(partial(load_embedder, session.settings)))
    note(f"Serving MCP on stdin and stdout, with the memories in {session.settings.db_path}.")
    try:
        with Sweeping(operator):
            serve_stdio(operator.service, caller)
    finally:
        operator.service.close()
