"""Imports another program's memory: validates it, compares it with the domain, and writes it in batches.

Each batch is one write. Existing records are not changed, so an interrupted import can be repeated.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
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
from graph_memory.memory.entity_graph.domain import ensure_domain
from graph_memory.memory.entity_graph.values.request import NewEntity, NewObservations, NewRelation
from graph_memory.memory.history.log import compacted_sessions, list_sessions
from graph_memory.memory.transfer.formats.memories.recognise import rows_of
from graph_memory.memory.transfer.formats.memories.rows import Source
from graph_memory.memory.transfer.formats.memories.secrets import SecretFilter, files_of_agents
from graph_memory.memory.transfer.load.load import run_steps_in_thread
from graph_memory.memory.transfer.load.merged_records import MergedRecords
from graph_memory.memory.transfer.load.sources import SKIP_HINT, notes, raise_if_invalid, rejected_records
from graph_memory.memory.transfer.results import ImportCounts, MemoryFormat, MemoryImportResult
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.values.properties import PropertyValue
from graph_memory.progress import Progress
from graph_memory.storage.log.writing import utc_now

PAGE = 1_000
"""Maximum number of entities or relations in one write of an import."""
PAGE_CHARACTERS = 4_000_000
_CHARACTERS_PER_OBSERVATION = 200
"""Number of characters added to the length of each observation, so that a batch has at most 20,000 observations."""
_OLD_SESSION = "memory_file"
"""The session id of imports by earlier versions, whatever the path."""
_MEMORY_FILE_HINT = Hint(
    " MEMORY_FILE_PATH is set to this file.",
    " To import only its valid records, use {graph-memory import --skip-invalid FILE --domain DOMAIN}.",
)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """The file format of an import, whether it skips invalid records, and whether it is a dry run.

    `skip_hint` tells the caller how to skip invalid records.
    """

    form: MemoryFormat
    skip_invalid: bool = False
    skip_hint: Hint = SKIP_HINT
    dry_run: bool = False


async def import_memory(
    core: Core, domain: str, source: Source, options: ImportOptions, progress: Progress
) -> MemoryImportResult:
    """Import another program's entities and relations into a domain. See `Transfer.import_memory`."""
    session = new_session(core)
    form = options.form
    merged, secrets = MergedRecords(), SecretFilter(files_of_agents(source, form))
    rows = rows_of(source, form, secrets.clean)
    await run_steps_in_thread(merged.merge_in_steps(secrets.rows(rows)), partial(progress, "Reading", None))
    current_ontology = await core.log.ontology(domain)
    validation = Validation(merged, current_ontology, utc_now(), core.contents.check_size)
    await run_steps_in_thread(validation.steps(), partial(progress, "Checking", None))
    if not options.dry_run:
        raise_if_invalid(merged.findings, skip_invalid=options.skip_invalid, skip_hint=options.skip_hint)
    existing = await _read_existing(core, domain, validation.valid, progress)
    run = _Import(replace(core, origin=replace(core.origin, session=session)), domain, validation.valid, existing)
    if not options.dry_run:
        if current_ontology is None:
            await ensure_domain(core, domain)  # a session that creates its domain cannot be reverted
        await run.write(progress)
    return MemoryImportResult(
        domain=domain,
        format=form,
        dry_run=options.dry_run,
        session=None if options.dry_run or not run.written_count else session,
        entities=run.entities,
        relations=run.relations,
        observations=run.observations,
        secrets=secrets.secrets_in(run.new_texts),
        refused=rejected_records(merged.findings),
        notes=notes(merged.findings),
    )


def new_session(core: Core) -> str:
    """Return the caller's session, or a new session id. With the session id, the import can be reverted."""
    return core.origin.session or f"import_{uuid4().hex[:12]}"


async def import_once(core: Core, domain: str, file: Path, progress: Progress) -> MemoryImportResult | None:
    """Import the official server's file, unless another session has written to the domain.

    Therefore the next call continues an interrupted import, but does not repeat an import after other writes. If the
    domain has other changes and this file was never imported, returns the result of a dry run. Returns None if the file
    does not exist or was imported before the other changes. Raises the same errors as `import_memory`.
    """
    if not await anyio.to_thread.run_sync(os.path.isfile, file):
        return None
    session = await anyio.to_thread.run_sync(_session_of, file)
    is_used = not await _has_only_session(core, domain, session)
    if is_used and await _first_session(core, domain) in (session, _OLD_SESSION):
        return None
    core = replace(core, origin=replace(core.origin, session=session))
    options = ImportOptions(form="official", skip_hint=_MEMORY_FILE_HINT, dry_run=is_used)
    return await import_memory(core, domain, file, options, progress)


def _session_of(file: Path) -> str:
    """Return the session id for importing the file at `MEMORY_FILE_PATH`. Each path has its own id."""
    return f"memory_file_{sha256(os.fsencode(os.path.realpath(file))).hexdigest()[:12]}"


async def _has_only_session(core: Core, domain: str, session: str) -> bool:
    """Return whether no session except `session` has changed the domain, which need not exist."""
    try:
        recent = await list_sessions(core, domain, since=None, until=None, limit=2)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return True
    return all(summary.session == session for summary in recent.sessions)


async def _first_session(core: Core, domain: str) -> str | None:
    """Return the session that made the first change in the domain, even if that change was compacted."""
    oldest = await compacted_sessions(core.store, domain)
    if not oldest:
        oldest = (await list_sessions(core, domain, since=1, until=1, limit=1)).sessions
    return min(oldest, key=lambda summary: summary.first_seq).session if oldest else None


@dataclass(frozen=True, slots=True)
class _ExistingRecords:
    """The records of the import that the domain already contains."""

    entities: Mapping[str, Entity]
    relations: frozenset[tuple[str, str, str]]


async def _read_existing(core: Core, domain: str, records: ValidRecords, progress: Progress) -> _ExistingRecords:
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
    return _ExistingRecords(entities, frozenset(relations))


@dataclass(slots=True)
class _Import:
    """A running import: its valid records, and the records among them that the domain lacks."""

    core: Core
    domain: str
    records: ValidRecords
    existing: _ExistingRecords
    new_entities: list[NewEntity] = field(init=False)
    new_observations: list[NewObservations] = field(init=False)
    new_relations: list[NewRelation] = field(init=False)
    written_count: int = 0

    def __post_init__(self) -> None:
        existing = self.existing.entities
        self.new_entities = [entity for entity in self.records.entities.values() if entity.name not in existing]
        new_observations = (
            _missing_observations(entity, existing[entity.name])
            for entity in self.records.entities.values()
            if entity.name in existing
        )
        self.new_observations = [observations for observations in new_observations if observations.observations]
        self.new_relations = [
            relation for key, relation in self.records.relations.items() if key not in self.existing.relations
        ]

    @property
    def entities(self) -> ImportCounts:
        return _counts(len(self.records.entities), len(self.new_entities))

    @property
    def relations(self) -> ImportCounts:
        return _counts(len(self.records.relations), len(self.new_relations))

    @property
    def observations(self) -> ImportCounts:
        total = sum(len(entity.observations) for entity in self.records.entities.values())
        return _counts(total, sum(len(entity.observations) for entity in (*self.new_entities, *self.new_observations)))

    @property
    def new_texts(self) -> Iterator[str]:
        """All names, texts and properties of the new records."""
        for entity in self.new_entities:
            yield from (entity.name, entity.content.encoded, *_texts_in(entity.properties))
        for relation in self.new_relations:
            yield from (relation.from_name, relation.to_name, *_texts_in(relation.properties))
        for observations in (*self.new_entities, *self.new_observations):
            yield from (observation.text for observation in observations.observations)

    async def write(self, progress: Progress) -> None:
        """Write the new records, entities first. If a write fails, the error says how many records were written."""
        try:
            await self._write_entities(progress)
            await self._write_observations(progress)
            await self._write_relations(progress)
        except GraphError as error:
            raise self._with_written_count(error) from error

    async def _write_entities(self, progress: Progress) -> None:
        total, done = len(self.new_entities), 0
        for batch in _batches(tuple(self.new_entities), _characters_of):
            progress("Importing entities", done / total)
            created_names = {entity.name for entity in (await create_entities(self.core, self.domain, batch)).entities}
            self._add_to_existing([entity for entity in batch if entity.name not in created_names])
            done += len(batch)
            self.written_count += len(batch)

    def _add_to_existing(self, batch: list[NewEntity]) -> None:
        """Arrange to add only the observations of entities that another writer has created in the meantime."""
        names = {entity.name for entity in batch}
        self.new_entities = (
            [entity for entity in self.new_entities if entity.name not in names] if names else self.new_entities
        )
        self.new_observations += [
            NewObservations(name=entity.name, observations=entity.observations)
            for entity in batch
            if entity.observations
        ]

    async def _write_observations(self, progress: Progress) -> None:
        for batch in _batches(self.new_observations, _characters_of):
            progress("Importing observations", None)
            await add_observations(self.core, self.domain, batch)
            self.written_count += len(batch)

    async def _write_relations(self, progress: Progress) -> None:
        total, done = len(self.new_relations), 0
        for batch in _batches(self.new_relations, lambda _: 1):
            progress("Importing relations", done / total)
            await create_relations(self.core, self.domain, batch)
            done += len(batch)
            self.written_count += len(batch)

    def _with_written_count(self, error: GraphError) -> GraphError:
        if not self.written_count:
            return error
        message = f"{error.message}\nBefore that, {self.written_count:,} entities and relations were written."
        cause = error.hint or "Fix the cause."
        hint = Hint("{cause}", " Repeat the import: existing records stay unchanged.", cause=cause)
        return GraphError(error.code, message, {**error.details, "hint": hint})


def _counts(total: int, new: int) -> ImportCounts:
    return ImportCounts(new=new, already_there=total - new)


def _missing_observations(entity: NewEntity, existing: Entity) -> NewObservations:
    known_texts = set(existing.observations)
    return NewObservations(
        name=entity.name,
        observations=[observation for observation in entity.observations if observation.text not in known_texts],
    )


def _texts_in(properties: Mapping[str, PropertyValue]) -> Iterator[str]:
    """Yield the names of properties, and the values that are strings."""
    for name, value in properties.items():
        yield name
        if isinstance(value, str):
            yield value


def _characters_of(entity: NewEntity | NewObservations) -> int:
    content = entity.content.size if isinstance(entity, NewEntity) else 0
    return content + sum(len(observation.text) + _CHARACTERS_PER_OBSERVATION for observation in entity.observations)


def _batches(items: Iterable[T], measure: Callable[[T], int]) -> Iterator[list[T]]:
    """Split items into batches that each fit into one write. `measure` returns the number of characters of an item."""
    batch: list[T] = []
    characters = 0
    for item in items:
        characters += measure(item)
        batch.append(item)
        if len(batch) == PAGE or characters >= PAGE_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
