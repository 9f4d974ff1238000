"""Validation of the records of a source: each node and connection is checked like the arguments of a write.

Unique values and the rules of connection types are checked within the source too. Conflicts with the domain are
found when the records are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from graph_memory.memory.graph.connections import FORMAT, NewConnection
from graph_memory.memory.graph.nodes import NewNode
from graph_memory.memory.transfer.load.infer import Inference
from graph_memory.memory.transfer.load.staged_record import Staged, StagedConnection, StagedNode
from graph_memory.memory.transfer.load.staging import PAGE, Staging
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.types import AnyType, ConnectionType, check_rules
from graph_memory.model.rules import CONNECTION_RULES, UNIQUE, BrokenRule, ConnectionRule, Ends, claims, find_cycle
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import Validity
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.time.clock import in_utc
from graph_memory.model.values.arguments import check_tags, invalid_argument
from graph_memory.model.values.content import Content, content_from
from graph_memory.model.values.fields import fields_from_texts
from graph_memory.model.values.properties import PropertyValue, check_name, check_properties
from graph_memory.model.values.strength import check_fraction, check_provenance, check_strength

_BELOW_MICROSECOND = re.compile(r"[.,]\d{6}0*[1-9]", re.ASCII)
MARKDOWN = "markdown"
"""The default format of content."""


class ValidatedRecord(NamedTuple):
    """The validated arguments for writing a record, and its period of validity."""

    arguments: NewNode | NewConnection
    validity: Validity


class GraphValidation:
    """Checks all staged records, and refuses the ones that cannot be loaded.

    Without an ontology, only records that no ontology would allow are refused. Types that an open ontology lacks are
    added when they are written.
    """

    def __init__(self, staging: Staging, ontology: Ontology | None, check_content: Callable[[Content], None]) -> None:
        self._staging = staging
        self._ontology = ontology
        self._check_content = check_content

    def run(self) -> Iterator[None]:
        """Check all nodes and then all connections, yielding between steps."""
        for number, node in enumerate(self._staging.nodes()):
            self._try(node, self._node)
            if number % PAGE == 0:
                yield
        for number, connection in enumerate(self._staging.connections()):
            self._try(connection, self._connection)
            if number % PAGE == 0:
                yield
        for declared in self._ontology.connection_types if self._ontology else ():
            if declared.acyclic:
                self._check_cycles(declared)

    def _try(self, staged: Staged, check: Callable[..., None]) -> None:
        try:
            check(staged)
        except GraphError as error:
            self._staging.refuse(staged, error)

    def _node(self, node: StagedNode) -> None:
        record = validate_record(node)
        if isinstance(record.arguments, NewNode):
            self._check_content(record.arguments.content)
        ontology = self._ontology
        if ontology is None or (ontology.open and ontology.find_node_type(node.type) is None):
            check_name("Node type", node.type)
        else:
            self._check_rules(ontology.node_type(node.type), node, record)

    def _connection(self, connection: StagedConnection) -> None:
        record = validate_record(connection)
        if isinstance(record.arguments, NewConnection) and record.arguments.content is not None:
            self._check_content(record.arguments.content)
        source, target = connection.ends
        if source is None or target is None:
            raise self._missing_end_error(connection)
        if self._staging.claim(connection.id, "id", connection.id) is not None:
            raise _duplicate_error(connection)
        ontology = self._ontology
        type_name, is_turned = ontology.stored_type(connection.type) if ontology else (connection.type, False)
        if ontology is None or (ontology.open and ontology.find_connection_type(type_name) is None):
            check_name("Connection type", connection.type)
            return
        declared = ontology.connection_type(type_name)
        if not declared.allows(*((target, source) if is_turned else (source, target))):
            ontology.check_topology(connection.type, source, target)
        ends = _stored_ends(connection, is_turned=is_turned)
        self._check_rules(declared, connection, record, ends)
        self._check_inverse(declared, connection, *ends)

    def _missing_end_error(self, connection: StagedConnection) -> GraphError:
        missing = connection.source if connection.ends[0] is None else connection.target
        return (_ambiguous_end_error if self._staging.is_shared(missing) else _dangling_error)(connection, missing)

    def _check_rules(
        self, declared: AnyType, staged: Staged, record: ValidatedRecord, ends: Ends | None = None
    ) -> None:
        check_rules(declared, record.arguments.properties)
        for claim in claims(declared, record.arguments.properties, ends):
            other = self._staging.claim(staged.id, declared.title, *claim)
            if other is None:
                continue
            if claim[0] == UNIQUE or not isinstance(staged, StagedConnection):
                raise _shared_value_error(declared, claim[1], staged.properties[claim[1]], other)
            raise _broken_rule_error(CONNECTION_RULES[claim[0]], staged, other)

    def _check_inverse(self, declared: ConnectionType, connection: StagedConnection, source: str, target: str) -> None:
        rule = CONNECTION_RULES["inverse"]
        if rule.applies_to(declared) and source != target:
            self._staging.claim(connection.id, "way", declared.name, source, target)
            if other := self._staging.owner_of_claim("way", declared.other_name, target, source):
                raise _broken_rule_error(rule, connection, other)

    def _check_cycles(self, declared: ConnectionType) -> None:
        last: dict[str, StagedConnection] = {}
        if cycle := find_cycle(self._edges(declared, last)):
            closing = last[cycle[1]]
            rule_error = _broken_rule_error(CONNECTION_RULES["cycle"], closing)
            text = f"{rule_error.message}: {' ← '.join(map(printable, cycle[:10]))}"
            self._staging.refuse(closing, GraphError(rule_error.code, text, rule_error.details))

    def _edges(self, declared: ConnectionType, last: dict[str, StagedConnection]) -> Iterator[Ends]:
        """Yield the ends of a type's connections. Records the last connection from each node in `last`."""
        for connection in self._staging.connections():
            if connection.type in (declared.name, declared.inverse):
                ends = _stored_ends(connection, is_turned=connection.type != declared.name)
                last[ends[0]] = connection
                yield ends


def _stored_ends(connection: StagedConnection, *, is_turned: bool) -> Ends:
    source, target = connection.source, connection.target
    return (target, source) if is_turned else (source, target)


def validate_record(staged: Staged) -> ValidatedRecord:
    """Return the arguments for writing a record. Raises the errors of a call with these arguments."""
    properties = check_properties(staged.properties)
    validity = _validity(staged)
    if isinstance(staged, StagedConnection):
        content = None if staged.content is None else content_from(staged.content, "utf-8", FORMAT)
        connection = NewConnection(
            id=staged.id,
            type=staged.type,
            from_id=staged.source,
            to_id=staged.target,
            properties=properties,
            content=content,
            strength=check_strength(staged.strength),
            importance=None if staged.importance is None else check_fraction("importance", staged.importance),
            provenance=check_provenance(staged.made),
        )
        return ValidatedRecord(connection, validity)
    node = NewNode(
        id=staged.id,
        type=staged.type,
        content=content_from(staged.content or "", staged.encoding or "utf-8", staged.format or MARKDOWN),
        properties=properties,
        tags=check_tags(staged.tags),
        fields=fields_from_texts(staged.fields),
    )
    return ValidatedRecord(node, validity)


def _validity(staged: Staged) -> Validity:
    begin, end = _moment("valid_from", staged.valid_from), _moment("valid_to", staged.valid_to)
    if begin is not None and end is not None and end <= begin:
        raise invalid_argument("valid_to", "It would end before it starts", "Pass a later end.")
    return Validity(valid_from=begin, valid_to=end)


def _moment(name: str, text: str | None) -> datetime | None:
    if text is not None and _BELOW_MICROSECOND.search(text):
        raise invalid_argument(name, f"{name} {quote(text)} is finer than a microsecond", "Round it to six digits.")
    try:
        return None if text is None else in_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as error:
        raise invalid_argument(
            name, f"{name} {quote(text)} is not an RFC 3339 time", "Write it as 2025-10-31T10:00:00Z."
        ) from error


def infer(staging: Staging) -> Ontology:
    """Return the ontology inferred from the staged records."""
    inference = Inference()
    for node in staging.nodes():
        inference.node(node.type, node.properties)
    for connection in staging.connections():
        source, target = connection.ends
        if source is not None and target is not None:
            inference.connection(connection.type, source, target, connection.properties)
    return inference.ontology()


def _broken_rule_error(rule: ConnectionRule, connection: StagedConnection, other: str | None = None) -> GraphError:
    draft = Draft(
        op=Op.CREATE,
        kind=Kind.CONNECTION,
        subject=connection.id,
        type=connection.type,
        from_id=connection.source,
        to_id=connection.target,
    )
    hint = "Leave one of them out, or change the ontology."
    return GraphError(rule.code, BrokenRule(rule.name, other).refusal(draft).message, {"hint": hint})


def _ambiguous_end_error(connection: StagedConnection, end: str) -> GraphError:
    message = f"The {printable(connection.type)} joins {printable(end)}, but several nodes of the source have that id"
    return GraphError(Code.DANGLING_REFERENCE, message, {"hint": "Give each node of the source a unique id."})


def _dangling_error(connection: StagedConnection, missing: str) -> GraphError:
    hint = "Add the node to the source, or load it before."
    message = f"The {printable(connection.type)} has no node {printable(missing)} to join"
    return GraphError(Code.DANGLING_REFERENCE, message, {"hint": hint})


def _duplicate_error(connection: StagedConnection) -> GraphError:
    message = f"The source has two connections with the id {printable(connection.id)}"
    return GraphError(Code.CONNECTION_ALREADY_EXISTS, message, {"hint": "Remove one of them, or give it another id."})


def _shared_value_error(declared: AnyType, name: str, value: PropertyValue, other: str) -> GraphError:
    message = f"{name} is unique in {declared.title}, and {other} has {quote(value)} too"
    hint = "Correct one of them, or change the ontology."
    return GraphError(Code.UNIQUE_PROPERTY_TAKEN, message, {"property": name, "hint": hint})
