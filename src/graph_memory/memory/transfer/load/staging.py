"""The staging area of a load: a private SQLite database with the records of a source.

The key of a node in the source becomes its id. Records that cannot be loaded are noted with their places.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar, cast

from graph_memory.memory.transfer.archive.ledger import noting
from graph_memory.memory.transfer.formats.records import (
    ConnectionRecord,
    Item,
    Key,
    NodeRecord,
    Note,
    Place,
    Record,
    Refused,
    SourceOptions,
)
from graph_memory.memory.transfer.load.staged_record import Fate, Findings, Span, Staged, StagedConnection, StagedNode
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
    """The nodes and connections of a source. Raises FILE_CREATION_FAILED if the disk is full."""

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

    def filling(self, items: Iterable[Item]) -> Iterator[None]:
        """Stage the records step by step, and set the type of every node and the id of every connection."""
        remaining = iter(items)
        while page := list(islice(remaining, PAGE)):
            with noting():
                for item in page:
                    self._take(item)
            yield
        with noting():
            self._choose_types()
            self._name_connections()

    def _take(self, item: Item) -> None:
        match item:
            case Refused():
                self._leave_out(item)
            case Note():
                self.findings.note(item)
            case NodeRecord():
                self._digest.update(repr(item).encode(errors="surrogatepass"))
                self._take_node(item)
            case ConnectionRecord():
                self._digest.update(repr(item).encode(errors="surrogatepass"))
                self._take_connection(item)

    def _take_node(self, node: NodeRecord) -> None:
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
            self._leave_out(Refused(node.place, Code.NODE_ALREADY_EXISTS, message, key=node.key))

    def _leave_out(self, refused: Refused) -> None:
        """Refuse a record. A refused node keeps its id, so that its connections do not join another node."""
        self.findings.refuse(refused)
        if refused.key is not None:
            self._db.execute("INSERT OR IGNORE INTO left_out VALUES (?)", (subject_id(refused.key),))

    def _content(self, record: Record) -> tuple[dict[str, PropertyValue], str | None]:
        """Return a record's properties and content. The options can name a property as content."""
        properties = dict(record.properties)
        name = self.options.content_property
        if name is not None and record.content is None and isinstance(properties.get(name), str):
            return properties, str(properties.pop(name))
        return properties, record.content

    def _take_connection(self, connection: ConnectionRecord) -> None:
        properties, content = self._content(connection)
        ends = (subject_id(connection.start), subject_id(connection.end))
        kind, given_id = connection.type, connection.id
        connection_id = made_id("conn", kind, *ends, self._ordinal(kind, *ends)) if given_id is None else None
        other_fields = [connection.strength, connection.importance, connection.made]
        body = _body(properties, content, connection, other_fields)
        row = (connection_id, kind, *ends, body, *_place_columns(connection.place), given_id)
        self._db.execute(f"INSERT INTO connection ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608

    def _choose_types(self) -> None:
        """Choose the type of nodes with several labels: a preferred label, or else the rarest label.

        The other labels become tags.
        """
        if not self._has_choices:
            return
        for n, text in self._db.execute("SELECT n, body FROM node ORDER BY n").fetchall():
            body = json.loads(text)
            if len(body[-1]) > 1:
                type_name = self._type_of(body[-1])
                body[6] = list(dict.fromkeys([*body[6], *(label for label in body[-1] if label != type_name)]))
                changed = (type_name, json.dumps(body, ensure_ascii=False), n)
                self._db.execute("UPDATE node SET type = ?, body = ? WHERE n = ?", changed)

    def _type_of(self, labels: Sequence[str]) -> str:
        chosen = [label for label in (*self.options.labels, *self.options.only_labels) if label in labels]
        return chosen[0] if chosen else min(labels, key=lambda label: (self._labels[label], label))

    def _name_connections(self) -> None:
        """Set the ids of connections. Unless all ids of the source are unique and valid, ids are derived."""
        self._db.execute("CREATE INDEX connection_own ON connection (own) WHERE own IS NOT NULL")
        for n, kind, source, target, given_id, is_free in self._db.execute(_GIVEN_IDS).fetchall():
            connection_id = (
                given_id if is_free and is_id(given_id) else made_id("conn", kind, source, target, "own", given_id)
            )
            self._db.execute("UPDATE connection SET id = ? WHERE n = ?", (connection_id, n))

    def _ordinal(self, *pair: str) -> str:
        upsert = "INSERT INTO pair VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count"
        return str(cast("tuple[int]", self._fetch_one(upsert, *pair))[0])

    def counts(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return the numbers of nodes and connections by type, without refused ones."""
        query = "SELECT type, count(*) FROM {} WHERE fate < 4 GROUP BY type ORDER BY type"
        return dict(self._db.execute(query.format("node"))), dict(self._db.execute(query.format("connection")))

    def fates(self) -> dict[Kind, LoadCounts]:
        """Return the counts of outcomes, by kind."""
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
        """Return the accepted nodes or connections of a span."""
        read = self._nodes if kind is Kind.NODE else self._connections
        return [
            connection for connection in read(span.first - 1, span.last - span.first + 1) if connection.n <= span.last
        ]

    def spans(self, kind: Kind) -> list[Span]:
        """Return the pages of nodes or connections, which are the same for the same source."""
        spans: list[Span] = []
        first, size = 1, 0
        for n, length in self.run(_SIZES.format(_TABLE_OF[kind])):
            size += length
            if n - first + 1 == PAGE or size >= PAGE_CHARACTERS:
                spans.append(Span(first, n))
                first, size = n + 1, 0
        last = self.run(_LAST.format(_TABLE_OF[kind]))[0][0]
        return [*spans, Span(first, last)] if first <= last else spans

    def decide(self, fates: Iterable[tuple[Staged, Fate]]) -> None:
        """Record the outcomes for nodes or connections."""
        for staged, fate in fates:
            self.run(f"UPDATE {_table(staged)} SET fate = ? WHERE n = ?", fate, staged.n)  # noqa: S608 - names of ours

    def _nodes(self, after: int, limit: int) -> list[StagedNode]:
        return [
            StagedNode(n, Fate(fate), node_id, kind, _place(*place), *_read(text))
            for n, fate, node_id, kind, text, *place in self.run(_NODES, after, limit)
        ]

    def _connections(self, after: int, limit: int) -> list[StagedConnection]:
        return [
            StagedConnection(
                n, Fate(fate), connection_id, kind, source, target, _place(*place), (begins, ends), *_read(text)
            )
            for n, fate, connection_id, kind, source, target, text, begins, ends, *place in self.run(
                _CONNECTIONS, after, limit
            )
        ]

    def refuse(self, staged: Staged, error: GraphError) -> None:
        """Refuse a node or connection with an error."""
        self.decide([(staged, Fate.REFUSED)])
        self.findings.refuse(Refused.of(staged.place, error))

    def claim(self, owner: str, *name: str) -> str | None:
        """Claim a unique name for an owner. Return None, or the owner that has claimed it before."""
        text = json.dumps(name)
        with noting():
            if self._db.execute("INSERT OR IGNORE INTO claim VALUES (?, ?)", (text, owner)).rowcount:
                return None
            return self.owner_of_claim(*name)

    def owner_of_claim(self, *name: str) -> str | None:
        """Return the owner of a unique name, or None if it is not claimed."""
        results = self.run("SELECT owner FROM claim WHERE name = ?", json.dumps(name))
        return str(results[0][0]) if results else None

    def missing_ends(self) -> list[str]:
        """Return the ids of ends that are not in the source."""
        return [subject_id for (subject_id,) in self.run(_MISSING)]

    def is_shared(self, subject_id: str) -> bool:
        """Return whether a refused node has the same id."""
        return bool(self.run("SELECT 1 FROM node JOIN left_out USING (id) WHERE id = ?", subject_id))

    def add_outside_nodes(self, types: Mapping[str, str]) -> None:
        """Record the types of ends that are in the domain but not in the source."""
        self._db.executemany("INSERT OR IGNORE INTO outside VALUES (?, ?)", types.items())

    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run an SQL statement, and return its rows."""
        with noting():
            return self._db.execute(statement, values).fetchall()

    def _fetch_one(self, query: str, *values: object) -> tuple[Any, ...] | None:
        return self._db.execute(query, values).fetchone()


def _table(staged: Staged) -> str:
    return "node" if isinstance(staged, StagedNode) else "connection"


def _all_pages(page_of: Callable[[int, int], Sequence[S]]) -> Iterator[S]:
    after = 0
    while page := page_of(after, PAGE):
        yield from page
        after = page[-1].n


_FATES = "SELECT fate, count(*) FROM {} WHERE fate < 4 GROUP BY fate"
_COUNT_NAMES = {
    Fate.CREATED: "created",
    Fate.SKIPPED: "skipped",
    Fate.UPDATED: "updated",
    Fate.WRITTEN: "loaded_before",
}
_TABLE_OF = {Kind.NODE: "node", Kind.CONNECTION: "connection"}
_SIZES = "SELECT n, length(body) FROM {} ORDER BY n"
_LAST = "SELECT coalesce(max(n), 0) FROM {}"
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
_MISSING = """
SELECT source FROM connection
WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.id = source) AND source NOT IN left_out
UNION SELECT target FROM connection
WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.id = target) AND target NOT IN left_out
"""


def _place_columns(place: Place) -> tuple[str, int, str | None]:
    """Return a place as values for database columns. `_place` is the inverse."""
    return place.file, place.line, place.element


def _place(file: str, line: int, element: str | None) -> Place:
    return Place(file, line, element=element)


def _body(properties: Mapping[str, PropertyValue], content: str | None, record: Record, more: Sequence[object]) -> str:
    return json.dumps([properties, content, record.valid_from, record.valid_to, *more], ensure_ascii=True)


def _read(body: str) -> list[Any]:
    return json.loads(body)


def subject_id(key: Key) -> str:
    """Return the id of a node: its key in the source if that is a valid id, otherwise an id derived from the key."""
    return str(key) if is_id(str(key)) else made_id("node", key.space, key.id)


def made_id(prefix: str, *parts: str) -> str:
    """Return an id derived from the parts of a key."""
    data = json.dumps(parts).encode()
    return f"{prefix}-{hashlib.sha256(data).hexdigest()[:32]}"


def is_id(text: str) -> bool:
    """Return whether a text is a valid id."""
    try:
        check_new_id("id", text)
    except GraphError:
        return False
    return True
