"""The environment as one validated model. Nothing else reads it, and nothing reads it at import."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

PREFIX = "M4A_"


def _parts(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


CommaSeparated = Annotated[tuple[str, ...], BeforeValidator(_parts)]


class SettingsError(Exception):
    """A variable is missing or wrong; the message names it."""


class Settings(BaseModel):
    """What can be set. Each field is the variable of the same name with the prefix ``M4A_``."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    profile: Literal["embedded"] = Field("embedded", description="Which backends: `embedded` is one SQLite file.")
    db: Path = Field(Path("~/.local/share/m4a/memories.db"), description="The SQLite file of the embedded profile.")
    tenant_claim: str | None = Field(
        None, min_length=1, description="Claim that names the tenant; if set, every caller must carry it."
    )
    issuer: str | None = Field(
        None, min_length=1, description="Issuer of the access tokens; MCP clients are told to sign in there."
    )
    resource_url: str | None = Field(
        None, min_length=1, description="The URL of /mcp as clients know it, where that is not the API's own address."
    )
    agent_ids: CommaSeparated = Field(
        (), description="Ids of the Bedrock agents that may call, separated by commas; if empty, any that IAM lets in."
    )
    gateway_secret: SecretStr | None = Field(
        None,
        min_length=32,
        description="What the interceptor signs assertions with and the Gateway's target checks them by.",
    )
    default_user: str = Field("local", min_length=1, description="The user of the local server and of the command.")

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

    @property
    def gateway_key(self) -> bytes:
        """The secret of the Gateway's assertions. Raises SettingsError if it is not set."""
        if self.gateway_secret is None:
            raise SettingsError(f"{PREFIX}GATEWAY_SECRET: is needed by this function")
        return self.gateway_secret.get_secret_value().encode()


def _variable(location: tuple[int | str, ...]) -> str:
    return "_".join(str(part) for part in location).upper()
