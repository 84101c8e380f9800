"""The main template: as it is after the transform, and settled for parameters."""

import pytest

from tests.templates.reading import Template, main_template, nested_template
from tests.templates.settling import EVERY_OPTION, settled


@pytest.fixture
def template() -> Template:
    """After the transform, with its conditions."""
    return main_template()


@pytest.fixture
def whole() -> Template:
    """With every option on."""
    return settled(main_template(), **EVERY_OPTION)


@pytest.fixture
def alarms() -> Template:
    """The nested stack of alarms, with an address that is told and a domain."""
    return settled(nested_template("observability"), AlarmEmail="someone@example.com", DomainName="m4a-one")
