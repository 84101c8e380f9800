"""Writes what the functions are packaged with, from uv.lock. Needs nothing but Python's standard library.

python3 -m scripts.requirements [--check]
"""

import subprocess
import sys

from scripts.environment import ROOT, find_uv, say

_MCP = ("mcp",)
_MCP_CLIENT = ("jsonschema",)
_AGENT = ("aws-lambda-powertools",)
_AWS = ("botocore", "opensearch-py", "pystemmer")
FILES = {
    "requirements.txt": (*_MCP, *_AGENT),
    "requirements-action-group.txt": _MCP,
    "requirements-gateway-interceptor.txt": (*_MCP, *_AGENT, *_AWS),
    "requirements-mcp-server.txt": (*_AGENT, *_MCP_CLIENT),
}
"""In ``functions``: with what each of them does without, and with it what only that needs. The first is for all
functions without one of their name."""
NEVER_IMPORTED = ("opensearch-protobufs", "pycparser")
"""``opensearch-protobufs`` brings grpcio and protobuf, for a transport over gRPC."""
_HEADER = "# Written by `make lock` from uv.lock.\n"
_EXPORT = ("export", "--quiet", "--locked", "--no-default-groups", "--extra", "aws", "--no-emit-project")
_FORM = ("--no-annotate", "--no-header")


def contents(without: tuple[str, ...]) -> str:
    """One of the files: each package with its version and hashes."""
    pruned = [word for name in (*NEVER_IMPORTED, *without) for word in ("--prune", name)]
    command = [find_uv(), *_EXPORT, *_FORM, *pruned]
    return _HEADER + subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def main(check: bool) -> int:
    """Writes the files, or tells which of them are out of date."""
    stale = 0
    for name, without in FILES.items():
        path, wanted = ROOT / "functions" / name, contents(without)
        if path.exists() and path.read_text() == wanted:
            continue
        if check:
            say(f"functions/{name} is out of date; write it with: make lock")
            stale = 1
        else:
            path.write_text(wanted)
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] == ["--check"]))
