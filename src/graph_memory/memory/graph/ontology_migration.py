"""Applies an ontology to a domain: creates the ontology, or adds and changes types.

A change that only adds types or relaxes rules is one write. A change that tightens the rules for stored data, or that
changes indexes or materialized inverses, is a job that blocks other writes to the domain. The job first checks all
stored data, then creates the keys and inverse relationships, and then changes the types in one transaction, so that no
query uses an incomplete index. Finally it deletes keys and relationships that are no longer needed. After an
interruption, the next application of any ontology deletes the keys and relationships that no type needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from graph_memory.memory.changes.context import read_stored, stored_rows
from graph_memory.memory.changes.keys import put_inverses, put_keys
from graph_memory.memory.changes.paging import PAGE, Batch, is_busy_with_job
from graph_memory.memory.changes.stored_data_check import IncompatibleSubject, StoredType
from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import with_titles
from graph_memory.memory.graph.ontology import can_create_ontology, check_ontology, decide_ontology, last_ontology_event
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Head, Op, keep_declaration_order
from graph_memory.model.ontology.indexes import index_name, indexes_of, properties_of
from graph_memory.model.ontology.inheritance import check_inherited, has_own_declarations, types_not_inherited
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology
from graph_memory.model.ontology.ontology_diff import (
    OntologyDiff,
    TypeChange,
    describe_type_change,
    diff_ontologies,
    materialized_type,
)
from graph_memory.model.ontology.types import kind_of_type, subject_of_type, type_state
from graph_memory.model.projection import new_type_draft, ontology_state
from graph_memory.model.results import OntologyApplyResult
from graph_memory.model.subjects.kinds import TYPE_OF, Kind
from graph_memory.ontologies import with_standard_types
from graph_memory.storage.log.jobs import GROWING, Job
from graph_memory.storage.log.ontologies import HEAD
from graph_memory.storage.log.protection import DomainScope
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.log.work import Decision
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import Reader, Transaction

DROP_SURPLUS_KEYS = query("graph/drop_surplus_keys", int)
DROP_SURPLUS_INVERSES = query("graph/drop_surplus_inverses", int)
SURPLUS_AT_ONCE = 10_000
"""Maximum number of keys or inverse relationships that one transaction deletes."""
MAX_EXAMPLES = 3
"""Maximum number of records per type that an error lists as violations of the new rules."""
_LastEvents = Mapping[str, Event]
"""The last events of the ontology and of the types that change, keyed by subject."""


class _NeedsCheck(Exception):  # noqa: N818 - not an error: the change continues as a job
    """Raised to stop a write whose change requires a check of the stored data, or changes its indexes."""


async def apply_ontology(core: Core, domain: str, ontology: Ontology) -> OntologyApplyResult:
    """Create a domain with an ontology, or add and change its types. See `Memory.apply_ontology`."""
    check_ontology(ontology)

    async def read(reader: Reader, head: Head) -> _LastEvents:
        if can_create_ontology(head):
            last = await last_ontology_event(reader, head)
            return {"ontology": last} if last else {}
        return await _last_events(reader, domain, diff_ontologies(head.ontology, ontology))

    def decide(head: Head, last: _LastEvents) -> Decision[tuple[OntologyDiff, bool]]:
        planned = _plan_changes(head.ontology, ontology)
        if any(change.demands or change.changes_derived for change in planned.changed):
            raise _NeedsCheck
        if can_create_ontology(head):
            return Decision(
                decide_ontology(head, with_standard_types(ontology, head.ontology), last.get("ontology")),
                (planned, True),
            )
        return Decision(growth_drafts(planned, last), (planned, False))

    try:
        written = await core.log.write("apply_ontology", domain, core.origin, read, decide, creates_domain=True)
        planned, created = written.report
        version = written.receipt.seq
    except GraphError as error:
        if not is_busy_with_job(error, GROWING):
            raise
        await _delete_surplus(await Batch.begin(core, domain, GROWING, {}, {}, reach=DomainScope.ONTOLOGY))
        return await apply_ontology(core, domain, ontology)
    except _NeedsCheck:
        planned, created = await _migrate(core, domain, ontology), False
        version = None
    if version is None:
        head = await core.store.first_row(HEAD, domain=domain)
        version = head.ontology_version if head else 0
    return OntologyApplyResult(
        version=version,
        created=created,
        node_types=tuple(declared.name for declared in planned.node_types),
        connection_types=tuple(declared.name for declared in planned.connection_types),
        changed=tuple(
            f"{change.after.title}: {describe_type_change(change.before, change.after)}" for change in planned.changed
        ),
    )


def _plan_changes(current: Ontology, ontology: Ontology) -> OntologyDiff:
    """Return the changes to an ontology. Raises TYPE_ALREADY_EXISTS if a parent domain defines a type differently."""
    if has_own_declarations(current):
        planned = diff_ontologies(current, ontology)
        check_inherited(current, [change.after for change in planned.changed])
        return planned
    created_ontology = with_standard_types(ontology, current)
    new_types = types_not_inherited(current, (*created_ontology.node_types, *created_ontology.connection_types))
    return OntologyDiff(
        tuple(declared for declared in new_types if isinstance(declared, NodeType)),
        tuple(declared for declared in new_types if isinstance(declared, ConnectionType)),
    )


async def _last_events(reader: Reader, domain: str, planned: OntologyDiff) -> _LastEvents:
    subjects = [subject_of_type(change.after) for change in planned.changed]
    subjects += [] if planned.description is None else ["ontology"]
    rows = await reader.read(LAST_EVENTS, domain=domain, subjects=subjects) if subjects else []
    events = {event.draft.subject: event for event in map(Event.from_row, rows)}
    if undeclared := [subject for subject in subjects if subject not in events]:
        hint = Hint("Remove it with {graph-memory reconcile --restore-all}, then apply the ontology again.")
        raise GraphError(Code.STORE_CONFLICT, f"{undeclared[0]} was not declared through graph-memory", {"hint": hint})
    return events


def growth_drafts(planned: OntologyDiff, last: _LastEvents) -> list[Draft]:
    """Return the drafts that change an ontology. Node types precede the connection types that may refer to them."""
    type_drafts = [_type_draft(change, last[subject_of_type(change.after)]) for change in planned.changed]
    ontology_event = last.get("ontology")
    return [
        *map(new_type_draft, planned.node_types),
        *(draft for draft in type_drafts if draft.kind is Kind.NODE_TYPE),
        *map(new_type_draft, planned.connection_types),
        *(draft for draft in type_drafts if draft.kind is Kind.CONNECTION_TYPE),
        *([_description_draft(ontology_event, planned.description or "")] if ontology_event else []),
    ]


def _type_draft(change: TypeChange, last: Event) -> Draft:
    kind = TYPE_OF[kind_of_type(change.after)]
    state = keep_declaration_order(type_state(change.after), last)
    return Draft(op=Op.UPDATE, kind=kind, subject=last.draft.subject, previous=last.seq, state=state)


def _description_draft(last: Event, description: str) -> Draft:
    state = {**(last.draft.state or {}), **ontology_state(Ontology(description=description))}
    state["_open"] = (last.draft.state or {}).get("_open", False)
    return Draft(op=Op.UPDATE, kind=Kind.ONTOLOGY, subject="ontology", previous=last.seq, state=state)


async def _migrate(core: Core, domain: str, ontology: Ontology) -> OntologyDiff:
    """Change the ontology in a job: check stored data, create keys, change the types, delete unneeded keys."""
    batch = await Batch.begin(core, domain, GROWING, {}, {}, reach=DomainScope.ONTOLOGY)
    try:
        core.log.forget(domain)
        planned = _plan_changes(await core.log.require_ontology(domain), ontology)
        await _check_stored_data(core, domain, planned)
        await _create_keys(batch, planned)
        drafts = growth_drafts(planned, await _last_events(core.store, domain, planned))
        if drafts:
            await batch.page(drafts)
    except GraphError:
        with suppress(GraphError):
            await _delete_surplus(batch)
        raise
    await _delete_surplus(batch)
    return planned


async def _check_stored_data(core: Core, domain: str, planned: OntologyDiff) -> None:
    """Raise TYPE_ALREADY_EXISTS if stored data violates the new rules. The error lists the rules, with examples."""
    stored = await read_stored(core.store, domain, planned.changed)
    pairs = [(stored_type, misfits) for stored_type in stored.values() if (misfits := stored_type.find_incompatible())]
    if pairs:
        error = incompatible_data_error(pairs)
        [message] = await with_titles(core, domain, [error.message])
        raise GraphError(error.code, message, error.details)


async def _create_keys(batch: Batch, planned: OntologyDiff) -> None:
    """Create the missing keys and inverse relationships that the new types need."""
    job = batch.job
    for change in planned.changed:
        await _create_inverses(batch, change)
        indexes = sorted({*indexes_of(change.before), *indexes_of(change.after)})
        if set(indexes) == set(indexes_of(change.before)):
            continue
        async for _, rows in stored_rows(batch.core.store, job.domain, change.after, properties_of(indexes)):
            for start in range(0, len(rows), PAGE):
                page = rows[start : start + PAGE]
                write = partial(put_keys, domain=job.domain, subject_type=change.after, indexes=indexes, rows=page)
                await job.step(job.progress, write)


async def _create_inverses(batch: Batch, change: TypeChange) -> None:
    name, job = materialized_type(change.after), batch.job
    if not name or not change.changes_inverses:
        return
    async for _, rows in stored_rows(batch.core.store, job.domain, change.after, []):
        ids = [row.id for row in rows]
        for start in range(0, len(ids), PAGE):
            page, kept_type = ids[start : start + PAGE], materialized_type(change.before)
            write = partial(put_inverses, domain=job.domain, name=name, ids=page, kept_type=kept_type)
            await job.step(job.progress, write)


async def _delete_surplus(batch: Batch) -> None:
    """Delete the keys and inverse relationships that no type needs, and end the job."""
    job, core = batch.job, batch.core
    core.log.forget(job.domain)
    ontology = await core.log.require_ontology(job.domain)
    types = [*ontology.node_types, *ontology.connection_types]
    needed = [
        [str(kind_of_type(declared)), declared.name, index_name(index)]
        for declared in types
        for index in indexes_of(declared)
    ]
    await _delete_in_steps(job, DROP_SURPLUS_KEYS, needed)
    await _delete_in_steps(job, DROP_SURPLUS_INVERSES, ontology.inverses)
    await batch.end()


async def _delete_in_steps(job: Job, statement: Query[int], needed: object) -> None:
    deleted = [SURPLUS_AT_ONCE]

    async def drop(transaction: Transaction) -> None:
        deleted[:] = await transaction.run(statement, domain=job.domain, needed=needed, limit=SURPLUS_AT_ONCE)

    while deleted == [SURPLUS_AT_ONCE]:
        await job.step(job.progress, drop)


def incompatible_data_error(unfit_types: Sequence[tuple[StoredType, Sequence[IncompatibleSubject]]]) -> GraphError:
    """Return the error for types that cannot change because stored data violates the new rules, with examples."""
    lines = [_describe_incompatible_subjects(stored, misfits) for stored, misfits in unfit_types]
    details = [
        {
            "type": stored.change.after.title,
            "demands": list(stored.change.demands),
            "stored": stored.count,
            "unfit": len({misfit.id for misfit in misfits}),
            "examples": [{"id": misfit.id, "reason": misfit.reason} for misfit in misfits[:MAX_EXAMPLES]],
        }
        for stored, misfits in unfit_types
    ]
    hint = "Nothing was changed. Change the stored data so that it follows these rules, or omit the rules."
    titles = [stored.change.after.title for stored, _ in unfit_types]
    return GraphError(
        Code.TYPE_ALREADY_EXISTS, "; ".join(lines), {"conflicts": titles, "changes": details, "hint": hint}
    )


def _describe_incompatible_subjects(stored: StoredType, misfits: Sequence[IncompatibleSubject]) -> str:
    title = stored.change.after.title
    count = len({misfit.id for misfit in misfits})
    counts = f"{count:,} of {stored.count:,} {stored.kind}s {'does' if count == 1 else 'do'} not fit"
    examples = "; ".join(f"{misfit.id}: {misfit.reason}" for misfit in misfits[:MAX_EXAMPLES])
    demands = ", ".join(stored.change.demands)
    return f"{title[0].upper()}{title[1:]} cannot change ({demands}): {counts} ({examples})"
