"""Runs a tool for the templates from an environment of its own, which is made if need be (``scripts/tools.py``).

python3 -m scripts.template_tools sam ARGUMENTS         for example: sam validate --lint
python3 -m scripts.template_tools checkov ARGUMENTS
python3 -m scripts.template_tools synthesise TEMPLATE NAME=VALUE ...   prints it after the SAM transform
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.environment import ROOT
from scripts.tools import programs_of

VARIABLES = {"SAM_CLI_TELEMETRY": "0", "DO_NOT_TRACK": "1"}
REGION = "eu-central-1"
"""Stands in where none is set: validating needs the name of one, and asks nothing there."""


def main(arguments: Sequence[str]) -> int:
    """Runs the tool and returns its exit code."""
    name, rest = arguments[0] if arguments else "", arguments[1:]
    command: list[Path | str]
    if name == "synthesise":
        command = [programs_of("sam") / "python", ROOT / "scripts" / "synthesise.py"]
    elif name in ("sam", "checkov"):
        command = [programs_of(name) / name]
    else:
        print("usage: template_tools sam|checkov|synthesise ARGUMENTS", file=sys.stderr)
        return 2
    region = {"AWS_DEFAULT_REGION": os.environ.get("AWS_DEFAULT_REGION", REGION)}
    return subprocess.run([*command, *rest], env=os.environ | VARIABLES | region).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
