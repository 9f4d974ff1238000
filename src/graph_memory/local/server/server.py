"""The local Neo4j as the rest of graph-memory sees it: have it running, look at it, stop it."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

import psutil

from graph_memory.local.home.home import USERNAME, Home, Run, read_run
from graph_memory.local.home.lock import file_lock
from graph_memory.local.home.notes import tail
from graph_memory.local.home.ports import HOST, speaks_bolt
from graph_memory.local.process.process import end, find, is_alive, listens, lost, ports_of, recorded
from graph_memory.local.process.startup_errors import ended, hung, slow
from graph_memory.progress import Progress, silent
from graph_memory.settings import Settings

_POLL = 0.05
_LOOK = 5.0
_TURNS = 5


@dataclass(frozen=True)
class LocalServer:
    """A running local Neo4j and how to reach it."""

    uri: str
    http_url: str
    username: str
    password: str = field(repr=False)
    pid: int
    version: str
    place: Home = field(repr=False)
    run: Run = field(repr=False)

    @property
    def browser_url(self) -> str:
        """The address of Neo4j Browser."""
        return f"{self.http_url}/browser/"

    def is_alive(self) -> bool:
        """Tell whether its process still runs."""
        return recorded(self.place, self.run) is not None

    def listens(self) -> bool:
        """Tell whether it runs and listens on its Bolt port, so that whoever answers there is this server.

        Where the system does not tell who listens, a server that runs is taken to.
        """
        process = recorded(self.place, self.run)
        return process is not None and listens(process, self.run.bolt_port)


class State(StrEnum):
    """What a local Neo4j does."""

    RUNNING = "running"
    """It answers."""
    STARTING = "starting"
    """Its process runs and does not answer yet."""
    STOPPED = "stopped"
    """It has no process."""


@dataclass(frozen=True)
class Status:
    """What is known of the local Neo4j; addresses and process are None when it is stopped."""

    state: State
    home: Path
    log: Path
    uri: str | None = None
    http_url: str | None = None
    pid: int | None = None
    version: str | None = None
    started: float | None = None
    """Start of the process in seconds since the epoch."""


def ensure_running(settings: Settings, progress: Progress = silent) -> LocalServer:
    """Give the local Neo4j of the settings' home, started if need be; processes that ask at once get the same one.

    STORE_UNAVAILABLE when it cannot be had or started, STARTING when it takes longer than `start_timeout` seconds.
    """
    place = Home.of(settings)
    if server := _running(place):
        return server
    place.make()
    with _locked(place, settings, progress):
        return _running(place) or _adopted(place, settings, progress) or _started(place, settings, progress)


def stop(settings: Settings) -> bool:
    """Stop the local Neo4j and wait for its end; tell whether there was one to stop."""
    place = Home.of(settings)
    if not place.root.exists():
        return False
    with _locked(place, settings, silent):
        return _stopped(place)


@contextmanager
def held_stopped(settings: Settings, progress: Progress = silent) -> Generator[Home]:
    """Stop the local Neo4j, and have nobody start it as long as the block lasts: who asks for it waits."""
    place = Home.of(settings)
    place.make()
    with _locked(place, settings, progress):
        _stopped(place)
        yield place


def status(settings: Settings) -> Status:
    """Look at the local Neo4j without changing anything."""
    place = Home.of(settings)
    run = read_run(place)
    process = find(place, run) if place.root.exists() else None
    if process is None:
        return Status(State.STOPPED, place.root, place.console_log)
    if run is None:  # nothing that can be read says where it listens: the next use replaces it
        return Status(State.STARTING, place.root, place.console_log, pid=process.pid)
    return Status(
        state=State.RUNNING if speaks_bolt(run.bolt_port) else State.STARTING,
        home=place.root,
        log=place.console_log,
        uri=_uri(run),
        http_url=_http_url(run),
        pid=process.pid,
        version=run.version,
        started=run.created or None,
    )


def console_log(settings: Settings, lines: int = 100) -> list[str]:
    """Give the last lines that the local Neo4j wrote."""
    return tail(Home.of(settings).console_log, lines)


def password_file(settings: Settings) -> Path:
    """Tell where the password is kept, on one line."""
    return Home.of(settings).password_file


def _stopped(place: Home) -> bool:
    run = read_run(place)
    process = find(place, run)
    if process:
        end(process)
    if run:
        run.stopped().save(place)
    return process is not None


def _running(place: Home) -> LocalServer | None:
    run = read_run(place)
    password = place.password()
    if run is None or password is None or not run.ready:
        return None
    server = _described(place, run, password)
    return server if server.listens() and speaks_bolt(run.bolt_port) else None


def _adopted(place: Home, settings: Settings, progress: Progress) -> LocalServer | None:
    run = read_run(place)
    process = find(place, run)
    if process is None:
        return None
    if run is None:  # nothing says where it listens
        end(process)
        return None
    return _awaited(_written_down(place, run, process), process, place, settings, progress)


def _started(place: Home, settings: Settings, progress: Progress) -> LocalServer:
    from graph_memory.local.aot.fast_start import look_after
    from graph_memory.local.jars.fetch import forget_checks

    failed: Run | None = None
    for attempt in (settings, settings.model_copy(update={"aot": "off"})):  # a bad AOT cache can bring Java down
        run, server = _launched(place, attempt, progress)
        if server:
            look_after(settings, place, failed)
            return server
        failed = run
        forget_checks(settings)  # perhaps a jar was damaged behind our back
    raise ended(place)


def _launched(place: Home, settings: Settings, progress: Progress, *, turn: int = 1) -> tuple[Run, LocalServer | None]:
    """Start and wait for the answer, on other ports when somebody took one between our look and Neo4j's.

    That happens when the servers of two homes start at the same moment. None when it ends for another reason.
    """
    from graph_memory.local.server.start import start

    written = _size(place.console_log)
    run, process = start(place, settings, progress, elsewhere=turn > 1)
    server = _awaited(run, process, place, settings, progress)
    if server is None and turn < _TURNS and _lost_a_port(place.console_log, written):
        return _launched(place, settings, progress, turn=turn + 1)
    return run, server


def _lost_a_port(console: Path, written: int) -> bool:
    """Tell whether Neo4j said, in what it wrote after so many bytes, that it could not have one of its ports."""
    with console.open("rb") as file:
        file.seek(written if written <= _size(console) else 0)  # a large log is set aside at a launch
        return b"PortBindException" in file.read()


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def _awaited(
    run: Run, process: psutil.Process, place: Home, settings: Settings, progress: Progress
) -> LocalServer | None:
    """Wait until the server answers; None when its process ends instead."""
    progress(f"Starting Neo4j {run.version}", None)
    began, looked = time.monotonic(), 0.0
    while is_alive(process):
        if _answers(run, process):
            place.begun()
            run = replace(run, ready=True)
            run.save(place)
            return _described(place, run, place.password() or "")
        if time.monotonic() - began > settings.start_timeout:
            raise slow(place, settings)
        if time.monotonic() - looked > _LOOK:
            looked = time.monotonic()
            _give_up_if_hung(place, process, run)
            if _is_elsewhere(run, process):
                end(process)
        time.sleep(_POLL)
    return None


def _answers(run: Run, process: psutil.Process) -> bool:
    """Tell whether it is this process that answers. One that lost its HTTP port answers for a moment before it ends."""
    return speaks_bolt(run.bolt_port) and listens(process, run.bolt_port) and not lost(process, run.http_port)


def _is_elsewhere(run: Run, process: psutil.Process) -> bool:
    """Tell whether it listens, and not where it was written down: nobody knows then which of its ports is which."""
    ports = ports_of(process)
    return bool(ports) and run.bolt_port not in ports


def _give_up_if_hung(place: Home, process: psutil.Process, run: Run) -> None:
    if error := hung(place, run.created):
        end(process)
        raise error


def _written_down(place: Home, run: Run, process: psutil.Process) -> Run:
    now = replace(run, pid=process.pid, created=process.create_time(), ready=False)
    now.save(place)
    return now


def _described(place: Home, run: Run, password: str) -> LocalServer:
    return LocalServer(_uri(run), _http_url(run), USERNAME, password, run.pid or 0, run.version, place, run)


def _uri(run: Run) -> str:
    return f"bolt://{HOST}:{run.bolt_port}"


def _http_url(run: Run) -> str:
    return f"http://localhost:{run.http_port}"


def _locked(place: Home, settings: Settings, progress: Progress) -> AbstractContextManager[None]:
    def wait() -> None:
        progress("Waiting for another process that is starting or stopping Neo4j", None)

    return file_lock(place.lock, settings.start_timeout, wait)
