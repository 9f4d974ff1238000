"""Recognition of a source by its name: files of CSV, JSON Lines or GraphML, a folder of them, or a Neo4j server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from graph_memory.memory.transfer.formats.csv_reading import read_csv
from graph_memory.memory.transfer.formats.graphml_reading import read_graphml
from graph_memory.memory.transfer.formats.jsonl import read_jsonl
from graph_memory.memory.transfer.formats.neo4j_reading import Neo4jSource, read_neo4j
from graph_memory.memory.transfer.formats.records import Item, Items, SourceOptions
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.foreign import is_server

READERS: dict[str, Callable[[Path, SourceOptions], Items]] = {
    ".csv": read_csv,
    ".jsonl": read_jsonl,
    ".graphml": read_graphml,
}
_HINT = (
    "Pass files that end in .csv, .jsonl or .graphml, also with .gz after that, or a folder of them; or the "
    "address of a Neo4j server, such as bolt://host:7687."
)
GivenSource = Path | str | Neo4jSource
"""A file, a folder of files, a Neo4j server, or the address of one."""


def sources_of(values: Sequence[GivenSource]) -> list[Path | Neo4jSource]:
    """Return the servers and files that a caller named. The files of a folder are in the order of their names.

    Raises INVALID_ARGUMENT.
    """
    if not values:
        raise invalid_argument("source", "No source was given", _HINT)
    sources: dict[Path | Neo4jSource, None] = {}
    for source in values:
        if isinstance(source, Neo4jSource):
            sources[source] = None
        elif isinstance(source, str) and is_server(source):
            sources[Neo4jSource(source)] = None
        else:
            sources |= dict.fromkeys(_files(Path(source)))
    return list(sources)


def _files(source: Path) -> list[Path]:
    paths = sorted(path for path in source.iterdir() if _ending(path) in READERS) if source.is_dir() else [source]
    if not paths:
        raise invalid_argument("source", f"The folder {source} has no files that can be loaded", _HINT)
    if any(_ending(path) not in READERS for path in paths):
        raise invalid_argument("source", f"The name of {source} does not show its format", _HINT)
    return paths


def items_of(sources: Sequence[Path | Neo4jSource], options: SourceOptions) -> Iterator[Item]:
    """Yield the records of sources, one after the other. Raises INVALID_ARGUMENT for a file that cannot be opened.

    Raises the errors of `read_neo4j` for a server.
    """
    are_servers = all(isinstance(source, Neo4jSource) for source in sources)
    if (options.only_labels or options.only_types) and not are_servers:
        hint = "Leave --only-label and --only-type out, or load from a Neo4j server."
        raise invalid_argument(
            "only_labels", "Only records of a Neo4j server can be selected by labels and types", hint
        )
    for source in sources:
        if isinstance(source, Neo4jSource):
            yield from read_neo4j(source, options)
        else:
            yield from READERS[_ending(source)](source, options)


def _ending(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix
