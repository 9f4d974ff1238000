"""Save the local Neo4j and its blobs in one file."""

from __future__ import annotations

import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from graph_memory.files import sha256_of, sync_folder
from graph_memory.local.backup.archive import (
    DUMP,
    FORMAT,
    DomainMark,
    Manifest,
    Part,
    Written,
    blob_files,
    write_archive,
)
from graph_memory.local.home.home import Home
from graph_memory.local.process.admin import AdminError, run_admin
from graph_memory.local.process.java import find_java
from graph_memory.local.server.server import ensure_running, held_stopped
from graph_memory.model.errors import Code, GraphError
from graph_memory.progress import Progress, silent
from graph_memory.settings import MIB, Settings

SUFFIX = ".tar"


@dataclass(frozen=True)
class Facts:
    """What only an open memory knows of a home that is to be saved."""

    domains: Sequence[DomainMark]
    schema_version: int
    blobs_elsewhere: str | None = None


@dataclass(frozen=True)
class Backup:
    """A backup that was made."""

    file: Path
    size: int
    manifest: Manifest
    written: Written


def is_empty(settings: Settings) -> bool:
    """Tell whether a home has no database that anybody wrote into."""
    place = Home.of(settings)
    return place.beginning.exists() or not place.data.exists()


def backup_file(target: Path) -> Path:
    """Return the file to write: the target if it ends in `.tar`, else one named by the time in it, a folder.

    A folder that is not there is made only with the backup. Raises INVALID_ARGUMENT when there is a file of that name,
    and FILE_CREATION_FAILED when it cannot be a folder, or that of the `.tar` file does not exist.
    """
    target = target.expanduser().absolute()
    is_folder = target.is_dir() or target.suffix != SUFFIX
    file = target / datetime.now(UTC).strftime(f"graph-memory-%Y%m%dT%H%M%SZ{SUFFIX}") if is_folder else target
    if file.exists():
        details = {"argument": "target", "hint": "Give another name, or a folder to make a new file in."}
        raise GraphError(Code.INVALID_ARGUMENT, f"{file} already exists", details)
    there = next(place for place in file.parents if place.exists())
    if not there.is_dir():
        raise _not_written(file, f"{there} is not a folder", "Give a folder, or a new name that ends in .tar.")
    if not is_folder and there != file.parent:
        raise _not_written(file, f"the folder {file.parent} does not exist", "Create the folder first.")
    return file


def back_up(settings: Settings, file: Path, facts: Facts, *, keep_running: bool, progress: Progress = silent) -> Backup:
    """Save the home in a file that is there only when it is whole. The local Neo4j is stopped while it is dumped.

    With `keep_running` it is started again, whatever happened. Raises FILE_CREATION_FAILED when there is no room or the
    file cannot be written, STORE_UNAVAILABLE when Neo4j cannot make its dump, and STARTING.
    """
    blobs = None if facts.blobs_elsewhere else Home.of(settings).home / "blobs"
    with _writing(file), _aside(file) as work:
        manifest = _dumped(settings, work, facts, keep_running=keep_running, progress=progress)
        _require_room(file, manifest, blobs)
        progress("Writing the archive", None)
        written = write_archive(work / "archive", manifest, work / DUMP, blobs, progress)
        size = (work / "archive").stat().st_size
        (work / "archive").rename(file)
        sync_folder(file.parent)
    return Backup(file, size, manifest, written)


def _dumped(settings: Settings, work: Path, facts: Facts, *, keep_running: bool, progress: Progress) -> Manifest:
    """Have Neo4j write its dump into a folder, and tell what it is of."""
    try:
        with held_stopped(settings, progress) as place:
            progress("Dumping the database", None)
            made = datetime.now(UTC).isoformat(timespec="seconds")
            database_bytes = sum(_size(place.data / part / "neo4j") for part in ("databases", "transactions"))
            _dump(settings, place, work)
    finally:
        if keep_running:
            ensure_running(settings, progress)
    dump = work / DUMP
    return Manifest(
        graph_memory_backup=FORMAT,
        made=made,
        graph_memory=version("graph-memory"),
        neo4j=settings.neo4j_version,
        schema_version=facts.schema_version,
        domains=tuple(facts.domains),
        dump=Part(bytes=dump.stat().st_size, sha256=sha256_of(dump)),
        database_bytes=database_bytes,
        blobs_elsewhere=facts.blobs_elsewhere,
    )


def _dump(settings: Settings, place: Home, work: Path) -> None:
    java = find_java(settings).command
    try:
        run_admin(place, java, "database", "dump", "neo4j", f"--to-path={work}", heap=settings.neo4j_heap)
    except AdminError as error:
        hint = f"Free space in {work.parent}. `graph-memory neo4j start`, then `stop`, mends a Neo4j that was killed."
        raise GraphError(Code.STORE_UNAVAILABLE, f"Neo4j could not write its dump: {error}", {"hint": hint}) from error


def _require_room(file: Path, manifest: Manifest, blobs: Path | None) -> None:
    needed = manifest.dump.bytes + sum(path.stat().st_size for _, path in blob_files(blobs))
    free = shutil.disk_usage(file.parent).free
    if free < needed:
        text = f"{needed / MIB:,.0f} MiB are needed, but only {free / MIB:,.0f} are free"
        raise _not_written(file, text, "Free some space, or give a folder on another disk.")


@contextmanager
def _aside(file: Path) -> Generator[Path]:
    """Give a folder beside a file, hidden and for its owner alone, that is gone in the end."""
    file.parent.mkdir(parents=True, exist_ok=True)
    folder = file.with_name(f".{file.name}.part")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _writing(file: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        hint = "Give a writable folder, on a disk with free space."
        raise _not_written(file, error.strerror or str(error), hint) from error


def _not_written(file: Path, reason: str, hint: str) -> GraphError:
    return GraphError(Code.FILE_CREATION_FAILED, f"The backup {file} could not be written: {reason}", {"hint": hint})


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
