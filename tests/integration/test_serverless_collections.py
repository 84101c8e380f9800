"""A Serverless collection of the generation Classic is refused at start, by what the service says of it."""

import json
import os
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from click.testing import CliRunner

from m4a import bootstrap
from m4a.adapters.errors import Unusable
from m4a.adapters.opensearch.client import connect
from m4a.adapters.opensearch.deployment import NO_CLASSIC, serverless
from m4a.adapters.opensearch.generations import OpenSearchGenerations
from m4a.local.main import command
from m4a.local.stack import use_local_credentials
from m4a.ports.indexing import Marker
from tests.support.process import fresh_process
from tests.support.proxy import Fault, Forward, Proxy, Request, Response
from tests.support.proxy_faults import answering

_numbers = count(1)


def service_with(group: str | None, generation: str | None = None) -> Fault:
    """OpenSearch Serverless with one collection, in that group."""

    def answer(request: Request, _forward: Forward) -> Response:
        operation = request.headers["x-amz-target"].partition(".")[2]
        details: dict[str, Any] = {"name": group, "generation": generation}
        body: dict[str, Any] = {"collectionGroupDetails": [details], "collectionGroupErrorDetails": []}
        if operation == "BatchGetCollection":
            collection = {"id": json.loads(request.body)["ids"][0], "collectionGroupName": group}
            body = {"collectionDetails": [{key: one for key, one in collection.items() if one}]}
        return Response(200, {"content-type": "application/x-amz-json-1.0"}, json.dumps(body).encode())

    return answer


CLASSIC = {
    "in no group": service_with(None),
    "in a group of it": service_with("group-1", "CLASSIC"),
    "in a group that names none": service_with("group-1"),
}


@pytest.fixture
def aoss(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """The service's endpoint, and the settings of a process that uses a collection which none has asked for yet."""
    use_local_credentials()
    for name in [name for name in os.environ if name.startswith("M4A_")]:
        monkeypatch.delenv(name)
    address = f"https://collection{next(_numbers)}.eu-central-1.aoss.amazonaws.com"
    variables = {"PROFILE": "aws", "REGION": "eu-central-1", "TABLE": "m4a", "SEARCH_URL": address}
    for name, value in {**variables, "SEARCH_SERVICE": "serverless"}.items():
        monkeypatch.setenv(f"M4A_{name}", value)
    with Proxy("http://127.0.0.1:9") as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL_OPENSEARCHSERVERLESS", proxy.address)
        monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", proxy.address)
        with fresh_process(monkeypatch):
            yield proxy


@pytest.mark.parametrize("collection", CLASSIC)
def test_a_function_refuses_it_at_first_use_and_asks_once(aoss: Proxy, collection: str) -> None:
    with aoss.failing(CLASSIC[collection]):
        asked: set[int] = set()
        for _ in range(3):
            with pytest.raises(Unusable) as raised:
                bootstrap.service()
            assert str(raised.value) == NO_CLASSIC
            asked.add(len(aoss.asked))
    assert len(asked) == 1


@pytest.mark.parametrize("words", [["init"], ["reindex"], ["doctor"]], ids=lambda words: words[0])
def test_the_commands_that_would_make_or_look_at_its_index_refuse_it(aoss: Proxy, words: list[str]) -> None:
    with aoss.failing(CLASSIC["in no group"]):
        result = CliRunner().invoke(command, [*words, "--json"], prog_name="m4a")
    assert result.exit_code == 5
    assert NO_CLASSIC in result.output


def test_a_collection_of_the_new_generation_is_used_and_asked_about_once(aoss: Proxy) -> None:
    with aoss.failing(service_with("group-1", "NEXTGEN")):
        for _ in range(2):
            operator = bootstrap.build_operator(bootstrap.settings())
            assert operator.indexing and operator.indexing.settle_after == timedelta(seconds=60)
            operator.service.close()
    assert len(aoss.asked) == 2


def test_where_the_service_does_not_tell_nothing_is_refused_and_that_is_logged(
    aoss: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    denied = json.dumps({"__type": "AccessDeniedException", "message": "no"}).encode()
    with aoss.failing(answering(400, denied, "application/x-amz-json-1.0")):
        for _ in range(2):
            bootstrap.build_operator(bootstrap.settings()).service.close()
    assert len(aoss.asked) == 1
    assert "is not known" in caplog.text


def test_the_marker_that_a_classic_collection_refuses_is_told_in_the_same_sentence() -> None:
    reason = "Document ID is not supported in create/index operation request"
    body = {"error": {"type": "illegal_argument_exception", "reason": reason}, "status": 400}
    marker = Marker(generation=1, rules="r", model="m", complete=True, beat=1)
    with Proxy("http://127.0.0.1:9") as proxy, proxy.failing(answering(400, json.dumps(body).encode())):
        client = connect(proxy.address)
        with pytest.raises(Unusable, match="refuse document ids"):
            OpenSearchGenerations(client, "m", serverless()).set_marker(marker)
        client.close()
