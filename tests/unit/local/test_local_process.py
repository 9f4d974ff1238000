import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from graph_memory.local.home.config import MAIN_CLASS, home_argument
from graph_memory.local.home.home import HomeFolder, Run, read_run
from graph_memory.local.process.process import end, find, find_recorded, has_lost_port, is_alive, launch, listens
from graph_memory.settings import Settings

SLEEP = "import sys, time; print('up', flush=True); time.sleep(60)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
LISTEN = """
import socket, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
time.sleep(60)
"""
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="sessions and signals are POSIX")


@pytest.fixture
def place(tmp_path) -> HomeFolder:
    place = HomeFolder.of(Settings(home=tmp_path))
    place.make_folders()
    return place


@pytest.fixture
def launched_processes(place) -> Iterator[list[psutil.Process]]:
    processes: list[psutil.Process] = []
    yield processes
    for process in processes:
        end(process, 5)


def run_of(process: psutil.Process) -> Run:
    return Run(1, 2, "1", pid=process.pid, created=process.create_time())


def python(place: HomeFolder, launched_processes: list[psutil.Process], code: str) -> psutil.Process:
    return java(place, launched_processes, Path(sys.executable), code, MAIN_CLASS, home_argument(place))


def java(
    place: HomeFolder, launched_processes: list[psutil.Process], command: Path, code: str, *arguments: str
) -> psutil.Process:
    launched_processes.append(launch([str(command), "-c", code, *arguments], place.console_log))
    wait_for(lambda: place.console_log.read_text().strip())
    return launched_processes[-1]


def wait_for(condition) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_recorded_process_is_found_again(place, launched_processes):
    process = python(place, launched_processes, SLEEP)
    assert find_recorded(place, run_of(process)) == process
    assert find(place, run_of(process)) == process


def test_a_process_of_the_same_pid_and_start_that_is_no_neo4j_is_not_ours(place, launched_processes):
    process = java(place, launched_processes, Path(sys.executable), SLEEP)
    assert find_recorded(place, run_of(process)) is None


def test_the_server_of_a_place_is_not_that_of_a_copy(place, launched_processes, tmp_path):
    run = run_of(python(place, launched_processes, SLEEP))
    run.save(place)
    shutil.copytree(place.root, tmp_path / "copy")
    copy = HomeFolder(tmp_path / "copy")
    assert read_run(copy) == run
    assert find(copy, run) is None


def test_a_place_that_was_moved_keeps_its_server_and_whoever_takes_its_name_has_none(
    place, launched_processes, tmp_path
):
    process = python(place, launched_processes, SLEEP)
    run = run_of(process)
    place.root.rename(tmp_path / "moved")
    assert find_recorded(HomeFolder(tmp_path / "moved"), run) == process
    place.make_folders()
    assert find(place, run) is None


def test_the_server_of_a_place_that_was_deleted_is_known_by_its_command_line(place, launched_processes):
    process = python(place, launched_processes, SLEEP)
    shutil.rmtree(place.root)
    assert find_recorded(place, run_of(process)) == process


def test_where_the_folder_of_a_process_cannot_be_seen_its_command_line_tells(
    place, launched_processes, tmp_path, monkeypatch
):
    def cwd(_: psutil.Process) -> str:
        raise psutil.AccessDenied

    process = python(place, launched_processes, SLEEP)
    monkeypatch.setattr(psutil.Process, "cwd", cwd)
    assert find_recorded(place, run_of(process)) == process
    assert find_recorded(HomeFolder(tmp_path / "other"), run_of(process)) is None


def test_another_process_under_a_pid_used_again_is_not_ours(place, launched_processes):
    run = run_of(python(place, launched_processes, SLEEP))
    assert find_recorded(place, replace(run, created=run.created - 100)) is None


def test_a_process_that_ended_is_not_found(place, launched_processes):
    process = python(place, launched_processes, SLEEP)
    run = run_of(process)
    process.kill()
    wait_for(lambda: not is_alive(process))
    assert find_recorded(place, run) is None
    assert find(place, run) is None


def test_a_child_that_ended_leaves_no_zombie(place, launched_processes):
    process = python(place, launched_processes, "import time; print('up', flush=True); time.sleep(0.5)")
    wait_for(lambda: not psutil.pid_exists(process.pid))
    assert not is_alive(process)


def test_a_child_that_ends_before_anybody_looks_is_told_as_ended(place, monkeypatch):
    class AtOnce(threading.Thread):
        def start(self) -> None:
            super().start()
            self.join(10)

    monkeypatch.setattr(threading, "Thread", AtOnce)
    process = launch([sys.executable, "-c", ""], place.console_log)
    assert not is_alive(process)
    assert find_recorded(place, run_of(process)) is None


@posix_only
def test_a_process_that_was_killed_and_not_reaped_is_not_alive():
    with subprocess.Popen([sys.executable, "-c", SLEEP]) as child:
        process = psutil.Process(child.pid)
        process.kill()
        wait_for(lambda: process.status() == psutil.STATUS_ZOMBIE)
        assert not is_alive(process)
        child.wait()


@posix_only
def test_a_launched_process_has_a_session_of_its_own(place, launched_processes):
    process = python(place, launched_processes, SLEEP)
    assert os.getsid(process.pid) == process.pid != os.getsid(0)


def test_a_process_is_asked_to_end(place, launched_processes):
    process = python(place, launched_processes, SLEEP)
    end(process, 10)
    assert not is_alive(process)


@posix_only
def test_a_process_that_does_not_end_is_killed(place, launched_processes):
    process = python(place, launched_processes, STUBBORN)
    end(process, 0.2)
    assert not is_alive(process)


def test_ending_a_process_that_ended_does_nothing(place, launched_processes):
    process = python(place, launched_processes, SLEEP)
    process.kill()
    wait_for(lambda: not is_alive(process))
    end(process)
    assert not is_alive(process)


@posix_only
def test_an_orphan_is_known_by_the_home_in_its_command_line(place, launched_processes, tmp_path):
    command = tmp_path / "java"
    command.symlink_to(sys.executable)
    other = HomeFolder(tmp_path / "other")
    other.make_folders()
    java(other, launched_processes, command, SLEEP, MAIN_CLASS, home_argument(other))
    orphan = java(place, launched_processes, command, SLEEP, MAIN_CLASS, home_argument(place))
    assert find(place, None) == orphan


def test_who_listens_on_a_port_is_told_apart(place, launched_processes):
    process = python(place, launched_processes, LISTEN)
    port = int(place.console_log.read_text())
    assert listens(process, port)
    assert not has_lost_port(process, port)
    assert has_lost_port(psutil.Process(), port)
    assert not listens(psutil.Process(), port)


def test_a_large_log_is_set_aside_at_the_next_launch(place, launched_processes):
    place.console_log.write_bytes(b"x" * (5 << 20))
    python(place, launched_processes, SLEEP)
    assert place.console_log.with_name("console.log.1").stat().st_size == 5 << 20
    wait_for(lambda: place.console_log.read_text() == "up\n")
