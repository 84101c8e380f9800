"""What `m4a serve` and `m4a stack` have in common: their options, what they tell, and how they end."""

import logging
import signal
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from m4a.bootstrap import Operator
from m4a.entrypoints.http import to_json
from m4a.entrypoints.recording import LOGGER as OPERATIONS
from m4a.local.access import Tokens
from m4a.local.server import DEFAULT_HOST, DEFAULT_PORT, listen, serve
from m4a.local.session import Session
from m4a.local.sweeping import Sweeping
from m4a.settings import Settings

_CALL = "curl -s {address}/tools/{tool} -H 'content-type: application/json'{authorization} -d '{body}'"
_CALLS = (("remember", '{"content": "I take my coffee black."}'), ("recall", '{"query": "How do I like my coffee?"}'))


class Door:
    """Where a server is to listen, and for whom."""

    def __init__(self, session: Session, host: str, port: int, tokens: Path | None) -> None:
        """Raises CannotStart for tokens that can't be read, and for a port that can't be opened."""
        self._session = session
        self._where = host, port
        self._users = Tokens.load(tokens, session.settings.tenant_claim) if tokens else None
        listen(host, port, open_to_all=self._users is not None).close()  # better now than after a long start

    def serve(self, settings: Settings, operator: Operator, about: Mapping[str, str]) -> None:
        """Serves and sweeps until SIGINT or SIGTERM. ``about``: what a program is told beside the address."""
        with Sweeping(operator):
            serve(settings, operator.service, *self._where, self._users, lambda address: self._announce(address, about))

    def _announce(self, address: str, about: Mapping[str, str]) -> None:
        if self._session.as_json:
            click.echo(to_json({"address": address, **about}).encode())
            return
        authorization = " -H 'authorization: Bearer <token>'" if self._users else ""
        calls = [
            _CALL.format(address=address, tool=one, authorization=authorization, body=body) for one, body in _CALLS
        ]
        click.echo("\n".join((f"Serving on {address}. Ctrl-C ends it. Try, in another terminal:", *calls)))


def with_door(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options of its door, and the door in their place; and makes a signal end it quietly."""

    @click.option("--host", default=DEFAULT_HOST, show_default=True, help="The address to listen on.")
    @click.option("--port", default=DEFAULT_PORT, show_default=True, type=_PORT, help="0: any free one.")
    @click.option(
        "--tokens",
        type=click.Path(dir_okay=False, path_type=Path),
        help='Bearer tokens of the users, as JSON: {"<token>": "<user>"}. Needed for any other host than this machine.',
    )
    @wraps(command)
    def run(session: Session, host: str, port: int, tokens: Path | None, **values: Any) -> None:
        signal.signal(signal.SIGTERM, _end)
        logging.basicConfig(format="%(asctime)s %(message)s", stream=sys.stderr)
        logging.getLogger("m4a").setLevel(logging.INFO)  # libraries have nothing to tell beneath a warning
        logging.getLogger(OPERATIONS).setLevel(logging.WARNING)  # its lines are for programs
        command(session, Door(session, host, port, tokens), **values)

    return run


_PORT = click.IntRange(0, 65535)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    """While the server does not listen to signals itself: one that is told to stop while it starts has not failed."""
    raise SystemExit(0)
