"""The command that runs the local server."""

import logging
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from m4a.bootstrap import build_operator, load_embedder
from m4a.entrypoints.http import to_json
from m4a.local.access import Tokens
from m4a.local.output import note
from m4a.local.server import DEFAULT_HOST, serve
from m4a.local.session import Session, with_session
from m4a.local.sweeping import Sweeping

DEFAULT_PORT = 8765
_CALL = "curl -s {address}/tools/{tool} -H 'content-type: application/json'{authorization} -d '{body}'"
_CALLS = (("remember", '{"content": "I take my coffee black."}'), ("recall", '{"query": "How do I like my coffee?"}'))


@click.command("serve")
@click.option("--host", default=DEFAULT_HOST, show_default=True, help="The address to listen on.")
@click.option("--port", default=DEFAULT_PORT, show_default=True, type=click.IntRange(0, 65535), help="0: any free one.")
@click.option(
    "--tokens",
    type=click.Path(dir_okay=False, path_type=Path),
    help='Bearer tokens of the users, as JSON: {"<token>": "<user>"}. Needed for any other host than this machine.',
)
@with_session
def serve_command(session: Session, host: str, port: int, tokens: Path | None) -> None:
    """Serve the tools and routes over HTTP, and sweep every minute.

    SIGINT (Ctrl-C) or SIGTERM ends it, after the requests that are running. Without --tokens everyone on this machine
    is the user of M4A_DEFAULT_USER. With --json the line that says where it listens is JSON.
    """
    signal.signal(signal.SIGTERM, _end)
    _log_to_stderr()
    settings = session.settings
    users = Tokens.load(tokens, settings.tenant_claim) if tokens else None
    note("Loading the embedding model …")
    embedder = load_embedder()
    note(f"Loaded {embedder.model}. Opening {settings.db_path} …")
    operator = build_operator(settings, embedder=embedder)

    def ready(address: str) -> None:
        _announce(session, address, embedder.model, with_tokens=users is not None)

    try:
        with Sweeping(operator):
            serve(settings, operator.service, host, port, users, ready)
    finally:
        operator.service.close()


def _announce(session: Session, address: str, model: str, *, with_tokens: bool) -> None:
    if session.as_json:
        click.echo(to_json({"address": address, "db": str(session.settings.db_path), "model": model}).encode())
        return
    authorization = " -H 'authorization: Bearer <token>'" if with_tokens else ""
    calls = [_CALL.format(address=address, tool=tool, authorization=authorization, body=body) for tool, body in _CALLS]
    click.echo("\n".join((f"Serving on {address}. Ctrl-C ends it. Try, in another terminal:", *calls)))


def _log_to_stderr() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    """Until the server has its own handler: a service that is told to stop while it starts has not failed."""
    raise SystemExit(0)
