"""What all commands share: their options, the open store, and whom they act for."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from pathlib import Path
from typing import Any

import click

from m4a.adapters.errors import Unusable
from m4a.adapters.lazy_embedder import LazyEmbedder
from m4a.application.service import Service
from m4a.bootstrap import Operator, build_operator, load_embedder
from m4a.domain.owner import Caller, Owner
from m4a.entrypoints.http import to_json
from m4a.entrypoints.identity import caller_of
from m4a.local.access import CannotStart
from m4a.ports import Embedder
from m4a.settings import Settings, SettingsError

ENTRY_POINT = "command"
OPERATOR_ACTOR = "m4a:operator"


@dataclass(frozen=True)
class Session:
    """One run of a command. ``as_json``: it is for a program, so nothing but the answer is printed."""

    db: Path | None
    as_json: bool
    request_id: str

    @cached_property
    def settings(self) -> Settings:
        """From the environment, with the file that --db names. Raises CannotStart."""
        try:
            settings = Settings.load()
        except SettingsError as error:
            raise CannotStart(str(error)) from error
        if self.db is None:
            return settings
        if settings.profile != "embedded":
            raise CannotStart(f"--db names a file, and the profile {settings.profile} has none.")
        return settings.model_copy(update={"db": self.db})

    @property
    def place(self) -> str:
        """Where the memories are: the file, or the table."""
        settings = self.settings
        return str(settings.db_path) if settings.profile == "embedded" else f"the table {settings.table}"

    @cached_property
    def caller(self) -> Caller:
        """The local server's default user. Raises CannotStart where that server has none, Unauthenticated."""
        settings = self.settings
        if settings.tenant_claim:
            raise CannotStart(
                "M4A_TENANT_CLAIM is set, so a user alone owns nothing here: use m4a admin with --user and --tenant."
            )
        claims = {"sub": settings.default_user}
        return caller_of(claims, None, tenant_claim=None, entry_point=ENTRY_POINT, request_id=self.request_id)

    def operator_for(self, owner: Owner) -> Caller:
        """The operator, acting on this owner's memories."""
        return Caller(owner, OPERATOR_ACTOR, ENTRY_POINT, self.request_id)

    def existing_file(self) -> Path:
        """The store's file. Raises Unusable if there is none, CannotStart where the profile has none."""
        if self.settings.profile != "embedded":
            raise CannotStart(f"There is no file in the profile {self.settings.profile}: DynamoDB keeps the backups.")
        path = self.settings.db_path
        if not path.exists():
            raise Unusable(f"There is no store at {path} yet: init, remember, import or serve makes one.")
        return path

    def opened(self, embedder: Embedder | None = None) -> Operator:
        """The store that the settings name, for the caller to close. Raises CannotStart and Unusable."""
        try:
            return build_operator(self.settings, embedder=embedder)
        except SettingsError as error:
            raise CannotStart(str(error)) from error

    @contextmanager
    def operator(self, *, with_model: bool = False, create: bool = False) -> Generator[Operator]:
        """The open store. ``with_model`` loads the embedding model at once, otherwise its first use does.

        ``create`` makes a file where there is none. Raises Unusable.
        """
        settings = self.settings
        embedder: Embedder | None = None  # over the network nothing is loaded
        if settings.profile == "embedded":
            if not create:
                self.existing_file()
            load = partial(load_embedder, settings)
            embedder = load() if with_model else LazyEmbedder(load)
        operator = self.opened(embedder)
        try:
            yield operator
        finally:
            operator.service.close()

    @contextmanager
    def service(self, *, with_model: bool = False, create: bool = False) -> Generator[tuple[Service, Caller]]:
        """The service of the open store, and the caller."""
        caller = self.caller
        with self.operator(with_model=with_model, create=create) as operator:
            yield operator.service, caller

    def answer(self, value: Mapping[str, Any], show: Callable[[Mapping[str, Any]], None]) -> None:
        """Prints the answer: as JSON, or as ``show`` does it for people."""
        if self.as_json:
            click.echo(to_json(value).encode())
        else:
            show(value)


def with_session(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options that all have, as its first argument."""

    @click.option("--db", type=click.Path(path_type=Path), help="The store's file, instead of M4A_DB.")
    @click.option("--json", "as_json", is_flag=True, help="Answer one JSON document; errors as JSON on stderr.")
    @wraps(command)
    def run(db: Path | None, as_json: bool, **values: Any) -> None:
        command(Session(db, as_json, click.get_current_context().obj), **values)

    return run
