"""Tracks the subjects that exist at each point of a log in a file, to reject impossible events.

A private SQLite database stores the subjects, in memory while it is small, then on disk. Endpoints, topology, and the
subjects attached to a deleted node are checked after each batch, since a batch is one write. Unique values and cycles
are checked at the end of the log.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from graph_memory.memory.transfer.archive.format import is_text_line, locate_event_errors
from graph_memory.memory.transfer.archive.validate_log import LogCheck
from graph_memory.memory.transfer.values import InvalidEvent
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Op
from graph_memory.model.ontology.indexes import unique_properties
from graph_memory.model.ontology.types import ConnectionType
from graph_memory.model.rules import UNIQUE, Claim, claims, connection_rules, describe_claim, find_cycle
from graph_memory.model.subjects.kinds import ATTACHED, TYPE_OF, Kind, type_subject
from graph_memory.model.subjects.subjects import ENTITY, State, content_ref, user_properties
from graph_memory.model.text.wording import quote

_TABLES = """
CREATE TABLE subject (
  id TEXT PRIMARY KEY, kind TEXT, type TEXT, source TEXT, target TEXT, seq INTEGER, lives INTEGER, erased INTEGER);
CREATE INDEX subject_seq ON subject (seq);
CREATE INDEX subject_source ON subject (source);
CREATE INDEX subject_target ON subject (target);
CREATE TABLE event (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE content (sha256 TEXT, is_line INTEGER, size INTEGER, is_text INTEGER, PRIMARY KEY (sha256, is_line));
CREATE TABLE claim (owner TEXT, type TEXT, name TEXT);
CREATE INDEX claim_owner ON claim (owner);
"""
_PUT = "INSERT OR REPLACE INTO subject VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_FIND_SUBJECT = "SELECT kind, type, source, target, seq, lives, erased FROM subject WHERE id = ?"
_ATTACHED_SUBJECTS = """
SELECT c.id, c.kind, c.type, c.source, c.target, f.type, t.type FROM subject c
LEFT JOIN subject f ON f.id = c.source AND f.kind = 'node' AND f.lives
LEFT JOIN subject t ON t.id = c.target AND t.kind = 'node' AND t.lives
WHERE {which} AND c.lives AND NOT c.erased AND c.kind IN ('connection', 'observation', 'link')
"""
_ATTACHED_SINCE = _ATTACHED_SUBJECTS.format(which="c.seq > ?1")
_ATTACHED_TO = _ATTACHED_SUBJECTS.format(which="(c.source = ?1 OR c.target = ?1)")
_DANGLING = """
SELECT n.id, c.id FROM subject n JOIN subject c ON c.{end} = n.id
WHERE n.seq > ? AND NOT n.lives AND n.kind = 'node' AND c.lives LIMIT 1
"""
_CONNECTIONS = "SELECT id, source, target FROM subject WHERE lives AND kind = 'connection' AND type = ?"
_EDGES = "SELECT source, target FROM subject WHERE lives AND kind = 'connection' AND type = ?"
_REPEATED_CLAIMS = "SELECT type, name, max(owner) FROM claim GROUP BY type, name HAVING count(*) > 1"
_KIND_OF_TYPE = {type_kind: kind for kind, type_kind in TYPE_OF.items()}


@dataclass(frozen=True, slots=True)
class _KnownSubject:
    """The state of a subject after the events read so far. An erased subject has no type and no endpoints."""

    kind: str
    type: str | None
    source: str | None
    target: str | None
    seq: int
    is_live: bool
    is_erased: bool


class Ledger:
    """Checks the events of a log in order. Raises INVALID_ARCHIVE if an event is impossible at its position."""

    def __init__(self, log: LogCheck) -> None:
        self._log = log
        self._old_until = log.header.complete_after
        """The event number up to which the log contains only the last event of each subject."""
        self._open_until = max(self._old_until, log.header.state.begins_at or 0)
        """The event number up to which subjects may be in any order."""
        self._seq = 0
        self._batch: object = None
        self._checked_until = 0
        self._has_attachments = False
        self._has_deleted_nodes = False
        self._retyped = set[str]()
        self._db = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._db.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_TABLES} BEGIN;")
        self.longest_text = 0
        """Size of the longest text that an event refers to, in bytes."""

    def close(self) -> None:
        """Close the database, which deletes it."""
        self._db.close()

    def content(self, sha256: str, *, is_line: bool, size: int, is_text: bool) -> None:
        """Record that a line contains this content, so that later events may refer to it."""
        with translate_sqlite_errors():
            self._db.execute("INSERT OR IGNORE INTO content VALUES (?, ?, ?, ?)", (sha256, is_line, size, is_text))

    def event(self, row: State, line: int) -> None:
        """Check the next event against the events before it."""
        with translate_sqlite_errors(), locate_event_errors(line, row):
            if row["_batch"] != self._batch:
                self._check_batch()
                self._begin_batch(row)
            self._check_content(row)
            self._record_event(row)
            self._seq = cast("int", row["_seq"])

    def _begin_batch(self, row: State) -> None:
        """Raise InvalidEvent unless the event is the first of its batch, or was copied or compacted."""
        if row["_batch"] != row["_id"] and cast("int", row["_seq"]) > self._open_until:
            raise InvalidEvent(f"has the batch {quote(row['_batch'])}, which is not the batch of the event before it")
        self._batch = row["_batch"]

    def end(self, line: int) -> None:
        """Run the checks that need the whole log: erasures, unique values, and rules of connection types.

        Raises INVALID_ARCHIVE if a check fails.
        """
        with translate_sqlite_errors(), locate_event_errors(line, None):
            self._check_batch()
            if erased_row := self._fetch_one("SELECT id FROM subject WHERE erased AND lives LIMIT 1"):
                raise InvalidEvent("was erased, but still exists", erased_row[0])
            for subject, type_definition in self._log.types.items():
                if isinstance(type_definition, ConnectionType) and connection_rules(type_definition):
                    self._check_connections(subject, type_definition)
            for type_id, name, owner in self._db.execute(_REPEATED_CLAIMS):
                claim = tuple(json.loads(name))
                if claim[0] != UNIQUE or type_id not in self._log.late_types:
                    title = self._log.types[type_id].title
                    raise InvalidEvent(
                        f"shares its {describe_claim(claim)} with another of {title}, which must be unique",
                        owner,
                    )

    def _record_event(self, row: State) -> None:
        subject = str(row["_subject"])
        subject_row = self._fetch_one(_FIND_SUBJECT, subject)
        before = _KnownSubject(*subject_row) if subject_row else None
        op = Op(str(row.get("_was", row["_op"])))
        self._check_order(row, op, before)
        self._check_previous(row, op, before)
        _check_identity(row, before)
        if not self._db.execute("INSERT OR IGNORE INTO event VALUES (?)", (row["_id"],)).rowcount:
            raise InvalidEvent(f"repeats the event id {quote(row['_id'])}")
        kind, is_live = Kind(str(row["_kind"])), op is not Op.DELETE
        ends = (row.get("_type"), row.get("_from"), row.get("_to"))
        self._db.execute(_PUT, (subject, kind, *ends, row["_seq"], is_live, "_erased" in row))
        self._has_attachments |= is_live and kind in ATTACHED
        self._has_deleted_nodes |= not is_live and kind is Kind.NODE
        is_retyped = before is not None and before.is_live and is_live and before.type != row.get("_type")
        self._retyped |= {subject} if is_retyped else set()
        if kind in TYPE_OF:
            self._record_unique(subject, kind, row, is_retyped=is_retyped)
        elif kind in _KIND_OF_TYPE and not is_live:
            self._check_is_unused(_KIND_OF_TYPE[kind], subject.partition("/")[2])

    def _check_order(self, row: State, op: Op, before: _KnownSubject | None) -> None:
        """Raise InvalidEvent if the operation is impossible in the subject's state."""
        seq, name = cast("int", row["_seq"]), quote(row["_subject"])
        is_live, is_first = before is not None and before.is_live, before is None and seq <= self._old_until
        is_tombstone = "_erased" in row and "_was" not in row
        if op is Op.CREATE and is_live:
            raise InvalidEvent(f"creates {name}, which already exists")
        if op is Op.SNAPSHOT and (before is not None or seq > self._open_until):
            raise InvalidEvent(f"is a snapshot of {name}, but snapshots are allowed only at the start of a log")
        if op is Op.UPDATE and not is_live and not is_first:
            raise InvalidEvent(f"updates {name}, which does not exist")
        if op is Op.DELETE and not is_live and not is_first and not (is_tombstone and before is not None):
            raise InvalidEvent(f"deletes {name}, which does not exist")

    def _check_previous(self, row: State, op: Op, before: _KnownSubject | None) -> None:
        number = cast("int | None", row.get("_prev"))
        if before is None:
            is_expected = number is None or number <= self._old_until
        else:
            may_lack_previous = op is Op.CREATE or cast("int", row["_seq"]) <= self._old_until  # the type was removed
            is_expected = number == before.seq or (number is None and may_lack_previous)
        if not is_expected:
            raise InvalidEvent(
                f"names event {number:,} as the last event about {quote(row['_subject'])}, which is wrong"
            )

    def _check_content(self, row: State) -> None:
        """Raise InvalidEvent unless an earlier line contains the content, in its declared form and size."""
        ref = content_ref(row)
        if ref is None:
            return
        query = "SELECT size, is_text FROM content WHERE sha256 = ? AND is_line = ?"
        content_row = self._fetch_one(query, ref.sha256, is_text_line(ref))
        if content_row is None:
            raise InvalidEvent(f"refers to content {ref.sha256}, which no earlier line contains")
        if content_row[0] != ref.size or (ref.is_text and not content_row[1]):
            raise InvalidEvent(f"declares {ref.size:,} bytes of {ref.encoding} for content {ref.sha256}, which differs")
        if ref.is_text:
            self.longest_text = max(self.longest_text, ref.size)

    def _record_unique(self, subject: str, kind: Kind, row: State, *, is_retyped: bool) -> None:
        """Record a subject's unique values after an event, in place of its earlier values."""
        type_id = type_subject(TYPE_OF[kind], str(row.get("_type")))
        type_definition = self._log.types.get(type_id)
        if unique_properties(type_definition) or is_retyped:
            self._db.execute("DELETE FROM claim WHERE owner = ?", (subject,))
            self._claim(type_id, ((subject, claim) for claim in claims(type_definition, user_properties(row), None)))

    def _claim(self, type_id: str, owners_and_claims: Iterable[tuple[str, Claim]]) -> None:
        rows = ((owner, type_id, json.dumps(claim)) for owner, claim in owners_and_claims)
        self._db.executemany("INSERT INTO claim VALUES (?, ?, ?)", rows)

    def _check_is_unused(self, kind: Kind, name: str) -> None:
        if user := self._fetch_one("SELECT id FROM subject WHERE lives AND kind = ? AND type = ? LIMIT 1", kind, name):
            raise InvalidEvent(f"deletes the type {quote(name)}, which {quote(user[0])} still uses")

    def _check_batch(self) -> None:
        """Check the subjects of the batch that was just completed."""
        if self._seq < self._open_until:
            return
        queries = [(_ATTACHED_SINCE, self._checked_until)] if self._has_attachments else []
        for statement, parameter in (*queries, *((_ATTACHED_TO, node) for node in self._retyped)):
            for attachment in self._db.execute(statement, (parameter,)):
                self._check_attachment(attachment)
        for end in ("source", "target") if self._has_deleted_nodes else ():
            if dangling := self._fetch_one(_DANGLING.format(end=end), self._checked_until):
                raise InvalidEvent(f"is attached to node {quote(dangling[0])}, which does not exist", dangling[1])
        self._checked_until, self._has_attachments, self._has_deleted_nodes = self._seq, False, False
        self._retyped.clear()

    def _check_attachment(self, attachment: tuple[Any, ...]) -> None:
        subject, kind, type_name, source, target, from_type, to_type = attachment
        if from_type is None or (kind == Kind.CONNECTION and to_type is None):
            missing_node = source if from_type is None else target
            raise InvalidEvent(f"is attached to node {quote(missing_node)}, which does not exist", subject)
        if kind != Kind.CONNECTION:
            return
        connection_type = self._log.types.get(type_subject(Kind.CONNECTION_TYPE, type_name))
        if not isinstance(connection_type, ConnectionType):
            raise InvalidEvent(f"has the type {quote(type_name)}, which is not declared", subject)
        if not connection_type.allows(from_type, to_type):
            raise InvalidEvent(
                f"has the type {quote(type_name)}, which cannot connect {quote(from_type)} to {quote(to_type)}", subject
            )

    def _check_connections(self, type_id: str, connection_type: ConnectionType) -> None:
        """Record the unique endpoints of a type's connections, and check for forbidden cycles."""
        connections = self._db.execute(_CONNECTIONS, (connection_type.name,))
        self._claim(
            type_id,
            (
                (connection_id, claim)
                for connection_id, a, b in connections
                for claim in claims(connection_type, {}, (a, b))
            ),
        )
        if connection_type.acyclic and (nodes := find_cycle(self._db.execute(_EDGES, (connection_type.name,)))):
            raise InvalidEvent(
                f"is in a cycle of connections of the acyclic type {quote(connection_type.name)}", nodes[0]
            )

    def _fetch_one(self, query: str, *values: object) -> tuple[Any, ...] | None:
        return self._db.execute(query, values).fetchone()


def _check_identity(row: State, before: _KnownSubject | None) -> None:
    """Raise InvalidEvent if the id belonged to another subject before, since ids are never reused."""
    if before is None:
        return
    if ("_erased" in row) != before.is_erased:
        raise InvalidEvent(f"is about {quote(row['_subject'])}, which was erased only in part")
    type_name = before.type if ENTITY in row else row.get("_type")  # the type of an entity may change
    identity = (row["_kind"], type_name, row.get("_from"), row.get("_to"))
    if identity != (before.kind, before.type, before.source, before.target):
        raise InvalidEvent(f"changes the kind, type or ends of {quote(row['_subject'])}")


@contextmanager
def translate_sqlite_errors() -> Generator[None]:
    """Convert errors of the SQLite database to FILE_CREATION_FAILED."""
    try:
        yield
    except sqlite3.Error as error:
        hint = "Free space in the folder for temporary files, or set TMPDIR or SQLITE_TMPDIR to another folder."
        message = f"Cannot write temporary data while checking the file: {error}"
        raise GraphError(Code.FILE_CREATION_FAILED, message, {"hint": hint}) from error
