"""The control plane made from the templates in a stand-in for AWS, and read back from its services."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import boto3
import pytest
import yaml
from botocore import xform_name
from moto import mock_aws

from m4a.entrypoints.identity import DELEGATE_SCOPES
from m4a.settings import Settings
from tests.templates.alarms import alarms as alarms_of
from tests.templates.permissions import ALLOWED, EACH, USES_THE_KEY, as_list
from tests.templates.reading import Template, main_template, nested_template
from tests.templates.settling import EVERY_OPTION, resolved, settled

REGION, STACK = "eu-central-1", "m4a"
MADE = {
    "AWS::DynamoDB::Table",
    "AWS::IAM::Policy",
    "AWS::IAM::Role",
    "AWS::Logs::LogGroup",
    "AWS::SQS::Queue",
}
"""Types that the stand-in's CloudFormation knows, of those of the main template that need no code."""
NEEDS_CODE = "SweepScheduleRole"
"""Names an alias of a function."""
PSEUDO = {"AWS::Partition": "aws", "AWS::Region": REGION, "AWS::AccountId": "123456789012"}
ROLE = "arn:aws:iam::123456789012:role/"


@pytest.fixture(scope="module")
def aws() -> Iterator[Any]:
    """Makes clients of an account, in which each test makes something else."""
    stand_in = mock_aws()
    stand_in.start(reset=False)  # the local stack's tables are in the same process, and are others' to clear
    session: Any = boto3.session.Session(region_name=REGION)
    yield session.client
    stand_in.stop(remove_data=False)


def make(aws: Any, name: str, template: Template) -> None:
    template.pop("Outputs", None)
    aws("cloudformation").create_stack(
        StackName=name, TemplateBody=json.dumps(template), Capabilities=["CAPABILITY_NAMED_IAM"]
    )


@pytest.fixture(scope="module")
def stack(aws: Any) -> Any:
    """The main template's own resources, with every option on, but for functions and API."""
    template = settled(main_template(), **EVERY_OPTION)
    template["Resources"] = {
        name: one for name, one in template["Resources"].items() if one["Type"] in MADE and name != NEEDS_CODE
    }
    make(aws, STACK, template)
    return aws


def table_of(stack: Any) -> Mapping[str, Any]:
    """The table of the stack, among those that others have in the same process."""
    made = stack("cloudformation").describe_stack_resource(StackName=STACK, LogicalResourceId="Table")
    return stack("dynamodb").describe_table(TableName=made["StackResourceDetail"]["PhysicalResourceId"])["Table"]


def test_the_table_is_made_with_its_index_its_stream_and_its_protection(stack: Any) -> None:
    table = table_of(stack)
    assert [one["AttributeName"] for one in table["KeySchema"]] == ["pk", "sk"]
    assert [one["IndexName"] for one in table["GlobalSecondaryIndexes"]] == ["work"]
    assert table["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    assert str(table["DeletionProtectionEnabled"]).lower() == "true"


def test_the_queue_is_made_encrypted_and_keeps_what_it_gets_for_14_days(stack: Any) -> None:
    (url,) = stack("sqs").list_queues()["QueueUrls"]
    attributes = stack("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert attributes["SqsManagedSseEnabled"] == "true"
    assert attributes["MessageRetentionPeriod"] == "1209600"


def test_every_function_gets_a_log_group_that_ends(stack: Any) -> None:
    groups = stack("logs").describe_log_groups(logGroupNamePrefix="/aws/lambda/m4a/")["logGroups"]
    assert len(groups) == len(ALLOWED)
    assert {group["retentionInDays"] for group in groups} == {30}


def test_the_roles_that_are_made_may_do_what_is_listed_on_this_table_alone(stack: Any) -> None:
    iam, table = stack("iam"), table_of(stack)["TableArn"]
    roles = {one["RoleName"].split("-")[1]: one["RoleName"] for one in iam.list_roles()["Roles"]}
    for function, expected in ALLOWED.items():
        statements = list(_statements(iam, roles[f"{function}Role"]))
        actions = {action for one in statements for action in as_list(one["Action"])}
        assert actions - EACH - USES_THE_KEY == expected
        touched = {resource for one in statements for resource in as_list(one["Resource"]) if ":dynamodb:" in resource}
        assert all(resource.startswith(table) for resource in touched)


def _statements(iam: Any, role: str) -> Iterator[Mapping[str, Any]]:
    for policy in iam.list_role_policies(RoleName=role)["PolicyNames"]:
        document = iam.get_role_policy(RoleName=role, PolicyName=policy)["PolicyDocument"]
        # The stand-in gives a role's own policies in Python's spelling, which YAML reads as it reads JSON.
        yield from (yaml.safe_load(document) if isinstance(document, str) else document)["Statement"]


def test_the_user_pool_is_made_with_a_client_for_people_and_one_for_a_backend(aws: Any) -> None:
    given = {"Callbacks": ["https://app.example.com/cb"], "DeletionProtection": "true"}
    resources = settled(nested_template("auth"), **given)["Resources"]
    cognito = aws("cognito-idp")

    def called(operation: str, resource: str, names: Mapping[str, str], **more: str) -> Mapping[str, Any]:
        shape = cognito.meta.service_model.operation_model(operation).input_shape
        properties = {**resolved(resources[resource]["Properties"], names), **more}
        method = getattr(cognito, xform_name(operation))
        return method(**{name: one for name, one in properties.items() if name in shape.members})

    pool = called("CreateUserPool", "UserPool", {}, PoolName="m4a")["UserPool"]
    assert pool["DeletionProtection"] == "ACTIVE"
    assert pool["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is True
    names = {"UserPool": pool["Id"]}
    server = called("CreateResourceServer", "ResourceServer", names)["ResourceServer"]
    (scope,) = [f"{server['Identifier']}/{one['ScopeName']}" for one in server["Scopes"]]
    people = called("CreateUserPoolClient", "AppClient", names, ClientName="people")["UserPoolClient"]
    backend = called("CreateUserPoolClient", "BackendClient", names, ClientName="backend")["UserPoolClient"]
    assert "ClientSecret" not in people
    assert people["AllowedOAuthFlows"] == ["code"]
    assert scope not in people["AllowedOAuthScopes"]
    assert backend["ClientSecret"]
    assert (backend["AllowedOAuthFlows"], backend["AllowedOAuthScopes"]) == (["client_credentials"], [scope])
    assert scope in DELEGATE_SCOPES


def test_the_search_domain_is_made_encrypted_and_refuses_all_but_its_roles(aws: Any) -> None:
    roles = {
        "IndexerRoleArn": f"{ROLE}indexer",
        "SweepRoleArn": f"{ROLE}sweep",
        "OperatorRoleArn": f"{ROLE}operator",
    }
    searchers = [f"{ROLE}recall", f"{ROLE}remember"]
    given = {"DomainName": "m4a-one", "InstanceType": "t3.small.search", "InstanceCount": 1, "VolumeGiB": 20}
    resources = settled(nested_template("search-domain"), **given, **roles, SearcherRoleArns=searchers)["Resources"]
    names = {
        **PSEUDO,
        **roles,
        "DomainName": "m4a-one",
        "Logs.Arn": "arn:aws:logs:eu-central-1:123456789012:log-group:x",
    }
    properties = resolved(resources["Domain"]["Properties"], names)
    shape = aws("opensearch").meta.service_model.operation_model("CreateDomain").input_shape
    policy = properties.pop("AccessPolicies")
    known = {name: one for name, one in properties.items() if name in shape.members}
    aws("opensearch").create_domain(**known, AccessPolicies=json.dumps(policy))
    domain = aws("opensearch").describe_domain(DomainName="m4a-one")["DomainStatus"]
    assert domain["EncryptionAtRestOptions"]["Enabled"] is True
    assert domain["NodeToNodeEncryptionOptions"]["Enabled"] is True
    assert domain["DomainEndpointOptions"]["EnforceHTTPS"] is True
    refused = json.loads(domain["AccessPolicies"])["Statement"][-1]
    assert refused["Effect"] == "Deny"
    assert refused["Condition"] == {"ArnNotEquals": {"aws:PrincipalArn": [*searchers, *roles.values()]}}
    assert refused["Resource"] == "arn:aws:es:eu-central-1:123456789012:domain/m4a-one/*"


def domains_that_an_upgrade_replaces(template: Template) -> list[str]:
    """Domains that CloudFormation makes anew, and empty, for another version of the engine."""
    return [
        name
        for name, one in template["Resources"].items()
        if one["Type"] == "AWS::OpenSearchService::Domain"
        and one.get("UpdatePolicy", {}).get("EnableVersionUpgrade") is not True
    ]


def test_another_version_of_the_engine_is_an_upgrade_of_the_domain() -> None:
    template = nested_template("search-domain")
    assert domains_that_an_upgrade_replaces(template) == []
    del template["Resources"]["Domain"]["UpdatePolicy"]
    assert domains_that_an_upgrade_replaces(template) == ["Domain"]


def test_every_alarm_is_taken_by_cloudwatch(aws: Any) -> None:
    parameters = {one: one for one in nested_template("observability")["Parameters"]}
    template = settled(nested_template("observability"), **parameters)
    topic = "arn:aws:sns:eu-central-1:123456789012:alarms"
    for name, alarm in alarms_of(template):
        aws("cloudwatch").put_metric_alarm(AlarmName=name, **resolved(alarm, {**PSEUDO, "Topic": topic}))
    made = aws("cloudwatch").describe_alarms()["MetricAlarms"]
    assert {one["AlarmName"] for one in made} == {name for name, _ in alarms_of(template)}
    assert {tuple(one["AlarmActions"]) for one in made} == {(topic,)}


def test_the_secret_is_as_long_as_the_setting_needs() -> None:
    secret = main_template()["Resources"]["GatewaySecret"]["Properties"]["GenerateSecretString"]
    made = "x" * secret["PasswordLength"]
    aws = {"M4A_PROFILE": "aws", "M4A_REGION": REGION, "M4A_TABLE": "table", "M4A_SEARCH_URL": "https://search.example"}
    assert Settings.from_env({**aws, "M4A_GATEWAY_SECRET": made}).gateway_key == made.encode()
