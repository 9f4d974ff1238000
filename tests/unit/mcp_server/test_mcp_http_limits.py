"""The HTTP server under clients that hold on to it: what it gives them of time, connections, sessions and log."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

import psutil
import pytest

from unit.mcp_server.test_mcp_http import INITIALIZE, JSON, Server, running

pytestmark = pytest.mark.long

BEGUN = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Le"
PART = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 100\r\n\r\n{{"


def connect(server: Server, text: str = "") -> socket.socket:
    """Return a connection on which only so much was said."""
    raw = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    raw.sendall(text.format(port=server.port).encode())
    return raw


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that waits for nobody."""
    with running(headers=1.0, idle=1, answer=0.5, connections=50) as server:
        yield server


@contextmanager
def holding(server: Server, number: int, text: str = "") -> Iterator[list[socket.socket]]:
    """Hold so many connections on which only so much was said."""
    with ExitStack() as held:
        yield [held.enter_context(connect(server, text)) for _ in range(number)]


def ended_after(raw: socket.socket) -> float:
    """Return the seconds until the server closes a connection."""
    began = time.monotonic()
    with suppress(ConnectionError):
        while raw.recv(4096):
            pass
    return time.monotonic() - began


def descriptors(server: Server) -> int:
    return psutil.Process(server.process.pid).num_fds()


@pytest.mark.parametrize("text", ["", "P", BEGUN, "GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\nGET /hea"])
def test_headers_that_are_not_finished_end_the_connection(server: Server, text: str):
    with connect(server, text) as raw:
        if text.endswith("GET /hea"):
            raw.sendall(b"lt")  # the answer to the first is under way or gone; this is of the second
        assert ended_after(raw) < 10
        assert server.answer("GET", "/health").status == 200


def test_a_byte_now_and_then_does_not_prolong_the_time_for_headers(server: Server):
    with connect(server, BEGUN) as raw:
        began = time.monotonic()
        with suppress(ConnectionError):
            while time.monotonic() - began < 15:
                raw.sendall(b"x")
                time.sleep(0.1)
        assert 0.5 < time.monotonic() - began < 10


def test_the_rest_of_a_refused_body_is_not_waited_for_without_end(server: Server):
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: null\r\nContent-Length: 900000\r\n\r\n"
    with connect(server, head) as raw:
        assert raw.recv(20).startswith(b"HTTP/1.1 403 ")
        began = time.monotonic()
        with suppress(ConnectionError):
            while time.monotonic() - began < 15:
                raw.sendall(b"x")
                time.sleep(0.1)
        assert time.monotonic() - began < 10


def test_large_bodies_are_not_all_held_at_once(server: Server):
    size = 1_000_000  # a little less than this server takes
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: {size}\r\n\r\n"
    with ExitStack() as held:
        answers: list[bytes] = []
        for _ in range(6):
            raw = held.enter_context(connect(server, head))
            raw.sendall(b" " * (size - 1))
            raw.settimeout(0.3)
            with suppress(TimeoutError):
                answers.append(raw.recv(13))
        assert b"HTTP/1.1 503 " in answers
    assert server.answer("POST", "/mcp", b" " * size, **JSON).status == 400


@pytest.mark.parametrize("length", ["9" * 30, "9" * 6000, "-1", "x", "0x10", "+1"])
def test_a_length_that_is_none_or_beyond_measure_is_refused(server: Server, length: str):
    with connect(
        server, f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: {length}\r\n\r\n"
    ) as raw:
        assert raw.recv(13) in {b"HTTP/1.1 400 ", b"HTTP/1.1 413 "}


def test_an_idle_connection_ends_and_one_in_use_does_not(server: Server):
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)) as used:
        for _ in range(4):
            used.request("GET", "/health")
            assert used.getresponse().read()
            time.sleep(0.4)
        assert ended_after(used.sock) < 10


def test_who_takes_no_answer_is_let_go(server: Server):
    with socket.socket() as raw:
        before = descriptors(server)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", server.port))
        raw.setblocking(False)
        request = f"GET /health?{'x' * 900} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode() * 100
        deadline = time.monotonic() + 30
        with pytest.raises(ConnectionError):  # noqa: PT012 - until it is closed
            while time.monotonic() < deadline:
                with suppress(BlockingIOError):
                    raw.send(request)
                time.sleep(0.01)
        assert descriptors(server) <= before


@pytest.mark.parametrize("text", ["", BEGUN, PART])
def test_two_hundred_clients_that_stop_halfway_keep_nobody_else_out(server: Server, text: str):
    with holding(server, 200, text):
        for _ in range(20):
            assert server.answer("GET", "/health").status == 200
        assert descriptors(server) < 50 + 30


def test_a_server_with_few_descriptors_goes_on_and_does_not_fill_the_log():
    with running(descriptors=64) as server:
        with holding(server, 200, BEGUN):
            for _ in range(20):
                assert server.answer("GET", "/health").status == 200
        status, logged, _ = server.end()
    assert status == 0
    assert "make room" in logged or "makes room" in logged
    assert len(logged) < 10_000
    assert "Traceback" not in logged


def test_a_server_whose_descriptors_are_gone_waits_for_one_and_says_so_now_and_then():
    with running(descriptors=64, connections=10_000) as server:
        with holding(server, 200, BEGUN):
            for _ in range(5):
                assert server.answer("GET", "/health").status == 200
        assert server.answer("GET", "/health").status == 200
        status, logged, _ = server.end()
    assert status == 0
    assert "Could not accept a connection" in logged
    assert len(logged) < 10_000
    assert "Traceback" not in logged


def test_nonsense_does_not_fill_the_log():
    with running() as server:
        for number in range(200):
            with connect(server, f"nonsense {number}\r\n\r\n") as raw:
                assert raw.recv(100).startswith(b"HTTP/1.1 400 ")
            assert server.answer("GET", "/health", Origin=f"http://{number}.example").status == 403
        _, logged, _ = server.end()
    assert logged.count("Invalid HTTP request received") == logged.count("Rejected a request") == 5


def open_session(server: Server) -> str:
    """Return the id of a new session."""
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}
    answer = server.answer("POST", "/mcp", json.dumps(hello), **JSON)
    assert answer.status == 200
    return answer.headers["Mcp-Session-Id"]


def status_of(server: Server, session: str) -> int:
    """Return the status of a ping in a session."""
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    return server.answer("POST", "/mcp", json.dumps(ping), **JSON, **{"Mcp-Session-Id": session}).status


@contextmanager
def listening(server: Server, session: str) -> Iterator[http.client.HTTPResponse]:
    """Listen for messages to the client of a session."""
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)) as connection:
        connection.request("GET", "/mcp", headers={"Accept": "text/event-stream", "Mcp-Session-Id": session})
        with connection.getresponse() as stream:
            assert stream.status == 200
            yield stream


def test_the_session_that_was_idle_longest_ends_for_a_new_one():
    with running(sessions=3) as server:
        first, second, third = (open_session(server) for _ in range(3))
        assert status_of(server, first) == 200
        fourth = open_session(server)
        assert [status_of(server, text) for text in (first, second, third, fourth)] == [200, 404, 200, 200]
        many = [open_session(server) for _ in range(50)]
        assert [status_of(server, text) for text in (first, *many[-4:])] == [404, 404, 200, 200, 200]
        _, logged, _ = server.end()
    assert "ERROR" not in logged


def test_a_session_that_listens_outlives_one_that_does_not_and_ends_too_in_the_end():
    with running(sessions=2) as server:
        listens, does_not = open_session(server), open_session(server)
        with listening(server, listens) as stream:
            third = open_session(server)
            assert [status_of(server, text) for text in (listens, does_not, third)] == [200, 404, 200]
            with listening(server, third):
                fourth = open_session(server)
                assert stream.read() == b""
                assert [status_of(server, text) for text in (listens, third, fourth)] == [404, 200, 200]
