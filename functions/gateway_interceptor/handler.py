"""REQUEST interceptor of an Amazon Bedrock AgentCore Gateway"""

from typing import Any

from m4a.bootstrap import SystemClock, settings
from m4a.entrypoints.gateway_interceptor import intercept


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    present = settings()
    return intercept(
        event,
        context,
        secret=present.gateway_key,
        tenant_claim=present.tenant_claim,
        clock=SystemClock(),
        metrics_namespace=present.metrics_namespace,
    )
