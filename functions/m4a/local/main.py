"""The command ``m4a``: the same tools and routes as over HTTP, on the store that the settings name."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NoReturn

import click

import m4a as package
from m4a.domain.ids import new_ulid
from m4a.local.access import CannotStart
from m4a.local.extras import not_installed
from m4a.local.failures import INTERRUPTED, report

MODULES = {
    "serve": "serve",
    "stack": "stack",
    "init": "upkeep",
    "mcp": "mcp",
    "remember": "tools",
    "recall": "tools",
    "update": "tools",
    "forget": "tools",
    "list": "listing",
    "show": "listing",
    "history": "listing",
    "export": "transfer",
    "import": "transfer",
    "backup": "backup",
    "sweep": "upkeep",
    "reindex": "upkeep",
    "doctor": "doctor",
    "admin": "admin",
    "tools": "published",
    "prompt": "published",
}
"""Each command's module in ``m4a.local.commands``, which holds it as ``<name>_command``."""


class Commands(click.Group):
    """Imports a command's module when it is asked for, so that none waits for the imports of another."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in MODULES:
            return None
        try:
            module = import_module(f"m4a.local.commands.{MODULES[cmd_name]}")
        except ModuleNotFoundError as error:
            if told := not_installed(error, cmd_name):
                return _cannot_run(cmd_name, told)
            raise
        return getattr(module, f"{cmd_name}_command")

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> NoReturn:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Runs a command and ends the process with its status. The context's object is the id of this request."""
        words = list(sys.argv[1:] if args is None else args)
        request_id = new_ulid(datetime.now(UTC))
        try:
            status = super().main(words, prog_name, standalone_mode=False, obj=request_id, **extra)
        except click.Abort:
            click.echo("Interrupted.", err=True)
            status = INTERRUPTED
        except Exception as error:  # noqa: BLE001 the edge: whatever it is, it becomes one sentence and a status
            status = report(error, request_id, as_json="--json" in words)
        sys.exit(status or 0)


def _cannot_run(name: str, why: str) -> click.Command:
    """A command that says what it lacks, also in the list of commands."""

    def refuse() -> NoReturn:
        raise CannotStart(why)

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, anything, callback=refuse, short_help=why, add_help_option=False)


@click.group("m4a", cls=Commands)
@click.version_option(package.__version__, prog_name="m4a", message="%(prog)s %(version)s")
def command() -> None:
    """Memory as tools: remember, recall, update and forget, in one file on this machine.

    All commands act for the user that M4A_DEFAULT_USER names, which is also the user of `m4a serve`; only `m4a admin`
    reaches other users. The file is that of --db, else of M4A_DB, else ~/.local/share/m4a/memories.db. `init` or the
    first `remember`, `import`, `serve` or `mcp` makes it. With M4A_PROFILE=aws they work on DynamoDB, OpenSearch and
    Bedrock.

    Answers go to stdout; progress, notes and errors go to stderr. With --json the answer is one JSON document, the same
    as over HTTP, and an error is one problem document (RFC 9457), the last line on stderr, with nothing on stdout.

    \b
    Exit status:
      0    done
      1    a fault in M4A
      2    the command, a value or a setting is wrong
      3    there is no such memory or user
      4    conflict: the present state does not allow it
      5    store, model or machine can't do it: unusable, unavailable or busy
      130  interrupted
    """


def run() -> None:
    """The entry point of the installed command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # in a locale without Unicode, tables too are better than an error
            stream.reconfigure(errors="backslashreplace")
    command(prog_name="m4a")
