"""What every write of a node, connection, observation or link is asked, whichever way it is made.

RULES look at one subject as it would be. LINKS are the rules of connection types about other connections. A write asks
the graph about its connections (`memory/changes/rules.py`). A change of a type, an import and a load look at all
subjects of a type, with `claims` and `find_cycle`.
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
from graph_memory.model.text.wording import quoted, with_title
from graph_memory.model.values.arguments import check_tags, fault
from graph_memory.model.values.properties import PropertyValue, check_amount, key_value
from graph_memory.model.values.strength import NUMBERS, STRENGTH, fraction

Rule = Callable[[Draft, AnyType | None], None]
"""Raises a GraphError unless a subject may be as it would be; its type is None where its kind has none."""


def check_subject(draft: Draft, ontology: Ontology, ends: Sequence[str | None] = ()) -> None:
    """Raise what the ontology has against a subject as it would be; `ends` are the types of the nodes it joins.

    Raises INVALID_NODE_TYPE, INVALID_CONNECTION_TYPE, INVALID_TOPOLOGY, and what RULES raise.
    """
    name = draft.type or ""
    declared = None
    if draft.kind is Kind.NODE:
        declared = ontology.node_type(name)
    elif draft.kind is Kind.CONNECTION:
        declared = ontology.connection_type(name)
        if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
            ontology.check_topology(name, ends[0], ends[1])
    check_state(draft, declared)


def check_state(draft: Draft, declared: AnyType | None) -> None:
    """Raise what RULES have against a subject as it would be, whatever it joins."""
    for rule in RULES:
        rule(draft, declared)


def _keeps_to_its_type(draft: Draft, declared: AnyType | None) -> None:
    if declared is not None:
        check_rules(declared, user_properties(draft.state or {}))


def _is_not_too_much(draft: Draft, _: AnyType | None) -> None:
    state = draft.state or {}
    check_amount(user_properties(state))
    if "_tags" in state:
        check_tags(cast("Sequence[str]", state["_tags"]))


def _ends_after_it_begins(draft: Draft, _: AnyType | None) -> None:
    begin, end = (cast("datetime | None", (draft.state or {}).get(name)) for name in ("_valid_from", "_valid_to"))
    if begin is not None and end is not None and end <= begin:
        raise fault("valid_to", "it would end before it starts", "Take both times from one side.")


def _has_the_name_of_an_entity(draft: Draft, _: AnyType | None) -> None:
    state = draft.state or {}
    if draft.kind is Kind.NODE and ENTITY in state and not isinstance(state.get("name"), str):
        raise fault("name", f"entity {draft.subject} needs a name that is text", "Give it a name, which only it has.")


def _has_a_protection(draft: Draft, _: AnyType | None) -> None:
    try:
        stored_protection(draft.state or {})
    except ValueError as error:
        hint = Hint("Use {protect} and {unprotect} to change it.")
        raise fault("_protection", f"its _protection {error}", hint) from error


def _is_of_a_strength(draft: Draft, _: AnyType | None) -> None:
    for name, value in (draft.state or {}).items():
        if name in NUMBERS:
            fraction(f"strength.{STRENGTH[name]}" if name in STRENGTH else "importance", value)


def _is_a_link(draft: Draft, _: AnyType | None) -> None:
    if draft.kind is Kind.LINK:
        LinkState.from_state(draft.state or {})


RULES: tuple[Rule, ...] = (
    _is_not_too_much,
    _keeps_to_its_type,
    _ends_after_it_begins,
    _is_of_a_strength,
    _has_a_protection,
    _has_the_name_of_an_entity,
    _is_a_link,
)


@dataclass(frozen=True, slots=True)
class LinkRule:
    """A rule of connection types about other connections, and how a broken one is told."""

    name: str
    """As `changes/broken_rules` gives it."""
    flag: str
    """The field of the connection type that demands it, or for which it is asked."""
    reason: str
    message: str
    hint: LiteralString
    code: Code = Code.INVALID_TOPOLOGY
    ends: tuple[str, ...] = ()
    """The ends that no other connection of the type may have too."""

    def holds(self, declared: ConnectionType) -> bool:
        """Say whether a type has the rule."""
        return bool(attrgetter(self.flag)(declared))


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """The rule that a connection breaks, and the conflicting connection, if there is exactly one."""

    rule: str
    other: str | None = None
    nodes: tuple[tuple[str, str | None], ...] = ()
    """Ids and known titles: of both ends and those of the other connection, or of the nodes of a cycle."""

    @property
    def reason(self) -> str:
        """What stands against the connection, in words."""
        return f"{LINKS[self.rule].reason}{self._obstacle}"

    def refusal(self, draft: Draft) -> GraphError:
        """Return the error for a connection that breaks the rule, with titles beside ids."""
        rule, titles = LINKS[self.rule], dict(self.nodes)
        ends = {"source": draft.from_id or "", "target": draft.to_id or ""}
        names = {"type": draft.type, **{end: with_title(node, titles.get(node)) for end, node in ends.items()}}
        details = {} if self.other is None else {"connection_id": self.other}
        message = rule.message.format(**names) + self._obstacle
        return GraphError(rule.code, message, {**details, "hint": Hint(rule.hint, **names)})

    @property
    def _obstacle(self) -> str:
        if self.other is None:
            titles = [quoted(title or node) for node, title in (*self.nodes[-1:], *self.nodes[:MOST_NODES])]
            more = [] if len(self.nodes) <= MOST_NODES else ["…"]
            return f": {' → '.join([*titles, *more])}" if self.nodes else ""
        ends = " → ".join(quoted(title or node) for node, title in self.nodes[-2:])
        return f": {self.other}{f' ({ends})' if ends else ''}"


MOST_NODES = 10
"""Maximum number of nodes of a cycle that a message names."""


LINKS = {
    rule.name: rule
    for rule in (
        LinkRule(
            "source",
            "unique_source",
            "its source has another connection of its type, and may have only one",
            "Node {source} already has an outgoing {type}",
            "Delete that connection first: a node has at most one outgoing {type}.",
            ends=("source",),
        ),
        LinkRule(
            "target",
            "unique_target",
            "its target has another connection of its type, and may have only one",
            "Node {target} already has an incoming {type}",
            "Delete that connection first: a node has at most one incoming {type}.",
            ends=("target",),
        ),
        LinkRule(
            "pair",
            "unique_pair",
            "another connection of its type leads from its source to its target, and only one may",
            "{type} from {source} to {target} already exists",
            "Change that connection with {update_connection}: {type} joins two nodes only once in each direction.",
            Code.CONNECTION_ALREADY_EXISTS,
            ends=("source", "target"),
        ),
        LinkRule(
            "inverse",
            "other_name",
            "it says from the other end what another connection says",
            "{type} from {source} to {target} already exists, seen from its other end",
            "Use that connection: whoever asks for {type} finds it. Change it with {update_connection}.",
            Code.CONNECTION_ALREADY_EXISTS,
        ),
        LinkRule(
            "cycle",
            "acyclic",
            "it would form a cycle, and its type is acyclic",
            "{type} from {source} to {target} would form a cycle",
            "{type} is acyclic: no chain of it may lead back to its start.",
        ),
    )
}


def link_rules(declared: ConnectionType | None) -> list[LinkRule]:
    """Return the rules that a connection type has about other connections."""
    return [] if declared is None else [rule for rule in LINKS.values() if rule.holds(declared)]


Ends = tuple[str, str]
"""The ids of the source and the target of a connection."""
Claim = tuple[str, ...]
"""What only one subject of a type may have: the name of the rule and the ends, or UNIQUE, a property and its value."""
UNIQUE = "unique"


def claims(declared: AnyType | None, properties: Mapping[str, object], ends: Ends | None) -> Iterator[Claim]:
    """Yield what a subject has that no other subject of its type may have."""
    for name in unique_properties(declared):
        if name in properties:
            yield (UNIQUE, name, key_value(cast("PropertyValue", properties[name])))
    if ends is not None and isinstance(declared, ConnectionType):
        nodes = {"source": ends[0], "target": ends[1]}
        yield from ((rule.name, *(nodes[end] for end in rule.ends)) for rule in link_rules(declared) if rule.ends)


def claimed(claim: Claim) -> str:
    """Return in words what the claim is about: a property, or ends."""
    return claim[1] if claim[0] == UNIQUE else " and ".join(LINKS[claim[0]].ends)


def find_cycle(edges: Iterable[Ends]) -> list[str]:
    """Return the nodes of a cycle, each after the target of its edge, the first again as the last; none if acyclic."""
    graph: TopologicalSorter[str] = TopologicalSorter()
    for source, target in edges:
        graph.add(source, target)
    try:
        graph.prepare()
    except CycleError as error:
        return cast("list[str]", error.args[1])
    return []
