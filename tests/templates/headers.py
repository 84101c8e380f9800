"""Which headers the code behind the API reads and writes, from its source."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import m4a.entrypoints

_FOLDER = Path(m4a.entrypoints.__file__).parent
_ELSEWHERE = {"agentcore_gateway.py", "assertion.py", "gateway_interceptor.py"}
"""What no browser calls: the Gateway stands in front of it."""


def headers_read() -> set[str]:
    """Names that are looked up by ``headers.get``, of requests."""
    return {
        _text(node.args[0], module)
        for module, tree in _sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _named(node.func, "get") and _is_headers(node.func)
    }


def headers_written() -> set[str]:
    """Names in what is called ``headers`` or ``standing``, where it is made or later, or what a Response is given."""
    return {_text(key, module) for module, tree in _sources() for key in _keys(tree)}


def _sources() -> Iterator[tuple[ModuleType, ast.Module]]:
    for path in sorted(_FOLDER.rglob("*.py")):
        if path.name not in _ELSEWHERE:
            parts = path.relative_to(_FOLDER).with_suffix("").parts
            name = ".".join(("m4a.entrypoints", *parts)).removesuffix(".__init__")
            yield importlib.import_module(name), ast.parse(path.read_text("utf-8"))


def _keys(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id="headers" | "standing")], value=value):
                yield from _keys_of(value)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id="headers"), slice=key)]):
                yield key
            case ast.Call(func=func, args=arguments, keywords=named) if "Response" in ast.unparse(func):
                place = (
                    1 if isinstance(func, ast.Name) else 2
                )  # Response(status, headers), Response.json(value, status, headers)
                for value in (*arguments[place : place + 1], *(one.value for one in named if one.arg == "headers")):
                    yield from _keys_of(value)
            case _:
                pass


def _keys_of(value: ast.expr) -> Iterator[ast.expr]:
    for node in ast.walk(value):
        if isinstance(node, ast.Dict):
            yield from (key for key in node.keys if key is not None)


def _named(func: ast.expr, attribute: str) -> bool:
    return isinstance(func, ast.Attribute) and func.attr == attribute


def _is_headers(func: ast.expr) -> bool:
    return isinstance(func, ast.Attribute) and ast.unparse(func.value).rpartition(".")[2] == "headers"


def _text(key: ast.expr, module: ModuleType) -> str:
    """Of a name, what it stands for in its module."""
    text = getattr(module, key.id) if isinstance(key, ast.Name) else ast.literal_eval(key)
    assert isinstance(text, str)
    return text.lower()
