import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from graph_memory.local.home.ports import accepts_connections, choose_port, is_free, speaks_bolt
from graph_memory.model.errors import Code, GraphError

SETTING = "GRAPH_MEMORY_NEO4J_BOLT_PORT"


@contextmanager
def listener(answer: bytes | None = None) -> Iterator[int]:
    """A server on a port of its own: answers each hello with `answer`, or never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = Thread(target=serve, args=(server, answer))
        if answer is not None:
            thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            if answer is not None:
                thread.join()


def serve(server: socket.socket, answer: bytes) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.recv(100)
            connection.sendall(answer)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def test_a_server_that_agrees_on_a_version_speaks_bolt():
    with listener(b"\x00\x00\x08\x05") as port:
        assert speaks_bolt(port)


@pytest.mark.parametrize("answer", [b"\x00\x00\x00\x00", b"", b"\x00\x05"])
def test_a_server_that_agrees_on_nothing_does_not_speak_bolt(answer):
    with listener(answer) as port:
        assert not speaks_bolt(port)


def test_a_server_that_never_answers_does_not_speak_bolt():
    with listener() as port:
        assert not speaks_bolt(port, timeout=0.05)
        assert accepts_connections(port)


def test_nobody_speaks_bolt_where_nobody_listens():
    port = free_port()
    assert not speaks_bolt(port)
    assert not accepts_connections(port)


def test_a_port_is_free_until_somebody_listens():
    with listener() as port:
        assert not is_free(port)
    assert is_free(port)


def test_a_wanted_port_that_is_taken_is_an_error_with_a_remedy():
    with listener() as port, pytest.raises(GraphError) as caught:
        choose_port(port, (), SETTING)
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert SETTING in (caught.value.hint or "")


def test_the_first_free_one_of_the_preferred_ports_is_chosen():
    free = free_port()
    with listener() as taken:
        assert choose_port(0, (taken, free), SETTING) == free


def test_any_free_port_is_chosen_when_the_preferred_are_taken():
    with listener() as taken:
        assert choose_port(0, (taken,), SETTING) not in {0, taken}
