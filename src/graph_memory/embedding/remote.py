"""The embedder of a server that speaks OpenAI's embeddings protocol: OpenAI, Ollama and many others."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pydantic import BaseModel, FiniteFloat, ValidationError

from graph_memory.embedding.embedder import EmbeddingUnavailable
from graph_memory.embedding.texts import batches, readable, unit
from graph_memory.provider.client import Client, Patience, Service
from graph_memory.provider.faults import Passing, Refused, misread

BATCH_TEXTS = 64
BATCH_BYTES = 250_000
"""OpenAI takes 300,000 tokens at once, and no text has more tokens than bytes."""
PAUSE_SECONDS = 15.0
"""For so long after a server did not answer, queries are not sent to it: a search must not wait each time."""

_PREFIXES = {"nomic-embed-text": ("search_document: ", "search_query: ")}
"""What models were trained to read before a passage and before a query."""
FOR_PASSAGES = Patience(waits=(0.5, 2.0, 8.0), longest=60.0)
FOR_QUERIES = Patience(waits=(0.2,), longest=1.0)


class RemoteEmbedder:
    """A model of a server. It sends texts in batches, one at a time for each call, and checks what comes back."""

    def __init__(
        self, service: Service, *, for_passages: Patience = FOR_PASSAGES, for_queries: Patience = FOR_QUERIES
    ) -> None:
        self._service = service
        self._for_passages = for_passages
        self._for_queries = for_queries
        self._dimensions: int | None = None
        self._client = Client(service)
        self._silent: EmbeddingUnavailable | None = None
        self._paused_until = 0.0
        self._prefixes = _PREFIXES.get(service.model.partition(":")[0], ("", ""))

    @property
    def model(self) -> str:
        """The provider and the model."""
        return self._client.name

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors, once one has come."""
        return self._dimensions

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in order. Raises EmbeddingUnavailable after some patience."""
        sent = [readable(self._prefixes[0] + text) for text in texts]
        found: dict[int, list[float]] = {}
        for places in batches([len(text.encode()) for text in sent], most=BATCH_TEXTS, capacity=BATCH_BYTES):
            vectors = await self._ask([sent[place] for place in places], self._for_passages)
            found.update(zip(places, vectors, strict=True))
        return [found[place] for place in range(len(texts))]

    async def query(self, text: str) -> list[float]:
        """Return the vector of a query. Raises EmbeddingUnavailable, at once if the server did not answer just now."""
        if self._silent and time.monotonic() < self._paused_until:
            raise EmbeddingUnavailable(self._silent.message, self._silent.hint)
        (vector,) = await self._ask([readable(self._prefixes[1] + text)], self._for_queries)
        return vector

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _ask(self, texts: Sequence[str], patience: Patience) -> list[list[float]]:
        """Return the vectors of a batch, trying again what may pass."""
        asked = {"model": self._service.model, "input": list(texts), "encoding_format": "float"}
        try:
            vectors = read_reply(await self._client.post("/embeddings", asked, patience), len(texts))
            self._check_dimensions(len(vectors[0]))
        except Passing as fault:
            self._silent = self._unavailable(fault, self._server_hint())
            self._paused_until = time.monotonic() + PAUSE_SECONDS
            raise self._silent from None
        except Refused as fault:
            raise self._unavailable(fault, self._hint(fault.status)) from None
        self._silent = None
        return vectors

    def _check_dimensions(self, length: int) -> None:
        self._dimensions = self._dimensions or length
        if length != self._dimensions:
            raise Refused(f"sent vectors of {length} dimensions, before that of {self._dimensions}")

    def _unavailable(self, fault: Passing | Refused, hint: str) -> EmbeddingUnavailable:
        return EmbeddingUnavailable(f"{self.model} at {self._service.url} {self._client.shown(fault)}", hint)

    def _hint(self, status: int | None) -> str:
        service = self._service
        match status:
            case 401 | 403:
                also = " or OPENAI_API_KEY" if service.needs_key else ""
                return f"Set GRAPH_MEMORY_EMBEDDING_API_KEY{also} to a key that is valid there."
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
    """Return the vectors of a reply in the order of the texts, with the length 1. Raises Refused for others."""
    try:
        items = _Reply.model_validate_json(body, strict=True).data
    except ValidationError as error:
        raise misread(error) from None
    vectors = {item.index: item.embedding for item in items}
    if len(items) != count or vectors.keys() != set(range(count)):
        raise Refused(f"sent {len(items)} vectors for {count} texts, or under other numbers")
    if len({len(vector) for vector in vectors.values()}) != 1:
        raise Refused("sent vectors of several lengths at once")
    try:
        return [unit(vectors[index]) for index in range(count)]
    except ValueError as error:
        raise Refused(f"sent a vector that {error}") from None
