"""The overview of a domain by communities: computed in the background, cached, and current in its titles."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.traversal.communities import computation, labels, query
from graph_memory.memory.traversal.communities.results import Communities
from support import last

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {"node_types": ["Note", "Person"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]}
)


@pytest.fixture(autouse=True)
def restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute again after each change."""
    monkeypatch.setattr(computation, "REST", 0)


@pytest.fixture
async def clubs(memory: Memory) -> Memory:
    """A memory of two clubs that one connection joins, and a person without connections."""
    await memory.create_ontology(ONTOLOGY)
    for name in ("a1", "a2", "a3", "a4", "b1", "b2", "b3", "z"):
        kind = "Person" if name.startswith("a") else "Note"
        await memory.create_node(kind, name, id=name, title=name.upper())
    for club in (("a1", "a2", "a3", "a4"), ("b1", "b2", "b3")):
        for first, second in combinations(club, 2):
            await memory.create_connection("Link", first, second)
    await memory.create_connection("Link", "a1", "b1")
    return memory


async def current(memory: Memory, **arguments: Any) -> Communities:
    """Return the communities as of the end of the log."""
    with anyio.fail_after(30):
        while True:
            result = await memory.recall.get_communities(max_wait=20, **arguments)
            if result.at == result.seq:
                return result
            await anyio.sleep(0.05)


async def test_a_domain_is_seen_as_its_communities(clubs: Memory) -> None:
    result = await clubs.recall.get_communities(max_wait=20)
    assert [(group.id, group.label, group.size, group.types) for group in result.communities] == [
        ("a1", "A1, A2, A3", 4, {"Person": 4}),
        ("b1", "B1, B2, B3", 3, {"Note": 3}),
        (":unconnected", "Without connections", 1, {"Note": 1}),
    ]
    [edge] = result.edges
    assert (edge.from_id, edge.to_id, edge.connections) == ("a1", "b1", 1)
    assert (result.nodes, result.left_out, result.members) == (8, None, None)
    assert (result.at, result.seq, result.is_computing) == (await last(clubs), await last(clubs), False)


async def test_one_community_and_the_communities_of_nodes(clubs: Memory) -> None:
    [club] = (await current(clubs, community_id="a1")).communities
    assert [node.id for node in club.nodes] == ["a1", "a2", "a3", "a4"]
    assert (await current(clubs, community_id="a3")).communities == (club,)
    assert (await current(clubs, community_id="nobody")).communities == ()
    result = await current(clubs, node_ids=["b2", "z", "nobody"])
    assert result.members == {"b2": "b1", "z": ":unconnected"}
    assert [group.id for group in result.communities] == ["b1", ":unconnected"]
    few = await current(clubs, limit=1)
    assert ([group.id for group in few.communities], few.edges, few.left_out) == (["a1", ":unconnected"], (), 1)


async def test_edges_that_are_omitted_are_told(clubs: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await current(clubs)).warnings is None
    monkeypatch.setattr(query, "EDGES", 0)
    result = await current(clubs)
    assert result.edges == ()
    assert result.warnings == ("The 1 edges with the fewest connections are omitted. Raise limit to get more.",)


async def test_an_older_result_is_returned_at_once_while_a_newer_one_is_computed(clubs: Memory) -> None:
    before = await current(clubs)
    await clubs.update_node("a1", title="Chair")
    await clubs.delete_node("b3")
    result = await clubs.recall.get_communities()
    assert (result.at, result.seq, result.is_computing) == (before.seq, await last(clubs), True)
    labels = [group.label for group in result.communities]
    assert labels == ["Chair, A2, A3", "B1, B2", "Without connections"]
    assert [group.size for group in (await current(clubs)).communities] == [4, 2, 1]


async def test_a_failed_computation_is_an_error_and_is_repeated(clubs: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(labels, "COMMAND", [*labels.COMMAND[:-1], "graph_memory.no_such_module"])
        with pytest.raises(GraphError) as failed:
            await clubs.recall.get_communities(max_wait=20)
    assert failed.value.code is Code.INTERNAL
    assert "no_such_module" in failed.value.message
    assert len((await current(clubs)).communities) == 3


async def test_without_waiting_there_is_no_result_yet_and_a_transaction_computes_none(clubs: Memory) -> None:
    result = await clubs.recall.get_communities(max_wait=0)
    assert (result.communities, result.at, result.is_computing) == ((), None, True)
    await current(clubs)
    await clubs.create_node("Note", "new")
    async with clubs.transaction() as writing:
        inside = await writing.recall.get_communities()
        assert (len(inside.communities), inside.is_computing) == (3, False)
    with pytest.raises(GraphError) as missing:
        await clubs.in_domain("never").recall.get_communities()
    assert missing.value.code is Code.ONTOLOGY_NOT_FOUND


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"max_wait": 61}, {"node_ids": ["x"] * 2_001}])
async def test_limits_are_checked(clubs: Memory, arguments: dict[str, Any]) -> None:
    with pytest.raises(GraphError) as refused:
        await clubs.recall.get_communities(**arguments)
    assert (refused.value.code, refused.value.details["argument"]) == (Code.INVALID_ARGUMENT, next(iter(arguments)))


async def test_a_node_without_a_title_is_listed_by_a_property(memory: Memory) -> None:
    person = {"name": "Person", "properties": {"nickname": {}}}
    await memory.create_ontology(
        ontology_from({"node_types": [person], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]})
    )
    await memory.create_node("Person", "", id="a", properties={"nickname": "Mo"})
    await memory.create_node("Person", "Bo", id="b")
    await memory.create_connection("Link", "a", "b")
    [group] = (await current(memory)).communities
    assert {node.title for node in group.nodes} == {"Mo", "Bo"}
