"""Replies of an action group fit into what Bedrock takes."""

import json
from dataclasses import replace
from typing import Any

import pytest

from m4a.application.service import Service
from m4a.entrypoints.action_group import respond
from tests.support.action_group import MAX_BYTES, body_of, function_event, lambda_context, openapi_event
from tests.support.doubles import FaultyEmbedder


@pytest.mark.parametrize("openapi", [False, True])
@pytest.mark.parametrize("text", ["議事録", '"\\\n', "plain text ", "\U0001f40d"])
def test_a_reply_fits_whatever_the_memories_are_written_in(service: Service, openapi: bool, text: str) -> None:
    user = f"long-{openapi}-{ord(text[0])}"
    embedder = FaultyEmbedder(service.embedder)
    embedder.mode = "down"  # long texts take long to embed, and here only their size counts
    service = replace(service, embedder=embedder)
    made = openapi_event if openapi else function_event
    for number in range(8):
        content = f"Minutes {number}: " + text * (7_900 // len(text))
        reply = respond(service, made(user, "remember", {"content": content}), lambda_context())
        assert bytes_of(reply) <= MAX_BYTES and body_of(reply)["created"]

    reply = respond(service, made(user, "recall", {"query": "minutes", "limit": 8}), lambda_context())

    body = body_of(reply)
    assert bytes_of(reply) <= MAX_BYTES
    assert body["truncated"] is True and len(body["memories"]) + body["omitted"] == 8
    assert body["memories"][0]["content"].startswith("Minutes ")


@pytest.mark.parametrize("openapi", [False, True])
@pytest.mark.parametrize("character", ["\U0001f600", '"', "\\"])
def test_a_text_is_cut_to_less_than_bedrocks_limit_and_to_no_less_than_needed(
    service: Service, openapi: bool, character: str
) -> None:
    embedder = FaultyEmbedder(service.embedder)
    embedder.mode = "down"
    service = replace(service, embedder=embedder)
    made = openapi_event if openapi else function_event
    for lead in range(4):  # a character takes four bytes, so one of these would have the very limit
        user = f"cut-{openapi}-{ord(character)}-{lead}"
        content = "x" * lead + character * (8_000 - lead)
        size = bytes_of(respond(service, made(user, "remember", {"content": content}), lambda_context()))
        assert 24_996 <= size < 25_000


def bytes_of(reply: dict[str, Any]) -> int:
    return len(json.dumps(reply, ensure_ascii=False).encode())
