"""Imports the memory of another program: validates all of it, compares it with the domain, and writes it in batches.

Each batch is one write. Existing records stay unchanged, so an interrupted import can be repeated.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.entities.reads import entities_by_name, read_graph
from graph_memory.memory.entities.relations import create_relations
from graph_memory.memory.entities.results import Entity
from graph_memory.memory.entities.validate_entities import Validation, ValidRecords
from graph_memory.memory.entities.writes import add_observations, create_entities
from graph_memory.memory.entity_graph.domain import begin_domain
from graph_memory.memory.entity_graph.values.request import NewEntity, NewObservation, NewObservations, NewRelation
from graph_memory.memory.history.log import sessions
from graph_memory.memory.transfer.formats.memories.recognise import rows_of
from graph_memory.memory.transfer.formats.memories.rows import Source
from graph_memory.memory.transfer.load.load import in_steps
from graph_memory.memory.transfer.load.merged_records import MergedRecords
from graph_memory.memory.transfer.load.sources import check, notes, refusals
from graph_memory.memory.transfer.results import ImportCounts, MemoryFormat, MemoryImported
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.progress import Progress
from graph_memory.storage.log.writing import utc_now

PAGE = 1_000
"""Maximum number of entities or relations per write."""
PAGE_CHARACTERS = 4_000_000
_CHARACTERS_PER_OBSERVATION = 200
"""Number of characters that an observation counts in addition to its text, so that a batch has at most 20,000
observations."""
SESSION = "memory_file"
"""The session of the import from the file that the environment names."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """Options of an import."""

    form: MemoryFormat
    skip_invalid: bool = False
    dry_run: bool = False


async def import_memory(
    core: Core, domain: str, source: Source, options: ImportOptions, progress: Progress
) -> MemoryImported:
    """Import a memory of entities into a domain. See `Transfer.import_memory`."""
    session = new_session(core)
    form = options.form
    merged = MergedRecords()
    await in_steps(merged.filling(rows_of(source, form)), partial(progress, "Reading", None))
    present = await core.log.ontology(domain)
    checking = Validation(merged, present, utc_now(), core.contents.check_size)
    await in_steps(checking.steps(), partial(progress, "Checking", None))
    if not options.dry_run:
        check(merged.findings, skip_invalid=options.skip_invalid)
    existing = await _read_existing(core, domain, checking.valid, progress)
    run = _Import(replace(core, origin=replace(core.origin, session=session)), domain, checking.valid, existing)
    if not options.dry_run:
        if present is None:
            await begin_domain(core, domain)  # a session that creates its domain cannot be reverted
        await run.write(progress)
    return MemoryImported(
        domain=domain,
        format=form,
        dry_run=options.dry_run,
        session=None if options.dry_run or not run.written else session,
        entities=run.entities,
        relations=run.relations,
        observations=run.observations,
        refused=refusals(merged.findings),
        notes=notes(merged.findings),
    )


def new_session(core: Core) -> str:
    """Return the session of an import: the caller's, or a new session by which the import can be reverted."""
    return core.origin.session or f"import_{uuid4().hex[:12]}"


async def import_once(core: Core, domain: str, file: Path, progress: Progress) -> MemoryImported | None:
    """Import the official server's file into a domain that only this import has written to.

    So an interrupted import continues, and is not repeated after other writes. Does nothing if the file does not exist
    or the domain has other changes. Raises the errors of `import_memory`.
    """
    if not await anyio.to_thread.run_sync(os.path.isfile, file) or not await _is_untouched(core, domain):
        return None
    origin = replace(core.origin, session=SESSION)
    return await import_memory(replace(core, origin=origin), domain, file, ImportOptions(form="official"), progress)


async def _is_untouched(core: Core, domain: str) -> bool:
    try:
        recent = await sessions(core, domain, since=None, until=None, limit=2)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return True
    return all(session.session == SESSION for session in recent.sessions)


@dataclass(frozen=True, slots=True)
class _Existing:
    """The imported records that the domain already has."""

    entities: Mapping[str, Entity]
    relations: frozenset[tuple[str, str, str]]


async def _read_existing(core: Core, domain: str, records: ValidRecords, progress: Progress) -> _Existing:
    entities: dict[str, Entity] = {}
    relations: set[tuple[str, str, str]] = set()
    for batch in _batches(records.entities, len):
        progress("Comparing", None)
        graph = await entities_by_name(core, domain, batch)
        entities |= {entity.name: entity for entity in graph.entities}
        relations |= {(relation.from_name, relation.to_name, relation.relation_type) for relation in graph.relations}
    names = records.entities
    if any(start not in names and end not in names for start, end, _ in records.relations):
        graph = await read_graph(core, domain)
        relations |= {(relation.from_name, relation.to_name, relation.relation_type) for relation in graph.relations}
    return _Existing(entities, frozenset(relations))


@dataclass(slots=True)
class _Import:
    """A running import and its new records."""

    core: Core
    domain: str
    records: ValidRecords
    existing: _Existing
    created: list[NewEntity] = field(init=False)
    added: list[NewObservations] = field(init=False)
    related: list[NewRelation] = field(init=False)
    written: int = 0

    def __post_init__(self) -> None:
        known = self.existing.entities
        self.created = [entity for entity in self.records.entities.values() if entity.name not in known]
        added = (
            _missing_observations(entity, known[entity.name])
            for entity in self.records.entities.values()
            if entity.name in known
        )
        self.added = [observations for observations in added if observations.observations]
        self.related = [
            relation for key, relation in self.records.relations.items() if key not in self.existing.relations
        ]

    @property
    def entities(self) -> ImportCounts:
        return _counts(len(self.records.entities), len(self.created))

    @property
    def relations(self) -> ImportCounts:
        return _counts(len(self.records.relations), len(self.related))

    @property
    def observations(self) -> ImportCounts:
        number = sum(len(entity.observations) for entity in self.records.entities.values())
        return _counts(number, sum(len(entity.observations) for entity in (*self.created, *self.added)))

    async def write(self, progress: Progress) -> None:
        """Write the new records, entities first. If it fails, the error reports how many were written."""
        try:
            await self._write_entities(progress)
            await self._write_observations(progress)
            await self._write_relations(progress)
        except GraphError as error:
            raise self._report_progress(error) from error

    async def _write_entities(self, progress: Progress) -> None:
        total, done = len(self.created), 0
        for batch in _batches(tuple(self.created), _size):
            progress("Importing entities", done / total)
            created_names = {entity.name for entity in (await create_entities(self.core, self.domain, batch)).entities}
            self._add_to_existing([entity for entity in batch if entity.name not in created_names])
            done += len(batch)
            self.written += len(batch)

    def _add_to_existing(self, batch: list[NewEntity]) -> None:
        """Add observations to entities that another writer created in the meantime."""
        names = {entity.name for entity in batch}
        self.created = [entity for entity in self.created if entity.name not in names] if names else self.created
        self.added += [
            NewObservations(name=entity.name, observations=entity.observations)
            for entity in batch
            if entity.observations
        ]

    async def _write_observations(self, progress: Progress) -> None:
        for batch in _batches(self.added, _size):
            progress("Importing observations", None)
            await add_observations(self.core, self.domain, batch)
            self.written += len(batch)

    async def _write_relations(self, progress: Progress) -> None:
        total, done = len(self.related), 0
        for batch in _batches(self.related, _length):
            progress("Importing relations", done / total)
            await create_relations(self.core, self.domain, batch)
            done += len(batch)
            self.written += len(batch)

    def _report_progress(self, error: GraphError) -> GraphError:
        if not self.written:
            return error
        message = f"{error.message}\nBefore that, {self.written:,} entities and relations were written."
        cause = error.hint or "Remove the cause."
        hint = Hint("{cause}", " Repeat the import: existing records stay unchanged.", cause=cause)
        return GraphError(error.code, message, {**error.details, "hint": hint})


def _counts(number: int, new: int) -> ImportCounts:
    return ImportCounts(new=new, already_there=number - new)


def _missing_observations(entity: NewEntity, known: Entity) -> NewObservations:
    texts = set(known.observations)
    return NewObservations(
        name=entity.name,
        observations=[observation for observation in entity.observations if observation.text not in texts],
    )


def _size(entity: NewEntity | NewObservations) -> int:
    content = entity.content.size if isinstance(entity, NewEntity) else 0
    return content + sum(map(_weight, entity.observations))


def _weight(observation: NewObservation) -> int:
    return len(observation.text) + _CHARACTERS_PER_OBSERVATION


def _length(_: NewRelation) -> int:
    return 1


def _batches(items: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Split items into lists. Each list is for one write."""
    batch: list[T] = []
    characters = 0
    for item in items:
        characters += size(item)
        batch.append(item)
        if len(batch) == PAGE or characters >= PAGE_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
