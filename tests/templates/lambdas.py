"""What must hold of the functions. Each proof answers what is wrong; nothing, if all is well."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from m4a.settings import PREFIX, Settings
from tests.templates.reading import Template

API_TIMEOUT_S = 30
ALIAS = "live"
SHORTEST_EVENT_AGE_S = 60
"""The least that Lambda takes, and the time between two passes of the sweep."""
BACKGROUND = {"Indexer", "Sweep"}
"""What nobody waits for: their time-outs are their own, with the reasons beside them."""
LEFT_UNSET = {
    "db": "the file of the profile embedded",
    "default_user": "the user of the local server and of the command",
    "segment_replication": "the domain of infra/search-domain.yaml replicates documents",
}
"""Settings that no function has, and why."""


def functions(template: Template) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::Lambda::Function":
            yield name, resource["Properties"]


def slow_functions(template: Template) -> list[str]:
    """Functions that the API gives up on before they do."""
    return [
        name
        for name, one in functions(template)
        if not one.get("Timeout") or (name not in BACKGROUND and one["Timeout"] >= API_TIMEOUT_S)
    ]


def functions_whose_logs_stay(template: Template) -> list[str]:
    """Functions without a log group of their own, or whose group keeps all, or whose lines are not JSON."""
    resources = template["Resources"]
    found: list[str] = []
    for name, one in functions(template):
        logging: Mapping[str, Any] = one.get("LoggingConfig", {})
        group = resources.get(logging.get("LogGroup", {}).get("Ref"), {})
        kept = group.get("Type") == "AWS::Logs::LogGroup" and "RetentionInDays" in group["Properties"]
        if not kept or logging.get("LogFormat") != "JSON":
            found.append(name)
    return found


def functions_without_alias(template: Template) -> list[str]:
    aliases = [one["Properties"] for one in template["Resources"].values() if one["Type"] == "AWS::Lambda::Alias"]
    named = {alias["FunctionName"]["Ref"] for alias in aliases if alias["Name"] == ALIAS}
    return [name for name, _ in functions(template) if name not in named]


def calls_past_the_alias(template: Template) -> list[str]:
    """Whoever calls a function by itself, and not by its alias, gets unpublished code."""
    names = "|".join(name for name, _ in functions(template))
    callers = ("ApiGatewayV2::Api", "Lambda::EventSourceMapping", "Lambda::Permission", "Scheduler::Schedule")
    direct = re.compile(rf'"Ref": "({names})"|\$\{{({names})(\.Arn)?\}}|\["({names})", "Arn"\]')
    return [
        name
        for name, resource in template["Resources"].items()
        if resource["Type"] in {f"AWS::{one}" for one in callers} and direct.search(json.dumps(resource))
    ]


def functions_that_start_cold(template: Template) -> list[str]:
    """Functions behind an entry point without a snapshot."""
    wanted = {"ApplyOn": "PublishedVersions"}
    return [name for name, one in functions(template) if name not in BACKGROUND and one.get("SnapStart") != wanted]


def versions_that_stay(template: Template) -> list[str]:
    """Published versions that outlive their use, each with a snapshot that costs."""
    return [
        name
        for name, one in template["Resources"].items()
        if one["Type"] == "AWS::Lambda::Version" and one.get("DeletionPolicy") != "Delete"
    ]


def passes_that_are_repeated(template: Template) -> list[str]:
    """Scheduled functions that Lambda calls again after a failure, or late: the schedule comes again by itself."""
    resources = template["Resources"]
    targets = [one["Properties"]["Target"] for one in resources.values() if one["Type"] == "AWS::Scheduler::Schedule"]
    called = {resources[target["Arn"]["Ref"]]["Properties"]["FunctionName"]["Ref"] for target in targets}
    once = {
        one["Properties"]["FunctionName"]["Ref"]
        for one in resources.values()
        if one["Type"] == "AWS::Lambda::EventInvokeConfig"
        and (one["Properties"]["Qualifier"], one["Properties"].get("MaximumRetryAttempts")) == (ALIAS, 0)
        and one["Properties"].get("MaximumEventAgeInSeconds") == SHORTEST_EVENT_AGE_S
    }
    retried = [target["Arn"]["Ref"] for target in targets if target["RetryPolicy"]["MaximumRetryAttempts"]]
    return sorted(called - once) + retried


def functions_without_traces(template: Template) -> list[str]:
    return [name for name, one in functions(template) if one.get("TracingConfig") != {"Mode": "Active"}]


def unknown_variables(template: Template) -> list[str]:
    """Variables that would keep a function from starting."""
    known = {PREFIX + field.upper() for field in Settings.model_fields}
    return sorted({f"{name}: {one}" for name, one in _variables(template) if one not in known})


def unset_settings(template: Template) -> list[str]:
    """Settings that no function has and that are not in the list of those left out; and those there wrongly."""
    given = {variable.removeprefix(PREFIX).lower() for _, variable in _variables(template)}
    return sorted((Settings.model_fields.keys() - given) ^ LEFT_UNSET.keys())


def variables_that_sam_drops(template: Template, given: Mapping[str, str]) -> list[str]:
    """``sam local`` sets those variables of a file that a function declares: without one, it would call AWS itself."""
    return [
        f"{name}: {variable}"
        for name, one in functions(template)
        for variable in sorted(given.keys() - one["Environment"]["Variables"].keys())
    ]


def _variables(template: Template) -> Iterator[tuple[str, str]]:
    for name, one in functions(template):
        yield from ((name, variable) for variable in one.get("Environment", {}).get("Variables", {}))
