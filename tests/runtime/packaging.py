"""The functions as `sam build` packages them for this machine, built once for each state of what they are made from."""

import fcntl
import hashlib
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path

from scripts.environment import ROOT
from scripts.package import sam_build
from scripts.tools import lambda_python, requirements_of

BUILDS = ROOT / ".aws-sam" / "tests"
ARCHITECTURE = "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64"
_SUFFIXES = (".py", ".txt", ".yaml")


def built_functions() -> Path:
    """The folder that holds a folder for each function. Raises NoInterpreter."""
    BUILDS.mkdir(parents=True, exist_ok=True)
    with (BUILDS / "turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        folder = BUILDS / _fingerprint()
        if not (folder / "template.yaml").exists():
            for old in BUILDS.iterdir():
                if old.is_dir():
                    shutil.rmtree(old)
            sam_build(folder, ARCHITECTURE)
    return folder


def _fingerprint() -> str:
    parts = [path.relative_to(ROOT).as_posix().encode() + path.read_bytes() for path in _sources()]
    digests = [hashlib.sha256(part).digest() for part in (*parts, lambda_python().encode())]
    return hashlib.sha256(b"".join(digests)).hexdigest()[:16]


def _sources() -> Iterator[Path]:
    yield from (ROOT / "template.yaml", ROOT / "functions" / "Makefile", requirements_of("sam"))
    yield from sorted((ROOT / "infra").glob("*.yaml"))
    for folder in ("functions", "scripts"):
        yield from sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in _SUFFIXES)
