"""Restores a backup into a new home folder. The old home folder stays in use until the new folder is verified."""

from __future__ import annotations

import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from graph_memory.audit import AuditLog
from graph_memory.files import make_private_folder
from graph_memory.local.backup.archive import DUMP, Manifest, unpack
from graph_memory.local.backup.backup import is_empty
from graph_memory.local.home.config import write_config
from graph_memory.local.home.home import HomeFolder
from graph_memory.local.home.lock import file_lock, is_locked
from graph_memory.local.home.swap import RESTORED, RESTORING, swap_in
from graph_memory.local.jars.fetch import class_path
from graph_memory.local.process.admin import AdminError, run_admin
from graph_memory.local.process.java import find_java
from graph_memory.local.process.password import ensure_password
from graph_memory.local.server.server import keep_server_stopped, stop
from graph_memory.local.server.start import plan_run
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Origin
from graph_memory.progress import Progress, log_progress
from graph_memory.settings import MIB, Settings

_NUMBER = re.compile(r"[0-9]{1,9}")


def holds_data(settings: Settings) -> bool:
    """Return whether a restore into the home folder would replace data."""
    folder = HomeFolder.of(settings).parent
    blobs = folder / "blobs"
    return not is_empty(settings) or (folder / RESTORED).exists() or (blobs.is_dir() and any(blobs.iterdir()))


def is_restoring(settings: Settings) -> bool:
    """Return whether a restore into the home folder is in progress."""
    return is_locked(_lock_path(HomeFolder.of(settings)))


def check_fits(settings: Settings, manifest: Manifest, schema_version: int) -> None:
    """Raise STORE_INCOMPATIBLE if the backup is too new, and INVALID_ARGUMENT if its blobs could not be read.

    Blobs are restored into the home folder, so they could not be read if GRAPH_MEMORY_BLOB_URL sets another location.
    """
    if manifest.schema_version > schema_version:
        raise _too_new_error(
            f"The backup has schema version {manifest.schema_version}, above {schema_version} of this graph-memory",
            f"Update graph-memory to the version that created it ({manifest.graph_memory}), or newer.",
        )
    if _release(manifest.neo4j) > _release(settings.neo4j_version):
        raise _too_new_error(
            f"The backup is from Neo4j {manifest.neo4j}, which Neo4j {settings.neo4j_version} cannot load",
            f"Set GRAPH_MEMORY_NEO4J_VERSION to {manifest.neo4j} or a newer version.",
        )
    if settings.blob_url and not manifest.blobs_elsewhere:
        hint = "Unset GRAPH_MEMORY_BLOB_URL and leave it unset, or copy the restored blobs to that address afterwards."
        details = {"argument": "GRAPH_MEMORY_BLOB_URL", "hint": hint}
        message = "The backup contains blobs, which can be restored only into the graph-memory home folder"
        raise GraphError(Code.INVALID_ARGUMENT, message, details)


@contextmanager
def restore_to_new_home(
    settings: Settings, file: Path, manifest: Manifest, progress: Progress = log_progress
) -> Generator[Settings]:
    """Restore a backup into a new home folder beside the current one, and yield settings for the new folder.

    The new home folder can be opened like any other. `activate` replaces the old home folder with it. If it
    is not called, the new home folder is removed at the end. Raises FILE_CREATION_FAILED if the disk is full,
    CONTENT_READ_FAILED if the backup is damaged, STORE_UNAVAILABLE if Neo4j cannot load it, and DOMAIN_BUSY if another
    restore is running.
    """
    home = HomeFolder.of(settings)
    home.make_folders()
    with _hold_restore_lock(home):
        new_settings = _new_settings(settings)
        try:
            _remove_new_home(new_settings)
            _require_disk_space(new_settings.home, manifest.database_bytes + file.stat().st_size)
            make_private_folder(new_settings.home)
            _unpack(file, new_settings.home, progress)
            _load(new_settings, home.password(), progress)
            yield new_settings
        finally:
            _remove_new_home(new_settings)


def activate(settings: Settings, progress: Progress = log_progress) -> None:
    """Replace the old home folder with the folder from `restore_to_new_home`, and remove the old one.

    Neo4j is stopped in the meantime.
    """
    origin = Origin(actor=settings.actor, session=settings.session)
    with AuditLog(settings.audit_log).act("restore", str(settings.home), origin=origin):
        _swap_in(settings, progress)


def _swap_in(settings: Settings, progress: Progress) -> None:
    stop(_new_settings(settings))
    progress("Swapping it in", None)
    for name in ("conf", "logs"):
        shutil.rmtree(HomeFolder.of(_new_settings(settings)).root / name, ignore_errors=True)
    with keep_server_stopped(settings, progress) as home:
        swap_in(home)


def _new_settings(settings: Settings) -> Settings:
    """Return settings for the new home folder. Its Neo4j uses free ports and creates no AOT cache."""
    changes = {
        "home": HomeFolder.of(settings).parent / RESTORING,
        "neo4j_bolt_port": 0,
        "neo4j_http_port": 0,
        "neo4j_salvage": False,
        "aot": "off" if settings.aot == "off" else "use",
    }
    return settings.model_copy(update=changes)


def _remove_new_home(new_settings: Settings) -> None:
    """Stop the new home folder's server, and remove the folder if it exists."""
    if new_settings.home.exists():
        stop(new_settings)
        shutil.rmtree(new_settings.home)


def _unpack(file: Path, home: Path, progress: Progress) -> None:
    progress("Unpacking", None)
    try:
        unpack(file, home, progress)
    except OSError as error:
        raise _disk_space_error(home, error.strerror or str(error)) from error


def _load(new_settings: Settings, password: str | None, progress: Progress) -> None:
    """Load the dump into the new database. Set the new server's password to `password` unless it is None."""
    home, java = HomeFolder.of(new_settings), find_java(new_settings).command
    jars = class_path(new_settings, progress)
    progress("Loading the database", None)
    home.make_folders()
    home.prepare_start()
    if password:
        home.save_password(password)
    write_config(new_settings, home, plan_run(new_settings, None, on_free_ports=True), jars)
    ensure_password(home, java)
    try:
        run_admin(
            home, java, "database", "load", "neo4j", f"--from-path={new_settings.home}", "--overwrite-destination=true",
            heap=new_settings.neo4j_heap,
        )  # fmt: skip
    except AdminError as error:
        hint = f"Check the free space in {new_settings.home.parent}. The home folder is unchanged."
        raise GraphError(Code.STORE_UNAVAILABLE, f"Neo4j could not load the dump: {error}", {"hint": hint}) from error
    home.finish_first_start()
    (new_settings.home / DUMP).unlink()


@contextmanager
def _hold_restore_lock(home: HomeFolder) -> Generator[None]:
    if is_locked(_lock_path(home)):
        hint = "Wait until it has ended, and check its result."
        raise GraphError(Code.DOMAIN_BUSY, "Another restore into this home folder is running", {"hint": hint})
    with file_lock(_lock_path(home), 0.0, lambda: None):
        yield


def _lock_path(home: HomeFolder) -> Path:
    return home.lock.with_name("restore.lock")


def _require_disk_space(new_home: Path, needed: int) -> None:
    free = shutil.disk_usage(new_home.parent).free
    if free < needed:
        raise _disk_space_error(
            new_home, f"over {needed / MIB:,.0f} MiB are needed, but only {free / MIB:,.0f} are free"
        )


def _disk_space_error(new_home: Path, reason: str) -> GraphError:
    hint = "Free some space, because old and restored data are kept at the same time. The home folder is unchanged."
    message = f"The backup could not be unpacked in {new_home.parent}: {reason}"
    return GraphError(Code.FILE_CREATION_FAILED, message, {"hint": hint})


def _too_new_error(message: str, hint: str) -> GraphError:
    return GraphError(Code.STORE_INCOMPATIBLE, message, {"hint": hint})


def _release(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a Neo4j version: year and month, or major and minor version.

    Versions with the same first two numbers can read each other's data.
    """
    return tuple(int(part) if _NUMBER.fullmatch(part) else 0 for part in version.split(".")[:2])
