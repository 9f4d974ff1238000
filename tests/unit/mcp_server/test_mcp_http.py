"""The HTTP server as a process: access, accepted requests, and a clean end with open connections."""

from __future__ import annotations

import errno
import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from graph_memory.mcp_server.presets import Auth
from graph_memory.mcp_server.transport.http import check_proxies, open_listener
from graph_memory.mcp_server.transport.http_app import RequestTracker
from graph_memory.mcp_server.transport.surrogates import replace_lone_surrogates_in_bytes
from graph_memory.model.errors import Code, GraphError
from tables import for_rows

SERVER = Path(__file__).with_name("http_server.py")
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": INITIALIZE["clientInfo"],
    "io.modelcontextprotocol/clientCapabilities": {},
}
STATELESS = {**JSON, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "create_node"}


def call_of(content: str, **meta: Any) -> bytes:
    """Return the body of a call with this JSON as content."""
    arguments = {"type": "Project", "format": "text", "content": "CONTENT"}
    params = {"name": "create_node", "arguments": arguments, **meta}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    return request.replace('"CONTENT"', content).encode()


class Server:
    """A server process and plain requests to it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stderr is not None
        self.before = ""
        while not (result := process.stderr.readline().decode()).startswith("Serving"):
            assert result, f"it did not start:\n{self.before}"
            self.before += result
        self.first_line = result
        self.port = int(self.first_line.partition("127.0.0.1:")[2].partition("/")[0])

    def answer(self, method: str, path: str, body: str | bytes | None = None, **headers: str) -> Any:
        """Return the response to one request, read to its end."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        response.text = response.read().decode()
        connection.close()
        return response

    def call(self, content: str, **headers: str) -> Any:
        """Return the response to a call with this JSON as content, by session or, without one, stateless."""
        meta, arguments = ({}, JSON) if "Mcp-Session-Id" in headers else ({"_meta": MODERN}, STATELESS)
        return self.answer("POST", "/mcp", call_of(content, **meta), **arguments, **headers)

    def session(self) -> dict[str, str]:
        """Return the header that names a new session."""
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}
        opened = self.answer("POST", "/mcp", json.dumps(hello), **JSON)
        named = {"Mcp-Session-Id": opened.headers["Mcp-Session-Id"]}
        ready = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert self.answer("POST", "/mcp", ready, **JSON, **named).status == 202
        return named

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str, float]:
        """Return the exit status, what was logged and how long the end took."""
        self.process.send_signal(number)
        return self.wait_for_end()

    def wait_for_end(self) -> tuple[int, str, float]:
        """Return the same once it has ended by itself; nothing may stand on stdout."""
        began = time.monotonic()
        data, logged = self.process.communicate(timeout=50)
        assert data == b""
        return self.process.returncode, self.before + logged.decode(), time.monotonic() - began


@pytest.fixture(scope="module")
def shared_server() -> Iterator[Server]:
    with running() as server:
        yield server


@contextmanager
def running(*, descriptors: int | None = None, **limits: float) -> Iterator[Server]:
    pipe = subprocess.PIPE
    command = [sys.executable, str(SERVER), *(f"{name}={value}" for name, value in limits.items())]
    if descriptors is not None:
        command = ["sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh", *command]
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, bufsize=0)  # no line may stay in a buffer
    try:
        yield Server(process)
    finally:
        process.kill()
        process.communicate()


def answer_to(server: Server, line: str, *headers: tuple[str, str]) -> bytes:
    """Return the answer to a request of any form."""
    lines = [line, *(f"{name}: {value}" for name, value in headers), "Connection: close", "", ""]
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:
        raw.sendall("\r\n".join(lines).encode())
        return b"".join(iter(lambda: raw.recv(4096), b""))


def test_where_it_serves_is_told_in_one_line(shared_server: Server):
    assert shared_server.first_line == f"Serving MCP at http://127.0.0.1:{shared_server.port}/mcp (Ctrl-C stops it)\n"


def test_health_is_answered_and_unknown_paths_are_not_found(shared_server: Server):
    assert json.loads(shared_server.answer("GET", "/health").text) == {"status": "ok"}
    assert shared_server.answer("GET", "/nothing").status == 404
    assert shared_server.answer("POST", "/health").status == 405


@for_rows(
    ("name", "value"),
    [
        ("X-Forwarded-Host", "127.0.0.1:{port}"),
        ("X-Forwarded-For", "127.0.0.1"),
        ("X-Forwarded-Server", "localhost"),
        ("X-Real-IP", "127.0.0.1"),
        ("Forwarded", "for=127.0.0.1;host=127.0.0.1:{port};proto=http"),
    ],
)
def test_requests_of_proxies_are_refused(name: str, value: str, shared_server: Server):
    forged = {name: value.format(port=shared_server.port)}
    assert shared_server.answer("GET", "/health", Host="memory.example.org", **forged).status == 421
    for header in (forged, {name: forged[name].replace("127.0.0.1", "192.0.2.1")}):
        answer = shared_server.answer("GET", "/health", **header)
        assert answer.status == 403
        assert "--auth keys" in answer.text


@for_rows(
    ("proxy", "auth", "message"),
    [
        ("10.0.0.5", Auth.NONE, "needs authentication"),
        ("proxy", Auth.KEYS, "is not an IP address or network"),
        ("10.0.0.5/24", Auth.KEYS, "is not an IP address or network"),
    ],
)
def test_proxies_are_trusted_by_address_and_with_authentication(proxy: str, auth: Auth, message: str):
    check_proxies(["10.0.0.5", "10.0.0.0/24", "::1"], Auth.OIDC)
    with pytest.raises(GraphError, match=message):
        check_proxies([proxy], auth)


def test_the_project_of_the_machine_is_not_served_over_http(shared_server: Server):
    def ask(method: str, **params: Any) -> str:
        request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return shared_server.answer("POST", "/mcp", request, **JSON, **session).text

    session = shared_server.session()
    assert "get_environment" not in (listed := ask("tools/list"))
    assert "create_node" in listed
    assert "error" in ask("tools/call", name="get_environment", arguments={})


@for_rows("path", ["/health", "/mcp", "/"])
@for_rows("host", ["example.com", "example.com:{}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.example:{}"])
def test_a_request_to_another_host_is_refused(shared_server: Server, path: str, host: str):
    assert shared_server.answer("POST", path, "{}", **JSON, Host=host.format(shared_server.port)).status == 421


@for_rows("path", ["/health", "/mcp", "/"])
@for_rows("origin", ["http://example.com", "https://localhost:{}", "http://localhost:1", "null"])
def test_a_request_from_a_page_of_another_site_is_refused(shared_server: Server, path: str, origin: str):
    assert shared_server.answer("POST", path, "{}", **JSON, Origin=origin.format(shared_server.port)).status == 403


@pytest.mark.parametrize(
    "origins", [[""], ["http://localhost:{}", "http://example.com"], ["http://example.com", "http://localhost:{}"]]
)
def test_every_origin_counts_and_an_empty_one_too(shared_server: Server, origins: list[str]):
    sent = [
        ("Host", f"127.0.0.1:{shared_server.port}"),
        *(("Origin", origin.format(shared_server.port)) for origin in origins),
    ]
    assert answer_to(shared_server, "GET /health HTTP/1.1", *sent).startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize("hosts", [[], [""], ["127.0.0.1:{}", "example.com"], ["127.0.0.1:{}", "127.0.0.1:{}"]])
def test_a_request_names_one_host(shared_server: Server, hosts: list[str]):
    sent = [("Host", host.format(shared_server.port)) for host in hosts]
    assert answer_to(shared_server, "GET /health HTTP/1.1", *sent)[:13] in {b"HTTP/1.1 400 ", b"HTTP/1.1 421 "}


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_this_machine_goes_by_three_names(shared_server: Server, name: str):
    host = f"{name}:{shared_server.port}"
    assert shared_server.answer("GET", "/health", Host=host, Origin=f"http://{host}").status == 200


@pytest.mark.long
@pytest.mark.parametrize("by_session", [False, True])
def test_half_an_emoji_does_not_spoil_a_call(by_session: bool):
    with running() as server:
        session = server.session() if by_session else {}
        answer = server.call(r'"cut \ud83d, whole \ud83c\udfe0 é"', **session)
        assert answer.status == 200
        assert json.loads(answer.text)["result"]["structuredContent"] == {"node_id": "mem_1", "version": 7}
        assert r"content='cut \ufffd, whole \U0001f3e0 \xe9'" in server.end()[1]


@pytest.mark.parametrize("by_session", [False, True])
def test_content_of_any_characters_is_taken_up_to_the_limit(shared_server: Server, by_session: bool):
    session = shared_server.session() if by_session else {}
    most = shared_server.call(json.dumps("\x01" * 1000), **session)
    assert not json.loads(most.text)["result"]["isError"]
    more = json.loads(shared_server.call(json.dumps("\x01" * 1001), **session).text)["result"]
    assert more["structuredContent"]["code"] == Code.CONTENT_TOO_LARGE


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_every_limit_is_refused_without_being_kept(shared_server: Server, chunked: bool):
    block = b"x" * 1_000_000
    body = iter([block, block]) if chunked else block + block
    answer = shared_server.answer("POST", "/mcp", body, **JSON)
    assert answer.status == 413
    error = json.loads(answer.text)["error"]
    assert error["data"]["code"] == Code.CONTENT_TOO_LARGE
    assert "GRAPH_MEMORY_MCP_CONTENT_BYTES" in error["message"]
    assert shared_server.answer("GET", "/health").status == 200


@pytest.mark.long
def test_a_body_that_does_not_arrive_in_time_is_given_up():
    with running(body=0.5) as server, socket.create_connection(("127.0.0.1", server.port), timeout=20) as half:
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 100\r\n\r\n"
        half.sendall(head.encode() + b'{"half": ')
        answer = b"".join(iter(lambda: half.recv(4096), b""))
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"within 0.5 s" in answer
        assert server.answer("GET", "/health").status == 200


def test_what_is_not_json_is_answered(shared_server: Server):
    assert shared_server.answer("POST", "/mcp", b"\xff{", **JSON).status == 400
    assert shared_server.answer("POST", "/mcp", b"\xff\\ud83d{", **STATELESS).status == 400
    assert shared_server.answer("POST", "/mcp", "{}", Accept=JSON["Accept"]).status == 400
    assert shared_server.call('"x"', **{"Mcp-Session-Id": "gone"}).status == 404


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT] * 2)
def test_who_has_read_where_it_serves_can_end_it(number: signal.Signals):
    with running() as server:
        status, logged, _ = server.end(number)
    assert status == 0
    assert "Traceback" not in logged


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_at_once_though_a_client_listens(number: signal.Signals):
    with running(calls=20, rest=40) as server:
        session = server.session()
        assert server.call('"x"', **session).status == 200
        listener = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        listener.request("GET", "/mcp", headers={"Accept": "text/event-stream", **session})
        stream = listener.getresponse()
        assert stream.status == 200
        status, logged, took = server.end(number)
        assert stream.read() == b""
        listener.close()
    assert status == 0
    assert logged.count("opened") == 1
    assert logged.endswith("closed\n")
    assert "ERROR" not in logged
    assert took < 15


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("by_session", [False, True])
def test_a_call_that_does_not_finish_is_answered_when_the_server_ends(by_session: bool):
    answers: list[Any] = []
    with running(calls=0.5, rest=40) as server:
        session = server.session() if by_session else {}
        caller = Thread(target=lambda: answers.append(server.call('"slow"', **session)))
        caller.start()
        assert server.process.stderr is not None
        while b"content='slow'" not in server.process.stderr.readline():
            pass
        status, logged, took = server.end()
        caller.join()
    assert status == 0
    assert answers[0].status == 503
    assert "ERROR" not in logged
    assert "Traceback" not in logged
    assert took < 15


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("after", [0.0, 0.02, 0.04, 0.06, 0.08])
def test_a_call_just_after_the_signal_is_answered_in_form_or_not_taken(after: float):
    with running(calls=0.5, rest=40) as server:
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=50)) as open_one:
            open_one.request("GET", "/health")
            assert open_one.getresponse().read()
            server.process.send_signal(signal.SIGTERM)
            time.sleep(after)
            with suppress(ConnectionError):  # it may be closed already
                open_one.request("POST", "/mcp", call_of('"slow"', _meta=MODERN), STATELESS)
                assert open_one.getresponse().status == 503
        status, logged, took = server.wait_for_end()
    assert status == 0
    assert "ERROR" not in logged
    assert "Traceback" not in logged
    assert took < 15


@pytest.mark.anyio
async def test_nothing_is_begun_once_the_server_ends():
    sent: list[Any] = []

    async def never(*arguments: Any) -> None:
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    requests = RequestTracker(never)
    requests.end(2.0)
    await requests({"type": "http", "method": "POST"}, never, send)
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert sent[0]["status"] == 503


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_second_signal_does_not_wait_for_calls():
    with running(calls=30, rest=40) as server:
        caller = Thread(target=lambda: server.call('"slow"'))
        caller.start()
        assert server.process.stderr is not None
        while b"content='slow'" not in server.process.stderr.readline():
            pass
        server.process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        status, _, took = server.end(signal.SIGINT)
        caller.join()
    assert status == 0
    assert took < 15


@for_rows("host", ["0.0.0.0", "", "::", "example.com", "127.0.0.2"])
def test_nothing_but_the_loopback_interface_is_listened_on(host: str):
    with pytest.raises(GraphError) as caught:
        open_listener(host, 0)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.details["argument"] == "host"
    assert "authentication" in str(caught.value.hint)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_is_listened_on_by_one_server(host: str):
    with open_listener(host, 0) as first:
        with pytest.raises(GraphError) as caught:
            open_listener(host, first.getsockname()[1])
        assert first.proto == socket.IPPROTO_TCP  # or asyncio leaves Nagle's delay of 40 ms on
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.details["argument"] == "port"


def test_a_machine_without_ipv6_is_told_so(monkeypatch: pytest.MonkeyPatch):
    def refuse(*arguments: Any) -> None:
        raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")

    monkeypatch.setattr(socket, "socket", refuse)
    with pytest.raises(GraphError) as caught:
        open_listener("::1", 0)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.details["argument"] == "host"


def test_mending_leaves_other_bytes_alone():
    assert replace_lone_surrogates_in_bytes(b'"\xff\xc3\xa9 \\ud83d \\u00e9"') == b'"\xff\xc3\xa9 \\ufffd \\u00e9"'
