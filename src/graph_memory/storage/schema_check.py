"""Is the schema there? What its steps, connection types and analysers need, looked for, and made again."""

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
    AWAIT_INDEXES,
    FIRST,
    LOCK_SECONDS,
    analyser_index,
    connection_constraint,
    make,
    steps,
    suits,
)
from graph_memory.storage.store import Store, Transaction

_NAMED = re.compile(r"(?:CYPHER 25 )?(CREATE|DROP)(?: FULLTEXT| VECTOR)? (CONSTRAINT|INDEX) (\w+)")
USABLE = ("ONLINE", "POPULATING")
"""States of an index that works, or will when it has been built."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """An index as the database shows it."""

    name: str
    state: str
    is_constraint: bool


@dataclass(frozen=True, slots=True)
class Fault:
    """An index or constraint that is not as it should be: its name, what it is, and what is wrong with it."""

    name: str
    kind: str
    problem: str
    statement: LiteralString
    is_missing: bool = False


INDEXES = query("schema_log/indexes", IndexRow)
CONNECTION_TYPES = query("schema_log/connection_types", str)


async def schema_faults(store: Store, domain: str | None = None) -> list[Fault]:
    """Name the indexes and constraints that are missing or cannot be used: those of all domains need, or of one."""
    wanted = made_by_steps()
    for connection_type in await store.read(CONNECTION_TYPES, domain=domain):
        name, statement = connection_constraint(connection_type)
        wanted[name] = statement
    for label in await store.read(ANALYSERS, domain=domain):
        if label in LABELS:
            wanted.setdefault(index_of(LABELS[label]), analyser_index(LABELS[label]))
    found = {row.name: row for row in await store.read(INDEXES, names=list(wanted))}
    version = await store.server_version()
    faults = (_fault(name, statement, found) for name, statement in wanted.items() if suits(statement, version))
    return [fault for fault in faults if fault]


async def mend_schema(store: Store) -> None:
    """Make the indexes and constraints that are missing or cannot be used, and wait until they can.

    Raises STORE_CONFLICT for a constraint that what the database holds breaks.
    """
    faults = await schema_faults(store)
    for fault in faults:
        if not fault.is_missing:
            await store.define(cast("LiteralString", f"DROP {fault.kind} {fault.name} IF EXISTS"))
        try:
            await make(store, fault.statement)
        except GraphError as error:
            raise _broken(fault, error) if error.code is Code.STORE_CONFLICT else error from error

    async def wait(transaction: Transaction) -> None:
        await transaction.run(AWAIT_INDEXES)

    if faults:
        await store.write("schema", wait, limit=LOCK_SECONDS)


def made_by_steps() -> dict[str, LiteralString]:
    """Return the statements that make what the steps leave behind, by its name."""
    wanted: dict[str, LiteralString] = {}
    every: list[LiteralString] = [FIRST, *(statement for step in steps() for statement in step.statements)]
    for statement in every:
        if named := _NAMED.match(statement):
            wanted.pop(named[3], None)
            if named[1] == "CREATE":
                wanted[named[3]] = statement
    return wanted


def _fault(name: str, statement: LiteralString, found: Mapping[str, IndexRow]) -> Fault | None:
    kind = "CONSTRAINT" if statement.startswith("CREATE CONSTRAINT") else "INDEX"
    row = found.get(name)
    if row is None or (kind == "CONSTRAINT") is not row.is_constraint:
        return Fault(name, kind, f"the {kind.lower()} is missing", statement, is_missing=row is None)
    if row.state in USABLE:
        return None
    return Fault(name, kind, f"the {kind.lower()} is {row.state.lower()}", statement)


def _broken(fault: Fault, error: GraphError) -> GraphError:
    message = f"Constraint {fault.name} cannot be created: the database holds a duplicate"
    hint = Hint("Run {graph-memory verify} to see what does not belong there, delete it in Neo4j, and rebuild again.")
    return GraphError(error.code, message, {"constraint": fault.name, "hint": hint})


def listed_faults(faults: Sequence[Fault]) -> str:
    """Return faults in a line."""
    return ", ".join(f"{fault.name}: {fault.problem}" for fault in faults)
