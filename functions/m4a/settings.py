"""The environment as one validated model. Nothing else reads it, and nothing reads it at import."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

PREFIX = "M4A_"


class SettingsError(Exception):
    """A variable is missing or wrong; the message names it."""


class Settings(BaseModel):
    """What can be set. Each field is the variable of the same name with the prefix ``M4A_``."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    profile: Literal["embedded"] = Field(
        default="embedded", description="Which backends: `embedded` is one SQLite file."
    )
    db: Path = Field(
        default=Path("~/.local/share/m4a/memories.db"), description="The SQLite file of the embedded profile."
    )
    tenant_claim: str | None = Field(
        default=None, min_length=1, description="Claim that names the tenant; if set, every caller must carry it."
    )
    default_user: str = Field(
        default="local", min_length=1, description="The user of the local server and of the command."
    )

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Reads the variables; an empty one counts as not set. Raises SettingsError."""
        values = {
            name.removeprefix(PREFIX).lower(): value
            for name, value in environ.items()
            if name.startswith(PREFIX) and value
        }
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            problems = "; ".join(f"{PREFIX}{_variable(row['loc'])}: {row['msg']}" for row in error.errors())
            raise SettingsError(problems) from None

    @classmethod
    def load(cls) -> "Settings":
        """From the environment of this process. Raises SettingsError."""
        return cls.from_env(os.environ)

    @property
    def db_path(self) -> Path:
        """The SQLite file, with ``~`` resolved."""
        return self.db.expanduser()


def _variable(location: tuple[int | str, ...]) -> str:
    return "_".join(str(part) for part in location).upper()
