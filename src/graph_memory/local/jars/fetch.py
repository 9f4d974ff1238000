"""Downloads and caches the jars of a Neo4j version (180 MB). A start checks only their sizes and times."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from graph_memory.files import sha256_of, write_private
from graph_memory.jar import Jar
from graph_memory.local.browser.jar import forget_served_jar, is_browser, make_served_jar, served_jar
from graph_memory.local.home.lock import file_lock
from graph_memory.local.home.notes import read_json
from graph_memory.local.jar_manifest import cached_list_path, committed_list, parse, render
from graph_memory.model.errors import Code, GraphError
from graph_memory.progress import Progress, log_progress
from graph_memory.settings import Settings

_READERS = 4
_LOCK_TIMEOUT = 900.0
_HINT = (
    "Connect to the internet once (you can set HTTPS_PROXY to a proxy), set GRAPH_MEMORY_CACHE to a filled cache, "
    "or set NEO4J_URI to your own server."
)

Stamp = dict[str, list[int]]
"""The size in bytes and modification time (ns) of each jar when its checksum was verified, by path."""


def class_path(settings: Settings, progress: Progress = log_progress) -> list[Path]:
    """Return the paths of the Neo4j version's jars, in class path order. Downloads missing and changed jars.

    Raises STORE_UNAVAILABLE if a jar cannot be downloaded.
    """
    jars = known_list(settings) or _resolved_list(settings, progress)
    root = _root(settings)
    if _changed_jars(root, jars, settings.neo4j_version):
        with _lock_cache(root, progress):
            _fetch_changed(settings, jars, progress)
    for jar in filter(is_browser, jars):
        make_served_jar(jar, root / jar.path, root.parent)
    return _paths(root, jars)


def known_list(settings: Settings) -> tuple[Jar, ...] | None:
    """Return the list of jars for the settings' Neo4j version, or None if neither the package nor the cache has one."""
    if packaged_list := committed_list(settings.neo4j_version):
        return packaged_list
    try:
        return parse(cached_list_path(_root(settings), settings.neo4j_version).read_text("utf-8")) or None
    except (FileNotFoundError, ValueError):
        return None


def fingerprint(settings: Settings) -> str | None:
    """Return a string that changes with the paths, times or order of the jars, or None if a jar is missing."""
    stamps = [(str(path), _file_stamp(path)) for path in _paths(_root(settings), known_list(settings) or ())]
    return json.dumps(stamps) if stamps and all(stamp for _, stamp in stamps) else None


def find_damaged(settings: Settings, jars: Sequence[Jar]) -> tuple[list[Jar], list[Jar]]:
    """Compute the checksums of all cached jars. Return the missing jars and the jars with a wrong checksum."""
    root = _root(settings)
    missing = [jar for jar in jars if not (root / jar.path).is_file()]
    cached_jars = [jar for jar in jars if jar not in missing]
    with ThreadPoolExecutor(_READERS) as pool:
        checksums = pool.map(sha256_of, [root / jar.path for jar in cached_jars])
        return missing, [jar for jar, sha256 in zip(cached_jars, checksums, strict=True) if sha256 != jar.sha256]


def forget_checks(settings: Settings) -> None:
    """Make the next call of `class_path` verify all jars again and recreate the adapted jar of Neo4j Browser."""
    _stamp_path(_root(settings), settings.neo4j_version).unlink(missing_ok=True)
    for jar in filter(is_browser, known_list(settings) or ()):
        forget_served_jar(jar, _root(settings).parent)


def _paths(root: Path, jars: Iterable[Jar]) -> list[Path]:
    paths = {jar: root / jar.path for jar in jars}
    return [served_jar(jar, path, root.parent) if is_browser(jar) else path for jar, path in paths.items()]


def _fetch_changed(settings: Settings, jars: Sequence[Jar], progress: Progress) -> None:
    root = _root(settings)
    changed = _changed_jars(root, jars, settings.neo4j_version)
    if changed:
        _obtain_all(settings, changed, progress)
        stamp = {jar.path: _file_stamp(root / jar.path) for jar in jars}
        write_private(_stamp_path(root, settings.neo4j_version), json.dumps(stamp))


def _obtain_all(settings: Settings, jars: Sequence[Jar], progress: Progress) -> None:
    from graph_memory.maven import THREADS, DownloadError, obtain, open_session

    stage = f"Fetching Neo4j {settings.neo4j_version}"
    total, done = sum(jar.size for jar in jars), 0
    progress(stage, 0.0)
    with open_session() as connections, ThreadPoolExecutor(THREADS) as pool:
        futures = {pool.submit(obtain, jar, _root(settings) / jar.path, connections): jar for jar in jars}
        try:
            for future in as_completed(futures):
                future.result()
                done += futures[future].size
                progress(stage, done / total)
        except (DownloadError, OSError) as error:
            raise _unavailable_error(settings, error) from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _resolved_list(settings: Settings, progress: Progress) -> tuple[Jar, ...]:
    from graph_memory.local.jars.resolve import resolve
    from graph_memory.maven import DownloadError

    version, root = settings.neo4j_version, _root(settings)
    progress(f"Resolving Neo4j {version}, which has no known list of jars (takes minutes)", None)
    with _lock_cache(root, progress):
        try:
            jars = resolve(version, root, root.with_name("poms"))
        except (DownloadError, OSError) as error:
            raise _unavailable_error(settings, error) from error
        write_private(cached_list_path(root, version), render(jars))
    return jars


def _lock_cache(root: Path, progress: Progress) -> AbstractContextManager[None]:
    return file_lock(
        root / "lock", _LOCK_TIMEOUT, lambda: progress("Waiting for another process that is downloading", None)
    )


def _changed_jars(root: Path, jars: Iterable[Jar], version: str) -> list[Jar]:
    stamp: Stamp = {}
    with suppress(FileNotFoundError):
        stamp = read_json(_stamp_path(root, version).read_bytes(), Stamp) or {}
    return [jar for jar in jars if jar.path not in stamp or stamp[jar.path] != _file_stamp(root / jar.path)]


def _root(settings: Settings) -> Path:
    return settings.cache.expanduser().resolve() / "jars"


def _file_stamp(path: Path) -> list[int]:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return []
    return [stat.st_size, stat.st_mtime_ns]


def _stamp_path(root: Path, version: str) -> Path:
    return root / f"{version}.checked.json"


def _unavailable_error(settings: Settings, error: Exception) -> GraphError:
    reason = (error.strerror if isinstance(error, OSError) else None) or error
    message = f"The cached Neo4j {settings.neo4j_version} is not complete and could not be downloaded: {reason}"
    hint = (
        _HINT
        if committed_list(settings.neo4j_version)
        else f"Check that GRAPH_MEMORY_NEO4J_VERSION is a published version. {_HINT}"
    )
    return GraphError(Code.STORE_UNAVAILABLE, message, {"hint": hint}, path=settings.cache)
