"""Validates an imported memory as strictly as the arguments of tools, without I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from graph_memory.memory.entity_graph.values import request as asked
from graph_memory.memory.entity_graph.values.spelling import ENTITY, RELATION, stored_name
from graph_memory.memory.transfer.formats.memories.rows import ObservationRow, RelationRow
from graph_memory.memory.transfer.formats.records import Note, Refused
from graph_memory.memory.transfer.load.merged_records import ROWS_PER_STEP, MergedEntity, MergedRecords
from graph_memory.model.errors import GraphError
from graph_memory.model.ontology.ontology import Ontology

_TIMES = ("time", "valid_from", "valid_to")
_SPAN = "a validity period that ends before it begins is omitted"


@dataclass(slots=True)
class ValidRecords:
    """Entities and relations that can be written, in order."""

    entities: dict[str, asked.NewEntity] = field(default_factory=dict[str, asked.NewEntity])
    relations: dict[tuple[str, str, str], asked.NewRelation] = field(
        default_factory=dict[tuple[str, str, str], asked.NewRelation]
    )


class Validation:
    """Converts merged records to records that can be written. Invalid records are reported with their place."""

    def __init__(
        self, gathered: MergedRecords, ontology: Ontology | None, now: datetime, check_size: Callable[[int], None]
    ) -> None:
        self._merged = gathered
        self._closed = ontology if ontology is not None and not ontology.open else None
        self._now = now
        self._check_size = check_size
        self.valid = ValidRecords()

    def steps(self) -> Iterator[None]:
        """Validate all records step by step."""
        for number, entity in enumerate(self._merged.entities.values(), 1):
            self._entity(entity)
            if number % ROWS_PER_STEP == 0:
                yield
        for number, relation in enumerate(self._merged.relations.values(), 1):
            self._relation(relation)
            if number % ROWS_PER_STEP == 0:
                yield
        yield

    def _entity(self, entity: MergedEntity) -> None:
        rendered = {"name": entity.name, "type": ENTITY if entity.type is None else entity.type}
        more = {"description": entity.description, "properties": entity.properties}
        try:
            (valid_entity,) = asked.new_entities(
                [{**rendered, **{key: value for key, value in more.items() if value}}], self._now
            )
            self._check_size(max(valid_entity.content.size, len(valid_entity.name.encode())))
            if self._closed is not None:
                self._closed.node_type(stored_name(valid_entity.type, ENTITY))
        except GraphError as error:
            self._merged.findings.refuse(Refused.of(entity.place, error))
            return
        observations = [
            observation for row in entity.observations.values() if (observation := self._observation(row)) is not None
        ]
        self.valid.entities[entity.name] = replace(valid_entity, observations=observations)

    def _observation(self, row: ObservationRow) -> asked.NewObservation | None:
        rendered = row.values() | {name: self._time(row, name) for name in _TIMES if getattr(row, name) is not None}
        begins, ends = rendered.get("valid_from"), rendered.get("valid_to")
        if isinstance(begins, datetime) and isinstance(ends, datetime) and ends <= begins:
            self._merged.findings.note(Note(row.place, _SPAN))
            rendered |= {"valid_from": None, "valid_to": None}
        values = [{"entityName": row.entity, "contents": [rendered]}]
        try:
            (observations,) = asked.new_observations(values, self._now)
            self._check_size(len(observations.observations[0].text.encode()))
        except GraphError as error:
            self._merged.findings.refuse(Refused.of(row.place, error))
            return None
        return observations.observations[0]

    def _time(self, row: ObservationRow, name: str) -> datetime | None:
        """Parse a time or date in RFC 3339. If it has another form, add a note and return None."""
        text = str(getattr(row, name)).partition("[")[0]
        try:
            moment = datetime.fromisoformat(text)
            return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
        except (ValueError, OverflowError):
            problem = "times that are not in RFC 3339 are omitted"
            self._merged.findings.note(Note(row.place, problem))
            return None

    def _relation(self, row: RelationRow) -> None:
        rendered = {"from": row.start, "to": row.end, "type": row.type}
        more = {"properties": row.properties} if row.properties else {}
        try:
            (relation,) = asked.new_relations([{**rendered, **more}], lenient=True)
            if self._closed is not None:
                self._closed.connection_type(stored_name(relation.type, RELATION))
        except GraphError as error:
            self._merged.findings.refuse(Refused.of(row.place, error))
            return
        self.valid.relations[row.key] = relation
