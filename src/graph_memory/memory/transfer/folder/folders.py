"""Exports a domain's state as a folder of files that only the owner can read."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO
from urllib.parse import quote

import anyio.to_thread

from graph_memory.files import new_private_file, new_temporary_path
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import Revision, revision_of, seq_at
from graph_memory.memory.domains.relatives import check_past_is_kept
from graph_memory.memory.graph.ontology import ontology_from_events, types_at
from graph_memory.memory.transfer.archive.export import header_of, state_of
from graph_memory.memory.transfer.archive.writer import write_error
from graph_memory.memory.transfer.folder.folder_entries import domain_entry, link_entry
from graph_memory.memory.transfer.folder.folder_format import (
    ONTOLOGY,
    REGISTRY,
    connection_entry,
    node_entry,
    observation_entry,
)
from graph_memory.memory.transfer.results import FolderExportResult
from graph_memory.model.events import Event, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.yaml_io import to_yaml
from graph_memory.model.projection import live_state
from graph_memory.model.subjects.kinds import DATA, Kind
from graph_memory.model.subjects.links import LinkState
from graph_memory.model.subjects.subjects import ConnectionState, NodeState, ObservationState, content_ref
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import ContentRef
from graph_memory.progress import Progress
from graph_memory.storage.log.reads import STATES, SUBJECT_PAGE

PAGE = 500
"""Maximum number of subjects read at once."""
_FOLDERS = ("_system", "_content", "_content/nodes", "_content/connections")


async def export_folder(
    core: Core, domain: str, at: int | str | None, path: Path | str, progress: Progress
) -> FolderExportResult:
    """Write the state of a domain at a point in its log to a new folder. See `Transfer.export_folder`."""
    seq = await seq_at(core.store, domain, "at", at)
    header = await header_of(core, domain)
    revision = await revision_of(core.store, domain, seq)
    state = await state_of(core, revision.domain, revision.seq, header.state.created, None)
    async with new_folder(core, revision, Path(path)) as temporary_folder:
        ontology = ontology_from_events(await types_at(core.store, revision))
        counts = await _FolderWriter(core, revision, temporary_folder, progress).run(ontology, domain_entry(state))
    counts_by_kind = {f"{kind}s": count for kind, count in counts.items() if count or kind is not Kind.LINK}
    return FolderExportResult(domain=domain, seq=seq, **counts_by_kind)


@asynccontextmanager
async def new_folder(core: Core, revision: Revision, path: Path) -> AsyncGenerator[Path]:
    """Yield a temporary folder for the state at a revision. The folder gets its final name at the end.

    Raises INVALID_ARGUMENT if the folder exists and is not empty, FILE_CREATION_FAILED if it cannot be written, and
    HISTORY_COMPACTED if the state was removed during the export.
    """
    folder = await anyio.to_thread.run_sync(_check_new_folder, path)
    temporary_folder = new_temporary_path(folder)
    try:
        temporary_folder.mkdir(mode=0o700)
        yield temporary_folder
        await check_still_readable(core, revision)
        temporary_folder.replace(folder)
    except OSError as error:
        raise write_error(folder, error) from error
    finally:
        await anyio.to_thread.run_sync(lambda: shutil.rmtree(temporary_folder, ignore_errors=True))


async def check_still_readable(core: Core, revision: Revision) -> None:
    """Raise HISTORY_COMPACTED if the state at a revision was removed."""
    await revision_of(core.store, revision.domain, revision.seq)
    await check_past_is_kept(core.store, revision.domain)


def _check_new_folder(folder: Path) -> Path:
    """Return the absolute path of a missing or empty folder. Raises INVALID_ARGUMENT if it is neither."""
    path = folder.absolute()
    if path.name in ("", "..") or (folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))):
        hint = "Pass the name of a new folder, or of an empty one."
        raise invalid_argument("folder", f"{folder} exists and is not empty", hint)
    return path


class _FolderWriter:
    def __init__(self, core: Core, revision: Revision, folder: Path, progress: Progress) -> None:
        self._core = core
        self._revision = revision
        self._folder = folder
        self._progress = progress
        self._paths = Paths()

    async def run(self, ontology: Ontology, domain: dict[str, object]) -> dict[Kind, int]:
        """Write all files. Returns the number of subjects of each kind."""
        for name in _FOLDERS:
            (self._folder / name).mkdir(mode=0o700)
        self._write(ONTOLOGY, to_yaml(ontology).encode())
        counts: dict[Kind, int] = {}
        with new_private_file(self._folder / REGISTRY) as registry:
            registry.write(f'{{\n  "domain": {json.dumps(domain, ensure_ascii=False)},'.encode() if domain else b"{")
            for kind in DATA:
                registry.write(f'{"  }," if counts else ""}\n  "{kind}s": {{'.encode())
                counts[kind] = await self._write_entries(kind, registry)
                registry.write(b"\n")
            registry.write(b"  }\n}\n")
        return counts

    def _write(self, path: str, data: bytes) -> None:
        """Write a new file. Raises FILE_CREATION_FAILED if the path leads out of the folder."""
        target = self._folder / path
        if not target.resolve().is_relative_to(self._folder.resolve()):
            raise write_error(target, OSError(0, "it is not in the folder"))
        with new_private_file(target) as file:
            file.write(data)

    async def _write_entries(self, kind: Kind, registry: IO[bytes]) -> int:
        count = 0
        async for event, text in existing_subjects(self._core, self._revision, [kind], self._progress):
            ref = content_ref(event.draft.state or {})
            path = self._paths.of(f"{kind}s", event.draft.subject, ref) if ref is not None else ""
            if ref is not None:
                content = await self._core.contents.fetch(self._revision.domain, ref, text)
                await anyio.to_thread.run_sync(self._write, path, content.data)
            entry_json = json.dumps(_registry_entry(event, path), ensure_ascii=False)
            registry.write(f"{',' if count else ''}\n    {json.dumps(event.draft.subject)}: {entry_json}".encode())
            count += 1
        return count


async def existing_subjects(
    core: Core, revision: Revision, kinds: Collection[Kind], progress: Progress
) -> AsyncIterator[tuple[Event, str | None]]:
    """Yield the last event of each existing subject of these kinds at a revision, with its text if Neo4j stores it."""
    after = ""
    params = {"source": revision.domain, "at": revision.seq}
    while page := await core.store.read(SUBJECT_PAGE, after=after, limit=PAGE, **params):
        after = page[-1].subject
        seqs = [row.origin for row in page if row.kind in kinds and row.op != Op.DELETE]
        for row in await core.store.read(STATES, source=revision.domain, seqs=seqs) if seqs else ():
            yield Event.from_row(row.event), row.text
        progress(f"Exporting {' and '.join(f'{kind}s' for kind in kinds)}", None)


def _registry_entry(event: Event, content: str) -> dict[str, object]:
    draft = event.draft
    if draft.kind is Kind.NODE:
        return node_entry(NodeState.from_live(live_state(event)), content)
    if draft.kind is Kind.OBSERVATION:
        return observation_entry(draft.subject, draft.from_id or "", ObservationState.from_state(draft.state or {}))
    if draft.kind is Kind.LINK:
        return link_entry(draft.subject, draft.from_id or "", LinkState.from_state(draft.state or {}))
    connection = ConnectionState.from_live(live_state(event), draft.from_id or "", draft.to_id or "")
    return connection_entry(connection, content)


_EXTENSIONS = {"markdown": "md", "text": "txt", "plain": "txt", "jpeg": "jpg"}
_PLAIN_EXTENSION = re.compile(r"[a-z0-9]{1,10}")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_MAX_NAME_CHARACTERS = 200


class Paths:
    """Assigns each content a unique file name, even on file systems that ignore case. Repeated names get a number."""

    def __init__(self) -> None:
        self._used_paths: set[str] = set()

    def of(self, kind: str, subject: str, ref: ContentRef) -> str:
        """Return the path for the content of a node or connection."""
        extension = ref.format if _PLAIN_EXTENSION.fullmatch(str(ref.format)) else ("txt" if ref.is_text else "bin")
        name, ending = f"_content/{kind}/{_file_name(subject)}", _EXTENSIONS.get(ref.format, extension)
        path, number = f"{name}.{ending}", 1
        while path.lower() in self._used_paths:
            number += 1
            path = f"{name}~{number}.{ending}"
        self._used_paths.add(path.lower())
        return path


def _file_name(subject: str) -> str:
    """Return an id as a safe file name, which is neither a path nor a device name."""
    name = quote(subject, safe="@")
    if not name or name.startswith(".") or _DEVICE.fullmatch(name):
        name = f"%{ord(name[0]):02X}{name[1:]}" if name else "%"
    if len(name) > _MAX_NAME_CHARACTERS:
        return f"{name[:100]}~{hashlib.sha256(subject.encode()).hexdigest()}"
    return name
