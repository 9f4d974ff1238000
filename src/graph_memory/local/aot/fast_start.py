"""Selects, maintains and reports on the JVM's ahead-of-time (AOT) cache, which halves the start time of Neo4j.

A cache is valid for one build of Java, one list of unchanged jars and one set of flags. Its file name is derived from
these, so several home folders can share it. The JVM verifies the cache, and starts without it if it is invalid.
`training` creates the file in the background.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from dataclasses import dataclass

from graph_memory.files import make_private_folder
from graph_memory.local.aot.cache import AotCache, CacheRecord
from graph_memory.local.home.config import cached_flags, size_in_bytes
from graph_memory.local.home.home import HomeFolder, Run
from graph_memory.local.jar_manifest import checked_version
from graph_memory.local.jars.fetch import fingerprint
from graph_memory.local.process.java import find_java, identity, major_version
from graph_memory.local.process.process import launch
from graph_memory.local.process.startup_errors import has_crashed
from graph_memory.model.errors import GraphError
from graph_memory.settings import MIB, Settings

BEING_CREATED = "the AOT cache is being created in the background"
_MIN_JAVA = 25
_MAX_HEAP = 31 << 30  # with a larger one, Java lays objects out in another way
_REJECTION_TEXT = "[error"
# Java prints harmless warnings, so they go to a separate file. Its name is relative to the folder of the console log,
# because Java treats a colon in a path as a separator.
_LOG_FLAGS = ("-Xlog:aot*=off", "-Xlog:aot*=warning:file={name}::filecount=0")


@dataclass(frozen=True)
class FastStart:
    """Whether the next start of Neo4j will use an AOT cache, and the reason as text."""

    ready: bool
    reason: str


def cache_of(settings: Settings) -> AotCache | None:
    """Return the cache for the settings. Its file may not exist yet.

    Returns None if a cache cannot be used or created.
    """
    return None if _obstacle(settings) else _cache(settings)


def flags(settings: Settings, home: HomeFolder) -> tuple[str, ...]:
    """Return the JVM flags that use the AOT cache, or no flags if there is no intact cache."""
    home.aot_log.unlink(missing_ok=True)
    cache = None if settings.aot == "off" else cache_of(settings)
    if cache is None or not cache.is_intact():
        return ()
    return (f"-XX:AOTCache={cache.file}", *(part.format(name=home.aot_log.name) for part in _LOG_FLAGS))


def was_cache_rejected(home: HomeFolder) -> bool:
    """Return whether the JVM rejected the AOT cache at the last start, according to its log."""
    return home.aot_log.is_file() and _REJECTION_TEXT in home.aot_log.read_text("utf-8", "replace")


def maintain(settings: Settings, home: HomeFolder, failed_run: Run | None) -> None:
    """After a start, remove the AOT cache if the JVM rejected it or crashed with it. Create the cache if it is missing.

    `failed_run` is the failed attempt just before this start, or None. Errors are ignored, because the server runs
    anyway. `fast_start` reports them later.
    """
    with suppress(GraphError, OSError):
        cache = cache_of(settings)
        if cache is None:
            return
        if was_cache_rejected(home) or (failed_run and has_crashed(home, failed_run)) or not cache.is_intact():
            cache.discard()
        cache.mark_used()
        if settings.aot == "auto" and not cache.is_intact():
            _start_training(settings, cache)


def fast_start(settings: Settings) -> FastStart:
    """Return whether the next start will be fast, and why. Does not change the cache."""
    if reason := _obstacle(settings):
        return FastStart(ready=False, reason=reason)
    cache = _cache(settings)
    if cache is None:
        return FastStart(ready=False, reason="no AOT cache yet: it is created in the background after the first start")
    if cache.is_intact():
        return FastStart(ready=True, reason=f"by the AOT cache {cache.file}, {cache.file.stat().st_size // MIB} MiB")
    if cache.is_being_made():
        return FastStart(ready=False, reason=BEING_CREATED)
    return FastStart(ready=False, reason=_missing_text(settings, cache.record()))


def _start_training(settings: Settings, cache: AotCache) -> None:
    if cache.is_being_made() or cache.record().is_exhausted:
        return
    make_private_folder(cache.file.parent)
    cache.file.parent.chmod(0o700)  # Java loads the files in it, so other users must not write there
    arguments = (
        str(cache.file.parent.parent),
        settings.neo4j_version,
        settings.neo4j_compiler,
        str(settings.java or ""),
    )
    launch([sys.executable, "-P", "-m", "graph_memory.local.aot.training", *arguments], cache.log)


def _missing_text(settings: Settings, record: CacheRecord) -> str:
    if record.failure:
        when = "tomorrow" if record.is_exhausted else "after the next start"
        return f"the AOT cache could not be created ({record.failure}); the next attempt is {when}"
    if settings.aot == "use":
        return "no AOT cache, and GRAPH_MEMORY_AOT=use does not create one"
    return "no AOT cache yet: it is created in the background after a start"


def _obstacle(settings: Settings) -> str | None:
    if settings.aot == "off":
        return "switched off by GRAPH_MEMORY_AOT"
    if sys.platform == "win32":
        return "not available on Windows, because Java cannot be stopped there in a way that writes its cache"
    if size_in_bytes(settings.neo4j_heap) > _MAX_HEAP:
        return "not available with a heap of over 31 GiB"
    try:
        checked_version(settings.neo4j_version)
        version = major_version(find_java(settings).command) or 0
    except GraphError as error:
        return error.message
    return f"needs Java {_MIN_JAVA} or newer, but this is {version}" if version < _MIN_JAVA else None


def _cache(settings: Settings) -> AotCache | None:
    jars = fingerprint(settings)
    if jars is None:
        return None
    parts = "\n".join((identity(find_java(settings).command), jars, *cached_flags(settings)))
    key = hashlib.sha256(parts.encode()).hexdigest()[:16]
    return AotCache(settings.cache.expanduser().resolve() / "aot" / f"{settings.neo4j_version}-{key}.aot")
