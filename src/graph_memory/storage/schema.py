"""The database schema: numbered steps that are each applied once, and the full-text indexes of analysers."""

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
from graph_memory.storage.queries import Nothing, QueryFileError, cypher_root, query
from graph_memory.storage.store import Store, Transaction

LOCK_SECONDS = 300.0
"""Maximum time in seconds for applying the steps under the schema lock, and for waiting for new indexes."""
VECTORS_SINCE = (2026, 1)
"""The oldest server version whose vector index can filter. On older servers, search uses words only."""
_INDEX_IS_THERE = ("Neo.ClientError.Schema.IndexWithNameAlreadyExists", "Neo.ClientError.Schema.IndexAlreadyExists")


@dataclass(frozen=True, slots=True)
class AppliedStep:
    """A schema step that is recorded in the database as applied."""

    version: int
    sha256: str


STEPS_APPLIED = query("schema_log/applied", AppliedStep)
STEPS_LOCK = query("schema_log/lock", Nothing)
STEP_RECORD = query("schema_log/record", Nothing)
STORE_ID = query("schema_log/store", str)
AWAIT_INDEXES = query("schema_log/await_indexes", Nothing)
ANALYSERS = query("schema_log/analysers", str)
CONNECTION_CONSTRAINTS = query("schema_log/connection_constraints", str)

FIRST: LiteralString = (
    "CREATE CONSTRAINT _schema_step_version IF NOT EXISTS FOR (s:_SchemaStep) REQUIRE s._version IS UNIQUE"
)
"""The constraint that the records of steps need."""

_FILE = re.compile(r"V(\d{4})__(\w+)\.cypher")


@dataclass(frozen=True, slots=True)
class Step:
    """A schema step, which is a file in `cypher/schema/`."""

    version: int
    name: str
    sha256: str
    statements: tuple[LiteralString, ...]


def steps() -> tuple[Step, ...]:
    """Return the steps of this version, in order. Raises QueryFileError if there is a gap."""
    results = [
        _step(path.name, path.read_text(encoding="utf-8")) for path in (cypher_root() / "schema").glob("*.cypher")
    ]
    results.sort(key=lambda step: step.version)
    if [step.version for step in results] != list(range(1, len(results) + 1)):
        raise QueryFileError("the schema steps must be numbered 1, 2, 3, …")
    return tuple(results)


def _step(file_name: str, text: str) -> Step:
    match = _FILE.fullmatch(file_name)
    if not match:
        raise QueryFileError(f"cypher/schema/{file_name}: the name must be like V0001__what_it_does.cypher")
    code = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    statements: list[LiteralString] = [cast("LiteralString", part) for part in map(str.strip, code.split(";")) if part]
    sha256 = hashlib.sha256("\n".join(statements).encode()).hexdigest()
    return Step(int(match[1]), match[2], sha256, tuple(statements))


def missing_steps(known: Sequence[Step], applied: Sequence[AppliedStep]) -> list[Step]:
    """Return the known steps that have not been applied to the database.

    Raises STORE_INCOMPATIBLE if the database has steps of a newer version, or an applied step differs.
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
    """Return the first two numbers of a server version, such as `(2026, 8)` for `2026.08.1`."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else VECTORS_SINCE


def is_supported(statement: str, version: str) -> bool:
    """Return whether a server of this version can run the schema statement."""
    return "CREATE VECTOR INDEX" not in statement or server_at(version) >= VECTORS_SINCE


def _incompatible(message: str, hint: str) -> GraphError:
    return GraphError(Code.STORE_INCOMPATIBLE, message, {"hint": hint})


async def pending_steps(store: Store, known: Sequence[Step] | None = None) -> list[Step]:
    """Return the steps that the database lacks. Raises STORE_INCOMPATIBLE."""
    return missing_steps(steps() if known is None else known, await store.read(STEPS_APPLIED))


async def migrate(store: Store, known: Sequence[Step] | None = None, progress: Progress = silent) -> int:
    """Apply the steps that the database lacks, and return how many were applied.

    Concurrent processes take turns: the statements of a step run while another transaction holds the lock, because
    schema and data cannot share a transaction. Each statement may run twice, so a crash does no harm.
    """
    known = steps() if known is None else known
    if not await pending_steps(store, known):
        return 0
    progress("Preparing the database", None)
    await ensure_defined(store, FIRST)
    version = await store.server_version()

    async def apply(transaction: Transaction) -> int:
        await transaction.run(STEPS_LOCK)
        todo = missing_steps(known, await transaction.run(STEPS_APPLIED))
        for step in todo:
            for statement in step.statements:
                if is_supported(statement, version):
                    await ensure_defined(store, statement)
            if any(statement.startswith("DROP INDEX") for statement in step.statements):
                await _create_analyser_indexes(store)
            await transaction.run(STEP_RECORD, version=step.version, name=step.name, sha256=step.sha256)
        await _drop_connection_constraints(store)
        return len(todo)

    async def wait(transaction: Transaction) -> None:
        await transaction.run(AWAIT_INDEXES)

    count = await store.write("schema", apply, limit=LOCK_SECONDS)
    await store.write("schema", wait, limit=LOCK_SECONDS)
    return count


async def _create_analyser_indexes(store: Store) -> None:
    """Create the full-text indexes of the analysers in use again, after a step has dropped them."""
    for label in await store.read(ANALYSERS, domain=None):
        if label in LABELS:
            await ensure_defined(store, analyser_index(LABELS[label]))


async def _drop_connection_constraints(store: Store) -> None:
    """Drop the constraints that each connection type had before step 16.

    A constraint changes the schema. Neo4j then plans every statement again (docs/decisions/0036).
    """
    for name in await store.read(CONNECTION_CONSTRAINTS):
        await store.define(cast("LiteralString", f"DROP CONSTRAINT {name} IF EXISTS"))


async def ensure_defined(store: Store, statement: LiteralString) -> None:
    """Run a statement that creates an index or a constraint if it does not exist.

    If the creation of a constraint was interrupted, Neo4j may keep its index and then reject the constraint. That index
    is dropped first.
    """
    try:
        await store.define(statement)
    except GraphError as error:
        if error.details.get("neo4j_code") not in _INDEX_IS_THERE:
            raise
        name = statement.split()[2]
        with suppress(GraphError):  # another process may have created the constraint with its index
            await store.define(f"DROP INDEX {name} IF EXISTS")
        await store.define(statement)


async def store_id(store: Store) -> str:
    """Return the unique id of the database, which must be migrated."""
    return await store.first_row(STORE_ID) or ""


async def ensure_analyser(store: Store, analyser: LiteralString) -> None:
    """Create the full-text index for the analyser, if it does not exist."""

    async def wait(transaction: Transaction) -> None:
        await transaction.run(AWAIT_INDEXES)

    await ensure_defined(store, analyser_index(analyser))
    await store.write("schema", wait, limit=LOCK_SECONDS)


def analyser_index(analyser: LiteralString) -> LiteralString:
    """Return the statement that creates the full-text index for the analyser."""
    return (
        f"CREATE FULLTEXT INDEX {index_of(analyser)} IF NOT EXISTS FOR (p:{label_of(analyser)}) "
        "ON EACH [p._text, p._head, p._words, p._filter] "
        f"OPTIONS {{ indexConfig: {{ `fulltext.analyzer`: '{analyser}' }} }}"
    )
