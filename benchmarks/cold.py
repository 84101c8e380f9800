"""What a function takes to get ready in a fresh process, beside importing boto3 and building its two clients.

    python -m benchmarks.cold [--rounds 15]

The functions are measured as they are packaged, on the Python that Lambda runs them with; boto3 as it is installed from
the lock, which is what a function pays that uses it as it comes. All take turns, so that a busy machine slows them
alike; the figures are medians. A missed target is shown, and does not change the exit status: the figures depend on the
machine.
"""

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median

from rich.progress import Progress
from rich.table import Table

from benchmarks.report import console, progress, write_results
from scripts.environment import ROOT, find_uv, run
from scripts.function_code import build
from scripts.tools import NoInterpreter, lambda_python

ROUNDS = 15
FUNCTION_IDS: Mapping[str, str] = {
    "recall": "Recall",
    "remember": "Remember",
    "update_memory": "UpdateMemory",
    "forget": "Forget",
    "memories": "Memories",
    "action_group": "ActionGroup",
    "agentcore_gateway": "AgentcoreGateway",
    "gateway_interceptor": "GatewayInterceptor",
    "mcp_server": "McpServer",
    "indexer": "Indexer",
    "sweep": "Sweep",
}
"""Folder of a function to its name in the template."""
BOTO3 = "boto3"
BOTO3_PACKAGES = ("boto3", "botocore", "jmespath", "python-dateutil", "s3transfer", "six", "urllib3")
TARGETS: Mapping[str, float] = {"tool_ratio": 1.9, "forget_ratio": 1.5}
_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "M4A_PROFILE": "aws",
    "M4A_REGION": "eu-central-1",
    "M4A_TABLE": "memories",
    "M4A_SEARCH_URL": "https://search.example",
    "M4A_GATEWAY_SECRET": "0" * 32,
    "M4A_METRICS_NAMESPACE": "M4A",
}


@dataclass(frozen=True, slots=True)
class Start:
    """One start of a process, or the medians of many."""

    cpu_ms: float
    wall_ms: float
    peak_mb: float

    @classmethod
    def medians(cls, starts: Sequence["Start"]) -> "Start":
        rows = [asdict(one) for one in starts]
        return cls(**{name: median(row[name] for row in rows) for name in rows[0]})


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args(arguments).rounds
    try:
        python = lambda_python()
    except NoInterpreter as missing:
        console.print(f"{missing} The functions are measured on the Python that Lambda runs them with.")
        return 1
    with tempfile.TemporaryDirectory(prefix="m4a-") as home, progress() as bars:
        medians = measure(python, Path(home), rounds, bars)
    show(medians)
    figures = figures_of(medians)
    starts = {name: asdict(one) for name, one in medians.items()}
    console.print("written to", str(write_results("cold", {"rounds": rounds, **figures, "starts": starts})))
    console.print("cold: " + " ".join(f"{name}={value:.2f}" for name, value in figures.items()), soft_wrap=True)
    return 0


def measure(python: str, home: Path, rounds: int, bars: Progress) -> Mapping[str, Start]:
    """The medians by name, of boto3 and of each function."""
    starts = _starts(python, home, bars)
    samples: dict[str, list[Start]] = {name: [] for name in starts}
    task = bars.add_task("Fresh processes", total=rounds * len(starts))
    for start in starts.values():
        start()  # so that every file is in the machine's cache
    for _ in range(rounds):
        for name, start in starts.items():
            samples[name].append(start())
            bars.advance(task)
    return {name: Start.medians(found) for name, found in samples.items()}


def _starts(python: str, home: Path, bars: Progress) -> Mapping[str, Callable[[], Start]]:
    architecture = "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64"
    task = bars.add_task("Packages", total=len(FUNCTION_IDS) + 1)
    folders: dict[str, Path] = {}
    for name, logical_id in FUNCTION_IDS.items():
        folders[name] = home / name
        build(logical_id, folders[name], architecture)
        bars.advance(task)
    installed = home / "installed"
    install_boto3(installed, python)
    bars.advance(task)

    def starter(folder: Path, what: str) -> Callable[[], Start]:
        return lambda: start(python, folder, what)

    return {name: starter(folder, name) for name, folder in {BOTO3: installed, **folders}.items()}


def install_boto3(folder: Path, python: str) -> None:
    """As pip would, in the versions of this environment, which are the lock's."""
    exactly = [f"{name}=={version(name)}" for name in BOTO3_PACKAGES]
    run([find_uv(), "pip", "install", "--quiet", "--no-deps", "--python", python, "--target", folder, *exactly])
    run([python, "-m", "compileall", "-q", folder])


def start(python: str, folder: Path, what: str) -> Start:
    """Starts one process, which sees nothing of this project but the folder."""
    command = [python, "-I", "-B", ROOT / "benchmarks" / "cold_start.py", folder, what]
    done = subprocess.run(command, env=_ENVIRONMENT, cwd=folder, capture_output=True, text=True, check=True)
    return Start(**json.loads(done.stdout))


def figures_of(medians: Mapping[str, Start]) -> dict[str, float]:
    """The numbers of the last line: CPU time, each as a ratio to boto3's."""
    cpu = {name: one.cpu_ms for name, one in medians.items()}
    tool = max(cpu["recall"], cpu["remember"])
    ratios = {
        "tool_ratio": tool,
        "forget_ratio": cpu["forget"],
        "action_group_ratio": cpu["action_group"],
        "mcp_ratio": cpu["mcp_server"],
    }
    return {**{name: value / cpu[BOTO3] for name, value in ratios.items()}, "tool_cpu_ms": tool}


def show(medians: Mapping[str, Start]) -> None:
    table = Table(title="Getting ready in a fresh process", caption="medians; x: CPU time beside boto3's")
    for heading in ("", "CPU ms", "wall ms", "peak MB", "x"):
        table.add_column(heading, justify="left" if not heading else "right")
    for name, one in medians.items():
        ratio = one.cpu_ms / medians[BOTO3].cpu_ms
        table.add_row(name, f"{one.cpu_ms:.0f}", f"{one.wall_ms:.0f}", f"{one.peak_mb:.0f}", f"{ratio:.2f}")
    console.print(table)
    figures = figures_of(medians)
    for name, most in TARGETS.items():
        if figures[name] > most:
            console.print(f"[yellow]{name} is over its target of {most}.[/yellow]")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
