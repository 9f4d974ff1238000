"""Creates the AOT cache: runs a temporary Neo4j with typical queries while the JVM records the loaded classes.

Training takes 20 seconds of processor time, so it runs in a background process with the lowest priority: `python -m
graph_memory.local.aot.training CACHE VERSION COMPILER [JAVA]`.
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
from graph_memory.local.home.home import USERNAME, HomeFolder, Run
from graph_memory.local.home.lock import file_lock
from graph_memory.local.home.ports import HOST, accepts_connections, find_free_port, speaks_bolt
from graph_memory.local.jars.fetch import class_path
from graph_memory.local.process.java import find_java
from graph_memory.local.process.password import ensure_password
from graph_memory.local.process.process import end, find, is_alive, launch
from graph_memory.local.process.startup_errors import exit_error
from graph_memory.model.errors import GraphError
from graph_memory.settings import MIB, Settings

_TIMEOUT = 900.0
_POLL_INTERVAL = 0.1
_NEEDED_BYTES = 1024 * MIB


class TrainingError(Exception):
    """Raised if the AOT cache cannot be created. The message is the reason."""


def make_cache(settings: Settings) -> None:
    """Create the AOT cache for the settings, unless it exists. Failures are only recorded.

    Raises STARTING if another process is creating a cache.
    """
    cache = cache_of(settings)
    if cache is None:
        return
    # A second training process ends at once instead of waiting for the first.
    with file_lock(cache.lock, 0, lambda: None):
        if cache.is_intact():
            return
        cache.record_try()
        try:
            _train(settings, cache)
        except (TrainingError, GraphError, OSError, psutil.Error, requests.RequestException) as error:
            cache.record_failure(str(error) or type(error).__name__)
        finally:
            shutil.rmtree(cache.training_home, ignore_errors=True)


def _train(settings: Settings, cache: AotCache) -> None:
    home = HomeFolder(cache.training_home)
    if orphan := find(home, None):  # left by a process that was killed
        end(orphan)
    shutil.rmtree(home.root, ignore_errors=True)
    if shutil.disk_usage(cache.file.parent).free < _NEEDED_BYTES:
        raise TrainingError(f"less than {_NEEDED_BYTES // MIB} MiB free in {cache.file.parent}")
    cache_file = home.root / "made.aot"
    _run(settings, home, cache_file)
    _verify_cache(settings, home, cache_file)
    cache.adopt(cache_file)


def _run(settings: Settings, home: HomeFolder, cache_file: Path) -> None:
    """Run a temporary Neo4j with typical queries. The JVM writes `cache_file` when Neo4j ends."""
    java, run = find_java(settings).command, Run(find_free_port(), find_free_port(), settings.neo4j_version)
    home.make_folders()
    home.prepare_start()
    write_config(settings, home, run, class_path(settings))
    ensure_password(home, java)
    process = launch(server_command(settings, home, java, (f"-XX:AOTCacheOutput={cache_file}",)), home.console_log)
    try:
        _lower_priority(process)
        _await_answer(process, run, home)
        _run_queries(run, home.password() or "")
        process.terminate()
        process.wait(_TIMEOUT)
    finally:
        if is_alive(process):
            process.kill()


def _await_answer(process: psutil.Process, run: Run, home: HomeFolder) -> None:
    deadline = time.monotonic() + _TIMEOUT
    while not (speaks_bolt(run.bolt_port) and accepts_connections(run.http_port)):
        if time.monotonic() > deadline or not is_alive(process):
            raise exit_error(home)
        time.sleep(_POLL_INTERVAL)


def _run_queries(run: Run, password: str) -> None:
    """Run typical queries over HTTP, because only `storage` may import the driver."""
    with requests.Session() as connection:
        connection.trust_env = False  # no proxy, no .netrc
        connection.auth = (USERNAME, password)
        for statement in files("graph_memory.local.aot").joinpath("training.cypher").read_text("utf-8").split(";\n"):
            url = f"http://{HOST}:{run.http_port}/db/neo4j/query/v2"
            answer = connection.post(url, json={"statement": statement}, timeout=_TIMEOUT)
            answer.raise_for_status()


def _verify_cache(settings: Settings, home: HomeFolder, cache_file: Path) -> None:
    """Let the JVM verify the cache file and its checksums. Raises TrainingError if the JVM rejects the file."""
    flags = ("-XX:AOTMode=on", "-XX:+VerifySharedSpaces", f"-XX:AOTCache={cache_file}")
    command = [*java_command(settings, home, find_java(settings).command, flags), "-version"]
    try:
        subprocess.run(command, cwd=home.root, capture_output=True, timeout=_TIMEOUT, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise TrainingError("Java rejected the cache that it wrote") from error


def _lower_priority(process: psutil.Process) -> None:
    """Give the process the lowest priority for the processor and the disk."""
    with suppress(psutil.Error, OSError, AttributeError, ValueError):
        process.nice(19)
        # On Linux with autogroups, niceness counts only within a session; this sets the niceness of the session.
        autogroup = Path(f"/proc/{process.pid}/autogroup")
        if autogroup.exists():
            autogroup.write_text("19")
        process.ionice(psutil.IOPRIO_CLASS_IDLE)


def _main(cache: str, version: str, compiler: str, java: str = "") -> None:
    _lower_priority(psutil.Process())
    fixed_settings = {"aot": "auto", "neo4j_heap": "512m", "neo4j_compiler": compiler}
    argument_settings = {"cache": Path(cache), "neo4j_version": version, "java": Path(java) if java else None}
    with suppress(GraphError):  # another process creates a cache
        make_cache(Settings().model_copy(update={**fixed_settings, **argument_settings}))


if __name__ == "__main__":
    _main(*sys.argv[1:])
