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
EXTENDED: list[dict[str, Any]] = [
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
"""The required properties of a type, so that most creations succeed."""

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
"""The actions of a transaction or a batch."""


class Answer(NamedTuple):
    """The result of a call, or its error code."""

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

    def same(self, result: object, wanted: object, why: object = "") -> None:
        if result != wanted:
            self.broken = True
            raise AssertionError(f"the memory says {result!r}, the model {wanted!r} {why}")

    def all_pages(
        self, method: Callable[..., Awaitable[Any]], field: str, limit: int | None, **arguments: Any
    ) -> Answer:
        results: list[str] = []
        cursor = None
        while True:
            answer = self.ask(method, limit=limit, cursor=cursor, **arguments)
            if answer.code:
                return answer
            page, cursor = getattr(answer.value, field), answer.value.next_cursor
            results += page
            self.same(limit is None or len(page) <= limit, True)
            if cursor is None:
                return Answer(results, None)
            self.same(len(page), limit)

    def pick(self, live: Mapping[str, object], number: int) -> str:
        """Return an id: mostly of a living subject, at times deleted, unknown, or of the other kind."""
        results = [text for text in self.model.seen if text not in live]
        others = [*sorted(results, key=str), "mem_unknown", ""]
        if live and number % 8 != 7:
            return list(live)[number // 8 % len(live)]
        return others[number // 8 % len(others)]

    def guard_errors(self, before: Node | Connection | None, after: Node | Connection | None) -> set[str]:
        """Return the error for a change of a read-only subject, if it has any effect."""
        stands = before is not None and after is not None and before.guarded and differ(before, after)
        return {"PROTECTED"} if stands and not self.may_write else set()

    def deletion_errors(self, text: str) -> set[str]:
        """The error for a deletion of what is read-only, or is attached to it."""
        is_there = text in self.model.nodes or text in self.model.connections
        return {"PROTECTED"} if is_there and not self.may_write and self.model.guards(text) else set()

    def version(self, live: Mapping[str, Node | Connection], text: str, choice: str) -> int | None:
        present = live[text].version if text in live else 1
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

    @rule(type_name=st.sampled_from(NODE_TYPES), arguments=some_properties, misfit=misfits, text=texts, given_id=ids)
    def create_node(
        self, type_name: str, arguments: dict[str, Any], misfit: bool, text: Text, given_id: str | None
    ) -> None:
        self.put_node(type_name, arguments if misfit else {**FITTING.get(type_name, {}), **arguments}, text, given_id)

    def put_node(self, type_name: str, wanted: dict[str, Any], text: Text, given_id: str | None = None) -> None:
        tags, arguments = (["b", "a", "b"], FIELDS) if text.format == "html" else (None, {})
        answer = self.ask(
            self.memory.create_node,
            type_name,
            text.argument,
            encoding=text.encoding,
            format=text.format,
            properties=wanted,
            tags=tags,
            **arguments,
            id=given_id,
        )
        if self.agree(answer, self.model.faults_of_node(type_name, wanted, text, given_id)):
            new = answer.value.node_id
            self.same(new, given_id or new)
            node = Node(type_name, wanted, text, 0, ("b", "a") if tags else (), arguments)
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
        text = self.pick(self.model.nodes, number)
        before = self.model.nodes.get(text)
        present = before.properties.get(name, value) if before else value
        new = _other_kind(present) if value == 1 else present
        after = before and replace(before, properties={**before.properties, name: new})
        answer = self.ask(self.memory.update_node, text, properties={name: new})
        faults = self.model.faults_of_edit(text, {name: new}, None, None)
        if self.agree(answer, faults | self.guard_errors(before, after)) and after:
            self.same(answer.value.version, self.model.change_node(text, after))

    @precondition(lambda self: self.model.nodes)
    @rule(
        number=which,
        arguments=some_properties | st.none(),
        text=st.none() | texts,
        choice=expected,
        style=st.integers(0, 9),
    )
    def update_node(
        self, number: int, arguments: dict[str, Any] | None, text: Text | None, choice: str, style: int
    ) -> None:
        result = self.pick(self.model.nodes, number)
        before = self.model.nodes.get(result)
        version = self.version(self.model.nodes, result, choice)
        results: dict[str, Any] = {"properties": arguments, "expected_version": version}
        if text:
            results |= {
                "content": text.argument,
                "encoding": text.encoding if style or text.encoding != "utf-8" else None,
            }
        if style in (1, 2):
            results |= {"format": "other", "tags": ["t"], **OTHER_FIELDS} if style == 1 else {"tags": [], **CLEARED}
        faults = self.model.faults_of_edit(result, arguments or {}, text, version)
        if text is None and arguments is None and style not in (1, 2):
            faults = {"INVALID_ARGUMENT"}
        after = before and _edit(before, arguments, text, style)
        answer = self.ask(self.memory.update_node, result, **results)
        if self.agree(answer, faults | self.guard_errors(before, after)) and after:
            self.same(answer.value.version, self.model.change_node(result, after))

    @precondition(lambda self: self.model.nodes)
    @rule(number=which, choice=expected)
    def delete_node(self, number: int, choice: str) -> None:
        text = self.pick(self.model.nodes, number)
        version = self.version(self.model.nodes, text, choice)
        answer = self.ask(self.memory.delete_node, text, expected_version=version)
        if self.agree(answer, self.model.faults_of_drop(self.model.nodes, text, version) | self.deletion_errors(text)):
            self.same(answer.value.version, self.model.drop_node(text))

    @rule(
        type_name=st.sampled_from(CONNECTION_TYPES),
        ends=st.tuples(which, which),
        arguments=some_properties,
        content=notes,
        given_id=ids,
        strength=strengths,
    )
    def create_connection(
        self,
        type_name: str,
        ends: tuple[int, int],
        arguments: dict[str, Any],
        content: str | None,
        given_id: str | None,
        strength: Any,
    ) -> None:
        source, target = (self.pick(self.model.nodes, number) for number in ends)
        self.put_connection(type_name, source, target, arguments, content, given_id, strength)

    @precondition(lambda self: self.model.nodes)
    @rule(
        ends=st.tuples(which, which),
        type_number=which,
        arguments=fit_properties,
        content=notes,
        strength=st.sampled_from(FIT_STRENGTHS),
    )
    def create_allowed_connection(
        self,
        ends: tuple[int, int],
        type_number: int,
        arguments: dict[str, Any],
        content: str | None,
        strength: Any = None,
    ) -> None:
        """One of a type that may join the nodes; cardinality, cycles and unique values may still forbid it."""
        source, target = (list(self.model.nodes)[number % len(self.model.nodes)] for number in ends)
        types = self.model.nodes[source].type, self.model.nodes[target].type
        allowed = [name for name in self.model.connection_types if self.model.allows(name, *types)]
        type_name = allowed[-1 - type_number % len(allowed)]
        self.put_connection(
            type_name, source, target, {**FITTING.get(type_name, {}), **arguments}, content, None, strength
        )

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
        arguments = {"properties": wanted, "content": content, "strength": strength, "id": given_id}
        answer = self.ask(self.memory.create_connection, type_name, source, target, **arguments)
        if (
            given_id is None
            and content is None
            and (text := self.warning_of(type_name, source, target, wanted, strength))
        ):
            current = self.model.connections[text]
            self.same(answer.value and (answer.value.connection_id, answer.value.version), (text, current.version))
            self.same(answer.value.existing, True)
            return
        faults = self.model.faults_of_connection(type_name, source, target, wanted, given_id)
        if self.agree(answer, faults | strength_faults(strength)):
            new = answer.value.connection_id
            self.same(new, given_id or new)
            stored = self.model.stored_form(type_name, source, target)
            connection = Connection(*stored, wanted, content, 0, strength=told_strength(strength))
            self.same(answer.value.version, self.model.put_connection(new, connection))

    def warning_of(self, type_name: str, source: str, target: str, wanted: dict[str, Any], strength: Any) -> str | None:
        """The connection that says under its other name all that is asked for, if there is one."""
        stored = self.model.stored_form(type_name, source, target)
        if stored[0] not in self.model.connection_types or property_faults(wanted) | strength_faults(strength):
            return None
        text = self.model.existing(*stored, is_turned=stored[0] != type_name)
        connection = self.model.connections.get(text or "")
        if connection is None or {**connection.strength, **told_strength(strength)} != connection.strength:
            return None
        return text if matches(connection.properties, wanted) else None

    @precondition(lambda self: self.model.connections)
    @rule(
        number=which,
        arguments=some_properties | st.none(),
        content=notes,
        choice=expected,
        strength=strengths,
    )
    def update_connection(
        self, number: int, arguments: dict[str, Any] | None, content: str | None, choice: str, strength: Any
    ) -> None:
        text = self.pick(self.model.connections, number)
        before = self.model.connections.get(text)
        version = self.version(self.model.connections, text, choice)
        faults = self.model.faults_of_connection_edit(text, arguments or {}, version) | strength_faults(strength)
        if arguments is None and content is None and strength is None:
            faults = {"INVALID_ARGUMENT"}
        results = {"properties": arguments, "content": content, "strength": strength, "expected_version": version}
        answer = self.ask(self.memory.update_connection, text, **results)
        after = before
        if before and not strength_faults(strength):
            strong = {**before.strength, **told_strength(strength)}
            after = replace(before, properties={**before.properties, **(arguments or {})}, strength=strong)
            after = after if content is None else replace(after, content=content)
        if self.agree(answer, faults | self.guard_errors(before, after)) and after:
            self.same(answer.value.version, self.model.change_connection(text, after))

    @precondition(lambda self: self.model.connections)
    @rule(number=which, choice=expected)
    def delete_connection(self, number: int, choice: str) -> None:
        text = self.pick(self.model.connections, number)
        version = self.version(self.model.connections, text, choice)
        answer = self.ask(self.memory.delete_connection, text, expected_version=version)
        if self.agree(
            answer, self.model.faults_of_drop(self.model.connections, text, version) | self.deletion_errors(text)
        ):
            self.same(answer.value.version, self.model.drop_connection(text))

    @precondition(lambda self: self.model.nodes)
    @rule(number=which, of_node=st.booleans(), is_on=st.booleans())
    def guard(self, number: int, of_node: bool, is_on: bool) -> None:
        live: Mapping[str, Node | Connection] = self.model.nodes if of_node else self.model.connections
        text = self.pick(live, number)
        target = {"node_id" if of_node else "connection_id": text}
        results = {"can_be_unprotected_by": ["keeper"], **target} if is_on else target
        answer = self.ask(self.keeper.protect if is_on else self.keeper.unprotect, **results)
        if self.agree(answer, {"NODE_NOT_FOUND" if of_node else "CONNECTION_NOT_FOUND"} if text not in live else set()):
            self.same(answer.value.version, self.model.guard(text, is_on))
            if is_on:
                self.same(self.ask(self.memory.unprotect, **target).code, "PROTECTED")

    @rule(declared=st.sampled_from(LATER_NODE_TYPES))
    def add_node_type(self, declared: dict[str, Any]) -> None:
        node_type = ontology_from({"node_types": [declared]}).node_types[0]
        answer = self.ask(self.memory.add_node_type, node_type)
        if self.agree(answer, self.model.faults_of_type(declared, connection=False)):
            self.same(answer.value.version, self.model.put_type(declared, connection=False))

    @rule(declared=st.sampled_from(EXTENDED))
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
        arguments = FITTING.get(type_name, {})
        match act:
            case "node":
                self.put_node(type_name, arguments, TEXTS[number % len(TEXTS)])
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
        after, operations = self.plan_batch(acts)
        name = f"key {self.model.seq}" if key else None
        answer = self.ask(self.keeper.execute_batch, operations, idempotency_key=name)
        if not self.agree(answer, {"BATCH_REFUSED"} if after is None else set()) or after is None:
            return
        done = answer.value
        for kind, now in (("nodes", after.nodes), ("connections", after.connections)):
            before = getattr(self.model, kind)
            versions = {item.id: item.version for item in done.results if item.version is not None}
            for text, connection in now.items():
                is_same = text in before and before[text] == connection
                now[text] = connection if is_same else replace(connection, version=versions[text])
                self.same(is_same or done.since <= now[text].version <= done.until, True, text)
        self.same((done.created, done.updated, done.deleted), self.count_changes(after))
        after.seq = done.until or self.model.seq
        self.same(after.seq - self.model.seq, done.created + done.updated + done.deleted)
        self.model = after
        if key:
            again = self.ask(self.keeper.execute_batch, operations, idempotency_key=name).value
            self.same((again.repeated, again.until), (True, done.until) if done.until else (None, None))

    def count_changes(self, after: Reference) -> tuple[int, int, int]:
        """How many subjects a batch created, changed and deleted."""
        before = {**self.model.nodes, **self.model.connections}
        now = {**after.nodes, **after.connections}
        changed = sum(name in before and before[name].version != item.version for name, item in now.items())
        return len(now.keys() - before.keys()), changed, len(before.keys() - now.keys())

    def plan_batch(self, acts: list[tuple[str, int, int]]) -> tuple[Reference | None, list[dict[str, Any]]]:
        """Return the model after operations, or None if they must be refused, and the operations."""
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
        text, two = (ids[n % len(ids)] if ids else "mem_unknown" for n in (number, other))
        own = f"b{self.batches}."
        named = {key: f"${key.replace('.', '-')}" if key.startswith(own) else key for key in (text, two)}
        ref = {"id": new, "ref": new.replace(".", "-")}
        match act:
            case "node" | "person":
                type_name = "Person" if act == "person" else NODE_TYPES[other % len(NODE_TYPES)]
                arguments = (
                    {"email": FIT_VALUES["email"][number % 4]} if act == "person" else FITTING.get(type_name, {})
                )
                after.put_node(new, Node(type_name, arguments, Text("hello", format="text"), 0))
                about = {"type": type_name, "content": "hello", "properties": arguments}
                return {"op": "create_node", **about, **ref}, type_name in after.node_types
            case "update":
                edit = {"email": FIT_VALUES["email"][other % 4], "age": other % 3}
                if text in after.nodes:
                    after.edit_node(text, edit)
                return {"op": "update_node", "node_id": named[text], "properties": edit}, text in after.nodes
            case "link" if ids:
                type_name = CONNECTION_TYPES[(number + other) % 9]
                arguments = {"since": "2025-10-31"} if type_name == "OwnedBy" else {}
                strength = FIT_STRENGTHS[number % len(FIT_STRENGTHS)]
                stored = after.stored_form(type_name, text, two)
                after.put_connection(new, Connection(*stored, arguments, None, 0, strength=told_strength(strength)))
                ends = {"type": type_name, "from_node_id": named[text], "to_node_id": named[two]}
                is_known = stored[0] in after.connection_types
                return {
                    "op": "create_connection",
                    **ends,
                    "properties": arguments,
                    "strength": strength,
                    **ref,
                }, is_known
            case "unlink" if after.connections:
                link = list(after.connections)[number % len(after.connections)]
                after.drop_connection(link)
                return {"op": "delete_connection", "connection_id": link}, True
            case "delete":
                if is_there := text in after.nodes:
                    after.drop_node(text)
                return {"op": "delete_node", "node_id": named[text]}, is_there
            case _:
                return None, True

    # What it asks

    @precondition(lambda self: self.model.nodes)
    @rule(number=which)
    def get_node(self, number: int) -> None:
        self.look_at_node(self.pick(self.model.nodes, number))

    def look_at_node(self, word: str) -> None:
        faults = self.model.faults_of_drop(self.model.nodes, word, None)
        info, content = self.ask(self.memory.get_node, word), self.ask(self.memory.get_node_content, word)
        if self.agree(info, faults) and self.agree(content, faults):
            node, text = self.model.nodes[word], content.value
            self.same(to_the_letter(info.value.properties), to_the_letter(node.properties))
            about = (info.value.id, info.value.type, info.value.version, info.value.tags)
            self.same(about, (word, node.type, node.version, node.tags or None))
            self.same(info.value.protection is not None, node.guarded)
            result = info.value.to_dict()
            self.same(
                {name: result[name] for name in FIELDS if name in result and name != "title"},
                _without_title(node.fields),
            )
            self.same(node.fields.get("title", info.value.title), info.value.title)
            self.same((info.value.title in GIVEN_TITLES), "title" in node.fields)
            self.same(info.value.content_format, node.content.format)
            self.same(
                (text.content, text.encoding, text.format), (node.content.argument, node.content.encoding, text.format)
            )
            self.watch(info.value)

    @precondition(lambda self: self.model.connections)
    @rule(number=which)
    def get_connection(self, number: int) -> None:
        self.look_at_connection(self.pick(self.model.connections, number))

    def look_at_connection(self, text: str) -> None:
        answer = self.ask(self.memory.get_connection, text, include_content=True)
        if self.agree(answer, self.model.faults_of_drop(self.model.connections, text, None)):
            connection, info = self.model.connections[text], answer.value
            self.same(to_the_letter(info.properties), to_the_letter(connection.properties))
            about = (info.id, info.type, info.from_node_id, info.to_node_id, info.version)
            self.same(about, (text, connection.type, connection.source, connection.target, connection.version))
            self.same((info.content, info.has_content), (connection.content, connection.content is not None))
            self.same((info.strength or {}, info.creation_method), (connection.strength, "manual"))
            self.same(info.protection is not None, connection.guarded)
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
            results = {"path_prefix": prefix, "namespace": namespace, "type": "Note" if typed else None}
            answer = self.all_pages(self.memory.query_nodes, "node_ids", limit, **results)
            self.same(answer.value, self.model.query_by_fields(prefix, namespace, results["type"]))

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
        values=st.tuples(st.booleans(), st.booleans(), st.booleans()),
        wanted=st.just({}) | some_properties | st.integers(0, 2),
        limit=limits,
    )
    def query_connections(
        self, number: int, values: tuple[bool, bool, bool], wanted: dict[str, Any] | int, limit: int | None
    ) -> None:
        connection = self.model.connections.get(self.pick(self.model.connections, number))
        source, target, type_name = (
            (connection.source, connection.target, connection.type) if connection else ("mem_unknown", "one", "Leads")
        )
        if isinstance(wanted, int):
            wanted = _part(connection.properties, wanted) if connection else {}
        requests = (type_name if values[0] else None, source if values[1] else None, target if values[2] else None)
        answer = self.all_pages(
            self.memory.query_connections,
            "connection_ids",
            limit,
            type=requests[0],
            from_node_id=requests[1],
            to_node_id=requests[2],
            properties=wanted,
        )
        if self.agree(answer, _filter_faults(wanted)):
            self.same(answer.value, self.model.query_connections(*requests, wanted))

    @rule(
        number=which,
        direction=st.sampled_from(["out", "in", "both"]),
        type_name=st.none() | st.sampled_from(CONNECTION_TYPES),
        limit=limits,
    )
    def get_connected_nodes(self, number: int, direction: str, type_name: str | None, limit: int | None) -> None:
        text = self.pick(self.model.nodes, number)
        results = {"node_id": text, "direction": direction, "connection_type": type_name}
        answer = self.all_pages(self.memory.get_connected_nodes, "node_ids", limit, **results)
        if self.agree(answer, self.model.faults_of_drop(self.model.nodes, text, None)):
            self.same(answer.value, self.model.connected_nodes(text, direction, type_name))

    @rule(needle=st.sampled_from(NEEDLES), type_name=st.none() | st.sampled_from(NODE_TYPES), limit=limits)
    def search_content(self, needle: str, type_name: str | None, limit: int | None) -> None:
        results = {"query": needle, "node_type": type_name}
        answer = self.all_pages(self.memory.search_content, "node_ids", limit, **results)
        self.same(answer, Answer(self.model.search(needle, type_name), None))

    @rule(
        requests=st.tuples(st.sampled_from(CONNECTION_TYPES), st.sampled_from(NODE_TYPES), st.sampled_from(NODE_TYPES))
    )
    def validate_connection(self, requests: tuple[str, str, str]) -> None:
        answer = self.ask(self.memory.validate_connection, *requests)
        self.same((answer.code, answer.value and answer.value.valid), (None, self.model.allows(*requests)))

    # What must hold in the end

    def teardown(self) -> None:
        if self.broken or not self.model.seq:
            return
        for text in self.model.seen:
            kind = self.look_at_connection if text in self.model.connections else self.look_at_node
            kind(text)
        self._query_nodes(None, {}, None)
        self.query_connections_of_all()
        ontology = self.ask(self.memory.get_ontology).value
        self.same([kind.name for kind in ontology.node_types], list(self.model.node_types))
        self.same([kind.name for kind in ontology.connection_types], list(self.model.connection_types))
        self.check_second_relationships()
        verification = self.ask(self.memory.upkeep.verify).value
        self.same((verification.differences, verification.events), ((), self.model.seq))

    def check_second_relationships(self) -> None:
        """Plain Cypher finds each connection once, and once more turned round where its type says so."""
        rows = self.driver.execute_query(LINKS, domain=self.domain).records
        self.same(sorted(tuple(row.values()) for row in rows), sorted(self.model.relationships()))

    def query_connections_of_all(self) -> None:
        result = self.ask(self.memory.query_connections).value.connection_ids
        self.same(list(result), self.model.query_connections(None, None, None, {}))


def _other_kind(value: Any) -> Any:
    """The same number as another kind of number, which queries hold to be the same and a state does not."""
    if isinstance(value, bool | int) and abs(value) < 2**53:
        return float(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _part(arguments: dict[str, Any], keep: int) -> dict[str, Any]:
    """Some of the properties, numbers as the other kind of number: 1 is found by 1.0."""
    chosen = list(arguments.items())[:keep]
    return {key: float(value) if type(value) is int and abs(value) < 2**53 else value for key, value in chosen}


def _edit(before: Node, arguments: dict[str, Any] | None, text: Text | None, style: int) -> Node:
    """The node that an update asks for."""
    becomes_text = text is not None and text.encoding == "utf-8" != before.content.encoding
    content = replace(text, format="text" if becomes_text else before.content.format) if text else before.content
    after = replace(before, properties={**before.properties, **(arguments or {})}, content=content)
    if style == 1:
        fields = after.fields | OTHER_FIELDS
        return replace(after, content=replace(content, format="other"), tags=("t",), fields=fields)
    return replace(after, tags=(), fields={}) if style == 2 else after


def _without_title(fields: dict[str, Any]) -> dict[str, Any]:
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
