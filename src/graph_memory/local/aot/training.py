"""Make the AOT cache: run a Neo4j of no consequence once, with a few typical queries, while Java takes notes.

It costs 20 seconds of processor time, so it is a process of its own with the lowest priority, which nobody waits
for: `python -m graph_memory.local.aot.training CACHE VERSION COMPILER [JAVA]`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import psutil
import requests

from graph_memory.local.aot.cache import AotCache
from graph_memory.local.aot.fast_start import cache_of
from graph_memory.local.home.config import java_command, server_command, write_config
from graph_memory.local.home.home import USERNAME, Home, Run
from graph_memory.local.home.lock import file_lock
from graph_memory.local.home.ports import HOST, accepts, any_free, speaks_bolt
from graph_memory.local.jars.fetch import class_path
from graph_memory.local.process.java import find_java
from graph_memory.local.process.password import ensure_password
from graph_memory.local.process.process import end, find, is_alive, launch
from graph_memory.local.process.startup_errors import ended
from graph_memory.model.errors import GraphError
from graph_memory.settings import MIB, Settings

_PATIENCE = 900.0
_POLL = 0.1
_NEEDED = 1024 * MIB


class TrainingError(Exception):
    """The cache could not be made."""


def make(settings: Settings) -> None:
    """Make the cache of the settings, unless another process does or it is there."""
    cache = cache_of(settings)
    if cache is None:
        return
    with file_lock(cache.lock, 0, _nobody_waits):
        if cache.is_sound():
            return
        cache.begin_try()
        try:
            _train(settings, cache)
        except (TrainingError, GraphError, OSError, psutil.Error, requests.RequestException) as error:
            cache.failed(str(error) or type(error).__name__)
        finally:
            shutil.rmtree(cache.workshop, ignore_errors=True)


def _train(settings: Settings, cache: AotCache) -> None:
    place = Home(cache.workshop)
    if left := find(place, None):  # by a process that was killed
        end(left)
    shutil.rmtree(place.root, ignore_errors=True)
    if shutil.disk_usage(cache.file.parent).free < _NEEDED:
        raise TrainingError(f"less than {_NEEDED // MIB} MiB free in {cache.file.parent}")
    made = place.root / "made.aot"
    _run(settings, place, made)
    _check(settings, place, made)
    cache.adopt(made)


def _run(settings: Settings, place: Home, made: Path) -> None:
    """Let a Neo4j start, answer and end. Java writes the cache when it ends."""
    java, run = find_java(settings).command, Run(any_free(), any_free(), settings.neo4j_version)
    place.make()
    place.begin()
    write_config(settings, place, run, class_path(settings))
    ensure_password(place, java)
    process = launch(server_command(settings, place, java, (f"-XX:AOTCacheOutput={made}",)), place.console_log)
    try:
        _step_back(process)
        _await(process, run, place)
        _ask(run, place.password() or "")
        process.terminate()
        process.wait(_PATIENCE)
    finally:
        if is_alive(process):
            process.kill()


def _await(process: psutil.Process, run: Run, place: Home) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not (speaks_bolt(run.bolt_port) and accepts(run.http_port)):
        if time.monotonic() > deadline or not is_alive(process):
            raise ended(place)
        time.sleep(_POLL)


def _ask(run: Run, password: str) -> None:
    """Ask what is asked in earnest, over HTTP: the driver belongs to another room."""
    with requests.Session() as connection:
        connection.trust_env = False  # no proxy, no .netrc
        connection.auth = (USERNAME, password)
        for statement in files("graph_memory.local.aot").joinpath("training.cypher").read_text("utf-8").split(";\n"):
            url = f"http://{HOST}:{run.http_port}/db/neo4j/query/v2"
            answer = connection.post(url, json={"statement": statement}, timeout=_PATIENCE)
            answer.raise_for_status()


def _check(settings: Settings, place: Home, made: Path) -> None:
    """Have Java itself say that it takes the cache, every checksum looked at."""
    strict = ("-XX:AOTMode=on", "-XX:+VerifySharedSpaces", f"-XX:AOTCache={made}")
    command = [*java_command(settings, place, find_java(settings).command, strict), "-version"]
    try:
        subprocess.run(command, cwd=place.root, capture_output=True, timeout=_PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise TrainingError("Java wrote none that it accepts") from error


def _step_back(process: psutil.Process) -> None:
    """Let every other process have the processor and the disk first."""
    with suppress(psutil.Error, OSError, AttributeError, ValueError):
        process.nice(19)
        # On a Linux with autogroups, niceness counts only within a session; this is that of the session.
        autogroup = Path(f"/proc/{process.pid}/autogroup")
        if autogroup.exists():
            autogroup.write_text("19")
        process.ionice(psutil.IOPRIO_CLASS_IDLE)


def _nobody_waits() -> None:
    """Say nothing: whoever meets a running training leaves at once."""


def _main(cache: str, version: str, compiler: str, java: str = "") -> None:
    _step_back(psutil.Process())
    own = {"aot": "auto", "neo4j_heap": "512m", "neo4j_compiler": compiler}
    asked = {"cache": Path(cache), "neo4j_version": version, "java": Path(java) if java else None}
    with suppress(GraphError):  # another process makes one
        make(Settings().model_copy(update={**own, **asked}))


if __name__ == "__main__":
    _main(*sys.argv[1:])
