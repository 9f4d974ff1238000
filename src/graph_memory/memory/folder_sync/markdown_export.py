"""Exports the entities of a domain as a folder of Markdown notes."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import IO

import anyio.to_thread

from graph_memory.files import new_private_file
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import revision_of, seq_at
from graph_memory.memory.folder_sync.folder_ends import FolderEnds, link_names_of
from graph_memory.memory.folder_sync.note_paths import PathChooser
from graph_memory.memory.folder_sync.note_rendering import Renderer
from graph_memory.memory.folder_sync.snapshot import Snapshot, read_snapshot
from graph_memory.memory.transfer.archive.export import header_of
from graph_memory.memory.transfer.folder.folders import new_folder
from graph_memory.memory.transfer.results import GraphExportResult
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress


async def export_markdown(
    core: Core, domain: str, at: int | str | None, target: Path | str | IO[bytes], progress: Progress
) -> GraphExportResult:
    """Write a note for each entity. See `Transfer.export_graph`."""
    if not isinstance(target, (Path, str)):
        raise invalid_argument("target", "The format markdown writes a folder of notes", "Pass the name of a folder.")
    seq = await seq_at(core.store, domain, "at", at)
    await header_of(core, domain)
    snapshot = await read_snapshot(core, domain, seq, progress)
    if snapshot.left_out:
        name = quote(min(snapshot.left_out.values()))
        hint = "Shorten it, or use the format log or folder."
        raise invalid_argument("format", f"The description of {name} is binary or too large for a note", hint)
    texts = await anyio.to_thread.run_sync(render_notes, snapshot)
    async with new_folder(core, await revision_of(core.store, domain, seq), Path(target)) as temporary_folder:
        await anyio.to_thread.run_sync(_write_all, temporary_folder, texts)
    relations = sum(len(note.relations) for note in snapshot.notes.values())
    return GraphExportResult(domain=domain, seq=seq, format="markdown", nodes=len(texts), connections=relations)


def render_notes(snapshot: Snapshot) -> dict[PurePosixPath, str]:
    """Return the texts of the entities' notes by path. Raises INVALID_ARGUMENT if an entity cannot be a note."""
    chooser = PathChooser(())
    by_name = sorted(snapshot.notes.items(), key=lambda item: item[1].name)
    stored_paths_first = sorted(by_name, key=lambda item: item[0] not in snapshot.paths)
    paths = {subject: chooser.choose(note.name, snapshot.paths.get(subject)) for subject, note in stored_paths_first}
    names = {subject: note.name for subject, note in by_name}
    ends = FolderEnds.of(((link_names_of(note, paths[subject]), subject) for subject, note in by_name), names)
    renderer = Renderer(ends)
    return {paths[subject]: renderer.render(note, paths[subject]) for subject, note in by_name}


def _write_all(folder: Path, texts: dict[PurePosixPath, str]) -> None:
    for path, text in texts.items():
        target = folder / path
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with new_private_file(target) as file:
            file.write(text.encode())
