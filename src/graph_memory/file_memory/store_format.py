"""Parses the JSON of Anthropic's memory stores: memories and their versions.

The package `anthropic` has the same field names, path rules and limit of 102,400 bytes, in `types/beta/memory_stores`.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from graph_memory.file_memory.tree import ROOT, parse_path
from graph_memory.memory.transfer.values import describe_fault
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.time.clock import in_utc
from graph_memory.model.values.arguments import check_new_id

MEMORY, VERSION = "memory", "memory_version"
MAX_CONTENT_BYTES = 102_400
"""Maximum size of a memory in bytes."""
_MAX_SEGMENTS = 20
_MAX_PATH = 1_024
_ACTORS: Mapping[str, tuple[str, str]] = {
    "sesn_": ("session_actor", "session_id"),
    "user_": ("user_actor", "user_id"),
    "apikey_": ("api_actor", "api_key_id"),
    "svac_": ("service_account_actor", "service_account_id"),
}
"""The type of an actor, and the name of the field with its id, keyed by the prefix of the id."""
_OPERATION_ORDER = ("created", "modified", "deleted")
"""The order in which versions with the same time are replayed."""


def _check_time(time: datetime) -> datetime:
    try:
        return in_utc(time)
    except OverflowError as error:
        raise ValueError("a time from the year 1 to 9999") from error


_Time = Annotated[datetime, AfterValidator(_check_time)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class StoredMemory(_Record):
    """A memory in a store: the current state of one file."""

    type: Literal["memory"]
    id: str
    path: str
    memory_version_id: str
    content: str | None = None
    content_sha256: str | None = None
    created_at: _Time
    updated_at: _Time


class MemoryVersion(_Record):
    """A version of a memory: a change and its author."""

    type: Literal["memory_version"]
    id: str
    memory_id: str
    operation: Literal["created", "modified", "deleted"]
    created_at: _Time
    path: str | None = None
    content: str | None = None
    content_sha256: str | None = None
    created_by: dict[str, object] | None = None
    redacted_at: _Time | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A change to replay: the state of a file in one version. Without a path, the file is deleted."""

    memory_id: str
    version_id: str
    at: datetime
    path: str | None
    content: str
    actor: str | None
    is_user: bool


@dataclass(slots=True)
class StoreContent:
    """The steps of each memory in order, and notes about skipped records."""

    steps: dict[str, list[Step]] = field(default_factory=dict[str, list[Step]])
    notes: list[str] = field(default_factory=list[str])


def is_store(value: object) -> bool:
    """Return whether JSON data is a memory store, or a list of its memories or versions."""
    return any(record.get("type") in (MEMORY, VERSION) for record in _records(value))


def parse_store(value: object) -> StoreContent:
    """Return the content of a memory store. Raises INVALID_SOURCE with the position of the first invalid record."""
    memories: dict[str, StoredMemory] = {}
    versions: dict[str, MemoryVersion] = {}
    for number, record in enumerate(_records(value), 1):
        try:
            if record.get("type") == MEMORY:
                memory = StoredMemory.model_validate(record)
                memories[memory.id] = memory
            elif record.get("type") == VERSION:
                version = MemoryVersion.model_validate(record)
                versions[version.id] = version
        except ValidationError as error:
            raise _invalid_source_error(f"Record {number:,} {describe_fault(error)}") from error
    content = StoreContent()
    by_memory: dict[str, list[MemoryVersion]] = {memory_id: [] for memory_id in memories}
    for version in sorted(
        versions.values(), key=lambda version: (version.created_at, _OPERATION_ORDER.index(version.operation))
    ):
        by_memory.setdefault(version.memory_id, []).append(version)
    for memory_id, memory_versions in by_memory.items():
        steps = list(_steps(memory_id, memories.get(memory_id), memory_versions, content.notes))
        content.steps[memory_id] = remaining = [step for step in steps if step.path is not None or step is steps[-1]]
        if len(remaining) < len(steps):
            content.notes.append(
                f"a deletion of {remaining[-1].path or memory_id} is not imported: it was undone later"
            )
    return content


def _records(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the memories and versions in a store, an API page, or a list of records."""
    if isinstance(value, dict):
        store = cast("Mapping[str, object]", value)
        lists = [store[name] for name in ("memories", "memory_versions", "data") if name in store]
    else:
        lists = [value]
    for records in lists:
        for record in cast("Sequence[object]", records) if isinstance(records, list) else ():
            if isinstance(record, dict):
                yield cast("Mapping[str, object]", record)


def _steps(
    memory_id: str, memory: StoredMemory | None, versions: Sequence[MemoryVersion], notes: list[str]
) -> Iterator[Step]:
    try:
        check_new_id("id", memory_id)
    except GraphError as error:
        raise _invalid_source_error(f"{quote(memory_id)} is not a valid id of a memory") from error
    last_step: Step | None = None
    for version in versions:
        if version.operation != "deleted" and (version.content is None or version.path is None):
            notes.append(f"version {printable(version.id)} has no content: it was redacted, or listed without content")
            continue
        last_step = _step_of(version)
        yield last_step
    if memory is None:
        return
    if memory.content is None:
        if last_step is None or last_step.version_id != memory.memory_version_id:
            notes.append(f"memory {printable(memory.path)} has no content: list it with view=full")
    elif last_step is None or (last_step.path, last_step.content) != (_check_path(memory.path), memory.content):
        content = _check_content(memory.path, memory.content, memory.content_sha256)
        yield Step(
            memory_id=memory_id,
            version_id=memory.memory_version_id,
            at=memory.updated_at,
            path=_check_path(memory.path),
            content=content,
            actor=None,
            is_user=False,
        )


def _step_of(version: MemoryVersion) -> Step:
    is_deleted, creator = version.operation == "deleted", version.created_by or {}
    ids = [value for _, name in _ACTORS.values() if isinstance(value := creator.get(name), str)]
    return Step(
        memory_id=version.memory_id,
        version_id=version.id,
        at=version.created_at,
        path=None if is_deleted else _check_path(version.path or ""),
        content="" if is_deleted else _check_content(version.path or "", version.content or "", version.content_sha256),
        actor=ids[0] if ids else None,
        is_user=creator.get("type") == "user_actor",
    )


def path_error(path: str) -> str | None:
    """Return the reason why a path is not valid in a memory store, or None if it is valid."""
    segments = path.split("/")[1:]
    if not path.startswith("/") or not 1 <= len(segments) <= _MAX_SEGMENTS:
        return f"it must begin with a slash and have at most {_MAX_SEGMENTS} segments"
    if any(segment in ("", ".", "..") for segment in segments):
        return "a segment is empty, `.` or `..`"
    if any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in path):
        return "it contains invisible characters"
    if not unicodedata.is_normalized("NFC", path):
        return "it is not in Unicode Normalization Form C"
    return f"it is longer than {_MAX_PATH:,} bytes" if len(path.encode()) > _MAX_PATH else None


def _check_path(path: str) -> str:
    """Return the path of the file with this path in the store. Raises an error if the path is not valid."""
    if reason := path_error(path):
        raise _invalid_source_error(f"The path {quote(path)} is not valid: {reason}")
    try:
        return parse_path(f"{ROOT}{path}")
    except GraphError as error:
        raise _invalid_source_error(error.message) from error


def _check_content(path: str, content: str, sha256: str | None) -> str:
    try:
        data = content.encode()
    except UnicodeEncodeError as error:
        raise _invalid_source_error(f"The content of {quote(path)} contains a lone surrogate") from error
    if len(data) > MAX_CONTENT_BYTES:
        raise _invalid_source_error(
            f"The content of {quote(path)} has {len(data):,} bytes; a memory has at most {MAX_CONTENT_BYTES:,}"
        )
    if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256:
        raise _invalid_source_error(
            f"The content of {quote(path)} does not have the SHA-256 that content_sha256 states"
        )
    return content


def actor_of(actor: str | None, session: str | None, *, is_user: bool) -> dict[str, str] | None:
    """Return the actor of a change in the format of a memory store, or None if both are None."""
    for prefix, (kind, name) in _ACTORS.items():
        if actor is not None and actor.startswith(prefix):
            return {"type": kind, name: actor}
    if session is not None:
        return {"type": "session_actor", "session_id": session}
    if actor is None:
        return None
    return {"type": "user_actor", "user_id": actor} if is_user else {"type": "api_actor", "api_key_id": actor}


def _invalid_source_error(message: str) -> GraphError:
    return GraphError(Code.INVALID_SOURCE, message, {"hint": "Correct the file. Nothing was imported."})
