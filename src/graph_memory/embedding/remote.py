"""The embedder for servers with OpenAI's embeddings protocol, such as OpenAI and Ollama."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pydantic import BaseModel, FiniteFloat, ValidationError

from graph_memory.embedding.embedder import EmbeddingUnavailable
from graph_memory.embedding.texts import batches, normalise, to_model_text
from graph_memory.provider.client import Client, RetryDelays, Service
from graph_memory.provider.faults import PermanentFailure, TemporaryFailure, unreadable_reply

BATCH_TEXTS = 64
BATCH_BYTES = 250_000
"""Maximum number of bytes of a batch. OpenAI accepts 300,000 tokens, and no text has more tokens than bytes."""
PAUSE_SECONDS = 15.0
"""Time in seconds after a failure during which queries fail at once, so that not every search waits for the server."""

_PREFIXES = {"nomic-embed-text": ("search_document: ", "search_query: ")}
"""The text prefixes for passages and queries that were used in a model's training, by model."""
FOR_PASSAGES = RetryDelays(pauses=(0.5, 2.0, 8.0), max_delay=60.0)
FOR_QUERIES = RetryDelays(pauses=(0.2,), max_delay=1.0)


class RemoteEmbedder:
    """An embedding model on a server. Texts are sent in consecutive batches, and replies are validated."""

    def __init__(
        self, service: Service, *, for_passages: RetryDelays = FOR_PASSAGES, for_queries: RetryDelays = FOR_QUERIES
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
        """The model's provider and name, such as `ollama/nomic-embed-text`."""
        return self._client.name

    @property
    def dimensions(self) -> int | None:
        """The number of dimensions of the vectors, or None until the server's first reply."""
        return self._dimensions

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of the texts, in order. Raises EmbeddingUnavailable after several failed attempts."""
        inputs = [to_model_text(self._prefixes[0] + text) for text in texts]
        vectors_by_index: dict[int, list[float]] = {}
        for indexes in batches([len(text.encode()) for text in inputs], max_texts=BATCH_TEXTS, capacity=BATCH_BYTES):
            vectors = await self._embed([inputs[index] for index in indexes], self._for_passages)
            vectors_by_index.update(zip(indexes, vectors, strict=True))
        return [vectors_by_index[index] for index in range(len(texts))]

    async def query(self, text: str) -> list[float]:
        """Return the vector of the query.

        Raises EmbeddingUnavailable. During the pause after a failure, sends no request.
        """
        if self._last_failure and time.monotonic() < self._paused_until:
            raise EmbeddingUnavailable(self._last_failure.message, self._last_failure.hint)
        (vector,) = await self._embed([to_model_text(self._prefixes[1] + text)], self._for_queries)
        return vector

    async def aclose(self) -> None:
        """Close the connections to the server."""
        await self._client.aclose()

    async def _embed(self, texts: Sequence[str], patience: RetryDelays) -> list[list[float]]:
        """Return the vectors of a batch of texts. Temporary failures are retried according to `patience`.

        Raises EmbeddingUnavailable.
        """
        request = {"model": self._service.model, "input": list(texts), "encoding_format": "float"}
        try:
            vectors = read_reply(await self._client.post("/embeddings", request, patience), len(texts))
            self._check_dimensions(len(vectors[0]))
        except TemporaryFailure as fault:
            self._last_failure = self._unavailable_error(fault, self._server_hint())
            self._paused_until = time.monotonic() + PAUSE_SECONDS
            raise self._last_failure from None
        except PermanentFailure as fault:
            raise self._unavailable_error(fault, self._hint(fault.status)) from None
        self._last_failure = None
        return vectors

    def _check_dimensions(self, length: int) -> None:
        self._dimensions = self._dimensions or length
        if length != self._dimensions:
            raise PermanentFailure(f"sent vectors of {length} dimensions instead of {self._dimensions}")

    def _unavailable_error(self, fault: TemporaryFailure | PermanentFailure, hint: str) -> EmbeddingUnavailable:
        return EmbeddingUnavailable(f"{self.model} at {self._service.url} {self._client.describe(fault)}", hint)

    def _hint(self, status: int | None) -> str:
        service = self._service
        match status:
            case 401 | 403:
                alternative = " or OPENAI_API_KEY" if service.needs_key else ""
                return f"Set GRAPH_MEMORY_EMBEDDING_API_KEY{alternative} to a key that is valid there."
            case 404 if service.provider == "ollama":
                return f"Run `ollama pull {service.model}`, or set GRAPH_MEMORY_EMBEDDING_MODEL to an installed model."
            case _:
                return (
                    "Set GRAPH_MEMORY_EMBEDDING_URL to a server that speaks OpenAI's embeddings protocol, and "
                    "GRAPH_MEMORY_EMBEDDING_MODEL to an embedding model of that server."
                )

    def _server_hint(self) -> str:
        start = "Start Ollama" if self._service.provider == "ollama" else "Check that the server can be reached"
        return f"{start}, or check GRAPH_MEMORY_EMBEDDING_URL. Until then, searches use only words and connections."


class _Item(BaseModel):
    index: int
    embedding: list[FiniteFloat]


class _Reply(BaseModel):
    data: list[_Item]


def read_reply(body: bytes, count: int) -> list[list[float]]:
    """Return the `count` vectors in a reply, scaled to length 1, in the order of the texts.

    Raises PermanentFailure if the reply is invalid or does not have `count` vectors.
    """
    try:
        items = _Reply.model_validate_json(body, strict=True).data
    except ValidationError as error:
        raise unreadable_reply(error) from None
    vectors = {item.index: item.embedding for item in items}
    if len(items) != count or vectors.keys() != set(range(count)):
        raise PermanentFailure(f"sent {len(items)} vectors for {count} texts, or numbered them wrongly")
    if len({len(vector) for vector in vectors.values()}) != 1:
        raise PermanentFailure("sent vectors of different lengths in one reply")
    try:
        return [normalise(vectors[index]) for index in range(count)]
    except ValueError as error:
        raise PermanentFailure(f"sent a vector that {error}") from None
