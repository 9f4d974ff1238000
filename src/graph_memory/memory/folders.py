"""A domain as a folder of files: its present state written out, and a new domain made of such a folder."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import anyio
import anyio.to_thread

from graph_memory.memory import connections, nodes, types
from graph_memory.memory.archives import Tell, unwritten
from graph_memory.memory.branch import PAGE_OF, STATES
from graph_memory.memory.contents import content_of
from graph_memory.memory.core import Core
from graph_memory.memory.export import ARCHIVE_HEAD, header_of
from graph_memory.memory.family import check_past_is_kept
from graph_memory.memory.lineage import Place, place_of
from graph_memory.memory.together import together
from graph_memory.memory.types import logged_ontology, types_at
from graph_memory.memory.validity import ValidityEdit, set_validity
from graph_memory.model.arguments import fault
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Event, Op
from graph_memory.model.folder import (
    ONTOLOGY,
    REGISTRY,
    Entry,
    Paths,
    connection_entry,
    entries_of,
    node_entry,
    wrong,
)
from graph_memory.model.moved import FolderExported, FolderImported
from graph_memory.model.ontology import Ontology
from graph_memory.model.ontology_yaml import parse, to_yaml
from graph_memory.model.projection import live_state
from graph_memory.model.subjects import ConnectionState, Kind, NodeState, content_ref
from graph_memory.storage import jobs

PAGE = 500
"""Subjects that are read together."""
TOGETHER = 64
"""Creations that are asked for at once; those that wait for the same log are written together."""


async def export_folder(core: Core, domain: str, seq: int, folder: Path, tell: Tell) -> FolderExported:
    """Write what was in a domain after a number of its log into a new folder. `Moving.export_folder` tells the rest."""
    if not await anyio.to_thread.run_sync(_is_free, folder):
        hint = "Give the name of a folder that is not there yet, or is empty."
        raise fault("folder", f"{folder} is there and is not empty", hint)
    await header_of(core, domain)
    place = await place_of(core.store, domain, seq)
    part = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    try:
        counts = await _Writing(core, place, part, tell).run(logged_ontology(await types_at(core.store, place)))
        await place_of(core.store, domain, seq)
        await check_past_is_kept(core.store, place.domain)
        part.replace(folder)
    except OSError as error:
        raise unwritten(folder, error) from error
    finally:
        await anyio.to_thread.run_sync(lambda: shutil.rmtree(part, ignore_errors=True))
    return FolderExported(domain=domain, seq=seq, nodes=counts[0], connections=counts[1])


def _is_free(folder: Path) -> bool:
    return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


class _Writing:
    """Writes a domain as it was at a place of its line."""

    def __init__(self, core: Core, place: Place, folder: Path, tell: Tell) -> None:
        self._core = core
        self._domain = place.domain
        self._seq = place.seq
        self._folder = folder
        self._tell = tell
        self._paths = Paths()

    async def run(self, ontology: Ontology) -> tuple[int, int]:
        """Write all files, and return how many nodes and connections there are."""
        for inner in ("_system", "_content/nodes", "_content/connections"):
            (self._folder / inner).mkdir(parents=True)
        (self._folder / ONTOLOGY).write_text(to_yaml(ontology), encoding="utf-8")
        with (self._folder / REGISTRY).open("w", encoding="utf-8") as registry:
            registry.write('{\n  "nodes": {')
            of_nodes = await self._entries(Kind.NODE, registry.write)
            registry.write('\n  },\n  "connections": {')
            of_connections = await self._entries(Kind.CONNECTION, registry.write)
            registry.write("\n  }\n}\n")
        return of_nodes, of_connections

    async def _entries(self, kind: Kind, write: Callable[[str], int]) -> int:
        count = 0
        async for event, text in self._living(kind):
            ref = content_ref(event.draft.state or {})
            path = self._paths.of(f"{kind}s", event.draft.subject, ref) if ref is not None else ""
            if ref is not None:
                content = await self._core.contents.fetch(self._domain, ref, text)
                await anyio.to_thread.run_sync((self._folder / path).write_bytes, content.data)
            written = json.dumps(_entry(event, path), ensure_ascii=False)
            write(f"{',' if count else ''}\n    {json.dumps(event.draft.subject)}: {written}")
            count += 1
        return count

    async def _living(self, kind: Kind) -> AsyncIterator[tuple[Event, str | None]]:
        """Yield the last event of each subject of a kind that lives, and its text where Neo4j keeps it."""
        after = ""
        place = {"source": self._domain, "at": self._seq}
        while page := await self._core.store.read(PAGE_OF, after=after, limit=PAGE, **place):
            after = page[-1].subject
            seqs = [row.origin for row in page if row.kind == kind and row.op != Op.DELETE]
            for row in await self._core.store.read(STATES, source=self._domain, seqs=seqs) if seqs else ():
                yield Event.from_row(row.event), row.text
            self._tell(f"Exporting {kind}s", None)


def _entry(event: Event, content: str) -> dict[str, object]:
    draft = event.draft
    if draft.kind is Kind.NODE:
        return node_entry(NodeState.from_live(live_state(event)), content)
    connection = ConnectionState.from_live(live_state(event), draft.from_id or "", draft.to_id or "")
    return connection_entry(connection, content)


async def import_folder(core: Core, domain: str, folder: Path, tell: Tell) -> FolderImported:
    """Make a domain of a folder. `Moving.import_folder` tells the rest."""
    if await core.store.one(ARCHIVE_HEAD, domain=domain) is not None:
        raise jobs.exists(domain)
    ontology = parse(_text(folder, ONTOLOGY), ONTOLOGY)
    try:
        registry = json.loads(_text(folder, REGISTRY))
    except ValueError as error:
        raise wrong(REGISTRY, f"is not JSON: {error}") from error
    of_nodes, of_connections = entries_of(registry, ontology)
    for entry in (*of_nodes, *of_connections):
        _check_file(folder, entry)

    async def create_node(entry: Entry) -> None:
        await nodes.create_node(
            core,
            domain,
            entry.type,
            folder / (entry.file or ""),
            encoding=entry.encoding,
            content_format=entry.format,
            properties=entry.properties,
            tags=entry.tags,
            path=entry.path,
            given_id=entry.id,
        )
        await _set_validity(core, domain, entry)

    async def create_connection(entry: Entry) -> None:
        content = await content_of(folder / entry.file, "utf-8", entry.format) if entry.file is not None else None
        given = {"properties": entry.properties, "content": content and content.text, "given_id": entry.id}
        await connections.create_connection(core, domain, entry.type, *(entry.ends or ("", "")), **given)  # pyright: ignore
        await _set_validity(core, domain, entry)

    await types.apply_ontology(core, domain, ontology)
    await _each(of_nodes, create_node, lambda done: tell("Importing nodes", done))
    await _each(of_connections, create_connection, lambda done: tell("Importing connections", done))
    return FolderImported(domain=domain, nodes=len(of_nodes), connections=len(of_connections))


def _check_file(folder: Path, entry: Entry) -> None:
    if entry.file is None:
        return
    file = folder / entry.file
    if not file.is_file():
        raise wrong(entry.id, f"has its content in {entry.file}, which is not there")
    if not file.resolve().is_relative_to(folder.resolve()):
        raise wrong(entry.id, f"has its content outside of the folder: {entry.file} leads there")


async def _set_validity(core: Core, domain: str, entry: Entry) -> None:
    if entry.valid_from or entry.valid_to:
        edit = ValidityEdit(valid_from=entry.valid_from, valid_to=entry.valid_to, expected_version=None)
        await set_validity(core, domain, entry.id, edit)


async def _each(
    entries: Sequence[Entry], create: Callable[[Entry], Awaitable[None]], tell: Callable[[float], None]
) -> None:
    """Create entries, some at a time, so that they are written together."""

    async def one(entry: Entry) -> None:
        try:
            await create(entry)
        except GraphError as error:
            details = {**error.details, "subject": entry.id}
            raise GraphError(error.code, f"{entry.id}: {error.message}", details) from error

    for start in range(0, len(entries), TOGETHER):
        async with together() as tasks:
            for entry in entries[start : start + TOGETHER]:
                tasks.start_soon(one, entry)
        tell(min(1.0, (start + TOGETHER) / len(entries)))


def _text(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise wrong(name, f"cannot be read: {error}") from error
