"""The environment as one validated model. Nothing else reads it, and nothing reads it at import."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError, model_validator

PREFIX = "M4A_"
NEEDED_ON_AWS = ("region", "table", "search_url")
_TRACE = re.compile(r"Root=(1-[0-9a-f]{8}-[0-9a-f]{24})(;|$)")


def _parts(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


CommaSeparated = Annotated[tuple[str, ...], BeforeValidator(_parts)]


class SettingsError(Exception):
    """A variable is missing or wrong; the message names it."""


class Settings(BaseModel):
    """What can be set. Each field is the variable of the same name with the prefix ``M4A_``."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    profile: Literal["embedded", "aws"] = Field(
        default="embedded", description="Which backends: `embedded` is one SQLite file, `aws` the services."
    )
    tenant_claim: str | None = Field(
        default=None, min_length=1, description="Claim that names the tenant; if set, every caller must carry it."
    )
    default_user: str = Field(
        default="local", min_length=1, description="The user of the local server and of the command."
    )
    db: Path = Field(
        default=Path("~/.local/share/m4a/memories.db"), description="embedded: the SQLite file that holds everything."
    )
    region: str | None = Field(default=None, min_length=1, description="aws: the region of table, search and model.")
    table: str | None = Field(default=None, min_length=3, description="aws: name of the DynamoDB table.")
    search_url: str | None = Field(
        default=None, pattern=r"^https?://", description="aws: address of the OpenSearch domain or collection."
    )
    search_service: Literal["domain", "serverless", "node"] = Field(
        default="domain",
        description="aws: a managed domain, a Serverless NextGen collection, or a plain node without sign-in.",
    )
    search_engine: Literal["lucene", "faiss"] = Field(default="faiss", description="aws: engine of a domain's k-NN.")
    search_replicas: int = Field(default=1, ge=0, le=10, description="aws: copies of each shard on a domain.")
    search_shards: int = Field(default=1, ge=1, le=100, description="aws: shards of a new index on a domain.")
    segment_replication: bool = Field(
        default=False, description="aws: whether the domain replicates segments; then searches go to the primary."
    )
    index_prefix: str = Field(
        default="memories", pattern=r"^[a-z][a-z0-9-]{0,63}$", description="aws: what the index's names begin with."
    )
    embedding_model: str = Field(
        default="amazon.titan-embed-text-v2:0",
        min_length=1,
        description="aws: the embedding model on Bedrock, or an inference profile of it: `cohere.embed-v4:0`, or "
        "`eu.cohere.embed-v4:0`, for many languages. Another model needs `m4a reindex`.",
    )
    former_embedding_model: str | None = Field(
        default=None,
        min_length=1,
        description="aws: while `m4a reindex` has not ended, the model that the index still holds vectors of.",
    )
    dynamodb_url: str | None = Field(
        default=None, pattern=r"^https?://", description="aws: endpoint in place of DynamoDB's own."
    )
    bedrock_url: str | None = Field(
        default=None, pattern=r"^https?://", description="aws: endpoint in place of Bedrock's own."
    )
    issuer: str | None = Field(
        default=None, min_length=1, description="Issuer of the access tokens; MCP clients are told to sign in there."
    )
    resource_url: str | None = Field(
        default=None,
        min_length=1,
        description="The URL of /mcp as clients know it, where that is not the API's own address.",
    )
    agent_ids: CommaSeparated = Field(
        default=(),
        description="Ids of the Bedrock agents that may call, separated by commas; if empty, any that IAM lets in.",
    )
    gateway_secret: SecretStr | None = Field(
        default=None,
        min_length=32,
        description="What the interceptor signs assertions with and the Gateway's target checks them by.",
    )
    metrics_namespace: str | None = Field(
        default=None,
        pattern=r"^[0-9A-Za-z._/#:-][0-9A-Za-z ._/#:-]{0,254}$",
        description="CloudWatch namespace of the metrics in the log lines of operations; without it there are none.",
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        missing = [name for name in NEEDED_ON_AWS if getattr(self, name) is None] if self.profile == "aws" else []
        if missing:
            names = ", ".join(PREFIX + name.upper() for name in missing)
            raise ValueError(f"the profile aws needs {names}")
        return self

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
            problems = "; ".join(_problem(row["loc"], row["type"], row["msg"]) for row in error.errors())
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


def xray_trace_id() -> str | None:
    """The trace that the present invocation belongs to, as Lambda's runtime says; None where nothing is traced."""
    found = _TRACE.match(os.environ.get("_X_AMZN_TRACE_ID", ""))
    return found[1] if found else None


def _problem(location: tuple[int | str, ...], kind: str, message: str) -> str:
    name = "_".join(str(part) for part in location).upper()
    if kind == "extra_forbidden":
        message = "is not a setting of M4A"
    message = message.removeprefix("Value error, ")  # how pydantic begins the sentence of a validator of ours
    return f"{PREFIX}{name}: {message}" if name else message
