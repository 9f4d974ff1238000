"""Checks protection in the transaction of every write, and at the start of every job.

The domain stores whether it is protected, and whether it may have protected subjects. Writers read this together with
the lock or from the cached head, so the check costs nothing if nothing is protected.
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
from graph_memory.model.subjects.protection import PROTECTION, DomainProtections, Protection, parse_protection
from graph_memory.model.subjects.subjects import MODIFIED
from graph_memory.model.text.wording import printable
from graph_memory.model.values.exact import same_state
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

GUARDED = (Kind.NODE, Kind.CONNECTION)
"""The kinds of subjects that can be protected."""


@dataclass(frozen=True, slots=True)
class ProtectedRow:
    """A protected subject."""

    id: str
    protection: str


class DomainScope(Enum):
    """The part of a domain that a job changes."""

    ONTOLOGY = "its ontology, its log or its own attributes"
    MEMORIES = "nodes and connections; each page of changes is checked separately"
    ALL = "everything"


@dataclass(frozen=True, slots=True)
class SubjectScope:
    """The scope of a job that deletes one subject."""

    subject: str


Reach = DomainScope | SubjectScope

PROTECTED = query("log/protected", dict[str, Any])
AFFECTED = query("log/protected_around", str)
NODES = query("log/protected_nodes", ProtectedRow)
CONNECTIONS = query("log/protected_connections", ProtectedRow)


async def check_drafts(reader: Reader, head: Head, origin: Origin, drafts: Sequence[Draft]) -> None:
    """Raise PROTECTED if protection forbids the actor to make these changes."""
    protections = head.protections
    if protections.has_protected and (touched := _affected_subjects(drafts)):
        for last in await _read_protected(reader, head.domain, touched):
            _check_subject(head, origin, last, touched[last.draft.subject])
    if drafts and protections.domain is not None and protections.domain.is_active(head.at):
        await _check_domain(reader, head, origin, protections.domain, drafts)


async def refusals(reader: Reader, head: Head, origin: Origin, subjects: Iterable[str]) -> Mapping[str, GraphError]:
    """Return the errors by subject for subjects that may not be changed. In a protected domain, these are all.

    For callers that report refusals by subject. The write itself is checked in any case.
    """
    protections, names = head.protections, set(subjects)
    errors: dict[str, GraphError] = {}
    domain_protection = protections.domain
    if (
        domain_protection is not None
        and domain_protection.is_active(head.at)
        and not domain_protection.allows_write(origin.actor)
    ):
        errors = dict.fromkeys(names, _domain_refusal(head.domain, domain_protection, of_memory=True))
    for last in await _read_protected(reader, head.domain, names) if protections.has_protected and names else ():
        protection = _protection(last)
        if protection.is_active(head.at) and not protection.allows_write(origin.actor):
            errors[last.draft.subject] = _subject_refusal(head.domain, last.draft.subject, protection)
    return errors


async def check_job(reader: Reader, domain: str, protections: DomainProtections, origin: Origin, scope: Reach) -> None:
    """Raise PROTECTED if protection forbids the actor to run the job."""
    now = datetime.now(UTC)
    for subject, protection in await _read_protected_in(reader, domain, protections, scope):
        if protection.is_active(now) and not protection.allows_write(origin.actor):
            raise _subject_refusal(domain, subject, protection)
    if (
        protections.domain is not None
        and protections.domain.is_active(now)
        and not protections.domain.allows_write(origin.actor)
    ):
        raise _domain_refusal(
            domain, protections.domain, of_memory=scope is DomainScope.MEMORIES or isinstance(scope, SubjectScope)
        )


async def _read_protected_in(
    reader: Reader, domain: str, protections: DomainProtections, scope: Reach
) -> Iterable[tuple[str, Protection]]:
    """Return the protected subjects that a job with this scope changes, with their protection."""
    if not protections.has_protected:
        return []
    if isinstance(scope, SubjectScope):
        subjects = await reader.read(AFFECTED, domain=domain, subject=scope.subject, about=[*ABOUT])
        events = await _read_protected(reader, domain, subjects)
        return [(event.draft.subject, _protection(event)) for event in events]
    if scope is not DomainScope.ALL:
        return []
    rows = [*await reader.read(NODES, domain=domain), *await reader.read(CONNECTIONS, domain=domain)]
    return [(row.id, parse_protection(row.protection)) for row in rows]


def _affected_subjects(drafts: Sequence[Draft]) -> Mapping[str, Draft | None]:
    """Return the drafts by affected subject. A node that only loses a neighbour or an observation has None."""
    deleted_nodes = {draft.subject for draft in drafts if draft.op is Op.DELETE and draft.kind is Kind.NODE}
    deletions = (draft for draft in drafts if draft.op is Op.DELETE and draft.kind is Kind.CONNECTION)
    detached = {end for draft in deletions for end in _ends_left(draft, deleted_nodes)}
    detached |= {draft.from_id or "" for draft in drafts if draft.kind in ABOUT}
    changed = (draft for draft in drafts if draft.kind in GUARDED and draft.op in (Op.UPDATE, Op.DELETE))
    return {**dict.fromkeys(detached), **{draft.subject: draft for draft in changed}}


def _ends_left(draft: Draft, deleted_nodes: set[str]) -> Iterator[str]:
    ends = (draft.from_id, draft.to_id)
    for end, other in (ends, reversed(ends)):
        if end is not None and end not in deleted_nodes and other in deleted_nodes:
            yield end


async def _read_protected(reader: Reader, domain: str, subjects: Iterable[str]) -> Sequence[Event]:
    rows = await reader.read(PROTECTED, domain=domain, subjects=sorted(subjects))
    return [Event.from_row(row) for row in rows]


def _protection(last: Event) -> Protection:
    return parse_protection(str((last.draft.state or {})[PROTECTION]))


def _check_subject(head: Head, origin: Origin, last: Event, draft: Draft | None) -> None:
    protection = _protection(last)
    if not protection.is_active(head.at) or _is_permitted(origin, protection, last, draft):
        return
    raise _subject_refusal(head.domain, last.draft.subject, protection)


def _is_permitted(origin: Origin, protection: Protection, last: Event | None, draft: Draft | None) -> bool:
    """Return whether the actor may change the subject or, if the change only lifts the protection, may lift it."""
    if protection.allows_write(origin.actor):
        return True
    is_lifting = last is not None and draft is not None and _changes_protection_alone(last, draft)
    return is_lifting and protection.allows_lift(origin.actor, at_command_line=origin.at_command_line)


def _changes_protection_alone(last: Event, draft: Draft) -> bool:
    ignored = MODIFIED | {PROTECTION}
    return draft.op is Op.UPDATE and same_state(last.draft.state or {}, draft.state or {}, ignored)


async def _check_domain(
    reader: Reader, head: Head, origin: Origin, protection: Protection, drafts: Sequence[Draft]
) -> None:
    last = None
    if [draft.kind for draft in drafts] == [Kind.DOMAIN] and not protection.allows_write(origin.actor):
        events = await _read_protected(reader, head.domain, [drafts[0].subject])
        last = events[0] if events else None
    if not _is_permitted(origin, protection, last, drafts[0]):
        raise _domain_refusal(head.domain, protection, of_memory=any(draft.kind in DATA for draft in drafts))


def _subject_refusal(domain: str, subject: str, protection: Protection) -> GraphError:
    message = f"Memory {printable(subject)} is read-only and cannot be modified"
    return protection.refusal(message, {"domain": domain, "id": printable(subject)})


def _domain_refusal(domain: str, protection: Protection, *, of_memory: bool) -> GraphError:
    message = f"Domain {domain} is read-only and cannot be modified"
    if of_memory:
        message = f"Cannot modify memory in read-only domain {domain}"
    return protection.refusal(message, {"domain": domain})
