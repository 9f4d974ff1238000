"""Checks protections in the transaction of every write, and at the start of every job.

The domain stores whether it is protected, and whether it may have protected subjects. Writers read this with the lock
or from the cached head, so the check costs nothing if nothing is protected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft, Event, Head, Op, Origin
from graph_memory.model.subjects.kinds import ATTACHED_TO_ONE_NODE, DATA, Kind
from graph_memory.model.subjects.protection import PROTECTION, Protection, Protections, parse_protection
from graph_memory.model.subjects.subjects import MODIFIED
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.exact import same_state
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

GUARDED = (Kind.NODE, Kind.CONNECTION)
"""The kinds of subjects that can be protected."""


@dataclass(frozen=True, slots=True)
class ProtectedRow:
    """The id of a protected node or connection, and its protection as JSON text."""

    id: str
    protection: str


class DomainScope(Enum):
    """The part of a domain that a job changes. It must not be protected."""

    ONTOLOGY = "its ontology, its log or its own attributes"
    MEMORIES = "nodes and connections; each page of changes is checked separately"
    ALL = "everything"


@dataclass(frozen=True, slots=True)
class SubjectScope:
    """The scope of a job that deletes one subject. It includes the nodes to which the subject is attached."""

    subject: str


Reach = DomainScope | SubjectScope

PROTECTED = query("log/protected", dict[str, Any])
AFFECTED = query("log/protected_around", str)
NODES = query("log/protected_nodes", ProtectedRow)
CONNECTIONS = query("log/protected_connections", ProtectedRow)


async def check_drafts(reader: Reader, head: Head, origin: Origin, drafts: Sequence[Draft]) -> None:
    """Raise PROTECTED if the protection of the domain or of an affected subject forbids the actor these changes."""
    protections = head.protections
    if protections.has_protected and (affected_subjects := _affected_subjects(drafts)):
        for last in await _read_protected(reader, head.domain, affected_subjects):
            protection, draft = _protection(last), affected_subjects[last.draft.subject]
            if protection.is_active(head.at) and not _is_permitted(origin, protection, last, draft):
                raise _subject_error(head.domain, last.draft.kind, last.draft.subject, protection)
    if drafts and protections.domain is not None and protections.domain.is_active(head.at):
        await _check_domain(reader, head, origin, protections.domain, drafts)


async def protection_errors(
    reader: Reader, head: Head, origin: Origin, subjects: Iterable[str]
) -> Mapping[str, GraphError]:
    """Return a PROTECTED error for each subject that the actor may not change, by subject id.

    In a protected domain, that may be every subject. Use this to report each rejected subject. The write itself is
    checked anyway.
    """
    protections, names = head.protections, set(subjects)
    errors: dict[str, GraphError] = {}
    domain_protection = protections.domain
    if (
        domain_protection is not None
        and domain_protection.is_active(head.at)
        and not domain_protection.allows_write(origin.actor)
    ):
        errors = dict.fromkeys(names, _domain_error(head.domain, domain_protection, concerns_memory=True))
    for last in await _read_protected(reader, head.domain, names) if protections.has_protected and names else ():
        protection = _protection(last)
        if protection.is_active(head.at) and not protection.allows_write(origin.actor):
            errors[last.draft.subject] = _subject_error(head.domain, last.draft.kind, last.draft.subject, protection)
    return errors


async def check_job(reader: Reader, domain: str, protections: Protections, origin: Origin, scope: Reach) -> None:
    """Raise PROTECTED if a protection of the domain or in the job's scope forbids the actor to run the job."""
    now = datetime.now(UTC)
    for kind, subject, protection in await _read_protected_in(reader, domain, protections, scope):
        if protection.is_active(now) and not protection.allows_write(origin.actor):
            raise _subject_error(domain, kind, subject, protection)
    if (
        protections.domain is not None
        and protections.domain.is_active(now)
        and not protections.domain.allows_write(origin.actor)
    ):
        raise _domain_error(
            domain, protections.domain, concerns_memory=scope is DomainScope.MEMORIES or isinstance(scope, SubjectScope)
        )


async def _read_protected_in(
    reader: Reader, domain: str, protections: Protections, scope: Reach
) -> Iterable[tuple[Kind, str, Protection]]:
    """Return the protected subjects that a job with this scope would change, with their kind and protection."""
    if not protections.has_protected:
        return []
    if isinstance(scope, SubjectScope):
        subjects = await reader.read(AFFECTED, domain=domain, subject=scope.subject, about=[*ATTACHED_TO_ONE_NODE])
        events = await _read_protected(reader, domain, subjects)
        return [(event.draft.kind, event.draft.subject, _protection(event)) for event in events]
    if scope is not DomainScope.ALL:
        return []
    nodes, connections = await reader.read(NODES, domain=domain), await reader.read(CONNECTIONS, domain=domain)
    kinds_and_rows = [*((Kind.NODE, row) for row in nodes), *((Kind.CONNECTION, row) for row in connections)]
    return [(kind, row.id, parse_protection(row.protection)) for kind, row in kinds_and_rows]


def _affected_subjects(drafts: Sequence[Draft]) -> Mapping[str, Draft | None]:
    """Return the drafts that change or delete nodes and connections, by subject id.

    A node whose only change is in its neighbours, observations or links has None as its draft.
    """
    deleted_nodes = {draft.subject for draft in drafts if draft.op is Op.DELETE and draft.kind is Kind.NODE}
    deleted_connections = (draft for draft in drafts if draft.op is Op.DELETE and draft.kind is Kind.CONNECTION)
    detached = {end for draft in deleted_connections for end in _remaining_ends(draft, deleted_nodes)}
    detached |= {draft.from_id or "" for draft in drafts if draft.kind in ATTACHED_TO_ONE_NODE}
    changed_drafts = (draft for draft in drafts if draft.kind in GUARDED and draft.op in (Op.UPDATE, Op.DELETE))
    return {**dict.fromkeys(detached), **{draft.subject: draft for draft in changed_drafts}}


def _remaining_ends(draft: Draft, deleted_nodes: set[str]) -> Iterator[str]:
    ends = (draft.from_id, draft.to_id)
    for end, other in (ends, reversed(ends)):
        if end is not None and end not in deleted_nodes and other in deleted_nodes:
            yield end


async def _read_protected(reader: Reader, domain: str, subjects: Iterable[str]) -> Sequence[Event]:
    rows = await reader.read(PROTECTED, domain=domain, subjects=sorted(subjects))
    return [Event.from_row(row) for row in rows]


def _protection(last: Event) -> Protection:
    return parse_protection(str((last.draft.state or {})[PROTECTION]))


def _is_permitted(origin: Origin, protection: Protection, last: Event | None, draft: Draft | None) -> bool:
    """Return whether the protection allows the actor the change.

    If the draft changes only the protection itself, the right to lift the protection is sufficient.
    """
    if protection.allows_write(origin.actor):
        return True
    if last is None or draft is None or draft.op is not Op.UPDATE:
        return False
    ignored = MODIFIED | {PROTECTION}
    is_lifting = same_state(last.draft.state or {}, draft.state or {}, ignored)
    return is_lifting and protection.allows_lift(origin.actor, at_command_line=origin.at_command_line)


async def _check_domain(
    reader: Reader, head: Head, origin: Origin, protection: Protection, drafts: Sequence[Draft]
) -> None:
    last = None
    if [draft.kind for draft in drafts] == [Kind.DOMAIN] and not protection.allows_write(origin.actor):
        events = await _read_protected(reader, head.domain, [drafts[0].subject])
        last = events[0] if events else None
    if not _is_permitted(origin, protection, last, drafts[0]):
        raise _domain_error(head.domain, protection, concerns_memory=any(draft.kind in DATA for draft in drafts))


def _subject_error(domain: str, kind: Kind, subject: str, protection: Protection) -> GraphError:
    message = f"{str(kind).capitalize()} {quote(subject)} is protected against changes"
    return protection.protected_error(message, {"domain": domain, "id": printable(subject)})


def _domain_error(domain: str, protection: Protection, *, concerns_memory: bool) -> GraphError:
    message = f"Domain {quote(domain)} is protected against changes"
    if concerns_memory:
        message = f"The memories of domain {quote(domain)} are protected against changes"
    return protection.protected_error(message, {"domain": domain})
