"""Loading a graph that exists: its files are read and looked at as a whole, then written in pages, nodes first.

Each page is a batch of the log. Where ids must be new, a page is known again by what was read and where it stands in
it, so that the same load goes on where it was cut off; otherwise what is there already shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import anyio.to_thread

from graph_memory.memory.batch.references import request_of
from graph_memory.memory.changes.context import living_of, read_in_parts
from graph_memory.memory.core import Core
from graph_memory.memory.graph.ontology import check_ontology
from graph_memory.memory.graph.ontology_migration import apply_ontology
from graph_memory.memory.transfer.formats.records import SourceOptions
from graph_memory.memory.transfer.load.load_pages import Pages
from graph_memory.memory.transfer.load.sources import Sources, check, notes, reading, refusals
from graph_memory.memory.transfer.load.staged_record import Fate, Staged, StagedNode
from graph_memory.memory.transfer.load.staging import Staging
from graph_memory.memory.transfer.load.validate_graph import Examination, infer
from graph_memory.memory.transfer.results import LoadCounts, Loaded, OnConflict
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Op, Request
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import quoted, shown
from graph_memory.model.values.arguments import fault
from graph_memory.progress import Progress
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.queries import query


@dataclass(frozen=True, slots=True)
class KnownRow:
    """What the log last said of a subject."""

    subject: str
    kind: str
    op: str
    type: str | None
    source: str | None
    target: str | None


KNOWN = query("transfer/known", KnownRow)
WRITTEN = query("transfer/written", str)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """How a source is loaded."""

    source: SourceOptions
    ontology: Ontology | Literal["infer"] | None
    on_conflict: OnConflict
    skip_invalid: bool
    dry_run: bool


async def load(core: Core, domain: str, source: Sources, options: LoadOptions, tell: Progress) -> Loaded:
    """Load a source into a domain. `Transfer.load` tells the rest."""
    _check(options)
    with closing(Staging(options.source)) as staging:
        await in_steps(reading(staging, source), partial(tell, "Reading", None))
        return await _Load(core, domain, staging, options, tell).run()


async def in_steps(steps: Iterator[None], tell: Callable[[], None]) -> None:
    """Take steps in worker threads. Between them the work can be cancelled."""
    tell()
    while await anyio.to_thread.run_sync(next, steps, steps) is not steps:
        tell()


def _check(options: LoadOptions) -> None:
    if options.on_conflict not in get_args(OnConflict):
        message = f"{quoted(options.on_conflict)} is not a choice"
        raise fault("on_conflict", message, "Use fail, skip or update.")
    if options.ontology is not None and options.ontology != "infer":
        check_ontology(options.ontology)


@dataclass(frozen=True, slots=True)
class _Load:
    """One load."""

    core: Core
    domain: str
    staging: Staging
    options: LoadOptions
    tell: Progress

    async def run(self) -> Loaded:
        """Look at everything, and write it unless something stands against it."""
        present = await self.core.log.ontology(self.domain)
        if present is not None:
            await self._look_for_ends()
        wanted = await self._wanted(present)
        looked = Examination(self.staging, _planned(present, wanted), self.core.contents.check)
        await in_steps(looked.looking(), partial(self.tell, "Checking", None))
        if present is not None:
            await self._look_for_conflicts()
        if self.options.dry_run:
            return self._loaded(self.staging.fates())
        check(self.staging.findings, skip_invalid=self.options.skip_invalid)
        if wanted is not None:
            await apply_ontology(self.core, self.domain, wanted)
        pages = Pages(self.core, self.domain, self.staging, self.request, self.options.skip_invalid)
        await pages.write(self.tell)
        return self._loaded(pages.counts, pages.seqs)

    async def _wanted(self, present: Ontology | None) -> Ontology | None:
        """Return the types to declare before. Raises ONTOLOGY_NOT_FOUND where there would be none at all."""
        given = self.options.ontology
        if given == "infer":
            self.tell("Inferring", None)
            return await anyio.to_thread.run_sync(infer, self.staging)
        if given is None and present is None:
            missing = no_ontology(self.domain)
            hint = "Give --ontology infer, to have the types that the data suggests, or --ontology FILE."
            raise GraphError(missing.code, missing.message, {**missing.details, "hint": hint})
        return given

    async def _look_for_ends(self) -> None:
        """Take note of nodes of the domain that connections of the source join."""
        missing = await anyio.to_thread.run_sync(self.staging.missing_ends)
        if missing:
            self.staging.know(await living_of(self.core.store, self.domain, missing))

    async def _look_for_conflicts(self) -> None:
        """Find what the domain knows already, and what becomes of it."""
        for kind in (Kind.NODE, Kind.CONNECTION):
            spans = self.staging.spans(kind)
            written = await self._written(kind, len(spans))
            for number, span in enumerate(spans):
                self.tell("Looking for conflicts", None)
                page = self.staging.page(kind, span)
                if number in written:
                    self.staging.decide([(each, Fate.WRITTEN) for each in page])
                    continue
                rows = await read_in_parts(self.core.store, KNOWN, self.domain, subjects=[each.id for each in page])
                known = {row.subject: row for row in rows}
                self.staging.decide([(each, self._fate(each, known[each.id])) for each in page if each.id in known])

    async def _written(self, kind: Kind, pages: int) -> set[int]:
        """Return the pages that an earlier run of the same load wrote."""
        batches = {found.batch: number for number in range(pages) if (found := self.request(kind, number))}
        rows = await read_in_parts(self.core.store, WRITTEN, self.domain, batches=list(batches)) if batches else []
        return {batches[batch] for batch in rows}

    def request(self, kind: Kind, number: int) -> Request | None:
        """Return by what a page is known again: what was read and how, and the place of the page.

        There is nothing where ids may be known: what an earlier run wrote is then found by its ids.
        """
        if self.options.on_conflict != "fail":
            return None
        told = ("load", self.staging.sha256, self.options.skip_invalid, str(kind), number)
        return request_of("\n".join(map(str, told)), told)

    def _fate(self, staged: Staged, known: KnownRow) -> Fate:
        """Return what becomes of something whose id is known; it is refused where it cannot be the same."""
        choice = self.options.on_conflict
        if known.op == Op.DELETE or not _is_same(staged, known):
            self.staging.refuse(staged, _other(staged, known))
            return Fate.REFUSED
        if choice == "fail":
            self.staging.refuse(staged, _conflict(staged))
            return Fate.REFUSED
        return Fate.SKIPPED if choice == "skip" else Fate.UPDATED

    def _loaded(self, counts: Mapping[Kind, LoadCounts], seqs: Sequence[int] = ()) -> Loaded:
        node_types, connection_types = self.staging.counts()
        return Loaded(
            domain=self.domain,
            dry_run=self.options.dry_run,
            nodes=counts[Kind.NODE],
            connections=counts[Kind.CONNECTION],
            node_types=node_types,
            connection_types=connection_types,
            refused=refusals(self.staging.findings),
            notes=notes(self.staging.findings),
            from_seq=seqs[0] if seqs else None,
            to_seq=seqs[-1] if seqs else None,
        )


def _planned(present: Ontology | None, wanted: Ontology | None) -> Ontology | None:
    """Return the ontology that there will be."""
    if present is None or wanted is None:
        return present or wanted
    return present.with_types(wanted.node_types, wanted.connection_types)


def _is_same(staged: Staged, known: KnownRow) -> bool:
    """Say whether the domain has it with the same type and ends, which never change."""
    if isinstance(staged, StagedNode):
        return (known.kind, known.type) == (Kind.NODE, staged.type)
    ends = (known.source, known.target)
    return (known.kind, known.type, *ends) == (Kind.CONNECTION, staged.type, staged.source, staged.target)


def _conflict(staged: Staged) -> GraphError:
    is_node = isinstance(staged, StagedNode)
    code = Code.NODE_ALREADY_EXISTS if is_node else Code.CONNECTION_ALREADY_EXISTS
    message = f"The domain has {'node' if is_node else 'connection'} {shown(staged.id)} already"
    hint = "Give --on-conflict skip to keep it as it is, or update; or --domain, to load into another."
    return GraphError(code, message, {"hint": hint})


def _other(staged: Staged, known: KnownRow) -> GraphError:
    """Return the error for an id that stood for something else, or stands for nothing any more."""
    code = Code.NODE_ALREADY_EXISTS if isinstance(staged, StagedNode) else Code.CONNECTION_ALREADY_EXISTS
    what = "something that was deleted" if known.op == Op.DELETE else f"a {shown(known.type)} that is not the same"
    message = f"The domain has used the id {shown(staged.id)} for {what}"
    return GraphError(code, message, {"hint": "Load into another domain, or change the id in the source."})
