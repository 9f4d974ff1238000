"""Inferences from connections, and contradictions between them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.inference.results import InferenceResult

pytestmark = pytest.mark.anyio

ANY_ENDS = {"from_types": ["*"], "to_types": ["*"]}
PAIR = [
    {"name": "contains", **ANY_ENDS, "inverse": "part_of", "transitive": True},
    {"name": "part_of", **ANY_ENDS, "inverse": "contains", "transitive": True},
]


async def begin(memory: Memory, types: list[dict[str, Any]], nodes: str, **arguments: Any) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Topic"], "connection_types": types, **arguments}))
    await memory.execute_batch([{"op": "create_node", "type": "Topic", "content": node, "id": node} for node in nodes])


async def connect(memory: Memory, type_name: str, source: str, target: str) -> str:
    return (await memory.create_connection(type_name, source, target)).connection_id


def pairs(inferred: InferenceResult) -> set[tuple[str, str]]:
    return {(connection.from_id, connection.to_id) for connection in inferred.connections}


async def test_what_follows_is_shown_first_and_written_as_one_batch_that_can_be_undone(memory: Memory) -> None:
    await begin(memory, PAIR, "abcd")
    first = await connect(memory, "contains", "a", "b")
    second = await connect(memory, "part_of", "c", "b")
    third = await connect(memory, "contains", "c", "d")
    shown = await memory.infer_connections()
    assert shown.dry_run
    assert pairs(shown) == {("a", "c"), ("a", "d"), ("b", "d")}
    assert [connection.connection_id for connection in shown.connections] == [None] * 3
    assert len((await memory.query_connections()).connection_ids) == 3
    done = await memory.infer_connections(dry_run=False)
    evidence = {(connection.from_id, connection.to_id): connection.evidence for connection in done.connections}
    assert evidence == {
        ("a", "c"): (first, second),
        ("a", "d"): (first, second, third),
        ("b", "d"): (second, third),
    }
    assert {connection.type for connection in done.connections} == {"contains"}
    assert (await memory.infer_connections(dry_run=False)).connections == ()
    [far] = [connection.connection_id for connection in done.connections if len(connection.evidence) == 3]
    result = await memory.get_connection(far or "")
    assert (result.creation_method, result.premises_lost) == ("inferred", None)
    assert result.evidence == " → ".join((first, second, third))
    assert not (await memory.upkeep.verify()).differences

    before = (await memory.history.log(limit=1)).entries[0].seq
    await memory.delete_connection(second)
    assert (await memory.get_connection(far or "")).premises_lost == (second,)
    assert (await (await memory.history.as_of(before)).get_connection(far or "")).premises_lost is None
    again = await memory.infer_connections()
    assert pairs(again) == set()
    assert {premises.connection_id: premises.lost for premises in again.unfounded} == {
        connection.connection_id: (second,) for connection in done.connections
    }
    await memory.history.revert(since=done.since, until=done.until)
    assert len((await memory.query_connections()).connection_ids) == 2


async def test_what_no_longer_holds_is_no_premise(memory: Memory) -> None:
    await begin(memory, PAIR, "abc")
    first = await connect(memory, "contains", "a", "b")
    await connect(memory, "contains", "b", "c")
    done = await memory.infer_connections(dry_run=False)
    await memory.set_validity(first, valid_to="2020-01-01T00:00:00Z")
    assert (await memory.get_connection(done.connections[0].connection_id or "")).premises_lost == (first,)


async def test_what_does_not_hold_yet_is_no_premise(memory: Memory) -> None:
    await begin(memory, PAIR, "abc")
    await connect(memory, "contains", "a", "b")
    second = await connect(memory, "contains", "b", "c")
    await memory.set_validity(second, valid_from="2999-01-01")
    done = await memory.infer_connections(dry_run=False)
    assert (pairs(done), done.unfounded) == (set(), ())


async def test_what_a_rule_forbids_is_not_written_but_counted(memory: Memory) -> None:
    types = [{"name": "part_of", **ANY_ENDS, "inverse": "contains", "transitive": True, "unique_source": True}]
    await begin(memory, types, "abcd")
    for source, target in ("ab", "bc", "cd"):
        await connect(memory, "part_of", source, target)
    inferred = await memory.infer_connections(dry_run=False)
    assert (inferred.connections, inferred.refused, inferred.since) == ((), 3, None)


async def test_a_limit_and_a_depth_leave_the_rest_for_later(memory: Memory) -> None:
    await begin(memory, PAIR, "abcde")
    for source, target in ("ab", "bc", "cd", "de"):
        await connect(memory, "contains", source, target)
    near = await memory.infer_connections(max_depth=2)
    assert pairs(near) == {("a", "c"), ("b", "d"), ("c", "e")}
    some = await memory.infer_connections(limit=2, dry_run=False)
    assert (len(some.connections), some.more) == (2, 4)
    rest = await memory.infer_connections(dry_run=False)
    assert len(pairs(some) | pairs(rest)) == 6
    assert all(len(connection.evidence) > 1 for connection in rest.connections)


async def test_only_a_transitive_type_is_inferred_from(memory: Memory) -> None:
    await begin(memory, [*PAIR, {"name": "likes", **ANY_ENDS}], "ab")
    for arguments in ({"connection_type": "likes"}, {"limit": 0}, {"max_depth": 101}):
        with pytest.raises(GraphError) as caught:
            await memory.infer_connections(**arguments)
        assert caught.value.code is Code.INVALID_ARGUMENT
    assert (await memory.infer_connections(connection_type="part_of")).connections == ()


def descendants(edges: set[tuple[str, str]], start: str) -> set[str]:
    """Return the reachable nodes, computed with sets alone."""
    results: set[str] = set()
    while more := {target for source, target in edges if source in results | {start}} - results:
        results |= more
    return results - {start}


@pytest.mark.parametrize("seed", range(3))
async def test_inference_and_closure_agree_with_sets_on_random_graphs(memory: Memory, seed: int) -> None:
    random, nodes = Random(seed), "abcdefghij"
    symmetric = {"name": "same_as", **ANY_ENDS, "symmetric": True, "transitive": True}
    await begin(memory, [*PAIR, symmetric], nodes)
    edges: dict[str, set[tuple[str, str]]] = {"contains": set(), "same_as": set()}
    operations: list[dict[str, object]] = []
    for _ in range(14):
        name = random.choice(("contains", "part_of", "same_as"))
        source, target = random.sample(nodes, 2)
        ways = {(source, target), (target, source)} if name == "same_as" else {(source, target)}
        ways = {(target, source)} if name == "part_of" else ways
        of_type = edges["same_as" if name == "same_as" else "contains"]
        if not ways & of_type:
            of_type |= ways
            operations.append({"op": "create_connection", "type": name, "from_node_id": source, "to_node_id": target})
    await memory.execute_batch(operations)
    for name, inverse in (("contains", "part_of"), ("same_as", "same_as")):
        for node in nodes:
            expected = descendants(edges[name], node)
            for type_name, direction in ((name, "out"), (inverse, "in")):
                result = await memory.get_connected_nodes(
                    node, direction=direction, connection_type=type_name, transitive=True
                )
                assert set(result.node_ids) == expected, (node, type_name)
    following = {name: {(node, other) for node in nodes for other in descendants(edges[name], node)} for name in edges}
    result = await memory.infer_connections(dry_run=False)
    made = {
        name: {(connection.from_id, connection.to_id) for connection in result.connections if connection.type == name}
        for name in edges
    }
    assert made["contains"] == following["contains"] - edges["contains"]
    both = made["same_as"] | {(target, source) for source, target in made["same_as"]}
    assert both == following["same_as"] - edges["same_as"]
    assert len(both) == 2 * len(made["same_as"])


async def test_contradictions_are_listed_once_with_titles_and_ages(memory: Memory) -> None:
    await begin(memory, [], "abc", open=True)
    link = await connect(memory, "contradicts", "b", "a")
    assert (await memory.create_connection("contradicts", "a", "b")).existing
    text = await connect(memory, "contradicts", "a", "c")
    await memory.set_validity(text, valid_to="2020-01-01T00:00:00Z")
    contradictions = await memory.find_contradictions()
    [pair] = contradictions.contradictions
    assert (pair.connection_id, pair.a.title, pair.b.title, pair.a.age_days) == (link, "b", "a", 0)
    assert len((await memory.find_contradictions(valid_at="2019-06-01")).contradictions) == 2
    then = await memory.history.as_of("now")
    await memory.delete_connection(link)
    assert (await memory.find_contradictions()).contradictions == ()
    assert (await then.find_contradictions()).contradictions == (pair,)


async def test_a_domain_without_contradictions_says_why(memory: Memory) -> None:
    await begin(memory, PAIR, "a")
    contradictions = await memory.find_contradictions()
    assert contradictions.contradictions == ()
    assert '"contradicts" is not in the ontology' in (contradictions.warnings or ("",))[0]
