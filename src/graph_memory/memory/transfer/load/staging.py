"""The staging area of a load: a private SQLite database with the records of a source.

The key of a node in the source becomes its id. Records that cannot be loaded are listed with their positions.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from graph_memory.memory.transfer.archive.ledger import translate_sqlite_errors
from graph_memory.memory.transfer.formats.records import (
    ConnectionRecord,
    InvalidRecord,
    Item,
    Key,
    NodeRecord,
    Note,
    Record,
    SourceOptions,
    SourcePosition,
)
from graph_memory.memory.transfer.load.staged_record import (
    Findings,
    LoadOutcome,
    Span,
    Staged,
    StagedConnection,
    StagedNode,
)
from graph_memory.memory.transfer.results import LoadCounts
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import check_new_id
from graph_memory.model.values.properties import PropertyValue

PAGE = 5_000
"""Maximum number of nodes or connections in a page."""
PAGE_CHARACTERS = 8_000_000
"""Approximate maximum number of characters in a page."""
_TABLES = """
CREATE TABLE node (
  n INTEGER PRIMARY KEY, id TEXT UNIQUE, type TEXT, body TEXT, file TEXT, line INTEGER, element TEXT,
  fate INTEGER DEFAULT 0);
CREATE TABLE connection (
  n INTEGER PRIMARY KEY, id TEXT, type TEXT, source TEXT, target TEXT, body TEXT, file TEXT, line INTEGER,
  element TEXT, own TEXT, fate INTEGER DEFAULT 0);
CREATE TABLE left_out (id TEXT PRIMARY KEY);
CREATE TABLE outside (id TEXT PRIMARY KEY, type TEXT);
CREATE TABLE claim (name TEXT PRIMARY KEY, owner TEXT) WITHOUT ROWID;
CREATE TABLE pair (type TEXT, source TEXT, target TEXT, count INTEGER, PRIMARY KEY (type, source, target));
"""
S = TypeVar("S", StagedNode, StagedConnection)


class Staging:
    """Stores the nodes and connections of a source. Raises FILE_CREATION_FAILED if the disk is full."""

    def __init__(self, options: SourceOptions) -> None:
        self.options = options
        self._labels: Counter[str] = Counter()
        self._has_choices = False
        self._digest = hashlib.sha256(repr(options).encode())
        self._db = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._db.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_TABLES} BEGIN;")
        self.findings = Findings()

    def close(self) -> None:
        """Delete the database."""
        self._db.close()

    @property
    def sha256(self) -> str:
        """The hash of all records and of the options."""
        return self._digest.hexdigest()

    def stage_in_steps(self, items: Iterable[Item]) -> Iterator[None]:
        """Stage the records step by step, and set the type of every node and the id of every connection."""
        iterator = iter(items)
        while page := list(islice(iterator, PAGE)):
            with translate_sqlite_errors():
                for item in page:
                    self._stage(item)
            yield
        with translate_sqlite_errors():
            self._choose_types()
            self._name_connections()

    def _stage(self, item: Item) -> None:
        match item:
            case InvalidRecord():
                self._reject(item)
            case Note():
                self.findings.note(item)
            case NodeRecord():
                self._digest.update(repr(item).encode(errors="surrogatepass"))
                self._stage_node(item)
            case ConnectionRecord():
                self._digest.update(repr(item).encode(errors="surrogatepass"))
                self._stage_connection(item)

    def _stage_node(self, node: NodeRecord) -> None:
        node_id, kind = subject_id(node.key), node.labels[0]
        properties, content = self._content(node)
        if (name := self.options.id_property) is not None:
            properties.setdefault(name, node.key.id)
        self._labels.update(node.labels)
        self._has_choices |= len(node.labels) > 1
        other_fields = [node.format, node.encoding, list(node.tags), dict(node.fields), list(node.labels)]
        body = _body(properties, content, node, other_fields)
        row = (node_id, kind, body, *_place_columns(node.place))
        insert = "INSERT OR IGNORE INTO node (id, type, body, file, line, element) VALUES (?, ?, ?, ?, ?, ?)"
        if not self._db.execute(insert, row).rowcount:
            first = self._db.execute("SELECT file, line, element FROM node WHERE id = ?", (node_id,)).fetchone()
            message = f"There is another node {node.key}, in {_place(*first)}"
            self._reject(InvalidRecord(node.place, Code.NODE_ALREADY_EXISTS, message, key=node.key))

    def _reject(self, record: InvalidRecord) -> None:
        """Reject a record. The id of a rejected node is reserved, so that its connections get no other node."""
        self.findings.reject(record)
        if record.key is not None:
            self._db.execute("INSERT OR IGNORE INTO left_out VALUES (?)", (subject_id(record.key),))

    def _content(self, record: Record) -> tuple[dict[str, PropertyValue], str | None]:
        """Return a record's properties and content. The options can name a property whose value is the content."""
        properties = dict(record.properties)
        name = self.options.content_property
        if name is not None and record.content is None and isinstance(properties.get(name), str):
            return properties, str(properties.pop(name))
        return properties, record.content

    def _stage_connection(self, connection: ConnectionRecord) -> None:
        properties, content = self._content(connection)
        ends = (subject_id(connection.start), subject_id(connection.end))
        kind, given_id = connection.type, connection.id
        connection_id = derive_id("conn", kind, *ends, self._next_ordinal(kind, *ends)) if given_id is None else None
        other_fields = [connection.strength, connection.importance, connection.made]
        body = _body(properties, content, connection, other_fields)
        row = (connection_id, kind, *ends, body, *_place_columns(connection.place), given_id)
        self._db.execute(f"INSERT INTO connection ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608

    def _choose_types(self) -> None:
        """Choose one label of each node as its type: a preferred label, or else the rarest. The rest become tags."""
        if not self._has_choices:
            return
        for n, text in self._db.execute("SELECT n, body FROM node ORDER BY n").fetchall():
            body = json.loads(text)
            if len(body[-1]) > 1:
                type_name = self._type_of(body[-1])
                body[6] = list(dict.fromkeys([*body[6], *(label for label in body[-1] if label != type_name)]))
                row = (type_name, json.dumps(body, ensure_ascii=False), n)
                self._db.execute("UPDATE node SET type = ?, body = ? WHERE n = ?", row)

    def _type_of(self, labels: Sequence[str]) -> str:
        preferred_labels = [label for label in (*self.options.labels, *self.options.only_labels) if label in labels]
        return preferred_labels[0] if preferred_labels else min(labels, key=lambda label: (self._labels[label], label))

    def _name_connections(self) -> None:
        """Set the ids of connections. Derives a new id if an id in the source is invalid or not unique."""
        self._db.execute("CREATE INDEX connection_own ON connection (own) WHERE own IS NOT NULL")
        for n, kind, source, target, given_id, is_free in self._db.execute(_GIVEN_IDS).fetchall():
            connection_id = (
                given_id if is_free and is_id(given_id) else derive_id("conn", kind, source, target, "own", given_id)
            )
            self._db.execute("UPDATE connection SET id = ? WHERE n = ?", (connection_id, n))

    def _next_ordinal(self, *pair: str) -> str:
        upsert = "INSERT INTO pair VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count"
        return str(self._db.execute(upsert, pair).fetchone()[0])

    def counts(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return the numbers of accepted nodes and of accepted connections, keyed by type."""
        query = "SELECT type, count(*) FROM {} WHERE fate < 4 GROUP BY type ORDER BY type"
        return dict(self._db.execute(query.format("node"))), dict(self._db.execute(query.format("connection")))

    def outcomes(self) -> dict[Kind, LoadCounts]:
        """Count the nodes and the connections, each by outcome."""
        counts = {kind: dict(self.run(_FATES.format(table))) for kind, table in _TABLE_OF.items()}
        return {
            kind: LoadCounts(**{_COUNT_NAMES[fate]: n for fate, n in by_fate.items()})
            for kind, by_fate in counts.items()
        }

    def nodes(self) -> Iterator[StagedNode]:
        """Yield the accepted nodes in their original order."""
        return _all_pages(self._nodes)

    def connections(self) -> Iterator[StagedConnection]:
        """Yield the accepted connections in their original order."""
        return _all_pages(self._connections)

    def page(self, kind: Kind, span: Span) -> Sequence[Staged]:
        """Return the accepted nodes or connections in a span."""
        read = self._nodes if kind is Kind.NODE else self._connections
        return [staged for staged in read(span.first - 1, span.last - span.first + 1) if staged.n <= span.last]

    def spans(self, kind: Kind) -> list[Span]:
        """Return the spans of the pages of nodes or connections. The same source always results in the same spans."""
        spans: list[Span] = []
        first, size = 1, 0
        for n, length in self.run(_SIZES.format(_TABLE_OF[kind])):
            size += length
            if n - first + 1 == PAGE or size >= PAGE_CHARACTERS:
                spans.append(Span(first, n))
                first, size = n + 1, 0
        last = self.run(_LAST_NUMBER.format(_TABLE_OF[kind]))[0][0]
        return [*spans, Span(first, last)] if first <= last else spans

    def decide(self, fates: Iterable[tuple[Staged, LoadOutcome]]) -> None:
        """Store the outcomes of nodes or connections."""
        for staged, fate in fates:
            table = "node" if isinstance(staged, StagedNode) else "connection"
            self.run(f"UPDATE {table} SET fate = ? WHERE n = ?", fate, staged.n)  # noqa: S608 - our own names

    def _nodes(self, after: int, limit: int) -> list[StagedNode]:
        return [
            StagedNode(n, LoadOutcome(fate), node_id, kind, _place(*place), *json.loads(text))
            for n, fate, node_id, kind, text, *place in self.run(_NODES, after, limit)
        ]

    def _connections(self, after: int, limit: int) -> list[StagedConnection]:
        return [
            StagedConnection(
                n,
                LoadOutcome(fate),
                connection_id,
                kind,
                source,
                target,
                _place(*place),
                (begins, ends),
                *json.loads(text),
            )
            for n, fate, connection_id, kind, source, target, text, begins, ends, *place in self.run(
                _CONNECTIONS, after, limit
            )
        ]

    def reject(self, staged: Staged, error: GraphError) -> None:
        """Reject a node or connection with an error."""
        self.decide([(staged, LoadOutcome.REJECTED)])
        self.findings.reject(InvalidRecord.of(staged.place, error))

    def claim(self, owner: str, *name: str) -> str | None:
        """Claim a unique name for a subject. Return the subject that already claimed it, or None on success."""
        text = json.dumps(name)
        with translate_sqlite_errors():
            if self._db.execute("INSERT OR IGNORE INTO claim VALUES (?, ?)", (text, owner)).rowcount:
                return None
            return self.owner_of_claim(*name)

    def owner_of_claim(self, *name: str) -> str | None:
        """Return the subject that claimed a unique name, or None if no subject has claimed it."""
        claim_rows = self.run("SELECT owner FROM claim WHERE name = ?", json.dumps(name))
        return str(claim_rows[0][0]) if claim_rows else None

    def missing_ends(self) -> list[str]:
        """Return the ids of connection endpoints that are not nodes of the source."""
        return [subject_id for (subject_id,) in self.run(_MISSING_ENDS)]

    def is_shared(self, subject_id: str) -> bool:
        """Return whether both an accepted and a rejected node have this id."""
        return bool(self.run("SELECT 1 FROM node JOIN left_out USING (id) WHERE id = ?", subject_id))

    def add_outside_nodes(self, types: Mapping[str, str]) -> None:
        """Record the types of endpoints, keyed by id, that are nodes of the domain but not of the source."""
        self._db.executemany("INSERT OR IGNORE INTO outside VALUES (?, ?)", types.items())

    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run an SQL statement, and return its rows."""
        with translate_sqlite_errors():
            return self._db.execute(statement, values).fetchall()


def _all_pages(page_of: Callable[[int, int], Sequence[S]]) -> Iterator[S]:
    after = 0
    while page := page_of(after, PAGE):
        yield from page
        after = page[-1].n


_FATES = "SELECT fate, count(*) FROM {} WHERE fate < 4 GROUP BY fate"
_COUNT_NAMES = {
    LoadOutcome.CREATED: "created",
    LoadOutcome.SKIPPED: "skipped",
    LoadOutcome.UPDATED: "updated",
    LoadOutcome.WRITTEN: "loaded_before",
}
_TABLE_OF = {Kind.NODE: "node", Kind.CONNECTION: "connection"}
_SIZES = "SELECT n, length(body) FROM {} ORDER BY n"
_LAST_NUMBER = "SELECT coalesce(max(n), 0) FROM {}"
_NODES = "SELECT n, fate, id, type, body, file, line, element FROM node WHERE n > ? AND fate < 4 ORDER BY n LIMIT ?"
_CONNECTIONS = """
SELECT c.n, c.fate, c.id, c.type, c.source, c.target, c.body,
  coalesce(f.type, fo.type), coalesce(t.type, too.type), c.file, c.line, c.element
FROM connection c
LEFT JOIN node f ON f.id = c.source AND f.fate < 4 AND f.id NOT IN left_out LEFT JOIN outside fo ON fo.id = c.source
LEFT JOIN node t ON t.id = c.target AND t.fate < 4 AND t.id NOT IN left_out LEFT JOIN outside too ON too.id = c.target
WHERE c.n > ? AND c.fate < 4 ORDER BY c.n LIMIT ?
"""
_FIELDS = "id, type, source, target, body, file, line, element, own"
_GIVEN_IDS = """
SELECT n, type, source, target, own,
  NOT EXISTS (SELECT 1 FROM node WHERE node.id = c.own)
  AND (SELECT count(*) FROM connection o WHERE o.own = c.own) = 1
FROM connection c WHERE own IS NOT NULL ORDER BY n
"""
_MISSING_ENDS = """
SELECT source FROM connection
WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.id = source) AND source NOT IN left_out
UNION SELECT target FROM connection
WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.id = target) AND target NOT IN left_out
"""


def _place_columns(place: SourcePosition) -> tuple[str, int, str | None]:
    """Return a position as values for database columns. `_place` is the inverse function."""
    return place.file, place.line, place.element


def _place(file: str, line: int, element: str | None) -> SourcePosition:
    return SourcePosition(file, line, element=element)


def _body(properties: Mapping[str, PropertyValue], content: str | None, record: Record, more: Sequence[object]) -> str:
    return json.dumps([properties, content, record.valid_from, record.valid_to, *more], ensure_ascii=True)


def subject_id(key: Key) -> str:
    """Return the id of a node: its key in the source if that is a valid id, otherwise an id derived from the key."""
    return str(key) if is_id(str(key)) else derive_id("node", key.space, key.id)


def derive_id(prefix: str, *parts: str) -> str:
    """Return an id that is derived from the parts of a key."""
    data = json.dumps(parts).encode()
    return f"{prefix}-{hashlib.sha256(data).hexdigest()[:32]}"


def is_id(text: str) -> bool:
    """Return whether a text is a valid id."""
    try:
        check_new_id("id", text)
    except GraphError:
        return False
    return True
