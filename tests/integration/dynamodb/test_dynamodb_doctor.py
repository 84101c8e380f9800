"""What the doctor says of the changes that wait for the search index."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from m4a.adapters.dynamodb.index_state import DynamoIndexState
from m4a.adapters.opensearch.deployment import Deployment, managed_domain, serverless
from m4a.application.service import Service
from m4a.bootstrap import Operator
from m4a.local.aws_checkup import check_aws
from m4a.settings import Settings
from tests.integration.dynamodb.sweeping import notes
from tests.support.dynamodb import Dynamo


@dataclass(frozen=True)
class Waiting:
    """Of an ``Indexing``, what is asked for what waits."""

    state: DynamoIndexState
    outbox: Any
    settle_after: timedelta


@pytest.mark.parametrize("deployment", [serverless(), managed_domain()], ids=["serverless", "domain"])
def test_a_change_may_wait_for_the_sweep_and_for_three_minutes_and_no_longer(
    dynamo: Dynamo, service: Service, deployment: Deployment
) -> None:
    indexing: Any = Waiting(DynamoIndexState(dynamo.table), dynamo.maintenance, deployment.settle_after)
    operator = Operator(service, dynamo.maintenance, dynamo.forgotten, indexing)
    settings = Settings.model_validate(
        {"profile": "aws", "region": "eu-central-1", "table": dynamo.table.name, "search_url": "https://search"}
    )

    def is_well() -> bool:
        return next(one.ok for one in check_aws(operator, settings, None) if one.check == "outbox")

    notes(service, dynamo, 1)
    dynamo.clock.advance(seconds=125)
    assert is_well()
    dynamo.clock.advance(seconds=60)
    assert not is_well()
