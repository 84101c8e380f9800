"""Alarms and dashboard."""

import pytest

from tests.templates.alarms import OWN, alarms_that_do_not_help, alarms_that_nobody_hears, metrics_that_nobody_writes
from tests.templates.alarms import alarms as every_alarm
from tests.templates.reading import Template, nested_template
from tests.templates.settling import settled


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
