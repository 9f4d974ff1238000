"""The promises of compose.yaml, read from the file."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
import yaml

from graph_memory import Settings
from graph_memory.mcp_server.transport.http import PORT
from tables import for_rows

DOCKER = Path(__file__).parents[2] / "docker"
SERVICES = yaml.safe_load((DOCKER / "compose.yaml").read_text("utf-8"))["services"]


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_looked_after_and_stays_on_loopback(name: str) -> None:
    service = SERVICES[name]
    assert service["healthcheck"]["test"]
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    if name != "neo4j":
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])


@pytest.mark.parametrize("name", SERVICES)
def test_every_image_has_a_fixed_version(name: str) -> None:
    image = SERVICES[name]["image"]
    assert image == "graph-memory" or re.fullmatch(r"\$\{[A-Z0-9_]+:-[a-z/0-9]+:v?\d+\.\d+\.\d+\}", image)


def test_monitoring_is_started_only_if_asked_for_and_listens_on_loopback() -> None:
    assert [name for name, service in SERVICES.items() if "profiles" in service] == ["prometheus", "grafana"]
    assert "--web.listen-address=127.0.0.1:9090" in SERVICES["prometheus"]["command"]
    assert SERVICES["grafana"]["environment"]["GF_SERVER_HTTP_ADDR"] == "127.0.0.1"


def test_prometheus_and_grafana_look_where_the_others_listen() -> None:
    [scraped] = yaml.safe_load((DOCKER / "prometheus.yml").read_text("utf-8"))["scrape_configs"]
    assert scraped["static_configs"] == [{"targets": [f"127.0.0.1:{PORT}"]}]
    provisioning = DOCKER / "provisioning"
    [source] = yaml.safe_load((provisioning / "datasources" / "prometheus.yaml").read_text("utf-8"))["datasources"]
    assert source["url"] == "http://127.0.0.1:9090"
    [provider] = yaml.safe_load((provisioning / "dashboards" / "folder.yaml").read_text("utf-8"))["providers"]
    assert f"./grafana:{provider['options']['path']}:ro" in SERVICES["grafana"]["volumes"]


@for_rows(
    ("command", "url"),
    [
        ("mcp", None),
        ("mcp --transport http", "http://127.0.0.1:8848/health/ready"),
        ("serve --auth keys --host 0.0.0.0 --port 9000", "http://127.0.0.1:9000/health/ready"),
        ("serve --host ::1", "http://[::1]:8848/health/ready"),
    ],
)
def test_the_health_check_of_the_image_asks_where_its_server_listens(command: str, url: str | None) -> None:
    check = runpy.run_path(str(DOCKER / "healthcheck.py"))
    assert check["url_of"](["graph-memory", *command.split()]) == url


def test_no_password_is_written_down() -> None:
    variables = {**SERVICES["neo4j"]["environment"], **SERVICES["graph-memory"]["environment"]}
    for name in ("NEO4J_AUTH", "NEO4J_PASSWORD"):
        assert variables[name].removeprefix("neo4j/").startswith("${NEO4J_PASSWORD:?")


def test_the_service_listens_where_it_is_looked_for() -> None:
    service = SERVICES["graph-memory"]
    assert service["network_mode"] == "host"
    assert service["command"][-1] == f"${{PORT:-{PORT}}}"
    assert service["healthcheck"]["test"][-1] == "/opt/healthcheck.py"


def test_the_image_of_neo4j_has_the_version_of_the_local_one() -> None:
    image = SERVICES["neo4j"]["image"]
    assert image == f"${{NEO4J_IMAGE:-neo4j:{Settings().neo4j_version}}}"
    assert image.split(":-")[1].rstrip("}") in (DOCKER.parent / "Makefile").read_text("utf-8")
