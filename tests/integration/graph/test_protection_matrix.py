"""Protection on every way to write: each of them, with each that can be protected, for who may and for who may not.

The ways are found in the code: who appends to a log, begins a job, projects, or opens a transaction to write has a row.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from neo4j import Driver

from graph_memory import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.kinds import DATA
from graph_memory.operations.table import OPERATIONS
from integration.graph.protection_paths import CALLERS, CONNECTION, DOMAIN, NODE, OPERATION_PATHS, PATHS, Path_, World
from source import PACKAGE, syntax_trees

pytestmark = pytest.mark.anyio

KINDS = (NODE, CONNECTION, DOMAIN)
NAMED = {
    "append_events",
    "append_job_event",
    "run_projection",
    "open_log_transaction",
    "within",
    "jobs.begin",
    "Batch.begin",
}
WRITES = ("log.write", "log.append", "store.write", "store.write_at_once")


def _ways(path: Path, tree: ast.Module) -> Iterator[str]:
    """Give who writes in a module, as `module:Class.method`."""
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)

    def visit(node: ast.AST, name: str) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and isinstance(
                node, ast.Module | ast.ClassDef
            ):
                inner = f"{name}.{child.name}".lstrip(".")
            if isinstance(child, ast.Call) and _writes(child):
                yield f"{module}:{name}"
            yield from visit(child, inner)

    yield from visit(tree, "")


def _writes(call: ast.Call) -> bool:
    called = ast.unparse(call.func)
    appends = called.endswith(".run") and bool(call.args) and ast.unparse(call.args[0]) == "APPEND"
    return called in NAMED or called.endswith(WRITES) or appends


def test_every_way_to_write_has_a_row() -> None:
    results = {way for path, tree in syntax_trees().items() for way in _ways(path, tree)}
    assert results == CALLERS.keys()
    named = {name for rows in CALLERS.values() if not isinstance(rows, str) for name in rows}
    assert named == PATHS.keys()


def test_every_writing_operation_has_a_path() -> None:
    writing = {name for name, operation in OPERATIONS.items() if operation.is_writing}
    assert writing - PATHS.keys() == OPERATION_PATHS.keys()
    assert {name for paths in OPERATION_PATHS.values() for name in paths} <= PATHS.keys()


@pytest.mark.parametrize("way", ["erase", "revert", "merge", "adopt"])
def test_a_way_that_takes_a_subject_of_any_kind_has_a_row_for_each(way: str) -> None:
    of = [path.of for path in PATHS.values() if path.of is not None]
    assert {kind for name, kind in of if name == way} == set(DATA)


@pytest.fixture
async def world(memory: Memory, domain: str, driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return await World(memory, domain, driver, tmp_path, monkeypatch).fill()


def _worlds(way: Path_) -> list[list[str]]:
    """Return the kinds that stop a way, in groups that it can be tried with one after the other in one world."""
    kinds = [kind for kind in KINDS if kind in way.stops]
    return [[kind] for kind in kinds] if way.beside else [kinds]


@pytest.mark.parametrize(("name", "kinds"), [(name, kinds) for name, way in PATHS.items() for kinds in _worlds(way)])
async def test_each_protection_stops_all_but_those_who_may_lift_it(world: World, name: str, kinds: list[str]) -> None:
    """Protection of what the way leaves alone, which its caller may not lift, is there all the time."""
    way = PATHS[name]
    await _prepare(world, way)
    others = [kind for kind in KINDS if kind not in way.stops and not (way.lifts and kind == DOMAIN)]
    await _protect(world, others, ["carol"])
    for place, kind in enumerate(kinds):
        await _lift(world, kinds[:place][-1:])
        await _protect(world, [kind], ["alice", "carol"])
        await _is_refused(world, way, kind)
    await _run(world, way, "alice")


async def _prepare(world: World, way: Path_) -> None:
    if way.prepare is not None:
        await way.prepare(world)


async def _is_refused(world: World, way: Path_, kind: str) -> None:
    before = await world.end()
    with pytest.raises(GraphError) as caught:
        await _run(world, way, "bob")
    assert caught.value.code is Code.PROTECTED
    assert caught.value.message in _messages(world, kind)
    assert way.beside or await world.end() == before
    assert (await world.memory.domain_info()).busy is None


async def _run(world: World, way: Path_, actor: str) -> None:
    if way.by_hand is not None:
        world.hand(way.by_hand)
    await way.run(world, world.memory.acting_as(actor))


@pytest.mark.long
@pytest.mark.parametrize("name", PATHS)
async def test_protection_that_ended_stops_nobody(world: World, name: str) -> None:
    way = PATHS[name]
    await _prepare(world, way)
    with world.patch.context() as earlier:
        then = datetime.now(UTC) - timedelta(hours=1)
        earlier.setattr(world.memory._core.log, "clock", lambda: then)
        await _protect(world, KINDS, ["alice"], expires_at=then + timedelta(minutes=1))
    await _run(world, way, "bob")
    if way.leaves:
        assert (await world.memory.upkeep.verify()).differences == ()


def _messages(world: World, kind: str) -> set[str]:
    domain = {
        f'Domain "{world.domain}" is protected against changes',
        f'The memories of domain "{world.domain}" are protected against changes',
    }
    [protected] = _ids(world, kind).values()
    return domain if kind == DOMAIN else {f'{kind.capitalize()} "{protected}" is protected against changes'}


async def _protect(world: World, kinds: Sequence[str], names: list[str], *, expires_at: datetime | None = None) -> None:
    for kind in kinds:
        arguments = {**_ids(world, kind), "reason": "Why", "expires_at": expires_at, "can_be_unprotected_by": names}
        await world.memory.acting_as("carol").protect(**arguments)


async def _lift(world: World, which: list[str]) -> None:
    for kind in reversed(which):
        await world.memory.acting_as("carol").unprotect(**_ids(world, kind))


def _ids(world: World, kind: str) -> dict[str, str]:
    ids = {NODE: {"node_id": world.a}, CONNECTION: {"connection_id": world.r}, DOMAIN: {"domain": world.domain}}
    return ids[kind]
