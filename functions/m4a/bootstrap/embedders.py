"""The embedding model that the settings name."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from m4a.adapters.lazy_embedder import LazyEmbedder
from m4a.ports import Embedder
from m4a.settings import Settings, SettingsError

if TYPE_CHECKING:
    from m4a.adapters.bedrock.models import BedrockModel


def load_embedder(settings: Settings) -> Embedder:
    """The model of the profile; of the embedded one, in memory. Raises ModelUnusable or SettingsError."""
    if settings.profile == "aws":
        from m4a.adapters.bedrock.client import bedrock_client
        from m4a.adapters.bedrock.embedder import BedrockEmbedder

        model = bedrock_model(settings.embedding_model, "M4A_EMBEDDING_MODEL")
        return BedrockEmbedder(bedrock_client(settings.region or "", settings.bedrock_url), model)
    from m4a.adapters.onnx import OnnxEmbedder

    return OnnxEmbedder.load()


def lazy_embedder(settings: Settings) -> Embedder:
    """The same, loaded when it is first used."""
    return LazyEmbedder(lambda: load_embedder(settings))


def bedrock_model(invoke_id: str, setting: str) -> "BedrockModel":
    """Raises SettingsError, which names the setting, for a model that is not known."""
    from m4a.adapters.bedrock.models import MODELS, model_called

    if model := model_called(invoke_id):
        return model
    known = ", ".join(one.model_id for one in MODELS)
    raise SettingsError(f"{setting}: is not one of {known}, nor an inference profile of one, such as eu.<model>")


class QueryEmbedder:
    """The embedder of the model whose vectors the index holds: another than the configured one until a reindex.

    Where the settings name that model as the former one, it is called as they say, else by its own id. Raises
    SettingsError for a former model that is not known.
    """

    def __init__(self, settings: Settings, configured: Embedder, indexed_model: Callable[[], str | None]) -> None:
        self._settings = settings
        self._configured = configured
        self._indexed_model = indexed_model
        former = settings.former_embedding_model if settings.profile == "aws" else None
        self._former = bedrock_model(former, "M4A_FORMER_EMBEDDING_MODEL") if former else None
        self._others: dict[str, Embedder] = {}

    def __call__(self) -> Embedder:
        model = self._indexed_model()
        if model is None or model == self._configured.model:
            return self._configured
        if model not in self._others:
            self._others[model] = self._load(model)
        return self._others[model]

    def _load(self, model: str) -> Embedder:
        from m4a.adapters.bedrock.models import BY_NAME

        known = self._former if self._former and self._former.name == model else BY_NAME.get(model)
        if known is None:
            return self._configured
        return load_embedder(self._settings.model_copy(update={"embedding_model": known.invoke_id}))
