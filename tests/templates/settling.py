"""A template as it is for certain parameters: conditions decided, what they leave out gone, parameters filled in."""

import re
from collections.abc import Mapping
from typing import Any, cast

from tests.templates.reading import Template

GONE = object()
EVERY_OPTION: Mapping[str, Any] = {
    "Agent": "create",
    "Gateway": "create",
    "AlarmEmail": "someone@example.com",
    "CorsOrigins": "https://app.example.com",
    "TableKeyArn": "arn:aws:kms:eu-central-1:123456789012:key/one",
}


def settled(template: Template, **parameters: Any) -> Template:
    """A new template without conditions. Parameters that are not given have their defaults; one without stays a Ref.

    Those that have a value are declared with it once more, for the text of ``Fn::Sub`` names them.
    """
    declared: Mapping[str, Any] = template.get("Parameters", {})
    values = {name: one["Default"] for name, one in declared.items() if "Default" in one} | parameters
    deciding = _Deciding(values, template.get("Conditions", {}))
    kept = {part: deciding.settle(template[part]) for part in ("Resources", "Outputs") if part in template}
    present = {part: {name: one for name, one in members.items() if one is not GONE} for part, members in kept.items()}
    texts = {
        name: ",".join(cast("list[str]", one)) if isinstance(one, list) else str(one) for name, one in values.items()
    }
    filled = {name: {"Type": "String", "Default": text} for name, text in texts.items()}
    return {"AWSTemplateFormatVersion": "2010-09-09", "Parameters": filled, **present}


class _Deciding:
    def __init__(self, values: Mapping[str, Any], conditions: Mapping[str, Any]) -> None:
        self._values = values
        self._conditions = conditions

    def settle(self, value: Any) -> Any:
        """The value without conditions and parameters; ``GONE`` for what is left out."""
        if isinstance(value, list):
            members = [self.settle(one) for one in cast("list[Any]", value)]
            return [one for one in members if one is not GONE]
        if not isinstance(value, dict):
            return value
        fields = cast("dict[str, Any]", value)
        match fields:
            case {"Fn::If": [name, yes, no]}:
                return self.settle(yes if self._holds({"Condition": name}) else no)
            case {"Ref": "AWS::NoValue"}:
                return GONE
            case {"Ref": str(name)} if name in self._values:
                return self._values[name]
            case {"Type": str(_), "Condition": str(name)} if not self._holds({"Condition": name}):
                return GONE
            case {"Value": _, "Condition": str(name)} if not self._holds({"Condition": name}):
                return GONE
            case _:
                return self._members(fields)

    def _members(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        resource = "Type" in fields or "Value" in fields
        kept = {
            name: one for name, one in fields.items() if not (resource and name == "Condition" and isinstance(one, str))
        }
        members = {name: self.settle(one) for name, one in kept.items()}
        return {name: one for name, one in members.items() if one is not GONE}

    def _holds(self, condition: Mapping[str, Any]) -> bool:
        match condition:
            case {"Condition": str(name)}:
                return self._holds(self._conditions[name])
            case {"Fn::Equals": [one, other]}:
                return str(self.settle(one)) == str(self.settle(other))
            case {"Fn::Not": [inner]}:
                return not self._holds(inner)
            case {"Fn::Or": [*inner]}:
                return any(map(self._holds, inner))
            case {"Fn::And": [*inner]}:
                return all(map(self._holds, inner))
            case _:
                raise ValueError(f"no such condition: {condition}")


def resolved(value: Any, names: Mapping[str, str]) -> Any:
    """A value of a settled template with what its references stand for: ``names`` holds ``One`` and ``One.Arn``."""
    if isinstance(value, list):
        return [resolved(one, names) for one in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    match fields:
        case {"Ref": str(name)}:
            return names[name]
        case {"Fn::GetAtt": [name, attribute]}:
            return names[f"{name}.{attribute}"]
        case {"Fn::Sub": [text, own]}:
            return _filled(text, {**names, **resolved(own, names)})
        case {"Fn::Sub": str(text)}:
            return _filled(text, names)
        case {"Fn::Join": [separator, parts]}:
            return separator.join(resolved(parts, names))
        case {"Fn::Split": [separator, text]}:
            return resolved(text, names).split(separator)
        case _:
            return {name: resolved(one, names) for name, one in fields.items()}


def _filled(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\$\{([\w.:]+)\}", lambda found: names[found[1]], text)
