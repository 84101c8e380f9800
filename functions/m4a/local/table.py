"""The table of the template, made where there is no CloudFormation: for the local stack and for tests."""

from typing import Any

from m4a.adapters.dynamodb.client import Client
from m4a.local.template import template_resources

TABLE_TYPE = "AWS::DynamoDB::Table"
_TAKEN = ("BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")


def table_parameters(name: str, template: str | None = None) -> dict[str, Any]:
    """Parameters of ``create_table`` for the one table of the template (text; by default the one of this code).

    Backups and deletion protection are left out; time to live needs a call of its own: see ``create_table``.
    """
    properties = _properties(template)
    stream = {**properties["StreamSpecification"], "StreamEnabled": True}
    return {"TableName": name, "StreamSpecification": stream, **{key: properties[key] for key in _TAKEN}}


def create_table(client: Client, name: str) -> None:
    """Creates the table of the template under this name."""
    client("create_table", **table_parameters(name))
    expiry = _properties()["TimeToLiveSpecification"]
    client("update_time_to_live", TableName=name, TimeToLiveSpecification=expiry)


def _properties(template: str | None = None) -> dict[str, Any]:
    (table,) = (one for one in template_resources(template).values() if one["Type"] == TABLE_TYPE)
    return table["Properties"]
