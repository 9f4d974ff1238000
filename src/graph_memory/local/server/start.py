"""Launches a server: chooses ports, writes the configuration, sets the password and starts the process."""

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
_RELEASE_TIMEOUT = 2.0


def start(
    home: Home, settings: Settings, progress: Progress, *, on_free_ports: bool = False
) -> tuple[Run, psutil.Process]:
    """Launch a server, and return its record and its process. The server does not answer yet.

    The ports are recorded before the launch, so that other processes know where the server will listen. Use
    `on_free_ports` if another server took the ports in the previous attempt.
    """
    java = find_java(settings)
    jars = class_path(settings, progress)
    previous = read_run(home)
    if previous and previous.pid:
        _wait_for_release(previous)
    finish_restore(home)
    home.empty_temporary()
    home.prepare_start()
    planned = plan_run(settings, previous, on_free_ports=on_free_ports)
    planned.save(home)
    write_config(settings, home, planned, jars)
    ensure_password(home, java.command)
    command = server_command(settings, home, java.command, flags(settings, home))
    process = launch(command, home.console_log)
    run = replace(planned, pid=process.pid, created=process.create_time())
    run.save(home)
    return run, process


def _wait_for_release(previous: Run) -> None:
    """Wait until a killed server has released its ports and files, at most `_RELEASE_TIMEOUT` seconds."""
    deadline = time.monotonic() + _RELEASE_TIMEOUT
    while time.monotonic() < deadline and not (is_free(previous.bolt_port) and is_free(previous.http_port)):
        time.sleep(0.02)


def plan_run(settings: Settings, previous: Run | None, *, on_free_ports: bool = False) -> Run:
    """Return a record with ports from the settings or the previous start, or else default or free ports.

    With `on_free_ports`, the previous and default ports are not used.
    """
    bolt = (previous.bolt_port, BOLT) if previous else (BOLT,)
    http = (previous.http_port, HTTP) if previous else (HTTP,)
    return Run(
        choose_port(settings.neo4j_bolt_port, () if on_free_ports else bolt, "GRAPH_MEMORY_NEO4J_BOLT_PORT"),
        choose_port(settings.neo4j_http_port, () if on_free_ports else http, "GRAPH_MEMORY_NEO4J_HTTP_PORT"),
        settings.neo4j_version,
    )
