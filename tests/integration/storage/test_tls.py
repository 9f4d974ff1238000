"""A server behind TLS: `+ssc` trusts any certificate, `+s` only a certificate that an authority signed."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from certificates import certificate
from container.images import address_of
from graph_memory import Code, GraphError, Settings, open_memory

pytestmark = pytest.mark.anyio


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except (ConnectionError, ssl.SSLError):
        pass
    finally:
        writer.close()


@asynccontextmanager
async def behind_tls(bolt_port: int, file: Path) -> AsyncIterator[int]:
    """Give the port of a TLS end in front of a Bolt port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", bolt_port)
        await asyncio.gather(copy(reader, inner_writer), copy(inner_reader, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_server_with_a_certificate_of_its_own_is_used_with_ssc_and_refused_with_s(
    settings: Settings, tmp_path: Path, domain: str
) -> None:
    inner = address_of(settings)
    arguments = {"home": settings.home, "neo4j_password": inner.password}
    async with behind_tls(int(inner.uri.rpartition(":")[2]), certificate(tmp_path)) as port:
        trusting = Settings(neo4j_uri=f"bolt+ssc://127.0.0.1:{port}", **arguments)  # pyright: ignore[reportArgumentType]
        async with open_memory(trusting) as memory:
            assert (await memory.query_nodes(domain=domain)).node_ids == ()
        strict = Settings(neo4j_uri=f"bolt+s://127.0.0.1:{port}", **arguments)  # pyright: ignore[reportArgumentType]
        with pytest.raises(GraphError) as caught:
            async with open_memory(strict):
                pass
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert "+ssc" in str(caught.value.hint)
