"""Launch a server in a place: ports, configuration, password, process."""

from __future__ import annotations

import time
from dataclasses import replace

import psutil

from graph_memory.local.aot.fast_start import flags
from graph_memory.local.home.config import server_command, write_config
from graph_memory.local.home.home import Home, Run, read_run
from graph_memory.local.home.ports import choose_port, is_free
from graph_memory.local.home.swap import finish_restore
from graph_memory.local.jars.fetch import class_path
from graph_memory.local.process.java import find_java
from graph_memory.local.process.password import ensure_password
from graph_memory.local.process.process import launch
from graph_memory.progress import Progress
from graph_memory.settings import Settings

BOLT, HTTP = 7687, 7474
_LETTING_GO = 2.0


def start(
    place: Home, settings: Settings, progress: Progress, *, elsewhere: bool = False
) -> tuple[Run, psutil.Process]:
    """Launch a server and write it down; it does not answer yet.

    The ports are written down before the launch, so that whoever finds the process knows where it will listen.
    `elsewhere` is said when another server was quicker to take ports that had been free.
    """
    java = find_java(settings)
    jars = class_path(settings, progress)
    last = read_run(place)
    if last and last.pid:
        _let_go(last)
    finish_restore(place)
    place.empty_temporary()
    place.begin()
    planned = plan(settings, last, elsewhere=elsewhere)
    planned.save(place)
    write_config(settings, place, planned, jars)
    ensure_password(place, java.command)
    command = server_command(settings, place, java.command, flags(settings, place))
    process = launch(command, place.console_log)
    run = replace(planned, pid=process.pid, created=process.create_time())
    run.save(place)
    return run, process


def _let_go(last: Run) -> None:
    """Wait a moment for a killed server's ports and files: its threads hold them longer than it seems to live."""
    deadline = time.monotonic() + _LETTING_GO
    while time.monotonic() < deadline and not (is_free(last.bolt_port) and is_free(last.http_port)):
        time.sleep(0.02)


def plan(settings: Settings, last: Run | None, *, elsewhere: bool = False) -> Run:
    """Choose the ports: those of the settings, else those of the last start, else the usual ones, else free ones.

    With `elsewhere`, those of the settings, else free ones: what somebody else chooses too is not tried again.
    """
    bolt = (last.bolt_port, BOLT) if last else (BOLT,)
    http = (last.http_port, HTTP) if last else (HTTP,)
    return Run(
        choose_port(settings.neo4j_bolt_port, () if elsewhere else bolt, "GRAPH_MEMORY_NEO4J_BOLT_PORT"),
        choose_port(settings.neo4j_http_port, () if elsewhere else http, "GRAPH_MEMORY_NEO4J_HTTP_PORT"),
        settings.neo4j_version,
    )
