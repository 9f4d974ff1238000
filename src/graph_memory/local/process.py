"""The server's process: launched so that it outlives us, found again, and ended."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import psutil

from graph_memory.local.config import MAIN_CLASS, home_argument
from graph_memory.local.place import Place, Run
from graph_memory.local.ports import accepts

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


def find(place: Place, run: Run | None) -> psutil.Process | None:
    """Give the server's process: the one written down, else one whose command line names the place."""
    return (run and recorded(run)) or _orphan(place)


def recorded(run: Run) -> psutil.Process | None:
    """Give the process written down if it is alive and the same one, not another under a pid used again."""
    if run.pid is None:
        return None
    try:
        process = psutil.Process(run.pid)
        same = abs(process.create_time() - run.created) < _CLOCK_STEP and is_alive(process)
    except psutil.Error:
        return None
    return process if same else None


def is_alive(process: psutil.Process) -> bool:
    """Tell whether a process runs; one that ended and was not reaped yet does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def listens(process: psutil.Process, port: int) -> bool:
    """Tell whether it is this process that listens on the port; True where the system does not say."""
    try:
        connections = process.net_connections("tcp")
    except psutil.AccessDenied:
        return True
    except psutil.Error:
        return False
    return any(one.status == psutil.CONN_LISTEN and one.laddr.port == port for one in connections if one.laddr)


def lost(process: psutil.Process, port: int) -> bool:
    """Tell whether another process got the port that this one is to listen on."""
    return accepts(port) and not listens(process, port)


def end(process: psutil.Process, patience: float = 30.0) -> None:
    """Ask a process to end, and kill it if it has not within the seconds given."""
    for step in (process.terminate, process.kill):
        try:
            step()
            process.wait(patience)
        except psutil.NoSuchProcess:
            return
        except psutil.TimeoutExpired:
            continue
        else:
            return


def _orphan(place: Place) -> psutil.Process | None:
    home = home_argument(place)
    for process in psutil.process_iter(["name"]):
        if "java" in str(process.info["name"]).lower() and _has(process, home, MAIN_CLASS) and is_alive(process):
            return process
    return None


def _has(process: psutil.Process, *arguments: str) -> bool:
    try:
        return set(arguments) <= set(process.cmdline())
    except psutil.Error:
        return False


def _detached_flags() -> int:
    if sys.platform == "win32":
        return subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    return 0


def _rotate(log: Path) -> None:
    if log.is_file() and log.stat().st_size > _LOG_LIMIT:
        log.replace(log.with_name(f"{log.name}.1"))
