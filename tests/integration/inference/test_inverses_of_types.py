"""Types whose inverses would not agree: a revert or a merge leaves the types in conflict, and changes nothing else."""

from __future__ import annotations

import pytest

from graph_memory import Code, GraphError, Memory, Ontology, ontology_from

pytestmark = pytest.mark.anyio

ENDS = {"from": ["Topic"], "to": ["Topic"]}


def topics(contains: str | None = None, part_of: str | None = None, within: str | None = None) -> Ontology:
    """Return the types `contains`, `part_of` and `within`, each with its inverse."""
    arguments = {"contains": contains, "part_of": part_of, "within": within}
    types = [{"name": name, **ENDS, **({"inverse": other} if other else {})} for name, other in arguments.items()]
    return ontology_from({"node_types": ["Topic"], "connection_types": types})


async def inverses(memory: Memory) -> dict[str, str]:
    return {kind.name: kind.inverse for kind in (await memory.get_ontology()).connection_types if kind.inverse}


async def pair(memory: Memory) -> int:
    """Make two types a pair, and return the number of the first of the two events."""
    await memory.create_ontology(topics())
    await memory.apply_ontology(topics("part_of", "contains"))
    return (await memory.history.log(subject="connection_type/contains")).entries[0].seq


async def test_a_revert_of_one_type_of_a_pair_is_a_conflict_of_that_type(memory: Memory) -> None:
    first = await pair(memory)
    node = await memory.create_node("Topic", "kept")
    for seq in (first, first + 1):
        with pytest.raises(GraphError) as refused:
            await memory.history.revert(event_ids=[seq])
        assert refused.value.code is Code.REVERT_CONFLICT
        assert "contains" in str(refused.value.details)
        assert "part_of" in str(refused.value.details)
    done = await memory.history.revert(event_ids=[first, node.version], on_conflict="skip")
    assert [skipped.subject for skipped in done.skipped] == ["connection_type/contains"]
    assert (await memory.query_nodes()).node_ids == ()
    assert await inverses(memory) == {"contains": "part_of", "part_of": "contains"}
    await memory.history.revert(event_ids=[first, first + 1])
    assert await inverses(memory) == {}
    assert (await memory.upkeep.verify()).clean


async def test_a_merge_takes_a_pair_as_a_whole(memory: Memory, domain: str) -> None:
    await memory.create_ontology(topics())
    await memory.history.branch(f"{domain}-b")
    branch = memory.in_domain(f"{domain}-b")
    await branch.apply_ontology(topics("part_of", "contains"))
    done = await memory.history.merge(f"{domain}-b", into=domain)
    assert done.conflicts == ()
    assert await inverses(memory) == {"contains": "part_of", "part_of": "contains"}
    assert (await memory.upkeep.verify()).clean


async def test_a_merge_that_would_give_a_type_two_inverses_is_a_conflict_of_types(memory: Memory, domain: str) -> None:
    await memory.create_ontology(topics())
    await memory.history.branch(f"{domain}-b")
    branch = memory.in_domain(f"{domain}-b")
    await branch.apply_ontology(topics("part_of", "contains"))
    await branch.create_node("Topic", "kept")
    await memory.apply_ontology(topics(None, "within", "part_of"))
    with pytest.raises(GraphError) as refused:
        await memory.history.merge(f"{domain}-b", into=domain)
    assert refused.value.code is Code.MERGE_CONFLICT
    assert "part_of" in refused.value.message
    assert "inverse" in refused.value.message
    done = await memory.history.merge(f"{domain}-b", into=domain, strategy="ours")
    assert done.conflicts == ()
    assert len((await memory.query_nodes()).node_ids) == 1
    assert await inverses(memory) == {"part_of": "within", "within": "part_of"}
    assert (await memory.upkeep.verify()).clean


async def test_only_a_type_with_an_inverse_can_have_it_materialized() -> None:
    declared = {"name": "likes", **ENDS, "materialize_inverse": True}
    with pytest.raises(GraphError) as caught:
        ontology_from({"node_types": ["Topic"], "connection_types": [declared]})
    assert caught.value.code is Code.INVALID_ONTOLOGY
