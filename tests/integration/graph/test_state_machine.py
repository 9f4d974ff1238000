"""Random operations, valid and not, against the service and a model of it: every answer must be the model's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from neo4j import Driver

from graph_memory import GraphError, Memory, ontology_from
from integration.reference_model import (
    Connection,
    Node,
    Reference,
    Text,
    differ,
    matches,
    property_faults,
    strength_faults,
    to_the_letter,
    told_strength,
)
from profiles import profile
from support import Conversation

DECLARED: dict[str, Any] = {
    "node_types": [
        {"name": "Note"},
        {
            "name": "Project",
            "properties": [
                {"name": "name", "type": "string", "required": True},
                {"name": "status", "enum": ["active", "done", 1]},
            ],
        },
        {
            "name": "Person",
            "properties": [{"name": "email", "unique": True}, {"name": "age", "type": "integer", "indexed": True}],
        },
    ],
    "connection_types": [
        {"name": "RelatesTo", "from_types": ["*"], "to_types": ["*"]},
        {"name": "Contains", "from_types": ["*"], "to_types": ["*"], "inverse": "PartOf", "materialize_inverse": True},
        {"name": "PartOf", "from_types": ["*"], "to_types": ["*"], "inverse": "Contains"},
        {"name": "Near", "from_types": ["*"], "to_types": ["*"], "symmetric": True, "materialize_inverse": True},
        {"name": "DependsOn", "from_types": ["Project"], "to_types": ["Project"], "acyclic": True},
        {
            "name": "OwnedBy",
            "from_types": ["Project", "Note"],
            "to_types": ["Person"],
            "unique_source": True,
            "properties": [{"name": "since", "type": "date", "required": True}],
        },
        {
            "name": "Leads",
            "from_types": ["Person"],
            "to_types": ["Project"],
            "unique_target": True,
            "inverse": "LedBy",
            "materialize_inverse": True,
            "properties": [
                {"name": "code", "type": "string", "unique": True},
                {"name": "rank", "type": "number", "indexed": True},
            ],
        },
    ],
}
SWITCHED = DECLARED["connection_types"][1:4]
"""Types whose second relationships are switched off and on."""
LATER_NODE_TYPES = [{"name": "Gadget"}, {"name": "Odd `Type`.\\u0041 'x\""}, {"name": "Note"}]
GROWN: list[dict[str, Any]] = [
    *DECLARED["node_types"],
    {"name": "Note", "properties": [{"name": "title", "unique": True}]},
    {
        "name": "Project",
        "properties": [{"name": "name", "type": "string"}, {"name": "status", "enum": ["active", 1], "indexed": True}],
    },
    {"name": "Person", "properties": [{"name": "email", "indexed": True}, {"name": "rank", "type": "number"}]},
]
LATER_CONNECTION_TYPES = [
    {"name": "Uses", "from_types": ["*"], "to_types": ["Gadget"]},
    {"name": "odd \\ `type`.\"'$x", "from_types": ["*"], "to_types": ["*"], "acyclic": True},
    {"name": "RelatesTo", "from_types": ["Note"], "to_types": ["Note"]},
]
NODE_TYPES = ["Note", "Project", "Person", "Note", "Project", "Person", "Gadget", LATER_NODE_TYPES[1]["name"], "Nobody"]
INVERSES = ["Contains", "PartOf", "Near", "LedBy"]
CONNECTION_TYPES = [
    *("RelatesTo", "DependsOn", "OwnedBy", "Leads", *INVERSES, "Uses"),
    *(LATER_CONNECTION_TYPES[1]["name"], "Nothing"),
]
FITTING: dict[str, dict[str, Any]] = {"Project": {"name": "P"}, "OwnedBy": {"since": "2025-10-31"}}
"""What a type requires, so that most creations go through."""

KEYS = ["name", "status", "email", "age", "rank", "code", "since", "title", "k.e y`", "id", "_hidden", "bad\nkey"]
LARGE_INTEGER = 2**53 + 1
VALUES: list[Any] = [
    *("", "a", "A", "ß", "active", "done", "1", "true", "2025-10-31", "2025-02-30", "e\u0301", "é", "x" * 5_000),
    *(0, 1, 2, -1, LARGE_INTEGER, LARGE_INTEGER - 1, 2**63 - 1, -(2**63)),
    *(0.0, -0.0, 1.0, 0.5, float(2**53), float(2**63), 1e300),
    *(True, False),
    *(None, 2**63, float("nan"), float("inf"), ["a"], {"a": 1}),
]
LARGE = "".join(f"Straße {i} ﬁn\tİstanbul 漢字 🧠 e\u0301;" for i in range(600))
TEXTS = [
    *(Text(""), Text("hello"), Text("# Title\r\nbody"), Text('STRASSE 50%_*"\\', format="html")),
    *(Text("x" * 16_384), Text("y" * 16_385), Text("ß" * 8_193, format="text"), Text(LARGE)),
    *(Text("AP8=", "base64", "bin"), Text("", "base64", "bin"), Text("aGVsbG8=", "base64", "bin")),
    *(Text("not base64", "base64", "bin"), Text("aGVsbG8", "base64", "bin")),
]
NEEDLES = [
    *(
        "hello",
        "ELLO",
        "e",
        "ss",
        "\r\n",
        '50%_*"',
        "\\",
        "ﬁ",
        "i\u0307s",
        "漢字",
        "🧠 e",
        "zzz",
        "xxx",
        "y" * 300,
        "ß" * 200,
    ),
    *(LARGE[1_700:1_990], LARGE[1_990:2_010], LARGE[3_000:6_000], LARGE[-5:]),
]

FIT_VALUES: dict[str, list[Any]] = {
    "name": ["P", "", "ß", "Ship it"],
    "status": ["active", "done", 1, 1.0],
    "email": ["a@b", 1, 1.0, True, "1", 0, -0.0, "x" * 5_000],
    "age": [0, 1, 2, LARGE_INTEGER],
    "rank": [0, -0.0, 1, 1.0, 0.5, float(2**53), LARGE_INTEGER - 1],
    "code": ["k", "K", "", "1"],
    "since": ["2025-10-31", "2024-02-29"],
    "title": ["", "T", True],
    "k.e y`": [1, "v"],
}
"""Values that the types allow, several of them equal to one another."""

fit_properties = st.lists(
    st.sampled_from([(key, value) for key, values in FIT_VALUES.items() for value in values]), max_size=3
).map(dict)
wild_properties = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=3)
some_properties = st.sampled_from([*[fit_properties] * 5, wild_properties]).flatmap(lambda chosen: chosen)
misfits = st.sampled_from([*[False] * 7, True])
texts = st.sampled_from(TEXTS)
notes = st.none() | st.sampled_from(["", "note", LARGE])
ids = st.none() | st.none() | st.sampled_from(["one", "two", "A:b@c.d-1"])
FIT_STRENGTHS: list[Any] = [None, 0.5, 1, {"semantic": 0.8, "confidence": 0.25}, {"temporal": 0}, {}]
strengths = st.sampled_from(
    [*FIT_STRENGTHS * 3, True, -0.1, 1.5, float("nan"), {"semantic": "x"}, {"weight": 0.5}, {"temporal": None}]
)
which = st.integers(0, 999)
expected = st.sampled_from(["any", "any", "right", "wrong"])
limits = st.none() | st.integers(1, 3)


FIELDS: dict[str, Any] = {"path": "/a/b", "namespace": "n", "title": "Given", "metadata": {"a": [1, None]}}
FIELDS["content_summary"] = "short"
OTHER_FIELDS: dict[str, Any] = {"path": "p", "title": "Other", "metadata": {"b": 1}}
CLEARED: dict[str, Any] = {**dict.fromkeys(FIELDS, ""), "metadata": {}}
GIVEN_TITLES = ("Given", "Other")

ACTS = ["node", "person", "person", "update", "update", "link", "link", "unlink", "delete", "read"]
"""What is done in a transaction or a batch."""


class Answer(NamedTuple):
    """What a call returned, or the code that it failed with."""

    value: Any
    code: str | None


LINKS = """
MATCH (a:_Node {_domain: $domain})-[r]->(b:_Node)
RETURN a._id, type(r), b._id, r._id IS NULL, coalesce(r._id, r._inverse_of), r._version
"""


class MemoryMachine(RuleBasedStateMachine):
    """One fresh domain and its model."""

    def __init__(self, talk: Conversation, driver: Driver) -> None:
        super().__init__()
        self.talk, self.driver = talk, driver
        self.domain = f"machine-{uuid4().hex[:16]}"
        self.memory = talk.memory.in_domain(self.domain)
        self.keeper = self.memory.acting_as("keeper")
        self.may_write = False
        """Whether who writes now is the keeper of what is read-only."""
        self.model = Reference()
        self.times: dict[str, tuple[int, object, object]] = {}
        self.broken = False
        self.batches = 0

    # How the machine talks

    def ask(self, method: Callable[..., Awaitable[Any]], *args: Any, **kwargs: Any) -> Answer:
        try:
            return Answer(self.talk.portal.call(partial(method, *args, **kwargs)), None)
        except GraphError as error:
            return Answer(None, str(error.code))
        except BaseException:  # whatever it is, what follows says nothing of the memory
            self.broken = True
            raise

    def agree(self, answer: Answer, faults: set[str]) -> bool:
        """Tell whether the call was to succeed, having checked that it did exactly then."""
        self.same(answer.code if answer.code not in faults else "fault", "fault" if faults else None, faults)
        return not faults

    def same(self, found: object, wanted: object, why: object = "") -> None:
        if found != wanted:
            self.broken = True
            raise AssertionError(f"the memory says {found!r}, the model {wanted!r} {why}")

    def all_pages(self, method: Callable[..., Awaitable[Any]], field: str, limit: int | None, **asked: Any) -> Answer:
        found: list[str] = []
        cursor = None
        while True:
            answer = self.ask(method, limit=limit, cursor=cursor, **asked)
            if answer.code:
                return answer
            page, cursor = getattr(answer.value, field), answer.value.next_cursor
            found += page
            self.same(limit is None or len(page) <= limit, True)
            if cursor is None:
                return Answer(found, None)
            self.same(len(page), limit)

    def pick(self, live: Mapping[str, object], number: int) -> str:
        """An id: mostly a live one, now and then one that is gone, or was never there, or is of the other kind."""
        gone = [one for one in self.model.seen if one not in live]
        others = [*sorted(gone, key=str), "mem_unknown", ""]
        if live and number % 8 != 7:
            return list(live)[number // 8 % len(live)]
        return others[number // 8 % len(others)]

    def guarded(self, before: Node | Connection | None, after: Node | Connection | None) -> set[str]:
        """The error for a change of what is read-only, if it changes something."""
        stands = before is not None and after is not None and before.guarded and differ(before, after)
        return {"PROTECTED"} if stands and not self.may_write else set()

    def gone_with(self, one: str) -> set[str]:
        """The error for a deletion of what is read-only, or is attached to it."""
        is_there = one in self.model.nodes or one in self.model.connections
        return {"PROTECTED"} if is_there and not self.may_write and self.model.guards(one) else set()

    def version(self, live: Mapping[str, Node | Connection], one: str, choice: str) -> int | None:
        present = live[one].version if one in live else 1
        return {"any": None, "right": present, "wrong": present - 1}[choice]

    # What it does

    @initialize()
    def begin(self) -> None:
        self.same(self.ask(self.memory.get_node, "one").code, "ONTOLOGY_NOT_FOUND")
        self.same(self.ask(self.memory.create_ontology, ontology_from(DECLARED)).code, None)
        self.model.begin(DECLARED)
        self.same(self.ask(self.memory.create_ontology, ontology_from({})).code, "ONTOLOGY_ALREADY_EXISTS")
        for type_name in ("Project", "Project", "Note"):
            self.put_node(type_name, FITTING.get(type_name, {}), TEXTS[2])
        self.put_node("Person", {"email": 1, "rank": 1.0}, TEXTS[3], "one")

    @rule(type_name=st.sampled_from(NODE_TYPES), given=some_properties, misfit=misfits, text=texts, given_id=ids)
    def create_node(
        self, type_name: str, given: dict[str, Any], misfit: bool, text: Text, given_id: str | None
    ) -> None:
        self.put_node(type_name, given if misfit else {**FITTING.get(type_name, {}), **given}, text, given_id)

    def put_node(self, type_name: str, wanted: dict[str, Any], text: Text, given_id: str | None = None) -> None:
        tags, given = (["b", "a", "b"], FIELDS) if text.format == "html" else (None, {})
        answer = self.ask(
            self.memory.create_node,
            type_name,
            text.given,
            encoding=text.encoding,
            format=text.format,
            properties=wanted,
            tags=tags,
            **given,
            id=given_id,
        )
        if self.agree(answer, self.model.faults_of_node(type_name, wanted, text, given_id)):
            new = answer.value.node_id
            self.same(new, given_id or new)
            node = Node(type_name, wanted, text, 0, ("b", "a") if tags else (), given)
            self.same(answer.value.version, self.model.put_node(new, node))

    @rule(email=st.sampled_from(FIT_VALUES["email"]), given_id=st.sampled_from(["one", "two"]), same_id=misfits)
    def create_person(self, email: object, given_id: str, same_id: bool) -> None:
        """One whose unique property, or id, is likely to be taken."""
        self.put_node(
            "Person", {"email": email}, TEXTS[1], given_id if same_id or given_id in self.model.seen else None
        )

    @precondition(lambda self: self.model.nodes)
    @rule(number=which, name=st.sampled_from(["email", "rank"]), value=st.sampled_from(FIT_VALUES["email"]))
    def retype_property(self, number: int, name: str, value: Any) -> None:
        """Change 1 to 1.0 or to `True`, which is a change; give a value that is there, which is none."""
        one = self.pick(self.model.nodes, number)
        before = self.model.nodes.get(one)
        present = before.properties.get(name, value) if before else value
        new = _other_kind(present) if value == 1 else present
        after = before and replace(before, properties={**before.properties, name: new})
        answer = self.ask(self.memory.update_node, one, properties={name: new})
        faults = self.model.faults_of_edit(one, {name: new}, None, None)
        if self.agree(answer, faults | self.guarded(before, after)) and after:
            self.same(answer.value.version, self.model.change_node(one, after))

    @precondition(lambda self: self.model.nodes)
    @rule(
        number=which,
        given=some_properties | st.none(),
        text=st.none() | texts,
        choice=expected,
        style=st.integers(0, 9),
    )
    def update_node(
        self, number: int, given: dict[str, Any] | None, text: Text | None, choice: str, style: int
    ) -> None:
        one = self.pick(self.model.nodes, number)
        before = self.model.nodes.get(one)
        version = self.version(self.model.nodes, one, choice)
        asked: dict[str, Any] = {"properties": given, "expected_version": version}
        if text:
            asked |= {"content": text.given, "encoding": text.encoding if style or text.encoding != "utf-8" else None}
        if style in (1, 2):
            asked |= {"format": "other", "tags": ["t"], **OTHER_FIELDS} if style == 1 else {"tags": [], **CLEARED}
        faults = self.model.faults_of_edit(one, given or {}, text, version)
        if text is None and given is None and style not in (1, 2):
            faults = {"INVALID_ARGUMENT"}
        after = before and _edited(before, given, text, style)
        answer = self.ask(self.memory.update_node, one, **asked)
        if self.agree(answer, faults | self.guarded(before, after)) and after:
            self.same(answer.value.version, self.model.change_node(one, after))

    @precondition(lambda self: self.model.nodes)
    @rule(number=which, choice=expected)
    def delete_node(self, number: int, choice: str) -> None:
        one = self.pick(self.model.nodes, number)
        version = self.version(self.model.nodes, one, choice)
        answer = self.ask(self.memory.delete_node, one, expected_version=version)
        if self.agree(answer, self.model.faults_of_drop(self.model.nodes, one, version) | self.gone_with(one)):
            self.same(answer.value.version, self.model.drop_node(one))

    @rule(
        type_name=st.sampled_from(CONNECTION_TYPES),
        ends=st.tuples(which, which),
        given=some_properties,
        content=notes,
        given_id=ids,
        strength=strengths,
    )
    def create_connection(
        self,
        type_name: str,
        ends: tuple[int, int],
        given: dict[str, Any],
        content: str | None,
        given_id: str | None,
        strength: Any,
    ) -> None:
        source, target = (self.pick(self.model.nodes, number) for number in ends)
        self.put_connection(type_name, source, target, given, content, given_id, strength)

    @precondition(lambda self: self.model.nodes)
    @rule(
        ends=st.tuples(which, which),
        type_number=which,
        given=fit_properties,
        content=notes,
        strength=st.sampled_from(FIT_STRENGTHS),
    )
    def create_allowed_connection(
        self, ends: tuple[int, int], type_number: int, given: dict[str, Any], content: str | None, strength: Any = None
    ) -> None:
        """One of a type that may join the nodes; cardinality, cycles and unique values may still forbid it."""
        source, target = (list(self.model.nodes)[number % len(self.model.nodes)] for number in ends)
        types = self.model.nodes[source].type, self.model.nodes[target].type
        allowed = [name for name in self.model.connection_types if self.model.allows(name, *types)]
        type_name = allowed[-1 - type_number % len(allowed)]
        self.put_connection(type_name, source, target, {**FITTING.get(type_name, {}), **given}, content, None, strength)

    def put_connection(
        self,
        type_name: str,
        source: str,
        target: str,
        wanted: dict[str, Any],
        content: str | None,
        given_id: str | None = None,
        strength: Any = None,
    ) -> None:
        given = {"properties": wanted, "content": content, "strength": strength, "id": given_id}
        answer = self.ask(self.memory.create_connection, type_name, source, target, **given)
        if given_id is None and content is None and (one := self.told(type_name, source, target, wanted, strength)):
            there = self.model.connections[one]
            self.same(answer.value and (answer.value.connection_id, answer.value.version), (one, there.version))
            self.same(answer.value.existing, True)
            return
        faults = self.model.faults_of_connection(type_name, source, target, wanted, given_id)
        if self.agree(answer, faults | strength_faults(strength)):
            new = answer.value.connection_id
            self.same(new, given_id or new)
            stored = self.model.stored(type_name, source, target)
            connection = Connection(*stored, wanted, content, 0, strength=told_strength(strength))
            self.same(answer.value.version, self.model.put_connection(new, connection))

    def told(self, type_name: str, source: str, target: str, wanted: dict[str, Any], strength: Any) -> str | None:
        """The connection that says under its other name all that is asked for, if there is one."""
        stored = self.model.stored(type_name, source, target)
        if stored[0] not in self.model.connection_types or property_faults(wanted) | strength_faults(strength):
            return None
        one = self.model.existing(*stored, is_turned=stored[0] != type_name)
        found = self.model.connections.get(one or "")
        if found is None or {**found.strength, **told_strength(strength)} != found.strength:
            return None
        return one if matches(found.properties, wanted) else None

    @precondition(lambda self: self.model.connections)
    @rule(
        number=which,
        given=some_properties | st.none(),
        content=notes,
        choice=expected,
        strength=strengths,
    )
    def update_connection(
        self, number: int, given: dict[str, Any] | None, content: str | None, choice: str, strength: Any
    ) -> None:
        one = self.pick(self.model.connections, number)
        before = self.model.connections.get(one)
        version = self.version(self.model.connections, one, choice)
        faults = self.model.faults_of_connection_edit(one, given or {}, version) | strength_faults(strength)
        if given is None and content is None and strength is None:
            faults = {"INVALID_ARGUMENT"}
        asked = {"properties": given, "content": content, "strength": strength, "expected_version": version}
        answer = self.ask(self.memory.update_connection, one, **asked)
        after = before
        if before and not strength_faults(strength):
            strong = {**before.strength, **told_strength(strength)}
            after = replace(before, properties={**before.properties, **(given or {})}, strength=strong)
            after = after if content is None else replace(after, content=content)
        if self.agree(answer, faults | self.guarded(before, after)) and after:
            self.same(answer.value.version, self.model.change_connection(one, after))

    @precondition(lambda self: self.model.connections)
    @rule(number=which, choice=expected)
    def delete_connection(self, number: int, choice: str) -> None:
        one = self.pick(self.model.connections, number)
        version = self.version(self.model.connections, one, choice)
        answer = self.ask(self.memory.delete_connection, one, expected_version=version)
        if self.agree(answer, self.model.faults_of_drop(self.model.connections, one, version) | self.gone_with(one)):
            self.same(answer.value.version, self.model.drop_connection(one))

    @precondition(lambda self: self.model.nodes)
    @rule(number=which, of_node=st.booleans(), is_on=st.booleans())
    def guard(self, number: int, of_node: bool, is_on: bool) -> None:
        live: Mapping[str, Node | Connection] = self.model.nodes if of_node else self.model.connections
        one = self.pick(live, number)
        target = {"node_id" if of_node else "connection_id": one}
        asked = {"can_be_unprotected_by": ["keeper"], **target} if is_on else target
        answer = self.ask(self.keeper.protect if is_on else self.keeper.unprotect, **asked)
        if self.agree(answer, {"NODE_NOT_FOUND" if of_node else "CONNECTION_NOT_FOUND"} if one not in live else set()):
            self.same(answer.value.version, self.model.guard(one, is_on))
            if is_on:
                self.same(self.ask(self.memory.unprotect, **target).code, "PROTECTED")

    @rule(declared=st.sampled_from(LATER_NODE_TYPES))
    def add_node_type(self, declared: dict[str, Any]) -> None:
        node_type = ontology_from({"node_types": [declared]}).node_types[0]
        answer = self.ask(self.memory.add_node_type, node_type)
        if self.agree(answer, self.model.faults_of_type(declared, connection=False)):
            self.same(answer.value.version, self.model.put_type(declared, connection=False))

    @rule(declared=st.sampled_from(GROWN))
    def grow_node_type(self, declared: dict[str, Any]) -> None:
        """Declare a type that is there otherwise, which what is stored may not fit."""
        answer = self.ask(self.memory.apply_ontology, ontology_from({"node_types": [declared]}))
        if self.agree(answer, self.model.faults_of_growth(declared)):
            self.same(bool(answer.value.changed), self.model.node_types[declared["name"]] != declared)
            self.same(answer.value.version, self.model.grow(declared))

    @rule(declared=st.sampled_from(SWITCHED), is_on=st.booleans())
    def switch_second_relationships(self, declared: dict[str, Any], is_on: bool) -> None:
        wanted = {**declared, "materialize_inverse": is_on}
        answer = self.ask(self.memory.apply_ontology, ontology_from({"node_types": [], "connection_types": [wanted]}))
        self.same(answer.code, None)
        self.same(answer.value.version, self.model.switch(wanted))
        self.check_second_relationships()

    @rule(declared=st.sampled_from(LATER_CONNECTION_TYPES))
    def add_connection_type(self, declared: dict[str, Any]) -> None:
        whole = {"node_types": ["Note", "Gadget"], "connection_types": [declared]}
        answer = self.ask(self.memory.add_connection_type, ontology_from(whole).connection_types[0])
        if self.agree(answer, self.model.faults_of_type(declared, connection=True)):
            self.same(answer.value.version, self.model.put_type(declared, connection=True))

    # Many at once

    @rule(acts=st.lists(st.tuples(st.sampled_from(ACTS), which, which), min_size=1, max_size=5), kept=st.booleans())
    def change_in_a_transaction(self, acts: list[tuple[str, int, int]], kept: bool) -> None:
        """Everything within answers as outside; what is rolled back was never there."""
        outside, before, times = self.memory, deepcopy(self.model), dict(self.times)
        with self.talk.portal.wrap_async_context_manager(self.keeper.transaction()) as within:
            self.memory, self.may_write = within, True
            try:
                for act, number, other in acts:
                    self.act(act, number, other)
            finally:
                self.memory, self.may_write = outside, False
            if not kept:
                within.rollback()
        if not kept:
            self.model, self.times = before, times

    def act(self, act: str, number: int, other: int) -> None:
        type_name = NODE_TYPES[other % len(NODE_TYPES)]
        given = FITTING.get(type_name, {})
        match act:
            case "node":
                self.put_node(type_name, given, TEXTS[number % len(TEXTS)])
            case "person":
                self.put_node("Person", {"email": FIT_VALUES["email"][number % 4]}, TEXTS[1])
            case "update" if self.model.nodes:
                self.retype_property(number, "email", FIT_VALUES["email"][other % 4])
            case "link" if self.model.nodes:
                self.create_allowed_connection((number, other), other, FITTING["OwnedBy"], "note")
            case "unlink" if self.model.connections:
                self.delete_connection(number, "any")
            case "delete" if self.model.nodes:
                self.delete_node(number, "any")
            case "read" if self.model.nodes:
                self.get_node(number)
                self._query_nodes(type_name, {}, None)
                self.search_content("hello", None, None)
            case _:
                pass

    @rule(acts=st.lists(st.tuples(st.sampled_from(ACTS), which, which), min_size=1, max_size=6), key=st.booleans())
    def change_in_a_batch(self, acts: list[tuple[str, int, int]], key: bool) -> None:
        """A batch goes through exactly when what it leads to keeps to all rules, and is made once for each key."""
        after, operations = self.planned(acts)
        name = f"key {self.model.seq}" if key else None
        answer = self.ask(self.keeper.execute_batch, operations, idempotency_key=name)
        if not self.agree(answer, {"BATCH_REFUSED"} if after is None else set()) or after is None:
            return
        done = answer.value
        for kind, now in (("nodes", after.nodes), ("connections", after.connections)):
            before = getattr(self.model, kind)
            versions = {item.id: item.version for item in done.results if item.version is not None}
            for one, thing in now.items():
                is_same = one in before and before[one] == thing
                now[one] = thing if is_same else replace(thing, version=versions[one])
                self.same(is_same or done.since <= now[one].version <= done.until, True, one)
        self.same((done.created, done.updated, done.deleted), self.counted(after))
        after.seq = done.until or self.model.seq
        self.same(after.seq - self.model.seq, done.created + done.updated + done.deleted)
        self.model = after
        if key:
            again = self.ask(self.keeper.execute_batch, operations, idempotency_key=name).value
            self.same((again.repeated, again.until), (True, done.until) if done.until else (None, None))

    def counted(self, after: Reference) -> tuple[int, int, int]:
        """How many subjects a batch created, changed and deleted."""
        before = {**self.model.nodes, **self.model.connections}
        now = {**after.nodes, **after.connections}
        changed = sum(one in before and before[one].version != thing.version for one, thing in now.items())
        return len(now.keys() - before.keys()), changed, len(before.keys() - now.keys())

    def planned(self, acts: list[tuple[str, int, int]]) -> tuple[Reference | None, list[dict[str, Any]]]:
        """What the model comes to by operations, None where they must be refused; and the operations."""
        after = deepcopy(self.model)
        operations: list[dict[str, Any]] = []
        fits = True
        self.batches += 1
        for place, (act, number, other) in enumerate(acts):
            operation, is_there = self.operation(after, act, number, other, f"b{self.batches}.{place}")
            operations += [operation] if operation else []
            fits = fits and is_there
        if not operations:
            operations = [{"op": "create_node", "type": "Nobody", "content": ""}]
            fits = False
        return (after if fits and after.keeps_rules() else None), operations

    def operation(
        self, after: Reference, act: str, number: int, other: int, new: str
    ) -> tuple[dict[str, Any] | None, bool]:
        """An operation, made in the model; and whether what it names is there, and new what it makes."""
        ids = [*after.nodes, "mem_unknown"] if number % 8 == 7 else [*after.nodes]
        one, two = (ids[n % len(ids)] if ids else "mem_unknown" for n in (number, other))
        own = f"b{self.batches}."
        named = {key: f"${key.replace('.', '-')}" if key.startswith(own) else key for key in (one, two)}
        ref = {"id": new, "ref": new.replace(".", "-")}
        match act:
            case "node" | "person":
                type_name = "Person" if act == "person" else NODE_TYPES[other % len(NODE_TYPES)]
                given = {"email": FIT_VALUES["email"][number % 4]} if act == "person" else FITTING.get(type_name, {})
                after.put_node(new, Node(type_name, given, Text("hello", format="text"), 0))
                about = {"type": type_name, "content": "hello", "properties": given}
                return {"op": "create_node", **about, **ref}, type_name in after.node_types
            case "update":
                edit = {"email": FIT_VALUES["email"][other % 4], "age": other % 3}
                if one in after.nodes:
                    after.edit_node(one, edit)
                return {"op": "update_node", "node_id": named[one], "properties": edit}, one in after.nodes
            case "link" if ids:
                type_name = CONNECTION_TYPES[(number + other) % 9]
                given = {"since": "2025-10-31"} if type_name == "OwnedBy" else {}
                strength = FIT_STRENGTHS[number % len(FIT_STRENGTHS)]
                stored = after.stored(type_name, one, two)
                after.put_connection(new, Connection(*stored, given, None, 0, strength=told_strength(strength)))
                ends = {"type": type_name, "from_node_id": named[one], "to_node_id": named[two]}
                is_known = stored[0] in after.connection_types
                return {"op": "create_connection", **ends, "properties": given, "strength": strength, **ref}, is_known
            case "unlink" if after.connections:
                link = list(after.connections)[number % len(after.connections)]
                after.drop_connection(link)
                return {"op": "delete_connection", "connection_id": link}, True
            case "delete":
                if is_there := one in after.nodes:
                    after.drop_node(one)
                return {"op": "delete_node", "node_id": named[one]}, is_there
            case _:
                return None, True

    # What it asks

    @precondition(lambda self: self.model.nodes)
    @rule(number=which)
    def get_node(self, number: int) -> None:
        self.look_at_node(self.pick(self.model.nodes, number))

    def look_at_node(self, one: str) -> None:
        faults = self.model.faults_of_drop(self.model.nodes, one, None)
        info, content = self.ask(self.memory.get_node, one), self.ask(self.memory.get_node_content, one)
        if self.agree(info, faults) and self.agree(content, faults):
            node, text = self.model.nodes[one], content.value
            self.same(to_the_letter(info.value.properties), to_the_letter(node.properties))
            about = (info.value.id, info.value.type, info.value.version, info.value.tags)
            self.same(about, (one, node.type, node.version, node.tags or None))
            self.same(info.value.protection is not None, node.guarded)
            told = info.value.to_dict()
            self.same({name: told[name] for name in FIELDS if name in told and name != "title"}, _untitled(node.fields))
            self.same(node.fields.get("title", info.value.title), info.value.title)
            self.same((info.value.title in GIVEN_TITLES), "title" in node.fields)
            self.same(info.value.content_format, node.content.format)
            self.same(
                (text.content, text.encoding, text.format), (node.content.given, node.content.encoding, text.format)
            )
            self.watch(info.value)

    @precondition(lambda self: self.model.connections)
    @rule(number=which)
    def get_connection(self, number: int) -> None:
        self.look_at_connection(self.pick(self.model.connections, number))

    def look_at_connection(self, one: str) -> None:
        answer = self.ask(self.memory.get_connection, one, include_content=True)
        if self.agree(answer, self.model.faults_of_drop(self.model.connections, one, None)):
            found, info = self.model.connections[one], answer.value
            self.same(to_the_letter(info.properties), to_the_letter(found.properties))
            about = (info.id, info.type, info.from_node_id, info.to_node_id, info.version)
            self.same(about, (one, found.type, found.source, found.target, found.version))
            self.same((info.content, info.has_content), (found.content, found.content is not None))
            self.same((info.strength or {}, info.creation_method), (found.strength, "manual"))
            self.same(info.protection is not None, found.guarded)
            self.watch(info)

    def watch(self, info: Any) -> None:
        """`created` never moves; `modified` moves with the version, and only then."""
        before = self.times.get(info.id, (info.version, info.created, info.created))
        self.same(info.created, before[1])
        moved = info.modified >= before[2] if info.version != before[0] else info.modified >= info.created
        still = info.version == before[0] and info.id in self.times
        self.same(info.modified == before[2] if still else moved, True, "modified")
        self.times[info.id] = (info.version, info.created, info.modified)

    @rule(type_name=st.none() | st.sampled_from(NODE_TYPES), wanted=some_properties, limit=limits)
    def query_nodes(self, type_name: str | None, wanted: dict[str, Any], limit: int | None) -> None:
        self._query_nodes(type_name, wanted, limit)

    @precondition(lambda self: self.model.nodes)
    @rule(limit=limits, typed=st.booleans(), namespace=st.sampled_from([None, "n", "default"]))
    def query_by_fields(self, limit: int | None, typed: bool, namespace: str | None) -> None:
        for prefix in ("/a", "p", "/"):
            asked = {"path_prefix": prefix, "namespace": namespace, "type": "Note" if typed else None}
            answer = self.all_pages(self.memory.query_nodes, "node_ids", limit, **asked)
            self.same(answer.value, self.model.query_by_fields(prefix, namespace, asked["type"]))

    @precondition(lambda self: self.model.nodes)
    @rule(number=which, known=st.booleans(), keep=st.integers(0, 2), limit=limits)
    def query_nodes_like_one(self, number: int, known: bool, keep: int, limit: int | None) -> None:
        node = self.model.nodes.get(self.pick(self.model.nodes, number))
        if node:
            self._query_nodes(node.type if known else None, _part(node.properties, keep), limit)

    def _query_nodes(self, type_name: str | None, wanted: dict[str, Any], limit: int | None) -> None:
        answer = self.all_pages(self.memory.query_nodes, "node_ids", limit, type=type_name, properties=wanted)
        if self.agree(answer, _filter_faults(wanted)):
            self.same(answer.value, self.model.query_nodes(type_name, wanted))

    @precondition(lambda self: self.model.connections)
    @rule(
        number=which,
        given=st.tuples(st.booleans(), st.booleans(), st.booleans()),
        wanted=st.just({}) | some_properties | st.integers(0, 2),
        limit=limits,
    )
    def query_connections(
        self, number: int, given: tuple[bool, bool, bool], wanted: dict[str, Any] | int, limit: int | None
    ) -> None:
        one = self.model.connections.get(self.pick(self.model.connections, number))
        source, target, type_name = (one.source, one.target, one.type) if one else ("mem_unknown", "one", "Leads")
        if isinstance(wanted, int):
            wanted = _part(one.properties, wanted) if one else {}
        asked = (type_name if given[0] else None, source if given[1] else None, target if given[2] else None)
        answer = self.all_pages(
            self.memory.query_connections,
            "connection_ids",
            limit,
            type=asked[0],
            from_node_id=asked[1],
            to_node_id=asked[2],
            properties=wanted,
        )
        if self.agree(answer, _filter_faults(wanted)):
            self.same(answer.value, self.model.query_connections(*asked, wanted))

    @rule(
        number=which,
        direction=st.sampled_from(["out", "in", "both"]),
        type_name=st.none() | st.sampled_from(CONNECTION_TYPES),
        limit=limits,
    )
    def get_connected_nodes(self, number: int, direction: str, type_name: str | None, limit: int | None) -> None:
        one = self.pick(self.model.nodes, number)
        asked = {"node_id": one, "direction": direction, "connection_type": type_name}
        answer = self.all_pages(self.memory.get_connected_nodes, "node_ids", limit, **asked)
        if self.agree(answer, self.model.faults_of_drop(self.model.nodes, one, None)):
            self.same(answer.value, self.model.connected(one, direction, type_name))

    @rule(needle=st.sampled_from(NEEDLES), type_name=st.none() | st.sampled_from(NODE_TYPES), limit=limits)
    def search_content(self, needle: str, type_name: str | None, limit: int | None) -> None:
        asked = {"query": needle, "node_type": type_name}
        answer = self.all_pages(self.memory.search_content, "node_ids", limit, **asked)
        self.same(answer, Answer(self.model.search(needle, type_name), None))

    @rule(asked=st.tuples(st.sampled_from(CONNECTION_TYPES), st.sampled_from(NODE_TYPES), st.sampled_from(NODE_TYPES)))
    def validate_connection(self, asked: tuple[str, str, str]) -> None:
        answer = self.ask(self.memory.validate_connection, *asked)
        self.same((answer.code, answer.value and answer.value.valid), (None, self.model.allows(*asked)))

    # What must hold in the end

    def teardown(self) -> None:
        if self.broken or not self.model.seq:
            return
        for one in self.model.seen:
            kind = self.look_at_connection if one in self.model.connections else self.look_at_node
            kind(one)
        self._query_nodes(None, {}, None)
        self.query_connections_of_all()
        ontology = self.ask(self.memory.get_ontology).value
        self.same([one.name for one in ontology.node_types], list(self.model.node_types))
        self.same([one.name for one in ontology.connection_types], list(self.model.connection_types))
        self.check_second_relationships()
        verification = self.ask(self.memory.upkeep.verify).value
        self.same((verification.differences, verification.events), ((), self.model.seq))

    def check_second_relationships(self) -> None:
        """Plain Cypher finds each connection once, and once more turned round where its type says so."""
        rows = self.driver.execute_query(LINKS, domain=self.domain).records
        self.same(sorted(tuple(row.values()) for row in rows), sorted(self.model.relationships()))

    def query_connections_of_all(self) -> None:
        found = self.ask(self.memory.query_connections).value.connection_ids
        self.same(list(found), self.model.query_connections(None, None, None, {}))


def _other_kind(value: Any) -> Any:
    """The same number as another kind of number, which queries hold to be the same and a state does not."""
    if isinstance(value, bool | int) and abs(value) < 2**53:
        return float(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _part(given: dict[str, Any], keep: int) -> dict[str, Any]:
    """Some of the properties, numbers as the other kind of number: 1 is found by 1.0."""
    chosen = list(given.items())[:keep]
    return {key: float(value) if type(value) is int and abs(value) < 2**53 else value for key, value in chosen}


def _edited(before: Node, given: dict[str, Any] | None, text: Text | None, style: int) -> Node:
    """The node that an update asks for."""
    becomes_text = text is not None and text.encoding == "utf-8" != before.content.encoding
    content = replace(text, format="text" if becomes_text else before.content.format) if text else before.content
    after = replace(before, properties={**before.properties, **(given or {})}, content=content)
    if style == 1:
        fields = after.fields | OTHER_FIELDS
        return replace(after, content=replace(content, format="other"), tags=("t",), fields=fields)
    return replace(after, tags=(), fields={}) if style == 2 else after


def _untitled(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "title"}


def _filter_faults(wanted: Mapping[str, Any]) -> set[str]:
    return Reference(node_types={"Any": {"name": "Any"}}).faults_of_node("Any", dict(wanted), Text(""), None)


@pytest.mark.timeout(600)
def test_random_operations_have_the_outcomes_of_the_model(talk: Conversation, driver: Driver) -> None:
    run_state_machine_as_test(partial(MemoryMachine, talk, driver), settings=profile(examples=12, steps=30))


TITLED = ["# Hello", "# # Hello", "", "x" * 199 + " y", "##"]


@pytest.mark.anyio
@pytest.mark.parametrize("properties", [{"title": ""}, {"name": " "}, {"title": "", "name": "N"}, {"title": True}, {}])
async def test_an_update_that_changes_nothing_moves_nothing(memory: Memory, properties: dict[str, Any]) -> None:
    await memory.create_ontology(ontology_from(DECLARED))
    for text in TITLED:
        created = await memory.create_node("Note", text, properties=properties, tags=["a"], path="p")
        edits: list[dict[str, Any]] = [{"properties": properties}, {"tags": ["a", "a"], "path": "p"}]
        edits += [{"format": "markdown"}, {"content": text, "encoding": "utf-8"}]
        for edit in edits:
            assert (await memory.update_node(created.node_id, **edit)).version == created.version, (text, edit)
