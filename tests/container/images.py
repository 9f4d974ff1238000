"""The Neo4j of a run of the tests: a container, where an image is named, else a local one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import SecretStr

from graph_memory import Settings, local
from graph_memory.storage.connecting import Address

NEO4J_IMAGE = os.environ.get("NEO4J_IMAGE") or None
"""The Neo4j that the tests run on; without it they run on a local one."""
SERVICE_IMAGE = os.environ.get("SERVICE_IMAGE") or None
"""The service to test besides."""


@contextmanager
def neo4j_of(image: str, home: Path) -> Iterator[Settings]:
    """Give settings that lead to a Neo4j of the image, on a loopback port; the container ends with it."""
    from testcontainers.community.neo4j import Neo4jContainer

    container = Neo4jContainer(image, password=secrets.token_hex())
    container.with_env("NEO4J_db_lock_acquisition_timeout", "30s")
    container.ports[str(container.port)] = ("127.0.0.1", None)  # pyright: ignore[reportArgumentType]
    with container:
        uri, password = container.get_connection_url(), SecretStr(container.password)
        yield Settings(home=home, neo4j_uri=uri, neo4j_password=password)


def address_of(settings: Settings) -> Address:
    """Return the address and the login of the settings' Neo4j."""
    if settings.neo4j_uri:
        return Address(settings.neo4j_uri, settings.neo4j_username, settings.neo4j_password.get_secret_value())
    server = local.ensure_running(settings)
    return Address(server.uri, server.username, server.password)
