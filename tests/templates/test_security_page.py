"""docs/security.md says of each function what its role may do."""

import re
from collections.abc import Iterator

from tests.templates.permissions import ALLOWED
from tests.templates.reading import ROOT

AS_REMEMBER = "as Remember"


def rows() -> Iterator[tuple[str, set[str]]]:
    """Each function with the actions on table and model that the page names."""
    page = (ROOT / "docs" / "security.md").read_text("utf-8")
    table = page.split("## Function by function")[1].split("\n- ")[0]
    lines = [re.split(r" *\| *", line[1:].strip()) for line in table.splitlines() if "|" in line]
    named = {names: (of_the_table, model) for names, of_the_table, model, *_ in lines}
    for names, (of_the_table, model) in named.items():
        for name in names.split(", "):
            words = of_the_table.replace(AS_REMEMBER, named["Remember"][0]) + model
            yield name, {*re.findall(r"`([A-Z]\w+)`", words)}


def test_the_page_on_security_names_what_each_function_may_do() -> None:
    said = dict(rows())
    for function, actions in ALLOWED.items():
        expected = {action.split(":")[1] for action in actions if action.startswith(("dynamodb:", "bedrock:"))}
        of_the_stream = {one for one in expected if "Stream" in one or one in ("GetRecords", "GetShardIterator")}
        assert said[function] == expected - of_the_stream, function
