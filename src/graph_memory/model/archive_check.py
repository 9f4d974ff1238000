"""Is the log in a file one that a domain can have? Its events are looked at one by one, in order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import cast

from graph_memory.model.archive import OF_DOMAIN, End, Header, damaged
from graph_memory.model.declarations import connection_type_from, node_type_from
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Op
from graph_memory.model.properties import check_key, check_value
from graph_memory.model.subjects import ONTOLOGY_KINDS, DomainState, Kind, State, type_subject

_CONTENT: Mapping[str, type] = {
    "_content_format": str,
    "_content_encoding": str,
    "_content_size": int,
    "_content_sha256": str,
}
_TIMES: Mapping[str, type] = {"_created": datetime, "_modified": datetime}
_ALL: Mapping[str, type] = {
    "_seq": int,
    "_id": str,
    "_op": str,
    "_kind": str,
    "_subject": str,
    "_at": datetime,
    "_batch": str,
    "_source": str,
}
_OF_KIND: Mapping[Kind, Mapping[str, type]] = {
    Kind.DOMAIN: {},
    Kind.ONTOLOGY: {},
    Kind.NODE_TYPE: {},
    Kind.CONNECTION_TYPE: {},
    Kind.NODE: {"_type": str},
    Kind.CONNECTION: {"_type": str, "_from": str, "_to": str},
    Kind.OBSERVATION: {"_from": str},
}
_OF_STATE: Mapping[Kind, Mapping[str, type]] = {
    Kind.DOMAIN: {"_created": datetime},
    Kind.ONTOLOGY: {"_open": bool},
    Kind.NODE_TYPE: {"_name": str, "_definition": str},
    Kind.CONNECTION_TYPE: {"_name": str, "_definition": str, "_from_types": list, "_to_types": list},
    Kind.NODE: {**_TIMES, **_CONTENT, "_title": str},
    Kind.CONNECTION: _TIMES,
    Kind.OBSERVATION: {"_text": str, "_time": datetime},
}
_OPTIONAL: Mapping[str, type] = {
    "_type": str,
    "_from": str,
    "_to": str,
    "_session": str,
    "_actor": str,
    "_path": str,
    "_prev": int,
    "_snapshot_of": int,
    "_erased": bool,
    "_was": str,
    "_tags": list,
    "_valid_from": datetime,
    "_valid_to": datetime,
    **OF_DOMAIN,
}
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOVING = (Kind.NODE, Kind.CONNECTION, Kind.OBSERVATION)
_READ = {Kind.NODE_TYPE: node_type_from, Kind.CONNECTION_TYPE: connection_type_from}


class LogCheck:
    """Looks at the events of one file. Remembers the names of the types, and else only where the log stands."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self.seq = header.state.forked_at or 0
        """Where the log stands."""
        self.living = 0
        """About how many nodes, connections and observations live then."""
        self._events = 0
        self._ontology = 0
        self._types: set[str] = set()
        self._domain: DomainState | None = None

    def event(self, row: State, line: int) -> None:
        """Look at the next event. Raises INVALID_ARCHIVE for one that no log has, or not at this place."""
        try:
            kind = self._shape(row)
            self._place(cast("int", row["_seq"]))
            self._types_of(kind, row)
        except _Wrong as wrong:
            raise damaged(line, f"holds an event that {wrong}") from wrong
        except GraphError as error:
            raise damaged(line, f"holds an event that breaks a rule: {error.message}") from error
        self._events += 1
        if kind in _MOVING:
            self.living += {Op.DELETE: -1, Op.UPDATE: 0}.get(Op(str(row["_op"])), 1)
        if kind in ONTOLOGY_KINDS:
            self._ontology = self.seq
        if kind is Kind.DOMAIN:
            self._domain = DomainState.from_state(row)

    def end(self, end: End, contents: int, line: int) -> None:
        """Look at what the last line says. Raises INVALID_ARCHIVE when the lines before it say otherwise."""
        header = self._header
        domain = replace(self._domain, compacted_to=header.state.compacted_to) if self._domain else header.state
        found = (self._events, contents, self._events, self.seq, self._ontology, domain)
        told = (end.events, end.contents, header.events, header.seq, header.ontology_version, header.state)
        if found != told:
            raise damaged(line, "or the first tells of another log than the lines between them")
        if self._ontology == 0:
            raise damaged(line, "ends a log without an ontology")

    def _shape(self, row: State) -> Kind:
        _check(row, _ALL, _must)
        try:
            op, kind = Op(str(row["_op"])), Kind(str(row["_kind"]))
        except ValueError as error:
            raise _Wrong(f"does something unknown to its subject: {error}") from error
        if op is Op.DELETE and kind in (Kind.DOMAIN, Kind.ONTOLOGY):
            raise _Wrong(f"deletes a {kind}, which no log does")
        if row.get("_erased") is not True:
            _check(row, _OF_KIND[kind], _must)
        _check(row, _OPTIONAL, _may)
        if op is not Op.DELETE:
            _check(row, _OF_STATE[kind], _must)
        if "_content_sha256" in row:
            _check(row, _CONTENT, _must)
            if not _SHA256.fullmatch(str(row["_content_sha256"])):
                raise _Wrong("refers to content by what is no SHA-256")
        for key, value in row.items():
            if not key.startswith("_"):
                check_value(check_key(key), value)
        return kind

    def _place(self, seq: int) -> None:
        """Take the next number. Only what was compacted has gaps."""
        is_next = seq == self.seq + 1 or self.seq < seq <= self._header.whole_after
        is_after_gap = self.seq <= self._header.whole_after == seq - 1
        if not is_next and not is_after_gap:
            raise _Wrong(f"has number {seq} after {self.seq}")
        self.seq = seq

    def _types_of(self, kind: Kind, row: State) -> None:
        if kind in _READ and row["_op"] == Op.DELETE:
            self._types.discard(str(row["_subject"]))
        elif kind in _READ:
            declared = _READ[kind](_parsed(str(row["_definition"])))
            if row["_subject"] != type_subject(kind, declared.name) or row["_name"] != declared.name:
                raise _Wrong("names a type otherwise than its definition")
            self._types.add(str(row["_subject"]))
        of = {Kind.NODE: Kind.NODE_TYPE, Kind.CONNECTION: Kind.CONNECTION_TYPE}.get(kind)
        if of is not None and "_type" in row and type_subject(of, str(row["_type"])) not in self._types:
            raise _Wrong(f"is of the type {row['_type']}, which no event before it declares")


class _Wrong(Exception):  # noqa: N818 - says what is wrong with an event, and is told with its line
    """What is wrong with an event."""


def _parsed(definition: str) -> Mapping[str, object]:
    try:
        return json.loads(definition)
    except (ValueError, RecursionError) as error:
        raise _Wrong("has a _definition that is no JSON") from error


def _check(row: State, names: Mapping[str, type], judge: Callable[[State, str, type], None]) -> None:
    for name, wanted in names.items():
        judge(row, name, wanted)


def _must(row: State, name: str, wanted: type) -> None:
    value = row.get(name)
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        raise _Wrong(f"has no {name}, or not of its type")


def _may(row: State, name: str, wanted: type) -> None:
    if name in row:
        _must(row, name, wanted)
