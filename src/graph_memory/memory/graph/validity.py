"""Sets the period in which a node or connection is true in the world. It is independent of the times in the log."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from graph_memory.memory.changes.plan import Changeset, Context, node_not_found_error
from graph_memory.memory.changes.rules import find_broken_rules
from graph_memory.memory.core import Core, check_version, last_state, version_after
from graph_memory.memory.graph import connections, nodes
from graph_memory.model.events import Draft, Head, Op
from graph_memory.model.results import ChangeResult
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import MODIFIED, ConnectionState, NodeState, Validity
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.time.points import parse_instant
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.exact import same_state
from graph_memory.storage.log.work import Decision
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.store import Reader

OPEN = "open"
"""The value of `valid_from` or `valid_to` that removes the start or end of the period."""

Subject = NodeState | ConnectionState


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidityEdit:
    """The new start and end of a validity period. Each is a time, OPEN to remove it, or None to keep it."""

    valid_from: datetime | str | None
    valid_to: datetime | str | None
    expected_version: int | None

    def apply_to(self, before: Validity) -> Validity:
        """Return the new validity period. Raises INVALID_ARGUMENT if it would not end after it starts."""
        after = Validity(
            valid_from=_new_bound(self.valid_from, before.valid_from),
            valid_to=_new_bound(self.valid_to, before.valid_to),
        )
        if after.valid_from is not None and after.valid_to is not None and after.valid_to <= after.valid_from:
            message = f"The validity would end at {rfc3339(after.valid_to)}, but start at {rfc3339(after.valid_from)}"
            raise invalid_argument("valid_to", message, 'Pass a later valid_to, an earlier valid_from, or "open".')
        return after


def edit_of(
    *, valid_from: datetime | str | None, valid_to: datetime | str | None, expected_version: int | None
) -> ValidityEdit:
    """Validate a change to a validity period, and return it.

    Raises INVALID_ARGUMENT if a time is invalid or both are None.
    """
    if valid_from is None and valid_to is None:
        hint = 'Pass at least one of them: a time, or "open" to remove it.'
        raise invalid_argument("valid_to", "Neither valid_from nor valid_to was given", hint)
    now = utc_now()

    def read(argument: str, value: datetime | str | None) -> datetime | str | None:
        return value if value is None or value == OPEN else parse_instant(argument, value, now)

    return ValidityEdit(
        valid_from=read("valid_from", valid_from),
        valid_to=read("valid_to", valid_to),
        expected_version=expected_version,
    )


async def set_validity(core: Core, domain: str, subject_id: str, edit: ValidityEdit) -> ChangeResult:
    """Set the validity of a node or connection. See `Memory.set_validity`.

    Raises CONNECTION_ALREADY_EXISTS if a connection and its inverse would be valid at the same time.
    """

    async def read(reader: Reader, head: Head) -> tuple[Subject, Context]:
        subject = await _read_subject(reader, domain, subject_id)
        broken = await find_broken_rules(reader, domain, [validity_draft(head, subject, edit)], head.ontology)
        return subject, Context(ontology=head.ontology, broken_rules=broken)

    def decide(head: Head, stored: tuple[Subject, Context]) -> Decision[int]:
        before, context = stored
        draft = validity_draft(head, before, edit)
        drafts = Changeset.of(context, [draft]).validate(head.domain)
        is_same = same_state(draft.state or {}, before.state(), MODIFIED)
        return Decision([] if is_same else drafts, before.version)

    written = await core.log.write("set_validity", domain, core.origin, read, decide)
    return ChangeResult(version=version_after(written.receipt.version_of(subject_id), written.report))


def validity_draft(head: Head, before: Subject, edit: ValidityEdit) -> Draft:
    """Return the draft that sets the validity period. Only the version is checked. Raises VERSION_CONFLICT."""
    is_node = isinstance(before, NodeState)
    check_version("Node" if is_node else "Connection", before.id, before.version, edit.expected_version)
    return Draft(
        op=Op.UPDATE,
        kind=Kind.NODE if is_node else Kind.CONNECTION,
        subject=before.id,
        type=before.type,
        from_id=None if isinstance(before, NodeState) else before.from_node_id,
        to_id=None if isinstance(before, NodeState) else before.to_node_id,
        previous=before.version or None,
        state=replace(before, validity=edit.apply_to(before.validity), modified=head.at).state(),
    )


async def _read_subject(reader: Reader, domain: str, subject_id: str) -> Subject:
    node = await last_state(reader, nodes.GET, domain, subject_id)
    if node is not None:
        return NodeState.from_live(node.state)
    state = await last_state(reader, connections.GET, domain, subject_id)
    if state is None:
        raise node_not_found_error(domain, subject_id)
    return connections.connection_of(state)


def _new_bound(value: datetime | str | None, before: datetime | None) -> datetime | None:
    if value is None:
        return before
    return value if isinstance(value, datetime) else None
