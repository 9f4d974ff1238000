"""Any order of changes to several domains comes to what a model says: tree, types, protection, links, branches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run

from graph_memory import GraphError, Memory
from graph_memory.model.ontology.ontology import ConnectionType, NodeType
from graph_memory.model.subjects.links import INVERSES
from profiles import profile
from support import Conversation

NAMES = ("a", "b", "c", "d", "e")
TYPES, WAY = ("One", "Two", "Three"), "Link"
names = st.sampled_from(NAMES)
types = st.sampled_from(TYPES)
kinds = st.sampled_from([*INVERSES])
meanings = st.sampled_from(("", "this", "that"))
which = st.integers(0, 50)
Place = tuple[str, str]
"""The short name of a domain, and the id of a node in it."""
Edge = tuple[str, str]


@dataclass(frozen=True)
class Made:
    """A link as the model knows it, in the domain of its source."""

    source: str
    target: Place
    type: str
    bidirectional: bool


@dataclass(frozen=True)
class Deletion:
    """A deleted node: its type, the first and last number of what went, and the links among that."""

    type: str
    since: int
    until: int
    links: dict[str, Made]


@dataclass
class Known:
    """A domain as the model knows it."""

    parent: str | None = None
    description: str | None = None
    source: str | None = None
    """The source of the branch."""
    types: dict[str, str] = field(default_factory=dict[str, str])
    """Its own and its adopted types, with their descriptions."""
    nodes: dict[str, str] = field(default_factory=dict[str, str])
    edges: set[Edge] = field(default_factory=set[Edge])
    links: dict[str, Made] = field(default_factory=dict[str, Made])
    guarded: set[str] = field(default_factory=set[str])
    deleted: dict[str, Deletion] = field(default_factory=dict[str, Deletion])
    moved: tuple[int, str | None] | None = None
    """The number of its last move, and where it was before, while nothing else was told of it since."""
    is_protected: bool = False

    def copy_for_branch(self, source: str) -> Known:
        """Return the contents of a branch of it. Its log does not have earlier deletions."""
        own = {"types": {**self.types}, "nodes": {**self.nodes}, "edges": {*self.edges}}
        more = {"links": {**self.links}, "guarded": {*self.guarded}, "deleted": {}, "moved": None}
        return replace(self, source=source, is_protected=False, **own, **more)


class DomainsMachine(RuleBasedStateMachine):
    """Five domains at most, each of which may be under another, a branch of another, and linked to any other.

    Alice writes, and whatever is protected is protected against her; Carol may lift it.
    """

    def __init__(self, talk: Conversation) -> None:
        super().__init__()
        self.talk = talk
        self.prefix = f"test-{uuid4().hex[:16]}"
        self.known: dict[str, Known] = {}

    def name(self, short: str) -> str:
        return f"{self.prefix}/{short}"

    def short(self, name: str) -> str:
        return name.removeprefix(f"{self.prefix}/")

    def memory(self, short: str, actor: str = "alice") -> Memory:
        return self.talk.memory.in_domain(self.name(short)).acting_as(actor)

    def check_call(self, expected: str | None, call: Callable[[], Awaitable[Any]]) -> Any:
        """Return the answer of a call that is refused as the model says."""

        async def run_call() -> Any:
            return await call()

        code = answer = None
        try:
            answer = self.talk.portal.call(run_call)
        except GraphError as error:
            code = str(error.code)
        assert code == expected
        return answer

    def unwritable(self, short: str) -> str | None:
        """Return the refusal of a change in a domain that may be protected."""
        return "PROTECTED" if self.known[short].is_protected else None

    def above(self, short: str) -> list[str]:
        """Return the domains above one, the nearest first."""
        results: list[str] = []
        parent = self.known[short].parent
        while parent is not None:
            results.append(parent)
            parent = self.known[parent].parent
        return results

    def visible_types(self, short: str) -> dict[str, str]:
        """Return the types of a domain and of those above, as the nearest has them."""
        results: dict[str, str] = {}
        for text in (short, *self.above(short)):
            results = {**self.known[text].types, **results}
        return results

    def take(self, short: str, name: str) -> None:
        """Note that a domain has a type from now on, even if only a subject uses it."""
        self.known[short].types.setdefault(name, self.visible_types(short)[name])

    def place(self, number: int) -> Place | None:
        """Return one of all living nodes."""
        pairs = [(short, node) for short, known in self.known.items() for node in known.nodes]
        return pairs[number % len(pairs)] if pairs else None

    def lives(self, place: Place) -> bool:
        return place[0] in self.known and place[1] in self.known[place[0]].nodes

    @initialize()
    def begin(self) -> None:
        self.create("a", None, "")
        self.declare("a", "One", "")
        self.declare("a", WAY, "")
        self.create("b", "a", "")
        self.create("c", None, "")
        self.declare("c", "Two", "this")
        for short, name in (("a", "One"), ("b", "One"), ("c", "Two"), ("a", "One")):
            self.write(short, name)
        for number, other in ((0, 2), (2, 3), (3, 0)):  # from a to b, from b to c, from c to a
            self.link(number, other, "reference", bidirectional=True)

    @rule(short=names, parent=names | st.none(), description=meanings)
    def create(self, short: str, parent: str | None, description: str) -> None:
        expected = None
        if short in self.known:
            expected = "DOMAIN_ALREADY_EXISTS"
        elif parent is not None and parent not in self.known:
            expected = "INVALID_ARGUMENT" if parent == short else "ONTOLOGY_NOT_FOUND"
        arguments = {"parent": parent and self.name(parent), "description": description}
        self.check_call(expected, lambda: self.memory(short).create_domain(self.name(short), **arguments))
        if expected is None:
            self.known[short] = Known(parent, description or None)

    @rule(short=names, parent=names | st.none())
    def move(self, short: str, parent: str | None) -> None:
        expected = self.refusal_of_a_move(short, parent)
        value = "" if parent is None else self.name(parent)
        moved = self.check_call(expected, lambda: self.memory(short).update_domain(self.name(short), parent=value))
        if expected is None and parent != (known := self.known[short]).parent:
            known.parent, known.moved = parent, (moved.version, known.parent)

    @precondition(lambda self: any(known.moved for known in self.known.values()))
    @rule(number=which)
    def move_back(self, number: int) -> None:
        all_items = [short for short, known in self.known.items() if known.moved]
        short = all_items[number % len(all_items)]
        version, before = self.known[short].moved or (0, None)
        expected = self.refusal_of_a_move(short, before)
        self.check_call(expected, lambda: self.memory(short).history.revert(event_ids=[version]))
        if expected is None:
            self.known[short].parent, self.known[short].moved = before, None

    def refusal_of_a_move(self, short: str, parent: str | None) -> str | None:
        if short not in self.known:
            return "ONTOLOGY_NOT_FOUND"
        known = self.known[short]
        if parent == known.parent:
            return None
        if known.is_protected:
            return "PROTECTED"
        if parent is None:
            return None
        if parent not in self.known:
            return "ONTOLOGY_NOT_FOUND"
        if parent == short or short in self.above(parent):
            return "INVALID_ARGUMENT"
        theirs = self.visible_types(parent)
        if any(theirs.get(name, meaning) != meaning for name, meaning in known.types.items()):
            return "TYPE_ALREADY_EXISTS"
        return None

    @rule(short=names, description=meanings)
    def describe(self, short: str, description: str) -> None:
        known = self.known.get(short)
        is_new = known is not None and known.description != (description or None)
        expected = "ONTOLOGY_NOT_FOUND" if known is None else self.unwritable(short) if is_new else None
        self.check_call(expected, lambda: self.memory(short).update_domain(self.name(short), description=description))
        if known is not None and is_new and expected is None:
            known.description, known.moved = description or None, None

    @rule(short=names, name=st.sampled_from((*TYPES, WAY)), meaning=meanings)
    def declare(self, short: str, name: str, meaning: str) -> None:
        expected = "ONTOLOGY_NOT_FOUND"
        if short in self.known:
            expected = "TYPE_ALREADY_EXISTS" if name in self.visible_types(short) else self.unwritable(short)
        memory = self.memory(short)
        if name == WAY:
            way = ConnectionType(name, ("*",), ("*",), description=meaning)
            self.check_call(expected, lambda: memory.add_connection_type(way))
        else:
            self.check_call(expected, lambda: memory.add_node_type(NodeType(name, description=meaning)))
        if expected is None:
            self.known[short].types[name] = meaning

    @rule(short=names, name=types)
    def write(self, short: str, name: str) -> None:
        expected = "ONTOLOGY_NOT_FOUND"
        if short in self.known:
            expected = self.unwritable(short) if name in self.visible_types(short) else "INVALID_NODE_TYPE"
        made = self.check_call(expected, lambda: self.memory(short).create_node(name, "x"))
        if expected is None:
            self.take(short, name)
            self.known[short].nodes[made.node_id] = name

    @precondition(lambda self: self.place(0))
    @rule(count=which, other=which)
    def connect(self, count: int, other: int) -> None:
        short, source = self.place(count) or ("", "")
        known = self.known[short]
        target = [*known.nodes][other % len(known.nodes)]
        expected = self.unwritable(short) if WAY in self.visible_types(short) else "INVALID_CONNECTION_TYPE"
        self.check_call(expected, lambda: self.memory(short).create_connection(WAY, source, target))
        if expected is None:
            self.take(short, WAY)
            known.edges.add((source, target))

    @precondition(lambda self: self.place(0))
    @rule(count=which, other=which, kind=kinds, bidirectional=st.booleans())
    def link(self, count: int, other: int, kind: Any, bidirectional: bool) -> None:
        (short, source), target = self.place(count) or ("", ""), self.place(other) or ("", "")
        known, link = self.known[short], Made(source, target, kind, bidirectional)
        alike = {(link.source, link.target, link.type) for link in known.links.values()}
        expected = "PROTECTED" if source in known.guarded else self.unwritable(short)
        if short == target[0]:
            expected = "INVALID_ARGUMENT"
        elif (source, target, kind) in alike:
            expected = "LINK_ALREADY_EXISTS"
        arguments = {"link_type": kind, "bidirectional": bidirectional}
        make = self.memory(short).links.create_cross_domain_link
        made = self.check_call(expected, lambda: make(source, self.name(target[0]), target[1], **arguments))
        if expected is None:
            known.links[made.link_id] = link

    @precondition(lambda self: any(known.links for known in self.known.values()))
    @rule(number=which)
    def unlink(self, number: int) -> None:
        pairs = [(short, link) for short, known in self.known.items() for link in known.links]
        short, link = pairs[number % len(pairs)]
        known = self.known[short]
        expected = "PROTECTED" if known.links[link].source in known.guarded else self.unwritable(short)
        self.check_call(expected, lambda: self.memory(short).links.delete_cross_domain_link(link))
        if expected is None:
            del known.links[link]

    @precondition(lambda self: self.place(0))
    @rule(number=which)
    def delete_node(self, number: int) -> None:
        short, node = self.place(number) or ("", "")
        known = self.known[short]
        edges = {edge for edge in known.edges if node in edge}
        near = {node, *(end for edge in edges for end in edge)}
        expected = "PROTECTED" if near & known.guarded else self.unwritable(short)
        deleted = self.check_call(expected, lambda: self.memory(short).delete_node(node))
        if expected is None:
            links = {link: made for link, made in known.links.items() if made.source == node}
            known.links = {link: made for link, made in known.links.items() if link not in links}
            known.edges -= edges
            type_ = known.nodes.pop(node)
            if not edges:
                known.deleted[node] = Deletion(type_, deleted.version - deleted.connections, deleted.version, links)

    @precondition(lambda self: any(known.deleted for known in self.known.values()))
    @rule(number=which)
    def bring_back(self, number: int) -> None:
        pairs = [(short, node) for short, known in self.known.items() for node in known.deleted]
        short, node = pairs[number % len(pairs)]
        known, expected = self.known[short], self.unwritable(short)
        result = known.deleted[node]
        self.check_call(expected, lambda: self.memory(short).history.revert(since=result.since, until=result.until))
        if expected is None:
            del known.deleted[node]
            known.nodes[node] = result.type
            known.links |= result.links

    @precondition(lambda self: self.place(0))
    @rule(number=which)
    def guard(self, number: int) -> None:
        short, node = self.place(number) or ("", "")
        self.protect(short, {"node_id": node}, on=node not in self.known[short].guarded)
        self.known[short].guarded ^= {node}

    @rule(short=names, on=st.booleans())
    def protect_domain(self, short: str, on: bool) -> None:
        if short in self.known:
            self.protect(short, {"domain": self.name(short)}, on=on)
            self.known[short].is_protected, self.known[short].moved = on, None

    def protect(self, short: str, item: dict[str, str], *, on: bool) -> None:
        carol = self.memory(short, "carol")
        arguments: dict[str, Any] = {"can_be_unprotected_by": ["carol"]} if on else {}
        self.check_call(None, lambda: (carol.protect if on else carol.unprotect)(**item, **arguments))

    @precondition(
        lambda self: len(self.known) < len(NAMES) and sum(item.source is not None for item in self.known.values()) < 2
    )
    @rule(source=names)
    def branch(self, source: str) -> None:
        short = next(name for name in NAMES if name not in self.known)
        expected = None if source in self.known else "ONTOLOGY_NOT_FOUND"
        self.check_call(expected, lambda: self.memory(source).history.branch(self.name(short)))
        if expected is None:
            self.known[short] = self.known[source].copy_for_branch(source)

    @rule(short=names)
    def delete_domain(self, short: str) -> None:
        expected = None
        if short not in self.known:
            expected = "ONTOLOGY_NOT_FOUND"
        elif any(known_domain.source == short for known_domain in self.known.values()):
            expected = "DOMAIN_HAS_BRANCHES"
        elif any(known_domain.parent == short for known_domain in self.known.values()):
            expected = "DOMAIN_HAS_CHILDREN"
        elif self.known[short].guarded or self.known[short].is_protected:
            expected = "PROTECTED"
        self.check_call(expected, lambda: self.memory(short).delete_domain(self.name(short)))
        if expected is None:
            del self.known[short]

    @precondition(lambda self: self.place(0))
    @rule(number=which)
    def walk(self, number: int) -> None:
        short, node = self.place(number) or ("", "")
        for crossing in (False, True):
            arguments = {"max_depth": 10, "max_nodes": 500, "cross_domains": crossing}
            walked = self.check_call(None, lambda: self.memory(short).recall.traverse_memories(node, **arguments))  # noqa: B023
            pairs = {(self.short(node.domain or self.name(short)), node.id) for node in walked.nodes}
            assert pairs == self.reachable((short, node), crossing=crossing)

    def reachable(self, start: Place, *, crossing: bool) -> set[Place]:
        """Return the places within ten steps of a node."""
        ways = set[tuple[Place, Place]]()
        for short, known in self.known.items():
            ways |= {((short, text), (short, other)) for edge in known.edges for text, other in (edge, edge[::-1])}
            for made in known.links.values() if crossing else ():
                ends = (short, made.source), made.target
                ways |= {ends} if self.lives(made.target) else set()
                ways |= {ends[::-1]} if self.lives(made.target) and self.is_seen_from_its_target(short, made) else set()
        reached, frontier = {start}, {start}
        for _ in range(10):
            frontier = {other for place, other in ways if place in frontier} - reached
            reached |= frontier
        return reached

    def is_seen_from_its_target(self, short: str, made: Made) -> bool:
        return made.bidirectional and self.known[short].source is None

    @rule(short=names)
    def look_at_links(self, short: str) -> None:
        if short not in self.known:
            return
        lines = set[tuple[str, str, str, Place, str, bool]]()
        for item in self.check_call(None, lambda: self.memory(short).links.list_cross_domain_links()).links:
            end = self.short(item.ref.domain), item.ref.node_id
            lines.add(
                (item.link_id, self.short(item.domain), item.node_id, end, item.ref.link_type, bool(item.dangling))
            )
        expected = set[tuple[str, str, str, Place, str, bool]]()
        for home, known in self.known.items():
            for link, made in known.links.items():
                dangles = not self.lives(made.target)
                if home == short:
                    expected.add((link, home, made.source, made.target, made.type, dangles))
                if made.target[0] == short and self.is_seen_from_its_target(home, made):
                    back = INVERSES[made.type]
                    expected.add((link, home, made.target[1], (home, made.source), back, dangles))
        assert lines == expected

    @invariant()
    def the_domains_are_what_the_model_says(self) -> None:
        where = {"limit": len(NAMES), "cursor": f"after:{self.prefix}/"}
        listed = self.check_call(None, lambda: self.talk.memory.list_domains(**where)).domains
        results = {self.short(item.name): item for item in listed if item.name.startswith(f"{self.prefix}/")}
        assert results.keys() == self.known.keys()
        for short, known in self.known.items():
            result, below = (
                results[short],
                [name for name, known_domain in self.known.items() if known_domain.parent == short],
            )
            assert (result.parent and self.short(result.parent), result.description) == (
                known.parent,
                known.description,
            )
            assert [*map(self.short, result.children or ())] == sorted(below)
            assert (result.forked_from and self.short(result.forked_from)) == known.source
            assert result.node_types + result.connection_types == len(known.types)

    def teardown(self) -> None:
        for short in self.known:
            memory = self.memory(short)
            self.look_at_links(short)
            ontology = self.check_call(None, lambda: memory.get_ontology())  # noqa: B023
            declared = (*ontology.node_types, *ontology.connection_types)
            assert {item.name: item.description for item in declared} == self.visible_types(short)
            below = [text for text in self.known if text == short or short in self.above(text)]
            result = self.check_call(None, lambda: memory.query_nodes(include_children=True))  # noqa: B023
            assert {(node.id, node.domain, node.type) for node in result.nodes} == {
                (node, self.name(text), type_) for text in below for node, type_ in self.known[text].nodes.items()
            }
            assert self.check_call(None, lambda: memory.upkeep.verify()).differences == ()  # noqa: B023


@pytest.mark.long
@pytest.mark.timeout(600)
def test_any_order_of_changes_comes_to_what_a_model_says(talk: Conversation) -> None:
    run(lambda: DomainsMachine(talk), settings=profile(examples=28, steps=30))
