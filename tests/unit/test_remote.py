"""Requests to running servers of a home folder."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from graph_memory import remote


def serve_once(path: Path, answer: bytes, seconds: float = 0) -> None:
    """Answer one request at a socket after some seconds."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen()

    def answer_request() -> None:
        with listener, listener.accept()[0] as connection:
            connection.makefile("rb").readline()
            time.sleep(seconds)
            with suppress(BrokenPipeError):  # the caller waits no longer
                connection.sendall(remote.ACCEPTED + answer)

    threading.Thread(target=answer_request, daemon=True).start()


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for the sockets of a home."""
    with tempfile.TemporaryDirectory(dir="/tmp") as home:  # a short path, as sockets need
        monkeypatch.setenv("GRAPH_MEMORY_HOME", home)
        folder = remote.sockets_folder(Path(home))
        folder.mkdir(mode=0o700)
        yield folder


def test_the_server_that_runs_longest_is_asked_first(folder: Path) -> None:
    for name, started in (("1.sock", 2_000), ("2.sock", 1_000), ("3.sock", 3_000)):
        serve_once(folder / name, f'{{"started": {started}}}'.encode())
        os.utime(folder / name, (started, started))
    assert remote.ask_server({}) == {"started": 1_000}


def test_a_busy_server_is_passed_over_unless_the_caller_waits_longer(folder: Path) -> None:
    for name, accept_seconds, answer in (("1.sock", remote.ANSWER_SECONDS, None), ("2.sock", 10, {"started": 1})):
        serve_once(folder / name, b'{"started": 1}', seconds=0.5)
        assert remote.ask_server({}, 20, accept_seconds) == answer
        (folder / name).unlink()
