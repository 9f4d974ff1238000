import subprocess
import sys
from threading import Event, Thread

import pytest

from graph_memory.local.home.lock import file_lock
from graph_memory.model.errors import Code, GraphError

HOLD = """
import sys, pathlib
from graph_memory.local.home.lock import file_lock
with file_lock(pathlib.Path(sys.argv[1]), 1, lambda: None):
    print("held", flush=True)
    sys.stdin.read()
"""


def nobody_waits() -> None:
    raise AssertionError


def test_a_free_lock_is_taken_without_waiting_and_again_after(tmp_path):
    taken = 0
    for _ in range(2):
        with file_lock(tmp_path / "run" / "lock", 0, nobody_waits):
            taken += 1
    assert taken == 2


def test_a_held_lock_is_waited_for_and_then_reported(tmp_path):
    waited = Event()
    lock = tmp_path / "lock"
    with file_lock(lock, 1, nobody_waits), pytest.raises(GraphError) as caught, file_lock(lock, 0.1, waited.set):
        pass
    assert waited.is_set()
    assert caught.value.code is Code.STARTING


def test_whoever_waits_gets_the_lock_when_it_is_given_up(tmp_path):
    waits, got = Event(), Event()

    def second() -> None:
        with file_lock(tmp_path / "lock", 10, waits.set):
            got.set()

    with file_lock(tmp_path / "lock", 1, nobody_waits):
        thread = Thread(target=second)
        thread.start()
        assert waits.wait(10)
        assert not got.is_set()
    thread.join(10)
    assert got.is_set()


def test_the_lock_of_a_killed_process_is_free(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline().strip() == b"held"
        holder.kill()
    with file_lock(tmp_path / "lock", 0, nobody_waits):
        pass
