"""Make a home from a backup: beside the one that is there, which serves on until the new one has proved itself."""

from __future__ import annotations

import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from graph_memory.files import make_private_folder
from graph_memory.local.backup.archive import DUMP, Manifest, unpack
from graph_memory.local.backup.backup import is_empty
from graph_memory.local.home.config import write_config
from graph_memory.local.home.home import Home
from graph_memory.local.home.lock import file_lock, is_locked
from graph_memory.local.home.swap import RESTORED, RESTORING, put_in_place
from graph_memory.local.jars.fetch import class_path
from graph_memory.local.process.admin import AdminError, run_admin
from graph_memory.local.process.java import find_java
from graph_memory.local.process.password import ensure_password
from graph_memory.local.server.server import held_stopped, stop
from graph_memory.local.server.start import plan
from graph_memory.model.errors import Code, GraphError
from graph_memory.progress import Progress, silent
from graph_memory.settings import MIB, Settings

_NUMBER = re.compile(r"[0-9]{1,9}")


def holds_data(settings: Settings) -> bool:
    """Tell whether a restore into a home would replace something."""
    home = Home.of(settings).home
    blobs = home / "blobs"
    return not is_empty(settings) or (home / RESTORED).exists() or (blobs.is_dir() and any(blobs.iterdir()))


def is_restoring(settings: Settings) -> bool:
    """Tell whether a restore into a home is under way."""
    return is_locked(_lock(Home.of(settings)))


def check_fits(settings: Settings, manifest: Manifest, schema_version: int) -> None:
    """Raise STORE_INCOMPATIBLE for a backup that is too new, INVALID_ARGUMENT where its blobs would not be found."""
    if manifest.schema_version > schema_version:
        raise _too_new(
            f"The backup has schema version {manifest.schema_version}; this graph-memory reads up to {schema_version}",
            f"Update graph-memory to the version that made it ({manifest.graph_memory}), or newer.",
        )
    if _release(manifest.neo4j) > _release(settings.neo4j_version):
        raise _too_new(
            f"The backup is from Neo4j {manifest.neo4j}; {settings.neo4j_version} cannot load it",
            f"Set GRAPH_MEMORY_NEO4J_VERSION={manifest.neo4j}, or a newer one.",
        )
    if settings.blob_url and not manifest.blobs_elsewhere:
        hint = "Unset GRAPH_MEMORY_BLOB_URL for the restore and after it, or copy the blobs there afterwards."
        details = {"argument": "GRAPH_MEMORY_BLOB_URL", "hint": hint}
        raise GraphError(Code.INVALID_ARGUMENT, "The backup contains blobs, which are restored into the home", details)


@contextmanager
def restoring(settings: Settings, file: Path, manifest: Manifest, progress: Progress = silent) -> Generator[Settings]:
    """Make a home of a backup beside that of the settings, and give the settings that lead to it.

    It can be opened and looked at as any other; `take_into_use` puts it in the place of the old. What is not, is
    removed in the end. Raises FILE_CREATION_FAILED when there is no room, CONTENT_READ_FAILED for a damaged backup,
    STORE_UNAVAILABLE when Neo4j cannot load it, and DOMAIN_BUSY while another restore is under way.
    """
    place = Home.of(settings)
    place.make()
    with _alone(place):
        beside = _beside(settings)
        try:
            _clear(beside)
            _require_room(beside.home, manifest.database_bytes + file.stat().st_size)
            make_private_folder(beside.home)
            _unpack(file, beside.home, progress)
            _load(beside, place.password(), progress)
            yield beside
        finally:
            _clear(beside)


def take_into_use(settings: Settings, progress: Progress = silent) -> None:
    """Have the home that `restoring` made take the place of the old one, which is removed. Neo4j is stopped then."""
    stop(_beside(settings))
    progress("Swapping it in", None)
    for name in ("conf", "logs"):
        shutil.rmtree(Home.of(_beside(settings)).root / name, ignore_errors=True)
    with held_stopped(settings, progress) as place:
        put_in_place(place)


def _beside(settings: Settings) -> Settings:
    """Return settings for the home that is being made: on ports of its own, with nothing made in the background."""
    own = {
        "home": Home.of(settings).home / RESTORING,
        "neo4j_bolt_port": 0,
        "neo4j_http_port": 0,
        "neo4j_salvage": False,
        "aot": "off" if settings.aot == "off" else "use",
    }
    return settings.model_copy(update=own)


def _clear(beside: Settings) -> None:
    """Remove a home that is not to be used, or that a restore which was killed has left, and its server."""
    if beside.home.exists():
        stop(beside)
        shutil.rmtree(beside.home)


def _unpack(file: Path, home: Path, progress: Progress) -> None:
    progress("Unpacking", None)
    try:
        unpack(file, home, progress)
    except OSError as error:
        raise _no_room(home, error.strerror or str(error)) from error


def _load(beside: Settings, password: str | None, progress: Progress) -> None:
    """Load the dump into a database that has never been started, with the password that the old one had."""
    place, java = Home.of(beside), find_java(beside).command
    jars = class_path(beside, progress)
    progress("Loading the database", None)
    place.make()
    place.begin()
    if password:
        place.keep_password(password)
    write_config(beside, place, plan(beside, None, elsewhere=True), jars)
    ensure_password(place, java)
    try:
        run_admin(
            place, java, "database", "load", "neo4j", f"--from-path={beside.home}", "--overwrite-destination=true",
            heap=beside.neo4j_heap,
        )  # fmt: skip
    except AdminError as error:
        hint = f"Check the free space in {beside.home.parent}. The home is unchanged."
        raise GraphError(Code.STORE_UNAVAILABLE, f"Neo4j could not load the dump: {error}", {"hint": hint}) from error
    place.begun()
    (beside.home / DUMP).unlink()


@contextmanager
def _alone(place: Home) -> Generator[None]:
    if is_locked(_lock(place)):
        hint = "Wait for it to end, then look at the result."
        raise GraphError(Code.DOMAIN_BUSY, "Another restore into this home is under way", {"hint": hint})
    with file_lock(_lock(place), 0.0, lambda: None):
        yield


def _lock(place: Home) -> Path:
    return place.lock.with_name("restore.lock")


def _require_room(beside: Path, needed: int) -> None:
    free = shutil.disk_usage(beside.parent).free
    if free < needed:
        raise _no_room(beside, f"over {needed / MIB:,.0f} MiB are needed, but only {free / MIB:,.0f} are free")


def _no_room(beside: Path, reason: str) -> GraphError:
    hint = "Free some space: the restored data needs room beside the old for a while. The home is unchanged."
    message = f"The backup could not be unpacked in {beside.parent}: {reason}"
    return GraphError(Code.FILE_CREATION_FAILED, message, {"hint": hint})


def _too_new(message: str, hint: str) -> GraphError:
    return GraphError(Code.STORE_INCOMPATIBLE, message, {"hint": hint})


def _release(version: str) -> tuple[int, ...]:
    """Return year and month, or major and minor: patches of one release read each other's data."""
    return tuple(int(part) if _NUMBER.fullmatch(part) else 0 for part in version.split(".")[:2])
