"""The promises of compose.yaml, read from the file."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from graph_memory import Settings
from graph_memory.mcp_server.transport.http import PORT

DOCKER = Path(__file__).parents[2] / "docker"
SERVICES = yaml.safe_load((DOCKER / "compose.yaml").read_text("utf-8"))["services"]


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_looked_after_and_stays_on_loopback(name: str) -> None:
    service = SERVICES[name]
    assert service["healthcheck"]["test"]
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


def test_no_password_is_written_down() -> None:
    variables = {**SERVICES["neo4j"]["environment"], **SERVICES["graph-memory"]["environment"]}
    for name in ("NEO4J_AUTH", "NEO4J_PASSWORD"):
        assert variables[name].removeprefix("neo4j/").startswith("${NEO4J_PASSWORD:?")


def test_the_service_listens_where_it_is_looked_for() -> None:
    service = SERVICES["graph-memory"]
    assert service["network_mode"] == "host"
    assert service["command"][-1] == f"${{PORT:-{PORT}}}"
    assert f"http://127.0.0.1:${{PORT:-{PORT}}}/health" in service["healthcheck"]["test"][-1]


def test_the_image_of_neo4j_has_the_version_of_the_local_one() -> None:
    image = SERVICES["neo4j"]["image"]
    assert image == f"${{NEO4J_IMAGE:-neo4j:{Settings().neo4j_version}}}"
    assert image.split(":-")[1].rstrip("}") in (DOCKER.parent / "Makefile").read_text("utf-8")
