"""Any order of protecting, lifting, writing, undoing and merging comes to what a small model says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from graph_memory import GraphError, Memory, ontology_from
from profiles import profile
from support import Conversation

ACTORS = ("alice", "bob")
actors = st.sampled_from(ACTORS)
which = st.integers(0, 10)
names = st.sampled_from([(), ("alice",), ("bob",), ("alice", "bob")])
Names = tuple[str, ...]
"""Who may lift a protection, and write."""


@dataclass
class Link:
    """A connection as the model knows it."""

    source: str
    target: str
    names: Names | None = None


class ProtectionMachine(RuleBasedStateMachine):
    """Nodes, the connections between them and their domain; None is what is not protected."""

    def __init__(self, talk: Conversation) -> None:
        super().__init__()
        self.talk = talk
        self.domain = f"test-{uuid4().hex[:20]}"
        self.memory: Memory = talk.memory.in_domain(self.domain)
        self.nodes: dict[str, Names | None] = {}
        self.links: dict[str, Link] = {}
        self.whole: Names | None = None
        self.count = 0

    def ask(self, actor: str, call: Callable[[Memory], Awaitable[Any]]) -> tuple[str | None, Any]:
        """Return the code of the refusal, if there is one, and the answer."""

        async def run() -> Any:
            return await call(self.memory.acting_as(actor))

        try:
            return None, self.talk.portal.call(run)
        except GraphError as error:
            return str(error.code), None

    def may(self, actor: str, *guards: Names | None) -> bool:
        """Return whether an actor may write despite the guards of all of these subjects and of the domain."""
        return all(guard is None or actor in guard for guard in (self.whole, *guards))

    def check_write(self, actor: str, call: Callable[[Memory], Awaitable[Any]], *guards: Names | None) -> Any:
        """Return the answer of a write, None where it is refused; the model must say the same."""
        code, answer = self.ask(actor, call)
        assert code == (None if self.may(actor, *guards) else "PROTECTED")
        return answer

    def guards_of(self, node: str) -> list[Names | None]:
        """Return the subjects whose guards apply to the deletion of a node: it, its connections and its neighbours."""
        near = [link for link in self.links.values() if node in (link.source, link.target)]
        ends = {end for link in near for end in (link.source, link.target)}
        return [self.nodes[node], *(link.names for link in near), *(self.nodes[end] for end in ends)]

    def node(self, number: int) -> str:
        return list(self.nodes)[number % len(self.nodes)]

    def link(self, number: int) -> str:
        return list(self.links)[number % len(self.links)]

    @initialize()
    def begin(self) -> None:
        link = {"name": "Link", "from_types": ["Note"], "to_types": ["Note"]}
        declared = ontology_from({"node_types": ["Note"], "connection_types": [link]})
        self.ask("alice", lambda memory: memory.create_ontology(declared))
        for _ in range(3):
            self.create("alice")

    @rule(actor=actors)
    def create(self, actor: str) -> None:
        if (made := self.check_write(actor, lambda memory: memory.create_node("Note", "x"))) is not None:
            self.nodes[made.node_id] = None

    @precondition(lambda self: self.nodes)
    @rule(actor=actors, count=which, other=which)
    def connect(self, actor: str, count: int, other: int) -> None:
        source, target = self.node(count), self.node(other)
        made = self.check_write(actor, lambda memory: memory.create_connection("Link", source, target))
        if made is not None:
            self.links[made.connection_id] = Link(source, target)

    @precondition(lambda self: self.nodes)
    @rule(actor=actors, number=which)
    def update(self, actor: str, number: int) -> None:
        node, self.count = self.node(number), self.count + 1
        self.check_write(actor, lambda memory: memory.update_node(node, properties={"n": self.count}), self.nodes[node])

    @precondition(lambda self: self.links)
    @rule(actor=actors, number=which)
    def update_link(self, actor: str, number: int) -> None:
        link, self.count = self.link(number), self.count + 1
        change = {"n": self.count}
        self.check_write(
            actor, lambda memory: memory.update_connection(link, properties=change), self.links[link].names
        )

    @precondition(lambda self: self.nodes)
    @rule(actor=actors, number=which, batch=st.booleans())
    def delete(self, actor: str, number: int, batch: bool) -> None:
        node = self.node(number)
        deletion = [{"op": "delete_node", "node_id": node}]

        def call(memory: Memory) -> Awaitable[Any]:
            return memory.execute_batch(deletion) if batch else memory.delete_node(node)

        if self.check_write(actor, call, *self.guards_of(node)) is not None:
            del self.nodes[node]
            self.links = {key: link for key, link in self.links.items() if node not in (link.source, link.target)}

    @precondition(lambda self: self.links)
    @rule(actor=actors, number=which)
    def disconnect(self, actor: str, number: int) -> None:
        link = self.link(number)
        if self.check_write(actor, lambda memory: memory.delete_connection(link), self.links[link].names) is not None:
            del self.links[link]

    @precondition(lambda self: self.nodes)
    @rule(actor=actors, number=which, value=names | st.none())
    def guard(self, actor: str, number: int, value: Names | None) -> None:
        node = self.node(number)
        if value == self.nodes[node]:
            return
        call = partial(_guard, value, node_id=node)
        if self.check_write(actor, call, self.nodes[node]) is not None:
            self.nodes[node] = value

    @precondition(lambda self: self.links)
    @rule(actor=actors, number=which, value=names | st.none())
    def guard_link(self, actor: str, number: int, value: Names | None) -> None:
        link = self.link(number)
        if value == self.links[link].names:
            return
        call = partial(_guard, value, connection_id=link)
        if self.check_write(actor, call, self.links[link].names) is not None:
            self.links[link].names = value

    @rule(actor=actors, names=st.sampled_from([("alice",), ("bob",), None, None]))
    def guard_all(self, actor: str, names: Names | None) -> None:
        if names == self.whole:
            return
        if self.check_write(actor, partial(_guard, names, domain=self.domain)) is not None:
            self.whole = names

    @precondition(lambda self: self.nodes)
    @rule(actor=actors, number=which)
    def change_and_revert(self, actor: str, number: int) -> None:
        node, self.count = self.node(number), self.count + 1
        change = {"n": self.count}
        made = self.check_write(actor, lambda memory: memory.update_node(node, properties=change), self.nodes[node])
        if made is not None:
            event = [made.version]
            self.check_write(actor, lambda memory: memory.history.revert(event_ids=event), self.nodes[node])

    @precondition(lambda self: self.nodes)
    @rule(actor=actors, number=which)
    def change_in_a_branch_and_merge(self, actor: str, number: int) -> None:
        node, self.count = self.node(number), self.count + 1
        branch, change = f"{self.domain}-{self.count}", {"n": self.count}
        self.ask(actor, lambda memory: memory.history.branch(branch))
        call = partial(_update_in, branch, node, change)
        code, _ = self.ask(actor, call)
        own = self.nodes[node]
        assert code == (None if own is None or actor in own else "PROTECTED")
        if code is None:
            self.check_write(actor, lambda memory: memory.history.merge(branch, into=self.domain), own)
        self.ask(actor, lambda memory: memory.in_domain(branch).upkeep.verify())

    def teardown(self) -> None:
        if not self.nodes and not self.count:
            return
        for node, names in self.nodes.items():
            shown = self.ask("bob", partial(_node, node))[1].protection
            assert (None if shown is None else shown.can_be_unprotected_by or ()) == names
        assert self.ask("bob", lambda memory: memory.upkeep.verify())[1].differences == ()


async def _guard(names: Names | None, memory: Memory, **target: str) -> Any:
    if names is None:
        return await memory.unprotect(**target)
    return await memory.protect(can_be_unprotected_by=names, **target)


async def _update_in(branch: str, node: str, change: dict[str, int], memory: Memory) -> Any:
    return await memory.in_domain(branch).update_node(node, properties=change)


async def _node(node: str, memory: Memory) -> Any:
    return await memory.get_node(node)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_any_order_of_protecting_and_writing_comes_to_what_the_model_says(talk: Conversation) -> None:
    run_state_machine_as_test(partial(ProtectionMachine, talk), settings=profile(examples=12, steps=30))
