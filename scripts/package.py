"""Builds the functions with SAM and shows how large they are. Needs nothing but Python's standard library.

    python3 -m scripts.package [--architecture arm64|x86_64] [--into .aws-sam/build]

The built template has the architecture as the default of its parameter. Fails if a function has more than 20 MB once it
is zipped, and then removes that template, without which make deploy deploys nothing.
"""

import argparse
import io
import os
import re
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

from scripts.environment import ROOT, run
from scripts.function_code import PLATFORMS
from scripts.tools import programs_of

BUILT = ROOT / ".aws-sam" / "build"
MOST_ZIPPED_MB = 20
_DEFAULT = re.compile(r"(?<=^  Architecture:\n    Type: String\n    Default: )\w+$", re.MULTILINE)


def sam_build(target: Path, architecture: str) -> None:
    """Lets SAM build every function of the template into the folder."""
    sam = programs_of("sam") / "sam"
    template = ["--template-file", ROOT / "template.yaml", "--build-dir", target]
    variables = {
        "SAM_CLI_TELEMETRY": "0",
        "M4A_ARCHITECTURE": architecture,
        "PYTHON": sys.executable,
        "AWS_DEFAULT_REGION": os.environ.get("AWS_DEFAULT_REGION", "eu-central-1"),
    }
    run([sam, "build", *template, "--parameter-overrides", f"Architecture={architecture}"], **variables)
    keep_architecture(target / "template.yaml", architecture)


def keep_architecture(template: Path, architecture: str) -> None:
    """Makes it the default of the built template, which SAM writes as it was: deployed without a word of it, the
    functions would be made for another processor than their code."""
    text, found = _DEFAULT.subn(architecture, template.read_text())
    assert found == 1, "the template has one parameter Architecture"
    template.write_text(text)


def sizes(functions: Path) -> list[tuple[str, float, float]]:
    """Of each built function: its name, and its size in MB as it is and zipped."""
    folders = sorted(one for one in functions.iterdir() if one.is_dir())
    return [(one.name, *_size(one)) for one in folders if (one / "m4a").exists()]


def _size(folder: Path) -> tuple[float, float]:
    packed = io.BytesIO()
    plain = 0
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in (one for one in folder.rglob("*") if one.is_file()):
            archive.write(path, path.relative_to(folder))
            plain += path.stat().st_size
    return plain / 1e6, packed.tell() / 1e6


def show(rows: Sequence[tuple[str, float, float]]) -> None:
    print(f"{'function':<20} {'MB':>7} {'zipped':>7}")
    for name, plain, zipped in rows:
        print(f"{name:<20} {plain:>7.1f} {zipped:>7.1f}")


def main(arguments: Sequence[str]) -> int:
    """Builds, shows, and tells whether a function is too large."""
    parser = argparse.ArgumentParser(description="Builds the functions with SAM and shows how large they are.")
    parser.add_argument("--architecture", choices=PLATFORMS, default="arm64")
    parser.add_argument("--into", type=Path, default=BUILT)
    options = parser.parse_args(arguments)
    sam_build(options.into, options.architecture)
    rows = sizes(options.into)
    show(rows)
    print(f"\nBuilt for {options.architecture}: the default of the parameter Architecture in the built template.")
    print("A stack that exists keeps the one it has, until it is deployed with this parameter.")
    large = [name for name, _, zipped in rows if zipped > MOST_ZIPPED_MB]
    if large:
        (options.into / "template.yaml").unlink(missing_ok=True)
        print(f"More than {MOST_ZIPPED_MB} MB zipped: {', '.join(large)}. Not left to be deployed.", file=sys.stderr)
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
