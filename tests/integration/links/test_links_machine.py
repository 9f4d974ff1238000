"""Any order of links, deletions, undoing and protection in three domains comes to what a small model says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from graph_memory import GraphError, Memory, ontology_from
from graph_memory.model.links import INVERSES
from integration.links.conftest import DECLARED
from profiles import profile
from support import Conversation

DOMAINS = 3
which = st.integers(0, 50)
Place = tuple[int, str]
"""The number of a domain, and the id of a node in it."""


@dataclass(frozen=True)
class Made:
    """A link as the model knows it."""

    source: Place
    target: Place
    type: str
    bidirectional: bool


class LinksMachine(RuleBasedStateMachine):
    """Nodes of three domains, connections within them and links between them."""

    def __init__(self, talk: Conversation) -> None:
        super().__init__()
        self.talk = talk
        self.domains = [talk.memory.in_domain(f"test-{uuid4().hex[:20]}") for _ in range(DOMAINS)]
        self.alive: list[Place] = []
        self.gone: dict[Place, tuple[int, int, set[str]]] = {}
        """Deleted nodes, each with the first and last number of what went, and the links that did."""
        self.links: dict[str, Made] = {}
        self.deleted: dict[str, Made] = {}
        self.edges: set[tuple[Place, Place]] = set()
        self.guarded: set[Place] = set()

    def ask(self, call: Callable[[], Awaitable[Any]]) -> Any:
        """Return the answer of a call, or the code of its refusal."""

        async def asked() -> Any:
            return await call()

        try:
            return self.talk.portal.call(asked)
        except GraphError as error:
            return str(error.code)

    def memory(self, place: Place) -> Memory:
        return self.domains[place[0]].acting_as("alice")

    def name(self, place: Place) -> str:
        return self.domains[place[0]]._domain(None)

    def node(self, number: int) -> Place:
        return self.alive[number % len(self.alive)]

    @initialize()
    def begin(self) -> None:
        for number, domain in enumerate(self.domains):
            self.ask(lambda domain=domain: domain.create_ontology(ontology_from(DECLARED)))
            self.create(number)
            self.create(number)

    @rule(number=st.integers(0, DOMAINS - 1))
    def create(self, number: int) -> None:
        made = self.ask(lambda: self.domains[number].create_node("Note", "x"))
        self.alive.append((number, made.node_id))

    @rule(one=which, other=which)
    def connect(self, one: int, other: int) -> None:
        source, target = self.node(one), self.node(other)
        if source[0] == target[0]:
            self.ask(lambda: self.memory(source).create_connection("Link", source[1], target[1]))
            self.edges.add((source, target))

    @rule(one=which, other=which, kind=st.sampled_from([*INVERSES]), bidirectional=st.booleans())
    def link(self, one: int, other: int, kind: Any, bidirectional: bool) -> None:
        source, target = self.node(one), self.node(other)
        given = {"link_type": kind, "bidirectional": bidirectional}
        make = self.memory(source).links.create_cross_domain_link
        made = self.ask(lambda: make(source[1], self.name(target), target[1], **given))
        link = Made(source, target, kind, bidirectional)
        known = {(each.source, each.target, each.type) for each in self.links.values()}
        if source[0] == target[0]:
            assert made == "INVALID_ARGUMENT"
        elif (source, target, kind) in known:
            assert made == "LINK_ALREADY_EXISTS"
        elif source in self.guarded:
            assert made == "PROTECTED"
        else:
            self.links[made.link_id] = link

    @precondition(lambda self: self.links)
    @rule(number=which)
    def unlink(self, number: int) -> None:
        link = [*self.links][number % len(self.links)]
        made = self.links[link]
        done = self.ask(lambda: self.memory(made.source).links.delete_cross_domain_link(link))
        if made.source in self.guarded:
            assert done == "PROTECTED"
        else:
            self.deleted[link] = self.links.pop(link)

    @rule(number=which)
    def guard(self, number: int) -> None:
        place = self.node(number)
        act = self.memory(place).unprotect if place in self.guarded else self.memory(place).protect
        given = {} if place in self.guarded else {"can_be_unprotected_by": ["bob"]}
        who = self.domains[place[0]].acting_as("bob")
        act = who.unprotect if place in self.guarded else who.protect
        self.ask(lambda: act(node_id=place[1], **given))
        self.guarded ^= {place}

    @precondition(lambda self: len(self.alive) > DOMAINS)
    @rule(number=which)
    def delete(self, number: int) -> None:
        place = self.node(number)
        near = {place} | {end for edge in self.edges if place in edge for end in edge}
        done = self.ask(lambda: self.memory(place).delete_node(place[1]))
        if near & self.guarded:
            assert done == "PROTECTED"
            return
        went = {link for link, made in self.links.items() if made.source == place}
        edges = {edge for edge in self.edges if place in edge}
        self.alive.remove(place)
        self.edges -= edges
        self.deleted |= {link: self.links.pop(link) for link in went}
        if not edges:
            self.gone[place] = done.version - done.connections, done.version, went

    @precondition(lambda self: self.gone)
    @rule(number=which)
    def bring_back(self, number: int) -> None:
        place = [*self.gone][number % len(self.gone)]
        first, last, went = self.gone.pop(place)
        self.ask(lambda: self.memory(place).history.revert(since=first, until=last))
        self.alive.append(place)
        self.links |= {link: self.deleted.pop(link) for link in went}

    @rule(number=st.integers(0, DOMAINS - 1))
    def look(self, number: int) -> None:
        memory = self.domains[number]
        found = self.ask(lambda: memory.links.list_cross_domain_links())
        expected = dict[tuple[str, str], tuple[str, str, str, bool]]()
        for link, made in self.links.items():
            dangles = made.target not in self.alive
            if made.source[0] == number:
                expected[link, "out"] = (made.source[1], made.target[1], made.type, dangles)
            if made.target[0] == number and made.bidirectional:
                expected[link, "in"] = (made.target[1], made.source[1], INVERSES[made.type], dangles)
        told = {
            (each.link_id, "out" if each.domain == memory._domain(None) else "in"): (
                each.node_id,
                each.ref.node_id,
                each.ref.link_type,
                each.dangling is not None,
            )
            for each in found.links
        }
        assert told == expected

    @rule(number=which)
    def walk(self, number: int) -> None:
        start = self.node(number)
        given = {"max_depth": 10, "max_nodes": 500}
        walked = self.ask(lambda: self.memory(start).recall.traverse_memories(start[1], **given))
        assert {(start[0], node.id) for node in walked.nodes} == self.reached(start, crossing=False)
        crossed = self.ask(lambda: self.memory(start).recall.traverse_memories(start[1], cross_domains=True, **given))
        names = {memory._domain(None): place for place, memory in enumerate(self.domains)}
        home = self.name(start)
        assert {(names[node.domain or home], node.id) for node in crossed.nodes} == self.reached(start, crossing=True)

    def reached(self, start: Place, *, crossing: bool) -> set[Place]:
        """Return where one comes from a node, in at most ten steps."""
        ways = {(one, other) for edge in self.edges for one, other in (edge, edge[::-1])}
        for made in self.links.values() if crossing else ():
            if made.target in self.alive:
                ways |= {(made.source, made.target)}
                ways |= {(made.target, made.source)} if made.bidirectional else set()
        seen, frontier = {start}, {start}
        for _ in range(10):
            frontier = {other for one, other in ways if one in frontier} - seen
            seen |= frontier
        return seen

    def teardown(self) -> None:
        for number in range(DOMAINS):
            self.look(number)
            assert self.ask(lambda number=number: self.domains[number].upkeep.verify()).differences == ()


@pytest.mark.timeout(600)
def test_links_in_any_order_are_those_of_the_model(talk: Conversation) -> None:
    run_state_machine_as_test(lambda: LinksMachine(talk), settings=profile(examples=12, steps=30))
