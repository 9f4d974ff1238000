"""Merges the rows of another program's memory: each entity, relation and observation occurs once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from graph_memory.memory.transfer.formats.memories.rows import EntityRow, ObservationRow, RelationRow, Row
from graph_memory.memory.transfer.formats.records import InvalidRecord, Note, SourcePosition
from graph_memory.memory.transfer.load.staged_record import Findings
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import PropertyValue

ROWS_PER_STEP = 5_000
"""Maximum number of rows read in one step."""
MAX_CHARACTERS = 500_000_000
"""Maximum total length of a memory's imported texts, in characters."""
_TYPE_NOTE = "an entity with several types gets the first of them"


@dataclass(slots=True)
class MergedEntity:
    """An entity with the values of all its rows. Only the first of equal observations is kept."""

    place: SourcePosition
    name: str
    type: str | None = None
    description: str = ""
    properties: dict[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    observations: dict[str, ObservationRow] = field(default_factory=dict[str, ObservationRow])


class MergedRecords:
    """The entities and relations of a memory, in the order of their first rows."""

    def __init__(self) -> None:
        self.entities: dict[str, MergedEntity] = {}
        self.relations: dict[tuple[str, str, str], RelationRow] = {}
        self.findings = Findings()
        self._characters = 0

    def merge_in_steps(self, rows: Iterable[Row]) -> Iterator[None]:
        """Merge the rows of a memory step by step. Raises INVALID_ARGUMENT if they exceed `MAX_CHARACTERS`."""
        iterator = iter(rows)
        while page := list(islice(iterator, ROWS_PER_STEP)):
            for row in page:
                self._merge_row(row)
            yield

    def _merge_row(self, row: Row) -> None:
        match row:
            case InvalidRecord():
                self.findings.reject(row)
            case Note():
                self.findings.note(row)
            case EntityRow():
                self._merge_entity(row)
            case ObservationRow():
                self._count_characters(row.text)
                entity = self.entities.setdefault(row.entity, MergedEntity(row.place, row.entity))
                entity.observations.setdefault(row.text, row)
            case RelationRow():
                self._count_characters(*row.key)
                self.relations.setdefault(row.key, row)

    def _merge_entity(self, row: EntityRow) -> None:
        self._count_characters(row.name, row.description)
        entity = self.entities.setdefault(row.name, MergedEntity(row.place, row.name))
        if entity.type is not None and row.type not in (None, entity.type):
            self.findings.note(Note(row.place, _TYPE_NOTE))
        entity.type = row.type if entity.type is None else entity.type
        entity.description = entity.description or row.description
        entity.properties = {**row.properties, **entity.properties}

    def _count_characters(self, *texts: str) -> None:
        self._characters += sum(map(len, texts)) + 100
        if self._characters > MAX_CHARACTERS:
            message = f"The memory contains more than {MAX_CHARACTERS:,} characters"
            raise invalid_argument("source", message, "Import parts of it, one after the other.")
