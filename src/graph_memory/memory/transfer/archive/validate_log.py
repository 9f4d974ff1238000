"""Validation of the log in a file, event by event in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import cast

from graph_memory.memory.transfer.archive.format import End, Header, at_line, damaged_line
from graph_memory.memory.transfer.archive.records import recorded_times
from graph_memory.memory.transfer.values import Wrong
from graph_memory.model.events import Draft, Op
from graph_memory.model.ontology.declarations import connection_type_from, node_type_from
from graph_memory.model.ontology.ontology import MAX_TYPES
from graph_memory.model.ontology.types import AnyType, ConnectionType, check_end, type_state
from graph_memory.model.rules import check_state
from graph_memory.model.subjects.kinds import DATA, ONTOLOGY_KINDS, TYPE_OF, Kind, type_subject
from graph_memory.model.subjects.subjects import DomainState, State
from graph_memory.model.text.visible import check_visible
from graph_memory.model.text.wording import printable
from graph_memory.model.time.clock import may_follow
from graph_memory.model.values.plain import parse_json_strictly

LATEST = timedelta(days=36_525)
"""Maximum time that an event may be ahead of this clock: a wrong clock may have written it (decision 14)."""
_READ = {Kind.NODE_TYPE: node_type_from, Kind.CONNECTION_TYPE: connection_type_from}


class LogCheck:
    """Checks the events of one file in order. It keeps only the types and the position in the log in memory."""

    def __init__(self, header: Header, now: datetime) -> None:
        self.header = header
        self.seq = header.state.forked_at or 0
        """The position in the log."""
        self.living = 0
        """Approximate number of nodes, connections and observations at this position."""
        self.types: dict[str, AnyType] = {}
        """The types that are declared, by their subject ids."""
        self.late: set[str] = set()
        """The types whose current declaration follows data of that type."""
        self._latest = now + LATEST
        self._at: datetime | None = None
        self._events = 0
        self._ontology = 0
        self._is_open: bool | None = None
        self._domain: DomainState | None = None
        with at_line(1, None):
            self._check_times(header.state.state())

    def event(self, row: State, line: int) -> None:
        """Check the next event. Raises INVALID_ARCHIVE if it is invalid, or impossible at this point of the log."""
        kind = Kind(str(row["_kind"]))
        with at_line(line, row):
            self._check_place(row)
            if kind in _READ:
                self._declare(kind, row)
            if kind in TYPE_OF:
                self._check_rules(kind, row)
        self._events += 1
        if kind in DATA:
            self.living += {Op.DELETE: -1, Op.UPDATE: 0}.get(Op(str(row["_op"])), 1)
        if kind in ONTOLOGY_KINDS:
            self._ontology = self.seq
        if kind is Kind.ONTOLOGY:
            self._is_open = row["_open"] is True
        if kind is Kind.DOMAIN:
            self._domain = DomainState.from_state(row)

    def end(self, end: End, contents: int, line: int) -> None:
        """Check the last line. Raises INVALID_ARCHIVE if it does not match the lines before it."""
        header = self.header
        domain = replace(self._domain, compacted_to=header.state.compacted_to) if self._domain else header.state
        results = (self._events, contents, self._events, self.seq, self._ontology, domain)
        end_values = (end.events, end.contents, header.events, header.seq, header.ontology_version, header.state)
        if results != end_values or max(header.whole_after, header.state.begins_at or 0) > self.seq:
            raise damaged_line(line, "or line 1 does not match the lines between them")
        if self._is_open is None:
            raise damaged_line(line, "ends a log without an ontology")
        with at_line(line, None):
            self._check_late()

    def _check_late(self) -> None:
        """Raise `Wrong` if a type is not declared, but is used or is an end of a connection type."""
        if missing := self.late - self.types.keys():
            raise Wrong(f"has no {min(missing)}, which earlier data needs")
        for declared in self.types.values():
            if isinstance(declared, ConnectionType):
                self._check_ends(declared)

    def _check_place(self, row: State) -> None:
        """Check number and time of the next event. Only the compacted part may have gaps."""
        seq = cast("int", row["_seq"])
        is_next = seq == self.seq + 1 or self.seq < seq <= self.header.whole_after
        is_after_gap = self.seq <= self.header.whole_after == seq - 1
        if not is_next and not is_after_gap:
            raise Wrong(f"has number {seq} after {self.seq}")
        at = cast("datetime", row["_at"])
        is_neighbour = self.seq >= self.header.whole_after  # the compacted part lacks too many events to compare times
        if self._at is not None and is_neighbour and not may_follow(self._at, at):
            raise Wrong(f"was written at {at}, earlier than the one before it")
        self._check_times(row)
        self.seq, self._at = seq, at

    def _check_times(self, state: State) -> None:
        if (latest := max(recorded_times(state))) > self._latest:
            raise Wrong(f"has the time {latest}, which is in the future")

    def _declare(self, kind: Kind, row: State) -> None:
        subject = str(row["_subject"])
        if row["_op"] == Op.DELETE:
            node_type = self.types.pop(subject, None)
            if node_type is not None and kind is Kind.NODE_TYPE:
                self._check_unused(node_type.name)
            return
        declared = _READ[kind](_parse_definition(str(row["_definition"])))
        check_visible("Type", declared.name)
        if subject != type_subject(kind, declared.name) or any(
            row.get(name) != value for name, value in _without_definition(type_state(declared)).items()
        ):
            raise Wrong("names a type differently from its definition")
        if subject in self.types:
            self.late.add(subject)
        self.types[subject] = declared
        if len(self.types) > MAX_TYPES:
            raise Wrong(f"declares more than {MAX_TYPES:,} types")
        if isinstance(declared, ConnectionType) and not self._is_compacted:
            self._check_ends(declared)

    @property
    def _is_compacted(self) -> bool:
        """Return whether this part of the log is compacted.

        A compacted part has only each subject's last event. So a changed type can come after its data.
        """
        return self.seq <= self.header.whole_after

    def _check_ends(self, declared: ConnectionType) -> None:
        for side, names in (("from_types", declared.from_types), ("to_types", declared.to_types)):
            for name in names:
                known = {name} if type_subject(Kind.NODE_TYPE, name) in self.types else set[str]()
                check_end(declared.name, side, name, known)

    def _check_unused(self, node_type: str) -> None:
        for other in self.types.values():
            if isinstance(other, ConnectionType) and node_type in (*other.from_types, *other.to_types):
                raise Wrong(f"deletes node type {printable(node_type)}, which {other.title} needs")

    def _check_rules(self, kind: Kind, row: State) -> None:
        """Raise an error if a node or connection breaks a rule of its type."""
        if "_type" not in row:
            return
        declared = self.types.get(type_subject(TYPE_OF[kind], str(row["_type"])))
        if declared is None and self._is_compacted:
            self.late.add(type_subject(TYPE_OF[kind], str(row["_type"])))
            return
        if declared is None:
            raise Wrong(f"has the type {printable(row['_type'])}, which no earlier event declares")
        if row["_op"] != Op.DELETE:
            ends = {name: cast("str | None", row.get(f"_{name}")) for name in ("from", "to")}
            draft = Draft(op=Op.UPDATE, kind=kind, subject=str(row["_subject"]), type=declared.name, state=row)
            check_state(replace(draft, from_id=ends["from"], to_id=ends["to"]), declared)


def _without_definition(state: State) -> State:
    """Return a type's state without its definition, since the same definition can have several forms."""
    names = ("_name", "_description", "_required_properties", "_from_types", "_to_types", "_inverse", "_transitive")
    return {name: state.get(name) for name in names}  # pyright: ignore[reportReturnType] - None: it must be absent


def _parse_definition(definition: str) -> Mapping[str, object]:
    try:
        return cast("Mapping[str, object]", parse_json_strictly(definition.encode()))
    except ValueError as error:
        raise Wrong("has a _definition that is not JSON") from error
