"""Merges a batch's operations, in order, into one change per subject.

Whether a subject exists is checked in the order of the operations. The ontology's rules are checked for the resulting
graph, so a batch can move a unique value to another subject, or replace a connection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.batch.named_steps import NamedOperationDrafter, StoredNames
from graph_memory.memory.batch.operations import ChangeByName, Deletion, FailedDependency, Operation, OperationError
from graph_memory.memory.changes.plan import Changeset, Context, Rule, Violation, ends_of, node_not_found_error
from graph_memory.memory.entity_graph.values.request import EntityRemoval, NewEntity
from graph_memory.memory.entity_graph.values.rows import EndRow
from graph_memory.memory.graph import connections, node_deletion, nodes, validity
from graph_memory.memory.graph.connections import ConnectionEdit, NewConnection, connection_not_found_error
from graph_memory.memory.graph.nodes import NewNode, NodeEdit
from graph_memory.memory.graph.ontology import with_ad_hoc_type
from graph_memory.memory.graph.validity import ValidityEdit
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft, Event, Head, Op, Origin
from graph_memory.model.projection import live_state, with_types
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.subjects.subjects import MODIFIED, ConnectionState, NodeState
from graph_memory.model.values.arguments import invalid_argument as fault_of
from graph_memory.model.values.exact import same_state

Subject = NodeState | ConnectionState
_MAX_ROUNDS = 50
"""Maximum number of rounds. Each round excludes invalid operations, and checks the remaining operations again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredData:
    """The stored data that operations depend on: last events, keyed by subject id, and attachments to delete."""

    head: Head
    last: Mapping[str, Event]
    attached: Mapping[str, Sequence[Draft]]
    failed_ids: Mapping[str, int]
    open_type_limit: int
    origin: Origin
    by_name: StoredNames = field(default_factory=StoredNames)

    def state(self, subject: str) -> Subject | None:
        """Return the subject's state before the batch, or None if it did not exist."""
        event = self.last.get(subject)
        if event is None or event.draft.op is Op.DELETE:
            return None
        return _state(event.draft, live_state(event))


@dataclass(frozen=True, slots=True)
class FoldResult:
    """The result of a batch: its changes in order, and the errors of excluded operations."""

    drafts: Sequence[Draft]
    faults: Sequence[OperationError]
    subjects: Mapping[str, str]
    """For operations by name: the id of each subject, keyed by its provisional id in the operation."""


@dataclass(slots=True)
class Fold:
    """The changes of the operations added so far, merged into one change per subject."""

    stored: StoredData
    head: Head
    changes: dict[str, Draft] = field(default_factory=dict[str, Draft])
    requests: dict[str, list[tuple[Operation, Draft]]] = field(default_factory=dict[str, list[tuple[Operation, Draft]]])
    """The operations on each subject, each with the merged change of the subject after that operation."""
    faults: list[OperationError] = field(default_factory=list[OperationError])
    failed_ids: dict[str, int] = field(default_factory=dict[str, int])
    """The indexes of invalid operations, keyed by the id of the subject that each would have created."""
    named: NamedOperationDrafter = field(init=False)
    _severed_ends: dict[str, Operation] = field(default_factory=dict[str, Operation])
    """The first operation that deletes a relation of a node, keyed by node id."""
    _deleted: set[str] = field(default_factory=set[str])
    _relations_of: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def __post_init__(self) -> None:
        stored = self.stored
        self.named = NamedOperationDrafter.of(stored.by_name, self.head, stored.origin, stored.open_type_limit)

    def add(self, operation: Operation) -> None:
        """Apply an operation. If it is invalid, record its error and exclude the operation."""
        try:
            operation = self.named.with_existing_ids(operation)
            for needed in operation.needs:
                if needed in self.failed_ids:
                    raise FailedDependency(self.failed_ids[needed])
            self._apply(operation)
        except GraphError as error:
            self.faults.append(
                OperationError(operation.index, operation.verb, error, isinstance(error, FailedDependency))
            )
            self.leave_out(operation)

    def leave_out(self, operation: Operation) -> None:
        """Exclude an operation. Later operations on the subject that it would create become invalid."""
        creations = NewNode | NewConnection | NewEntity
        if isinstance(operation.change, creations) and self.stored.state(operation.subject) is None:
            self.failed_ids.setdefault(operation.subject, operation.index)
        if isinstance(operation.change, NewEntity):
            self.named.failed_names.setdefault(operation.change.name, operation.index)

    def _apply(self, operation: Operation) -> None:
        subject, head = operation.subject, self.head
        match operation.change:
            case NewNode() as node:
                self._create(operation, nodes.creation_draft(head, node))
            case NewConnection() as connection:
                self._create(
                    operation,
                    connections.creation_draft(head, connections.with_creator(self.stored.origin.actor, connection)),
                )
            case NodeEdit() as edit:
                self._update(operation, nodes.update_draft(head, self._require_node(subject), edit))
            case ConnectionEdit() as edit:
                self._update(operation, connections.update_draft(head, self._require_connection(subject), edit))
            case ValidityEdit() as edit:
                state = self._state(subject)
                if state is None:
                    raise node_not_found_error(head.domain, subject)
                self._update(operation, validity.validity_draft(head, state, edit))
            case Deletion(kind=Kind.NODE, expected_version=version):
                self._delete_node(operation, node_deletion.deletion_draft(self._require_node(subject), version))
            case Deletion(expected_version=version):
                self._delete(operation, connections.deletion_draft(self._require_connection(subject), version))
            case EntityRemoval(name=name):
                if (node := self.named.graph.find(name)) is not None:
                    self.named.subjects[subject] = node.id
                    self._delete_node(
                        operation, node_deletion.deletion_draft(self._require_node(node.id), None), is_by_name=True
                    )
            case change:
                self._apply_by_name(operation, change)

    def _apply_by_name(self, operation: Operation, change: ChangeByName) -> None:
        drafts = self.named.draft(operation, change, self.head.ontology, self.failed_ids)
        self.head = replace(self.head, ontology=self.named.drafting.ontology)
        for draft in drafts:
            match draft.op:
                case Op.UPDATE:
                    self._update(operation, draft)
                case Op.DELETE:
                    self._record_severed_ends(operation, [draft])
                    self._delete(operation, draft)
                case _ if draft.kind in TYPES:
                    self.changes[draft.subject] = draft
                case _:
                    self._record_ends(draft)
                    self._record(operation, draft)

    def _record_severed_ends(self, operation: Operation, deletions: Iterable[Draft]) -> None:
        """Record the endpoints of deleted relations. An endpoint without any other use may be deleted too."""
        for draft in deletions:
            for end in ends_of(draft) if draft.kind is Kind.CONNECTION else ():
                self._severed_ends.setdefault(end, operation)

    def _record_ends(self, draft: Draft) -> None:
        for end in ends_of(draft):
            self._relations_of.setdefault(end, []).append(draft.subject)

    def delete_unused_ends(self) -> None:
        """Delete the nodes that exist only as endpoints of relations, if the batch deletes all their relations."""
        for end, operation in list(self._severed_ends.items()):
            row = None if self._is_deleted(end) else self._unused_end(end)
            if row is not None and row.loses_all_relations(self._is_deleted):
                self._delete_node(operation, row.deletion)

    def _unused_end(self, node: str) -> EndRow | None:
        """Return the node with its stored and new relations if it is only an endpoint of relations, otherwise None."""
        change, row = self.changes.get(node), self.stored.by_name.ends.get(node)
        entity = self.named.graph.find(node)
        is_end = entity.is_mentioned if entity else row is not None
        if row is None and change is not None and change.op is Op.CREATE:
            row = EndRow(node, change.type or "", 0, [])
        if row is None or not is_end:
            return None
        return replace(row, relations=[*row.relations, *self._relations_of.get(node, ())])

    def _is_deleted(self, subject: str) -> bool:
        change = self.changes.get(subject)
        return subject in self._deleted or (change is not None and change.op is Op.DELETE)

    def _create(self, operation: Operation, draft: Draft) -> None:
        subject = draft.subject
        if subject in self.stored.last or subject in self.requests:
            raise Violation(draft, Rule.USED, "").to_error(self.head.domain)
        *types, _ = with_ad_hoc_type(self.head, draft, self.stored.open_type_limit)
        if types:
            self.changes |= {type_draft.subject: type_draft for type_draft in types}
            self.head = replace(self.head, ontology=with_types(self.head.ontology, types))
        self._record_ends(draft)
        self._record(operation, draft)

    def _update(self, operation: Operation, draft: Draft) -> None:
        earlier_draft = self.changes.get(draft.subject)
        if earlier_draft is not None:
            content_draft = draft if draft.content is not None else earlier_draft
            draft = replace(
                draft,
                op=earlier_draft.op,
                previous=earlier_draft.previous,
                content=content_draft.content,
                windows=content_draft.windows,
            )
        before = earlier_draft.state if earlier_draft else self._stored_state(draft.subject)
        if not same_state(draft.state or {}, before or {}, MODIFIED):
            self._record(operation, draft)

    def _stored_state(self, subject: str) -> Mapping[str, object] | None:
        state = self.stored.state(subject)
        return state.state() if state else None

    def _delete_node(self, operation: Operation, draft: Draft, *, is_by_name: bool = False) -> None:
        """Delete a node and its attached subjects, including subjects created by earlier operations."""
        attached, relation_ids = self.stored.attached.get(draft.subject, ()), self._relations_of.get(draft.subject, ())
        if is_by_name:
            self._record_severed_ends(
                operation, [*attached, *(self.changes[subject] for subject in relation_ids if subject in self.changes)]
            )
        for subject in (*(draft.subject for draft in attached), *relation_ids):
            change = self.changes.get(subject)
            if change is None or change.op is not Op.DELETE:
                self.changes.pop(subject, None)
                self._deleted.add(subject)
        self._delete(operation, draft)

    def _delete(self, operation: Operation, draft: Draft) -> None:
        self.named.graph.apply(draft)
        earlier_draft = self.changes.get(draft.subject)
        if earlier_draft is not None and earlier_draft.op is Op.CREATE:
            del self.changes[draft.subject]
            self._deleted.add(draft.subject)
            self.requests[draft.subject].append((operation, draft))
        else:
            self._record(operation, draft)

    def _record(self, operation: Operation, draft: Draft) -> None:
        self.named.graph.apply(draft)
        self.changes[draft.subject] = draft
        self.requests.setdefault(draft.subject, []).append((operation, draft))

    def _require_node(self, subject: str) -> NodeState:
        state = self._state(subject)
        if not isinstance(state, NodeState):
            raise node_not_found_error(self.head.domain, subject)
        return state

    def _require_connection(self, subject: str) -> ConnectionState:
        state = self._state(subject)
        if not isinstance(state, ConnectionState):
            raise connection_not_found_error(self.head.domain, subject)
        return state

    def _state(self, subject: str) -> Subject | None:
        """Return the subject's state after the operations so far, or None if it does not exist then."""
        if self._is_deleted(subject):
            return None
        change = self.changes.get(subject)
        if change is None:
            return self.stored.state(subject)
        header = {"_id": subject, "_type": change.type, "_version": change.previous or 0}
        return _state(change, {**(change.state or {}), **header})

    def effective_changes(self) -> dict[str, Draft]:
        """Return the changes that differ from the stored state of their subject."""
        return {
            subject: draft
            for subject, draft in self.changes.items()
            if draft.op is not Op.UPDATE
            or len(self.requests[subject]) == 1
            or not same_state(draft.state or {}, self._stored_state(subject) or {}, MODIFIED)
        }


def fold_operations(stored: StoredData, operations: Sequence[Operation], left_out: Collection[int] = ()) -> Fold:
    """Merge operations into one change per subject. Leaves out the operations whose indexes are in `left_out`."""
    failed_ids = {subject: index for subject, index in stored.failed_ids.items() if stored.state(subject) is None}
    fold = Fold(stored, stored.head, failed_ids=failed_ids)
    for operation in operations:
        if operation.index in left_out:
            fold.leave_out(operation)
        else:
            fold.add(operation)
    fold.delete_unused_ends()
    return fold


def decide(first: Fold, operations: Sequence[Operation], context: Context) -> FoldResult:
    """Return the result of the valid operations. `first` is the fold of all operations, including invalid ones.

    Excludes invalid operations, and checks the remaining operations again until there are no errors.
    """
    stored, fold = first.stored, first
    faults: dict[int, list[OperationError]] = {}
    for _ in range(_MAX_ROUNDS):
        changes = Changeset(context, fold.effective_changes())
        new_faults = [*fold.faults, *find_faults(fold, changes, stored.head.domain)]
        if not new_faults:
            all_faults = [fault for operation_faults in faults.values() for fault in operation_faults]
            return FoldResult(changes.in_order(), all_faults, fold.named.subjects)
        follows = bool(faults)
        for fault in new_faults:
            faults.setdefault(fault.index, []).append(replace(fault, follows=follows or fault.follows))
        fold = fold_operations(stored, operations, faults)
    message = "Too many operations fail because earlier operations are invalid"
    raise fault_of(
        "operations", message, f"Correct the first invalid operation, operations[{min(faults)}], or pass fewer at once."
    )


def find_faults(fold: Fold, changes: Changeset, domain: str) -> list[OperationError]:
    """Return the rules that the changes break, each as an error of the first operation that causes it."""
    faults: list[OperationError] = []
    for violation in changes.violations():
        if violation.draft.kind in TYPES:
            continue
        pairs = fold.requests[violation.draft.subject]
        matching_operations = [operation for operation, draft in pairs if _breaks_rule(changes, draft, violation.rule)]
        operation = matching_operations[0] if matching_operations else pairs[-1][0]
        faults.append(OperationError(operation.index, operation.verb, violation.to_error(domain)))
    return faults


def _breaks_rule(changes: Changeset, draft: Draft, rule: Rule) -> bool:
    return any(violation.rule is rule for check in changes.checks if (violation := check(draft)))


def _state(draft: Draft, stored: Mapping[str, object]) -> Subject | None:
    match draft.kind:
        case Kind.NODE:
            return NodeState.from_live(stored)
        case Kind.CONNECTION:
            return ConnectionState.from_live(stored, draft.from_id or "", draft.to_id or "")
        case _:
            return None
