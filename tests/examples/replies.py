"""What a model's API answers that calls tools, or says something, in the form of each provider."""

import json
from collections.abc import Sequence
from typing import Any

Calls = Sequence[tuple[str, str, dict[str, Any]]]
"""Id, tool and arguments of each call."""


def openai(calls: Calls, text: str | None = None) -> dict[str, Any]:
    """An answer of Chat Completions."""
    tool_calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for call_id, name, arguments in calls
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": tool_calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice]}


def anthropic(calls: Calls, text: str | None = None) -> dict[str, Any]:
    """An answer of the Messages API."""
    uses = [{"type": "tool_use", "id": call_id, "name": name, "input": given} for call_id, name, given in calls]
    content = uses or [{"type": "text", "text": text}]
    usage = {"input_tokens": 1, "output_tokens": 1}
    about = {"id": "x", "type": "message", "role": "assistant", "model": "scripted", "usage": usage}
    return {**about, "content": content, "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}


def bedrock(calls: Calls, text: str | None = None) -> dict[str, Any]:
    """An answer of the Converse API."""
    uses = [{"toolUse": {"toolUseId": call_id, "name": name, "input": given}} for call_id, name, given in calls]
    message = {"role": "assistant", "content": uses or [{"text": text}]}
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    reason = "tool_use" if calls else "end_turn"
    return {"output": {"message": message}, "stopReason": reason, "usage": usage, "metrics": {"latencyMs": 1}}
