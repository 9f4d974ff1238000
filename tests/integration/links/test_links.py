"""Links between domains: what both ends see, what becomes of a link whose target goes, and what no link can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any, LiteralString
from uuid import uuid4

import pytest
from neo4j import Driver

from graph_memory import GraphError, Memory, ontology_from
from graph_memory.cli.output.walks import show_walk
from graph_memory.model.errors import Code
from graph_memory.model.subjects.links import LinkType
from integration.links.conftest import DECLARED, Pair
from tables import for_rows

pytestmark = pytest.mark.anyio
DRAWN = "MATCH (:_Node {_id: $a})-[:_LINKS]->(:_Link)-[:_LEADS_TO]->(t:_Node {_id: $b}) RETURN count(t) AS found"


def count_paths(driver: Driver, pair: Pair) -> int:
    """Return the number of native paths from one node to the other."""
    return driver.execute_query(DRAWN, a=pair.a, b=pair.b).records[0]["found"]


async def test_a_link_is_seen_from_both_ends_and_drawn(pair: Pair, driver: Driver) -> None:
    text, other = pair.names
    more: dict[str, Any] = {"strength": 0.7, "description": "why", "metadata": {"by": "test"}}
    made = await pair.first.links.create_cross_domain_link(
        pair.a, other, pair.b, link_type="extension", bidirectional=True, **more
    )
    assert made.success
    assert made.source_ref is not None
    assert made.target_ref is not None
    to, back = made.source_ref, made.target_ref
    assert (to.domain, to.node_id, to.link_type, to.description, to.strength) == (
        other,
        pair.b,
        "extension",
        "why",
        0.7,
    )
    assert (back.domain, back.node_id, back.link_type) == (text, pair.a, "extended_by")
    assert back.description == "Bidirectional link from: why"
    assert back.metadata == to.metadata == {"by": "test"}
    [link], [current] = [(await memory.links.list_cross_domain_links()).links for memory in (pair.first, pair.other)]
    assert (link.link_id, link.domain, link.node_id, link.ref) == (made.link_id, text, pair.a, to)
    assert (current.link_id, current.domain, current.node_id, current.ref) == (made.link_id, text, pair.b, back)
    assert link.dangling is current.dangling is None
    assert count_paths(driver, pair) == 1
    assert await pair.clean()


async def test_a_one_way_link_is_not_seen_from_its_target(pair: Pair) -> None:
    made = await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    assert made.target_ref is None
    assert (await pair.other.links.list_cross_domain_links(pair.b)).links == ()
    assert len((await pair.first.links.list_cross_domain_links(pair.a, direction="out")).links) == 1
    assert (await pair.first.links.list_cross_domain_links(pair.a, direction="in")).links == ()


async def test_a_link_whose_target_goes_dangles_and_leads_there_again_when_it_returns(
    pair: Pair, driver: Driver
) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    version = (await pair.other.delete_node(pair.b)).version
    [link] = (await pair.first.links.list_cross_domain_links()).links
    assert link.dangling == f"Node {pair.b} was deleted in domain {pair.names[1]}"
    assert (link.ref.node_id, link.ref.title) == (pair.b, None)
    assert count_paths(driver, pair) == 0
    assert await pair.clean()
    await pair.other.history.revert(event_ids=[version])
    [link] = (await pair.first.links.list_cross_domain_links()).links
    assert link.dangling is None
    assert count_paths(driver, pair) == 1
    assert await pair.clean()


async def test_a_link_goes_with_its_source_and_comes_back_with_it(pair: Pair, driver: Driver) -> None:
    made = await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    result = await pair.first.delete_node(pair.a)
    assert result.connections == 1
    assert (await pair.first.links.list_cross_domain_links()).links == ()
    assert await pair.clean()
    await pair.first.history.revert(since=result.version - result.connections, until=result.version)
    assert [link.link_id for link in (await pair.first.links.list_cross_domain_links()).links] == [made.link_id]
    assert count_paths(driver, pair) == 1
    assert await pair.clean()


async def test_a_deleted_link_can_be_undone(pair: Pair, driver: Driver) -> None:
    made = await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    assert made.link_id is not None
    done = await pair.first.links.delete_cross_domain_link(made.link_id)
    assert count_paths(driver, pair) == 0
    with pytest.raises(GraphError) as refused:
        await pair.first.links.delete_cross_domain_link(made.link_id)
    assert refused.value.code is Code.LINK_NOT_FOUND
    await pair.first.history.revert(event_ids=[done.version])
    assert count_paths(driver, pair) == 1
    [entry] = (await pair.first.history.log(limit=1)).entries
    assert entry.summary.startswith("Link reference from")


async def test_a_deleted_target_domain_leaves_the_link(pair: Pair) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, bidirectional=True)
    await pair.other.delete_domain(pair.names[1])
    [link] = (await pair.first.links.list_cross_domain_links()).links
    assert link.dangling == f"Domain {pair.names[1]} does not exist"
    assert (await pair.first.upkeep.verify()).clean


@pytest.mark.long
async def test_an_erased_target_is_told_as_erased(pair: Pair) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    await pair.other.history.erase(pair.b)
    [link] = (await pair.first.links.list_cross_domain_links()).links
    assert link.dangling == f"Node {pair.b} was erased in domain {pair.names[1]}"
    assert await pair.clean()


async def test_an_erased_source_takes_its_links(pair: Pair) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, description="secret")
    await pair.first.history.erase(pair.a)
    assert (await pair.first.links.list_cross_domain_links()).links == ()
    assert "secret" not in str(await pair.first.history.log())
    assert await pair.clean()


@pytest.mark.parametrize("first", [0, 1])
async def test_exported_and_imported_in_any_order_the_link_leads_there(
    pair: Pair, tmp_path: Path, driver: Driver, first: int
) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, metadata={"k": 1})
    both = (pair.first, pair.other)
    for number, memory in enumerate(both):
        await memory.transfer.export_file(tmp_path / f"{number}.jsonl")
    for memory in both:
        await memory.delete_domain(memory._domain(None))
    for number in (first, 1 - first):
        await both[number].transfer.import_file(tmp_path / f"{number}.jsonl")
    [link] = (await pair.first.links.list_cross_domain_links()).links
    assert (link.dangling, link.ref.metadata) == (None, {"k": 1})
    assert count_paths(driver, pair) == 1
    assert await pair.clean()


async def test_a_folder_keeps_links(pair: Pair, tmp_path: Path) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, description="why", metadata={"k": 1})
    written = await pair.first.transfer.export_folder(tmp_path / "folder")
    assert written.links == 1
    name = f"test-{uuid4().hex[:20]}"
    read = await pair.first.transfer.import_folder(tmp_path / "folder", name=name)
    assert read.links == 1
    [before] = (await pair.first.links.list_cross_domain_links()).links
    [after] = (await pair.first.links.list_cross_domain_links(domain=name)).links
    assert (after.link_id, after.ref) == (before.link_id, before.ref)
    assert (await pair.first.upkeep.verify(domain=name)).clean


async def test_a_branch_has_the_links_and_a_merge_brings_new_ones(pair: Pair) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    name = f"{pair.names[0]}-b"
    await pair.first.history.branch(name)
    branch = pair.first.in_domain(name)
    [copied] = (await branch.links.list_cross_domain_links()).links
    assert (copied.domain, copied.node_id, copied.dangling) == (name, pair.a, None)
    made = await branch.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, link_type="version")
    await pair.first.history.merge(name)
    links = (await pair.first.links.list_cross_domain_links()).links
    assert made.link_id in [link.link_id for link in links]
    assert len(links) == 2
    assert (await branch.upkeep.verify()).clean
    assert await pair.clean()


async def test_a_domain_that_is_begun_again_is_led_to_again(pair: Pair, driver: Driver) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    await pair.other.delete_domain(pair.names[1])
    await pair.other.create_ontology(ontology_from(DECLARED))
    await pair.other.create_node("Note", "again", id=pair.b)
    assert count_paths(driver, pair) == 1
    assert await pair.clean()


@pytest.mark.long
async def test_no_undo_and_no_merge_makes_a_second_link_of_a_type(pair: Pair) -> None:
    first = await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    assert first.link_id is not None
    result = await pair.first.links.delete_cross_domain_link(first.link_id)
    second = await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, strength=0.3)
    with pytest.raises(GraphError) as refused:
        await pair.first.history.revert(event_ids=[result.version])
    assert refused.value.code is Code.REVERT_CONFLICT
    assert second.link_id in str(refused.value.details)
    name = f"{pair.names[0]}-b"
    await pair.first.history.branch(name)
    for memory, strength in ((pair.first, 0.2), (pair.first.in_domain(name), 0.9)):
        await memory.links.create_cross_domain_link(
            pair.a, pair.names[1], pair.b, link_type="version", strength=strength
        )
    with pytest.raises(GraphError) as refused:
        await pair.first.history.merge(name)
    assert refused.value.code is Code.MERGE_CONFLICT
    assert len((await pair.first.links.list_cross_domain_links()).links) == 2


async def test_what_is_tried_in_a_branch_is_not_seen_from_the_target(pair: Pair) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, bidirectional=True)
    await pair.first.history.branch(f"{pair.names[0]}-b")
    assert [link.domain for link in (await pair.other.links.list_cross_domain_links()).links] == [pair.names[0]]
    walked = await pair.other.recall.traverse_memories(pair.b, cross_domains=True)
    assert [(node.id, node.domain) for node in walked.nodes[1:]] == [(pair.a, pair.names[0])]


async def test_entities_that_are_merged_keep_their_links_each_once(pair: Pair) -> None:
    home = pair.first.in_domain(f"test-{uuid4().hex[:20]}")
    made = [await home.entities.remember(name=name, type="person", observations=[name]) for name in ("Ann", "An")]
    ann, an = (str(result.id) for result in made)
    kinds: tuple[tuple[str, LinkType], ...] = ((ann, "reference"), (an, "reference"), (an, "version"))
    for node, kind in kinds:
        await home.links.create_cross_domain_link(node, pair.names[1], pair.b, link_type=kind)
    await home.entities.merge_entities(["An"], "Ann")
    links = (await home.links.list_cross_domain_links()).links
    assert sorted((link.node_id, link.ref.link_type) for link in links) == [(ann, "reference"), (ann, "version")]
    assert (await home.upkeep.verify()).clean


async def test_compacting_keeps_a_link(pair: Pair, tmp_path: Path) -> None:
    made = await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    await pair.first.history.compact(2, archive=tmp_path / "past.jsonl")
    assert [link.link_id for link in (await pair.first.links.list_cross_domain_links()).links] == [made.link_id]
    assert await pair.clean()


async def test_a_protected_node_gets_no_link_and_loses_none(pair: Pair) -> None:
    made = await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    assert made.link_id is not None
    await pair.first.protect(node_id=pair.a)
    for act in (
        pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, link_type="version"),
        pair.first.links.delete_cross_domain_link(made.link_id),
    ):
        with pytest.raises(GraphError) as refused:
            await act
        assert refused.value.code is Code.PROTECTED


async def test_a_protected_target_may_be_linked_to(pair: Pair) -> None:
    await pair.other.protect(domain=pair.names[1])
    assert (await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, bidirectional=True)).success


DAMAGE: dict[str, LiteralString] = {
    "a property": "MATCH (l:_Link {_domain: $domain}) SET l._strength = 0.1",
    "the way to the target": "MATCH (:_Link {_domain: $domain})-[r:_LEADS_TO]->() DELETE r",
    "another target": "MATCH (l:_Link {_domain: $domain}), (n:_Node {_domain: $domain}) CREATE (l)-[:_LEADS_TO]->(n)",
    "the source": "MATCH ()-[r:_LINKS]->(:_Link {_domain: $domain}) DELETE r",
    "the link": "MATCH (l:_Link {_domain: $domain}) DETACH DELETE l",
    "one too many": "MATCH (n:_Node {_domain: $domain}) CREATE (n)-[:_LINKS]->(:_Link {_domain: n._domain, _id: 'l'})",
}


async def test_verify_finds_what_a_hand_did_to_a_link_and_rebuild_mends_it(pair: Pair, driver: Driver) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    for name, damage in DAMAGE.items():
        driver.execute_query(damage, domain=pair.names[0])
        verification = await pair.first.upkeep.rebuild()
        assert (verification.clean, verification.unmended, count_paths(driver, pair)) == (False, (), 1), name
    assert await pair.clean()


async def test_a_native_link_is_nothing_to_adopt(pair: Pair) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    for memory in (pair.first, pair.other):
        assert (await memory.upkeep.reconcile()).changes == ()


WRONG: dict[str, tuple[dict[str, Any], Code]] = {
    "the same domain": ({"target_domain": "own"}, Code.INVALID_ARGUMENT),
    "no such domain": ({"target_domain": "nowhere"}, Code.ONTOLOGY_NOT_FOUND),
    "no such target": ({"target_node_id": "mem_unknown"}, Code.NODE_NOT_FOUND),
    "no such source": ({"source_node_id": "mem_unknown"}, Code.NODE_NOT_FOUND),
    "no such type": ({"link_type": "refers"}, Code.INVALID_ARGUMENT),
    "too strong": ({"strength": 2}, Code.INVALID_ARGUMENT),
    "no number": ({"strength": float("nan")}, Code.INVALID_ARGUMENT),
    "neither true nor false": ({"bidirectional": "no"}, Code.INVALID_ARGUMENT),
    "no object": ({"metadata": "x"}, Code.INVALID_ARGUMENT),
    "too much": ({"metadata": {"x": "y" * 70_000}}, Code.INVALID_ARGUMENT),
    "half a character": ({"description": "\ud800"}, Code.INVALID_ARGUMENT),
}


@for_rows(("arguments", "code"), WRONG.values())
async def test_what_is_wrong_is_refused_and_changes_nothing(pair: Pair, arguments: dict[str, Any], code: Code) -> None:
    sound = {"source_node_id": pair.a, "target_domain": pair.names[1], "target_node_id": pair.b}
    results = {**sound, **arguments}
    if results["target_domain"] == "own":
        results["target_domain"] = pair.names[0]
    before = (await pair.first.history.log(limit=1)).entries[0].seq
    with pytest.raises(GraphError) as refused:
        await pair.first.links.create_cross_domain_link(**results)
    assert refused.value.code is code
    assert refused.value.hint or refused.value.code is Code.ONTOLOGY_NOT_FOUND
    if arguments.get("target_node_id"):
        assert refused.value.message == f'Node "mem_unknown" does not exist in domain {pair.names[1]}'
    assert (await pair.first.history.log(limit=1)).entries[0].seq == before


async def test_the_same_link_twice_is_refused_with_the_first(pair: Pair) -> None:
    made = await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    with pytest.raises(GraphError) as refused:
        await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    assert refused.value.code is Code.LINK_ALREADY_EXISTS
    assert refused.value.details["link_id"] == made.link_id
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, link_type="alternative")


async def test_without_a_target_the_best_entry_point_is_found(pair: Pair) -> None:
    await pair.other.create_node("Note", "Pasta with tomatoes and basil.")
    made = await pair.first.links.create_cross_domain_link(pair.a, pair.names[1])
    assert made.success
    assert made.source_ref is not None
    assert made.source_ref.node_id == pair.b
    assert made.candidates is not None
    assert made.candidates[0].node_id == pair.b


async def test_where_nothing_fits_no_link_is_made(memory: Memory, pair: Pair) -> None:
    empty = memory.in_domain(f"test-{uuid4().hex[:20]}")
    await empty.create_ontology(ontology_from(DECLARED))
    made = await pair.first.links.create_cross_domain_link(pair.a, empty._domain(None))
    assert (made.success, made.link_id, made.candidates) == (False, None, ())
    assert made.hint
    unlike = await pair.other.create_node("Note", "TCP congestion control: slow start keeps a network alive.")
    made = await pair.other.links.create_cross_domain_link(unlike.node_id, pair.names[0])
    assert (made.success, made.link_id) == (False, None)
    assert [candidate.fits for candidate in made.candidates or ()] == [False]
    assert (await pair.first.links.list_cross_domain_links()).links == ()


@pytest.mark.long
async def test_a_short_text_that_has_nothing_to_do_with_the_source_is_no_entry_point(pair: Pair) -> None:
    short = await pair.other.create_node("Note", "# Bananas")
    for text in (
        "# Apples and how to store them in a cellar over winter",
        "# Todo",
        "# Team\nWho works on what.",
        "# Ann",
    ):
        source = await pair.first.create_node("Note", text)
        made = await pair.first.links.create_cross_domain_link(source.node_id, pair.names[1])
        assert made.success is False or made.source_ref.node_id != short.node_id, text  # type: ignore[union-attr]
    source = await pair.first.create_node("Note", "# Fruit salad\nCut two bananas and an orange.")
    made = await pair.first.links.create_cross_domain_link(source.node_id, pair.names[1])
    assert made.source_ref is not None
    assert made.source_ref.node_id == short.node_id


async def test_pages_of_links_give_each_once(pair: Pair) -> None:
    nodes = [(await pair.first.create_node("Note", f"note {number}")).node_id for number in range(5)]
    made = [await pair.first.links.create_cross_domain_link(node, pair.names[1], pair.b) for node in nodes]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = await pair.first.links.list_cross_domain_links(limit=2, cursor=cursor)
        seen += [link.link_id for link in page.links]
        if (cursor := page.next_cursor) is None:
            break
    assert sorted(seen) == sorted(str(receipt.link_id) for receipt in made)
    assert len(seen) == 5


async def test_a_walk_follows_links_only_when_it_may(pair: Pair) -> None:
    near = (await pair.other.create_node("Note", "next to it")).node_id
    await pair.other.create_connection("Link", pair.b, near)
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, strength=0.4)
    at_home = await pair.first.recall.traverse_memories(pair.a)
    assert [node.id for node in at_home.nodes] == [pair.a]
    walked = await pair.first.recall.traverse_memories(pair.a, cross_domains=True)
    assert [(node.id, node.domain, node.depth) for node in walked.nodes] == [
        (pair.a, None, 0),
        (pair.b, pair.names[1], 1),
        (near, pair.names[1], 2),
    ]
    assert walked.nodes[1].content == "How to keep bees through the winter."
    [link] = [connection for connection in walked.connections if connection.type == "reference"]
    assert (link.from_id, link.from_domain, link.to_id, link.to_domain) == (pair.a, None, pair.b, pair.names[1])
    assert link.weight == 0.4
    weak = await pair.first.recall.traverse_memories(pair.a, cross_domains=True, edge_filter={"min_strength": 0.5})
    assert [node.id for node in weak.nodes] == [pair.a]


@pytest.mark.parametrize("bidirectional", [False, True])
async def test_a_walk_goes_back_along_bidirectional_links_only(pair: Pair, bidirectional: bool) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b, bidirectional=bidirectional)
    walked = await pair.other.recall.traverse_memories(pair.b, cross_domains=True)
    assert [(node.id, node.domain) for node in walked.nodes[1:]] == ([(pair.a, pair.names[0])] if bidirectional else [])
    outward = await pair.other.recall.traverse_memories(pair.b, cross_domains=True, edge_filter={"direction": "out"})
    assert len(outward.nodes) == 1


async def test_a_walk_through_a_copy_tells_nodes_of_the_same_id_apart(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = f"{pair.names[0]}-b"
    await pair.first.history.branch(copy)
    await pair.first.links.create_cross_domain_link(pair.a, copy, pair.a, link_type="version")
    walked = await pair.first.recall.traverse_memories(pair.a, cross_domains=True, max_depth=5)
    assert [(node.id, node.domain, node.parent, node.parent_domain) for node in walked.nodes] == [
        (pair.a, None, None, None),
        (pair.a, copy, pair.a, None),
    ]
    show_walk(walked)
    assert capsys.readouterr().out.count("Anna keeps bees.") == 4  # titles and contents of both


@pytest.mark.long
async def test_a_walk_filters_nodes_of_other_domains_too(pair: Pair) -> None:
    await pair.first.links.create_cross_domain_link(pair.a, pair.names[1], pair.b)
    arguments = {"cross_domains": True, "node_filter": {"tags": ["bees"]}}
    assert len((await pair.first.recall.traverse_memories(pair.a, **arguments)).nodes) == 1
    await pair.other.update_node(pair.b, tags=["bees"])
    assert len((await pair.first.recall.traverse_memories(pair.a, **arguments)).nodes) == 2


async def test_nothing_but_what_is_linked_crosses(pair: Pair) -> None:
    """All pairs of three domains are linked, and none of what is beside the linked nodes is ever read at home."""
    domains = [pair.first, pair.other, pair.first.in_domain(f"test-{uuid4().hex[:20]}")]
    await domains[-1].create_ontology(ontology_from(DECLARED))
    linked, secrets = list[str](), list[str]()
    for number, domain in enumerate(domains):
        linked.append((await domain.create_node("Note", f"open {number}")).node_id)
        secrets.append((await domain.create_node("Note", f"secret {number}")).node_id)
    for index, domain in enumerate(domains):
        for other, target in enumerate(domains):
            if index != other:
                await domain.links.create_cross_domain_link(
                    linked[index], target._domain(None), linked[other], bidirectional=True
                )
    for number, domain in enumerate(domains):
        results = [
            await domain.recall.traverse_memories(linked[number], max_depth=10, max_nodes=500),
            await domain.recall.get_neighbors(linked[number]),
            await domain.recall.recall(depth="deep"),
            await domain.recall.search_memories("open secret", search_mode="lexical"),
            await domain.get_connected_nodes(linked[number], direction="both"),
            await domain.query_nodes(),
        ]
        own = {linked[number], secrets[number]}
        for foreign in {*linked, *secrets} - own:
            assert foreign not in str(results)
        crossed = await domain.recall.traverse_memories(linked[number], max_depth=10, max_nodes=500, cross_domains=True)
        assert {node.id for node in crossed.nodes} == {*linked}
        assert (await domain.upkeep.verify()).clean
