"""The subjects that exist at each point of a log in a file, to reject impossible events.

They are kept in a private SQLite database, in memory while it is small and on disk after that. Ends, topology, and the
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

from graph_memory.memory.transfer.archive.format import at_line, is_text_line
from graph_memory.memory.transfer.archive.validate_log import LogCheck
from graph_memory.memory.transfer.values import Wrong
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Op
from graph_memory.model.ontology.indexes import unique_properties
from graph_memory.model.ontology.types import ConnectionType
from graph_memory.model.rules import UNIQUE, Claim, claims, connection_rules, describe_claim, find_cycle
from graph_memory.model.subjects.kinds import ATTACHED, TYPE_OF, Kind, type_subject
from graph_memory.model.subjects.subjects import ENTITY, State, content_ref, user_properties
from graph_memory.model.text.wording import printable

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
_KNOWN = "SELECT kind, type, source, target, seq, lives, erased FROM subject WHERE id = ?"
_TIES = """
SELECT c.id, c.kind, c.type, c.source, c.target, f.type, t.type FROM subject c
LEFT JOIN subject f ON f.id = c.source AND f.kind = 'node' AND f.lives
LEFT JOIN subject t ON t.id = c.target AND t.kind = 'node' AND t.lives
WHERE {which} AND c.lives AND NOT c.erased AND c.kind IN ('connection', 'observation', 'link')
"""
_SINCE, _OF = _TIES.format(which="c.seq > ?1"), _TIES.format(which="(c.source = ?1 OR c.target = ?1)")
_LEFT = """
SELECT n.id, c.id FROM subject n JOIN subject c ON c.{end} = n.id
WHERE n.seq > ? AND NOT n.lives AND n.kind = 'node' AND c.lives LIMIT 1
"""
_LIVING = "SELECT id, source, target FROM subject WHERE lives AND kind = 'connection' AND type = ?"
_EDGES = "SELECT source, target FROM subject WHERE lives AND kind = 'connection' AND type = ?"
_SHARED = "SELECT type, name, max(owner) FROM claim GROUP BY type, name HAVING count(*) > 1"


_TYPES = {of: kind for kind, of in TYPE_OF.items()}


@dataclass(frozen=True, slots=True)
class _KnownSubject:
    """A subject after the events so far. If it is erased, it has neither a type nor ends."""

    kind: str
    type: str | None
    source: str | None
    target: str | None
    seq: int
    lives: bool
    erased: bool


class Ledger:
    """Checks the events of a log in order. Raises INVALID_ARCHIVE for an event that is impossible at its position."""

    def __init__(self, log: LogCheck) -> None:
        self._log = log
        self._old_until = log.header.whole_after
        """The number up to which the log only has the last event of each subject."""
        self._open_until = max(self._old_until, log.header.state.begins_at or 0)
        """The number up to which subjects are in no order."""
        self._seq = 0
        self._batch: object = None
        self._settled = 0
        self._has_ties = False
        self._has_gone = False
        self._retyped = set[str]()
        self._db = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._db.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_TABLES} BEGIN;")
        self.longest_text = 0
        """Number of bytes of the longest text that an event refers to."""

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def content(self, sha256: str, *, is_line: bool, size: int, is_text: bool) -> None:
        """Record content that later events may refer to."""
        with noting():
            self._db.execute("INSERT OR IGNORE INTO content VALUES (?, ?, ?, ?)", (sha256, is_line, size, is_text))

    def event(self, row: State, line: int) -> None:
        """Check the next event against the events before it."""
        with noting(), at_line(line, row):
            if row["_batch"] != self._batch:
                self._settle()
                self._begin_batch(row)
            self._check_content(row)
            self._take(row)
            self._seq = cast("int", row["_seq"])

    def _begin_batch(self, row: State) -> None:
        """Raise `Wrong` unless the event is the first of its batch.

        Copied and compacted events are exempt.
        """
        if row["_batch"] != row["_id"] and cast("int", row["_seq"]) > self._open_until:
            raise Wrong(f"belongs to the batch {row['_batch']}, which does not start with it")
        self._batch = row["_batch"]

    def end(self, line: int) -> None:
        """Check the subjects at the end of the log."""
        with noting(), at_line(line, None):
            self._settle()
            if left := self._fetch_one("SELECT id FROM subject WHERE erased AND lives LIMIT 1"):
                raise Wrong("was erased, but still exists", left[0])
            for subject, declared in self._log.types.items():
                if isinstance(declared, ConnectionType) and connection_rules(declared):
                    self._check_links(subject, declared)
            for type_id, name, owner in self._db.execute(_SHARED):
                claim = tuple(json.loads(name))
                if claim[0] != UNIQUE or type_id not in self._log.late:
                    title = self._log.types[type_id].title
                    raise Wrong(
                        f"shares its {printable(describe_claim(claim))} with another of {title}, which allows one",
                        owner,
                    )

    def _take(self, row: State) -> None:
        subject = str(row["_subject"])
        results = self._fetch_one(_KNOWN, subject)
        before = _KnownSubject(*results) if results else None
        op = Op(str(row.get("_was", row["_op"])))
        self._check_order(row, op, before)
        self._check_previous(row, op, before)
        _check_identity(row, before)
        if not self._db.execute("INSERT OR IGNORE INTO event VALUES (?)", (row["_id"],)).rowcount:
            raise Wrong(f"repeats the event id {row['_id']}")
        kind, lives = Kind(str(row["_kind"])), op is not Op.DELETE
        ends = (row.get("_type"), row.get("_from"), row.get("_to"))
        self._db.execute(_PUT, (subject, kind, *ends, row["_seq"], lives, "_erased" in row))
        self._has_ties |= lives and kind in ATTACHED
        self._has_gone |= not lives and kind is Kind.NODE
        is_retyped = before is not None and before.lives and lives and before.type != row.get("_type")
        self._retyped |= {subject} if is_retyped else set()
        if kind in TYPE_OF:
            self._record_unique(subject, kind, row, is_retyped=is_retyped)
        elif kind in _TYPES and not lives:
            self._check_is_unused(_TYPES[kind], subject.partition("/")[2])

    def _check_order(self, row: State, op: Op, before: _KnownSubject | None) -> None:
        """Raise `Wrong` if the operation is impossible in the subject's state."""
        seq, name = cast("int", row["_seq"]), printable(row["_subject"])
        lives, is_first = before is not None and before.lives, before is None and seq <= self._old_until
        is_tombstone = "_erased" in row and "_was" not in row
        if op is Op.CREATE and lives:
            raise Wrong(f"creates {name}, which already exists")
        if op is Op.SNAPSHOT and (before is not None or seq > self._open_until):
            raise Wrong(f"is a snapshot of {name}, where none is allowed")
        if op is Op.UPDATE and not lives and not is_first:
            raise Wrong(f"updates {name}, which does not exist")
        if op is Op.DELETE and not lives and not is_first and not (is_tombstone and before is not None):
            raise Wrong(f"deletes {name}, which does not exist")

    def _check_previous(self, row: State, op: Op, before: _KnownSubject | None) -> None:
        number = cast("int | None", row.get("_prev"))
        if before is None:
            is_right = number is None or number <= self._old_until
        else:
            begins = op is Op.CREATE or cast("int", row["_seq"]) <= self._old_until  # a type that was removed
            is_right = number == before.seq or (number is None and begins)
        if not is_right:
            raise Wrong(f"follows event {number}, which is not the last about {printable(row['_subject'])}")

    def _check_content(self, row: State) -> None:
        """Raise `Wrong` unless an earlier line has the content, in the right form and of the stated size."""
        ref = content_ref(row)
        if ref is None:
            return
        query = "SELECT size, is_text FROM content WHERE sha256 = ? AND is_line = ?"
        results = self._fetch_one(query, ref.sha256, is_text_line(ref))
        if results is None:
            raise Wrong(f"refers to content {ref.sha256}, which no earlier line has")
        if results[0] != ref.size or (ref.is_text and not results[1]):
            raise Wrong(f"declares content {ref.sha256} as {ref.size:,} bytes of {ref.encoding}, which is wrong")
        if ref.is_text:
            self.longest_text = max(self.longest_text, ref.size)

    def _record_unique(self, subject: str, kind: Kind, row: State, *, is_retyped: bool) -> None:
        """Record a subject's unique values after an event. Releases the values that it had before."""
        type_id = type_subject(TYPE_OF[kind], str(row.get("_type")))
        declared = self._log.types.get(type_id)
        if unique_properties(declared) or is_retyped:
            self._db.execute("DELETE FROM claim WHERE owner = ?", (subject,))
            self._claim(type_id, ((subject, claim) for claim in claims(declared, user_properties(row), None)))

    def _claim(self, type_id: str, owned: Iterable[tuple[str, Claim]]) -> None:
        rows = ((owner, type_id, json.dumps(claim)) for owner, claim in owned)
        self._db.executemany("INSERT INTO claim VALUES (?, ?, ?)", rows)

    def _check_is_unused(self, kind: Kind, name: str) -> None:
        if user := self._fetch_one("SELECT id FROM subject WHERE lives AND kind = ? AND type = ? LIMIT 1", kind, name):
            raise Wrong(f"deletes the type {printable(name)}, which {user[0]} still uses")

    def _settle(self) -> None:
        """Check the subjects of the batch that has ended."""
        if self._seq < self._open_until:
            return
        pairs = [(_SINCE, self._settled)] if self._has_ties else []
        for query, which in (*pairs, *((_OF, node) for node in self._retyped)):
            for tie in self._db.execute(query, (which,)):
                self._check_tie(tie)
        for end in ("source", "target") if self._has_gone else ():
            if left := self._fetch_one(_LEFT.format(end=end), self._settled):
                raise Wrong(f"is attached to node {left[0]}, which does not exist", left[1])
        self._settled, self._has_ties, self._has_gone = self._seq, False, False
        self._retyped.clear()

    def _check_tie(self, tie: tuple[Any, ...]) -> None:
        subject, kind, type_name, source, target, from_type, to_type = tie
        if from_type is None or (kind == Kind.CONNECTION and to_type is None):
            missing = source if from_type is None else target
            raise Wrong(f"is attached to node {missing}, which does not exist", subject)
        if kind != Kind.CONNECTION:
            return
        declared = self._log.types.get(type_subject(Kind.CONNECTION_TYPE, type_name))
        if not isinstance(declared, ConnectionType):
            raise Wrong(f"has the type {printable(type_name)}, which is not declared", subject)
        if not declared.allows(from_type, to_type):
            raise Wrong(
                f"cannot connect {printable(from_type)} to {printable(to_type)} with {printable(type_name)}", subject
            )

    def _check_links(self, type_id: str, declared: ConnectionType) -> None:
        """Record the claims of a type's connections, and check that they form no forbidden cycle."""
        living = self._db.execute(_LIVING, (declared.name,))
        self._claim(
            type_id,
            ((connection_id, claim) for connection_id, a, b in living for claim in claims(declared, {}, (a, b))),
        )
        if declared.acyclic and (nodes := find_cycle(self._db.execute(_EDGES, (declared.name,)))):
            raise Wrong(f"is in a cycle of {printable(declared.name)}", nodes[0])

    def _fetch_one(self, query: str, *values: object) -> tuple[Any, ...] | None:
        return self._db.execute(query, values).fetchone()


def _check_identity(row: State, before: _KnownSubject | None) -> None:
    """Raise `Wrong` if the id belonged to another subject before, since ids are never used again."""
    if before is None:
        return
    if ("_erased" in row) != before.erased:
        raise Wrong(f"continues {printable(row['_subject'])}, which was only erased in part")
    type_name = before.type if ENTITY in row else row.get("_type")  # the type of an entity may change
    now = (row["_kind"], type_name, row.get("_from"), row.get("_to"))
    if now != (before.kind, before.type, before.source, before.target):
        raise Wrong(f"changes the kind, type or ends of {printable(row['_subject'])}")


@contextmanager
def noting() -> Generator[None]:
    """Convert errors of the SQLite database to FILE_CREATION_FAILED."""
    try:
        yield
    except sqlite3.Error as error:
        hint = "It needs space in the folder for temporary files; set TMPDIR or SQLITE_TMPDIR to use another."
        message = f"Cannot write temporary data while checking the file: {error}"
        raise GraphError(Code.FILE_CREATION_FAILED, message, {"hint": hint}) from error
