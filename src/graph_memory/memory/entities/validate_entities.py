"""Validates an imported memory with the same checks as tool arguments. Does no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from graph_memory.memory.entity_graph.values import request as requests
from graph_memory.memory.entity_graph.values.spelling import ENTITY, RELATION, stored_name
from graph_memory.memory.transfer.formats.memories.rows import ObservationRow, RelationRow
from graph_memory.memory.transfer.formats.records import InvalidRecord, Note
from graph_memory.memory.transfer.load.merged_records import ROWS_PER_STEP, MergedEntity, MergedRecords
from graph_memory.model.errors import GraphError
from graph_memory.model.ontology.ontology import Ontology

_TIME_FIELDS = ("time", "valid_from", "valid_to")
_INVALID_PERIOD = "a validity period that ends before it begins is omitted"


@dataclass(slots=True)
class ValidRecords:
    """The validated entities, keyed by name, and relations, keyed by `NewRelation.key`, in the order of the import."""

    entities: dict[str, requests.NewEntity] = field(default_factory=dict[str, requests.NewEntity])
    relations: dict[tuple[str, str, str], requests.NewRelation] = field(
        default_factory=dict[tuple[str, str, str], requests.NewRelation]
    )


class Validation:
    """Converts merged records to records that can be written. Invalid records are reported with their location."""

    def __init__(
        self, merged_records: MergedRecords, ontology: Ontology | None, now: datetime, check_size: Callable[[int], None]
    ) -> None:
        self._merged = merged_records
        self._closed_ontology = ontology if ontology is not None and not ontology.open else None
        self._now = now
        self._check_size = check_size
        self.valid = ValidRecords()

    def steps(self) -> Iterator[None]:
        """Validate all records. Yields after every `ROWS_PER_STEP` records, so that other tasks can run."""
        for number, entity in enumerate(self._merged.entities.values(), 1):
            self._validate_entity(entity)
            if number % ROWS_PER_STEP == 0:
                yield
        for number, relation in enumerate(self._merged.relations.values(), 1):
            self._validate_relation(relation)
            if number % ROWS_PER_STEP == 0:
                yield
        yield

    def _validate_entity(self, entity: MergedEntity) -> None:
        arguments = {"name": entity.name, "type": ENTITY if entity.type is None else entity.type}
        optional_arguments = {"description": entity.description, "properties": entity.properties}
        try:
            (valid_entity,) = requests.new_entities(
                [{**arguments, **{key: value for key, value in optional_arguments.items() if value}}], self._now
            )
            self._check_size(max(valid_entity.content.size, len(valid_entity.name.encode())))
            if self._closed_ontology is not None:
                self._closed_ontology.node_type(stored_name(valid_entity.type, ENTITY))
        except GraphError as error:
            self._merged.findings.reject(InvalidRecord.of(entity.place, error))
            return
        observations = [
            observation
            for row in entity.observations.values()
            if (observation := self._validate_observation(row)) is not None
        ]
        self.valid.entities[entity.name] = replace(valid_entity, observations=observations)

    def _validate_observation(self, row: ObservationRow) -> requests.NewObservation | None:
        arguments = row.values() | {
            name: self._parse_time(row, name) for name in _TIME_FIELDS if getattr(row, name) is not None
        }
        valid_from, valid_to = arguments.get("valid_from"), arguments.get("valid_to")
        if isinstance(valid_from, datetime) and isinstance(valid_to, datetime) and valid_to <= valid_from:
            self._merged.findings.note(Note(row.place, _INVALID_PERIOD))
            arguments |= {"valid_from": None, "valid_to": None}
        values = [{"entityName": row.entity, "contents": [arguments]}]
        try:
            (observations,) = requests.new_observations(values, self._now)
            self._check_size(len(observations.observations[0].text.encode()))
        except GraphError as error:
            self._merged.findings.reject(InvalidRecord.of(row.place, error))
            return None
        return observations.observations[0]

    def _parse_time(self, row: ObservationRow, name: str) -> datetime | None:
        """Return the time or date in the field `name` of a row, or None with a note if it is not in RFC 3339."""
        text = str(getattr(row, name)).partition("[")[0]
        try:
            moment = datetime.fromisoformat(text)
            return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
        except (ValueError, OverflowError):
            self._merged.findings.note(Note(row.place, "times that are not in RFC 3339 are omitted"))
            return None

    def _validate_relation(self, row: RelationRow) -> None:
        arguments = {"from": row.start, "to": row.end, "type": row.type}
        optional_arguments = {"properties": row.properties} if row.properties else {}
        try:
            (relation,) = requests.new_relations([{**arguments, **optional_arguments}], lenient=True)
            if self._closed_ontology is not None:
                self._closed_ontology.connection_type(stored_name(relation.type, RELATION))
        except GraphError as error:
            self._merged.findings.reject(InvalidRecord.of(row.place, error))
            return
        self.valid.relations[row.key] = relation
