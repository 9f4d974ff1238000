"""When things hold in the world, beside when the log learnt of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from graph_memory.memory.changes.plan import Changeset, Context, node_not_found
from graph_memory.memory.changes.rules import broken_rules
from graph_memory.memory.core import Core, check_version, last_state, version_after
from graph_memory.memory.graph import connections, nodes
from graph_memory.model.events import Draft, Head, Op
from graph_memory.model.results import Changed, rfc3339
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import MODIFIED, ConnectionState, NodeState, Validity
from graph_memory.model.time.points import instant
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.exact import same_state
from graph_memory.storage.log.work import Decision
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.store import Reader

OPEN = "open"
"""Takes a bound away."""

Subject = NodeState | ConnectionState


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidityEdit:
    """The bounds that were given: a time, OPEN, or None to leave it."""

    valid_from: datetime | str | None
    valid_to: datetime | str | None
    expected_version: int | None

    def of(self, before: Validity) -> Validity:
        """Return the bounds afterwards. Raises INVALID_ARGUMENT when it would end before it begins."""
        after = Validity(
            valid_from=_bound(self.valid_from, before.valid_from), valid_to=_bound(self.valid_to, before.valid_to)
        )
        if after.valid_from is not None and after.valid_to is not None and after.valid_to <= after.valid_from:
            message = f"It would end at {rfc3339(after.valid_to)}, but start at {rfc3339(after.valid_from)}"
            raise fault("valid_to", message, "Give a later valid_to, an earlier valid_from, or open.")
        return after


def edit_of(
    *, valid_from: datetime | str | None, valid_to: datetime | str | None, expected_version: int | None
) -> ValidityEdit:
    """Return a checked edit. Raises INVALID_ARGUMENT for what is no time, and when there is nothing to change."""
    if valid_from is None and valid_to is None:
        raise fault("valid_to", "Nothing to change", "Give valid_from or valid_to: a time, or open.")
    now = utc_now()

    def read(argument: str, given: datetime | str | None) -> datetime | str | None:
        return given if given is None or given == OPEN else instant(argument, given, now)

    return ValidityEdit(
        valid_from=read("valid_from", valid_from),
        valid_to=read("valid_to", valid_to),
        expected_version=expected_version,
    )


async def set_validity(core: Core, domain: str, subject_id: str, edit: ValidityEdit) -> Changed:
    """Give a node or connection bounds. `Memory.set_validity` tells the rest."""

    async def read(reader: Reader, head: Head) -> tuple[Subject, Context]:
        subject = await _found(reader, domain, subject_id)
        broken = await broken_rules(reader, domain, [bounding(head, subject, edit)], head.ontology)
        return subject, Context(ontology=head.ontology, broken=broken)

    def decide(head: Head, pair: tuple[Subject, Context]) -> Decision[int]:
        before, context = pair
        return Decision(decide_validity(head, before, edit, context), before.version)

    written = await core.log.write("set_validity", domain, core.origin, read, decide)
    return Changed(version=version_after(written.receipt.version_of(subject_id), written.report))


def decide_validity(head: Head, before: Subject, edit: ValidityEdit, context: Context) -> list[Draft]:
    """Return the event that changes the bounds, none when it changes nothing.

    Raises VERSION_CONFLICT, and CONNECTION_ALREADY_EXISTS where it would hold beside its inverse.
    """
    draft = bounding(head, before, edit)
    drafts = Changeset.of(context, [draft]).checked(head.domain)
    return [] if same_state(draft.state or {}, before.state(), MODIFIED) else drafts


def bounding(head: Head, before: Subject, edit: ValidityEdit) -> Draft:
    """Return the change that gives bounds, unchecked but for the version. Raises VERSION_CONFLICT."""
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
        state=replace(before, validity=edit.of(before.validity), modified=head.at).state(),
    )


async def _found(reader: Reader, domain: str, subject_id: str) -> Subject:
    node = await last_state(reader, nodes.GET, domain, subject_id)
    if node is not None:
        return NodeState.from_live(node.state)
    state = await last_state(reader, connections.GET, domain, subject_id)
    if state is None:
        raise node_not_found(domain, subject_id)
    return connections.connection_of(state)


def _bound(given: datetime | str | None, before: datetime | None) -> datetime | None:
    if given is None:
        return before
    return given if isinstance(given, datetime) else None
