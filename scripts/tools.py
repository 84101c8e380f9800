"""Makes environments for programs that can't share the project's own. Needs nothing but Python's standard library.

    python3 -m scripts.tools sam                prints the folder of SAM's programs
    python3 -m scripts.tools lambda-runtime     prints that of a Python 3.13 with Lambda's runtime client, or fails

Each is installed into ``.tools`` from its file in ``scripts/requirements``, which a stamp inside keeps a copy of.
"""

import shutil
import sys
from pathlib import Path

from scripts.environment import ROOT, find_interpreter, find_uv, interpreter, one_at_a_time, run, say

TOOLS = ROOT / ".tools"
REQUIREMENTS = ROOT / "scripts" / "requirements"
LAMBDA_PYTHON = "3.13"
"""The version that the functions run on."""


class NoInterpreter(Exception):
    """The Python that a tool needs is not on this machine."""


def programs_of(tool: str) -> Path:
    """The folder of the tool's programs, installed if need be. Raises NoInterpreter."""
    python = lambda_python() if tool == "lambda-runtime" else str(interpreter())
    environment = TOOLS / tool
    wanted = f"{ROOT}\n{requirements_of(tool).read_text()}"
    if not _is_ready(environment, wanted):
        with one_at_a_time():
            if not _is_ready(environment, wanted):
                _install(environment, tool, python)
                _stamp(environment).write_text(wanted)
    return environment / "bin"


def requirements_of(tool: str) -> Path:
    """What the tool is installed from."""
    return REQUIREMENTS / f"{tool}.txt"


def lambda_python() -> str:
    """The interpreter of the version that the functions run on. Raises NoInterpreter."""
    if (found := find_interpreter(LAMBDA_PYTHON)) is None:
        raise NoInterpreter(f"Python {LAMBDA_PYTHON} was not found here.")
    return found


def _is_ready(environment: Path, wanted: str) -> bool:
    stamp = _stamp(environment)
    return (environment / "bin" / "python").exists() and stamp.exists() and stamp.read_text() == wanted


def _stamp(environment: Path) -> Path:
    return environment / ".m4a-ready"


def _install(environment: Path, tool: str, python: str) -> None:
    say(f"Installing {tool} into {environment.relative_to(ROOT)}.")
    shutil.rmtree(environment, ignore_errors=True)
    uv = find_uv()
    run([uv, "venv", "--quiet", "--python", python, environment])
    target = ["--python", environment / "bin" / "python", "--require-hashes", "--no-deps"]
    run([uv, "pip", "install", "--quiet", *target, "-r", requirements_of(tool)])


if __name__ == "__main__":
    try:
        print(programs_of(sys.argv[1]))
    except NoInterpreter as missing:
        sys.exit(str(missing))
