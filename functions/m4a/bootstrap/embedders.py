"""The embedding model that the settings name."""

from collections.abc import Callable

from m4a.adapters.lazy_embedder import LazyEmbedder
from m4a.ports import Embedder
from m4a.settings import Settings, SettingsError


def load_embedder(settings: Settings) -> Embedder:
    """The model of the profile; of the embedded one, in memory. Raises ModelUnusable or SettingsError."""
    if settings.profile == "aws":
        from m4a.adapters.bedrock.client import bedrock_client
        from m4a.adapters.bedrock.embedder import BedrockEmbedder
        from m4a.adapters.bedrock.models import MODELS

        model = MODELS.get(settings.embedding_model)
        if model is None:
            raise SettingsError(f"M4A_EMBEDDING_MODEL: is not one of {', '.join(MODELS)}")
        return BedrockEmbedder(bedrock_client(settings.region or "", settings.bedrock_url), model)
    from m4a.adapters.onnx import OnnxEmbedder

    return OnnxEmbedder.load()


def lazy_embedder(settings: Settings) -> Embedder:
    """The same, loaded when it is first used."""
    return LazyEmbedder(lambda: load_embedder(settings))


class QueryEmbedder:
    """The embedder of the model whose vectors the index holds: another than the configured one until a reindex."""

    def __init__(self, settings: Settings, configured: Embedder, indexed_model: Callable[[], str | None]) -> None:
        self._settings = settings
        self._configured = configured
        self._indexed_model = indexed_model
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

        known = BY_NAME.get(model)
        if known is None:
            return self._configured
        return load_embedder(self._settings.model_copy(update={"embedding_model": known.invoke_id}))
