"""What can be checked of docs/deploy.md without an account."""

import json
import re
from pathlib import Path
from typing import Any

import click
import yaml

from benchmarks.cost_page import PRICES
from benchmarks.pricing import Prices, each_month
from m4a.local.main import command
from m4a.local.template import template_resources

DOCS = Path(__file__).parents[2] / "docs"
TEMPLATE = (DOCS.parent / "template.yaml").read_text("utf-8")
PAGE = (DOCS / "deploy.md").read_text("utf-8")
_COMMAND = re.compile(r"(?:^|[ `(])(?:m4a|operator) ((?:admin )?[a-z][a-z-]*)", re.MULTILINE)
SHELL = "".join(re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL))


def test_every_command_on_the_page_exists() -> None:
    named = {one for one in _COMMAND.findall(SHELL) if one != "admin"}
    assert {"init", "reindex", "admin receipts", "admin replay-receipts", "admin erase"} <= named
    for words in named:
        group: Any = command
        for word in words.split():
            group = group.get_command(click.Context(command), word)
            assert group is not None, words


def test_the_cost_of_search_is_that_of_the_page_on_costs() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| 1") and ".search" in line]
    assert len(rows) == 3
    assert all(row in (DOCS / "cost.md").read_text("utf-8").splitlines() for row in rows)


def test_what_a_month_costs_without_a_call_is_that_of_the_page_on_costs() -> None:
    prices = Prices(json.loads(PRICES.read_text("utf-8")))
    assert f"about ${sum(each_month(prices).values()):.0f} a month" in PAGE


def test_the_table_to_import_is_that_of_the_template_as_dynamodb_restores_it() -> None:
    block = re.search(r"```yaml\n# import.yaml.*?\n(.*?)```", PAGE, re.DOTALL)
    assert block
    imported, table = yaml.safe_load(block[1])["Resources"]["Table"], template_resources()["Table"]
    kept = ("BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")
    assert imported["Properties"] == {name: table["Properties"][name] for name in kept}
    assert (imported["Type"], imported["DeletionPolicy"]) == (table["Type"], "Retain")


def test_every_output_and_parameter_on_the_page_is_one_of_the_template() -> None:
    named, outputs = set(re.findall(r"\boutput ([A-Z]\w+)", SHELL)), names_in("Outputs")
    assert {"ApiUrl", "CommandEnvironment", "TableName"} <= named <= outputs
    given = set(re.findall(r"(?<![\w?-])([A-Z][a-z]+[A-Z]\w+)=", SHELL)) | set(re.findall(r"parameter `(\w+)`", PAGE))
    assert {"JwtIssuer", "DeletionProtection"} <= given <= names_in("Parameters")


def names_in(section: str) -> set[str]:
    """What stands in a section of the template."""
    block = re.search(rf"^{section}:\n(.*?)(?=^\w|\Z)", TEMPLATE, re.MULTILINE | re.DOTALL)
    assert block
    return set(re.findall(r"^  (\w+):", block[1], re.MULTILINE))
