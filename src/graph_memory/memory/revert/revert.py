"""Undoing changes: earlier states are written again, as new events. The log itself is never edited."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TypeVar, cast

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.paging import check_amount
from graph_memory.memory.changes.rules import RulesBroken, check_rules
from graph_memory.memory.changes.surroundings import LIVING, AttachedRow, attached_to, detaching
from graph_memory.memory.changes.values import UniqueValue
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import compacted, line_of, no_event
from graph_memory.memory.history.results import Operation, Reverted, RevertedChange, Skipped
from graph_memory.memory.revert.plan import plan
from graph_memory.memory.revert.type_users import users_of
from graph_memory.memory.revert.types import ontology_after
from graph_memory.memory.revert.values import OnConflict, Plan, Surroundings, Undo
from graph_memory.model.arguments import fault
from graph_memory.model.content import Content
from graph_memory.model.events import Draft, Event, Head, Op, Receipt
from graph_memory.model.kinds import Kind
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import indexed_rules
from graph_memory.model.properties import PropertyValue, key_value
from graph_memory.model.subjects import State, content_ref
from graph_memory.model.wording import quoted, shown
from graph_memory.storage.log.reads import last_event
from graph_memory.storage.queries import Query, query
from graph_memory.storage.schema import ensure_connection_type
from graph_memory.storage.store import Reader

R = TypeVar("R")

MOST = 250_000
"""Events that one call undoes: beyond what one transaction takes, in pages."""
READ_AT_ONCE = 2_000
"""Subjects that are looked at in one statement."""
EVENTS_AT_ONCE = 10_000
"""Events that one statement gives: the driver needs a tenth of a millisecond for each."""


@dataclass(frozen=True, slots=True)
class Selected:
    """An event to undo."""

    seq: int
    id: str
    op: str
    kind: str
    subject: str
    batch: str


@dataclass(frozen=True, slots=True)
class ChainRow:
    """A subject's events from the first that is to be undone on."""

    subject: str
    seqs: list[int]
    last: Mapping[str, object]
    previous: Mapping[str, object] | None
    text: str | None


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """Who has a unique value that a subject would get."""

    subject: str
    owner: str


SELECTED = query("revert/selected", Selected)
NAMED = query("revert/named", Selected)
TAKEN_ALONG = query("revert/taken_along", Selected)
CHAINS = query("revert/chains", ChainRow)
VALUE_OWNERS = query("revert/value_owners", OwnerRow)


class TypesReturn(Exception):  # noqa: N818 - it is no error: the revert is tried again once they have their constraints
    """Connection types that come back."""

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self.names = names


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which events to undo: those of the ids, or those of a stretch of the log and, if named, of a session."""

    ids: tuple[str, ...] | None = None
    first: int = 1
    last: int = 2**53
    session: str | None = None
    asked: str = ""
    """How the stretch was named."""

    async def events(self, reader: Reader, domain: str, most: int) -> list[Selected]:
        """Return the events in the order of the log.

        Raises EVENT_NOT_FOUND and INVALID_ARGUMENT, and TooMany when there are more than the most.
        """
        if self.ids is None:
            found = await self._stretch(reader, domain, most)
        else:
            found = await reader.read(NAMED, domain=domain, ids=list(self.ids))
            if missing := set(self.ids) - {event.id for event in found}:
                raise no_event((await line_of(reader, domain))[:1], min(missing))
            if gone := [event.seq for event in found if event.op == Op.SNAPSHOT]:
                raise compacted(domain, (await line_of(reader, domain))[0].compacted_to or max(gone))
        if self.session is not None and not found:
            message = f"Session {shown(self.session)} changed nothing in domain {domain}"
            raise fault("session", message, "memory_log shows the session of each change.")
        check_amount(len(found), most)
        return found

    async def _stretch(self, reader: Reader, domain: str, most: int) -> list[Selected]:
        found: list[Selected] = []
        first = self.first
        while len(found) <= most:
            span = {"first": first, "last": self.last, "session": self.session, "limit": EVENTS_AT_ONCE}
            rows = await reader.read(SELECTED, domain=domain, **span)
            found += rows
            if len(rows) < EVENTS_AT_ONCE:
                break
            first = rows[-1].seq + 1
        return found


@dataclass(slots=True)
class _Outcome:
    """What an attempt planned, and which connection types are known to have their constraints."""

    constrained: Collection[str]
    plan: Plan = field(default_factory=lambda: Plan((), (), Ontology()))


async def revert(core: Core, domain: str, selection: Selection, *, on_conflict: str, dry_run: bool) -> Reverted:
    """Undo the events that are selected, in one transaction. `History.revert` tells the rest.

    Raises TooMany when it does not take them.
    """
    choice = choice_of(on_conflict)
    barred: dict[str, str] = {}
    constrained: set[str] = set()
    while True:
        outcome = _Outcome(constrained)
        try:
            receipt = await _attempt(core, domain, selection, choice, barred, outcome, dry_run=dry_run)
        except RulesBroken as broken:
            barred.update(broken.reasons)
        except TypesReturn as returning:
            for name in returning.names:
                await ensure_connection_type(core.store, name)
            constrained.update(returning.names)
        else:
            return _told(receipt, outcome.plan, dry_run=dry_run)


async def _attempt(
    core: Core,
    domain: str,
    selection: Selection,
    choice: OnConflict,
    barred: Mapping[str, str],
    outcome: _Outcome,
    *,
    dry_run: bool,
) -> Receipt:
    async def read(reader: Reader, head: Head) -> tuple[list[Undo], Surroundings]:
        selected = await selection.events(reader, domain, paging.AT_ONCE)
        undos = await undos_of(core, reader, head, selected, most=paging.AT_ONCE)
        going = going_nodes(undos)
        attached = _by_node(await attached_to(reader, domain, going))
        return undos, await surroundings(reader, head, undos, attached)

    def decide(head: Head, found: tuple[list[Undo], Surroundings]) -> Sequence[Draft]:
        outcome.plan = plan(*found, head.at, choice, barred)
        returning = returning_types(outcome.plan) - set(outcome.constrained)
        if returning and not dry_run:
            raise TypesReturn(returning)
        return outcome.plan.drafts

    async def confirm(reader: Reader, events: Sequence[Event]) -> None:
        await check_rules(reader, domain, events, outcome.plan.ontology, in_turn=True)

    return await core.log.write("revert", domain, core.origin, read, decide, confirm=confirm, rehearse=dry_run)


def returning_types(planned: Plan) -> set[str]:
    """Return the names of connection types that come back."""
    types = (draft for draft in planned.drafts if (draft.kind, draft.op) == (Kind.CONNECTION_TYPE, Op.CREATE))
    return {str((draft.state or {})["_name"]) for draft in types}


async def undos_of(
    core: Core, reader: Reader, head: Head, selected: Sequence[Selected], *, most: int, until: int = 2**53
) -> list[Undo]:
    """Return what is to be undone, as the log has it until a number. Raises TooMany when that is more than the most."""
    gone = [
        {"node": event.subject, "batch": event.batch, "seq": event.seq}
        for event in selected
        if (event.kind, event.op) == (Kind.NODE, Op.DELETE)
    ]
    implied = await _taken_along(reader, head.domain, gone, most)
    own = {event.subject for event in selected}
    first: dict[str, int] = {}
    for event in sorted([*selected, *implied], key=lambda event: event.seq):
        first.setdefault(event.subject, event.seq)
    seqs = {event.seq for event in (*selected, *implied)}
    check_amount(len(seqs), most)
    wanted = [{"subject": subject, "first": seq} for subject, seq in first.items()]
    chains = await in_parts(reader, CHAINS, head.domain, subjects=wanted)
    undos = [await _undo(core, head, row, seqs, until, is_implied=row.subject not in own) for row in chains]
    known = ontology_after(head.ontology, (undo for undo in undos if undo.target is not None))
    undos = [replace(undo, unique=_unique(known, undo.last.draft, undo.target)) for undo in undos]
    owners = await _owners(reader, head.domain, undos)
    return [replace(undo, owners=tuple(owners.get(undo.subject, ()))) for undo in undos]


async def _taken_along(reader: Reader, domain: str, gone: Sequence[Mapping[str, object]], most: int) -> list[Selected]:
    """Return what was deleted with nodes, as far as there is not more than the most."""
    found: dict[int, Selected] = {}
    after = 0
    while gone and len(found) <= most:
        rows = await reader.read(TAKEN_ALONG, domain=domain, nodes=gone, after=after, limit=EVENTS_AT_ONCE)
        found |= {row.seq: row for row in rows}
        if len(rows) < EVENTS_AT_ONCE:
            break
        after = rows[-1].seq
    return list(found.values())


async def in_parts(reader: Reader, statement: Query[R], domain: str, **rows: Sequence[object]) -> list[R]:
    """Return what a statement gives for rows, of which it is given some at a time."""
    [(name, every)] = rows.items()
    found: list[R] = []
    for start in range(0, len(every), READ_AT_ONCE):
        found += await reader.read(statement, domain=domain, **{name: every[start : start + READ_AT_ONCE]})
    return found


async def _undo(core: Core, head: Head, row: ChainRow, selected: set[int], until: int, *, is_implied: bool) -> Undo:
    last = Event.from_row(row.last)
    previous = Event.from_row(row.previous) if row.previous else None
    target = previous.draft.state if previous else None
    return Undo(
        subject=row.subject,
        last=last,
        target=target,
        later=tuple(seq for seq in row.seqs if seq not in selected and seq <= until),
        is_implied=is_implied,
        content=await _content(core, head.domain, target, last.draft.state, row.text),
    )


async def _content(
    core: Core, domain: str, target: State | None, now: State | None, text: str | None
) -> Content | None:
    """Return the content that the subject gets back, None where it has that now."""
    wanted, present = content_ref(target or {}), content_ref(now or {})
    if wanted is None or wanted.is_same(present):
        return None
    return await core.contents.fetch(domain, wanted, text)


def _unique(ontology: Ontology, draft: Draft, target: State | None) -> frozenset[UniqueValue]:
    rules = [rule for rule in indexed_rules(draft.kind, draft.type or "", ontology) if rule.unique]
    values = cast("Mapping[str, PropertyValue]", target or {})
    return frozenset(
        UniqueValue(draft.kind, draft.type or "", rule.name, key_value(values[rule.name]))
        for rule in rules
        if rule.name in values
    )


async def _owners(reader: Reader, domain: str, undos: Sequence[Undo]) -> Mapping[str, Sequence[str]]:
    """Return who else has the unique values that each subject would get."""
    rows = [{"subject": undo.subject, **asdict(value)} for undo in undos for value in undo.unique]
    owners: dict[str, list[str]] = {}
    for found in await in_parts(reader, VALUE_OWNERS, domain, rows=rows):
        owners.setdefault(found.subject, []).append(found.owner)
    return owners


def going_nodes(undos: Sequence[Undo]) -> list[str]:
    """Return the nodes that would be deleted."""
    return [u.subject for u in undos if u.kind is Kind.NODE and u.target is None and u.is_live]


def _by_node(rows: Sequence[AttachedRow]) -> dict[str, list[Draft]]:
    attached: dict[str, list[Draft]] = {}
    for row in rows:
        attached.setdefault(row.node, []).append(detaching(row))
    return attached


async def surroundings(
    reader: Reader, head: Head, undos: Sequence[Undo], attached: Mapping[str, Sequence[Draft]]
) -> Surroundings:
    """Return what lives around the subjects, given what is attached to the nodes that would go."""
    domain = head.domain
    ends = sorted({end for undo in undos if undo.target is not None for end in undo.ends})
    living = await in_parts(reader, LIVING, domain, ids=ends)
    types = [undo for undo in undos if undo.is_type and undo.target is None and undo.is_live]
    return Surroundings(
        ontology=head.ontology,
        living={row.id: row.type for row in living},
        attached=attached,
        users=await users_of(reader, domain, types, undos, attached),
        ontology_event=await last_event(reader, domain, "ontology") if types else None,
    )


def _told(receipt: Receipt, planned: Plan, *, dry_run: bool) -> Reverted:
    return Reverted(
        dry_run=dry_run,
        batch=receipt.batch if receipt.changes and not dry_run else None,
        changes=tuple(
            RevertedChange(
                subject=change.subject,
                kind=change.kind,
                operation=cast("Operation", str(change.op)),
                seq=change.seq,
            )
            for change in receipt.changes
            if change.kind is not Kind.ONTOLOGY
        ),
        skipped=tuple(Skipped(subject=conflict.subject, reason=conflict.reason) for conflict in planned.skipped),
    )


def choice_of(given: str) -> OnConflict:
    """Return what to do about conflicts. Raises INVALID_ARGUMENT."""
    try:
        return OnConflict(given)
    except ValueError:
        message = f"{quoted(given)} is not a choice"
        raise fault("on_conflict", message, "Use stop, skip or force.") from None
