"""Up to ten thousand operations in one transaction: in few round trips and bounded memory."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from neo4j import AsyncSession, AsyncTransaction

from graph_memory import Memory, ontology_from
from graph_memory.memory.batch.operations import MAX_OPERATIONS

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(240)]

ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Person", "properties": [{"name": "email", "unique": True}]}],
        "connection_types": [{"name": "Knows", "from": ["Person"], "to": ["Person"], "unique_pair": True}],
    }
)


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Requests that the driver sends and waits for. Every row comes with its answer, as sessions fetch all."""
    results: list[str] = []

    def count_calls(owner: type, name: str) -> None:
        whole = getattr(owner, name)

        async def call(self: Any, *args: Any, **arguments: Any) -> Any:
            results.append(f"{name} {str(args[:1])[:60]}")
            return await whole(self, *args, **arguments)

        monkeypatch.setattr(owner, name, call)

    for owner, name in [
        (AsyncSession, "run"),
        (AsyncSession, "begin_transaction"),
        (AsyncTransaction, "run"),
        (AsyncTransaction, "commit"),
    ]:
        count_calls(owner, name)
    return results


def people(count: int) -> list[dict[str, Any]]:
    """Return as many operations: people, each of whom knows the next."""
    half = count // 2
    created = [
        {"op": "create_node", "type": "Person", "content": f"person {n}", "ref": f"p{n}", "properties": {"email": n}}
        for n in range(half)
    ]
    linked = [
        {"op": "create_connection", "type": "Knows", "from_node_id": f"$p{n}", "to_node_id": f"$p{(n + 1) % half}"}
        for n in range(half)
    ]
    return [*created, *linked]


@pytest.mark.parametrize(
    ("count", "most", "megabytes"), [(1_000, 20, 40), pytest.param(MAX_OPERATIONS, 40, 200, marks=pytest.mark.long)]
)
async def test_many_operations_take_few_round_trips_and_bounded_memory(
    memory: Memory, trips: list[str], count: int, most: int, megabytes: int
):
    await memory.create_ontology(ONTOLOGY)
    operations, half = people(count), count // 2
    trips.clear()
    tracemalloc.start()
    try:
        done = await memory.execute_batch(operations)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (done.created, len(done.results), len(trips) <= most) == (count, count, True), trips
    assert peak < megabytes * 1_000_000
    ids = [item.id for item in done.results[:half]]
    assert (await memory.query_nodes(properties={"email": 321})).node_ids == (ids[321],)
    trips.clear()
    updates = [
        {"op": "update_node", "node_id": node_id, "properties": {"email": n + 1}} for n, node_id in enumerate(ids)
    ]
    deletes = [{"op": "delete_connection", "connection_id": item.id} for item in done.results[half:]]
    changed = await memory.execute_batch([*updates, *deletes])
    assert (changed.updated, changed.deleted, len(trips) <= most) == (half, half, True), trips
    assert (await memory.domain_info()).connections == 0
