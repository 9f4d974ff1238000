"""What a source is, by its name: files of CSV, JSON Lines or GraphML, or a folder of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from graph_memory.memory.transfer.formats.csv_reading import read_csv
from graph_memory.memory.transfer.formats.graphml_reading import read_graphml
from graph_memory.memory.transfer.formats.jsonl import read_jsonl
from graph_memory.memory.transfer.formats.records import Item, Items, SourceOptions
from graph_memory.model.arguments import fault

READERS: dict[str, Callable[[Path, SourceOptions], Items]] = {
    ".csv": read_csv,
    ".jsonl": read_jsonl,
    ".graphml": read_graphml,
}
_HINT = "Give files that end in .csv, .jsonl or .graphml, also with .gz after that, or a folder of them."


def files_of(sources: Sequence[Path | str]) -> list[Path]:
    """Return the files that sources name, those of a folder in the order of their names. Raises INVALID_ARGUMENT."""
    if not sources:
        raise fault("source", "There is no source", _HINT)
    found: dict[Path, None] = {}
    for source in map(Path, sources):
        inside = sorted(path for path in source.iterdir() if _ending(path) in READERS) if source.is_dir() else [source]
        if not inside:
            raise fault("source", f"The folder {source} has no files that can be loaded", _HINT)
        for path in inside:
            if _ending(path) not in READERS:
                raise fault("source", f"The name of {path} does not say what it is", _HINT)
            found[path] = None
    return list(found)


def items_of(files: Sequence[Path], options: SourceOptions) -> Iterator[Item]:
    """Yield what is in files, one after the other. Raises INVALID_ARGUMENT for one that cannot be opened."""
    for path in files:
        yield from READERS[_ending(path)](path, options)


def _ending(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix
