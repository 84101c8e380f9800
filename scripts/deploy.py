"""Deploys what ``make package`` built, to an environment of samconfig.toml. Needs only Python's standard library.

    python3 -m scripts.deploy ENVIRONMENT [NAME=VALUE ...] [--stack NAME] [--print]   --print deploys nothing

Parameters are those of the environment, and those given, which win. One more is made here: ``Release``, a digest of
code and parameters. SAM publishes a new version of a function when it changes, and for no parameter's value else.
"""

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.environment import ROOT, say
from scripts.package import BUILT
from scripts.tools import programs_of

CONFIG = ROOT / "samconfig.toml"


def parameters_of(environment: str, given: Sequence[str]) -> dict[str, str]:
    """The parameters of the environment and those given. Raises KeyError for an environment that there is not, and
    ValueError for what is not ``NAME=VALUE``."""
    config = tomllib.loads(CONFIG.read_text("utf-8"))
    standing: list[str] = config[environment]["deploy"]["parameters"]["parameter_overrides"]
    for one in given:
        if "=" not in one:
            raise ValueError(f"{one}: is not NAME=VALUE")
    return dict(one.split("=", 1) for one in (*standing, *given))


def release(built: Path, parameters: Mapping[str, str]) -> str:
    """SHA-256, in hex, over every file of the built folder, by its path, and the parameters."""
    files = sorted(one for one in built.rglob("*") if one.is_file())
    digests = {str(one.relative_to(built)): hashlib.sha256(one.read_bytes()).hexdigest() for one in files}
    return hashlib.sha256(json.dumps([digests, parameters], sort_keys=True).encode()).hexdigest()


def arguments_of(environment: str, parameters: Mapping[str, str], stack: str | None) -> list[str]:
    """What SAM is called with."""
    named = ["--stack-name", stack] if stack else []
    return ["deploy", "--config-env", environment, *named, "--parameter-overrides", *map(_override, parameters.items())]


def _override(parameter: tuple[str, str]) -> str:
    """As SAM reads it: in quotes, for a value can be empty or have spaces."""
    name, value = parameter
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}="{escaped}"'


def main(arguments: Sequence[str]) -> int:
    """Says the command, runs it unless it is only to be printed, and returns its exit code."""
    parser = argparse.ArgumentParser(description="Deploys what make package built.")
    parser.add_argument("environment", choices=tomllib.loads(CONFIG.read_text("utf-8")).keys() - {"version"})
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--stack", help="another stack than that of the environment")
    parser.add_argument("--built", type=Path, default=BUILT, help=argparse.SUPPRESS)
    parser.add_argument("--print", action="store_true", dest="only_print")
    options = parser.parse_args(arguments)
    if not (options.built / "template.yaml").exists():
        parser.error("nothing is built: make package comes first")
    try:
        parameters = parameters_of(options.environment, options.parameters)
    except ValueError as wrong:
        parser.error(str(wrong))
    parameters["Release"] = release(options.built, parameters)
    sam = arguments_of(options.environment, parameters, options.stack)
    if options.only_print:
        print(shlex.join(["sam", *sam]))
        return 0
    say(shlex.join(["sam", *sam]))
    command = [programs_of("sam") / "sam", *sam]
    return subprocess.run(command, cwd=ROOT, env=os.environ | {"SAM_CLI_TELEMETRY": "0"}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
