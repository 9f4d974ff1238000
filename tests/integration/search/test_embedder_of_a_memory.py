"""An open memory has the embedder that the settings say, and closes it."""

from __future__ import annotations

import pytest

from graph_memory import Settings, open_memory
from graph_memory.embedding.queries import CachedQueries
from graph_memory.embedding.remote import RemoteEmbedder
from graph_memory.embedding.texts import normalise
from model_server import model_server, vector_of

pytestmark = pytest.mark.anyio


async def test_a_memory_opens_its_embedder_when_it_is_asked_and_closes_it(settings: Settings):
    with model_server() as server:
        ours = settings.model_copy(update={"embeddings": "ollama", "embedding_url": server.url, "embedding_model": "m"})
        async with open_memory(ours) as memory:
            embedder = memory._core.embedder
            assert isinstance(embedder, CachedQueries)
            assert isinstance(embedder._inner, RemoteEmbedder)
            client = embedder._inner._client
            assert client._client is None
            assert server.requests == []
            assert await embedder.query("text") == normalise(vector_of("text"))
            assert await embedder.query("text") == normalise(vector_of("text"))
            assert len(server.requests) == 1
        assert client._client is not None
        assert client._client.is_closed


async def test_a_memory_without_embeddings_has_no_embedder(settings: Settings):
    async with open_memory(settings.model_copy(update={"embeddings": "off"})) as memory:
        assert memory._core.embedder is None
