"""Validates the records of a source with the same checks as a write.

Also checks that unique values occur only once in the source, and that its connections follow the rules of their types.
Conflicts with the domain are found when the records are written.
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
from graph_memory.memory.transfer.load.staging import PAGE, S, Staging
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
    """Checks all staged records, and rejects records that cannot be loaded.

    If there is no ontology, only records that no ontology would allow are rejected. Types that an open ontology lacks
    are added when their records are written.
    """

    def __init__(self, staging: Staging, ontology: Ontology | None, check_content: Callable[[Content], None]) -> None:
        self._staging = staging
        self._ontology = ontology
        self._check_content = check_content

    def run(self) -> Iterator[None]:
        """Check all nodes and then all connections, yielding between steps."""
        yield from self._check_all(self._staging.nodes(), self._check_node)
        yield from self._check_all(self._staging.connections(), self._check_connection)
        for connection_type in self._ontology.connection_types if self._ontology else ():
            if connection_type.acyclic:
                self._check_cycles(connection_type)

    def _check_all(self, records: Iterator[S], check: Callable[[S], None]) -> Iterator[None]:
        for number, staged in enumerate(records):
            try:
                check(staged)
            except GraphError as error:
                self._staging.reject(staged, error)
            if number % PAGE == 0:
                yield

    def _check_node(self, node: StagedNode) -> None:
        record = validate_record(node)
        if isinstance(record.arguments, NewNode):
            self._check_content(record.arguments.content)
        ontology = self._ontology
        if ontology is None or (ontology.open and ontology.find_node_type(node.type) is None):
            check_name("Node type", node.type)
        else:
            self._check_rules(ontology.node_type(node.type), node, record)

    def _check_connection(self, connection: StagedConnection) -> None:
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
        connection_type = ontology.connection_type(type_name)
        if not connection_type.allows(*((target, source) if is_turned else (source, target))):
            ontology.check_topology(connection.type, source, target)
        ends = _stored_ends(connection, is_turned=is_turned)
        self._check_rules(connection_type, connection, record, ends)
        self._check_inverse(connection_type, connection, *ends)

    def _missing_end_error(self, connection: StagedConnection) -> GraphError:
        missing_id = connection.source if connection.ends[0] is None else connection.target
        error = _ambiguous_end_error if self._staging.is_shared(missing_id) else _unknown_end_error
        return error(connection, missing_id)

    def _check_rules(
        self, record_type: AnyType, staged: Staged, record: ValidatedRecord, ends: Ends | None = None
    ) -> None:
        check_rules(record_type, record.arguments.properties)
        for claim in claims(record_type, record.arguments.properties, ends):
            owner = self._staging.claim(staged.id, record_type.title, *claim)
            if owner is None:
                continue
            if claim[0] == UNIQUE or not isinstance(staged, StagedConnection):
                raise _shared_value_error(record_type, claim[1], staged.properties[claim[1]], owner)
            raise _broken_rule_error(CONNECTION_RULES[claim[0]], staged, owner)

    def _check_inverse(
        self, connection_type: ConnectionType, connection: StagedConnection, source: str, target: str
    ) -> None:
        rule = CONNECTION_RULES["inverse"]
        if rule.applies_to(connection_type) and source != target:
            self._staging.claim(connection.id, "way", connection_type.name, source, target)
            if other := self._staging.owner_of_claim("way", connection_type.other_name, target, source):
                raise _broken_rule_error(rule, connection, other)

    def _check_cycles(self, connection_type: ConnectionType) -> None:
        last_by_source: dict[str, StagedConnection] = {}
        if cycle := find_cycle(self._edges_of_type(connection_type, last_by_source)):
            closing_connection = last_by_source[cycle[1]]
            rule_error = _broken_rule_error(CONNECTION_RULES["cycle"], closing_connection)
            text = f"{rule_error.message}: {' ← '.join(map(printable, cycle[:10]))}"
            self._staging.reject(closing_connection, GraphError(rule_error.code, text, rule_error.details))

    def _edges_of_type(
        self, connection_type: ConnectionType, last_by_source: dict[str, StagedConnection]
    ) -> Iterator[Ends]:
        """Yield the source and the target of each connection that has this type or its inverse.

        Also records the last connection from each node in `last_by_source`.
        """
        for connection in self._staging.connections():
            if connection.type in (connection_type.name, connection_type.inverse):
                ends = _stored_ends(connection, is_turned=connection.type != connection_type.name)
                last_by_source[ends[0]] = connection
                yield ends


def _stored_ends(connection: StagedConnection, *, is_turned: bool) -> Ends:
    source, target = connection.source, connection.target
    return (target, source) if is_turned else (source, target)


def validate_record(staged: Staged) -> ValidatedRecord:
    """Return the arguments for writing a record. Raises the same errors as a call with these arguments."""
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
    begin, end = _parse_time("valid_from", staged.valid_from), _parse_time("valid_to", staged.valid_to)
    if begin is not None and end is not None and end <= begin:
        raise invalid_argument("valid_to", "The validity does not end after its start", "Pass a later end time.")
    return Validity(valid_from=begin, valid_to=end)


def _parse_time(name: str, text: str | None) -> datetime | None:
    if text is not None and _BELOW_MICROSECOND.search(text):
        raise invalid_argument(
            name, f"{name} {quote(text)} is finer than a microsecond", "Round it to six decimal places."
        )
    try:
        return None if text is None else in_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError) as error:
        raise invalid_argument(
            name, f"{name} {quote(text)} is not a time in the form of RFC 3339", "Write it as 2025-10-31T10:00:00Z."
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
    hint = "Omit one of the two connections, or change the ontology."
    return GraphError(rule.code, BrokenRule(rule.name, other).to_error(draft).message, {"hint": hint})


def _ambiguous_end_error(connection: StagedConnection, end: str) -> GraphError:
    connection_type = printable(connection.type)
    message = f"A connection of type {connection_type} refers to node {quote(end)}, but several nodes have this id"
    return GraphError(Code.DANGLING_REFERENCE, message, {"hint": "Give these nodes different ids."})


def _unknown_end_error(connection: StagedConnection, missing: str) -> GraphError:
    hint = "Add the node to the source, or load it first."
    message = f"A connection of type {printable(connection.type)} refers to node {quote(missing)}, which does not exist"
    return GraphError(Code.DANGLING_REFERENCE, message, {"hint": hint})


def _duplicate_error(connection: StagedConnection) -> GraphError:
    message = f"The source has two connections with the id {quote(connection.id)}"
    return GraphError(
        Code.CONNECTION_ALREADY_EXISTS, message, {"hint": "Remove one of the connections, or give it another id."}
    )


def _shared_value_error(record_type: AnyType, name: str, value: PropertyValue, other: str) -> GraphError:
    message = (
        f"Property {quote(name)} of {record_type.title} must be unique, but {quote(other)} also has {quote(value)}"
    )
    hint = "Correct one of the two values, or change the ontology."
    return GraphError(Code.UNIQUE_PROPERTY_TAKEN, message, {"property": name, "hint": hint})
