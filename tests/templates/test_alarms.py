"""Alarms and dashboard."""

import json

import pytest

from benchmarks.cost_page import PRICES
from m4a.tools.specs import TOOLS
from tests.templates.alarms import (
    OWN,
    alarms_that_do_not_help,
    alarms_that_nobody_hears,
    metrics_that_nobody_writes,
    metrics_under_alarm,
    tools_beside_the_quotient,
)
from tests.templates.alarms import alarms as every_alarm
from tests.templates.reading import Template, nested_template
from tests.templates.settling import settled

OPTIONAL_FUNCTIONS = ("ActionGroup", "AgentcoreGateway", "GatewayInterceptor")


def test_alarms_and_dashboard_use_metrics_that_exist(alarms: Template) -> None:
    assert metrics_that_nobody_writes(alarms) == []


def test_a_metric_that_nobody_writes_is_found(alarms: Template) -> None:
    alarms["Resources"]["OutboxAge"]["Properties"]["MetricName"] = "outbox_years"
    alarms["Resources"]["InternalErrors"]["Properties"]["Dimensions"] = []
    body = alarms["Resources"]["Dashboard"]["Properties"]["DashboardBody"]
    body["Fn::Sub"] = body["Fn::Sub"].replace('"outbox_stuck"', '"outbox_lost"')
    assert metrics_that_nobody_writes(alarms) == [
        "OutboxAge: own outbox_years []",
        "InternalErrors: own errors []",
        "Dashboard: own outbox_lost []",
    ]


def test_a_search_whose_namespace_is_not_in_quotes_is_found(alarms: Template) -> None:
    body = alarms["Resources"]["Dashboard"]["Properties"]["DashboardBody"]
    body["Fn::Sub"] = body["Fn::Sub"].replace(r"{\"${Namespace}\",reason}", "{${Namespace},reason}")
    (found,) = metrics_that_nobody_writes(alarms)
    assert found.startswith("Dashboard: own SEARCH('{${Namespace},reason}")


def test_degraded_answers_are_compared_with_the_answers_of_the_tools_that_can_give_them(alarms: Template) -> None:
    degrading = {name for name, tool in TOOLS.items() if "degraded" in tool.output.model_fields}
    assert "recall" in degrading
    assert tools_beside_the_quotient(alarms, degrading) == set()
    assert tools_beside_the_quotient(alarms, degrading - {"recall"}) == {"recall"}


def test_the_alarms_of_a_stack_with_a_domain_cost_what_the_page_on_costs_says() -> None:
    template = settled(nested_template("observability"), DomainName="m4a-one", **dict.fromkeys(OPTIONAL_FUNCTIONS, ""))
    prices = json.loads(PRICES.read_text("utf-8"))
    assert metrics_under_alarm(template) == prices["assumed"]["alarms"]


def test_every_alarm_says_what_to_do(alarms: Template) -> None:
    assert alarms_that_do_not_help(alarms) == []
    alarms["Resources"]["OutboxAge"]["Properties"]["AlarmDescription"] = "The outbox is old."
    assert alarms_that_do_not_help(alarms) == ["OutboxAge"]


def test_everything_that_the_sweep_measures_has_an_alarm(alarms: Template) -> None:
    gauges = {name for name, dimensions in OWN.items() if dimensions == {frozenset()}}
    assert gauges == {"outbox_age", "outbox_stuck", "index_alive", "due_age"}
    assert gauges <= {alarm.get("MetricName") for _, alarm in every_alarm(alarms)}


def test_every_alarm_is_heard_where_an_address_is_given(alarms: Template) -> None:
    assert alarms_that_nobody_hears(alarms) == []
    del alarms["Resources"]["SweepErrors"]["Properties"]["AlarmActions"]
    assert alarms_that_nobody_hears(alarms) == ["SweepErrors"]


def test_a_sweep_that_says_nothing_raises_an_alarm(alarms: Template) -> None:
    missing = {
        name: one["Properties"]["TreatMissingData"]
        for name, one in alarms["Resources"].items()
        if one["Type"] == "AWS::CloudWatch::Alarm"
    }
    assert missing.pop("SweepNotRunning") == "breaching"
    assert set(missing.values()) == {"notBreaching"}


@pytest.mark.parametrize(("address", "topics"), [("", 0), ("someone@example.com", 1)])
def test_a_topic_is_made_for_an_address_alone(address: str, topics: int) -> None:
    template = settled(nested_template("observability"), AlarmEmail=address, DomainName="")
    assert sum(one["Type"] == "AWS::SNS::Topic" for one in template["Resources"].values()) == topics
    assert "SearchRed" not in template["Resources"]
