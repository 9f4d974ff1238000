"""A model of a memory in dictionaries, with which the state machine compares the service.

It shares no code with the service. Each `faults_of_…` returns the error codes that a call may answer with, empty when
it must succeed; each `put_…`, `change_…` and `drop_…` does what a call that succeeded has done. The log is a counter.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

Properties = dict[str, Any]
Faults = set[str]
Times = tuple[datetime | None, datetime | None]


@dataclass(frozen=True)
class Text:
    """Content as a caller gives and gets it."""

    argument: str
    encoding: str = "utf-8"
    format: str = "markdown"


@dataclass(frozen=True)
class Node:
    type: str
    properties: Properties
    content: Text
    version: int
    tags: tuple[str, ...] = ()
    fields: Properties = field(default_factory=dict)
    """The properties that are not at their defaults."""
    valid: Times = (None, None)
    guarded: bool = False
    """Whether it is read-only for all but its keeper."""


@dataclass(frozen=True)
class Connection:
    type: str
    source: str
    target: str
    properties: Properties
    content: str | None
    version: int
    valid: Times = (None, None)
    strength: Properties = field(default_factory=dict)
    guarded: bool = False


def same(value: object, other: object) -> bool:
    """Equality of property values as queries see it: `True` is not 1, 1 is 1.0."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, str) or isinstance(other, str):
        return isinstance(value, str) and isinstance(other, str) and value == other
    return value == other


def to_the_letter(properties: Mapping[str, object]) -> dict[str, tuple[str, object]]:
    """Equality of whole states: 1, 1.0 and `True` are three values."""
    return {key: (type(value).__name__, value) for key, value in properties.items()}


def differ(before: Node | Connection, after: Node | Connection) -> bool:
    """Whether a change has any effect."""
    nodes = [replace(node, properties=to_the_letter(node.properties), version=0) for node in (before, after)]
    return nodes[0] != nodes[1]


def matches(properties: Mapping[str, object], wanted: Mapping[str, object]) -> bool:
    return all(key in properties and same(properties[key], value) for key, value in wanted.items())


def property_faults(properties: Mapping[str, object]) -> Faults:
    fit = all(_is_key(key) and _is_value(value) for key, value in properties.items())
    return set() if fit else {"INVALID_PROPERTY"}


def _is_key(key: str) -> bool:
    return 0 < len(key) <= 256 and not key.startswith("_") and not re.search(r"[\x00-\x1f\x7f-\x9f]", key)


def _is_value(value: object) -> bool:
    if isinstance(value, bool | str):
        return True
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return isinstance(value, float) and math.isfinite(value)


def _is_of(kind: str | None, value: object) -> bool:
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "date":
        return isinstance(value, str) and bool(re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value)) and _is_day(value)
    return isinstance(value, str) if kind == "string" else True


def _is_day(text: str) -> bool:
    try:
        date(*map(int, text.split("-")))
    except ValueError:
        return False
    return True


MEASURES = ("semantic", "structural", "temporal", "confidence")


def strength_faults(strength: object) -> Faults:
    """The error for a strength that is neither a number from 0 to 1 nor an object of such, by known names."""
    named = strength if isinstance(strength, dict) else {} if strength is None else {"semantic": strength}
    fit = all(key in MEASURES and _is_of("number", value) and 0 <= value <= 1 for key, value in named.items())
    return set() if fit else {"INVALID_ARGUMENT"}


def told_strength(strength: Any) -> Properties:
    """A strength as it is told: always by names, and of numbers with a point."""
    if strength is None or isinstance(strength, dict):
        return {key: float(value) for key, value in (strength or {}).items()}
    return {"semantic": float(strength), "structural": float(strength), "temporal": 1.0, "confidence": 0.9}


def text_faults(content: str, encoding: str) -> Faults:
    if encoding == "base64":
        try:
            return set() if base64.b64encode(base64.b64decode(content)).decode() == content else {"INVALID_ENCODING"}
        except (binascii.Error, ValueError):
            return {"INVALID_ENCODING"}
    return set()


@dataclass
class Reference:
    """One domain. Types are plain declarations, as `ontology_from` takes them."""

    node_types: dict[str, Properties] = field(default_factory=dict)
    connection_types: dict[str, Properties] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    connections: dict[str, Connection] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    seq: int = 0
    ontology: int = 0

    def begin(self, declared: Mapping[str, Any]) -> None:
        self.node_types = {kind["name"]: kind for kind in declared["node_types"]}
        self.connection_types = {kind["name"]: kind for kind in declared["connection_types"]}
        self.seq = self.ontology = 2 + len(self.node_types) + len(self.connection_types)

    # Faults

    def faults_of_type(self, declared: Properties, *, connection: bool) -> Faults:
        known = self.connection_types if connection else self.node_types
        faults = {"TYPE_ALREADY_EXISTS"} if declared["name"] in known else set()
        ends = [*declared.get("from_types", ()), *declared.get("to_types", ())]
        return faults | {"INVALID_NODE_TYPE" for end in ends if end not in self.node_types and end != "*"}

    def faults_of_growth(self, declared: Properties) -> Faults:
        """Everything stored must fit what a node type becomes, each thing beside all others."""
        stored = {name: node.properties for name, node in self.nodes.items() if node.type == declared["name"]}
        unfit = any(self._rule_faults(declared, properties, self.nodes, name) for name, properties in stored.items())
        return {"TYPE_ALREADY_EXISTS"} if unfit else set()

    def faults_of_node(self, type_name: str, properties: Properties, content: Text, given_id: str | None) -> Faults:
        faults = property_faults(properties) | text_faults(content.argument, content.encoding)
        if given_id in self.seen:
            faults.add("NODE_ALREADY_EXISTS")
        if type_name not in self.node_types:
            return faults | {"INVALID_NODE_TYPE"}
        return faults | self._rule_faults(self.node_types[type_name], properties, self.nodes, None)

    def faults_of_edit(self, node_id: str, edit: Properties, content: Text | None, expected: int | None) -> Faults:
        faults = property_faults(edit) | (text_faults(content.argument, content.encoding) if content else set())
        node = self.nodes.get(node_id)
        if node is None:
            return faults | {"NODE_NOT_FOUND"}
        rules = self._rule_faults(self.node_types[node.type], {**node.properties, **edit}, self.nodes, node_id)
        return faults | rules | _version_faults(node.version, expected)

    def faults_of_drop(self, nodes: Mapping[str, Node | Connection], text: str, expected: int | None) -> Faults:
        if text not in nodes:
            return {"NODE_NOT_FOUND" if nodes is self.nodes else "CONNECTION_NOT_FOUND"}
        return _version_faults(nodes[text].version, expected)

    def faults_of_connection(
        self, type_name: str, source: str, target: str, properties: Properties, given_id: str | None
    ) -> Faults:
        faults = property_faults(properties)
        if given_id in self.seen:
            faults.add("CONNECTION_ALREADY_EXISTS")
        if source not in self.nodes or target not in self.nodes:
            faults.add("NODE_NOT_FOUND")
        is_turned = type_name != (stored := self.stored_form(type_name, source, target))[0]
        type_name, source, target = stored
        declared = self.connection_types.get(type_name)
        if declared is None:
            return faults | {"INVALID_CONNECTION_TYPE"}
        faults |= self._rule_faults(declared, properties, self.connections, None)
        faults |= (
            {"CONNECTION_ALREADY_EXISTS"} if self.existing(type_name, source, target, is_turned=is_turned) else set()
        )
        return faults | self._topology_faults(declared, source, target)

    # Names

    def relationships(self) -> Iterator[tuple[str, str, str, bool, str, int]]:
        """Relationships of plain Cypher: ends and type, whether it is an inverse, and its connection and version."""
        for key, connection in self.connections.items():
            declared = self.connection_types[connection.type]
            yield connection.source, connection.type, connection.target, False, key, connection.version
            if declared.get("materialize_inverse"):
                yield connection.target, _other_name(declared) or "", connection.source, True, key, connection.version

    def stored_form(self, type_name: str, source: str, target: str) -> tuple[str, str, str]:
        """As what a connection is stored: the inverse of a type that is none itself is that type, turned round."""
        if type_name not in self.connection_types:
            for name, declared in self.connection_types.items():
                if declared.get("inverse") == type_name:
                    return name, target, source
        return type_name, source, target

    def existing(self, type_name: str, source: str, target: str, *, is_turned: bool) -> str | None:
        """The connection that says the same under the other name."""
        declared = self.connection_types[type_name]
        wanted = (type_name, source, target) if is_turned else (_other_name(declared), target, source)
        return next(
            (
                key
                for key, connection in self.connections.items()
                if (connection.type, connection.source, connection.target) == wanted
            ),
            None,
        )

    def ways(self, type_name: str | None, connection: Connection) -> list[tuple[str, str]]:
        """The ends of a connection as they are seen under a name, in each way in which they are."""
        ways = [(connection.source, connection.target)] if type_name in (None, connection.type) else []
        inverse = _other_name(self.connection_types[connection.type])
        return (
            [*ways, (connection.target, connection.source)] if type_name is not None and type_name == inverse else ways
        )

    def faults_of_connection_edit(self, text: str, edit: Properties, expected: int | None) -> Faults:
        faults, connection = property_faults(edit), self.connections.get(text)
        if connection is None:
            return faults | {"CONNECTION_NOT_FOUND"}
        declared = self.connection_types[connection.type]
        rules = self._rule_faults(declared, {**connection.properties, **edit}, self.connections, text)
        return faults | rules | _version_faults(connection.version, expected)

    def allows(self, type_name: str, source_type: str, target_type: str) -> bool:
        type_name, source_type, target_type = self.stored_form(type_name, source_type, target_type)
        declared = self.connection_types.get(type_name)
        if declared is None or source_type not in self.node_types or target_type not in self.node_types:
            return False
        ends = ((source_type, declared["from_types"]), (target_type, declared["to_types"]))
        return all(allowed == ["*"] or text in allowed for text, allowed in ends)

    def _topology_faults(self, declared: Properties, source: str, target: str) -> Faults:
        of_type = [connection for connection in self.connections.values() if connection.type == declared["name"]]
        ends = self.nodes.get(source), self.nodes.get(target)
        bad = all(ends) and not self.allows(declared["name"], *(end.type for end in ends if end))
        bad = bad or bool(declared.get("unique_source") and any(connection.source == source for connection in of_type))
        bad = bad or bool(declared.get("unique_target") and any(connection.target == target for connection in of_type))
        bad = bad or bool(declared.get("acyclic") and source in _reachable(target, of_type))
        return {"INVALID_TOPOLOGY"} if bad else set()

    def _rule_faults(
        self, declared: Properties, properties: Properties, others: Mapping[str, Any], own: str | None
    ) -> Faults:
        faults: Faults = set()
        rivals = [other for key, other in others.items() if key != own and other.type == declared["name"]]
        for rule in declared.get("properties", ()):
            name = rule["name"]
            if name not in properties:
                faults |= {"REQUIRED_PROPERTY_MISSING"} if rule.get("required") else set()
                continue
            value, enum = properties[name], rule.get("enum")
            if not _is_of(rule.get("type"), value) or (enum and not any(same(value, item) for item in enum)):
                faults.add("INVALID_PROPERTY")
            if rule.get("unique") and any(matches(rival.properties, {name: value}) for rival in rivals):
                faults.add("UNIQUE_PROPERTY_TAKEN")
        return faults

    # Changes

    def grow(self, declared: Properties) -> int:
        """Declare a node type otherwise. Returns the version of the ontology."""
        if self.node_types[declared["name"]] != declared:
            self.node_types[declared["name"]] = declared
            self.ontology = self._next()
        return self.ontology

    def switch(self, declared: Properties) -> int:
        """Declare a connection type with or without second relationships. Returns the version of the ontology."""
        before = self.connection_types[declared["name"]]
        if bool(before.get("materialize_inverse")) != declared["materialize_inverse"]:
            self.connection_types[declared["name"]] = declared
            self.ontology = self._next()
        return self.ontology

    def put_type(self, declared: Properties, *, connection: bool) -> int:
        (self.connection_types if connection else self.node_types)[declared["name"]] = declared
        self.ontology = self._next()
        return self.ontology

    def put_node(self, node_id: str, node: Node) -> int:
        assert node_id not in self.seen, "an id was given out a second time"
        self.seen.add(node_id)
        self.nodes[node_id] = replace(node, version=self._next())
        return self.seq

    def put_connection(self, connection_id: str, connection: Connection) -> int:
        assert connection_id not in self.seen, "an id was given out a second time"
        self.seen.add(connection_id)
        self.connections[connection_id] = replace(connection, version=self._next())
        return self.seq

    def change_node(self, node_id: str, edited: Node) -> int:
        if differ(self.nodes[node_id], edited):
            self.nodes[node_id] = replace(edited, version=self._next())
        return self.nodes[node_id].version

    def change_connection(self, text: str, edited: Connection) -> int:
        if differ(self.connections[text], edited):
            self.connections[text] = replace(edited, version=self._next())
        return self.connections[text].version

    def guard(self, text: str, is_on: bool) -> int:
        """Make a node or connection read-only, or no longer. Returns its version."""
        live = self.nodes if text in self.nodes else self.connections
        if live[text].guarded != is_on:
            live[text] = replace(live[text], guarded=is_on, version=self._next())
        return live[text].version

    def guards(self, text: str) -> bool:
        """Whether any subject that a deletion removes or detaches is read-only."""
        if text in self.connections:
            return self.connections[text].guarded
        connections = [
            connection for connection in self.connections.values() if text in (connection.source, connection.target)
        ]
        ends = {end for connection in connections for end in (connection.source, connection.target)} | {text}
        return any(connection.guarded for connection in connections) or any(self.nodes[end].guarded for end in ends)

    def edit_node(self, node_id: str, edit: Properties) -> None:
        """Change a node as one of many: what it was before the others counts."""
        before = self.nodes[node_id]
        self.nodes[node_id] = replace(before, properties={**before.properties, **edit})

    def keeps_rules(self) -> bool:
        """Whether all that lives keeps to the rules of its type beside all else."""
        nodes = (
            self._rule_faults(self.node_types[node.type], node.properties, self.nodes, key)
            for key, node in self.nodes.items()
        )
        return not any(nodes) and all(self._keeps_rules(key) for key in self.connections)

    def _keeps_rules(self, text: str) -> bool:
        connection = self.connections[text]
        if connection.source not in self.nodes or connection.target not in self.nodes:
            return False
        declared = self.connection_types[connection.type]
        others = Reference(
            self.node_types, self.connection_types, self.nodes, {k: v for k, v in self.connections.items() if k != text}
        )
        faults = self._rule_faults(declared, connection.properties, self.connections, text)
        if others.existing(connection.type, connection.source, connection.target, is_turned=False):
            return False
        return not faults | others._topology_faults(declared, connection.source, connection.target)

    def drop_node(self, node_id: str) -> int:
        for text in [
            key for key, connection in self.connections.items() if node_id in (connection.source, connection.target)
        ]:
            self.drop_connection(text)
        del self.nodes[node_id]
        return self._next()

    def drop_connection(self, text: str) -> int:
        del self.connections[text]
        return self._next()

    def _next(self) -> int:
        self.seq += 1
        return self.seq

    # Questions

    def query_nodes(self, type_name: str | None, wanted: Properties) -> list[str]:
        pairs = ((key, node) for key, node in self.nodes.items() if type_name in (None, node.type))
        return sorted(key for key, node in pairs if matches(node.properties, wanted))

    def query_by_fields(self, prefix: str, namespace: str | None, type_name: str | None) -> list[str]:
        return sorted(
            key
            for key, node in self.nodes.items()
            if node.fields.get("path", "/").startswith(prefix)
            if namespace in (None, node.fields.get("namespace", "default"))
            if type_name in (None, node.type)
        )

    def query_connections(
        self, type_name: str | None, source: str | None, target: str | None, wanted: Properties
    ) -> list[str]:
        return sorted(
            key
            for key, connection in self.connections.items()
            if any(source in (None, start) and target in (None, end) for start, end in self.ways(type_name, connection))
            if matches(connection.properties, wanted)
        )

    def connected_nodes(self, node_id: str, direction: str, type_name: str | None) -> list[str]:
        ways = [way for connection in self.connections.values() for way in self.ways(type_name, connection)]
        ahead = {end for start, end in ways if start == node_id} if direction != "in" else set()
        behind = {start for start, end in ways if end == node_id} if direction != "out" else set()
        return sorted(ahead | behind)

    def search(self, needle: str, type_name: str | None) -> list[str]:
        texts = ((key, node.content) for key, node in self.nodes.items() if type_name in (None, node.type))
        return sorted(key for key, text in texts if text.encoding == "utf-8" and is_in(needle, text.argument))


def is_in(needle: str, text: str) -> bool:
    return needle.casefold() in text.casefold()


def _other_name(declared: Properties) -> str | None:
    return declared["name"] if declared.get("symmetric") else declared.get("inverse")


def _version_faults(present: int, expected: int | None) -> Faults:
    return set() if expected in (None, present) else {"VERSION_CONFLICT"}


def _reachable(start: str, connections: Iterable[Connection]) -> set[str]:
    results, todo = {start}, [start]
    while todo:
        text = todo.pop()
        ahead = {connection.target for connection in connections if connection.source == text} - results
        results |= ahead
        todo += ahead
    return results
