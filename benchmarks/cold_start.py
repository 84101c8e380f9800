"""What one fresh process takes to get ready; prints JSON. Run by ``benchmarks.cold`` with the functions' Python.

    python -I benchmarks/cold_start.py FOLDER recall|forget|…|boto3

For a function: its handler is imported, and what that takes from ``m4a.bootstrap`` is made, as its first call does
before it talks to any backend. For ``boto3``: it is imported, and its clients of DynamoDB and Bedrock are built.
"""

import importlib
import json
import resource
import sys
import time
from typing import Any

FIRST_CALLS = ("settings", "service", "sparing_service", "operator")
REGION = "eu-central-1"


def get_ready(what: str) -> None:
    """Does all that a process does once."""
    if what == "boto3":
        sdk: Any = importlib.import_module("boto3")
        for service in ("dynamodb", "bedrock-runtime"):
            sdk.client(service, region_name=REGION)
        return
    handler = importlib.import_module(f"{what}.handler")
    for name in FIRST_CALLS:
        if hasattr(handler, name):
            getattr(handler, name)()


def main(folder: str, what: str) -> None:
    """Measures one start: CPU and wall time in ms, peak memory in MB."""
    sys.path.insert(0, folder)
    wall, cpu = time.perf_counter(), time.process_time()
    get_ready(what)
    spent = {"cpu_ms": (time.process_time() - cpu) * 1000, "wall_ms": (time.perf_counter() - wall) * 1000}
    print(json.dumps({**spent, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == "__main__":
    main(*sys.argv[1:])
