"""Requests to running servers of a home folder."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
from pathlib import Path

import pytest

from graph_memory import remote


def serve_once(path: Path, answer: bytes) -> None:
    """Answer one request at a socket."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen()

    def answer_request() -> None:
        with listener, listener.accept()[0] as connection:
            connection.makefile("rb").readline()
            connection.sendall(remote.ACCEPTED + answer)

    threading.Thread(target=answer_request, daemon=True).start()


def test_the_server_that_runs_longest_is_asked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name_of_home:  # a short path, as sockets need
        home = Path(name_of_home)
        monkeypatch.setenv("GRAPH_MEMORY_HOME", str(home))
        folder = remote.sockets_folder(home)
        folder.mkdir(mode=0o700)
        for name, started in (("1.sock", 2_000), ("2.sock", 1_000), ("3.sock", 3_000)):
            serve_once(folder / name, f'{{"started": {started}}}'.encode())
            os.utime(folder / name, (started, started))
        assert remote.ask_server({}) == {"started": 1_000}
