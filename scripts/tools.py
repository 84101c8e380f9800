"""Runs a tool for the templates in an environment of its own: each pins versions that the project's own can't have.

    python3 scripts/tools.py sam ARGUMENTS      for example: sam validate --lint
    python3 scripts/tools.py checkov ARGUMENTS
    python3 scripts/tools.py synthesise TEMPLATE  prints it after the SAM transform; of the same environment as sam

The tool is installed into ``.tools/<tool>`` first, if the pinned version is not there yet.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from environment import ROOT, find_uv, one_at_a_time, run, say

PACKAGES = {"sam": "aws-sam-cli==1.170.0", "checkov": "checkov==3.3.30"}
TOOLS = ROOT / ".tools"
VARIABLES = {"SAM_CLI_TELEMETRY": "0", "SAM_CLI_BETA_FEATURES": "0", "DO_NOT_TRACK": "1"}
REGION = "eu-central-1"
"""Stands in where none is set: validating needs the name of one, and asks nothing there."""


def main(arguments: Sequence[str]) -> int:
    """Runs the tool and returns its exit code."""
    name, rest = arguments[0] if arguments else "", arguments[1:]
    command: list[Path | str]
    if name == "synthesise":
        command = [installed("sam") / "python", ROOT / "scripts" / "synthesise.py"]
    elif name in PACKAGES:
        command = [installed(name) / name]
    else:
        print(f"usage: tools.py {'|'.join(PACKAGES)}|synthesise ARGUMENTS", file=sys.stderr)
        return 2
    region = {"AWS_DEFAULT_REGION": os.environ.get("AWS_DEFAULT_REGION", REGION)}
    return subprocess.run([*command, *rest], env=os.environ | VARIABLES | region).returncode


def installed(name: str) -> Path:
    """Where a tool's programs are; it is installed if it is not there in its pinned version, whole."""
    directory = TOOLS / name
    stamp = directory / ".installed"
    with one_at_a_time():
        if not (stamp.exists() and stamp.read_text() == PACKAGES[name]):
            say(f"Installing {PACKAGES[name]} into {directory.relative_to(ROOT)}.")
            shutil.rmtree(directory, ignore_errors=True)
            uv = find_uv()
            run([uv, "venv", "--quiet", directory])
            run([uv, "pip", "install", "--quiet", "--python", directory / "bin" / "python", PACKAGES[name]])
            stamp.write_text(PACKAGES[name])
    return directory / "bin"


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except subprocess.CalledProcessError as error:
        command = " ".join(map(str, error.cmd))
        sys.exit(f"Failed, with exit code {error.returncode}: {command}")
