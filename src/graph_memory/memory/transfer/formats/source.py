"""Recognises a source by its name: CSV, JSON Lines or GraphML files, a folder of them, or a Neo4j server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from graph_memory.memory.transfer.formats.csv_reading import read_csv
from graph_memory.memory.transfer.formats.graphml_reading import read_graphml
from graph_memory.memory.transfer.formats.jsonl import read_jsonl
from graph_memory.memory.transfer.formats.neo4j_reading import Neo4jSource, read_neo4j
from graph_memory.memory.transfer.formats.records import Item, Items, SourceOptions, UnreadableSource
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.foreign import is_server

READERS: dict[str, Callable[[Path, SourceOptions], Items]] = {
    ".csv": read_csv,
    ".jsonl": read_jsonl,
    ".graphml": read_graphml,
}
_HINT = (
    "Pass files that end in .csv, .jsonl or .graphml (optionally with .gz), a folder of such files, or the "
    "address of a Neo4j server, such as bolt://host:7687."
)
GivenSource = Path | str | Neo4jSource
"""A source as a caller specifies it: a file, a folder of files, a Neo4j server, or the address of a server."""


def sources_of(given_sources: Sequence[GivenSource]) -> list[Path | Neo4jSource]:
    """Return the servers and files to read, without duplicates. Replaces a folder with its files, sorted by name.

    Raises INVALID_ARGUMENT if no source is given, a folder contains no files that can be loaded, or a file extension is
    not a known format.
    """
    if not given_sources:
        raise invalid_argument("source", "No source was given", _HINT)
    sources: dict[Path | Neo4jSource, None] = {}
    for source in given_sources:
        if isinstance(source, Neo4jSource):
            sources[source] = None
        elif isinstance(source, str) and is_server(source):
            sources[Neo4jSource(source)] = None
        else:
            sources |= dict.fromkeys(_list_files(Path(source)))
    return list(sources)


def _list_files(source: Path) -> list[Path]:
    paths = (
        sorted(path for path in source.iterdir() if _format_suffix(path) in READERS) if source.is_dir() else [source]
    )
    if not paths:
        raise invalid_argument("source", f"The folder {source} contains no files that can be loaded", _HINT)
    if any(_format_suffix(path) not in READERS for path in paths):
        raise invalid_argument("source", f"The file extension of {source} is not a known format", _HINT)
    return paths


def items_of(sources: Sequence[Path | Neo4jSource], options: SourceOptions) -> Iterator[Item]:
    """Yield the records of sources, one source after the other. An unreadable file ends with an invalid record.

    Raises INVALID_ARGUMENT if a file cannot be opened. For a server, raises the errors of `read_neo4j`.
    """
    are_servers = all(isinstance(source, Neo4jSource) for source in sources)
    if (options.only_labels or options.only_types) and not are_servers:
        hint = "Omit them, or load from a Neo4j server."
        raise invalid_argument("only_labels", "--only-label and --only-type apply only to Neo4j servers", hint)
    for source in sources:
        if isinstance(source, Neo4jSource):
            yield from read_neo4j(source, options)
        else:
            try:
                yield from READERS[_format_suffix(source)](source, options)
            except UnreadableSource as error:
                yield error.invalid_record


def _format_suffix(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix
