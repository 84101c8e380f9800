"""What holds for a packaged function as a process: its code, settings, size of answers, callers and time."""

import json
import socket
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from m4a.bootstrap import build_operator
from m4a.domain.owner import Caller, Owner
from m4a.domain.times import format_instant
from m4a.tools import call_tool
from scripts.tools import programs_of
from tests.runtime.calls import agent, call, http, tool_event
from tests.runtime.conftest import HANDLERS, World
from tests.runtime.emulator import Functions
from tests.support.action_group import MAX_BYTES, function_event
from tests.support.doubles import SettableClock
from tests.support.samples import sample

SEARCHING = ("opensearchpy", "m4a.adapters.opensearch.client", "m4a.adapters.bedrock.client")
LOCAL_ONLY = ("m4a.local", "m4a.adapters.sqlite", "m4a.adapters.onnx", "apsw", "numpy", "onnxruntime", "grpc")

UMA = Caller(Owner("default", "uma"), "uma", "https", "request-1")


def printed(package: Path, code: str, **variables: str) -> str:
    """What this prints in a process like the function's, or the last line of why it failed."""
    command = [programs_of("lambda-runtime") / "python", "-P", "-s", "-c", code]
    environment = {"PYTHONPATH": str(package), **variables}
    done = subprocess.run(command, cwd=package, env=environment, capture_output=True, text=True)
    return done.stdout.strip() or done.stderr.splitlines()[-1]


def find_spec(package: Path, module: str) -> str:
    """Where a process of the function would import it from; ``None`` if from nowhere."""
    return printed(
        package, f"import importlib.util as found; spec = found.find_spec({module!r}); print(spec and spec.origin)"
    )


@pytest.mark.parametrize("name", HANDLERS)
def test_a_function_runs_the_code_of_its_package(packages: Path, name: str) -> None:
    package = packages / name
    handler = HANDLERS[name].rpartition(".")[0]
    assert find_spec(package, "m4a") == str(package / "m4a" / "__init__.py")
    assert find_spec(package, handler) == f"{package}/{handler.replace('.', '/')}.py"


@pytest.mark.parametrize("module", LOCAL_ONLY)
def test_what_only_the_local_profile_needs_is_not_packaged(packages: Path, module: str) -> None:
    assert find_spec(packages / "Recall", module) in ("None", f"ModuleNotFoundError: No module named '{module}'")


def test_modules_are_compiled_and_not_checked_against_their_source(packages: Path) -> None:
    compiled = packages / "Recall" / "m4a" / "__pycache__" / "settings.cpython-313.pyc"
    assert int.from_bytes(compiled.read_bytes()[4:8], "little") == 0b01  # made from a hash, which is not looked at


@pytest.mark.parametrize(("name", "loaded"), [("forget", []), ("recall", list(SEARCHING))])
def test_forget_gets_ready_without_model_and_search(packages: Path, world: World, name: str, loaded: list[str]) -> None:
    first_call = {"forget": "sparing_service", "recall": "service"}[name]
    asked = f"import sys, json, {name}.handler as handler; handler.{first_call}(); "
    asked += f"print(json.dumps([one for one in {SEARCHING} if one in sys.modules]))"
    assert json.loads(printed(packages / name.title(), asked, **world.variables)) == loaded


def test_what_forget_does_not_load_at_first_it_loads_when_it_is_asked(functions: Functions) -> None:
    made, _ = http(functions, tool_event("remember", "olga", content="Olga plays the oboe"))
    reply = functions["Forget"].invoke(tool_event("recall", "olga", query="oboe"))
    found = json.loads(reply["body"])
    assert ([one["memory_id"] for one in found["memories"]], found.get("degraded")) == ([made["memory_id"]], None)


def test_what_one_function_wrote_the_next_call_of_another_finds(functions: Functions) -> None:
    made, _ = http(functions, tool_event("remember", "rosa", content="Rosa keeps bees on the roof"))
    for _ in range(3):
        found, _ = http(functions, tool_event("recall", "rosa", query="bees"))
        assert [one["memory_id"] for one in found["memories"]] == [made["memory_id"]]


def test_nothing_of_one_call_is_there_in_the_next(functions: Functions) -> None:
    agent(functions, function_event("simon", "remember", {"content": "Simon is allergic to nuts"}))
    body, error = agent(functions, function_event("teresa", "recall", {"query": "nuts"}))
    assert (error, body["memories"]) == (None, [])
    assert call(functions, "action_group", "unauthenticated")[1] == "unauthenticated"


def test_an_agents_reply_is_measured_as_it_is_sent(functions: Functions) -> None:
    for number in range(2):
        text = f"第{number}封信：" + "猫坐在垫子上。" * 800
        http(functions, tool_event("remember", "yuki", content=text))
    text = functions["ActionGroup"].answer(function_event("yuki", "recall", {"query": "猫坐在垫子上", "limit": 2}))
    assert "猫坐在垫子上" in text.replace("\\\\", "\\")
    assert MAX_BYTES / 2 < len(text.encode()) <= MAX_BYTES


def test_a_public_route_needs_nobody_and_all_others_do(functions: Functions) -> None:
    event = sample("https/unauthenticated.json")
    assert (
        http(functions, {**event, "routeKey": "GET /health", "rawPath": "/health"} | _method(event, "GET"))[1] is None
    )
    assert http(functions, {**event, "rawPath": "/memories"} | _method(event, "GET"))[1] == "unauthenticated"


def _method(event: dict[str, dict[str, dict[str, str]]], method: str) -> dict[str, object]:
    context = event["requestContext"]
    return {"requestContext": {**context, "http": {**context["http"], "method": method}}, "body": None}


def test_the_sweep_forgets_what_has_expired(functions: Functions, world: World) -> None:
    yesterday = SettableClock(datetime.now(UTC) - timedelta(days=1))
    earlier = build_operator(world.settings, clock=yesterday).service
    until_now = {"content": "The parking permit", "expires_at": format_instant(datetime.now(UTC))}
    made = call_tool(earlier, UMA, "remember", until_now)
    earlier.close()
    assert functions["Sweep"].invoke(sample("sweep/minute.json"))["expired"] == 1
    receipts = world.operator.service.log.receipts(UMA.owner, [made["memory_id"]])
    assert [one.reason for one in receipts.values()] == ["expired"]


def test_a_wrong_setting_is_named_at_the_first_call(functions: Functions) -> None:
    started = functions.start("Recall", M4A_TABLE="", M4A_REPLICAS="three")
    answer = started.invoke(tool_event("recall", "vera", query="x"))
    assert answer["errorType"] == "SettingsError"
    assert "M4A_REPLICAS" in answer["errorMessage"]


def test_a_table_that_hangs_is_told_before_the_platform_ends_the_call_and_the_next_one_is_served(
    functions: Functions,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections and never answers
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        started = functions.start("Remember", timeout_s=10, M4A_DYNAMODB_URL=address)
        reply = started.invoke(tool_event("remember", "xenia", content="Tea"))
        assert (reply["statusCode"], json.loads(reply["body"])["code"]) == (503, "unavailable")
        reply = started.invoke(sample("https/unauthenticated.json") | {"rawPath": "/tools/remember"})
        assert reply["statusCode"] == 401


def test_logs_hold_nothing_of_what_was_said(functions: Functions) -> None:
    secret = "marzipan"
    http(functions, tool_event("remember", "wanda", content=f"Wanda's password is {secret}"))
    http(functions, tool_event("recall", "wanda", query=secret))
    http(functions, tool_event("recall", "wanda", query=secret, limit=secret))
    logs = [functions[name].log.read_text() for name in ("Remember", "Recall")]
    assert all("REPORT RequestId" in log for log in logs)
    assert not any(secret in log for log in logs)
