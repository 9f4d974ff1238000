"""The database's schema: numbered steps, applied once, and what connection types and analysers need."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import LiteralString, cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.analysers import LABELS, index_of, label_of
from graph_memory.progress import Progress, silent
from graph_memory.storage.queries import Nothing, QueryFileError, cypher_root, query, quoted
from graph_memory.storage.store import Store, Transaction

LOCK_SECONDS = 300.0
"""Seconds for which one process may hold the schema lock while it applies steps, and may wait for new indexes."""
VECTORS_SINCE = (2026, 1)
"""The oldest server whose vector index filters. Older ones do without, and search by words alone."""
_INDEX_IS_THERE = ("Neo.ClientError.Schema.IndexWithNameAlreadyExists", "Neo.ClientError.Schema.IndexAlreadyExists")


@dataclass(frozen=True, slots=True)
class AppliedStep:
    """One step as the graph remembers it."""

    version: int
    sha256: str


STEPS_APPLIED = query("schema_log/applied", AppliedStep)
STEPS_LOCK = query("schema_log/lock", Nothing)
STEP_RECORD = query("schema_log/record", Nothing)
STORE_ID = query("schema_log/store", str)
AWAIT_INDEXES = query("schema_log/await_indexes", Nothing)
ANALYSERS = query("schema_log/analysers", str)

FIRST: LiteralString = (
    "CREATE CONSTRAINT _schema_step_version IF NOT EXISTS FOR (s:_SchemaStep) REQUIRE s._version IS UNIQUE"
)
"""What the steps themselves need."""

_FILE = re.compile(r"V(\d{4})__(\w+)\.cypher")


@dataclass(frozen=True, slots=True)
class Step:
    """One file of `cypher/schema/`."""

    version: int
    name: str
    sha256: str
    statements: tuple[LiteralString, ...]


def steps() -> tuple[Step, ...]:
    """Return the steps that this code knows, in order and without a gap."""
    found = [_step(path.name, path.read_text(encoding="utf-8")) for path in (cypher_root() / "schema").glob("*.cypher")]
    found.sort(key=lambda step: step.version)
    if [step.version for step in found] != list(range(1, len(found) + 1)):
        raise QueryFileError("the schema steps must be numbered 1, 2, 3, …")
    return tuple(found)


def _step(file_name: str, text: str) -> Step:
    match = _FILE.fullmatch(file_name)
    if not match:
        raise QueryFileError(f"cypher/schema/{file_name}: the name must be like V0001__what_it_does.cypher")
    code = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    statements: list[LiteralString] = [cast("LiteralString", part) for part in map(str.strip, code.split(";")) if part]
    sha256 = hashlib.sha256("\n".join(statements).encode()).hexdigest()
    return Step(int(match[1]), match[2], sha256, tuple(statements))


def missing_steps(known: Sequence[Step], applied: Sequence[AppliedStep]) -> list[Step]:
    """Return the known steps that the database lacks.

    Raises STORE_INCOMPATIBLE when the database was made by newer code, or by code with another history.
    """
    checksums = {step.version: step.sha256 for step in known}
    for step in applied:
        if step.version not in checksums:
            raise _incompatible(
                f"The database has schema version {step.version}; this graph-memory supports up to {len(known)}",
                "Update graph-memory to the version that last wrote to this database, or newer.",
            )
        if checksums[step.version] != step.sha256:
            raise _incompatible(
                f"Schema step {step.version} differs from the one applied to this database",
                "Restore cypher/schema as released; steps can be added but never changed.",
            )
    done = {step.version for step in applied}
    return [step for step in known if step.version not in done]


def server_at(version: str) -> tuple[int, int]:
    """Return the year and the number of a server's version, such as `2026.08.1`."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else VECTORS_SINCE


def suits(statement: str, version: str) -> bool:
    """Say whether a server of this version can run a statement of the schema."""
    return "CREATE VECTOR INDEX" not in statement or server_at(version) >= VECTORS_SINCE


def _incompatible(message: str, hint: str) -> GraphError:
    return GraphError(Code.STORE_INCOMPATIBLE, message, {"hint": hint})


async def pending_steps(store: Store, known: Sequence[Step] | None = None) -> list[Step]:
    """Return the steps that the database lacks. Raises STORE_INCOMPATIBLE as `missing_steps` does."""
    return missing_steps(steps() if known is None else known, await store.read(STEPS_APPLIED))


async def migrate(store: Store, known: Sequence[Step] | None = None, progress: Progress = silent) -> int:
    """Apply the steps that the database lacks and return how many there were.

    Processes that start together take turns: a step's statements run while the lock is held in a transaction
    beside them (schema and data cannot share one), and each may run twice, so a crash in between does no harm.
    """
    known = steps() if known is None else known
    if not await pending_steps(store, known):
        return 0
    progress("Preparing the database", None)
    await make(store, FIRST)
    version = await store.server_version()

    async def apply(transaction: Transaction) -> int:
        await transaction.run(STEPS_LOCK)
        todo = missing_steps(known, await transaction.run(STEPS_APPLIED))
        for step in todo:
            for statement in step.statements:
                if suits(statement, version):
                    await make(store, statement)
            if any(statement.startswith("DROP INDEX") for statement in step.statements):
                await _make_analysers(store)
            await transaction.run(STEP_RECORD, version=step.version, name=step.name, sha256=step.sha256)
        return len(todo)

    async def wait(transaction: Transaction) -> None:
        await transaction.run(AWAIT_INDEXES)

    count = await store.write("schema", apply, limit=LOCK_SECONDS)
    await store.write("schema", wait, limit=LOCK_SECONDS)
    return count


async def _make_analysers(store: Store) -> None:
    """Make the full-text indexes that domains with an analyser of their own need, after a step has dropped them."""
    for label in await store.read(ANALYSERS, domain=None):
        if label in LABELS:
            await make(store, analyser_index(LABELS[label]))


async def make(store: Store, statement: LiteralString) -> None:
    """Run a statement that makes an index or a constraint, where there is none of its name.

    When whoever makes a constraint is cut off, as by Ctrl-C, Neo4j may keep the index that it began for it, and refuse
    the constraint from then on. That index is dropped first.
    """
    try:
        await store.define(statement)
    except GraphError as error:
        if error.details.get("neo4j_code") not in _INDEX_IS_THERE:
            raise
        name = statement.split()[2]
        with suppress(GraphError):  # somebody may be about to make it: then it belongs to the constraint by now
            await store.define(f"DROP INDEX {name} IF EXISTS")
        await store.define(statement)


async def store_id(store: Store) -> str:
    """Return the id of a migrated database, by which it is told from every other."""
    return await store.one(STORE_ID) or ""


async def ensure_connection_type(store: Store, name: str) -> None:
    """Make the constraint that keeps a connection type's ids unique and finds a connection by its id.

    Runs before the event that adds the type, in a transaction of its own, and may run again: an existing
    constraint is left as it is, and one whose event never followed does no harm.
    """
    await make(store, connection_constraint(name)[1])


async def ensure_analyser(store: Store, analyser: LiteralString) -> None:
    """Make the full-text index of an analyser, where there is none yet."""

    async def wait(transaction: Transaction) -> None:
        await transaction.run(AWAIT_INDEXES)

    await make(store, analyser_index(analyser))
    await store.write("schema", wait, limit=LOCK_SECONDS)


def analyser_index(analyser: LiteralString) -> LiteralString:
    """Return the statement that makes the full-text index of an analyser."""
    return (
        f"CREATE FULLTEXT INDEX {index_of(analyser)} IF NOT EXISTS FOR (p:{label_of(analyser)}) "
        "ON EACH [p._text, p._head, p._words, p._filter] "
        f"OPTIONS {{ indexConfig: {{ `fulltext.analyzer`: '{analyser}' }} }}"
    )


def connection_constraint(type_name: str) -> tuple[str, LiteralString]:
    """Return the name of a connection type's constraint, and the statement that makes it."""
    constraint = "_connection_" + hashlib.sha256(type_name.encode()).hexdigest()[:32]
    statement = (
        f"CREATE CONSTRAINT {constraint} IF NOT EXISTS FOR ()-[r:{quoted(type_name)}]-() "
        "REQUIRE (r._domain, r._id) IS UNIQUE"
    )
    return constraint, cast("LiteralString", statement)
