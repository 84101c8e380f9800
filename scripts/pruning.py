"""What a function's package leaves out of what is installed, and how the rest is made quick to load."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any, cast

SERVICES = ("bedrock-runtime", "dynamodb", "opensearchserverless", "sts")
"""Whose data botocore keeps: those that are called, and the one that roles are assumed with."""
ENDPOINTS = ("aoss", "bedrock", "bedrock-runtime", "dynamodb", "sts")
"""Under which names the table of endpoints has them."""
WITH_METADATA = ("httpcore2", "httpx2", "opentelemetry_api")
"""Packages that look up their own metadata when they are imported."""
LOCAL_ONLY = (
    "client",
    "local",
    "minilm-vocab.*",
    "numpy_cosines.py",
    "onnx.py",
    "py.typed",
    "sqlite",
    "wordpiece.py",
)
"""Parts of m4a that no function imports."""
_UNUSED = (".lock", "aws_lambda_powertools/event_handler", "bin")
_UNUSED_FOLDERS = ("__pycache__", "tests")


def prune(package: Path) -> None:
    """Removes from an installed folder what no function uses."""
    for name in _UNUSED:
        remove(package / name)
    for name in _UNUSED_FOLDERS:
        for folder in list(package.rglob(name)):
            remove(folder)
    for metadata in package.glob("*.dist-info"):
        if metadata.name.split("-")[0] not in WITH_METADATA:
            remove(metadata)
    if (data := package / "botocore" / "data").exists():
        _prune_services(data)


def remove(path: Path) -> None:
    """A file, a folder or nothing."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _prune_services(data: Path) -> None:
    _prune_endpoints(data / "endpoints.json")
    for service in [one for one in data.iterdir() if one.is_dir()]:
        if service.name not in SERVICES:
            remove(service)
            continue
        for version in sorted(service.iterdir())[:-1]:  # the newest is what a client is made from
            remove(version)
        for examples in service.rglob("examples-*.json*"):
            remove(examples)
        for packed in list(service.rglob("*.json.gz")):
            _unpack(packed)


def _prune_endpoints(path: Path) -> None:
    endpoints = json.loads(path.read_bytes())
    for partition in endpoints["partitions"]:
        services = partition["services"]
        partition["services"] = {name: services[name] for name in ENDPOINTS if name in services}
    path.write_text(json.dumps(endpoints, separators=(",", ":")), "utf-8")


def _unpack(packed: Path) -> None:
    """Writes the file anew, not compressed and without the texts of its documentation: most of what is to be read."""
    model = _without_documentation(json.loads(gzip.decompress(packed.read_bytes())))
    packed.with_suffix("").write_text(json.dumps(model, separators=(",", ":"), ensure_ascii=False), "utf-8")
    packed.unlink()


def _without_documentation(value: object) -> object:
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        kept = {name: one for name, one in fields.items() if name != "documentation" or not isinstance(one, str)}
        return {name: _without_documentation(one) for name, one in kept.items()}
    if isinstance(value, list):
        return [_without_documentation(one) for one in cast("list[object]", value)]
    return value
