"""The command that runs the local server."""

import click

from m4a.local.commands.serving import Door, with_door
from m4a.local.output import note
from m4a.local.session import Session, with_session


@click.command("serve")
@with_session
@with_door
def serve_command(session: Session, door: Door) -> None:
    """Serve the tools and routes over HTTP, and sweep every minute.

    SIGINT (Ctrl-C) or SIGTERM ends it, after the requests that are running. Without --tokens everyone on this machine
    is the user of M4A_DEFAULT_USER. With --json the line that says where it listens is JSON.
    """
    settings = session.settings
    note(f"Loading the embedding model and opening {session.place} …")
    operator = session.opened()
    store = {"db": str(settings.db_path)} if settings.profile == "embedded" else {"table": settings.table or ""}
    try:
        door.serve(settings, operator, {**store, "model": operator.service.embedder.model})
    finally:
        operator.service.close()
