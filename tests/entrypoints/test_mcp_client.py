"""The official SDK's client against POST /mcp, in the present protocol, the newest with a handshake, and the oldest."""

from collections.abc import Iterator

import mcp.client.session
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import GetPromptResult, ListToolsResult, ReadResourceResult, TextContent, TextResourceContents
from mcp_types.version import OLDEST_SUPPORTED_VERSION

from m4a.application.service import Service
from m4a.local.access import Tokens
from m4a.local.server import LocalServer
from m4a.tools import TOOLS
from m4a.tools.prompt import system_prompt
from tests.support.mcp import LEGACY, McpHttpClient, text_of

VERSIONS = {"2026-07-28": "auto", "2025-11-25": LEGACY, "2024-11-05": LEGACY}


@pytest.fixture(params=VERSIONS)
def client(
    request: pytest.FixtureRequest, service: Service, monkeypatch: pytest.MonkeyPatch
) -> Iterator[McpHttpClient]:
    """A new user's client of each protocol."""
    version: str = request.param
    if version == OLDEST_SUPPORTED_VERSION:
        monkeypatch.setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", version)  # what the client offers
    user = request.node.name
    with LocalServer(service, Tokens.of({"t": user})) as server:
        opened = McpHttpClient(server.address, "t", mode=VERSIONS[version])
        assert opened.version == version
        yield opened
        opened.close()


def read(client: McpHttpClient, uri: str) -> tuple[str | None, str]:
    result: ReadResourceResult = client.run("read_resource", uri)
    (contents,) = result.contents
    assert isinstance(contents, TextResourceContents)
    return contents.mime_type, contents.text


def test_all_four_tools_work(client: McpHttpClient) -> None:
    made = client.call("remember", content="Grows quinces", tags=["garden"])
    assert client.call("recall", query="quinces").contents == ["Grows quinces"]
    updated = client.call("update_memory", memory_id=made["memory_id"], content="Grows medlars", expected_version=1)
    assert (updated["version"], updated["content"]) == (2, "Grows medlars")
    assert client.call("forget", memory_id=made["memory_id"], reason="asked to")["versions_erased"] == 2
    assert client.call("recall", query="medlars").contents == []


def test_the_tools_are_published_with_their_schemas_and_no_identity(client: McpHttpClient) -> None:
    listed: ListToolsResult = client.run("list_tools")
    assert [tool.name for tool in listed.tools] == list(TOOLS)
    for tool in listed.tools:
        assert tool.description == TOOLS[tool.name].description
        assert tool.input_schema["properties"].keys() == TOOLS[tool.name].input.model_fields.keys()
        assert not {"user_id", "user", "owner", "tenant_id", "tenant"} & tool.input_schema["properties"].keys()
        assert tool.output_schema and tool.output_schema["type"] == "object"


def test_the_tools_say_what_they_do_to_memories(client: McpHttpClient) -> None:
    listed: ListToolsResult = client.run("list_tools")
    hints = {tool.name: tool.annotations for tool in listed.tools}
    told = {
        name: (hint.read_only_hint, hint.destructive_hint, hint.idempotent_hint, hint.open_world_hint)
        for name, hint in hints.items()
        if hint
    }
    assert told == {
        "remember": (False, False, True, False),
        "recall": (True, False, True, False),
        "update_memory": (False, True, True, False),
        "forget": (False, True, True, False),
    }


def test_a_refusal_is_a_result_that_the_model_can_read(client: McpHttpClient) -> None:
    result = client.result("remember", content="Tea", type="rumour")
    assert result.is_error
    assert text_of(result) == "type: is not one of the allowed words. Allowed: fact, preference, event, task."
    assert client.call("remember", content="Tea", type="rumour").fields == ["type"]
    assert client.call("forget", memory_id="x", reason="gone").error == "not_found"


def test_a_conflict_tells_the_state_that_is_in_the_way(client: McpHttpClient) -> None:
    made = client.call("remember", content="Has two cats")
    client.call("update_memory", memory_id=made["memory_id"], content="Has three cats")
    late = {"memory_id": made["memory_id"], "content": "Has a dog", "expected_version": 1}
    text = text_of(client.result("update_memory", **late))
    assert "Has three cats" in text and "version 2" in text
    answer = client.call("update_memory", **late)
    assert (answer.error, answer.body["reason"], answer.body["current"]["version"]) == ("conflict", "version", 2)


def test_an_unknown_tool_is_a_protocol_error(client: McpHttpClient) -> None:
    assert client.call("erase_everything").error == "-32602"


def test_the_core_block_and_a_memory_can_be_read_as_resources(client: McpHttpClient) -> None:
    made = client.call("remember", content="Allergic to walnuts", importance="high")
    uris = [one.uri for one in client.run("list_resources").resources]
    templates = [one.uri_template for one in client.run("list_resource_templates").resource_templates]
    assert (uris, templates) == (["m4a://context"], ["m4a://memories/{memory_id}"])

    kind, text = read(client, "m4a://context")
    assert kind == "text/plain" and "- [fact] Allergic to walnuts" in text
    kind, text = read(client, f"m4a://memories/{made['memory_id']}")
    assert kind == "application/json" and '"content":"Allergic to walnuts"' in text


@pytest.mark.parametrize("uri", ["m4a://memories/x", "m4a://memories/", "m4a://nothing", "file:///etc/passwd"])
def test_a_resource_that_is_not_there_is_a_protocol_error(client: McpHttpClient, uri: str) -> None:
    with pytest.raises(MCPError) as caught:
        client.run("read_resource", uri)
    assert caught.value.code == -32602


def test_the_prompt_is_how_to_use_the_tools(client: McpHttpClient) -> None:
    (prompt,) = client.run("list_prompts").prompts
    result: GetPromptResult = client.run("get_prompt", prompt.name)
    (message,) = result.messages
    assert isinstance(message.content, TextContent)
    assert message.content.text == system_prompt() == client.sdk.instructions
    with pytest.raises(MCPError):
        client.run("get_prompt", "other")
