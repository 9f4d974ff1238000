"""The run's tests are really about the image that was named."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import docker
import pytest

from container.images import NEO4J_IMAGE
from graph_memory import Memory, Settings, local, ontology_from

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(NEO4J_IMAGE is None, reason="NEO4J_IMAGE names no image")]


async def test_a_memory_lives_in_the_container_and_no_local_neo4j_was_started(
    memory: Memory, settings: Settings
) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Note"], "connection_types": []}))
    node = await memory.create_node("Note", "# In a container")
    assert (await memory.search_content("CONTAINER")).node_ids == (node.node_id,)
    assert not (await memory.upkeep.verify()).differences
    assert local.status(settings).state == "stopped"


def test_the_container_is_reached_on_loopback_only(settings: Settings) -> None:
    assert settings.neo4j_uri is not None
    port = urlsplit(settings.neo4j_uri).port
    client = docker.from_env()
    try:
        bindings = [binding for container in client.containers.list() for binding in bindings_of(container.attrs, port)]
    finally:
        client.close()
    assert bindings == ["127.0.0.1"]


def bindings_of(attributes: dict[str, Any], port: int | None) -> list[str]:
    """Return the addresses at which a container's port is reached under a number."""
    ports = attributes["NetworkSettings"]["Ports"].values()
    return [binding["HostIp"] for bindings in ports for binding in bindings or () if binding["HostPort"] == str(port)]
