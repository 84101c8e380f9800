"""What the tools look like from outside, as commands: their schemas and the prompt. They need no store."""

import json

import click

from m4a.entrypoints.api_gateway import published_schema
from m4a.entrypoints.http import to_json
from m4a.tools.export import FORMATS
from m4a.tools.prompt import system_prompt
from m4a.tools.queries import ToolsQuery

_as_json = click.option("--json", "as_json", is_flag=True, help="Answer one JSON document.")


@click.command("tools")
@click.option(
    "--format",
    "name",
    type=click.Choice(FORMATS, case_sensitive=False),
    default=ToolsQuery.model_fields["format"].default,
    show_default=True,
    help=ToolsQuery.model_fields["format"].description,
)
@_as_json
def tools_command(name: str, as_json: bool) -> None:
    """Show the schemas of the tools, as a framework wants them.

    It is JSON in any case; --json puts it on one line.
    """
    schema = published_schema(name)
    text = to_json(schema) if as_json else json.dumps(schema, indent=2, ensure_ascii=False)
    click.echo(text.encode())


@click.command("prompt")
@_as_json
def prompt_command(as_json: bool) -> None:
    """Show how to use the tools, for a system prompt."""
    click.echo((to_json({"prompt": system_prompt()}) if as_json else system_prompt()).encode())
