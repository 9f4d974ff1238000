"""Exports and imports files as a memory store of Anthropic's API."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO
from uuid import uuid4

import anyio.to_thread

from graph_memory.file_memory.results import StoreExportResult, StoreImportResult
from graph_memory.file_memory.store_format import (
    MAX_CONTENT_BYTES,
    MEMORY,
    VERSION,
    Step,
    actor_of,
    parse_store,
    path_error,
)
from graph_memory.file_memory.tree import ROOT, format_of, title_of
from graph_memory.layers import add_missing_types
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.history.results import LogEntry
from graph_memory.memory.transfer.archive.writer import open_target
from graph_memory.memory.transfer.formats.memories.json_lines import read_json_file
from graph_memory.memory.transfer.formats.records import UnreadableSource
from graph_memory.memory.transfer.results import ImportCounts
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import NodeType
from graph_memory.model.results import NodeContent, NodeDescription
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

_PAGE_SIZE = 500
_VERSION_KEY = "memory_version_id"
"""A node's metadata field with the id of the last imported version."""
_MAX_STEPS = 4_000
"""Maximum number of versions per transaction."""


async def export_store(memory: Memory, type_name: str, target: Path | IO[bytes]) -> StoreExportResult:
    """Write the files and their versions. See `FileMemory.export_store`."""
    entries = await _read_log(memory, type_name)
    name = (await memory.domain_info()).name
    contents: dict[str, str] = {}
    memories: dict[str, dict[str, object]] = {}
    versions: list[dict[str, object]] = []
    logged = [await _version_of(memory, entry, f"memstore_{name}", contents) for entry in entries]
    logged = [version for version in logged if version is not None]
    compacted = await _compacted_versions(memory, type_name, f"memstore_{name}", {v["memory_id"] for v in logged})
    for version in (*compacted, *logged):
        versions.append(version)
        memory_id = str(version["memory_id"])
        if version["operation"] == "deleted":
            memories.pop(memory_id, None)
        else:
            created_at = memories.get(memory_id, {}).get("created_at", version["created_at"])
            memories[memory_id] = {
                "id": memory_id,
                "type": MEMORY,
                "memory_store_id": version["memory_store_id"],
                "memory_version_id": version["id"],
                **{key: version[key] for key in ("path", "content", "content_sha256", "content_size_bytes")},
                "created_at": created_at,
                "updated_at": version["created_at"],
            }
    times = [str(version["created_at"]) for version in versions]
    store: dict[str, object] = {"id": f"memstore_{name}", "type": "memory_store", "name": name, "description": ""}
    store |= {"metadata": dict[str, str](), **({"created_at": times[0], "updated_at": times[0]} if times else {})}
    ordered = sorted(memories.values(), key=lambda entry: str(entry["path"]))
    data = {"memory_store": store, "memories": ordered, "memory_versions": versions}
    await anyio.to_thread.run_sync(_write, target, data)
    return StoreExportResult(domain=name, memories=len(memories), versions=len(versions))


async def _read_log(memory: Memory, type_name: str) -> list[LogEntry]:
    """Return all log entries about files, oldest first."""
    entries: list[LogEntry] = []
    cursor: str | None = None
    while True:
        page = await memory.history.log(types=[type_name], full=True, limit=_PAGE_SIZE, cursor=cursor)
        entries += [entry for entry in page.entries if entry.kind is Kind.NODE]
        if (cursor := page.next_cursor) is None:
            return entries[::-1]


async def _compacted_versions(
    memory: Memory, type_name: str, store: str, logged: Container[object]
) -> list[dict[str, object]]:
    """Return the current state, as one version, of each file whose log entries were all compacted."""
    versions: list[dict[str, object]] = []
    for node in (await _read_nodes(memory, type_name)).values():
        path = node.path or ""
        if node.id in logged or not path.startswith(f"{ROOT}/"):
            continue
        content = _check_content(path, await memory.get_node_content(node.id))
        data = content.encode()
        versions.append(
            {
                "id": f"memver_{node.id.removeprefix('mem_')}",
                "type": VERSION,
                "memory_id": node.id,
                "memory_store_id": store,
                "operation": "created",
                "path": _check_path(path.removeprefix(ROOT)),
                "created_at": node.created.isoformat().replace("+00:00", "Z"),
                "created_by": None,
                "content": content,
                "content_sha256": hashlib.sha256(data).hexdigest(),
                "content_size_bytes": len(data),
            }
        )
    return sorted(versions, key=lambda version: str(version["created_at"]))


async def _version_of(
    memory: Memory, entry: LogEntry, store: str, contents: dict[str, str]
) -> dict[str, object] | None:
    """Return a log entry as a version, or None for an empty folder, or if neither path nor text changed."""
    state: Mapping[str, object] = (entry.before if entry.operation == "delete" else entry.after) or {}
    path, sha256 = str(state.get("_path", "")), str(state.get("_content_sha256", ""))
    before = entry.before or {}
    is_same = entry.operation == "update" and (before.get("_path"), before.get("_content_sha256")) == (path, sha256)
    if state.get("is_folder") is True or is_same or not path.startswith(f"{ROOT}/"):
        return None
    is_user = entry.source == "user"
    version: dict[str, object] = {
        "id": f"memver_{entry.id.removeprefix('evt_')}",
        "type": VERSION,
        "memory_id": entry.subject,
        "memory_store_id": store,
        "operation": {"create": "created", "update": "modified", "delete": "deleted"}[entry.operation],
        "path": _check_path(path.removeprefix(ROOT)),
        "created_at": entry.at.isoformat().replace("+00:00", "Z"),
        "created_by": actor_of(entry.actor, entry.session, is_user=is_user),
    }
    if entry.operation == "delete":
        return version | dict.fromkeys(("content", "content_sha256", "content_size_bytes"))
    if sha256 not in contents:
        past = await memory.history.as_of(entry.seq)
        contents[sha256] = _check_content(path, await past.get_node_content(entry.subject))
    size = len(contents[sha256].encode())
    return version | {"content": contents[sha256], "content_sha256": sha256, "content_size_bytes": size}


def _check_content(path: str, content: NodeContent) -> str:
    if content.encoding != "utf-8" or len(content.data) > MAX_CONTENT_BYTES:
        message = (
            f"The file {quote(path)} is binary or has over {MAX_CONTENT_BYTES:,} bytes, which a memory store does not "
            "allow"
        )
        raise invalid_argument("format", message, "Split it, or export in the `log` format.")
    return content.content


def _check_path(path: str) -> str:
    if reason := path_error(path):
        raise invalid_argument("format", f"The path {quote(path)} cannot be in a memory store: {reason}", "Rename it.")
    return path


def _write(target: Path | IO[bytes], data: Mapping[str, object]) -> None:
    text = (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()
    with open_target(target) as stream:
        stream.write(text)


async def import_store(memory: Memory, file_type: NodeType, source: Path, *, dry_run: bool) -> StoreImportResult:
    """Import those versions of a memory store that the domain lacks. See `FileMemory.import_store`."""
    try:
        content = await anyio.to_thread.run_sync(lambda: parse_store(read_json_file(source)))
    except UnreadableSource as error:
        raise GraphError(
            Code.INVALID_SOURCE, error.invalid_record.message, {"hint": error.invalid_record.hint}
        ) from error
    plan = await _plan(memory, file_type.name, content.steps)
    session = f"import_{uuid4().hex[:12]}"
    if plan.steps and not dry_run:
        await add_missing_types(memory, file_type)
        for start in range(0, len(plan.steps), _MAX_STEPS):
            async with memory.transaction() as transaction:
                for step in plan.steps[start : start + _MAX_STEPS]:
                    await _replay(transaction, file_type.name, step, session, plan)
    total = sum(map(len, content.steps.values()))
    new = {step.memory_id for step in plan.steps}
    return StoreImportResult(
        dry_run=dry_run,
        session=session if plan.steps and not dry_run else None,
        memories=ImportCounts(
            new=len(new - plan.stored_ids), already_there=len(content.steps) - len(new - plan.stored_ids)
        ),
        versions=ImportCounts(new=len(plan.steps), already_there=total - len(plan.steps)),
        notes=(*content.notes, *plan.notes),
    )


@dataclass(slots=True)
class _Plan:
    """The versions to import, in order, and the current state of the files."""

    steps: list[Step] = field(default_factory=list[Step])
    stored_ids: set[str] = field(default_factory=set[str])
    """The ids of memories that already exist in the domain."""
    metadata: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    """The metadata of the files that exist at the import's current step, by id."""
    notes: list[str] = field(default_factory=list[str])


async def _plan(memory: Memory, type_name: str, steps: Mapping[str, list[Step]]) -> _Plan:
    """Return the versions that the domain lacks. Raises INVALID_SOURCE if another file already has a memory's path."""
    nodes_by_id = await _read_nodes(memory, type_name)
    used_ids = await _used_ids(memory, list(steps))
    plan = _Plan(metadata={node.id: node.metadata or {} for node in nodes_by_id.values()})
    for memory_id, memory_steps in steps.items():
        if memory_id in nodes_by_id:
            plan.stored_ids.add(memory_id)
            plan.steps += await _missing_steps(memory, nodes_by_id[memory_id], memory_steps, plan.notes)
        elif memory_id not in used_ids:
            plan.steps += memory_steps
        elif memory_steps and memory_steps[-1].path is not None:
            plan.notes.append(f"{memory_steps[-1].path} was deleted here, and is not created again")
    plan.steps.sort(key=lambda step: step.at)
    _check_paths({node.id: node.path or "" for node in nodes_by_id.values()}, plan.steps)
    return plan


def _check_paths(paths: dict[str, str], steps: Iterable[Step]) -> None:
    """Raise INVALID_SOURCE if a step gives a file the path of another file or a folder.

    `paths` maps each stored file's id to its path.
    """
    files = {path: memory_id for memory_id, path in paths.items()}
    folders = Counter(folder for path in files for folder in _folders(path))
    for step in steps:
        if (old := paths.pop(step.memory_id, None)) is not None:
            del files[old]
            folders.subtract(_folders(old))
        if step.path is None:
            continue
        if blocking_path := next((path for path in (step.path, *_folders(step.path)) if path in files), None):
            message = f"Another file has the path {quote(blocking_path)}"
        elif folders[step.path]:
            message = f"{quote(step.path)} is a folder with other files"
        else:
            paths[step.memory_id], files[step.path] = step.path, step.memory_id
            folders.update(_folders(step.path))
            continue
        hint = "Rename the file, or import into another domain."
        raise GraphError(Code.INVALID_SOURCE, message, {"hint": hint})


def _folders(path: str) -> list[str]:
    return [str(folder) for folder in PurePosixPath(path).parents]


async def _read_nodes(memory: Memory, type_name: str) -> Mapping[str, NodeDescription]:
    """Return the files' nodes by id. If the domain does not exist, there are none."""
    try:
        page = await memory.query_nodes(type=type_name)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return {}
    nodes = await memory.describe_nodes(page.node_ids) if page.node_ids else ()
    return {node.id: node for node in nodes if node.properties.get("is_folder") is not True}


async def _used_ids(memory: Memory, ids: list[str]) -> frozenset[str]:
    try:
        return await memory.history.used_ids(ids)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return frozenset()


async def _missing_steps(
    memory: Memory, node: NodeDescription, memory_steps: list[Step], notes: list[str]
) -> list[Step]:
    """Return the versions that a memory's file lacks. There are none if the file was changed in the domain."""
    content = await memory.get_node_content(node.id)
    state = (node.path, content.content if content.encoding == "utf-8" else None)
    if memory_steps and (memory_steps[-1].path, memory_steps[-1].content) == state:
        return []
    imported_id = (node.metadata or {}).get(_VERSION_KEY)
    number = next((number for number, step in enumerate(memory_steps, 1) if step.version_id == imported_id), 0)
    if number and (memory_steps[number - 1].path, memory_steps[number - 1].content) == state:
        return memory_steps[number:]
    notes.append(f"{node.path} was changed here, and is left as it is")
    return []


async def _replay(memory: Memory, type_name: str, step: Step, session: str, plan: _Plan) -> None:
    """Apply a version's change to its file. The log records the version's actor."""
    source = "user" if step.is_user else "agent"
    writer = memory.in_session(session).acting_as(step.actor, session, is_proven=step.actor is not None, source=source)
    if step.path is None:
        if step.memory_id in plan.metadata:
            await writer.delete_node(step.memory_id)
            del plan.metadata[step.memory_id]
        return
    metadata = {**plan.metadata.get(step.memory_id, {}), _VERSION_KEY: step.version_id}
    path, title = step.path, title_of(step.path)
    if step.memory_id in plan.metadata:
        await writer.update_node(step.memory_id, content=step.content, path=path, title=title, metadata=metadata)
    else:
        content_format = format_of(path)
        await writer.create_node(
            type_name, step.content, format=content_format, path=path, title=title, metadata=metadata, id=step.memory_id
        )
    plan.metadata[step.memory_id] = metadata
