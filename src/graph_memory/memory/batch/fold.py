"""Operations made in order on paper: what each subject comes to, and who asked for what is wrong with it.

A batch is one change a subject. Whether a subject is there is asked in the order of the operations; the rules of the
ontology are asked of the graph that all of them come to, so that a unique value can move, and a connection be replaced.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.batch.named_steps import KnownByName, NamedSteps
from graph_memory.memory.batch.operations import ByName, Deletion, Fault, NotCreated, Operation
from graph_memory.memory.changes.plan import Changeset, Context, Rule, Violation, ends_of, node_not_found
from graph_memory.memory.entity_graph.values.request import EntityRemoval, NewEntity
from graph_memory.memory.entity_graph.values.rows import EndRow
from graph_memory.memory.graph import connections, node_deletion, nodes, validity
from graph_memory.memory.graph.connections import ConnectionEdit, NewConnection, connection_not_found
from graph_memory.memory.graph.nodes import NewNode, NodeEdit
from graph_memory.memory.graph.ontology import with_ad_hoc_type
from graph_memory.memory.graph.validity import ValidityEdit
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft, Event, Head, Op, Origin
from graph_memory.model.projection import live_state, with_types
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.subjects.subjects import MODIFIED, ConnectionState, NodeState
from graph_memory.model.values.arguments import fault as fault_of
from graph_memory.model.values.exact import same_state

Subject = NodeState | ConnectionState
_MOST_ROUNDS = 50
"""How often operations that are at fault are left out, and the rest is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What operations are decided by: the log's last events of the ids that they name, and what goes with nodes."""

    head: Head
    last: Mapping[str, Event]
    attached: Mapping[str, Sequence[Draft]]
    lost: Mapping[str, int]
    open_type_limit: int
    origin: Origin
    by_name: KnownByName = field(default_factory=KnownByName)

    def state(self, subject: str) -> Subject | None:
        """Return a subject as it was before the batch, None when it is not there."""
        event = self.last.get(subject)
        if event is None or event.draft.op is Op.DELETE:
            return None
        return _state(event.draft, live_state(event))


@dataclass(frozen=True, slots=True)
class Folded:
    """What a batch comes to: the changes in order, and what is wrong with the operations that they leave out."""

    drafts: Sequence[Draft]
    faults: Sequence[Fault]
    subjects: Mapping[str, str]
    """What operations by name found or made, by the ids that it would get if it were new."""


@dataclass(slots=True)
class Fold:
    """The operations up to one of them, made on paper."""

    known: Known
    head: Head
    changes: dict[str, Draft] = field(default_factory=dict[str, Draft])
    asked: dict[str, list[tuple[Operation, Draft]]] = field(default_factory=dict[str, list[tuple[Operation, Draft]]])
    """Who asked for a change of a subject, and what the subject came to by it."""
    faults: list[Fault] = field(default_factory=list[Fault])
    lost: dict[str, int] = field(default_factory=dict[str, int])
    """Ids that nothing gets, because the operation that would have given them is at fault."""
    named: NamedSteps = field(init=False)
    _severed: dict[str, Operation] = field(default_factory=dict[str, Operation])
    """Ends of relations that went, with the operation that asked for it."""
    _gone: set[str] = field(default_factory=set[str])
    _joined: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def __post_init__(self) -> None:
        known = self.known
        self.named = NamedSteps.of(known.by_name, self.head, known.origin, known.open_type_limit)

    def make(self, operation: Operation) -> None:
        """Make an operation, or note what is wrong with it."""
        try:
            operation = self.named.with_known_ids(operation)
            for needed in operation.needs:
                if needed in self.lost:
                    raise NotCreated(self.lost[needed])
            self._apply(operation)
        except GraphError as error:
            self.faults.append(Fault(operation.index, operation.verb, error, isinstance(error, NotCreated)))
            self.lose(operation)

    def lose(self, operation: Operation) -> None:
        """Leave out an operation: what it would have created, and was not there before, is not there for later ones."""
        made = NewNode | NewConnection | NewEntity
        if isinstance(operation.asked, made) and self.known.state(operation.subject) is None:
            self.lost.setdefault(operation.subject, operation.index)
        if isinstance(operation.asked, NewEntity):
            self.named.lost.setdefault(operation.asked.name, operation.index)

    def _apply(self, operation: Operation) -> None:
        subject, head = operation.subject, self.head
        match operation.asked:
            case NewNode() as node:
                self._create(operation, nodes.creation(head, node))
            case NewConnection() as connection:
                self._create(
                    operation, connections.creation(head, connections.made_by(self.known.origin.actor, connection))
                )
            case NodeEdit() as edit:
                self._update(operation, nodes.editing(head, self._node(subject), edit))
            case ConnectionEdit() as edit:
                self._update(operation, connections.editing(head, self._connection(subject), edit))
            case ValidityEdit() as edit:
                found = self._state(subject)
                if found is None:
                    raise node_not_found(head.domain, subject)
                self._update(operation, validity.bounding(head, found, edit))
            case Deletion(kind=Kind.NODE, expected_version=version):
                self._delete_node(operation, node_deletion.deletion(self._node(subject), version))
            case Deletion(expected_version=version):
                self._delete(operation, connections.deletion(self._connection(subject), version))
            case EntityRemoval(name=name):
                if (node := self.named.graph.find(name)) is not None:
                    self.named.subjects[subject] = node.id
                    self._delete_node(operation, node_deletion.deletion(self._node(node.id), None), is_by_name=True)
            case asked:
                self._make_by_name(operation, asked)

    def _make_by_name(self, operation: Operation, name: ByName) -> None:
        drafts = self.named.drafted(operation, name, self.head.ontology, self.lost)
        self.head = replace(self.head, ontology=self.named.drafting.ontology)
        for draft in drafts:
            match draft.op:
                case Op.UPDATE:
                    self._update(operation, draft)
                case Op.DELETE:
                    self._sever(operation, [draft])
                    self._delete(operation, draft)
                case _ if draft.kind in TYPES:
                    self.changes[draft.subject] = draft
                case _:
                    self._join(draft)
                    self._note(operation, draft)

    def _sever(self, operation: Operation, going: Iterable[Draft]) -> None:
        """Note the ends of relations that go: what nothing else names may go with them."""
        for draft in going:
            for end in ends_of(draft) if draft.kind is Kind.CONNECTION else ():
                self._severed.setdefault(end, operation)

    def _join(self, draft: Draft) -> None:
        for end in ends_of(draft):
            self._joined.setdefault(end, []).append(draft.subject)

    def leave_no_end_alone(self) -> None:
        """Delete what was only named as an end of relations, where all of these went."""
        for end, operation in list(self._severed.items()):
            row = None if self._goes(end) else self._only_end(end)
            if row is not None and row.is_left_by(self._goes):
                self._delete_node(operation, row.deletion)

    def _only_end(self, node: str) -> EndRow | None:
        """Return what is only named as an end of relations now, with all relations that lead, or led, to it."""
        change, row = self.changes.get(node), self.known.by_name.ends.get(node)
        known = self.named.graph.find(node)
        is_end = known.is_mentioned if known else row is not None
        if row is None and change is not None and change.op is Op.CREATE:
            row = EndRow(node, change.type or "", 0, [])
        if row is None or not is_end:
            return None
        return replace(row, relations=[*row.relations, *self._joined.get(node, ())])

    def _goes(self, subject: str) -> bool:
        change = self.changes.get(subject)
        return subject in self._gone or (change is not None and change.op is Op.DELETE)

    def _create(self, operation: Operation, draft: Draft) -> None:
        subject = draft.subject
        if subject in self.known.last or subject in self.asked:
            raise Violation(draft, Rule.USED, "").refusal(self.head.domain)
        *types, _ = with_ad_hoc_type(self.head, draft, self.known.open_type_limit)
        if types:
            self.changes |= {type_.subject: type_ for type_ in types}
            self.head = replace(self.head, ontology=with_types(self.head.ontology, types))
        self._join(draft)
        self._note(operation, draft)

    def _update(self, operation: Operation, draft: Draft) -> None:
        earlier = self.changes.get(draft.subject)
        if earlier is not None:
            kept = draft if draft.content is not None else earlier
            draft = replace(draft, op=earlier.op, previous=earlier.previous, content=kept.content, windows=kept.windows)
        before = earlier.state if earlier else self._before(draft.subject)
        if not same_state(draft.state or {}, before or {}, MODIFIED):
            self._note(operation, draft)

    def _before(self, subject: str) -> Mapping[str, object] | None:
        found = self.known.state(subject)
        return found.state() if found else None

    def _delete_node(self, operation: Operation, draft: Draft, *, is_by_name: bool = False) -> None:
        """Delete a node. What is attached to it goes along, also what earlier operations made or changed."""
        attached, joined = self.known.attached.get(draft.subject, ()), self._joined.get(draft.subject, ())
        if is_by_name:
            self._sever(operation, [*attached, *(self.changes[one] for one in joined if one in self.changes)])
        for one in (*(draft.subject for draft in attached), *joined):
            change = self.changes.get(one)
            if change is None or change.op is not Op.DELETE:
                self.changes.pop(one, None)
                self._gone.add(one)
        self._delete(operation, draft)

    def _delete(self, operation: Operation, draft: Draft) -> None:
        self.named.graph.follow(draft)
        earlier = self.changes.get(draft.subject)
        if earlier is not None and earlier.op is Op.CREATE:
            del self.changes[draft.subject]
            self._gone.add(draft.subject)
            self.asked[draft.subject].append((operation, draft))
        else:
            self._note(operation, draft)

    def _note(self, operation: Operation, draft: Draft) -> None:
        self.named.graph.follow(draft)
        self.changes[draft.subject] = draft
        self.asked.setdefault(draft.subject, []).append((operation, draft))

    def _node(self, subject: str) -> NodeState:
        found = self._state(subject)
        if not isinstance(found, NodeState):
            raise node_not_found(self.head.domain, subject)
        return found

    def _connection(self, subject: str) -> ConnectionState:
        found = self._state(subject)
        if not isinstance(found, ConnectionState):
            raise connection_not_found(self.head.domain, subject)
        return found

    def _state(self, subject: str) -> Subject | None:
        """Return a subject as the operations up to here leave it."""
        change = self.changes.get(subject)
        if subject in self._gone or (change is not None and change.op is Op.DELETE):
            return None
        if change is None:
            return self.known.state(subject)
        header = {"_id": subject, "_type": change.type, "_version": change.previous or 0}
        return _state(change, {**(change.state or {}), **header})

    def settled(self) -> dict[str, Draft]:
        """Return the changes that change something: what several operations led back to where it was is none."""
        return {
            subject: draft
            for subject, draft in self.changes.items()
            if draft.op is not Op.UPDATE
            or len(self.asked[subject]) == 1
            or not same_state(draft.state or {}, self._before(subject) or {}, MODIFIED)
        }


def folded(known: Known, operations: Sequence[Operation], left_out: Collection[int] = ()) -> Fold:
    """Return the operations made on paper, without some."""
    lost = {subject: index for subject, index in known.lost.items() if known.state(subject) is None}
    fold = Fold(known, known.head, lost=lost)
    for operation in operations:
        if operation.index in left_out:
            fold.lose(operation)
        else:
            fold.make(operation)
    fold.leave_no_end_alone()
    return fold


def decided(first: Fold, operations: Sequence[Operation], context: Context) -> Folded:
    """Return what operations come to, and what is wrong with those that are left out; `first` has all of them.

    What is at fault is left out, and the rest is asked again, until nothing stands against it.
    """
    known, fold = first.known, first
    faults: dict[int, list[Fault]] = {}
    for _ in range(_MOST_ROUNDS):
        changes = Changeset(context, fold.settled())
        results = [*fold.faults, *blamed(fold, changes, known.head.domain)]
        if not results:
            told = [fault for each in faults.values() for fault in each]
            return Folded(changes.ordered(), told, fold.named.subjects)
        follows = bool(faults)
        for fault in results:
            faults.setdefault(fault.index, []).append(replace(fault, follows=follows or fault.follows))
        fold = folded(known, operations, faults)
    message = "Too many operations are at fault because others are, one after the other"
    raise fault_of(
        "operations", message, f"Correct the first of them, operations[{min(faults)}], or give fewer at once."
    )


def blamed(fold: Fold, changes: Changeset, domain: str) -> list[Fault]:
    """Return what stands against changes, with the first operation that asked for what is wrong."""
    faults: list[Fault] = []
    for violation in changes.violations():
        if violation.draft.kind in TYPES:
            continue
        pairs = fold.asked[violation.draft.subject]
        same = [operation for operation, draft in pairs if _breaks(changes, draft, violation.rule)]
        operation = same[0] if same else pairs[-1][0]
        faults.append(Fault(operation.index, operation.verb, violation.refusal(domain)))
    return faults


def _breaks(changes: Changeset, draft: Draft, rule: Rule) -> bool:
    return any(violation.rule is rule for ask in changes.rules if (violation := ask(draft)))


def _state(draft: Draft, stored: Mapping[str, object]) -> Subject | None:
    match draft.kind:
        case Kind.NODE:
            return NodeState.from_live(stored)
        case Kind.CONNECTION:
            return ConnectionState.from_live(stored, draft.from_id or "", draft.to_id or "")
        case _:
            return None
