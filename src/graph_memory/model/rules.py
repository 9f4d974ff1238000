"""The rules for every write of a node, connection, observation or link.

RULES check the new state of one subject. CONNECTION_RULES compare a connection with other connections, if its type has
the rule. A write checks them in the graph (`memory/changes/rules.py`). A type change, an import and a load check all
subjects of a type with `claims` and `find_cycle`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from graphlib import CycleError, TopologicalSorter
from operator import attrgetter
from typing import LiteralString, cast

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft
from graph_memory.model.ontology.indexes import unique_properties
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.types import AnyType, ConnectionType, check_rules
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.links import LinkState
from graph_memory.model.subjects.protection import stored_protection
from graph_memory.model.subjects.subjects import ENTITY, user_properties
from graph_memory.model.text.wording import quote, with_title
from graph_memory.model.values.arguments import check_tags, invalid_argument
from graph_memory.model.values.properties import PropertyValue, check_amount, key_value
from graph_memory.model.values.strength import NUMBERS, STRENGTH, check_fraction

Rule = Callable[[Draft, AnyType | None], None]
"""A check that raises a GraphError if a subject's new state is invalid. The type is None for kinds without types."""


def check_subject(draft: Draft, ontology: Ontology, ends: Sequence[str | None] = ()) -> None:
    """Check a subject's new state against the ontology. `ends` are the types of its endpoint nodes.

    Raises INVALID_NODE_TYPE or INVALID_CONNECTION_TYPE if the ontology does not define the type, INVALID_TOPOLOGY if
    the type cannot connect these nodes, and the errors of RULES.
    """
    name = draft.type or ""
    declared_type = None
    if draft.kind is Kind.NODE:
        declared_type = ontology.node_type(name)
    elif draft.kind is Kind.CONNECTION:
        declared_type = ontology.connection_type(name)
        if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
            ontology.check_topology(name, ends[0], ends[1])
    check_state(draft, declared_type)


def check_state(draft: Draft, declared_type: AnyType | None) -> None:
    """Check a subject's new state against RULES, but not the types of its endpoints. Raises the errors of RULES."""
    for rule in RULES:
        rule(draft, declared_type)


def _check_properties(draft: Draft, declared_type: AnyType | None) -> None:
    if declared_type is not None:
        check_rules(declared_type, user_properties(draft.state or {}))


def _check_amounts(draft: Draft, _: AnyType | None) -> None:
    state = draft.state or {}
    check_amount(user_properties(state))
    if "_tags" in state:
        check_tags(cast("Sequence[str]", state["_tags"]))


def _check_validity(draft: Draft, _: AnyType | None) -> None:
    valid_from, valid_to = (
        cast("datetime | None", (draft.state or {}).get(name)) for name in ("_valid_from", "_valid_to")
    )
    if valid_from is not None and valid_to is not None and valid_to <= valid_from:
        message = f"valid_to {quote(valid_to)} is not after valid_from {quote(valid_from)}"
        raise invalid_argument("valid_to", message, "Pass a valid_to after valid_from, or omit one of the two times.")


def _check_entity_name(draft: Draft, _: AnyType | None) -> None:
    state = draft.state or {}
    if draft.kind is Kind.NODE and ENTITY in state and not isinstance(state.get("name"), str):
        raise invalid_argument("name", f"Entity {draft.subject} has no name", "Give it a unique name.")


def _check_protection(draft: Draft, _: AnyType | None) -> None:
    try:
        stored_protection(draft.state or {})
    except ValueError as error:
        hint = Hint("Use {protect} and {unprotect} to change it.")
        raise invalid_argument("_protection", f"The stored protection of {draft.subject} {error}", hint) from error


def _check_strength(draft: Draft, _: AnyType | None) -> None:
    for name, value in (draft.state or {}).items():
        if name in NUMBERS:
            check_fraction(f"strength.{STRENGTH[name]}" if name in STRENGTH else "importance", value)


def _check_link(draft: Draft, _: AnyType | None) -> None:
    if draft.kind is Kind.LINK:
        LinkState.from_state(draft.state or {})


RULES: tuple[Rule, ...] = (
    _check_amounts,
    _check_properties,
    _check_validity,
    _check_strength,
    _check_protection,
    _check_entity_name,
    _check_link,
)


@dataclass(frozen=True, slots=True)
class ConnectionRule:
    """A rule that compares a type's connections, and the error for a connection that breaks it."""

    name: str
    """The rule's name in the results of `changes/broken_rules`."""
    flag: str
    """The field of the connection type that enables the rule."""
    reason: str
    message: str
    hint: LiteralString
    code: Code = Code.INVALID_TOPOLOGY
    ends: tuple[str, ...] = ()
    """The endpoints, `source` or `target`, that two connections of the type must not both share. Empty for other
    rules."""

    def applies_to(self, declared_type: ConnectionType) -> bool:
        """Return whether the connection type enables this rule."""
        return bool(attrgetter(self.flag)(declared_type))


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rule that a connection breaks, and the conflicting connection's id, or None if there are several."""

    rule: str
    other: str | None = None
    nodes: tuple[tuple[str, str | None], ...] = ()
    """The ids and titles (None if unknown) of both connections' endpoints, or of the nodes in the cycle."""

    @property
    def reason(self) -> str:
        """The end of a sentence that explains why the connection is rejected."""
        return f"{CONNECTION_RULES[self.rule].reason}{self._conflict_text}"

    def to_error(self, draft: Draft) -> GraphError:
        """Return the error for a connection that breaks the rule. Its message shows titles before ids."""
        rule, titles = CONNECTION_RULES[self.rule], dict(self.nodes)
        ends = {"source": draft.from_id or "", "target": draft.to_id or ""}
        names = {"type": draft.type, **{end: with_title(node, titles.get(node)) for end, node in ends.items()}}
        details = {} if self.other is None else {"connection_id": self.other}
        message = rule.message.format(**names) + self._conflict_text
        return GraphError(rule.code, message, {**details, "hint": Hint(rule.hint, **names)})

    @property
    def _conflict_text(self) -> str:
        if self.other is None:
            titles = [quote(title or node) for node, title in (*self.nodes[-1:], *self.nodes[:MAX_CYCLE_NODES])]
            more = [] if len(self.nodes) <= MAX_CYCLE_NODES else ["…"]
            return f": {' → '.join([*titles, *more])}" if self.nodes else ""
        ends = " → ".join(quote(title or node) for node, title in self.nodes[-2:])
        return f": {self.other}{f' ({ends})' if ends else ''}"


MAX_CYCLE_NODES = 10
"""Maximum number of nodes listed in a message about a cycle."""


CONNECTION_RULES = {
    rule.name: rule
    for rule in (
        ConnectionRule(
            "source",
            "unique_source",
            "its source already has a connection of this type, and may have only one",
            "Node {source} already has an outgoing {type} connection",
            "Delete that connection first: a node has at most one outgoing {type}.",
            ends=("source",),
        ),
        ConnectionRule(
            "target",
            "unique_target",
            "its target already has a connection of this type, and may have only one",
            "Node {target} already has an incoming {type} connection",
            "Delete that connection first: a node has at most one incoming {type}.",
            ends=("target",),
        ),
        ConnectionRule(
            "pair",
            "unique_pair",
            "its source and target already have a connection of this type, and may have only one",
            "A {type} connection from {source} to {target} already exists",
            "Change that connection with {update_connection}: {type} may join two nodes only once in each direction.",
            Code.CONNECTION_ALREADY_EXISTS,
            ends=("source", "target"),
        ),
        ConnectionRule(
            "inverse",
            "other_name",
            "it is the inverse of an existing connection",
            "A {type} connection from {source} to {target} already exists as its inverse",
            "Change the existing connection with {update_connection}: queries for {type} return it, too.",
            Code.CONNECTION_ALREADY_EXISTS,
        ),
        ConnectionRule(
            "cycle",
            "acyclic",
            "it would form a cycle, and its type is acyclic",
            "A {type} connection from {source} to {target} would form a cycle",
            "{type} is acyclic: connect nodes so that no chain of {type} leads back to its start.",
        ),
    )
}


def connection_rules(declared_type: ConnectionType | None) -> list[ConnectionRule]:
    """Return the rules in CONNECTION_RULES that the connection type enables. If it is None, return an empty list."""
    if declared_type is None:
        return []
    return [rule for rule in CONNECTION_RULES.values() if rule.applies_to(declared_type)]


Ends = tuple[str, str]
"""The ids of a connection's source and target."""
Claim = tuple[str, ...]
"""A claim to a value that must be unique within a type. It contains either a rule's name and the endpoints' ids, or
UNIQUE, a property's name, and its value's key."""
UNIQUE = "unique"


def claims(declared_type: AnyType | None, properties: Mapping[str, object], ends: Ends | None) -> Iterator[Claim]:
    """Yield a subject's claims: values that no other subject of its type can have."""
    for name in unique_properties(declared_type):
        if name in properties:
            yield (UNIQUE, name, key_value(cast("PropertyValue", properties[name])))
    if ends is not None and isinstance(declared_type, ConnectionType):
        nodes = {"source": ends[0], "target": ends[1]}
        yield from (
            (rule.name, *(nodes[end] for end in rule.ends)) for rule in connection_rules(declared_type) if rule.ends
        )


def describe_claim(claim: Claim) -> str:
    """Return the claim as text: its property, or its endpoints, such as `source and target`."""
    return quote(claim[1]) if claim[0] == UNIQUE else " and ".join(CONNECTION_RULES[claim[0]].ends)


def find_cycle(edges: Iterable[Ends]) -> list[str]:
    """Return the node ids of one cycle in the graph, in reverse order: each node follows the target of its edge.

    The first node is repeated at the end. If there is no cycle, return an empty list.
    """
    graph: TopologicalSorter[str] = TopologicalSorter()
    for source, target in edges:
        graph.add(source, target)
    try:
        graph.prepare()
    except CycleError as error:
        return cast("list[str]", error.args[1])
    return []
