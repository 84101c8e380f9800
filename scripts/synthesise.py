"""Prints the template as it is after the SAM transform for parameters ``NAME=VALUE``, as JSON. Run by
``scripts/template_tools.py``, for it needs the translator, whose versions of other packages are not the project's."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

REGION = "eu-central-1"
# By name, for the environment that the types are checked in does not have them.
_Parser: Any = import_module("samtranslator.parser.parser").Parser
_Session: Any = import_module("boto3.session").Session
_Translator: Any = import_module("samtranslator.translator.translator").Translator
_yaml_parse: Any = import_module("samtranslator.yaml_helper").yaml_parse


def synthesise(text: str, parameters: dict[str, str]) -> dict[str, Any]:
    """The template (YAML, or JSON, which is YAML) with CloudFormation's own resources only, for these parameters. Of
    one that has no default the transform must know the value."""
    template: Any = _yaml_parse(text)
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = "s3://bucket/key"  # as if it had been uploaded
    return _Translator({}, _Parser(), boto_session=_Session(region_name=REGION)).translate(template, parameters)


if __name__ == "__main__":
    given = dict(one.split("=", 1) for one in sys.argv[2:])
    json.dump(synthesise(Path(sys.argv[1]).read_text("utf-8"), given), sys.stdout)
