"""Starts the server as a background process, locates the process later, and ends it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import psutil

from graph_memory.local.home.config import MAIN_CLASS, home_argument
from graph_memory.local.home.home import HomeFolder, Run
from graph_memory.local.home.ports import accepts_connections

_CLOCK_STEP = 2.0
_MAX_LOG_BYTES = 4 << 20


def launch(command: Sequence[str], log: Path) -> psutil.Process:
    """Start a background process that writes its output to a log file.

    The process survives Ctrl-C and the end of this process.
    """
    if log.is_file() and log.stat().st_size > _MAX_LOG_BYTES:
        log.replace(log.with_name(f"{log.name}.1"))
    detached_flags = 0
    if sys.platform == "win32":
        detached_flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    with log.open("ab") as output:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            start_new_session=True,
            creationflags=detached_flags,
        )
    process = psutil.Process(child.pid)
    process.create_time()  # cached by psutil: it cannot be read after the process has ended
    threading.Thread(target=child.wait, name="reap-neo4j", daemon=True).start()
    return process


def find(home: HomeFolder, run: Run | None) -> psutil.Process | None:
    """Return the process of this home folder's server: the recorded process, or else an orphaned process.

    Returns None if no such process is running.
    """
    return (run and find_recorded(home, run)) or _find_orphan(home)


def find_recorded(home: HomeFolder, run: Run) -> psutil.Process | None:
    """Return the recorded process if it is alive and serves this home folder, otherwise None.

    The pid may have been reused, or the home folder may be a copy of another home folder.
    """
    if run.pid is None:
        return None
    try:
        process = psutil.Process(run.pid)
        is_same = abs(process.create_time() - run.created) < _CLOCK_STEP and is_alive(process)
    except psutil.Error:
        return None
    return process if is_same and _serves(process, home) else None


def is_alive(process: psutil.Process) -> bool:
    """Return whether the process is running and is not a zombie."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def listens(process: psutil.Process, port: int) -> bool:
    """Return whether the process listens on the port. Also returns True if the system cannot tell."""
    ports = ports_of(process)
    return ports is None or port in ports


def ports_of(process: psutil.Process) -> set[int] | None:
    """Return the ports on which the process listens, or None if the system cannot tell."""
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


def has_lost_port(process: psutil.Process, port: int) -> bool:
    """Return whether another process listens on this process's port."""
    return accepts_connections(port) and not listens(process, port)


def end(process: psutil.Process, timeout: float = 30.0) -> None:
    """Terminate the process, and wait until it has ended. Kills it after `timeout` seconds."""
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


def _find_orphan(home: HomeFolder) -> psutil.Process | None:
    for process in psutil.process_iter(["name"]):
        if "java" in str(process.info["name"]).lower() and _serves(process, home) and is_alive(process):
            return process
    return None


def _serves(process: psutil.Process, home: HomeFolder) -> bool:
    """Return whether the process is the Neo4j server of this home folder.

    The server's working folder is the log folder. This remains true if the home folder is moved, while a copy of the
    home folder has another log folder. If the working folder cannot be read or was deleted, the command line is
    compared.
    """
    try:
        arguments = process.cmdline()
        if MAIN_CLASS not in arguments:
            return False
        folder = _working_folder(process)
        return folder.samefile(home.console_log.parent) if folder else home_argument(home) in arguments
    except (psutil.Error, OSError):
        return False


def _working_folder(process: psutil.Process) -> Path | None:
    try:
        folder = Path(process.cwd())
    except psutil.AccessDenied:
        return None
    return folder if folder.is_dir() else None
