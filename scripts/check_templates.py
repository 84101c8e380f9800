"""Checks the templates: SAM's validation, cfn-lint, checkov, and that what is generated in them is up to date.

Run it with the project's environment. checkov sees the main template twice, as it stands and with every option on: it
passes over what a condition leaves out.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from scripts.environment import ROOT, say

OPTIONS: Mapping[str, str] = {
    "Agent": "create",
    "Gateway": "create",
    "CorsOrigins": "https://app.example.com",
    "AlarmEmail": "someone@example.com",
}
TOOLS = (sys.executable, "-m", "scripts.template_tools")


def main() -> int:
    """Runs all checks, also after one has failed, and returns the exit code."""
    template, *nested = "template.yaml", *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("infra/*.yaml"))
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "template-with-every-option.yaml"
        whole.write_text(with_defaults((ROOT / template).read_text("utf-8"), OPTIONS), "utf-8")
        checkov = [*TOOLS, "checkov", "--config-file", ".checkov.yaml"]
        commands = [
            [sys.executable, "-m", "scripts.inline_schemas", "--check"],
            [str(Path(sys.executable).with_name("cfn-lint")), template, *nested],
            [*TOOLS, "sam", "validate", "--lint", "--template-file", template],
            [*checkov, "--file", template, *nested],
            [*checkov, "--file", str(whole)],
        ]
        return max(announced(command) for command in commands)


def with_defaults(template: str, values: Mapping[str, str]) -> str:
    """The template with other defaults of these parameters, which it must have."""
    for name, value in values.items():
        parameter = rf"(?m)^(  {name}:\n(?:    .*\n)*?    Default: ).*$"
        template, found = re.subn(parameter, rf"\g<1>{value}", template, count=1)
        if not found:
            raise ValueError(f"the template has no parameter {name} with a default")
    return template


def announced(command: list[str]) -> int:
    say(" ".join(Path(part).name if part.startswith("/") else part for part in command))
    return subprocess.run(command, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
