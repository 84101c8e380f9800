"""The command that runs the aws profile whole on this machine."""

import tempfile
from pathlib import Path

import click

from m4a.adapters.onnx import OnnxEmbedder
from m4a.local.commands.serving import Door, with_door
from m4a.local.opensearch_node.node import DEFAULT_HEAP
from m4a.local.output import note
from m4a.local.session import Session, with_session
from m4a.local.stack import ENVIRONMENT_FILE, HOST_OF_CONTAINERS, Ports, running_stack, write_environment

_PORT = click.IntRange(0, 65535)


@click.command("stack")
@click.option("--heap", default=DEFAULT_HEAP, show_default=True, help="OpenSearch's memory, as Java spells it.")
@click.option("--dynamodb-port", default=0, type=_PORT, help="Of the DynamoDB stand-in; by default any free one.")
@click.option("--search-port", default=0, type=_PORT, help="Of OpenSearch; by default any free one.")
@click.option("--bedrock-port", default=0, type=_PORT, help="Of the Bedrock stand-in; by default any free one.")
@click.option(
    "--env-file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path(ENVIRONMENT_FILE),
    show_default=True,
    help="Where the variables are written that lead other programs to the stack.",
)
@click.option(
    "--env-host",
    default=HOST_OF_CONTAINERS,
    show_default=True,
    help="How those programs call this machine: 127.0.0.1 outside containers.",
)
@with_session
@with_door
def stack_command(
    session: Session,
    door: Door,
    heap: str,
    dynamodb_port: int,
    search_port: int,
    bedrock_port: int,
    env_file: Path,
    env_host: str,
) -> None:
    """Run the profile aws whole on this machine, without an account.

    It is served as `m4a serve` does. DynamoDB with its stream and Bedrock are stand-ins, OpenSearch is a real node that
    is fetched once (about 50 MB). The memories live as long as the command: SIGINT (Ctrl-C) or SIGTERM ends all of it.

    The variables that lead other programs to the stack are written to the file of --env-file, in the form that
    `sam local invoke` takes.
    """
    ports = Ports(dynamodb_port, search_port, bedrock_port)
    note("Loading the embedding model …")
    embedder = OnnxEmbedder.load()
    with (
        tempfile.TemporaryDirectory(prefix="m4a-stack-") as home,
        running_stack(Path(home), embedder, note, ports=ports, heap=heap, base=session.settings) as stack,
    ):
        write_environment(stack.settings, env_file, env_host)
        note(f"The variables of the stack are in {env_file}.")
        about = {"table": stack.settings.table or "", "model": stack.operator.service.embedder.model}
        door.serve(stack.settings, stack.operator, {**about, "environment": str(env_file)})
