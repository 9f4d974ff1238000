"""A language model on a server."""

from __future__ import annotations

from collections.abc import Mapping

import anyio

from graph_memory.cache import LruCache
from graph_memory.chat.model import ModelUnavailable, Reply
from graph_memory.chat.protocols import Dialect
from graph_memory.provider.client import Client, RetryDelays, Service
from graph_memory.provider.faults import PermanentFailure, TemporaryFailure

PATIENCE = RetryDelays(pauses=(0.5, 2.0), max_delay=20.0)
"""All attempts together have the time limit of one request, because a caller waits for the answer."""
CACHED_REPLIES = 50
CACHE_SECONDS = 600.0
_KEYS = {"openai": " or OPENAI_API_KEY", "anthropic": " or ANTHROPIC_API_KEY"}


class RemoteModel:
    """A language model on a server. Recent replies are cached."""

    def __init__(self, service: Service, dialect: Dialect, *, patience: RetryDelays = PATIENCE) -> None:
        self._service = service
        self._dialect = dialect
        self._patience = patience
        self._client = Client(service, dialect.headers)
        self._replies = LruCache[tuple[str, str], Reply](max=CACHED_REPLIES, ttl=CACHE_SECONDS, update_age_on_get=False)

    @property
    def name(self) -> str:
        """The model's provider and name, such as `ollama/llama3.2`."""
        return self._client.name

    async def reply(self, system: str, text: str) -> Reply:
        """Return the answer to the text.

        `system` contains the instructions. Raises ModelUnavailable if all attempts fail.
        """
        if (cached := self._replies.get((system, text))) is not None:
            return cached
        request = self._dialect.build_request(self._service.model, system, text)
        try:
            reply = self._dialect.parse_reply(await self._post(request))
        except TemporaryFailure as fault:
            raise self._unavailable_error(fault, self._server_hint()) from None
        except PermanentFailure as fault:
            raise self._unavailable_error(fault, self._hint(fault.status)) from None
        self._replies.set((system, text), reply)
        return reply

    async def _post(self, request: Mapping[str, object]) -> bytes:
        """Send the request, and return the body of the reply. The attempts share one time limit."""
        seconds = self._service.timeout
        with anyio.move_on_after(seconds):
            return await self._client.post(self._dialect.path, request, self._patience)
        raise TemporaryFailure(f"did not answer within {seconds:g} s")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _unavailable_error(self, fault: TemporaryFailure | PermanentFailure, hint: str) -> ModelUnavailable:
        return ModelUnavailable(f"{self.name} at {self._service.url} {self._client.describe(fault)}", hint)

    def _hint(self, status: int | None) -> str:
        service = self._service
        match status:
            case 401 | 403:
                alternative = _KEYS.get(service.provider, "") if service.needs_key else ""
                return f"Set GRAPH_MEMORY_MODEL_API_KEY{alternative} to a key that is valid there."
            case 404 if service.provider == "ollama":
                return f"Run `ollama pull {service.model}`, or set GRAPH_MEMORY_MODEL_NAME to an installed model."
            case _:
                return "Check GRAPH_MEMORY_MODEL_URL, and set GRAPH_MEMORY_MODEL_NAME to a chat model of that server."

    def _server_hint(self) -> str:
        start = "Start Ollama" if self._service.provider == "ollama" else "Check that the server can be reached"
        return f"{start}, check GRAPH_MEMORY_MODEL_URL, or increase GRAPH_MEMORY_MODEL_TIMEOUT."
