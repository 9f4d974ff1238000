"""Start by Java's ahead-of-time cache, which halves the time: choose it, tend it, tell about it.

A cache fits one build of Java, one list of unchanged jars and one set of flags, and lies in the cache folder under a
name made of them; homes share it. Java looks at it itself and starts without it when it does not fit. The file is
made by `training`, in the background.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from dataclasses import dataclass

from graph_memory.files import make_private_folder
from graph_memory.local.aot.cache import AotCache, Note
from graph_memory.local.home.config import cached_flags
from graph_memory.local.home.home import Home, Run
from graph_memory.local.jar_manifest import checked_version
from graph_memory.local.jars.fetch import fingerprint
from graph_memory.local.process.java import find_java, identity, major_version
from graph_memory.local.process.process import launch
from graph_memory.local.process.startup_errors import crashed
from graph_memory.model.errors import GraphError
from graph_memory.settings import MIB, Settings

_OLDEST_JAVA = 25
_LARGEST_HEAP = 31 << 30  # with a larger one, Java lays objects out in another way
_UNITS = {"k": 10, "m": 20, "g": 30}
_REFUSED = "[error"
# Java warns on the console of trifles even when all is well; what it says goes to a file of its own. Its name is
# relative to the folder of the console's log: in a path, Java would take a colon for a mark.
_LOG = ("-Xlog:aot*=off", "-Xlog:aot*=warning:file={name}::filecount=0")


@dataclass(frozen=True)
class FastStart:
    """Whether the next start will be a fast one, and what is known about that in a sentence."""

    ready: bool
    found: str


def cache_of(settings: Settings) -> AotCache | None:
    """Give the cache that fits the settings, made or not; None where there can be none (yet)."""
    return None if _hindrance(settings) else _cache(settings)


def flags(settings: Settings, place: Home) -> tuple[str, ...]:
    """Give the flags that let a server start by its cache; none where there is no sound one."""
    place.aot_log.unlink(missing_ok=True)
    cache = None if settings.aot == "off" else cache_of(settings)
    if cache is None or not cache.is_sound():
        return ()
    return (f"-XX:AOTCache={cache.file}", *(part.format(name=place.aot_log.name) for part in _LOG))


def was_refused(place: Home) -> bool:
    """Tell whether Java refused the cache that the last start offered it."""
    return place.aot_log.is_file() and _REFUSED in place.aot_log.read_text("utf-8", "replace")


def look_after(settings: Settings, place: Home, failed: Run | None) -> None:
    """See to the cache after a start: drop one that Java refused or that brought it down, have a missing one made.

    `failed` is the attempt before, if there was one. What goes wrong here is told by `fast_start`, never raised: the
    server runs.
    """
    with suppress(GraphError, OSError):
        cache = cache_of(settings)
        if cache is None:
            return
        if was_refused(place) or (failed and crashed(place, failed)) or not cache.is_sound():
            cache.discard()
        cache.used()
        if settings.aot == "auto" and not cache.is_sound():
            _begin(settings, cache)


def fast_start(settings: Settings) -> FastStart:
    """Look at the cache without changing anything."""
    if reason := _hindrance(settings):
        return FastStart(ready=False, found=reason)
    cache = _cache(settings)
    if cache is None:
        return FastStart(ready=False, found="no AOT cache yet: one is made in the background after the first start")
    if cache.is_sound():
        return FastStart(ready=True, found=f"by the AOT cache {cache.file}, {cache.file.stat().st_size // MIB} MiB")
    if cache.is_being_made():
        return FastStart(ready=False, found="its AOT cache is being made in the background")
    return FastStart(ready=False, found=_missing(settings, cache.note()))


def _begin(settings: Settings, cache: AotCache) -> None:
    if cache.is_being_made() or cache.note().exhausted:
        return
    make_private_folder(cache.file.parent)
    cache.file.parent.chmod(0o700)  # Java loads what is in it, whoever made it
    what = (str(cache.file.parent.parent), settings.neo4j_version, settings.neo4j_compiler, str(settings.java or ""))
    launch([sys.executable, "-m", "graph_memory.local.aot.training", *what], cache.log)


def _missing(settings: Settings, note: Note) -> str:
    if note.failure:
        when = "tomorrow" if note.exhausted else "after the next start"
        return f"its AOT cache could not be made ({note.failure}); the next try is {when}"
    if settings.aot == "use":
        return "no AOT cache, and GRAPH_MEMORY_AOT=use makes none"
    return "no AOT cache yet: one is made in the background after a start"


def _hindrance(settings: Settings) -> str | None:
    if settings.aot == "off":
        return "switched off by GRAPH_MEMORY_AOT"
    if sys.platform == "win32":
        return "not available on Windows, where Java cannot be asked to end and write its cache"
    if int(settings.neo4j_heap[:-1]) << _UNITS[settings.neo4j_heap[-1].lower()] > _LARGEST_HEAP:
        return "not available with a heap of over 31 GiB"
    try:
        checked_version(settings.neo4j_version)
        version = major_version(find_java(settings).command) or 0
    except GraphError as error:
        return error.message
    return f"needs Java {_OLDEST_JAVA} or newer, but this is {version}" if version < _OLDEST_JAVA else None


def _cache(settings: Settings) -> AotCache | None:
    jars = fingerprint(settings)
    if jars is None:
        return None
    parts = "\n".join((identity(find_java(settings).command), jars, *cached_flags(settings)))
    key = hashlib.sha256(parts.encode()).hexdigest()[:16]
    return AotCache(settings.cache.expanduser().resolve() / "aot" / f"{settings.neo4j_version}-{key}.aot")
