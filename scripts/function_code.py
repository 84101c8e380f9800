"""Puts together the code of one function. SAM calls it through functions/Makefile; ``make package`` is for people.

    python3 -m scripts.function_code McpServer DIRECTORY [--architecture arm64|x86_64]

Wheels are installed for Lambda's Python and the architecture, whatever this machine has. What functions share is made
once for all of them, under a name that changes with all that it is made from, in ``.aws-sam/shared``.
"""

import argparse
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from scripts.environment import ROOT, find_interpreter, find_uv, one_at_a_time, run, say
from scripts.pruning import LOCAL_ONLY, prune
from scripts.tools import LAMBDA_PYTHON

FUNCTIONS = ROOT / "functions"
SHARED = ROOT / ".aws-sam" / "shared"
PLATFORMS = {"arm64": "aarch64-manylinux2014", "x86_64": "x86_64-manylinux2014"}
_MAKERS = ("function_code.py", "pruning.py")
_TASK = "/var/task"
"""Where Lambda unpacks a function."""


def build(logical_id: str, target: Path, architecture: str) -> None:
    """Fills the folder with the code of the function that the template names so."""
    folder = re.sub(r"(?<!^)(?=[A-Z])", "_", logical_id).lower()
    shared = shared_code(requirements_for(folder), architecture)
    shutil.copytree(shared, target, dirs_exist_ok=True, copy_function=_link)
    shutil.copytree(FUNCTIONS / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__"))
    compile_code(target / folder, target)


def requirements_for(folder: str) -> Path:
    """What the function in that folder is packaged with: a file of its own, or that of all others."""
    own = FUNCTIONS / f"requirements-{folder.replace('_', '-')}.txt"
    return own if own.exists() else FUNCTIONS / "requirements.txt"


def _link(source: str, target: str) -> None:
    """Nothing changes a built file, so it need not be there twice."""
    try:
        os.link(source, target)
    except OSError:  # on another file system
        shutil.copy2(source, target)


def shared_code(requirements: Path, architecture: str) -> Path:
    """The folder of dependencies and m4a, made if need be."""
    folder = SHARED / f"{requirements.stem}-{architecture}-{_fingerprint(requirements)}"
    if not folder.exists():
        with one_at_a_time():
            if not folder.exists():
                _make_shared(folder, requirements, architecture)
    return folder


def _fingerprint(requirements: Path) -> str:
    python = find_interpreter(LAMBDA_PYTHON) or ""
    parts = [requirements, *(Path(__file__).with_name(name) for name in _MAKERS), *_sources()]
    named = (f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes() for path in parts)
    digests = [hashlib.sha256(one).digest() for one in (*named, python.encode())]
    return hashlib.sha256(b"".join(digests)).hexdigest()[:16]


def _sources() -> Iterator[Path]:
    yield from sorted(path for path in (FUNCTIONS / "m4a").rglob("*") if path.is_file() and path.suffix != ".pyc")


def _make_shared(folder: Path, requirements: Path, architecture: str) -> None:
    unfinished = folder.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    install(unfinished, requirements, architecture)
    prune(unfinished)
    left_out = shutil.ignore_patterns("__pycache__", *LOCAL_ONLY)
    shutil.copytree(FUNCTIONS / "m4a", unfinished / "m4a", ignore=left_out)
    compile_code(unfinished, unfinished)
    unfinished.rename(folder)


def install(target: Path, requirements: Path, architecture: str) -> None:
    """Installs wheels for Lambda into the folder, whole and not compiled."""
    for_lambda = ["--python-platform", PLATFORMS[architecture], "--python-version", LAMBDA_PYTHON]
    exactly = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--link-mode", "copy"]
    run([find_uv(), "pip", "install", "--quiet", "--target", target, *for_lambda, *exactly, "-r", requirements])


def compile_code(folder: Path, package: Path) -> None:
    """Compiles the folder's modules, if Lambda's Python is here to do it: Lambda can't keep what it compiles itself, so
    it would do that at each cold start. The compiled code is not held against the source, whose time stamps a package
    does not keep."""
    if (python := find_interpreter(LAMBDA_PYTHON)) is None:
        say(f"Not compiled: there is no Python {LAMBDA_PYTHON} here. The function will start more slowly.")
        return
    paths = ["-s", package, "-p", _TASK]
    run([python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", *paths, folder])


def main(arguments: list[str]) -> None:
    """Builds the function that is named."""
    parser = argparse.ArgumentParser(description="Puts together the code of one function.")
    parser.add_argument("logical_id")
    parser.add_argument("target", type=Path)
    parser.add_argument("--architecture", choices=PLATFORMS, default="arm64")
    options = parser.parse_args(arguments)
    build(options.logical_id, options.target, options.architecture)


if __name__ == "__main__":
    main(sys.argv[1:])
