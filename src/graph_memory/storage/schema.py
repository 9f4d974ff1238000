"""The database schema: numbered steps that are each applied once, and the analysers' full-text indexes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import LiteralString, cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.analysers import LABELS, index_of, label_of
from graph_memory.progress import Progress, log_progress
from graph_memory.storage.queries import NoRow, QueryFileError, cypher_root, query
from graph_memory.storage.store import Store, Transaction

LOCK_SECONDS = 300.0
"""Maximum time in seconds for applying the steps under the schema lock, and for waiting for new indexes."""
VECTORS_SINCE = (2026, 1)
"""The oldest server version whose vector index supports filters. On older servers, search uses only words."""
_INDEX_EXISTS_CODES = ("Neo.ClientError.Schema.IndexWithNameAlreadyExists", "Neo.ClientError.Schema.IndexAlreadyExists")


@dataclass(frozen=True, slots=True)
class AppliedStep:
    """A schema step that is recorded as applied in the database."""

    version: int
    sha256: str


STEPS_APPLIED = query("schema_log/applied", AppliedStep)
STEPS_LOCK = query("schema_log/lock", NoRow)
STEP_RECORD = query("schema_log/record", NoRow)
STORE_ID = query("schema_log/store", str)
AWAIT_INDEXES = query("schema_log/await_indexes", NoRow)
ANALYSERS = query("schema_log/analysers", str)
CONNECTION_CONSTRAINTS = query("schema_log/connection_constraints", str)

STEP_CONSTRAINT: LiteralString = (
    "CREATE CONSTRAINT _schema_step_version IF NOT EXISTS FOR (s:_SchemaStep) REQUIRE s._version IS UNIQUE"
)
"""The statement that creates the constraint for the records of applied steps."""

_FILE = re.compile(r"V(\d{4})__(\w+)\.cypher")


@dataclass(frozen=True, slots=True)
class Step:
    """A schema step: the number, name, checksum and statements of a file in `cypher/schema/`."""

    version: int
    name: str
    sha256: str
    statements: tuple[LiteralString, ...]


def steps() -> tuple[Step, ...]:
    """Return this version's schema steps in order. Raises QueryFileError if a number is missing."""
    results = [
        _parse_step(path.name, path.read_text(encoding="utf-8")) for path in (cypher_root() / "schema").glob("*.cypher")
    ]
    results.sort(key=lambda step: step.version)
    if [step.version for step in results] != list(range(1, len(results) + 1)):
        raise QueryFileError("the schema steps must be numbered 1, 2, 3, …")
    return tuple(results)


def _parse_step(file_name: str, text: str) -> Step:
    match = _FILE.fullmatch(file_name)
    if not match:
        raise QueryFileError(f"cypher/schema/{file_name}: the name must be like V0001__what_it_does.cypher")
    code = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    statements: list[LiteralString] = [cast("LiteralString", part) for part in map(str.strip, code.split(";")) if part]
    sha256 = hashlib.sha256("\n".join(statements).encode()).hexdigest()
    return Step(int(match[1]), match[2], sha256, tuple(statements))


def missing_steps(known_steps: Sequence[Step], applied: Sequence[AppliedStep]) -> list[Step]:
    """Return the known steps that have not been applied to the database.

    Raises STORE_INCOMPATIBLE if the database has steps of a newer version, or an applied step differs.
    """
    checksums = {step.version: step.sha256 for step in known_steps}
    for step in applied:
        if step.version not in checksums:
            raise _incompatible_error(
                f"The database has schema version {step.version}; this graph-memory supports up to {len(known_steps)}",
                "Update graph-memory to the version that last wrote to this database, or newer.",
            )
        if checksums[step.version] != step.sha256:
            raise _incompatible_error(
                f"Schema step {step.version} differs from the one applied to this database",
                "Restore cypher/schema as released; steps can be added but never changed.",
            )
    applied_versions = {step.version for step in applied}
    return [step for step in known_steps if step.version not in applied_versions]


def parse_version(version: str) -> tuple[int, int]:
    """Return the first two numbers of a server version, such as `(2026, 8)` for `2026.08.1`.

    Returns `VECTORS_SINCE` if the text does not begin with two numbers.
    """
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else VECTORS_SINCE


def is_supported(statement: str, version: str) -> bool:
    """Return whether a server of this version can run the schema statement."""
    return "CREATE VECTOR INDEX" not in statement or parse_version(version) >= VECTORS_SINCE


def _incompatible_error(message: str, hint: str) -> GraphError:
    return GraphError(Code.STORE_INCOMPATIBLE, message, {"hint": hint})


async def pending_steps(store: Store, known_steps: Sequence[Step] | None = None) -> list[Step]:
    """Return the steps (default: of this version) that the database lacks. Raises the errors of `missing_steps`."""
    return missing_steps(steps() if known_steps is None else known_steps, await store.read(STEPS_APPLIED))


async def migrate(store: Store, known_steps: Sequence[Step] | None = None, progress: Progress = log_progress) -> int:
    """Apply the steps that the database lacks, and return how many were applied.

    Concurrent processes take turns. The schema statements of a step run while a separate transaction holds the lock,
    because one transaction cannot change both schema and data. Each statement can safely run twice, so a crash does no
    harm.
    """
    known_steps = steps() if known_steps is None else known_steps
    if not await pending_steps(store, known_steps):
        return 0
    progress("Preparing the database", None)
    await ensure_defined(store, STEP_CONSTRAINT)
    version = await store.server_version()

    async def apply(transaction: Transaction) -> int:
        await transaction.run(STEPS_LOCK)
        missing = missing_steps(known_steps, await transaction.run(STEPS_APPLIED))
        for step in missing:
            for statement in step.statements:
                if is_supported(statement, version):
                    await ensure_defined(store, statement)
            if any(statement.startswith("DROP INDEX") for statement in step.statements):
                await _create_analyser_indexes(store)
            await transaction.run(STEP_RECORD, version=step.version, name=step.name, sha256=step.sha256)
        await _drop_connection_constraints(store)
        return len(missing)

    count = await store.write("schema", apply, limit=LOCK_SECONDS)
    await await_indexes(store)
    return count


async def await_indexes(store: Store) -> None:
    """Wait until all indexes are usable."""
    await store.write("schema", lambda transaction: transaction.run(AWAIT_INDEXES), limit=LOCK_SECONDS)


async def _create_analyser_indexes(store: Store) -> None:
    """Recreate the full-text indexes of all used analysers, after a step has dropped indexes."""
    for label in await store.read(ANALYSERS, domain=None):
        if label in LABELS:
            await ensure_defined(store, analyser_index(LABELS[label]))


async def _drop_connection_constraints(store: Store) -> None:
    """Drop the constraints that were created for each connection type before step 16.

    A new constraint changes the schema, and Neo4j then plans every statement again (docs/decisions/0036).
    """
    for name in await store.read(CONNECTION_CONSTRAINTS):
        await store.define(cast("LiteralString", f"DROP CONSTRAINT {name} IF EXISTS"))


async def ensure_defined(store: Store, statement: LiteralString) -> None:
    """Run a statement that creates an index or a constraint if it does not exist.

    If creating a constraint was interrupted earlier, Neo4j may have kept its index, and rejects the constraint. The
    index is then dropped, and the statement is repeated.
    """
    try:
        await store.define(statement)
    except GraphError as error:
        if error.details.get("neo4j_code") not in _INDEX_EXISTS_CODES:
            raise
        name = statement.split()[2]
        with suppress(GraphError):  # another process may have created the constraint with its index
            await store.define(f"DROP INDEX {name} IF EXISTS")
        await store.define(statement)


async def store_id(store: Store) -> str:
    """Return the unique id of a migrated database, or an empty string if it was not migrated."""
    return await store.first_row(STORE_ID) or ""


async def ensure_analyser(store: Store, analyser: LiteralString) -> None:
    """Create the full-text index for the analyser if it does not exist, and wait until it is usable."""
    await ensure_defined(store, analyser_index(analyser))
    await await_indexes(store)


def analyser_index(analyser: LiteralString) -> LiteralString:
    """Return the statement that creates the analyser's full-text index."""
    return (
        f"CREATE FULLTEXT INDEX {index_of(analyser)} IF NOT EXISTS FOR (p:{label_of(analyser)}) "
        "ON EACH [p._text, p._head, p._words, p._filter] "
        f"OPTIONS {{ indexConfig: {{ `fulltext.analyzer`: '{analyser}' }} }}"
    )
