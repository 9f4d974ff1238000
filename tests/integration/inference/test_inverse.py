"""One connection is stored, and seen under two names: its own, and that of its inverse."""

from __future__ import annotations

from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.model.results import Direction

pytestmark = pytest.mark.anyio

ANY_ENDS = {"from_types": ["*"], "to_types": ["*"]}
ONTOLOGY = {
    "node_types": ["Topic"],
    "connection_types": [
        {"name": "contains", **ANY_ENDS, "inverse": "part_of", "transitive": True},
        {"name": "part_of", **ANY_ENDS, "inverse": "contains", "transitive": True},
        {"name": "relates_to", **ANY_ENDS, "symmetric": True},
        {
            "name": "owns",
            **ANY_ENDS,
            "inverse": "owned_by",
            "unique_target": True,
            "properties": {"since": {"type": "integer", "indexed": True}},
        },
        {"name": "likes", **ANY_ENDS},
    ],
}


@pytest.fixture
async def topics(memory: Memory) -> Memory:
    await memory.create_ontology(ontology_from(ONTOLOGY))
    for name in "abc":
        await memory.create_node("Topic", name, id=name)
    return memory


async def connect(memory: Memory, type_name: str, source: str, target: str, **arguments: Any) -> str:
    return (await memory.create_connection(type_name, source, target, **arguments)).connection_id


async def code_of(call: Any) -> Code:
    with pytest.raises(GraphError) as caught:
        await call
    return caught.value.code


async def neighbours_of(
    memory: Any, node: str, direction: Direction, name: str | None
) -> list[tuple[str, str, str, bool]]:
    """Return the neighbours: node, type, direction, and whether the connection is inferred."""
    nodes = await memory.get_connected_nodes(node, direction=direction, connection_type=name, detail=True)
    many = await memory.get_connected_nodes_of([node], direction=direction, connection_type=name)
    assert many[node] == nodes.node_ids
    return [
        (node.id, link.type, link.direction, bool(link.inferred)) for node in nodes.nodes for link in node.connections
    ]


async def last(memory: Memory) -> int:
    return (await memory.history.log(limit=1)).entries[0].seq


PAIRS = [("contains", "part_of"), ("owns", "owned_by"), ("relates_to", "relates_to")]


@pytest.mark.parametrize(("name", "inverse"), PAIRS)
async def test_a_connection_is_seen_from_both_ends_as_it_is_and_as_it_was(
    topics: Memory, name: str, inverse: str
) -> None:
    link = await connect(topics, name, "a", "b")
    then = await topics.history.as_of(await last(topics))
    for memory in (topics, then):
        assert await neighbours_of(memory, "a", "out", name) == [("b", name, "out", False)]
        assert await neighbours_of(memory, "b", "out", inverse) == [("a", inverse, "out", True)]
        assert await neighbours_of(memory, "b", "in", name) == [("a", name, "in", False)]
        assert await neighbours_of(memory, "a", "in", inverse) == [("b", inverse, "in", True)]
        [(other, _, _, _)] = await neighbours_of(memory, "a", "both", inverse)
        assert other == "b"
        for arguments, is_inferred in (
            ({"type": name, "from_node_id": "a"}, False),
            ({"type": name, "to_node_id": "b"}, False),
            ({"type": inverse, "from_node_id": "b"}, True),
            ({"type": inverse, "to_node_id": "a"}, True),
            ({"type": inverse, "from_node_id": "b", "to_node_id": "a"}, True),
        ):
            page = await memory.query_connections(**arguments, detail=True)
            [brief] = page.connections
            assert (brief.id, bool(brief.inferred)) == (link, is_inferred), arguments
            assert (brief.type, brief.from_id) == ((inverse, "b") if is_inferred else (name, "a"))
            assert (brief.from_title, brief.to_title) == (("b", "a") if is_inferred else ("a", "b"))
        assert (await memory.query_connections(type=inverse)).connection_ids == (link,)
        if name != inverse:
            for arguments in ({"type": inverse, "from_node_id": "a"}, {"type": inverse, "to_node_id": "b"}):
                assert (await memory.query_connections(**arguments)).connection_ids == ()
    await topics.delete_connection(link)
    assert await neighbours_of(topics, "b", "out", inverse) == []
    assert await neighbours_of(then, "b", "out", inverse) == [("a", inverse, "out", True)]


async def test_without_a_type_connections_are_listed_as_they_are_stored(topics: Memory) -> None:
    link = await connect(topics, "contains", "a", "b")
    assert await neighbours_of(topics, "b", "out", None) == []
    assert await neighbours_of(topics, "b", "in", None) == [("a", "contains", "in", False)]
    assert (await topics.query_connections(to_node_id="b")).connection_ids == (link,)
    assert (await topics.query_connections(from_node_id="b")).connection_ids == ()


@pytest.mark.parametrize(("name", "inverse"), PAIRS)
async def test_the_inverse_of_what_exists_is_the_same_connection(topics: Memory, name: str, inverse: str) -> None:
    first = await topics.create_connection(name, "a", "b", properties={"since": 2020})
    before = await last(topics)
    again = await topics.create_connection(inverse, "b", "a", properties={"since": 2020})
    assert (again.connection_id, again.version, again.existing) == (first.connection_id, first.version, True)
    assert await last(topics) == before
    with pytest.raises(GraphError, match=r"already exists") as caught:
        await topics.create_connection(inverse, "b", "a", properties={"since": 2021})
    assert caught.value.code is Code.CONNECTION_ALREADY_EXISTS or name == "owns"
    assert first.connection_id in str(caught.value.details)
    assert (await topics.create_connection("part_of", "a", "b")).existing is None


@pytest.mark.parametrize(("name", "inverse"), PAIRS)
async def test_the_log_and_a_diff_by_either_name_have_the_connection(topics: Memory, name: str, inverse: str) -> None:
    before = await last(topics)
    link = await connect(topics, name, "a", "b")
    await connect(topics, "likes", "a", "b")
    for text in (name, inverse):
        assert [entry.subject for entry in (await topics.history.log(types=[text], since=before)).entries] == [link]
        assert [entry.subject for entry in (await topics.history.diff(since=before, types=[text])).entries] == [link]
    assert (await topics.history.log(types=["owned_by"], until=1)).warnings is None


async def test_what_no_longer_holds_does_not_stand_in_the_way(topics: Memory) -> None:
    first = await connect(topics, "contains", "a", "b")
    await topics.set_validity(first, valid_to="2020-01-01T00:00:00Z")
    again = await topics.create_connection("part_of", "b", "a")
    assert again.existing is None


@pytest.mark.parametrize("way", ["alone", "batch", "revert", "merge"])
async def test_what_has_ended_does_not_hold_again_beside_its_inverse(topics: Memory, domain: str, way: str) -> None:
    first = await connect(topics, "contains", "a", "b")
    await topics.set_validity(first, valid_to="2000-01-01")
    ended = await last(topics)
    if way == "merge":
        await topics.history.branch(f"{domain}-open")
        await topics.in_domain(f"{domain}-open").set_validity(first, valid_to="open")
    second = await connect(topics, "part_of", "b", "a")
    codes = {
        "alone": (lambda: topics.set_validity(first, valid_to="open"), Code.CONNECTION_ALREADY_EXISTS),
        "batch": (
            lambda: topics.execute_batch([{"op": "set_validity", "id": first, "valid_to": "2999-01-01"}]),
            Code.BATCH_REFUSED,
        ),
        "revert": (lambda: topics.history.revert(event_ids=[ended]), Code.REVERT_CONFLICT),
        "merge": (lambda: topics.history.merge(f"{domain}-open"), Code.MERGE_CONFLICT),
    }
    call, code = codes[way]
    assert await code_of(call()) is code
    assert (await topics.query_connections(type="part_of", valid_at="now")).connection_ids == (second,)
    await topics.update_connection(first, properties={"note": "as it was"})
    await topics.set_validity(second, valid_to="2001-01-01")
    await topics.set_validity(first, valid_to="open")
    assert not (await topics.upkeep.verify()).differences


async def test_a_name_that_is_no_type_is_stored_as_the_type_whose_inverse_it_is(topics: Memory) -> None:
    link = await connect(topics, "owned_by", "b", "a", properties={"since": 2020})
    connection = await topics.get_connection(link)
    assert (connection.type, connection.from_node_id, connection.to_node_id) == ("owns", "a", "b")
    assert (connection.inverse, connection.bidirectional, connection.transitive) == ("owned_by", True, None)
    assert (await topics.query_connections(type="owned_by", properties={"since": 2020})).connection_ids == (link,)
    assert await code_of(topics.create_connection("owned_by", "b", "c")) is Code.INVALID_TOPOLOGY  # unique_target
    assert (await topics.validate_connection("owned_by", "Topic", "Topic")).valid
    batch = await topics.execute_batch(
        [{"op": "create_connection", "type": "owned_by", "from_node_id": "c", "to_node_id": "a"}]
    )
    assert batch.created == 1
    assert await neighbours_of(topics, "a", "out", "owns") == [("b", "owns", "out", False), ("c", "owns", "out", False)]
    assert not (await topics.upkeep.verify()).differences


async def test_an_open_ontology_knows_the_names_of_inverses(memory: Memory) -> None:
    declared = {"name": "owns", **ANY_ENDS, "inverse": "owned_by"}
    await memory.create_ontology(ontology_from({"node_types": ["Topic"], "connection_types": [declared], "open": True}))
    for name in "ab":
        await memory.create_node("Topic", name, id=name)
    await connect(memory, "owned_by", "b", "a")
    assert "owned_by" not in [kind.name for kind in (await memory.get_ontology()).connection_types]


async def test_a_batch_is_refused_the_inverse_of_what_it_makes(topics: Memory) -> None:
    operations = [
        {"op": "create_connection", "type": "contains", "from_node_id": "a", "to_node_id": "b"},
        {"op": "create_connection", "type": "part_of", "from_node_id": "b", "to_node_id": "a"},
    ]
    with pytest.raises(GraphError, match="already exists"):
        await topics.execute_batch(operations)
    assert (await topics.query_connections()).connection_ids == ()


async def test_another_process_sees_a_new_inverse_at_once(topics: Memory, settings: Settings, domain: str) -> None:
    await connect(topics, "likes", "a", "b")
    async with open_memory(settings.model_copy(update={"domain": domain})) as other:
        assert (await other.query_connections(type="likes", from_node_id="a")).connection_ids
        assert (await other.query_connections(type="liked_by", from_node_id="b")).connection_ids == ()
        changed = [
            {**kind, "inverse": "liked_by"} if kind["name"] == "likes" else kind
            for kind in ONTOLOGY["connection_types"]
        ]
        await topics.apply_ontology(ontology_from({**ONTOLOGY, "connection_types": changed}))
        assert len((await other.query_connections(type="liked_by", from_node_id="b")).connection_ids) == 1
        both = [*changed, {"name": "liked_by", **ANY_ENDS, "inverse": "likes"}]
        await topics.apply_ontology(ontology_from({**ONTOLOGY, "connection_types": both}))
        await connect(topics, "liked_by", "c", "a")
        assert await neighbours_of(other, "a", "out", "likes") == [
            ("b", "likes", "out", False),
            ("c", "likes", "out", True),
        ]


async def test_two_types_that_become_a_pair_can_be_read_as_of_each_event_of_it(memory: Memory) -> None:
    plain = [{"name": name, **ANY_ENDS} for name in ("above", "below")]
    await memory.create_ontology(ontology_from({"node_types": ["Topic"], "connection_types": plain}))
    pair = [{**item, "inverse": other["name"]} for item, other in zip(plain, reversed(plain), strict=True)]
    before = await last(memory)
    await memory.apply_ontology(ontology_from({"node_types": ["Topic"], "connection_types": pair}))
    lines: list[list[str]] = []
    for at in range(before, await last(memory) + 1):
        ontology = await (await memory.history.as_of(at)).get_ontology()
        lines.append([kind.inverse for kind in ontology.connection_types])
    assert lines == [["", ""], ["", ""], ["below", "above"]]


FAULTS = [
    ({"inverse": "x"}, "is the type itself"),
    ({"inverse": "y", "symmetric": True}, "symmetric"),
    ({"symmetric": True, "acyclic": True}, "cannot be acyclic"),
    ({"symmetric": True, "from_types": ["Topic"]}, "ends have different types"),
    ({"inverse": "_hidden"}, "_hidden"),
]


@pytest.mark.parametrize(("arguments", "message"), FAULTS)
def test_what_contradicts_itself_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        ontology_from({"node_types": ["Topic"], "connection_types": [{"name": "x", **ANY_ENDS, **arguments}]})


PARTNERS = [
    ({"name": "y"}, "is not declared"),
    ({"name": "y", "inverse": "z"}, 'is "z"'),
    ({"name": "y", "inverse": "x", "from_types": ["Topic"]}, "do not join the same"),
    ({"name": "y", "inverse": "x", "unique_source": True}, "cannot be unique_source"),
    ({"name": "z", "inverse": "y"}, "of both"),
]


@pytest.mark.parametrize(("other", "message"), PARTNERS)
def test_two_types_agree_that_each_is_the_inverse_of_the_other(other: dict[str, Any], message: str) -> None:
    types = [{"name": "x", **ANY_ENDS, "inverse": "y"}, {**ANY_ENDS, **other}]
    with pytest.raises(GraphError, match=message) as caught:
        ontology_from({"node_types": ["Topic"], "connection_types": types})
    assert caught.value.code is Code.INVALID_ONTOLOGY


async def reach(memory: Any, node: str, direction: Direction, name: str, **arguments: Any) -> dict[str, int | None]:
    nodes = await memory.get_connected_nodes(
        node, direction=direction, connection_type=name, transitive=True, detail=True, **arguments
    )
    assert nodes.node_ids == tuple(node.id for node in nodes.nodes)
    return {node.id: node.steps for node in nodes.nodes}


async def test_a_transitive_type_is_followed_all_the_way_by_either_name_and_ends_at_cycles(topics: Memory) -> None:
    for name in "de":
        await topics.create_node("Topic", name, id=name)
    await connect(topics, "contains", "a", "b")
    await connect(topics, "part_of", "c", "b")
    await connect(topics, "contains", "c", "d")
    closing = await connect(topics, "contains", "d", "a")
    then = await topics.history.as_of(await last(topics))
    await topics.delete_connection(closing)
    await connect(topics, "contains", "d", "e")
    assert await reach(topics, "a", "out", "contains") == {"b": 1, "c": 2, "d": 3, "e": 4}
    assert await reach(topics, "a", "in", "part_of") == {"b": 1, "c": 2, "d": 3, "e": 4}
    assert await reach(topics, "e", "out", "part_of") == {"d": 1, "c": 2, "b": 3, "a": 4}
    assert await reach(then, "a", "out", "contains") == {"b": 1, "c": 2, "d": 3}
    assert await reach(then, "d", "both", "contains") == {"a": 1, "b": 2, "c": 1}
    assert await reach(topics, "a", "out", "contains", max_depth=2) == {"b": 1, "c": 2}
    cut = await topics.get_connected_nodes(
        "a", direction="out", connection_type="contains", transitive=True, max_depth=2
    )
    assert cut.warnings == ("There may be more nodes beyond 2 steps.",)
    page = await topics.get_connected_nodes("a", direction="out", connection_type="contains", transitive=True, limit=3)
    assert page.node_ids == ("b", "c", "d")
    rest = await topics.get_connected_nodes(
        "a", direction="out", connection_type="contains", transitive=True, limit=3, cursor=page.next_cursor
    )
    assert (rest.node_ids, rest.next_cursor) == (("e",), None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"connection_type": "likes", "transitive": True}, '"likes" is not transitive'),
        ({"connection_type": "nothing", "transitive": True}, '"nothing" is not transitive'),
        ({"transitive": True}, "needs a connection_type"),
        ({"connection_type": "contains", "max_depth": 2}, "needs transitive"),
        ({"connection_type": "contains", "transitive": True, "max_depth": 0}, "from 1 to 100"),
    ],
)
async def test_only_a_transitive_type_is_followed_so(topics: Memory, arguments: dict[str, Any], message: str) -> None:
    for reader in (topics, await topics.history.as_of("now")):
        with pytest.raises(GraphError, match=message) as caught:
            await reader.get_connected_nodes("a", direction="out", **arguments)
        assert caught.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(GraphError, match="does not exist"):
        await topics.get_connected_nodes("zz", direction="out", connection_type="contains", transitive=True)
