"""The embedder of a server that speaks OpenAI's embeddings protocol: OpenAI, Ollama and many others."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

import anyio
import httpx2
from pydantic import SecretStr

from graph_memory.embedding.embedder import EmbeddingUnavailable
from graph_memory.embedding.protocol import SHOWN, Passing, Refused, failure, read_reply
from graph_memory.embedding.texts import batches, readable

BATCH_TEXTS = 64
BATCH_BYTES = 250_000
"""OpenAI takes 300,000 tokens at once, and no text has more tokens than bytes."""
CONNECT_SECONDS = 5.0
PAUSE_SECONDS = 15.0
"""For so long after a server did not answer, queries are not sent to it: a search must not wait each time."""

_PREFIXES = {"nomic-embed-text": ("search_document: ", "search_query: ")}
"""What models were trained to read before a passage and before a query."""
OK = 200
UNAUTHORIZED = 401
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Service:
    """A model of a server, and the key to it. `timeout` is in seconds, for one request."""

    provider: str
    model: str
    url: str
    key: SecretStr
    needs_key: bool
    timeout: float


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is tried: once more after each wait, of so many seconds or as many as the server asks for.

    A server that asks for more than `longest` is not tried again.
    """

    waits: tuple[float, ...]
    longest: float


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
        self._client: httpx2.AsyncClient | None = None
        self._silent: EmbeddingUnavailable | None = None
        self._paused_until = 0.0
        self._prefixes = _PREFIXES.get(service.model.partition(":")[0], ("", ""))

    @property
    def model(self) -> str:
        """The provider and the model."""
        return f"{self._service.provider}/{self._service.model}"

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
        if self._client is not None:
            await self._client.aclose()

    async def _ask(self, texts: Sequence[str], patience: Patience) -> list[list[float]]:
        """Return the vectors of a batch, trying again what may pass."""
        try:
            vectors = await self._persist(texts, patience)
            self._check_dimensions(len(vectors[0]))
        except Passing as fault:
            self._silent = self._unavailable(fault, self._server_hint())
            self._paused_until = time.monotonic() + PAUSE_SECONDS
            raise self._silent from None
        except Refused as fault:
            raise self._unavailable(fault, self._hint(fault.status)) from None
        self._silent = None
        return vectors

    async def _persist(self, texts: Sequence[str], patience: Patience) -> list[list[float]]:
        for wait in patience.waits:
            try:
                return await self._send(texts)
            except Passing as fault:
                asked = fault.retry_after
                if asked is not None and asked > patience.longest:
                    raise
                seconds = wait * random.uniform(0.5, 1.5) if asked is None else asked  # noqa: S311 - spreads requests
                _log.debug("%s %s; trying again in %.1f s", self.model, self._masked(fault), seconds)
                await anyio.sleep(seconds)
        return await self._send(texts)

    async def _send(self, texts: Sequence[str]) -> list[list[float]]:
        """Make one request. Raises Passing and Refused, with the key in neither."""
        service = self._service
        asked = {"model": service.model, "input": list(texts), "encoding_format": "float"}
        headers = self._login()
        try:
            with anyio.fail_after(service.timeout):
                reply = await self._connections().post(f"{service.url}/embeddings", json=asked, headers=headers)
        except TimeoutError:
            raise Passing(f"did not answer within {service.timeout:g} s") from None
        except httpx2.ConnectError as error:
            raise Passing(f"cannot be reached: {error}") from None
        except httpx2.TransportError as error:
            raise Passing(f"broke off: {type(error).__name__}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise Refused(f"sent a reply that cannot be read: {type(error).__name__}") from None
        if reply.status_code != OK:
            raise failure(reply.status_code, reply.headers, reply.content, datetime.now(UTC))
        return read_reply(reply.content, len(texts))

    def _login(self) -> dict[str, str]:
        key = self._service.key.get_secret_value()
        if not key:
            if self._service.needs_key:
                raise Refused("needs an API key", UNAUTHORIZED)
            return {}
        if not (key.isascii() and key.isprintable()):
            raise Refused("cannot be given this API key: it has characters that no header may have", UNAUTHORIZED)
        return {"Authorization": f"Bearer {key}"}

    def _connections(self) -> httpx2.AsyncClient:
        if self._client is None:
            seconds = httpx2.Timeout(self._service.timeout, connect=min(CONNECT_SECONDS, self._service.timeout))
            is_here = urlsplit(self._service.url).hostname in _LOOPBACK  # no proxy leads there
            self._client = httpx2.AsyncClient(timeout=seconds, trust_env=not is_here)
        return self._client

    def _check_dimensions(self, length: int) -> None:
        self._dimensions = self._dimensions or length
        if length != self._dimensions:
            raise Refused(f"sent vectors of {length} dimensions, before that of {self._dimensions}")

    def _unavailable(self, fault: Passing | Refused, hint: str) -> EmbeddingUnavailable:
        return EmbeddingUnavailable(f"{self.model} at {self._service.url} {self._masked(fault)}", hint)

    def _masked(self, fault: Passing | Refused) -> str:
        """Return what went wrong, without the key, which a server may have repeated."""
        key = self._service.key.get_secret_value()
        return (str(fault).replace(key, "***") if key else str(fault))[:SHOWN]

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
