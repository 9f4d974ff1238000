"""Chooses the embedder in the settings. Models are imported and opened on first use."""

from __future__ import annotations

from pydantic import SecretStr

from graph_memory.embedding.embedder import Embedder, are_comparable
from graph_memory.embedding.queries import CachedQueries
from graph_memory.settings import Settings

SERVERS = {
    "ollama": ("http://localhost:11434/v1", "nomic-embed-text"),
    "openai": ("https://api.openai.com/v1", "text-embedding-3-small"),
}
"""The default URL and the default model of each provider."""


def embedder_of(settings: Settings, model: str) -> Embedder | None:
    """Return an embedder whose vectors are comparable with the vectors of `model`, or None if there is none.

    Local models are always available. A model on a server is available if the settings select the same provider.
    """
    provider, _, name = model.partition("/")
    if provider == "local":
        from graph_memory.embedding.local import LocalEmbedder
        from graph_memory.embedding.local_models import MODELS

        return next(
            (LocalEmbedder(settings.cache, local) for local in MODELS.values() if are_comparable(local.id, model)), None
        )
    if provider != settings.embeddings:
        return None
    remote_embedder = embedder(settings.model_copy(update={"embedding_model": name}))
    return remote_embedder if remote_embedder is not None and remote_embedder.model == model else None


def embedder(settings: Settings) -> Embedder | None:
    """Return the embedder in the settings, with a cache for queries, or None if embeddings are off."""
    match settings.embeddings:
        case "off":
            return None
        case "local":
            from graph_memory.embedding.local import LocalEmbedder
            from graph_memory.embedding.local_models import DEFAULT, MODELS

            return CachedQueries(LocalEmbedder(settings.cache, MODELS[settings.embedding_model or DEFAULT]))
        case "ollama" | "openai" as provider:
            from graph_memory.embedding.remote import RemoteEmbedder, Service

            default_url, default_model = SERVERS[provider]
            url = settings.embedding_url or default_url
            is_openai = provider == "openai" and url == default_url
            key = settings.embedding_api_key.get_secret_value()
            if not key and is_openai:
                key = settings.openai_api_key.get_secret_value()
            service = Service(
                provider=provider,
                model=settings.embedding_model or default_model,
                url=url,
                key=SecretStr(key.strip()),
                needs_key=is_openai,
                timeout=settings.embedding_timeout,
            )
            return CachedQueries(RemoteEmbedder(service))


def fetch_model(settings: Settings) -> bool:
    """Download the local model if the settings use it and it is not cached. Return whether this succeeded.

    A failure is not an error, because the model's first use retries the download and reports it.
    """
    if settings.embeddings == "local":
        from graph_memory.embedding.local_models import DEFAULT, MODELS, model_folder

        try:
            model_folder(MODELS[settings.embedding_model or DEFAULT], settings.cache, at_once=True)
        except OSError:
            return False
    return True
