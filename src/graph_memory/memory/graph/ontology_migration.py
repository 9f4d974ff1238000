"""Applying an ontology to a domain: it begins with it, or grows by the types that it lacks and that change.

What only adds, or only allows more, is one write. Where a change asks more of what is stored, or indexes other
properties or materializes other inverses, the domain is busy meanwhile: everything stored is looked at first, then the
keys and second relationships are made that will be needed, and only then the types change, in one transaction. So no
query uses an index before it is complete, and what nothing needs any more goes afterwards. What was cut off is ended by
whatever ontology is applied next: what the types do not need, as they are then, goes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from graph_memory.memory.changes.context import read_stored, stored_rows
from graph_memory.memory.changes.inverses import put_inverses
from graph_memory.memory.changes.keys import put_keys
from graph_memory.memory.changes.paging import PAGE, Batch, goes_on
from graph_memory.memory.changes.stored_data_check import Misfit, Stored, StoredRow
from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import with_titles
from graph_memory.memory.graph.ontology import begins, check_ontology, decide_ontology, last_declared
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Head, Op, in_its_place
from graph_memory.model.ontology.indexes import Index, index_name, indexes_of, properties_of
from graph_memory.model.ontology.inheritance import check_inherited, is_begun, new_to
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology
from graph_memory.model.ontology.ontology_diff import Growth, TypeChange, growth, materialized, told_change
from graph_memory.model.ontology.types import AnyType, kind_of_type, subject_of_type, type_state
from graph_memory.model.projection import new_type_draft, ontology_state
from graph_memory.model.results import OntologyApplied
from graph_memory.model.subjects.kinds import TYPE_OF, Kind
from graph_memory.ontologies import with_standard_types
from graph_memory.storage.log.jobs import GROWING, Job
from graph_memory.storage.log.ontologies import HEAD
from graph_memory.storage.log.protection import Whole
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.log.work import Decision
from graph_memory.storage.queries import Query, query
from graph_memory.storage.schema import ensure_connection_type
from graph_memory.storage.store import Reader, Transaction

DROP_SURPLUS_KEYS = query("graph/drop_surplus_keys", int)
DROP_SURPLUS_INVERSES = query("graph/drop_surplus_inverses", int)
SURPLUS_AT_ONCE = 10_000
"""Keys, or second relationships, that one transaction deletes."""
EXAMPLES = 3
"""Things stored that a refusal names, of each type."""
_Last = Mapping[str, Event]
"""The last events of the types that change, and of the ontology."""


class _Looks(Exception):  # noqa: N818 - it is no error: the change is made step by step
    """Ends a write that has to look at what is stored."""


async def apply_ontology(core: Core, domain: str, wanted: Ontology) -> OntologyApplied:
    """Make the types of a domain what an ontology declares. `Memory.apply_ontology` tells the rest."""
    check_ontology(wanted)
    planned = _planned(await core.log.ontology(domain) or Ontology(), wanted)
    for connection_type in planned.connection_types:
        await ensure_connection_type(core.store, connection_type.name)

    async def read(reader: Reader, head: Head) -> _Last:
        if begins(head):
            last = await last_declared(reader, head)
            return {"ontology": last} if last else {}
        return await _last_events(reader, domain, growth(head.ontology, wanted))

    def decide(head: Head, last: _Last) -> Decision[tuple[Growth, bool]]:
        planned = _planned(head.ontology, wanted)
        if _looks(planned):
            raise _Looks
        if begins(head):
            return Decision(
                decide_ontology(head, with_standard_types(wanted, head.ontology), last.get("ontology")), (planned, True)
            )
        return Decision(growth_drafts(planned, last), (planned, False))

    try:
        written = await core.log.write("apply_ontology", domain, core.origin, read, decide, creates_domain=True)
        planned, created = written.report
    except GraphError as error:
        if not goes_on(error, GROWING):
            raise
        await _tidy(await Batch.begin(core, domain, GROWING, {}, {}, reach=Whole.ONTOLOGY))
        return await apply_ontology(core, domain, wanted)
    except _Looks:
        planned, created = await _grow(core, domain, wanted), False
    head = await core.store.one(HEAD, domain=domain)
    return OntologyApplied(
        version=head.ontology_version if head else 0,
        created=created,
        node_types=tuple(declared.name for declared in planned.node_types),
        connection_types=tuple(declared.name for declared in planned.connection_types),
        changed=tuple(
            f"{change.after.title}: {told_change(change.before, change.after)}" for change in planned.changed
        ),
    )


def _planned(present: Ontology, wanted: Ontology) -> Growth:
    """Return how an ontology changes. Raises TYPE_ALREADY_EXISTS for a type that a domain above defines otherwise."""
    if is_begun(present):
        planned = growth(present, wanted)
        check_inherited(present, [change.after for change in planned.changed])
        return planned
    first = with_standard_types(wanted, present)
    new = new_to(present, (*first.node_types, *first.connection_types))
    return Growth(
        tuple(type_ for type_ in new if isinstance(type_, NodeType)),
        tuple(type_ for type_ in new if isinstance(type_, ConnectionType)),
    )


def _looks(planned: Growth) -> bool:
    """Say whether a change concerns what is stored, or what is indexed of it."""
    return any(change.demands or change.changes_derived for change in planned.changed)


async def _last_events(reader: Reader, domain: str, planned: Growth) -> _Last:
    subjects = [subject_of_type(change.after) for change in planned.changed]
    subjects += [] if planned.description is None else ["ontology"]
    rows = await reader.read(LAST_EVENTS, domain=domain, subjects=subjects) if subjects else []
    events = {event.draft.subject: event for event in map(Event.from_row, rows)}
    if strange := [subject for subject in subjects if subject not in events]:
        hint = Hint("Remove it with {graph-memory reconcile --restore-all}, then apply the ontology again.")
        raise GraphError(Code.STORE_CONFLICT, f"{strange[0]} was not declared through graph-memory", {"hint": hint})
    return events


def growth_drafts(planned: Growth, last: _Last) -> list[Draft]:
    """Return the events that make an ontology grow: types in the order in which they need each other."""
    changed = [_changed(change, last[subject_of_type(change.after)]) for change in planned.changed]
    described = last.get("ontology")
    return [
        *map(new_type_draft, planned.node_types),
        *(draft for draft in changed if draft.kind is Kind.NODE_TYPE),
        *map(new_type_draft, planned.connection_types),
        *(draft for draft in changed if draft.kind is Kind.CONNECTION_TYPE),
        *([_described(described, planned.description or "")] if described else []),
    ]


def _changed(change: TypeChange, last: Event) -> Draft:
    kind = TYPE_OF[kind_of_type(change.after)]
    state = in_its_place(type_state(change.after), last)
    return Draft(op=Op.UPDATE, kind=kind, subject=last.draft.subject, previous=last.seq, state=state)


def _described(last: Event, description: str) -> Draft:
    state = {**(last.draft.state or {}), **ontology_state(Ontology(description=description))}
    state["_open"] = (last.draft.state or {}).get("_open", False)
    return Draft(op=Op.UPDATE, kind=Kind.ONTOLOGY, subject="ontology", previous=last.seq, state=state)


async def _grow(core: Core, domain: str, wanted: Ontology) -> Growth:
    """Grow step by step."""
    batch = await Batch.begin(core, domain, GROWING, {}, {}, reach=Whole.ONTOLOGY)
    try:
        core.log.forget(domain)
        planned = _planned(await core.log.require_ontology(domain), wanted)
        await _check(core, domain, planned)
        await _fill(batch, planned)
        drafts = growth_drafts(planned, await _last_events(core.store, domain, planned))
        if drafts:
            await batch.page(drafts)
    except GraphError:
        with suppress(GraphError):
            await _tidy(batch)
        raise
    await _tidy(batch)
    return planned


async def _check(core: Core, domain: str, planned: Growth) -> None:
    """Raise TYPE_ALREADY_EXISTS, with what would have to be true, unless everything stored fits."""
    stored = await read_stored(core.store, domain, planned.changed)
    pairs = [(one, misfits) for one in stored.values() if (misfits := one.misfits())]
    if pairs:
        error = unfit(pairs)
        [message] = await with_titles(core, domain, [error.message])
        raise GraphError(error.code, message, error.details)


async def _fill(batch: Batch, planned: Growth) -> None:
    """Make the keys and second relationships that the types will need; those that they need now stay."""
    job = batch.job
    for change in planned.changed:
        await _fill_inverses(batch, change)
        indexes = sorted({*indexes_of(change.before), *indexes_of(change.after)})
        if set(indexes) == set(indexes_of(change.before)):
            continue
        async for _, rows in stored_rows(batch.core.store, job.domain, change.after, properties_of(indexes)):
            for start in range(0, len(rows), PAGE):
                page = rows[start : start + PAGE]
                await job.step(job.progress, partial(_put, job.domain, change.after, indexes, page))


async def _fill_inverses(batch: Batch, change: TypeChange) -> None:
    name, job = materialized(change.after), batch.job
    if not name or not change.changes_inverses:
        return
    async for _, rows in stored_rows(batch.core.store, job.domain, change.after, []):
        ids = [row.id for row in rows]
        for start in range(0, len(ids), PAGE):
            page = ids[start : start + PAGE]
            await job.step(job.progress, partial(_put_inverses, job.domain, name, materialized(change.before), page))


async def _put_inverses(domain: str, name: str, stays: str, ids: Sequence[str], transaction: Transaction) -> None:
    await put_inverses(transaction, domain, name, ids, stays=stays)


async def _put(
    domain: str, declared: AnyType, indexes: Sequence[Index], rows: Sequence[StoredRow], transaction: Transaction
) -> None:
    await put_keys(transaction, domain, declared, indexes, rows)


async def _tidy(batch: Batch) -> None:
    """Delete what the types do not need as they are now, and let the domain be written again."""
    job, core = batch.job, batch.core
    core.log.forget(job.domain)
    ontology = await core.log.require_ontology(job.domain)
    types = [*ontology.node_types, *ontology.connection_types]
    needed = [
        [str(kind_of_type(type_)), type_.name, index_name(index)] for type_ in types for index in indexes_of(type_)
    ]
    await _drop(job, DROP_SURPLUS_KEYS, needed)
    await _drop(job, DROP_SURPLUS_INVERSES, ontology.inverses)
    await batch.end()


async def _drop(job: Job, statement: Query[int], needed: object) -> None:
    """Delete all that is not needed, some at a time."""
    numbers = [SURPLUS_AT_ONCE]

    async def drop(transaction: Transaction) -> None:
        numbers[:] = await transaction.run(statement, domain=job.domain, needed=needed, limit=SURPLUS_AT_ONCE)

    while numbers == [SURPLUS_AT_ONCE]:
        await job.step(job.progress, drop)


def unfit(found: Sequence[tuple[Stored, Sequence[Misfit]]]) -> GraphError:
    """Return the error for types that cannot change because of what is stored, with the first examples."""
    lines = [_told(stored, misfits) for stored, misfits in found]
    details = [
        {
            "type": stored.change.after.title,
            "demands": list(stored.change.demands),
            "stored": stored.count,
            "unfit": len({misfit.id for misfit in misfits}),
            "examples": [{"id": misfit.id, "reason": misfit.reason} for misfit in misfits[:EXAMPLES]],
        }
        for stored, misfits in found
    ]
    hint = "Nothing was changed. Change what is stored so that it fits, or leave these rules out."
    titles = [stored.change.after.title for stored, _ in found]
    return GraphError(
        Code.TYPE_ALREADY_EXISTS, "; ".join(lines), {"conflicts": titles, "changes": details, "hint": hint}
    )


def _told(stored: Stored, misfits: Sequence[Misfit]) -> str:
    title = stored.change.after.title
    count = len({misfit.id for misfit in misfits})
    what = f"{count:,} of {stored.count:,} {stored.kind}s {'does' if count == 1 else 'do'} not fit"
    shown = "; ".join(f"{misfit.id}: {misfit.reason}" for misfit in misfits[:EXAMPLES])
    demands = ", ".join(stored.change.demands)
    return f"{title[0].upper()}{title[1:]} cannot change ({demands}): {what} ({shown})"
