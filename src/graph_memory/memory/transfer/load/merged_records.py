"""The merged rows of another program's memory: each entity, relation and observation once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from graph_memory.memory.transfer.formats.memories.rows import EntityRow, ObservationRow, RelationRow, Row
from graph_memory.memory.transfer.formats.records import Note, Place, Refused
from graph_memory.memory.transfer.load.staged_record import Findings
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import PropertyValue

ROWS_PER_STEP = 5_000
"""Number of rows read in one step."""
MAX_CHARACTERS = 500_000_000
"""Maximum number of characters of a memory in one import."""
_TYPES = "entities that have one name and several types have the first of these"


@dataclass(slots=True)
class MergedEntity:
    """An entity with the values of all its rows. Of equal observations, only the first is kept."""

    place: Place
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

    def filling(self, rows: Iterable[Row]) -> Iterator[None]:
        """Merge rows step by step. Raises INVALID_ARGUMENT if they have too many characters."""
        remaining = iter(rows)
        while page := list(islice(remaining, ROWS_PER_STEP)):
            for row in page:
                self._take(row)
            yield

    def _take(self, row: Row) -> None:
        match row:
            case Refused():
                self.findings.refuse(row)
            case Note():
                self.findings.note(row)
            case EntityRow():
                self._entity(row)
            case ObservationRow():
                self._count(row.text)
                entity = self.entities.setdefault(row.entity, MergedEntity(row.place, row.entity))
                entity.observations.setdefault(row.text, row)
            case RelationRow():
                self._count(*row.key)
                self.relations.setdefault(row.key, row)

    def _entity(self, row: EntityRow) -> None:
        self._count(row.name, row.description)
        entity = self.entities.setdefault(row.name, MergedEntity(row.place, row.name))
        if entity.type is not None and row.type not in (None, entity.type):
            self.findings.note(Note(row.place, _TYPES))
        entity.type = row.type if entity.type is None else entity.type
        entity.description = entity.description or row.description
        entity.properties = _merge_properties(entity.properties, row.properties)

    def _count(self, *texts: str) -> None:
        self._characters += sum(map(len, texts)) + 100
        if self._characters > MAX_CHARACTERS:
            message = f"The memory has more than {MAX_CHARACTERS:,} characters"
            raise invalid_argument("source", message, "Import parts of it, one after the other.")


def _merge_properties(
    preferred: Mapping[str, PropertyValue], other: Mapping[str, PropertyValue]
) -> dict[str, PropertyValue]:
    return {**other, **preferred}
