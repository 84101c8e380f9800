"""What a function has loaded before Lambda takes its snapshot (SnapStart).

https://docs.aws.amazon.com/lambda/latest/dg/snapstart-runtime-hooks-python.html
"""

from importlib import import_module

_MODULES = ("m4a.adapters.bedrock.client", "m4a.bootstrap.aws", "m4a.bootstrap.aws_search", "m4a.bootstrap.timed")
"""What the service of the profile ``aws`` is made of; they load the rest."""


def load_before_snapshot() -> None:
    """Has the modules of the profile ``aws`` loaded before the snapshot is taken, which else the first call after each
    restore would do. Does nothing outside Lambda."""
    try:
        from snapshot_restore_py import register_before_snapshot
    except ModuleNotFoundError:  # it comes with Lambda's own runtimes, from Python 3.12 on
        return
    register_before_snapshot(load)


def load() -> None:
    """Modules alone. A client would put credentials into the snapshot, and a setting that is wrong would fail the
    deployment without a word, where the first call names it."""
    for name in _MODULES:
        import_module(name)
