"""Backs up the local Neo4j and its blobs to one file."""

from __future__ import annotations

import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from graph_memory.audit import AuditLog
from graph_memory.files import sha256_of, sync_folder
from graph_memory.local.backup.archive import (
    DUMP,
    FORMAT,
    ArchiveContents,
    DomainMark,
    FileDigest,
    Manifest,
    blob_files,
    write_archive,
)
from graph_memory.local.home.home import HomeFolder
from graph_memory.local.process.admin import AdminError, run_admin
from graph_memory.local.process.java import find_java
from graph_memory.local.server.server import ensure_running, keep_server_stopped
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Origin
from graph_memory.progress import Progress, log_progress
from graph_memory.settings import MIB, Settings

SUFFIX = ".tar"


@dataclass(frozen=True)
class MemoryInfo:
    """Information for the manifest that must be read from an open memory before Neo4j is stopped."""

    domains: Sequence[DomainMark]
    schema_version: int
    blobs_elsewhere: str | None = None


@dataclass(frozen=True)
class Backup:
    """A finished backup: its file with the size in bytes, its manifest and its contents."""

    file: Path
    size: int
    manifest: Manifest
    contents: ArchiveContents


def is_empty(settings: Settings) -> bool:
    """Return whether the home folder contains no database with user data."""
    home = HomeFolder.of(settings)
    return home.first_start_mark.exists() or not home.data.exists()


def new_backup_path(target: Path) -> Path:
    """Return the path for a new backup: the target if it ends in `.tar`, otherwise a new file in the target folder.

    The new file's name contains the time. A missing target folder is created when the backup is written. Raises
    INVALID_ARGUMENT if the file exists. Raises FILE_CREATION_FAILED if the target cannot be a folder, or if the folder
    of the `.tar` file does not exist.
    """
    target = target.expanduser().absolute()
    is_folder = target.is_dir() or target.suffix != SUFFIX
    file = target / datetime.now(UTC).strftime(f"graph-memory-%Y%m%dT%H%M%SZ{SUFFIX}") if is_folder else target
    if file.exists():
        details = {"argument": "target", "hint": "Pass another file name, or a folder in which to create a new file."}
        raise GraphError(Code.INVALID_ARGUMENT, f"{file} already exists", details)
    nearest_existing = next(folder for folder in file.parents if folder.exists())
    if not nearest_existing.is_dir():
        raise _write_error(
            file, f"{nearest_existing} is not a folder", "Pass a folder, or a new name that ends in .tar."
        )
    if not is_folder and nearest_existing != file.parent:
        raise _write_error(file, f"the folder {file.parent} does not exist", "Create the folder first.")
    return file


def back_up(
    settings: Settings, file: Path, info: MemoryInfo, *, keep_running: bool, progress: Progress = log_progress
) -> Backup:
    """Save the home folder to one file, atomically. Stops the local Neo4j for the dump.

    If `keep_running` is true, Neo4j is started again, even after an error. Raises FILE_CREATION_FAILED if the disk is
    full or the file cannot be written, STORE_UNAVAILABLE if Neo4j cannot write the dump, and STARTING if Neo4j does not
    start in time or another process is starting or stopping it.
    """
    blobs = None if info.blobs_elsewhere else HomeFolder.of(settings).parent / "blobs"
    origin = Origin(actor=settings.actor, session=settings.session)
    with (
        AuditLog(settings.audit_log).act("backup", str(file), origin=origin),
        _translate_errors(file),
        _working_folder(file) as work,
    ):
        manifest = _dump_database(settings, work, info, keep_running=keep_running, progress=progress)
        _require_disk_space(file, manifest, blobs)
        progress("Writing the archive", None)
        contents = write_archive(work / "archive", manifest, work / DUMP, blobs, progress)
        size = (work / "archive").stat().st_size
        (work / "archive").rename(file)
        sync_folder(file.parent)
    return Backup(file, size, manifest, contents)


def _dump_database(
    settings: Settings, work: Path, info: MemoryInfo, *, keep_running: bool, progress: Progress
) -> Manifest:
    """Stop Neo4j, dump its database into the folder `work`, and return the backup's manifest."""
    try:
        with keep_server_stopped(settings, progress) as home:
            progress("Dumping the database", None)
            created_at = datetime.now(UTC).isoformat(timespec="seconds")
            database_bytes = sum(_folder_size(home.data / part / "neo4j") for part in ("databases", "transactions"))
            _run_dump(settings, home, work)
    finally:
        if keep_running:
            ensure_running(settings, progress)
    dump = work / DUMP
    return Manifest(
        graph_memory_backup=FORMAT,
        made=created_at,
        graph_memory=version("graph-memory"),
        neo4j=settings.neo4j_version,
        schema_version=info.schema_version,
        domains=tuple(info.domains),
        dump=FileDigest(bytes=dump.stat().st_size, sha256=sha256_of(dump)),
        database_bytes=database_bytes,
        blobs_elsewhere=info.blobs_elsewhere,
    )


def _run_dump(settings: Settings, home: HomeFolder, work: Path) -> None:
    java = find_java(settings).command
    try:
        run_admin(home, java, "database", "dump", "neo4j", f"--to-path={work}", heap=settings.neo4j_heap)
    except AdminError as error:
        hint = f"Free space in {work.parent}. If Neo4j crashed, run `graph-memory neo4j start`, then `stop`."
        raise GraphError(Code.STORE_UNAVAILABLE, f"Neo4j could not write its dump: {error}", {"hint": hint}) from error


def _require_disk_space(file: Path, manifest: Manifest, blobs: Path | None) -> None:
    needed = manifest.dump.bytes + sum(path.stat().st_size for _, path in blob_files(blobs))
    free = shutil.disk_usage(file.parent).free
    if free < needed:
        text = f"{needed / MIB:,.0f} MiB are needed, but only {free / MIB:,.0f} are free"
        raise _write_error(file, text, "Free some space, or pass a folder on another disk.")


@contextmanager
def _working_folder(file: Path) -> Generator[Path]:
    """Yield a hidden private folder next to the file, and remove it at the end."""
    file.parent.mkdir(parents=True, exist_ok=True)
    folder = file.with_name(f".{file.name}.part")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _translate_errors(file: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        hint = "Pass a writable folder, on a disk with free space."
        raise _write_error(file, error.strerror or str(error), hint) from error


def _write_error(file: Path, reason: str, hint: str) -> GraphError:
    return GraphError(Code.FILE_CREATION_FAILED, f"The backup {file} could not be written: {reason}", {"hint": hint})


def _folder_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
