"""Launches a server: chooses its ports, writes its configuration, sets its password and starts its process."""

from __future__ import annotations

import time
from dataclasses import replace

import psutil

from graph_memory.local.aot.fast_start import flags
from graph_memory.local.home.config import server_command, write_config
from graph_memory.local.home.home import HomeFolder, Run, read_run
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
    home: HomeFolder, settings: Settings, progress: Progress, *, on_free_ports: bool = False
) -> tuple[Run, psutil.Process]:
    """Launch a server. Return its record and its process without waiting until the server answers.

    The ports are recorded before the launch, so that other processes know where the server will listen. Set
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
    planned_run = plan_run(settings, previous, on_free_ports=on_free_ports)
    planned_run.save(home)
    write_config(settings, home, planned_run, jars)
    ensure_password(home, java.command)
    command = server_command(settings, home, java.command, flags(settings, home))
    process = launch(command, home.console_log)
    run = replace(planned_run, pid=process.pid, created=process.create_time())
    run.save(home)
    return run, process


def _wait_for_release(previous: Run) -> None:
    """Wait up to `_RELEASE_TIMEOUT` seconds until a killed server has released its ports and files."""
    deadline = time.monotonic() + _RELEASE_TIMEOUT
    while time.monotonic() < deadline and not (is_free(previous.bolt_port) and is_free(previous.http_port)):
        time.sleep(0.02)


def plan_run(settings: Settings, previous: Run | None, *, on_free_ports: bool = False) -> Run:
    """Return the record for the next start, with the ports in the settings.

    If the settings have no port, the previous, the default or any free port is used. With `on_free_ports`, previous and
    default ports are not used.
    """
    bolt = (previous.bolt_port, BOLT) if previous else (BOLT,)
    http = (previous.http_port, HTTP) if previous else (HTTP,)
    return Run(
        choose_port(settings.neo4j_bolt_port, () if on_free_ports else bolt, "GRAPH_MEMORY_NEO4J_BOLT_PORT"),
        choose_port(settings.neo4j_http_port, () if on_free_ports else http, "GRAPH_MEMORY_NEO4J_HTTP_PORT"),
        settings.neo4j_version,
    )
