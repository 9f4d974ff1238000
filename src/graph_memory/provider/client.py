"""A client for model servers. It retries requests after temporary failures."""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import urlsplit

import anyio
import httpx2
from pydantic import SecretStr

from graph_memory.provider.faults import MESSAGE_CHARACTERS, PermanentFailure, TemporaryFailure, failure

CONNECT_SECONDS = 5.0
OK = 200
UNAUTHORIZED = 401
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Service:
    """A model on a server, with its API key. `timeout` is the time limit of a request in seconds."""

    provider: str
    model: str
    url: str
    key: SecretStr
    needs_key: bool
    timeout: float
    login: Literal["bearer", "x-api-key"] = "bearer"
    """The header that contains the key."""


@dataclass(frozen=True, slots=True)
class RetryDelays:
    """How often to retry a request: the seconds to wait before each retry, unless the server requests another delay.

    If the server requests a delay of more than `max_delay` seconds, the request is not retried.
    """

    pauses: tuple[float, ...]
    max_delay: float


class Client:
    """A client for a service. Its errors and logs never contain the API key."""

    def __init__(self, service: Service, headers: Mapping[str, str] | None = None) -> None:
        self._service = service
        self._headers = headers or {}
        self._client: httpx2.AsyncClient | None = None

    @property
    def name(self) -> str:
        """The model's provider and name."""
        return f"{self._service.provider}/{self._service.model}"

    async def post(self, path: str, body: Mapping[str, object], patience: RetryDelays) -> bytes:
        """Send a request, and return the reply's body.

        Raises PermanentFailure, and TemporaryFailure if all retries fail.
        """
        for pause in patience.pauses:
            try:
                return await self._send(path, body)
            except TemporaryFailure as fault:
                retry_after = fault.retry_after
                if retry_after is not None and retry_after > patience.max_delay:
                    raise
                seconds = pause * random.uniform(0.5, 1.5) if retry_after is None else retry_after  # noqa: S311 - spreads requests
                _log.debug("%s %s; trying again in %.1f s", self.name, self.describe(fault), seconds)
                await anyio.sleep(seconds)
        return await self._send(path, body)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    def describe(self, fault: TemporaryFailure | PermanentFailure) -> str:
        """Return the failure's message without the API key. The server may have repeated the key."""
        key = self._service.key.get_secret_value()
        return (str(fault).replace(key, "***") if key else str(fault))[:MESSAGE_CHARACTERS]

    async def _send(self, path: str, body: Mapping[str, object]) -> bytes:
        service = self._service
        headers = {**self._headers, **self._auth_headers()}
        try:
            with anyio.fail_after(service.timeout):
                reply = await self._connections().post(service.url + path, json=body, headers=headers)
        except TimeoutError:
            raise TemporaryFailure(f"did not answer within {service.timeout:g} s") from None
        except httpx2.ConnectError as error:
            raise TemporaryFailure(f"cannot be reached: {error}") from None
        except httpx2.TransportError as error:
            raise TemporaryFailure(f"closed the connection: {type(error).__name__}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise PermanentFailure(f"sent a reply that cannot be read: {type(error).__name__}") from None
        if reply.status_code != OK:
            raise failure(reply.status_code, reply.headers, reply.content, datetime.now(UTC))
        return reply.content

    def _auth_headers(self) -> dict[str, str]:
        key = self._service.key.get_secret_value()
        if not key:
            if self._service.needs_key:
                raise PermanentFailure("needs an API key", UNAUTHORIZED)
            return {}
        if not (key.isascii() and key.isprintable()):
            raise PermanentFailure(
                "cannot receive this API key: it contains characters that are not allowed in a header", UNAUTHORIZED
            )
        return {"x-api-key": key} if self._service.login == "x-api-key" else {"Authorization": f"Bearer {key}"}

    def _connections(self) -> httpx2.AsyncClient:
        if self._client is None:
            seconds = httpx2.Timeout(self._service.timeout, connect=min(CONNECT_SECONDS, self._service.timeout))
            is_local = urlsplit(self._service.url).hostname in _LOOPBACK  # proxies do not serve loopback addresses
            self._client = httpx2.AsyncClient(timeout=seconds, trust_env=not is_local)
        return self._client
