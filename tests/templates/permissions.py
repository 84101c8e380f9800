"""What must hold of permissions. Each proof answers what is wrong; nothing, if all is well."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from tests.templates.reading import Template

Statement = Mapping[str, Any]
WITHOUT_RESOURCES = {"xray:PutTelemetryRecords", "xray:PutTraceSegments"}
"""Actions for which IAM knows no resource to name."""
UNNAMEABLE = {
    r"\$\{Table\.Arn\}/stream/\*": "a stream's name is the time at which it was made",
    r"bedrock:\*::foundation-model/(\*|cohere\.embed-v4:0)": "a profile's regions; a condition names it",
    r":agent/\*": "an agent's id is made with the agent, whose role this is",
    r":gateway/\$\{Name\}-\*": "the end of a Gateway's id is made with the Gateway, whose role this is",
    r":alarm:\*": "the alarms of this stack have generated names",
    r"/memories\*|/_alias/memories\*": "a generation of the index is made by m4a reindex",
    r"/memories-g\*-write/": "the same",
    r":domain/\$\{DomainName\}/\*": "refuses: whatever is in the domain",
}
"""Names with an asterisk, by a pattern, and why they can't be whole."""
READS = {"dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"}
COMMITS = {"dynamodb:DeleteItem", "dynamodb:PutItem"}
RECORDS = {"dynamodb:BatchWriteItem"}
EMBEDS = {"bedrock:InvokeModel"}
EACH = {"logs:CreateLogStream", "logs:PutLogEvents", *WITHOUT_RESOURCES}
USES_THE_KEY = {
    "kms:Decrypt",
    "kms:DescribeKey",
    "kms:Encrypt",
    "kms:GenerateDataKey",
    "kms:GenerateDataKeyWithoutPlaintext",
    "kms:ReEncryptFrom",
    "kms:ReEncryptTo",
}
"""What DynamoDB needs of its caller for a table with a key of one's own, says its page on encryption at rest; but for
``kms:CreateGrant``, which it asks of who makes the table:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
"""
EVERY_TOOL = READS | COMMITS | RECORDS | EMBEDS
ALLOWED: Mapping[str, set[str]] = {
    "Remember": EVERY_TOOL,
    "Recall": READS | RECORDS | EMBEDS,
    "UpdateMemory": EVERY_TOOL,
    "Forget": READS | COMMITS | RECORDS,
    "McpServer": EVERY_TOOL,
    "Memories": EVERY_TOOL | {"dynamodb:ConditionCheckItem"},
    "ActionGroup": EVERY_TOOL,
    "AgentcoreGateway": EVERY_TOOL,
    "GatewayInterceptor": set(),
    "Indexer": {
        "dynamodb:BatchGetItem",
        "dynamodb:DeleteItem",
        "dynamodb:DescribeStream",
        "dynamodb:GetRecords",
        "dynamodb:GetShardIterator",
        "dynamodb:ListStreams",
        "sqs:SendMessage",
    },
    "Sweep": READS | COMMITS | EMBEDS | {"dynamodb:UpdateItem"},
}
"""What each function may do besides writing its logs and traces, and using the table's key."""


def as_list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def statements(template: Template) -> Iterator[tuple[str, Statement]]:
    """Every statement of every policy, with the resource that it stands in."""
    for name, resource in template["Resources"].items():
        for document in _documents(resource["Properties"]):
            yield from ((name, statement) for statement in as_list(document["Statement"]))


def _documents(value: Any) -> Iterator[Mapping[str, Any]]:
    """Policy documents at any depth, also one that is written as text."""
    if isinstance(value, str) and value.lstrip().startswith('{"Version"'):
        yield json.loads(value)
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _documents(one)
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        if "Statement" in fields:
            yield fields
        else:
            for one in fields.values():
                yield from _documents(one)


def texts(value: Any) -> Iterator[str]:
    """All text in a value, the names that functions of CloudFormation refer to too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from texts(one)
    elif isinstance(value, dict):
        for one in cast("dict[str, Any]", value).values():
            yield from texts(one)


def vague_statements(template: Template) -> list[str]:
    """Statements with an asterisk in an action, or in a resource that could be named."""
    found: list[str] = []
    for name, statement in statements(template):
        if template["Resources"][name]["Type"] == "AWS::KMS::Key":
            continue  # the policy of a key is about that key, and gives the account its management
        actions = as_list(statement["Action"])
        found += [f"{name}: {action}" for action in actions if "*" in action]
        for text in texts(statement.get("Resource", [])):
            excused = set(actions) <= WITHOUT_RESOURCES if text == "*" else _unnameable(text)
            if "*" in text and not excused:
                found.append(f"{name}: {text}")
    return found


def _unnameable(text: str) -> bool:
    return any(re.search(pattern, text) for pattern in UNNAMEABLE)


def allowed_actions(template: Template, function: str) -> set[str]:
    """What the function's role may do, by its own policies and by those that roles share."""
    role = template["Resources"][function]["Properties"]["Role"]["Fn::GetAtt"][0]
    policies = [template["Resources"][role]["Properties"].get("Policies", [])]
    for resource in template["Resources"].values():
        properties = resource["Properties"]
        if resource["Type"] == "AWS::IAM::Policy" and {"Ref": role} in properties["Roles"]:
            policies.append(properties["PolicyDocument"])
    found = [one for policy in policies for document in _documents(policy) for one in as_list(document["Statement"])]
    return {action for one in found if one["Effect"] == "Allow" for action in as_list(one["Action"])}


def permissions_beside_the_list(template: Template) -> list[str]:
    """Actions that a function has and should not, or lacks."""
    wrong: list[str] = []
    for function, expected in ALLOWED.items():
        if function in template["Resources"]:
            found = allowed_actions(template, function) - EACH - USES_THE_KEY
            wrong += [f"{function}: {action}" for action in sorted(found ^ expected)]
    return wrong


def functions_that_can_scan(template: Template) -> list[str]:
    """By Scan, or by what can mean it."""
    scans = re.compile(r"dynamodb:(\*|S\*|Scan|PartiQL.*|ExportTable.*)|\*", re.IGNORECASE)
    return [name for name in ALLOWED if name in template["Resources"] and _any(scans, allowed_actions(template, name))]


def _any(pattern: re.Pattern[str], found: Iterable[str]) -> bool:
    return any(pattern.fullmatch(one) for one in found)


def roles_without_a_reason(template: Template) -> list[str]:
    """Functions that share a role, or whose role nobody listed."""
    roles: dict[str, list[str]] = {}
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::Lambda::Function":
            roles.setdefault(json.dumps(resource["Properties"]["Role"]), []).append(name)
    shared = [name for names in roles.values() if len(names) > 1 for name in names]
    return shared + [name for names in roles.values() for name in names if name not in ALLOWED]


def callers_that_are_not_bound(template: Template) -> list[str]:
    """Services that may call a function or take a role, without a word for whose sake.

    The ARN of an API names the account already, and API Gateway does not always say another time which it is.
    """
    found: list[str] = []
    for name, resource in template["Resources"].items():
        properties = resource["Properties"]
        if resource["Type"] == "AWS::Lambda::Permission":
            source = json.dumps(properties.get("SourceArn", ""))
            of_the_api = properties["Principal"] == "apigateway.amazonaws.com" and "${AWS::AccountId}" in source
            if len(source) < 3 or not (of_the_api or "SourceAccount" in properties):
                found.append(name)
    for name, statement in statements(template):
        principal: Mapping[str, Any] = statement.get("Principal", {})
        service = principal.get("Service")
        if service in (None, "lambda.amazonaws.com"):
            continue  # Lambda says nothing of the kind when it takes a function's role
        conditions = json.dumps(statement.get("Condition", {}))
        if "aws:SourceAccount" not in conditions or "aws:SourceArn" not in conditions:
            found.append(f"{name}: {service}")
    return found


def searching_roles(domain: Template) -> dict[str, set[str]]:
    """Which parameter with roles may call what on the domain: method and path."""
    found: dict[str, set[str]] = {}
    for statement in domain["Resources"]["Domain"]["Properties"]["AccessPolicies"]["Statement"]:
        if statement["Effect"] == "Allow":
            paths = [text.partition("${DomainName}")[2] for text in texts(statement["Resource"])]
            verbs = [action.removeprefix("es:ESHttp").upper() for action in as_list(statement["Action"])]
            for role in texts(statement["Principal"]):
                found.setdefault(role, set()).update(f"{verb} {path}" for verb in verbs for path in paths)
    return found
