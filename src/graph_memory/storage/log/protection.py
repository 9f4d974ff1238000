"""Protection, asked of every write within its transaction: of what is appended to a log, of what a long job touches.

A domain says itself whether it is protected, and whether anything in it may be; who holds its lock, or knows where its
log stands, knows that too. So where nothing is protected a write costs nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft, Event, Head, Op, Origin
from graph_memory.model.subjects.kinds import ABOUT, DATA, Kind
from graph_memory.model.subjects.protection import PROTECTION, Guard, Protection, protection_from
from graph_memory.model.subjects.subjects import MODIFIED
from graph_memory.model.text.wording import shown
from graph_memory.model.values.exact import same_state
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

GUARDED = (Kind.NODE, Kind.CONNECTION)
"""What can be protected by itself."""


@dataclass(frozen=True, slots=True)
class ProtectedRow:
    """Something that is protected."""

    id: str
    protection: str


class Whole(Enum):
    """What of a domain a job touches that is about no single subject."""

    ONTOLOGY = "its ontology, its log or what is told of itself"
    MEMORIES = "nodes and connections; each page of changes is asked by itself"
    ALL = "all of it"


@dataclass(frozen=True, slots=True)
class One:
    """A job that takes one subject away."""

    subject: str


Reach = Whole | One

PROTECTED = query("log/protected", dict[str, Any])
AROUND = query("log/protected_around", str)
NODES = query("log/protected_nodes", ProtectedRow)
CONNECTIONS = query("log/protected_connections", ProtectedRow)


async def check_drafts(reader: Reader, head: Head, origin: Origin, drafts: Sequence[Draft]) -> None:
    """Raise PROTECTED for changes that protection forbids whoever asks for them."""
    guard = head.guard
    if guard.has_protected and (touched := _touched(drafts)):
        for last in await _protected(reader, head.domain, touched):
            _check_subject(head, origin, last, touched[last.draft.subject])
    if drafts and guard.domain is not None and guard.domain.holds(head.at):
        await _check_domain(reader, head, origin, guard.domain, drafts)


async def refusals(reader: Reader, head: Head, origin: Origin, subjects: Iterable[str]) -> Mapping[str, GraphError]:
    """Return which of these subjects may not be changed or taken away, each with the error; all, of a protected domain.

    Who has to say it of each by itself asks beforehand; what is written is asked all the same.
    """
    guard, names = head.guard, set(subjects)
    against: dict[str, GraphError] = {}
    whole = guard.domain
    if whole is not None and whole.holds(head.at) and not whole.lets_write(origin.actor):
        against = dict.fromkeys(names, _domain_refusal(head.domain, whole, of_memory=True))
    for last in await _protected(reader, head.domain, names) if guard.has_protected and names else ():
        protection = _protection(last)
        if protection.holds(head.at) and not protection.lets_write(origin.actor):
            against[last.draft.subject] = _subject_refusal(head.domain, last.draft.subject, protection)
    return against


async def check_job(reader: Reader, domain: str, guard: Guard, origin: Origin, reach: Reach) -> None:
    """Raise PROTECTED for a job that protection forbids whoever begins it."""
    now = datetime.now(UTC)
    for subject, protection in await _reached(reader, domain, guard, reach):
        if protection.holds(now) and not protection.lets_write(origin.actor):
            raise _subject_refusal(domain, subject, protection)
    if guard.domain is not None and guard.domain.holds(now) and not guard.domain.lets_write(origin.actor):
        raise _domain_refusal(domain, guard.domain, of_memory=reach is Whole.MEMORIES or isinstance(reach, One))


async def _reached(reader: Reader, domain: str, guard: Guard, reach: Reach) -> Iterable[tuple[str, Protection]]:
    """Return what is protected of what a job touches."""
    if not guard.has_protected:
        return []
    if isinstance(reach, One):
        subjects = await reader.read(AROUND, domain=domain, subject=reach.subject, about=[*ABOUT])
        found = await _protected(reader, domain, subjects)
        return [(one.draft.subject, _protection(one)) for one in found]
    if reach is not Whole.ALL:
        return []
    rows = [*await reader.read(NODES, domain=domain), *await reader.read(CONNECTIONS, domain=domain)]
    return [(row.id, protection_from(row.protection)) for row in rows]


def _touched(drafts: Sequence[Draft]) -> Mapping[str, Draft | None]:
    """Return what drafts change or take away; None are nodes that a neighbour leaves, or that something is about."""
    going = {draft.subject for draft in drafts if draft.op is Op.DELETE and draft.kind is Kind.NODE}
    gone = (draft for draft in drafts if draft.op is Op.DELETE and draft.kind is Kind.CONNECTION)
    detached = {end for draft in gone for end in _left_alone(draft, going)}
    detached |= {draft.from_id or "" for draft in drafts if draft.kind in ABOUT}
    changed = (draft for draft in drafts if draft.kind in GUARDED and draft.op in (Op.UPDATE, Op.DELETE))
    return {**dict.fromkeys(detached), **{draft.subject: draft for draft in changed}}


def _left_alone(draft: Draft, going: set[str]) -> Iterator[str]:
    ends = (draft.from_id, draft.to_id)
    for end, other in (ends, reversed(ends)):
        if end is not None and end not in going and other in going:
            yield end


async def _protected(reader: Reader, domain: str, subjects: Iterable[str]) -> Sequence[Event]:
    rows = await reader.read(PROTECTED, domain=domain, subjects=sorted(subjects))
    return [Event.from_row(row) for row in rows]


def _protection(last: Event) -> Protection:
    return protection_from(str((last.draft.state or {})[PROTECTION]))


def _check_subject(head: Head, origin: Origin, last: Event, draft: Draft | None) -> None:
    protection = _protection(last)
    if not protection.holds(head.at) or _may(origin, protection, last, draft):
        return
    raise _subject_refusal(head.domain, last.draft.subject, protection)


def _may(origin: Origin, protection: Protection, last: Event | None, draft: Draft | None) -> bool:
    """Say whether somebody may make a change: who may write, and of the protection alone who may lift it."""
    if protection.lets_write(origin.actor):
        return True
    is_lifting = last is not None and draft is not None and _changes_protection_alone(last, draft)
    return is_lifting and protection.lets_lift(origin.actor, at_command_line=origin.at_command_line)


def _changes_protection_alone(last: Event, draft: Draft) -> bool:
    ignored = MODIFIED | {PROTECTION}
    return draft.op is Op.UPDATE and same_state(last.draft.state or {}, draft.state or {}, ignored)


async def _check_domain(
    reader: Reader, head: Head, origin: Origin, protection: Protection, drafts: Sequence[Draft]
) -> None:
    last = None
    if [draft.kind for draft in drafts] == [Kind.DOMAIN] and not protection.lets_write(origin.actor):
        found = await _protected(reader, head.domain, [drafts[0].subject])
        last = found[0] if found else None
    if not _may(origin, protection, last, drafts[0]):
        raise _domain_refusal(head.domain, protection, of_memory=any(draft.kind in DATA for draft in drafts))


def _subject_refusal(domain: str, subject: str, protection: Protection) -> GraphError:
    message = f"Memory {shown(subject)} is read-only and cannot be modified"
    return protection.refusal(message, {"domain": domain, "id": shown(subject)})


def _domain_refusal(domain: str, protection: Protection, *, of_memory: bool) -> GraphError:
    message = f"Domain {domain} is read-only and cannot be modified"
    if of_memory:
        message = f"Cannot modify memory in read-only domain {domain}"
    return protection.refusal(message, {"domain": domain})
