"""Makes the virtual environments that the Makefile's verbs run in. Needs nothing but Python's standard library.

    python3 scripts/environment.py prepare serve|stack|dev [DIRECTORY]  installs what is missing, if anything is
    python3 scripts/environment.py uv ARGUMENTS                         runs uv; gets one into .uv if there is none
    python3 scripts/environment.py find 3.13                            prints an interpreter of that version, or fails

An environment is made for the interpreter that runs this file. What it was made from is kept in a stamp inside it, so
a second run installs nothing and starts no uv. An environment without a stamp is thrown away and made anew.
"""

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

UV_VERSION = "0.13.9"
ROOT = Path(__file__).resolve().parent.parent
OWN_UV = ROOT / ".uv" / "bin" / "uv"
MANIFESTS = (ROOT / "pyproject.toml", ROOT / "uv.lock")
SYNC = {
    "serve": ("--extra", "local", "--inexact"),  # leaves the tools of developers where they are
    "stack": ("--extra", "stack", "--inexact"),
    "dev": ("--extra", "stack", "--group", "dev"),
}
COVERS = {"serve": ("serve",), "stack": ("serve", "stack"), "dev": ("serve", "stack", "dev")}
"""What is ready once a purpose is."""
CONTENT = {
    "serve": "what M4A runs on (about 80 MB to download, once)",
    "stack": "what the local stack runs on (about 180 MB to download, once)",
    "dev": "what M4A and its local stack run on and the tools to work on it (about 260 MB to download, once)",
}


def main(arguments: Sequence[str]) -> int:
    """Runs one of the commands above and returns the exit code."""
    parser = argparse.ArgumentParser(description="Makes the environments that the Makefile's verbs run in.")
    commands = parser.add_subparsers(dest="command", required=True)
    prepare_command = commands.add_parser("prepare")
    prepare_command.add_argument("purpose", choices=SYNC)
    prepare_command.add_argument("directory", nargs="?", default=".venv")
    commands.add_parser("uv").add_argument("arguments", nargs=argparse.REMAINDER)
    commands.add_parser("find").add_argument("version")
    options = parser.parse_args(arguments)
    if options.command == "prepare":
        prepare(ROOT / options.directory, options.purpose)
    elif options.command == "uv":
        run([find_uv(), *options.arguments])
    else:
        found = find_interpreter(options.version)
        print(found or f"no Python {options.version} here")
        return 0 if found else 1
    return 0


def prepare(environment: Path, purpose: str) -> None:
    """Installs what the purpose needs into the environment, unless its stamp says that all is there."""
    if is_ready(environment, purpose):
        return
    with one_at_a_time():
        if not is_ready(environment, purpose):
            install(environment, purpose)


def is_ready(environment: Path, purpose: str) -> bool:
    """Whether the environment was made for this purpose, from the present manifests, here, for this interpreter."""
    stamp = stamp_of(environment, purpose)
    return has_python(environment) and stamp.exists() and stamp.read_text() == fingerprint()


def has_python(environment: Path) -> bool:
    """Whether the environment's interpreter, a link to the one it was made from, is still there."""
    return (environment / "bin" / "python").exists()


def install(environment: Path, purpose: str) -> None:
    """Lets uv install from the lock file. The stamps go first and come back last: without one, the environment is not
    to be trusted, and is made anew."""
    uv = find_uv()
    run([uv, "lock", "--check", "--quiet"])
    stamps = list(environment.glob(".m4a-ready-for-*"))
    if environment.exists() and not (stamps and has_python(environment)):
        say(f"{environment.name} is not complete; making it anew.")
        shutil.rmtree(environment)
    say(f"Installing into {environment.name}: {CONTENT[purpose]}.")
    for stamp in stamps:
        stamp.unlink(missing_ok=True)
    run([uv, "sync", "--locked", *SYNC[purpose]], UV_PROJECT_ENVIRONMENT=str(environment))
    for served in COVERS[purpose]:
        stamp_of(environment, served).write_text(fingerprint())
    say(f"Done: {environment.name} is ready.")


def stamp_of(environment: Path, purpose: str) -> Path:
    """The file that says what the environment was made from."""
    return environment / f".m4a-ready-for-{purpose}"


def fingerprint() -> str:
    """Of all that an environment depends on: manifests, place (its scripts hold absolute paths) and interpreter."""
    parts = [path.read_bytes() for path in MANIFESTS]
    parts += [str(ROOT).encode(), str(interpreter()).encode(), sys.version.encode()]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def interpreter() -> Path:
    """The interpreter that runs this file; in a virtual environment, the one that it was made from."""
    base = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    return base if base.exists() else Path(sys.executable)


def find_uv() -> Path:
    """A uv that is new enough: the one on PATH, else one of our own in ``.uv``, which is made if need be."""
    on_path = shutil.which("uv")
    if on_path and version_of(Path(on_path)) >= as_numbers(UV_VERSION):
        return Path(on_path)
    if version_of(OWN_UV) != as_numbers(UV_VERSION):
        say(f"Getting uv {UV_VERSION}, which installs packages, into .uv.")
        run([interpreter(), "-m", "venv", "--clear", OWN_UV.parent.parent])
        pip = [OWN_UV.parent / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*pip, f"uv=={UV_VERSION}"])
    return OWN_UV


def version_of(uv: Path) -> tuple[int, ...]:
    """The version of a uv; empty if it does not run."""
    return as_numbers(output_of([uv, "--version"]))


def as_numbers(text: str) -> tuple[int, ...]:
    """The first version number in the text."""
    match = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(int(part) for part in match.group().split(".")) if match else ()


def find_interpreter(version: str) -> str | None:
    """An interpreter of a version such as 3.13: by its name on PATH, else among those of pyenv."""
    installed = output_of(["pyenv", "versions", "--bare"]).split()
    prefixes = [output_of(["pyenv", "prefix", name]).strip() for name in installed if name.startswith(f"{version}.")]
    candidates = [f"python{version}", *(f"{prefix}/bin/python{version}" for prefix in prefixes)]
    runs = (output_of([candidate, "-c", "import sys; print(sys.executable)"]).strip() for candidate in candidates)
    return next(filter(None, runs), None)


def output_of(command: Sequence[str | Path]) -> str:
    """What a command prints; nothing if it can't be run or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def run(command: Sequence[str | Path], **variables: str) -> None:
    """Runs a command. Uv works with the interpreter that runs this file, and downloads none."""
    inherited = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    fixed = {"UV_PYTHON": str(interpreter()), "UV_PYTHON_DOWNLOADS": "never"}
    subprocess.run(command, check=True, cwd=ROOT, env=inherited | fixed | variables)


@contextmanager
def one_at_a_time() -> Generator[None]:
    """Waits while another run installs; the lock goes with the process, however that ends."""
    with MANIFESTS[0].open("rb") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another run, which is installing.")
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a broken off run ends the programs that it started
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except subprocess.CalledProcessError as error:
        command = " ".join(map(str, error.cmd))
        sys.exit(f"Failed, with exit code {error.returncode}: {command}")
