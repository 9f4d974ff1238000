"""Any order of making, moving, filling, protecting and deleting domains comes to what a small model says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from graph_memory import GraphError, Memory
from graph_memory.model.ontology.ontology import NodeType
from profiles import profile
from support import Conversation

NAMES = ("a", "b", "c", "d")
TYPES = ("One", "Two", "Three")
names = st.sampled_from(NAMES)
types = st.sampled_from(TYPES)
meanings = st.sampled_from(("", "this", "that"))


@dataclass
class Known:
    """A domain as the model knows it."""

    parent: str | None = None
    description: str | None = None
    types: dict[str, str] = field(default_factory=dict[str, str])
    """Its own types and those that it took, with their descriptions."""
    nodes: dict[str, str] = field(default_factory=dict[str, str])
    is_protected: bool = False


class TreeMachine(RuleBasedStateMachine):
    """Four domains at most, each of which may be under another."""

    def __init__(self, talk: Conversation) -> None:
        super().__init__()
        self.talk = talk
        self.prefix = f"test-{uuid4().hex[:16]}"
        self.memory: Memory = talk.memory
        self.known: dict[str, Known] = {}

    def name(self, short: str) -> str:
        return f"{self.prefix}/{short}"

    def ask(self, call: Callable[[], Awaitable[Any]]) -> tuple[str | None, Any]:
        """Return the code of the refusal, if there is one, and the answer."""

        async def asked() -> Any:
            return await call()

        try:
            return None, self.talk.portal.call(asked)
        except GraphError as error:
            return str(error.code), None

    def done(self, expected: str | None, call: Callable[[], Awaitable[Any]]) -> Any:
        """Return the answer of a call that is refused as the model says."""
        code, answer = self.ask(call)
        assert code == expected
        return answer

    def above(self, short: str) -> list[str]:
        """Return the domains above one, the nearest first."""
        found: list[str] = []
        parent = self.known[short].parent
        while parent is not None:
            found.append(parent)
            parent = self.known[parent].parent
        return found

    def defined_above(self, short: str) -> dict[str, str]:
        """Return the types of the domains above, as the nearest has them."""
        found: dict[str, str] = {}
        for one in self.above(short):
            found = {**self.known[one].types, **found}
        return found

    @initialize()
    def begin(self) -> None:
        self.create("a", None, "")

    @rule(short=names, parent=names | st.none(), description=meanings)
    def create(self, short: str, parent: str | None, description: str) -> None:
        expected = None
        if short in self.known:
            expected = "DOMAIN_ALREADY_EXISTS"
        elif parent is not None and parent not in self.known:
            expected = "INVALID_ARGUMENT" if parent == short else "ONTOLOGY_NOT_FOUND"
        above = parent and self.name(parent)
        self.done(expected, lambda: self.memory.create_domain(self.name(short), parent=above, description=description))
        if expected is None:
            self.known[short] = Known(parent, description or None)

    @rule(short=names, parent=names | st.none())
    def move(self, short: str, parent: str | None) -> None:
        expected = self.refusal_of_a_move(short, parent)
        given = "" if parent is None else self.name(parent)
        self.done(expected, lambda: self.memory.update_domain(self.name(short), parent=given))
        if expected is None:
            self.known[short].parent = parent

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
        theirs = {**self.defined_above(parent), **self.known[parent].types}
        if any(theirs.get(name, meaning) != meaning for name, meaning in known.types.items()):
            return "TYPE_ALREADY_EXISTS"
        return None

    @rule(short=names, description=meanings)
    def describe(self, short: str, description: str) -> None:
        expected = None if short in self.known else "ONTOLOGY_NOT_FOUND"
        if (
            expected is None
            and self.known[short].is_protected
            and self.known[short].description != (description or None)
        ):
            expected = "PROTECTED"
        self.done(expected, lambda: self.memory.update_domain(self.name(short), description=description))
        if expected is None:
            self.known[short].description = description or None

    @rule(short=names, name=types, meaning=meanings)
    def declare(self, short: str, name: str, meaning: str) -> None:
        expected = None
        if short not in self.known:
            expected = "ONTOLOGY_NOT_FOUND"
        elif name in self.known[short].types or name in self.defined_above(short):
            expected = "TYPE_ALREADY_EXISTS"
        elif self.known[short].is_protected:
            expected = "PROTECTED"
        declared = NodeType(name, description=meaning)
        self.done(expected, lambda: self.memory.add_node_type(declared, domain=self.name(short)))
        if expected is None:
            self.known[short].types[name] = meaning

    @rule(short=names, name=types)
    def write(self, short: str, name: str) -> None:
        expected = None
        if short not in self.known:
            expected = "ONTOLOGY_NOT_FOUND"
        elif name not in {**self.defined_above(short), **self.known[short].types}:
            expected = "INVALID_NODE_TYPE"
        elif self.known[short].is_protected:
            expected = "PROTECTED"
        made = self.done(expected, lambda: self.memory.create_node(name, "x", domain=self.name(short)))
        if expected is None:
            known = self.known[short]
            known.types.setdefault(name, self.defined_above(short).get(name, ""))
            known.nodes[made.node_id] = name

    @rule(short=names, on=st.booleans())
    def protect(self, short: str, on: bool) -> None:
        if short in self.known:
            actor = self.memory.acting_as("alice")
            call = actor.protect if on else actor.unprotect
            given: dict[str, Any] = {"can_be_unprotected_by": ["alice"]} if on else {}
            self.done(None, lambda: call(domain=self.name(short), **given))
            self.known[short].is_protected = on

    @rule(short=names)
    def delete(self, short: str) -> None:
        expected = None
        if short not in self.known:
            expected = "ONTOLOGY_NOT_FOUND"
        elif any(one.parent == short for one in self.known.values()):
            expected = "DOMAIN_HAS_CHILDREN"
        elif self.known[short].is_protected:
            expected = "PROTECTED"
        self.done(expected, lambda: self.memory.delete_domain(self.name(short)))
        if expected is None:
            del self.known[short]

    @invariant()
    def the_domains_are_what_the_model_says(self) -> None:
        every, found = self.talk.portal.call(self.memory.list_domains), dict[str, Known]()
        for one in every.domains:
            if one.name.startswith(f"{self.prefix}/"):
                short = one.name.removeprefix(f"{self.prefix}/")
                found[short] = Known(one.parent and one.parent.removeprefix(f"{self.prefix}/"), one.description)
                assert one.node_types == len(self.known[short].types)
        assert {name: (one.parent, one.description) for name, one in found.items()} == {
            name: (one.parent, one.description) for name, one in self.known.items()
        }

    def teardown(self) -> None:
        for short, known in self.known.items():
            ontology = self.done(None, lambda short=short: self.memory.get_ontology(domain=self.name(short)))
            seen = {**self.defined_above(short), **known.types}
            assert {one.name: one.description for one in ontology.node_types} == seen
            below = [one for one in self.known if one == short or short in self.above(one)]
            found = self.done(
                None, lambda short=short: self.memory.query_nodes(domain=self.name(short), include_children=True)
            )
            assert {(one.id, one.domain, one.type) for one in found.nodes} == {
                (node, self.name(one), type_) for one in below for node, type_ in self.known[one].nodes.items()
            }
            assert self.done(None, lambda short=short: self.memory.upkeep.verify(domain=self.name(short))).clean


@pytest.mark.timeout(600)
def test_any_order_of_changes_of_a_tree_comes_to_what_a_model_says(talk: Conversation) -> None:
    run_state_machine_as_test(lambda: TreeMachine(talk), settings=profile(examples=24, steps=30))
