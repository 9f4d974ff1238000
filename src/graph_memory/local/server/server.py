"""Starts and stops the local Neo4j, and reports its status."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

import psutil

from graph_memory.local.home.home import USERNAME, HomeFolder, Run, read_run
from graph_memory.local.home.lock import file_lock
from graph_memory.local.home.notes import read_last_lines
from graph_memory.local.home.ports import HOST, speaks_bolt
from graph_memory.local.process.process import end, find, find_recorded, has_lost_port, is_alive, listens, ports_of
from graph_memory.local.process.startup_errors import exit_error, hang_error, timeout_error
from graph_memory.progress import Progress, log_progress
from graph_memory.settings import Settings

_POLL_INTERVAL = 0.05
_CHECK_INTERVAL = 5.0
_MAX_LAUNCHES = 5


@dataclass(frozen=True)
class LocalServer:
    """A running local Neo4j server with its addresses, login and process."""

    uri: str
    http_url: str
    username: str
    password: str = field(repr=False)
    pid: int
    version: str
    home: HomeFolder = field(repr=False)
    run: Run = field(repr=False)

    @property
    def browser_url(self) -> str:
        """The address of Neo4j Browser."""
        return f"{self.http_url}/browser/"

    def is_alive(self) -> bool:
        """Return whether the server's process is still running."""
        return find_recorded(self.home, self.run) is not None

    def listens(self) -> bool:
        """Return whether the server's process is running and listens on its Bolt port.

        If the system cannot tell which process listens on a port, a running server counts as listening.
        """
        process = find_recorded(self.home, self.run)
        return process is not None and listens(process, self.run.bolt_port)


class State(StrEnum):
    """The state of the local Neo4j, as `graph-memory neo4j status` shows it."""

    RUNNING = "running"
    """The server answers on its Bolt port."""
    STARTING = "starting"
    """The server's process is running, but does not answer yet."""
    STOPPED = "stopped"
    """The server's process is not running."""


@dataclass(frozen=True)
class Status:
    """The state, files, addresses and process of the local Neo4j. If it is stopped, addresses and process are None."""

    state: State
    home: Path
    log: Path
    uri: str | None = None
    http_url: str | None = None
    pid: int | None = None
    version: str | None = None
    started: float | None = None
    """Start time of the process in seconds since the epoch."""


def ensure_running(settings: Settings, progress: Progress = log_progress) -> LocalServer:
    """Return the home folder's Neo4j server. Starts it if needed. Concurrent calls return the same server.

    Raises STORE_UNAVAILABLE if Neo4j cannot be downloaded or started, and STARTING if it does not answer within
    `start_timeout` seconds.
    """
    home = HomeFolder.of(settings)
    if server := _find_running(home):
        return server
    home.make_folders()
    with _lock(home, settings, progress):
        return _find_running(home) or _adopt(home, settings, progress) or _start(home, settings, progress)


def stop(settings: Settings) -> bool:
    """Stop the local Neo4j, and wait until it has ended. Return whether it was running."""
    home = HomeFolder.of(settings)
    if not home.root.exists():
        return False
    with _lock(home, settings, log_progress):
        return _stop(home)


@contextmanager
def keep_server_stopped(settings: Settings, progress: Progress = log_progress) -> Generator[HomeFolder]:
    """Stop the local Neo4j, and yield its folder. No other process can start it during the `with` block."""
    home = HomeFolder.of(settings)
    home.make_folders()
    with _lock(home, settings, progress):
        _stop(home)
        yield home


def status(settings: Settings) -> Status:
    """Return the status of the local Neo4j, without changing it."""
    home = HomeFolder.of(settings)
    run = read_run(home)
    process = find(home, run) if home.root.exists() else None
    if process is None:
        return Status(State.STOPPED, home.root, home.console_log)
    if run is None:  # its ports are unknown: the next use replaces it
        return Status(State.STARTING, home.root, home.console_log, pid=process.pid)
    return Status(
        state=State.RUNNING if speaks_bolt(run.bolt_port) else State.STARTING,
        home=home.root,
        log=home.console_log,
        uri=_uri(run),
        http_url=_http_url(run),
        pid=process.pid,
        version=run.version,
        started=run.created or None,
    )


def console_log(settings: Settings, lines: int = 100) -> list[str]:
    """Return the last `lines` lines of the local Neo4j's console log."""
    return read_last_lines(HomeFolder.of(settings).console_log, lines)


def password_file(settings: Settings) -> Path:
    """Return the path of the file that contains the local Neo4j's password."""
    return HomeFolder.of(settings).password_file


def _stop(home: HomeFolder) -> bool:
    run = read_run(home)
    process = find(home, run)
    if process:
        end(process)
    if run:
        run.without_process().save(home)
    return process is not None


def _find_running(home: HomeFolder) -> LocalServer | None:
    run = read_run(home)
    password = home.password()
    if run is None or password is None or not run.ready:
        return None
    server = _server_of(home, run, password)
    return server if server.listens() and speaks_bolt(run.bolt_port) else None


def _adopt(home: HomeFolder, settings: Settings, progress: Progress) -> LocalServer | None:
    run = read_run(home)
    process = find(home, run)
    if process is None:
        return None
    if run is None:  # its ports are unknown
        end(process)
        return None
    run = replace(run, pid=process.pid, created=process.create_time(), ready=False)
    run.save(home)
    return _await_answer(run, process, home, settings, progress)


def _start(home: HomeFolder, settings: Settings, progress: Progress) -> LocalServer:
    from graph_memory.local.aot.fast_start import maintain
    from graph_memory.local.jars.fetch import forget_checks

    failed_run: Run | None = None
    for attempt in (settings, settings.model_copy(update={"aot": "off"})):  # a bad AOT cache can crash Java
        run, server = _launch(home, attempt, progress)
        if server:
            maintain(settings, home, failed_run)
            return server
        failed_run = run
        forget_checks(settings)  # a jar may have been damaged
    raise exit_error(home)


def _launch(
    home: HomeFolder, settings: Settings, progress: Progress, *, attempt: int = 1
) -> tuple[Run, LocalServer | None]:
    """Start the server, and wait until it answers. Return its record and the server, or None if its process ended.

    If another process takes one of its ports, other ports are tried. This happens if the servers of two home folders
    start at the same moment.
    """
    from graph_memory.local.server.start import start

    log_size = _size(home.console_log)
    run, process = start(home, settings, progress, on_free_ports=attempt > 1)
    server = _await_answer(run, process, home, settings, progress)
    if server is None and attempt < _MAX_LAUNCHES and _has_port_conflict(home.console_log, log_size):
        return _launch(home, settings, progress, attempt=attempt + 1)
    return run, server


def _has_port_conflict(console: Path, log_size: int) -> bool:
    """Return whether Neo4j could not bind a port, according to its log after the first `log_size` bytes."""
    with console.open("rb") as file:
        file.seek(log_size if log_size <= _size(console) else 0)  # a large log is rotated at launch
        return b"PortBindException" in file.read()


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def _await_answer(
    run: Run, process: psutil.Process, home: HomeFolder, settings: Settings, progress: Progress
) -> LocalServer | None:
    """Wait until the server answers, and return it. Returns None if its process ends first.

    Raises STARTING if the server does not answer within `start_timeout` seconds, and STORE_UNAVAILABLE if it hangs.
    """
    progress(f"Starting Neo4j {run.version}", None)
    started, last_check = time.monotonic(), 0.0
    while is_alive(process):
        if _answers(run, process):
            home.finish_first_start()
            run = replace(run, ready=True)
            run.save(home)
            return _server_of(home, run, home.password() or "")
        if time.monotonic() - started > settings.start_timeout:
            raise timeout_error(home, settings)
        if time.monotonic() - last_check > _CHECK_INTERVAL:
            last_check = time.monotonic()
            if error := hang_error(home, run.created):
                end(process)
                raise error
            ports = ports_of(process)
            if ports and run.bolt_port not in ports:  # it listens on ports other than the recorded ones
                end(process)
        time.sleep(_POLL_INTERVAL)
    return None


def _answers(run: Run, process: psutil.Process) -> bool:
    """Return whether this process answers on its Bolt port, and its HTTP port is not taken by another process."""
    return speaks_bolt(run.bolt_port) and listens(process, run.bolt_port) and not has_lost_port(process, run.http_port)


def _server_of(home: HomeFolder, run: Run, password: str) -> LocalServer:
    return LocalServer(_uri(run), _http_url(run), USERNAME, password, run.pid or 0, run.version, home, run)


def _uri(run: Run) -> str:
    return f"bolt://{HOST}:{run.bolt_port}"


def _http_url(run: Run) -> str:
    return f"http://localhost:{run.http_port}"


def _lock(home: HomeFolder, settings: Settings, progress: Progress) -> AbstractContextManager[None]:
    message = "Waiting for another process that is starting or stopping Neo4j"
    return file_lock(home.lock, settings.start_timeout, lambda: progress(message, None))
