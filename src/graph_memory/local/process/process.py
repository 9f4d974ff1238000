"""The server's process: launched so that it outlives us, found again, and ended."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import psutil

from graph_memory.local.home.config import MAIN_CLASS, home_argument
from graph_memory.local.home.home import Home, Run
from graph_memory.local.home.ports import accepts

_CLOCK_STEP = 2.0
_LOG_LIMIT = 4 << 20


def launch(command: Sequence[str], log: Path) -> psutil.Process:
    """Start a process that a terminal's Ctrl-C and our own end do not reach, with its output in a log file."""
    _rotate(log)
    with log.open("ab") as output:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            start_new_session=True,
            creationflags=_detached_flags(),
        )
    process = psutil.Process(child.pid)
    process.create_time()  # remembered from here on: once it is reaped, nobody knows of a process that ended at once
    threading.Thread(target=child.wait, name="reap-neo4j", daemon=True).start()
    return process


def find(place: Home, run: Run | None) -> psutil.Process | None:
    """Give the place's server: the process written down, else one that belongs to the place."""
    return (run and recorded(place, run)) or _orphan(place)


def recorded(place: Home, run: Run) -> psutil.Process | None:
    """Give the process written down if it is alive and the place's own.

    It is not when its pid is used again by another process, nor when the place was copied from the one it serves.
    """
    if run.pid is None:
        return None
    try:
        process = psutil.Process(run.pid)
        same = abs(process.create_time() - run.created) < _CLOCK_STEP and is_alive(process)
    except psutil.Error:
        return None
    return process if same and _serves(process, place) else None


def is_alive(process: psutil.Process) -> bool:
    """Tell whether a process runs; one that ended and was not reaped yet does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def listens(process: psutil.Process, port: int) -> bool:
    """Tell whether it is this process that listens on the port; True where the system does not say."""
    ports = ports_of(process)
    return ports is None or port in ports


def ports_of(process: psutil.Process) -> set[int] | None:
    """Give the ports on which the process listens; None where the system does not say."""
    try:
        connections = process.net_connections("tcp")
    except psutil.AccessDenied:
        return None
    except psutil.Error:
        return set()
    return {
        connection.laddr.port
        for connection in connections
        if connection.laddr and connection.status == psutil.CONN_LISTEN
    }


def lost(process: psutil.Process, port: int) -> bool:
    """Tell whether another process got the port that this one is to listen on."""
    return accepts(port) and not listens(process, port)


def end(process: psutil.Process, timeout: float = 30.0) -> None:
    """Ask a process to end, and kill it if it has not within the seconds given."""
    for step in (process.terminate, process.kill):
        try:
            step()
            process.wait(timeout)
        except psutil.NoSuchProcess:
            return
        except psutil.TimeoutExpired:
            continue
        else:
            return


def _orphan(place: Home) -> psutil.Process | None:
    for process in psutil.process_iter(["name"]):
        if "java" in str(process.info["name"]).lower() and _serves(process, place) and is_alive(process):
            return process
    return None


def _serves(process: psutil.Process, place: Home) -> bool:
    """Tell whether a process is a Neo4j of the place.

    It works in the folder of its logs, which a place that was moved takes along and a copy does not have. Where that
    cannot be seen or was deleted, its command line tells.
    """
    try:
        arguments = process.cmdline()
        if MAIN_CLASS not in arguments:
            return False
        folder = _working_folder(process)
        return folder.samefile(place.console_log.parent) if folder else home_argument(place) in arguments
    except (psutil.Error, OSError):
        return False


def _working_folder(process: psutil.Process) -> Path | None:
    try:
        folder = Path(process.cwd())
    except psutil.AccessDenied:
        return None
    return folder if folder.is_dir() else None


def _detached_flags() -> int:
    if sys.platform == "win32":
        return subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    return 0


def _rotate(log: Path) -> None:
    if log.is_file() and log.stat().st_size > _LOG_LIMIT:
        log.replace(log.with_name(f"{log.name}.1"))
