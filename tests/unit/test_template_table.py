"""The one description of the table: what the template says, and what is made of it where there is no CloudFormation."""

from m4a.local.table import table_parameters
from m4a.local.template import template_resources


def test_the_template_s_table_is_what_is_created() -> None:
    parameters = table_parameters("m4a-test")
    properties = template_resources()["Table"]["Properties"]
    assert parameters["TableName"] == "m4a-test"
    for name in ("BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes"):
        assert parameters[name] == properties[name]
    assert parameters["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}


def test_the_index_of_work_holds_keys_alone() -> None:
    (index,) = table_parameters("t")["GlobalSecondaryIndexes"]
    assert index["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    assert [key["AttributeName"] for key in index["KeySchema"]] == ["wb", "due"]


def test_the_table_outlives_the_stack_and_can_be_restored() -> None:
    table = template_resources()["Table"]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert table["Properties"]["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["Properties"]["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    assert table["Properties"]["BillingMode"] == "PAY_PER_REQUEST"
