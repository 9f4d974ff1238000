"""`graph-memory view`: a running server or a new one, the address, and the browser."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graph_memory.cli.commands import serve
from graph_memory.cli.input import browser_login
from graph_memory.cli.main import app
from graph_memory.mcp_server.transport import http

ADDRESS = "http://127.0.0.1:8848/view/#token=abc"


@pytest.fixture
def addresses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The addresses that the browser of a machine with a screen opens."""
    opening: list[str] = []
    monkeypatch.setenv("GRAPH_MEMORY_HOME", str(tmp_path))
    monkeypatch.delenv("GRAPH_MEMORY_DOMAIN", raising=False)
    monkeypatch.setattr(browser_login, "has_display", lambda: True)
    monkeypatch.setattr(webbrowser, "open", opening.append)
    return opening


def answer(monkeypatch: pytest.MonkeyPatch, address: str | None) -> None:
    """Let a running server answer with an address, or let there be no server."""

    def ask(request: Mapping[str, object], *_seconds: float) -> Mapping[str, object] | None:
        assert request["arguments"] == ["view"]
        return None if address is None else {"address": address}

    monkeypatch.setattr(serve, "ask_server", ask)


def test_the_address_of_a_running_server_is_printed_and_opened(addresses: list[str], monkeypatch: pytest.MonkeyPatch):
    answer(monkeypatch, ADDRESS)
    assert CliRunner().invoke(app, ["view"]).stdout == f"{ADDRESS}\n"
    assert addresses == [ADDRESS]
    assert CliRunner().invoke(app, ["view", "--domain", "recipes"]).stdout == f"{ADDRESS}&domain=recipes\n"
    answer(monkeypatch, "http://127.0.0.1:8848/view/")  # a server with keys
    assert CliRunner().invoke(app, ["view", "--domain", "recipes"]).stdout.endswith("/view/#domain=recipes\n")
    assert len(addresses) == 3


def test_no_browser_is_opened_without_a_screen_or_if_that_is_not_wanted(
    addresses: list[str], monkeypatch: pytest.MonkeyPatch
):
    answer(monkeypatch, ADDRESS)
    assert CliRunner().invoke(app, ["view", "--no-open"]).stdout == f"{ADDRESS}\n"
    monkeypatch.setattr(browser_login, "has_display", lambda: False)
    assert CliRunner().invoke(app, ["view"]).stdout == f"{ADDRESS}\n"
    assert addresses == []


def test_without_a_server_one_is_started_on_a_free_port(addresses: list[str], monkeypatch: pytest.MonkeyPatch):
    answer(monkeypatch, None)
    ports: list[int] = []

    def serve_http(_settings: Any, _toolsets: Any, host: str, port: int, **options: Any) -> None:
        assert host == "127.0.0.1"
        ports.append(port)
        options["logins"].url = http.viewer_url(host, port)
        options["on_ready"]()
        assert options["logins"].redeem(addresses[-1].partition("#token=")[2])

    monkeypatch.setattr(http, "serve_http", serve_http)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(http, "PORT", taken.getsockname()[1])
        assert CliRunner().invoke(app, ["view"]).exit_code == 0
    assert CliRunner().invoke(app, ["view"]).exit_code == 0
    assert CliRunner().invoke(app, ["view", "--port", "9000"]).stdout.startswith("http://127.0.0.1:9000/view/#token=")
    assert ports == [0, http.PORT, 9000]
