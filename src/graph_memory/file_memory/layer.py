"""`FileMemory`: an agent's files, built with the public methods of `Memory`."""

from __future__ import annotations

import posixpath
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

from graph_memory.file_memory import lines
from graph_memory.file_memory.errors import already_exists, invalid_call, not_found
from graph_memory.file_memory.results import FileChangeResult, FileView, StoreExportResult, StoreImportResult
from graph_memory.file_memory.tree import (
    FILE_TYPE,
    ROOT,
    Entry,
    FileTree,
    format_of,
    format_size,
    parse_path,
    scope_of,
    title_of,
)
from graph_memory.layers import add_missing_types
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.ontology.ontology import NodeType, PropertyRule
from graph_memory.model.values.properties import PropertyType

if TYPE_CHECKING:
    from graph_memory.memory.sessions.past import PastMemory

R = TypeVar("R")

_IS_FOLDER = "is_folder"
FILE = NodeType(
    FILE_TYPE,
    "A file in the memory directory of an agent. Its path and its content are those of the node.",
    (PropertyRule(_IS_FOLDER, PropertyType.BOOLEAN, "True for the mark that keeps an empty folder."),),
)
_MISSING = "The path {path} does not exist. Please provide a valid path."
_NO_PATH = "The path {path} does not exist"


class FileMemory:
    """The files and folders under `/memories` in a domain. The first file adds the node type `MemoryFile`.

    A file is a node: its path is the node's path, and its text is the node's content. Search therefore finds files, and
    the log contains their changes, so they can be read as of any time and reverted. Replies are worded as in
    Anthropic's memory tool. Rejected calls raise `FileError`. Each change is one transaction, so concurrent changes of
    the same file are never lost.

    Folders are not stored, except empty ones: if a folder's last file is deleted or moved away, a node marks the
    folder. A folder's size is the total size of its files.
    """

    def __init__(self, memory: Memory, *, domain: str | None = None) -> None:
        self._memory = memory if domain is None else memory.in_domain(domain)

    async def view(
        self, path: str, view_range: Sequence[int] | None = None, *, at: int | str | None = None
    ) -> FileView:
        """Return a file with line numbers, or a list of a folder's files, up to two levels deep.

        `view_range` contains the first and last line number; -1 means the last line of the file. `at` is a time or a
        log position, as in `History.as_of`. Raises NODE_NOT_FOUND if the path does not exist, and INVALID_ARGUMENT if
        the path is invalid or the file has too many lines.
        """
        location = parse_path(path)
        source = self._memory if at is None else await self._memory.history.as_of(at)
        tree = await _read_tree(source, location if location == ROOT else scope_of(location))
        if tree.is_folder(location):
            return FileView(text=_render_folder(tree, path, location))
        file = tree.file(location)
        if file is None:
            raise not_found(_MISSING, path)
        text = await _text_of(source, file)
        return FileView(text=lines.number_lines(path, text, view_range), node_id=file.node_id, version=file.version)

    async def create(self, path: str, text: str) -> FileChangeResult:
        """Create a file, and its parent folders if needed.

        Raises NODE_ALREADY_EXISTS if the path exists, INVALID_ARGUMENT if it is invalid, and the errors of
        `create_node`.
        """
        location = parse_path(path)

        async def change(memory: Memory, tree: FileTree) -> FileChangeResult:
            _require_free(tree, location, path, "File {path} already exists")
            node = await memory.create_node(
                FILE_TYPE, text, format=format_of(location), path=location, title=title_of(location)
            )
            reply = f"File created successfully at: {path}"
            return FileChangeResult(text=reply, node_id=node.node_id, version=node.version)

        if location != ROOT:
            await add_missing_types(self._memory, FILE)
        return await self._write([location], change)

    async def str_replace(self, path: str, old: str, new: str) -> FileChangeResult:
        """Replace a string that occurs exactly once in a file.

        Raises NODE_NOT_FOUND if the file does not exist, and INVALID_ARGUMENT if the string does not occur exactly
        once.
        """
        return await self._edit(path, lambda text: lines.replace_text(path, text, old, new))

    async def insert(self, path: str, line: int, text: str) -> FileChangeResult:
        """Insert text after the line with this number; 0 means the beginning of the file.

        Raises NODE_NOT_FOUND if the file does not exist, and INVALID_ARGUMENT if it has no such line.
        """
        reply = f"The file {path} has been edited."
        return await self._edit(path, lambda before: (lines.insert_lines(before, line, text), reply))

    async def delete(self, path: str) -> FileChangeResult:
        """Delete a file, or a folder with its files.

        Raises NODE_NOT_FOUND if the path does not exist, and INVALID_ARGUMENT for `/memories` itself.
        """
        location = parse_path(path)

        async def change(memory: Memory, tree: FileTree) -> FileChangeResult:
            if location == ROOT:
                raise invalid_call("Cannot delete the /memories directory itself", "Delete the files in it.")
            if not tree.exists(location):
                raise not_found(_NO_PATH, path)
            entries = tree.within(location)
            await _delete(memory, entries)
            await _mark_if_empty(memory, tree, posixpath.dirname(location), entries)
            return FileChangeResult(text=f"Successfully deleted {path}")

        return await self._write([location], change)

    async def rename(self, old_path: str, new_path: str) -> FileChangeResult:
        """Rename or move a file, or a folder with its files, in one write.

        Raises NODE_NOT_FOUND if the old path does not exist, NODE_ALREADY_EXISTS if the new one does, and
        INVALID_ARGUMENT if a folder would be moved into itself or a path is invalid.
        """
        old_location, new_location = parse_path(old_path, "old_path"), parse_path(new_path, "new_path")

        async def change(memory: Memory, tree: FileTree) -> FileChangeResult:
            if old_location == ROOT:
                raise invalid_call("Cannot rename the /memories directory itself", "Rename the files in it.")
            _require_free(tree, new_location, new_path, "The destination {path} already exists")
            if not tree.exists(old_location):
                raise not_found(_NO_PATH, old_path)
            if new_location.startswith(f"{old_location}/"):
                hint = "Choose a destination outside of it."
                raise invalid_call("{path} cannot be moved into itself", hint, path=old_path)
            entries = tree.within(old_location)
            paths = [parse_path(new_location + entry.path.removeprefix(old_location), "new_path") for entry in entries]
            for entry, moved in zip(entries, paths, strict=True):
                await memory.update_node(entry.node_id, path=moved, title=title_of(moved))
            await _mark_if_empty(memory, tree, posixpath.dirname(old_location), entries, paths)
            return FileChangeResult(text=f"Successfully renamed {old_path} to {new_path}")

        return await self._write([old_location, new_location], change)

    async def clear(self) -> FileChangeResult:
        """Delete all files and folders under `/memories`, and no other nodes of the domain."""

        async def change(memory: Memory, tree: FileTree) -> FileChangeResult:
            await _delete(memory, tree.entries)
            return FileChangeResult(text="All memory cleared")

        return await self._write([ROOT], change)

    async def export_store(self, target: Path | str | IO[bytes]) -> StoreExportResult:
        """Write the files and all their versions as JSON, with the fields of Anthropic's memory stores.

        A target whose name ends in `.gz` is compressed. The path of a memory is the file's path without `/memories`.
        Raises INVALID_ARGUMENT for binary files, for files over 102,400 bytes, and for paths that a memory cannot have.
        Also raises ONTOLOGY_NOT_FOUND if the domain does not exist, HISTORY_COMPACTED if the log is compacted during
        the export, and FILE_CREATION_FAILED if the target cannot be written.
        """
        from graph_memory.file_memory.store_transfer import export_store

        return await export_store(self._memory, FILE_TYPE, Path(target) if isinstance(target, str) else target)

    async def import_store(self, source: Path | str, *, dry_run: bool = False) -> StoreImportResult:
        """Import those versions of a memory store that the domain lacks. The log records each version's actor.

        `source` is a file written by `export_store`, or a file with memories and versions from the API. The memories'
        ids become node ids. Files that were changed or deleted in the domain after the last import stay unchanged. The
        events have the time of the import. With `dry_run`, nothing is written. Raises INVALID_SOURCE if a record is
        invalid, or if another file already has a memory's path.
        """
        from graph_memory.file_memory.store_transfer import import_store

        return await import_store(self._memory, FILE, Path(source), dry_run=dry_run)

    async def _edit(self, path: str, edit: Callable[[str], tuple[str, str]]) -> FileChangeResult:
        """Replace the text of a file. `edit` takes the text, and returns the new text and the reply."""
        location = parse_path(path)

        async def change(memory: Memory, tree: FileTree) -> FileChangeResult:
            if tree.is_folder(location):
                raise invalid_call("The path {path} is not a file.", "Pass the path of a file.", path=path)
            file = tree.file(location)
            if file is None:
                raise not_found(_MISSING, path)
            text, reply = edit(await _text_of(memory, file))
            changed = await memory.set_node_content(file.node_id, text)
            return FileChangeResult(text=reply, node_id=file.node_id, version=changed.version)

        return await self._write([location], change)

    async def _write(self, locations: Sequence[str], change: Callable[[Memory, FileTree], Awaitable[R]]) -> R:
        """Make a change in a transaction. If the domain does not exist, `change` receives an empty tree."""
        scope = ROOT if ROOT in locations else posixpath.commonprefix([*map(scope_of, locations)])
        try:
            async with self._memory.transaction() as memory:
                return await change(memory, await _read_tree(memory, scope))
        except GraphError as error:
            if error.code is not Code.ONTOLOGY_NOT_FOUND:
                raise
        return await change(self._memory, FileTree(()))


async def _read_tree(source: Memory | PastMemory, prefix: str) -> FileTree:
    page = await source.query_nodes(type=FILE_TYPE, path_prefix=prefix)
    nodes = await source.describe_nodes(page.node_ids) if page.node_ids else ()
    return FileTree(
        Entry(node.id, node.path or "/", node.version, node.content_size, node.properties.get(_IS_FOLDER) is True)
        for node in nodes
    )


async def _text_of(source: Memory | PastMemory, file: Entry) -> str:
    """Return a file's text. Raises INVALID_ARGUMENT if its content was replaced by binary data."""
    content = await source.get_node_content(file.node_id)
    if content.encoding != "utf-8":
        hint = Hint("Read its content with {get_node_content}.")
        raise invalid_call("The file {path} is not text", hint, path=file.path)
    return content.content


async def _delete(memory: Memory, entries: Sequence[Entry]) -> None:
    for entry in entries:
        await memory.delete_node(entry.node_id)


async def _mark_if_empty(
    memory: Memory, tree: FileTree, folder: str, removed: Sequence[Entry], added: Sequence[str] = ()
) -> None:
    """If a folder's last entries are deleted or moved away, create a node that marks it, so that the folder remains."""
    if tree.needs_mark(folder, removed, added):
        properties = {_IS_FOLDER: True}
        await memory.create_node(
            FILE_TYPE, "", format="text", path=folder, title=title_of(folder), properties=properties
        )


def _require_free(tree: FileTree, location: str, path: str, template: str) -> None:
    if tree.exists(location):
        raise already_exists(template, path)
    if (file := tree.file_above(location)) is not None:
        hint = "Choose a path in a folder."
        raise invalid_call("{file} is a file, so {path} cannot be in it", hint, file=file, path=path)


def _render_folder(tree: FileTree, path: str, location: str) -> str:
    rows = [f"{format_size(tree.size_of(location))}\t{path}"]
    rows += [f"{format_size(size)}\t{path}/{name}" for name, size in tree.list_folder(location)]
    header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    return "\n".join([header, *rows])
