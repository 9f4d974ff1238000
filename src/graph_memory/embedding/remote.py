"""The embedder for servers with OpenAI's embeddings protocol, such as OpenAI and Ollama."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pydantic import BaseModel, FiniteFloat, ValidationError

from graph_memory.embedding.embedder import EmbeddingUnavailable
from graph_memory.embedding.texts import batches, normalise, readable
from graph_memory.provider.client import Client, Patience, Service
from graph_memory.provider.faults import PermanentFailure, TemporaryFailure, unreadable_reply

BATCH_TEXTS = 64
BATCH_BYTES = 250_000
"""Maximum number of bytes of a batch. OpenAI accepts 300,000 tokens, and no text has more tokens than bytes."""
PAUSE_SECONDS = 15.0
"""Seconds after a failure during which queries are not sent, so that searches do not wait each time."""

_PREFIXES = {"nomic-embed-text": ("search_document: ", "search_query: ")}
"""The prefixes for passages and for queries with which models were trained."""
FOR_PASSAGES = Patience(waits=(0.5, 2.0, 8.0), longest=60.0)
FOR_QUERIES = Patience(waits=(0.2,), longest=1.0)


class RemoteEmbedder:
    """An embedding model on a server. Texts are sent in batches, one after the other, and replies are validated."""

    def __init__(
        self, service: Service, *, for_passages: Patience = FOR_PASSAGES, for_queries: Patience = FOR_QUERIES
    ) -> None:
        self._service = service
        self._for_passages = for_passages
        self._for_queries = for_queries
        self._dimensions: int | None = None
        self._client = Client(service)
        self._last_failure: EmbeddingUnavailable | None = None
        self._paused_until = 0.0
        self._prefixes = _PREFIXES.get(service.model.partition(":")[0], ("", ""))

    @property
    def model(self) -> str:
        """The provider and the name of the model, such as `ollama/nomic-embed-text`."""
        return self._client.name

    @property
    def dimensions(self) -> int | None:
        """The number of dimensions, or None until the server has replied for the first time."""
        return self._dimensions

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of the texts, in order. Raises EmbeddingUnavailable after several attempts."""
        inputs = [readable(self._prefixes[0] + text) for text in texts]
        vectors_by_index: dict[int, list[float]] = {}
        for indexes in batches([len(text.encode()) for text in inputs], max_texts=BATCH_TEXTS, capacity=BATCH_BYTES):
            vectors = await self._embed([inputs[index] for index in indexes], self._for_passages)
            vectors_by_index.update(zip(indexes, vectors, strict=True))
        return [vectors_by_index[index] for index in range(len(texts))]

    async def query(self, text: str) -> list[float]:
        """Return the vector of the query. Raises EmbeddingUnavailable, at once if the server has just failed."""
        if self._last_failure and time.monotonic() < self._paused_until:
            raise EmbeddingUnavailable(self._last_failure.message, self._last_failure.hint)
        (vector,) = await self._embed([readable(self._prefixes[1] + text)], self._for_queries)
        return vector

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _embed(self, texts: Sequence[str], patience: Patience) -> list[list[float]]:
        """Return the vectors of a batch of texts. Tries again after temporary failures."""
        request = {"model": self._service.model, "input": list(texts), "encoding_format": "float"}
        try:
            vectors = read_reply(await self._client.post("/embeddings", request, patience), len(texts))
            self._check_dimensions(len(vectors[0]))
        except TemporaryFailure as fault:
            self._last_failure = self._unavailable(fault, self._server_hint())
            self._paused_until = time.monotonic() + PAUSE_SECONDS
            raise self._last_failure from None
        except PermanentFailure as fault:
            raise self._unavailable(fault, self._hint(fault.status)) from None
        self._last_failure = None
        return vectors

    def _check_dimensions(self, length: int) -> None:
        self._dimensions = self._dimensions or length
        if length != self._dimensions:
            raise PermanentFailure(f"sent vectors of {length} dimensions, before that of {self._dimensions}")

    def _unavailable(self, fault: TemporaryFailure | PermanentFailure, hint: str) -> EmbeddingUnavailable:
        return EmbeddingUnavailable(f"{self.model} at {self._service.url} {self._client.describe(fault)}", hint)

    def _hint(self, status: int | None) -> str:
        service = self._service
        match status:
            case 401 | 403:
                alternative = " or OPENAI_API_KEY" if service.needs_key else ""
                return f"Set GRAPH_MEMORY_EMBEDDING_API_KEY{alternative} to a key that is valid there."
            case 404 if service.provider == "ollama":
                return f"Run `ollama pull {service.model}`, or set GRAPH_MEMORY_EMBEDDING_MODEL to a model that it has."
            case _:
                return (
                    "Check GRAPH_MEMORY_EMBEDDING_URL, of a server that speaks OpenAI's embeddings protocol, and "
                    "GRAPH_MEMORY_EMBEDDING_MODEL, a model for embeddings that it has."
                )

    def _server_hint(self) -> str:
        start = "Start Ollama" if self._service.provider == "ollama" else "Check that the server can be reached"
        return f"{start}, or check GRAPH_MEMORY_EMBEDDING_URL. Until then search goes by words and connections."


class _Item(BaseModel):
    index: int
    embedding: list[FiniteFloat]


class _Reply(BaseModel):
    data: list[_Item]


def read_reply(body: bytes, count: int) -> list[list[float]]:
    """Return the vectors in a reply, with length 1, in the order of the texts. Raises PermanentFailure if invalid."""
    try:
        items = _Reply.model_validate_json(body, strict=True).data
    except ValidationError as error:
        raise unreadable_reply(error) from None
    vectors = {item.index: item.embedding for item in items}
    if len(items) != count or vectors.keys() != set(range(count)):
        raise PermanentFailure(f"sent {len(items)} vectors for {count} texts, or under other numbers")
    if len({len(vector) for vector in vectors.values()}) != 1:
        raise PermanentFailure("sent vectors of several lengths at once")
    try:
        return [normalise(vectors[index]) for index in range(count)]
    except ValueError as error:
        raise PermanentFailure(f"sent a vector that {error}") from None
