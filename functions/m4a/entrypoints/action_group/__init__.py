"""The entry point for action groups of Amazon Bedrock agents, in both styles: function details and OpenAPI."""

from m4a.entrypoints.action_group.answering import respond

__all__ = ["respond"]
