"""Checks and repairs the indexes and constraints of the schema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import LiteralString, cast

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.analysers import LABELS, index_of
from graph_memory.storage.queries import query
from graph_memory.storage.schema import (
    ANALYSERS,
    STEP_CONSTRAINT,
    analyser_index,
    await_indexes,
    ensure_defined,
    is_supported,
    steps,
)
from graph_memory.storage.store import Store

_CREATE_OR_DROP = re.compile(r"(?:CYPHER 25 )?(CREATE|DROP)(?: FULLTEXT| VECTOR)? (CONSTRAINT|INDEX) (\w+)")
USABLE = ("ONLINE", "POPULATING")
"""States of an index that is usable, or that is being built."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """An index's name and state in the database, and whether it belongs to a constraint."""

    name: str
    state: str
    is_constraint: bool


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """A missing or unusable index or constraint, and the statement that creates it."""

    name: str
    kind: str
    problem: str
    statement: LiteralString
    is_missing: bool = False


INDEXES = query("schema_log/indexes", IndexRow)


async def find_schema_problems(store: Store, domain: str | None = None) -> list[SchemaProblem]:
    """Return the missing or unusable indexes and constraints that the domain (default: any domain) needs."""
    statements = statements_of_steps()
    for label in await store.read(ANALYSERS, domain=domain):
        if label in LABELS:
            statements.setdefault(index_of(LABELS[label]), analyser_index(LABELS[label]))
    rows = {row.name: row for row in await store.read(INDEXES, names=list(statements))}
    version = await store.server_version()
    faults = (
        _check_element(name, statement, rows)
        for name, statement in statements.items()
        if is_supported(statement, version)
    )
    return [fault for fault in faults if fault]


async def repair_schema(store: Store) -> None:
    """Create all missing or unusable indexes and constraints, and wait until they are usable.

    Raises STORE_CONFLICT if the stored data violates a constraint.
    """
    faults = await find_schema_problems(store)
    for fault in faults:
        if not fault.is_missing:
            await store.define(cast("LiteralString", f"DROP {fault.kind} {fault.name} IF EXISTS"))
        try:
            await ensure_defined(store, fault.statement)
        except GraphError as error:
            raise _conflict_error(fault, error) if error.code is Code.STORE_CONFLICT else error from error
    if faults:
        await await_indexes(store)


def statements_of_steps() -> dict[str, LiteralString]:
    """Return the statements that create the current schema's indexes and constraints, by name."""
    statements: dict[str, LiteralString] = {}
    strings: list[LiteralString] = [STEP_CONSTRAINT, *(statement for step in steps() for statement in step.statements)]
    for statement in strings:
        if match := _CREATE_OR_DROP.match(statement):
            statements.pop(match[3], None)
            if match[1] == "CREATE":
                statements[match[3]] = statement
    return statements


def _check_element(name: str, statement: LiteralString, rows: Mapping[str, IndexRow]) -> SchemaProblem | None:
    kind = "CONSTRAINT" if statement.startswith("CREATE CONSTRAINT") else "INDEX"
    row = rows.get(name)
    if row is None or (kind == "CONSTRAINT") is not row.is_constraint:
        return SchemaProblem(name, kind, f"the {kind.lower()} is missing", statement, is_missing=row is None)
    if row.state in USABLE:
        return None
    return SchemaProblem(name, kind, f"the {kind.lower()} is {row.state.lower()}", statement)


def _conflict_error(fault: SchemaProblem, error: GraphError) -> GraphError:
    message = f"Constraint {fault.name} cannot be created: the database has a duplicate"
    hint = Hint("Run {graph-memory verify} to find the wrong data, delete it in Neo4j, and rebuild again.")
    return GraphError(error.code, message, {"constraint": fault.name, "hint": hint})


def describe_schema_problems(faults: Sequence[SchemaProblem]) -> str:
    """Return the problems as one line of text, with the names of their indexes or constraints."""
    return ", ".join(f"{fault.name}: {fault.problem}" for fault in faults)
