"""The server as a process: one protocol on stdout, and a clean end whichever way the client leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from graph_memory import Settings
from graph_memory.mcp_server.table import tools_of
from graph_memory.mcp_server.transport.stdio import replace_lone_surrogates
from tables import for_rows

SERVER = Path(__file__).with_name("stdio_server.py")
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
NODE = {"type": "Project", "format": "text"}


class Server:
    """A server process and the lines that go between."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return self.answer(number)

    def answer(self, number: int | None) -> dict[str, Any]:
        assert self.process.stdout is not None
        while True:
            message = json.loads(self.process.stdout.readline())
            assert message["jsonrpc"] == "2.0"
            if message.get("id") == number:
                return message

    def begin(self) -> dict[str, Any]:
        answer = self.ask(0, "initialize", INITIALIZE)
        self.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        return answer["result"]

    def end(self) -> tuple[int, str, float]:
        """Return the exit status, what was logged and how long the end took."""
        began = time.monotonic()
        _, logged = self.process.communicate(timeout=10)
        return self.process.returncode, logged, time.monotonic() - began


@contextmanager
def running(*how: str) -> Iterator[Server]:
    pipe = subprocess.PIPE
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, SERVER, *how]
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)
    try:
        yield Server(process)
    finally:
        process.kill()
        process.communicate()


def test_a_line_that_cannot_be_read_is_answered_and_the_next_one_too():
    with running() as server:
        server.begin()
        for number, value in enumerate(["[" * 1_000 + "]" * 1_000, "9" * 5_000, "{"], start=1):
            server.send(f'{{"jsonrpc":"2.0","id":{number},"method":"ping","params":{{"a":{value}}}}}')
            assert server.answer(number)["error"]["code"] == -32700
        server.send("this is no JSON")
        assert server.answer(None)["error"]["code"] == -32700
        assert server.ask(9, "ping", {})["result"] == {}


def test_stdout_carries_the_protocol_only_and_stdin_closing_ends_the_server_cleanly():
    with running() as server:
        assert server.begin()["serverInfo"]["name"] == "graph-memory-core"
        call = {"name": "create_node", "arguments": {**NODE, "content": "x"}}
        assert server.ask(1, "tools/call", call)["result"]["structuredContent"] == {"node_id": "mem_1", "version": 7}
        status, logged, took = server.end()
    assert status == 0
    assert "stray output" in logged
    assert "opened" in logged
    assert "closed" in logged
    assert "session='session_" in logged
    assert "source='agent'" in logged
    assert took < 3


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly_while_stdin_is_open(number: signal.Signals):
    with running() as server:
        server.begin()
        server.ask(1, "tools/call", {"name": "create_node", "arguments": {**NODE, "content": "x"}})
        server.process.send_signal(number)
        assert server.process.wait(timeout=5) == 0
        assert server.process.stderr is not None
        assert "closed" in server.process.stderr.read()


@pytest.mark.long
@pytest.mark.parametrize("how", ["slow", "blocked"])
def test_a_server_answers_and_ends_while_its_memory_is_still_being_opened(how: str):
    with running(how) as server:
        server.begin()
        listed = server.ask(1, "tools/list", {})["result"]["tools"]
        assert [tool["name"] for tool in listed] == list(tools_of(Settings().toolsets))
        status, logged, _ = server.end()  # waits for ten seconds, the memory for a minute
    assert status == 0
    assert "source='agent'" in logged
    assert "opened" not in logged


def test_half_an_emoji_does_not_make_a_call_disappear():
    with running() as server:
        server.begin()
        params = {"name": "create_node", "arguments": {**NODE, "content": "cut \ud83d"}}
        server.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))
        assert "result" in server.answer(1)
        assert r"cut \ufffd" in server.end()[1]


@for_rows(
    ("line", "meant"),
    [
        (r'"\ud83c\udfe0"', "🏠"),
        (r'"\uD83C\uDFE0 \u00e9"', "🏠 é"),
        (r'"\ud83c"', "\ufffd"),
        (r'"\udfe0\ud83c"', "\ufffd\ufffd"),
        (r'"\ud83c\ud83c\udfe0"', "\ufffd🏠"),
        (r'"\\ud83c"', r"\ud83c"),
        (r'"\\\ud83c \" \n"', '\\\ufffd " \n'),
        ('"🏠"', "🏠"),
    ],
)
def test_only_halves_of_pairs_are_replaced(line: str, meant: str):
    assert json.loads(replace_lone_surrogates(line)) == meant
