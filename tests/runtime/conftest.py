"""The packaged functions under Lambda's runtime interface, on the backends of the local stack."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from m4a.application.index_upkeep import init_index
from m4a.bootstrap import Operator, build_operator
from m4a.local.stack import credentials_of_the_stack, stack_settings, variables_of
from m4a.local.template import template_resources
from m4a.settings import Settings
from scripts.tools import NoInterpreter
from tests.runtime.emulator import Functions
from tests.runtime.packaging import built_functions
from tests.support.gateway import SECRET
from tests.support.stack import Backends

FUNCTION = "AWS::Serverless::Function"
HANDLERS = {name: one["Properties"]["Handler"] for name, one in template_resources().items() if one["Type"] == FUNCTION}


@dataclass(frozen=True)
class World:
    """A table of the template's properties and an index that is known to be whole. ``operator`` is for looking."""

    settings: Settings
    operator: Operator
    variables: Mapping[str, str]


@pytest.fixture(scope="session")
def packages() -> Path:
    """A folder for each function, with its packaged code."""
    try:
        return built_functions()
    except NoInterpreter as missing:
        pytest.skip(f"{missing} The functions run on that version.")


@pytest.fixture(scope="session")
def world(packages: Path, backends: Backends) -> Iterator[World]:
    with backends.fresh_names() as name:
        settings = stack_settings(backends.dynamodb, backends.search, backends.bedrock, table=name, prefix=name)
        operator = build_operator(settings)
        assert operator.indexing is not None
        init_index(operator.indexing, operator.service.embedder.model, operator.maintenance)
        of_the_template = {"M4A_GATEWAY_SECRET": SECRET.decode(), "M4A_METRICS_NAMESPACE": "M4A"}
        variables = {**variables_of(settings), **credentials_of_the_stack(), **of_the_template}
        yield World(settings, operator, variables)
        operator.service.close()


@pytest.fixture(scope="session")
def functions(packages: Path, world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Functions]:
    """Each function of the template by its logical id."""
    started = Functions(packages, HANDLERS, world.variables, tmp_path_factory.mktemp("functions"))
    yield started
    started.close()
