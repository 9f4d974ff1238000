"""From settings to an embedder. What it needs is imported and opened when it is first asked."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import SecretStr

from graph_memory.embedding.embedder import Embedder
from graph_memory.embedding.queries import CachedQueries
from graph_memory.settings import Settings


class _Server(NamedTuple):
    url: str
    model: str


SERVERS = {
    "ollama": _Server("http://localhost:11434/v1", "nomic-embed-text"),
    "openai": _Server("https://api.openai.com/v1", "text-embedding-3-small"),
}


def embedder_of(settings: Settings, model: str) -> Embedder | None:
    """Return what makes vectors by a model of this name, as `Embedder.model` tells it, where the settings lead to it.

    The model within the process is always there; another one of a server, if the settings name that kind of server.
    """
    provider, _, name = model.partition("/")
    if provider == "local":
        found = embedder(settings.model_copy(update={"embeddings": "local"}))
    elif provider == settings.embeddings:
        found = embedder(settings.model_copy(update={"embedding_model": name}))
    else:
        return None
    return found if found is not None and found.model == model else None


def embedder(settings: Settings) -> Embedder | None:
    """Return what makes vectors by the settings, None when that is off."""
    match settings.embeddings:
        case "off":
            return None
        case "local":
            from graph_memory.embedding.local import LocalEmbedder

            return CachedQueries(LocalEmbedder())
        case "ollama" | "openai" as provider:
            from graph_memory.embedding.remote import RemoteEmbedder, Service

            server = SERVERS[provider]
            url = settings.embedding_url or server.url
            is_openai = provider == "openai" and url == server.url
            key = settings.embedding_api_key.get_secret_value()
            if not key and is_openai:
                key = settings.openai_api_key.get_secret_value()
            service = Service(
                provider=provider,
                model=settings.embedding_model or server.model,
                url=url,
                key=SecretStr(key.strip()),
                needs_key=is_openai,
                timeout=settings.embedding_timeout,
            )
            return CachedQueries(RemoteEmbedder(service))
