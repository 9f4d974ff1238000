"""Records which statements are used, and runs them in advance, so that callers do not wait for Neo4j's planner.

Neo4j plans a statement on its first use after a start or a schema change, which takes up to a second. EXPLAIN skips
half of that work (docs/decisions/0034). Each statement therefore runs in a transaction that is rolled back, for a
domain that does not exist, with parameters of the usual types and sizes. The file contains the names of statements,
never Cypher, and the types and sizes of parameters, not their values.
"""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, cast

from graph_memory.files import make_private_folder, write_private
from graph_memory.model.values.arguments import is_encodable
from graph_memory.storage.queries import Query, QueryFileError, assemble

MAX_STATEMENTS = 400
MAX_DEPTH = 8
MAX_ITEMS = 1_000
"""Maximum length of a list in the sample of a parameter."""
MAX_CHARACTERS = 1_000
MAX_KEYS = 100
MAX_VALUES = 20_000
"""Maximum number of values in a rehearsed statement's parameters."""
MAX_BYTES = 4 << 20
"""Maximum number of bytes read from the file of samples."""
_NUMBERS: Mapping[type, object] = {int: 1, float: 0.5}
_WORD = re.compile(r"\w+")
RARE = frozenset({"drift", "retention", "transfer", "verify"})
"""Folders of statements that are rarely used and may read the whole graph."""
FILLER = "_rehearsed"
"""The text of all rehearsed strings. They may become label or property names, which Neo4j keeps after a rollback."""
_log = logging.getLogger(__name__)


class StatementSamples:
    """The statements that processes of a home folder have used, with samples of their parameters."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._samples: dict[tuple[str, ...], dict[str, object]] = {}
        self._is_changed = False

    def record(self, query: Query[Any], params: Mapping[str, object]) -> None:
        """Record a sample of the statement's parameters, unless it already has a sample or is in `RARE`."""
        if self._path is None or query.parts in self._samples or len(self._samples) >= MAX_STATEMENTS:
            return
        if query.name.partition("/")[0] in RARE:
            return
        self._samples[query.parts] = {name: make_sample(value, query.text) for name, value in params.items()}
        self._is_changed = True

    def load(self) -> None:
        """Load the samples from the file. A missing or damaged file counts as empty."""
        if self._path is None:
            return
        try:
            with self._path.open("rb") as file:
                rows = cast("list[dict[str, Any]]", json.loads(file.read(MAX_BYTES)))
            self._samples = {tuple(map(str, row["statement"])): dict(row["params"]) for row in rows[:MAX_STATEMENTS]}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            _log.info("no statements to rehearse: %s", type(error).__name__)

    def save(self) -> None:
        """Write the samples to the file if statements were added since `load`. Errors are only logged."""
        if self._path is None or not self._is_changed:
            return
        rows = [{"statement": parts, "params": params} for parts, params in self._samples.items()]
        try:
            make_private_folder(self._path.parent)
            write_private(self._path, json.dumps(rows))
        except OSError as error:  # without the file, the next process only starts more slowly
            _log.info("statements to rehearse were not written: %s", type(error).__name__)

    def statements(self) -> list[tuple[Query[Any], dict[str, object]]]:
        """Return the recorded statements that still exist, with parameters built from their samples."""
        results: list[tuple[Query[Any], dict[str, object]]] = []
        for parts, params in self._samples.items():
            try:
                query = assemble(parts)
            except QueryFileError:  # the statement is from another version of graph-memory
                continue
            if query.params == params.keys():
                values = Values()
                results.append((query, {name: values.value_of(sample) for name, sample in params.items()}))
        return results


def make_sample(value: object, text: str, depth: int = 0) -> object:
    """Return a sample of a parameter's value: its types and sizes, on which a plan depends.

    `text` is the statement's text. Keys that do not occur in it are replaced, because they may be users' property
    names.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str | bytes):
        return {"type": "text" if isinstance(value, str) else "bytes", "size": min(len(value), MAX_CHARACTERS)}
    if isinstance(value, int | float):
        return 1 if isinstance(value, int) else 0.5
    if isinstance(value, Mapping) and depth < MAX_DEPTH:
        items = enumerate(cast("Mapping[str, object]", value).items())
        words = set(_WORD.findall(text))
        keys = ((name if name in words else f"{FILLER}{number}", item) for number, (name, item) in items)
        return {
            "type": "map",
            "items": {key: make_sample(item, text, depth + 1) for key, item in islice(keys, MAX_KEYS)},
        }
    if isinstance(value, list | tuple) and depth < MAX_DEPTH:
        items = cast("list[object]", value)
        first = make_sample(items[0], text, depth + 1) if items else None
        return {"type": "list", "size": min(len(items), MAX_ITEMS), "item": first}
    return {"type": "time"} if isinstance(value, datetime) else None


class Values:
    """Builds a statement's parameter values from their samples, with at most `MAX_VALUES` values in total."""

    def __init__(self) -> None:
        self._remaining_values = MAX_VALUES

    def value_of(self, sample: object, depth: int = 0) -> object:
        """Return a value with the sample's types and sizes, or None if the sample is invalid."""
        self._remaining_values -= 1
        if not isinstance(sample, Mapping):
            return sample if isinstance(sample, bool) else _NUMBERS.get(type(sample))
        fields = cast("Mapping[str, Any]", sample)
        size = fields.get("size")
        size = min(size, MAX_ITEMS) if isinstance(size, int) and size >= 0 else 0
        match fields.get("type"):
            case "text":
                return _filler_text(size)
            case "bytes":
                return bytes(size)
            case "time":
                return datetime.now(UTC)
            case "list" if depth < MAX_DEPTH:
                return [self.value_of(fields.get("item"), depth + 1) for _ in range(size) if self._remaining_values > 0]
            case "map" if depth < MAX_DEPTH and isinstance(items := fields.get("items"), Mapping):
                keys = islice(cast("Mapping[str, object]", items).items(), MAX_KEYS)
                return {name: self.value_of(item, depth + 1) for name, item in keys if is_encodable(name)}
            case _:
                return None


def _filler_text(size: int) -> str:
    """Return filler text of at least this size. Neo4j reuses a plan for texts up to the next power of ten."""
    repeats = 10 ** max(0, math.ceil(math.log10(size)) - 1) if size > 1 else 1
    return FILLER * repeats if size else ""
