"""Recognises the program whose memory a file, a folder or a server contains, and selects the reader for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from graph_memory.memory.transfer.formats.files import open_source
from graph_memory.memory.transfer.formats.memories import anthropic, graphs
from graph_memory.memory.transfer.formats.memories.json_lines import Object, as_object, first_line, read_json_file
from graph_memory.memory.transfer.formats.memories.mem0 import read_mem0
from graph_memory.memory.transfer.formats.memories.mnemograph import DATABASE, EVENTS, SQLITE, read_mnemograph
from graph_memory.memory.transfer.formats.memories.note_files import is_vault
from graph_memory.memory.transfer.formats.memories.official import read_official
from graph_memory.memory.transfer.formats.memories.rows import Rows, Source
from graph_memory.memory.transfer.formats.neo4j_reading import Neo4jSource
from graph_memory.memory.transfer.formats.records import InvalidSourceValue, UnreadableSource
from graph_memory.memory.transfer.results import MEMORIES, MemoryFormat
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.foreign import is_server


def _read_markdown(path: Path) -> Rows:
    from graph_memory.memory.transfer.formats.memories.markdown import read_markdown  # its parser takes time to import

    return read_markdown(path)


_FILE_READERS: Mapping[MemoryFormat, Callable[..., Rows]] = {
    "official": read_official,
    "mnemograph": read_mnemograph,
    "mcp-neo4j-memory": read_official,
    "markdown": _read_markdown,
    "mem0": read_mem0,
    "claude-memories": anthropic.read_claude_memories,
    "memory-tool": anthropic.read_memory_folder,
}
_DIVIDED_FORMATS: frozenset[MemoryFormat] = frozenset({"claude-memories"})
"""The formats whose readers divide a text into several observations.

These readers take a function that cleans the text.
"""
_SERVER_READERS: Mapping[MemoryFormat, Callable[[Neo4jSource], Rows]] = {
    "mcp-neo4j-memory": graphs.read_mcp_neo4j_memory,
    "neo4j-agent-memory": graphs.read_neo4j_agent_memory,
}
INSTRUCTIONS = frozenset({"claude.md", "claude.local.md", "agents.md", "gemini.md"})
"""Names of the files in which users write instructions for agents."""
_HINT = f"Set --format to the program: {', '.join(MEMORIES)}."


def check_format(form: str | None) -> None:
    """Raise INVALID_ARGUMENT if the format is unknown. None is valid."""
    if form is not None and form not in MEMORIES:
        raise invalid_argument("format", f"{quote(form)} is not a memory format", f"Use one of {', '.join(MEMORIES)}.")


def rows_of(source: Source, form: MemoryFormat, clean: Callable[[str], str] = str) -> Rows:
    """Yield the rows of a memory. Raises INVALID_ARGUMENT if a source of this kind cannot have this format.

    `clean` is applied to texts that are divided into several rows, because a secret in them can have several lines.
    """
    readers = _SERVER_READERS if isinstance(source, Neo4jSource) else _FILE_READERS
    if form not in readers:
        place = "files" if isinstance(source, Neo4jSource) else "the address of a Neo4j server, as bolt://host:7687"
        raise invalid_argument("source", f"{printable(source)} cannot be a memory of {form}", f"Pass {place}.")
    arguments = (source, clean) if form in _DIVIDED_FORMATS else (source,)
    return cast("Rows", readers[form](*arguments))  # type: ignore[operator]


def recognise_format(source: Source) -> MemoryFormat:
    """Recognise the format of another program's memory by its contents.

    Raises INVALID_ARGUMENT if the contents match no known format.
    """
    if isinstance(source, Neo4jSource):
        format_ = _in_server(source)
    elif source.is_dir():
        format_ = _in_folder(source)
    else:
        format_ = _in_file(source)
    if format_ is None:
        raise invalid_argument(
            "source", f"{printable(source)} is not recognised as the memory of a known program", _HINT
        )
    return format_


def is_memory(source: str) -> bool:
    """Return whether a file, a folder or an address seems to contain another program's memory.

    Reads only the beginning of a file.
    """
    path = Path(source)
    return is_server(source) or (_in_folder(path) if path.is_dir() else _in_file(path)) is not None


def _in_server(source: Neo4jSource) -> MemoryFormat | None:
    labels = graphs.labels_in(source)
    if graphs.MEMORY in labels and not labels & {graphs.AGENT_ENTITY, graphs.FACT}:
        return "mcp-neo4j-memory"
    return "neo4j-agent-memory" if labels and graphs.MEMORY not in labels else None


def _in_folder(folder: Path) -> MemoryFormat | None:
    if (folder / "_system").is_dir():
        return None  # our own export
    if (folder / DATABASE).is_file() or (folder / EVENTS).is_file():
        return "mnemograph"
    if folder.resolve().name == anthropic.FOLDER and not is_vault(folder):
        return "memory-tool"
    return "markdown" if next(folder.rglob("*.[mM][dD]"), None) else None


def _in_file(file: Path) -> MemoryFormat | None:
    name = file.name.lower().removesuffix(".gz")
    if name in INSTRUCTIONS:
        return "instructions"
    if name.endswith(".md"):
        return "markdown"
    try:
        with open_source(file) as stream:
            if stream.read(len(SQLITE)) == SQLITE:
                return "mnemograph"
        line = first_line(file)
        try:
            return _by_object(as_object(line))
        except InvalidSourceValue:
            return _by_object(read_json_file(file)) if line.lstrip()[:1] in (b"{", b"[") else None
    except UnreadableSource:
        return None


def _by_object(data: object) -> MemoryFormat | None:
    if isinstance(data, list):
        entries = cast("list[object]", data)
        return _by_object(cast("Object", entries[0])) if entries and isinstance(entries[0], dict) else None
    if not isinstance(data, dict):
        return None
    object_ = cast("Object", data)
    if object_.get("type") in ("entity", "relation"):
        return "official"
    if {"op", "ts", "data"} <= set(object_):
        return "mnemograph"
    if "entities" in object_:
        entries = cast("list[object]", object_["entities"]) if isinstance(object_["entities"], list) else []
        is_typed = any(isinstance(entry, dict) and "type" in entry for entry in entries)
        return "mcp-neo4j-memory" if is_typed else "official"
    if {anthropic.CONVERSATIONS, anthropic.PROJECTS} & set(object_):
        return "claude-memories"
    return "mem0" if {"memory", "results", "memories"} & set(object_) else None
