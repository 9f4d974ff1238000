"""The file that records the last common state of a folder and a domain."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Annotated

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from graph_memory.files import make_private_folder, write_private
from graph_memory.memory.folder_sync.note_paths import safe_path
from graph_memory.memory.transfer.archive.writer import write_error
from graph_memory.memory.transfer.formats.memories.note_files import STATE_FILE, STATE_FOLDER, open_regular
from graph_memory.memory.transfer.formats.records import InvalidSourceValue
from graph_memory.memory.transfer.values import Count, FileModel, Sha256
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import printable
from graph_memory.model.values.arguments import invalid_argument

_LOCK = "lock"
_MAX_BYTES = 256 * 1024 * 1024


class Entry(FileModel):
    """The last common state of a note and an entity."""

    node: str
    name: str
    file: Sha256
    """The SHA-256 of the file's text."""
    memory: Sha256
    """The entity's fingerprint."""
    seq: Count
    """The log number at which the entity had this state."""


class State(FileModel):
    """The last common state of a folder and a domain."""

    version: Annotated[int, Field(ge=1, le=1)] = 1
    domain: str
    seq: Count
    event: str
    """The id of the event with the number `seq`. Another domain with the same name has another event."""
    notes: dict[str, Entry]

    @property
    def entries(self) -> dict[PurePosixPath, Entry]:
        """The last common state of each note, by path."""
        return {PurePosixPath(path): entry for path, entry in self.notes.items()}


@contextmanager
def folder_lock(folder: Path) -> Generator[None]:
    """Hold a folder's lock during the block, so that only one process synchronises it.

    Raises DOMAIN_BUSY if another process holds it, INVALID_ARGUMENT if the state folder is a symbolic link, and
    FILE_CREATION_FAILED if the lock file cannot be created.
    """
    path = _state_folder(folder) / _LOCK
    lock = FileLock(path, thread_local=False)
    try:
        make_private_folder(path.parent)
        lock.acquire(timeout=0)
    except Timeout as error:
        hint = "Run the sync again when the other one has finished."
        raise GraphError(Code.DOMAIN_BUSY, f"Another sync of {printable(folder)} is running", {"hint": hint}) from error
    except OSError as error:
        raise write_error(path, error) from error
    try:
        yield
    finally:
        lock.release()


def read_state(folder: Path, domain: str) -> State | None:
    """Return the last common state, or None before the first synchronisation.

    Raises INVALID_ARGUMENT if the file is damaged, is a symbolic link, or contains another domain's state.
    """
    path = _state_folder(folder) / STATE_FILE
    try:
        with open_regular(path) as stream:
            state = State.model_validate_json(stream.read(_MAX_BYTES))
    except FileNotFoundError:
        return None
    except (OSError, InvalidSourceValue, ValidationError, RecursionError) as error:
        raise _damaged_error(path) from error
    if state.domain != domain:
        hint = f"Use --domain {state.domain}, or another folder. To start over, delete {path}."
        raise invalid_argument("domain", f"The folder is synchronised with domain {state.domain}, not {domain}", hint)
    if None in map(safe_path, state.notes):
        raise _damaged_error(path)
    return state


def write_state(folder: Path, domain: str, seq: int, event: str, entries: Mapping[PurePosixPath, Entry]) -> None:
    """Replace the state file. Raises FILE_CREATION_FAILED if it cannot be written."""
    notes = {str(path): entries[path] for path in sorted(entries)}
    state = State(domain=domain, seq=seq, event=event, notes=notes)
    path = folder / STATE_FOLDER / STATE_FILE
    text = json.dumps(state.model_dump(), ensure_ascii=False, indent=1) + "\n"
    try:
        make_private_folder(path.parent)
        if not os.path.lexists(path) or path.read_text("utf-8") != text:
            write_private(path, text)
    except OSError as error:
        raise write_error(path, error) from error


def _state_folder(folder: Path) -> Path:
    path = folder / STATE_FOLDER
    if path.is_symlink():
        raise invalid_argument("folder", f"{path} is a symbolic link", "Replace it with a folder.")
    return path


def _damaged_error(path: Path) -> GraphError:
    hint = "Delete it. The next sync then compares all notes, and reports notes that differ as conflicts."
    return invalid_argument("folder", f"{path} is damaged", hint)
