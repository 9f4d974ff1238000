"""Loads an existing graph: reads and validates all its files, then writes the records in pages, nodes first.

Each page is a batch of the log. An interrupted load can be resumed. If ids must be new, a written page is recognised by
the hash of the source and the page number. Otherwise, written subjects are recognised by their ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import anyio.to_thread

from graph_memory.memory.batch.references import request_of
from graph_memory.memory.changes.context import read_in_parts, types_of_existing
from graph_memory.memory.core import Core
from graph_memory.memory.graph.ontology import check_ontology
from graph_memory.memory.graph.ontology_migration import apply_ontology
from graph_memory.memory.transfer.formats.records import SourceOptions
from graph_memory.memory.transfer.load.load_pages import Pages
from graph_memory.memory.transfer.load.sources import Sources, notes, raise_if_invalid, read_in_steps, rejected_records
from graph_memory.memory.transfer.load.staged_record import LoadOutcome, Staged, StagedNode
from graph_memory.memory.transfer.load.staging import Staging
from graph_memory.memory.transfer.load.validate_graph import GraphValidation, infer
from graph_memory.memory.transfer.results import LoadCounts, LoadResult, OnConflict
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Op, Request
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.queries import query


@dataclass(frozen=True, slots=True)
class LoggedSubject:
    """The last event of a subject."""

    subject: str
    kind: str
    op: str
    type: str | None
    source: str | None
    target: str | None


LOGGED_SUBJECTS = query("transfer/known", LoggedSubject)
WRITTEN_BATCHES = query("transfer/written", str)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """Options for loading a source."""

    source: SourceOptions
    ontology: Ontology | Literal["infer"] | None
    on_conflict: OnConflict
    skip_invalid: bool
    dry_run: bool


async def load(core: Core, domain: str, source: Sources, options: LoadOptions, progress: Progress) -> LoadResult:
    """Load a source into a domain. See `Transfer.load`."""
    _check_options(options)
    with closing(Staging(options.source)) as staging:
        await run_steps_in_thread(read_in_steps(staging, source), partial(progress, "Reading", None))
        return await _Load(core, domain, staging, options, progress).run()


async def run_steps_in_thread(steps: Iterator[None], progress: Callable[[], None]) -> None:
    """Run each step of an iterator in a worker thread, in order. Calls `progress` before each step.

    The work can be cancelled between steps.
    """
    progress()
    while await anyio.to_thread.run_sync(next, steps, steps) is not steps:
        progress()


def _check_options(options: LoadOptions) -> None:
    if options.on_conflict not in get_args(OnConflict):
        message = f"{quote(options.on_conflict)} is not a value of on_conflict"
        raise invalid_argument("on_conflict", message, "Use fail, skip or update.")
    if options.ontology is not None and options.ontology != "infer":
        check_ontology(options.ontology)


@dataclass(frozen=True, slots=True)
class _Load:
    core: Core
    domain: str
    staging: Staging
    options: LoadOptions
    progress: Progress

    async def run(self) -> LoadResult:
        """Validate all records. Write them if none is rejected."""
        current_ontology = await self.core.log.ontology(self.domain)
        if current_ontology is not None:  # some endpoints of connections may exist only in the domain
            missing_ids = await anyio.to_thread.run_sync(self.staging.missing_ends)
            if missing_ids:
                self.staging.add_outside_nodes(await types_of_existing(self.core.store, self.domain, missing_ids))
        ontology = await self._ontology_to_apply(current_ontology)
        validation = GraphValidation(
            self.staging, _planned_ontology(current_ontology, ontology), self.core.contents.check
        )
        await run_steps_in_thread(validation.run(), partial(self.progress, "Checking", None))
        if current_ontology is not None:
            await self._decide_fates()
        if self.options.dry_run:
            return self._result(self.staging.outcomes())
        raise_if_invalid(self.staging.findings, skip_invalid=self.options.skip_invalid)
        if ontology is not None:
            await apply_ontology(self.core, self.domain, ontology)
        pages = Pages(self.core, self.domain, self.staging, self.request, self.options.skip_invalid)
        await pages.write(self.progress)
        return self._result(pages.counts, pages.seqs)

    async def _ontology_to_apply(self, current_ontology: Ontology | None) -> Ontology | None:
        """Return the ontology to apply before the load, or None.

        Raises ONTOLOGY_NOT_FOUND if neither the domain nor the options have an ontology.
        """
        ontology = self.options.ontology
        if ontology == "infer":
            self.progress("Inferring", None)
            return await anyio.to_thread.run_sync(infer, self.staging)
        if ontology is None and current_ontology is None:
            error = no_ontology_error(self.domain)
            hint = "Use --ontology infer to infer the types from the data, or --ontology FILE."
            raise GraphError(error.code, error.message, {**error.details, "hint": hint})
        return ontology

    async def _decide_fates(self) -> None:
        """Record the outcomes of records that an earlier run wrote, or that have an id which exists in the domain."""
        for kind in (Kind.NODE, Kind.CONNECTION):
            spans = self.staging.spans(kind)
            written = await self._written_pages(kind, len(spans))
            for number, span in enumerate(spans):
                self.progress("Looking for conflicts", None)
                page = self.staging.page(kind, span)
                if number in written:
                    self.staging.decide([(record, LoadOutcome.WRITTEN) for record in page])
                    continue
                rows = await read_in_parts(
                    self.core.store, LOGGED_SUBJECTS, self.domain, subjects=[record.id for record in page]
                )
                logged_subjects = {row.subject: row for row in rows}
                self.staging.decide(
                    [
                        (record, self._fate(record, logged_subjects[record.id]))
                        for record in page
                        if record.id in logged_subjects
                    ]
                )

    async def _written_pages(self, kind: Kind, pages: int) -> set[int]:
        """Return the numbers of the pages that an earlier run of this load wrote."""
        batches = {request.batch: number for number in range(pages) if (request := self.request(kind, number))}
        rows = (
            await read_in_parts(self.core.store, WRITTEN_BATCHES, self.domain, batches=list(batches)) if batches else []
        )
        return {batches[batch] for batch in rows}

    def request(self, kind: Kind, number: int) -> Request | None:
        """Return the request that identifies a page by source hash, options and page number.

        If ids may already exist, return None, because records of an earlier run are then recognised by their ids.
        """
        if self.options.on_conflict != "fail":
            return None
        identity = ("load", self.staging.sha256, self.options.skip_invalid, str(kind), number)
        return request_of("\n".join(map(str, identity)), identity)

    def _fate(self, staged: Staged, logged: LoggedSubject) -> LoadOutcome:
        """Return the outcome of a record whose id already exists in the domain.

        Rejects the record if the id belongs to another subject.
        """
        choice = self.options.on_conflict
        if logged.op == Op.DELETE or not _is_same(staged, logged):
            self.staging.reject(staged, _id_conflict_error(staged, logged))
            return LoadOutcome.REJECTED
        if choice == "fail":
            self.staging.reject(staged, _existing_id_error(staged))
            return LoadOutcome.REJECTED
        return LoadOutcome.SKIPPED if choice == "skip" else LoadOutcome.UPDATED

    def _result(self, counts: Mapping[Kind, LoadCounts], seqs: Sequence[int] = ()) -> LoadResult:
        node_types, connection_types = self.staging.counts()
        return LoadResult(
            domain=self.domain,
            dry_run=self.options.dry_run,
            nodes=counts[Kind.NODE],
            connections=counts[Kind.CONNECTION],
            node_types=node_types,
            connection_types=connection_types,
            refused=rejected_records(self.staging.findings),
            notes=notes(self.staging.findings),
            from_seq=seqs[0] if seqs else None,
            to_seq=seqs[-1] if seqs else None,
        )


def _planned_ontology(current_ontology: Ontology | None, ontology: Ontology | None) -> Ontology | None:
    """Return the domain's ontology after the load: its current and its new types. None if there are no types."""
    if current_ontology is None or ontology is None:
        return current_ontology or ontology
    return current_ontology.with_types(ontology.node_types, ontology.connection_types)


def _is_same(staged: Staged, logged: LoggedSubject) -> bool:
    """Return whether the logged subject has the same kind, type and endpoints as the record."""
    if isinstance(staged, StagedNode):
        return (logged.kind, logged.type) == (Kind.NODE, staged.type)
    ends = (logged.source, logged.target)
    return (logged.kind, logged.type, *ends) == (Kind.CONNECTION, staged.type, staged.source, staged.target)


def _existing_id_error(staged: Staged) -> GraphError:
    is_node = isinstance(staged, StagedNode)
    code = Code.NODE_ALREADY_EXISTS if is_node else Code.CONNECTION_ALREADY_EXISTS
    message = f"The domain already has {'node' if is_node else 'connection'} {quote(staged.id)}"
    hint = "Use --on-conflict skip to keep it, or update to change it; or load into another --domain."
    return GraphError(code, message, {"hint": hint})


def _id_conflict_error(staged: Staged, logged: LoggedSubject) -> GraphError:
    """Return the error for an id that the domain uses for another subject, or used for a deleted subject."""
    code = Code.NODE_ALREADY_EXISTS if isinstance(staged, StagedNode) else Code.CONNECTION_ALREADY_EXISTS
    former_use = "a deleted subject" if logged.op == Op.DELETE else f"another {printable(logged.type)}"
    message = f"The id {quote(staged.id)} was already used in this domain for {former_use}"
    return GraphError(code, message, {"hint": "Load into another domain, or change the id in the source."})
