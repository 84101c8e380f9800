"""What must hold of alarms and dashboard. Each proof answers what is wrong; nothing, if all is well."""

import json
import re
from collections.abc import Iterator, Mapping, Set
from typing import Any

from tests.templates.reading import Template

OPERATION = frozenset({"operation"})
OWN: Mapping[str, set[frozenset[str]]] = {
    "duration": {OPERATION},
    "embed": {OPERATION},
    "outbox": {OPERATION},
    "search": {OPERATION},
    "read": {OPERATION},
    "commit": {OPERATION},
    "trace": {OPERATION},
    "degraded": {frozenset(), frozenset({"reason"})},
    "errors": {frozenset({"code"})},
    "outbox_age": {frozenset()},
    "outbox_stuck": {frozenset()},
    "index_alive": {frozenset()},
    "due_age": {frozenset()},
}
"""M4A's own metrics, each with the sets of dimensions that it is written with."""
_LAMBDA = {frozenset({"FunctionName"})}
_DOMAIN = {frozenset({"DomainName", "ClientId"})}
OF_SERVICES: Mapping[str, set[frozenset[str]]] = {
    "AWS/SQS ApproximateNumberOfMessagesVisible": {frozenset({"QueueName"})},
    "AWS/Lambda Errors": _LAMBDA,
    "AWS/Lambda Throttles": _LAMBDA,
    "AWS/Lambda IteratorAge": _LAMBDA,
    "AWS/DynamoDB ThrottledRequests": {frozenset({"TableName", "Operation"})},
    "AWS/DynamoDB ConsumedReadCapacityUnits": {frozenset({"TableName"})},
    "AWS/DynamoDB ConsumedWriteCapacityUnits": {frozenset({"TableName"})},
    "AWS/ApiGateway Count": {frozenset({"ApiId"})},
    "AWS/ApiGateway 4xx": {frozenset({"ApiId"})},
    "AWS/ApiGateway 5xx": {frozenset({"ApiId"})},
    "AWS/ES ClusterStatus.red": _DOMAIN,
    "AWS/ES ClusterStatus.yellow": _DOMAIN,
    "AWS/ES ClusterIndexWritesBlocked": _DOMAIN,
    "AWS/ES JVMMemoryPressure": _DOMAIN,
    "AWS/ES FreeStorageSpace": _DOMAIN,
}
"""Those of the services that are used here, as their documentation names them."""
SHORTEST_ADVICE = 80
"""Characters: what an alarm means and what to do has no room in less."""

Metric = tuple[str, str, frozenset[str]]


def alarms(template: Template) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::CloudWatch::Alarm":
            yield name, resource["Properties"]


def metrics_that_nobody_writes(template: Template) -> list[str]:
    """For a settled template: metrics of alarms and dashboard that don't exist, or not with those dimensions."""
    found = [(name, metric) for name, alarm in alarms(template) for metric in _of_alarm(alarm)]
    found += [("Dashboard", metric) for metric in _of_dashboard(template)]
    return [f"{name}: {metric[0]} {metric[1]} {sorted(metric[2])}" for name, metric in found if not _exists(metric)]


def alarms_that_do_not_help(template: Template) -> list[str]:
    return [name for name, alarm in alarms(template) if len(alarm.get("AlarmDescription", "")) < SHORTEST_ADVICE]


def alarms_that_nobody_hears(template: Template) -> list[str]:
    return [name for name, alarm in alarms(template) if not alarm.get("AlarmActions")]


def _exists(metric: Metric) -> bool:
    namespace, name, dimensions = metric
    known = OWN.get(name, set()) if namespace == "own" else OF_SERVICES.get(f"{namespace} {name}", set())
    return dimensions in known


def _of_alarm(alarm: Mapping[str, Any]) -> Iterator[Metric]:
    if "MetricName" in alarm:
        yield _metric(alarm)
    for query in alarm.get("Metrics", ()):
        if "MetricStat" in query:
            yield _metric(query["MetricStat"]["Metric"])


def _metric(fields: Mapping[str, Any]) -> Metric:
    namespace = fields["Namespace"]
    dimensions = frozenset(one["Name"] for one in fields.get("Dimensions", ()))
    return (namespace if isinstance(namespace, str) else "own"), fields["MetricName"], dimensions


def _of_dashboard(template: Template) -> Iterator[Metric]:
    body = json.loads(template["Resources"]["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"])
    for row in (row for widget in body["widgets"] for row in widget["properties"]["metrics"]):
        if isinstance(row[0], str):
            yield row[0].replace("${Namespace}", "own"), row[1], frozenset(row[2::2])
        else:
            yield _searched(row[0]["expression"])


def _searched(expression: str) -> Metric:
    """In quotes, for the namespace has a slash: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/
    search-expression-syntax.html. One without finds nothing, so it is no metric that exists."""
    found = re.search(r'\{"\$\{Namespace\}",(\w+)\} MetricName="(\w+)"', expression)
    return ("own", found[2], frozenset({found[1]})) if found else ("own", expression, frozenset())


def metrics_under_alarm(template: Template) -> int:
    """For a settled template: how many metrics CloudWatch takes money for, one for each that an alarm reads."""
    return sum(1 for _, alarm in alarms(template) for _ in _of_alarm(alarm))


def tools_beside_the_quotient(template: Template, degrading: Set[str]) -> set[str]:
    """Tools whose degraded answers are counted and whose answers are not, or the other way round."""
    queries: list[Mapping[str, Any]] = template["Resources"]["Degraded"]["Properties"]["Metrics"]
    whole = next(one["Expression"] for one in queries if "Expression" in one).partition("/")[2]
    operations = {
        dimension["Value"]
        for one in queries
        if "MetricStat" in one and re.search(rf"\b{one['Id']}\b", whole)
        for dimension in one["MetricStat"]["Metric"].get("Dimensions", ())
    }
    return operations ^ degrading
