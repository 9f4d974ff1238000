"""Validates the log in a file, event by event in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import cast

from graph_memory.memory.transfer.archive.format import End, Header, damaged_line_error, locate_event_errors
from graph_memory.memory.transfer.archive.records import recorded_times
from graph_memory.memory.transfer.values import InvalidEvent
from graph_memory.model.events import Draft, Op
from graph_memory.model.ontology.declarations import connection_type_from, node_type_from
from graph_memory.model.ontology.ontology import MAX_TYPES
from graph_memory.model.ontology.types import AnyType, ConnectionType, check_end, type_state
from graph_memory.model.rules import check_state
from graph_memory.model.subjects.kinds import DATA, ONTOLOGY_KINDS, TYPE_OF, Kind, type_subject
from graph_memory.model.subjects.subjects import DomainState, State
from graph_memory.model.text.visible import check_visible
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.time.clock import may_follow
from graph_memory.model.values.plain import parse_json_strictly

LATEST = timedelta(days=36_525)
"""How far in the future an event's time may be, since a computer with a wrong clock may have written the event
(decision 14).
"""
_TYPE_PARSERS = {Kind.NODE_TYPE: node_type_from, Kind.CONNECTION_TYPE: connection_type_from}


class LogCheck:
    """Checks the events of one file in order. Keeps only the types and the position in the log in memory."""

    def __init__(self, header: Header, now: datetime) -> None:
        self.header = header
        self.seq = header.state.forked_at or 0
        """The position in the log."""
        self.live_count = 0
        """Approximate number of nodes, connections and observations at this position."""
        self.types: dict[str, AnyType] = {}
        """The current types, by their subject ids."""
        self.late_types: set[str] = set()
        """The types whose current declaration comes after data of the type."""
        self._latest = now + LATEST
        self._at: datetime | None = None
        self._event_count = 0
        self._ontology_seq = 0
        self._is_open: bool | None = None
        self._domain: DomainState | None = None
        with locate_event_errors(1, None):
            self._check_times(header.state.state())

    def event(self, row: State, line: int) -> None:
        """Check the next event. Raises INVALID_ARCHIVE if it is invalid, or impossible at this point in the log."""
        kind = Kind(str(row["_kind"]))
        with locate_event_errors(line, row):
            self._check_position(row)
            if kind in _TYPE_PARSERS:
                self._record_type(kind, row)
            if kind in TYPE_OF:
                self._check_rules(kind, row)
        self._event_count += 1
        if kind in DATA:
            self.live_count += {Op.DELETE: -1, Op.UPDATE: 0}.get(Op(str(row["_op"])), 1)
        if kind in ONTOLOGY_KINDS:
            self._ontology_seq = self.seq
        if kind is Kind.ONTOLOGY:
            self._is_open = row["_open"] is True
        if kind is Kind.DOMAIN:
            self._domain = DomainState.from_state(row)

    def end(self, end: End, contents: int, line: int) -> None:
        """Check the last line. Raises INVALID_ARCHIVE if it does not match the lines before it."""
        header = self.header
        domain = replace(self._domain, compacted_to=header.state.compacted_to) if self._domain else header.state
        actual_values = (self._event_count, contents, self._event_count, self.seq, self._ontology_seq, domain)
        stated_values = (end.events, end.contents, header.events, header.seq, header.ontology_version, header.state)
        if actual_values != stated_values or max(header.complete_after, header.state.begins_at or 0) > self.seq:
            raise damaged_line_error(line, "or line 1 does not match the lines between them")
        if self._is_open is None:
            raise damaged_line_error(line, "ends a log without an ontology")
        with locate_event_errors(line, None):
            self._check_late_types()

    def _check_late_types(self) -> None:
        """Raise InvalidEvent if data or a connection type refers to an undeclared type."""
        if missing_types := self.late_types - self.types.keys():
            raise InvalidEvent(f"lacks the type {quote(min(missing_types))}, which earlier data needs")
        for connection_type in self.types.values():
            if isinstance(connection_type, ConnectionType):
                self._check_ends(connection_type)

    def _check_position(self, row: State) -> None:
        """Check the number and the time of the next event. Only the compacted part of the log may have gaps."""
        seq = cast("int", row["_seq"])
        is_next = seq == self.seq + 1 or self.seq < seq <= self.header.complete_after
        is_after_gap = self.seq <= self.header.complete_after == seq - 1
        if not is_next and not is_after_gap:
            raise InvalidEvent(f"has the number {seq:,}, but the event before it has {self.seq:,}")
        at = cast("datetime", row["_at"])
        is_neighbour = self.seq >= self.header.complete_after  # a compacted part lacks events in between
        if self._at is not None and is_neighbour and not may_follow(self._at, at):
            raise InvalidEvent(f"has the time {printable(at)}, which is before that of the preceding event")
        self._check_times(row)
        self.seq, self._at = seq, at

    def _check_times(self, state: State) -> None:
        if (latest := max(recorded_times(state))) > self._latest:
            raise InvalidEvent(f"has the time {printable(latest)}, which is in the future")

    def _record_type(self, kind: Kind, row: State) -> None:
        subject = str(row["_subject"])
        if row["_op"] == Op.DELETE:
            deleted_type = self.types.pop(subject, None)
            if deleted_type is not None and kind is Kind.NODE_TYPE:
                self._check_unused(deleted_type.name)
            return
        new_type = _TYPE_PARSERS[kind](_parse_definition(str(row["_definition"])))
        check_visible("Type", new_type.name)
        if subject != type_subject(kind, new_type.name) or any(
            row.get(name) != value for name, value in _without_definition(type_state(new_type)).items()
        ):
            raise InvalidEvent("has fields that differ from the definition of its type")
        if subject in self.types:
            self.late_types.add(subject)
        self.types[subject] = new_type
        if len(self.types) > MAX_TYPES:
            raise InvalidEvent(f"declares more than {MAX_TYPES:,} types")
        if isinstance(new_type, ConnectionType) and not self._is_compacted:
            self._check_ends(new_type)

    @property
    def _is_compacted(self) -> bool:
        """Whether this part of the log is compacted.

        It then has only the last event of each subject, so a changed type can come after its data.
        """
        return self.seq <= self.header.complete_after

    def _check_ends(self, connection_type: ConnectionType) -> None:
        for side, names in (("from_types", connection_type.from_types), ("to_types", connection_type.to_types)):
            for name in names:
                declared_names = {name} if type_subject(Kind.NODE_TYPE, name) in self.types else set[str]()
                check_end(connection_type.name, side, name, declared_names)

    def _check_unused(self, node_type: str) -> None:
        for other in self.types.values():
            if isinstance(other, ConnectionType) and node_type in (*other.from_types, *other.to_types):
                raise InvalidEvent(f"deletes node type {quote(node_type)}, which {other.title} needs")

    def _check_rules(self, kind: Kind, row: State) -> None:
        if "_type" not in row:
            return
        type_definition = self.types.get(type_subject(TYPE_OF[kind], str(row["_type"])))
        if type_definition is None and self._is_compacted:
            self.late_types.add(type_subject(TYPE_OF[kind], str(row["_type"])))
            return
        if type_definition is None:
            raise InvalidEvent(f"has the type {quote(row['_type'])}, which no earlier event declares")
        if row["_op"] != Op.DELETE:
            ends = {name: cast("str | None", row.get(f"_{name}")) for name in ("from", "to")}
            draft = Draft(op=Op.UPDATE, kind=kind, subject=str(row["_subject"]), type=type_definition.name, state=row)
            check_state(replace(draft, from_id=ends["from"], to_id=ends["to"]), type_definition)


def _without_definition(state: State) -> State:
    """Return a type's state without its definition, since the same definition can have several forms."""
    names = ("_name", "_description", "_required_properties", "_from_types", "_to_types", "_inverse", "_transitive")
    return {name: state.get(name) for name in names}  # pyright: ignore[reportReturnType] - None: it must be absent


def _parse_definition(definition: str) -> Mapping[str, object]:
    try:
        return cast("Mapping[str, object]", parse_json_strictly(definition.encode()))
    except ValueError as error:
        raise InvalidEvent('has a "_definition" that is not JSON') from error
