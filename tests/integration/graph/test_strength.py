"""How strong a connection is said to be: on every way in, in every copy, and in what is told of it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.transfer.results import GraphFormat
from graph_memory.model.results import ConnectionInfo
from profiles import some
from tables import for_rows

pytestmark = pytest.mark.anyio

TYPES = {
    "node_types": ["Note"],
    "connection_types": [{"name": "About", "from": ["Note"], "to": ["Note"]}],
}
STRENGTH = {"semantic": 0.8, "structural": 0.1, "temporal": 0.7, "confidence": 0.6}


@pytest.fixture
async def home(memory: Memory) -> Memory:
    await memory.create_ontology(ontology_from(TYPES))
    for name in ("a", "b", "c"):
        await memory.create_node("Note", f"# {name}", id=name)
    await memory.create_connection("About", "a", "b", id="all", strength=STRENGTH)
    await memory.create_connection("About", "b", "c", id="one", strength=0.5)
    await memory.create_connection("About", "c", "a", id="none")
    return memory


async def read_strength(memory: Memory, text: str) -> dict[str, float] | None:
    return (await memory.get_connection(text)).strength


async def test_a_strength_is_kept_and_shown_as_it_was_given(home: Memory) -> None:
    assert await read_strength(home, "all") == STRENGTH
    assert await read_strength(home, "one") == {"semantic": 0.5, "structural": 0.5, "temporal": 1.0, "confidence": 0.9}
    result = (await home.get_connection("none")).to_dict()
    assert "strength" not in result
    assert "importance" not in result
    assert result["creation_method"] == "manual"


async def test_an_update_changes_what_it_names_and_leaves_the_rest(home: Memory) -> None:
    before = (await home.get_connection("all")).version
    changed = await home.update_connection("all", strength={"semantic": 1})
    assert changed.version > before
    assert await read_strength(home, "all") == {**STRENGTH, "semantic": 1.0}
    assert (await home.update_connection("all", strength={"semantic": 1.0})).version == changed.version
    assert (await home.update_connection("all", strength={})).version == changed.version
    await home.update_connection("none", strength={"confidence": 0})
    assert await read_strength(home, "none") == {"confidence": 0.0}


@for_rows(
    "value",
    [
        True,
        "0.5",
        [0.5],
        -0.01,
        1.01,
        10**400,
        math.nan,
        math.inf,
        {"semantic": True},
        {"semantic": None},
        {"semantic": "0.5"},
        {"semantic": math.nan},
        {"structural": 2},
        {"semantik": 0.5},
        {"_strength_semantic": 0.5},
    ],
)
async def test_what_is_no_strength_is_refused_and_changes_nothing(home: Memory, value: Any) -> None:
    before = (await home.history.log()).entries[0].seq
    for write in (
        home.create_connection("About", "a", "c", strength=value),
        home.update_connection("all", strength=value),
    ):
        with pytest.raises(GraphError) as refused:
            await write
        assert refused.value.code == Code.INVALID_ARGUMENT
        assert str(refused.value.details["argument"]).startswith("strength")
        assert refused.value.hint
    with pytest.raises(GraphError) as refused:
        await home.execute_batch([{"op": "update_connection", "connection_id": "all", "strength": value}])
    assert refused.value.code == Code.BATCH_REFUSED
    assert (await home.history.log()).entries[0].seq == before


async def test_a_batch_takes_strengths_also_with_edges(home: Memory) -> None:
    await home.execute_batch(
        [
            {"op": "create_connection", "type": "About", "source": "a", "target": "c", "strength": 0.2, "id": "made"},
            {"op": "update_connection", "connection_id": "made", "strength": {"semantic": 0.4}},
            {
                "type": "create",
                "node_id": "d",
                "node_data": {"type": "Note", "content": "d"},
                "edges": [{"type": "About", "target": "a", "id": "edge", "strength": {"confidence": 1}}],
            },
        ]
    )
    assert await read_strength(home, "made") == {"semantic": 0.4, "structural": 0.2, "temporal": 1.0, "confidence": 0.9}
    assert await read_strength(home, "edge") == {"confidence": 1.0}
    assert (await home.upkeep.verify()).clean


async def test_who_created_a_relation_is_known_however_it_was_made(memory: Memory) -> None:
    entities = memory.acting_as("anna").entities
    await entities.create_entities([{"name": name, "entityType": "person", "observations": []} for name in ("A", "B")])
    await entities.create_relations([{"from": "A", "to": "B", "type": "knows"}])
    await entities.remember(name="A", relations=[{"type": "likes", "to": "B"}])
    relation = {"from": "B", "to": "A", "type": "trusts"}
    await memory.acting_as("anna").execute_batch([{"op": "create_relations", "relations": [relation]}])
    made = (await memory.query_connections()).connection_ids
    assert [(await memory.get_connection(text)).created_by for text in made] == ["anna"] * 3


async def test_who_created_a_connection_stays_known(home: Memory) -> None:
    anna = home.acting_as("anna")
    await anna.create_connection("About", "a", "c", id="mine")
    await anna.execute_batch(
        [{"op": "create_connection", "type": "About", "from_node_id": "b", "to_node_id": "a", "id": "many"}]
    )
    await home.acting_as("ben").update_connection("mine", strength=0.3)
    assert [(await home.get_connection(text)).created_by for text in ("mine", "many", "all")] == ["anna", "anna", None]
    branched = await home.history.branch(f"{home._domain(None)}-b")
    assert (await home.in_domain(branched.domain).get_connection("mine")).created_by == "anna"


async def test_the_log_and_the_past_and_a_revert_know_strengths(home: Memory) -> None:
    seq = (await home.update_connection("all", strength={"semantic": 0.2})).version
    entry = (await home.history.log(full=True)).entries[0]
    assert "semantic strength 0.8 → 0.2" in entry.summary
    diff = await home.history.diff(since=seq - 1, until=seq)
    assert [(change.name, change.before, change.after) for change in diff.entries[0].attributes or ()] == [
        ("strength semantic", 0.8, 0.2)
    ]
    past = await home.history.as_of(seq - 1)
    assert (await past.get_connection("all")).strength == STRENGTH
    await home.history.revert(event_ids=[seq])
    assert await read_strength(home, "all") == STRENGTH
    assert (await home.upkeep.verify()).clean


async def test_a_merge_takes_both_sides_and_tells_a_clash_by_name(home: Memory) -> None:
    name = f"{home._domain(None)}-b"
    other = home.in_domain((await home.history.branch(name)).domain)
    await other.update_connection("all", strength={"semantic": 0.3, "confidence": 0.3})
    await other.acting_as("anna").create_connection("About", "a", "c", id="theirs", strength=1)
    await home.update_connection("all", strength={"semantic": 0.4, "temporal": 0.4})
    preview = await home.history.merge(name, preview=True)
    assert [(conflict.property, conflict.ours, conflict.theirs) for conflict in preview.conflicts] == [
        ("_strength_semantic", 0.4, 0.3)
    ]
    chosen: dict[str, object] = {"subject": "all", "property": "_strength_semantic"}
    for wrong in (2, "x", True):
        with pytest.raises(GraphError) as refused:
            await home.history.merge(name, resolutions=[{**chosen, "value": wrong}])
        assert refused.value.code == Code.INVALID_ARGUMENT
    await home.history.merge(name, resolutions=[{**chosen, "value": 0.35}])
    assert await read_strength(home, "all") == {"semantic": 0.35, "structural": 0.1, "temporal": 0.4, "confidence": 0.3}
    assert (await home.get_connection("theirs")).created_by == "anna"
    assert (await home.upkeep.verify()).clean


def measures_of(connection: ConnectionInfo) -> object:
    return connection.strength, connection.importance


@pytest.mark.parametrize("form", some(["csv", "jsonl", "graphml"]))
async def test_strengths_go_through_the_formats_of_other_programs(
    home: Memory, tmp_path: Path, form: GraphFormat
) -> None:
    target = tmp_path / ("graph" if form == "csv" else f"graph.{form}")
    await home.transfer.export_graph(target, form)
    copy = home.in_domain(f"{home._domain(None)}-copy")
    await copy.transfer.load(target, ontology=ontology_from(TYPES))
    for text in ("all", "one", "none"):
        assert measures_of(await copy.get_connection(text)) == measures_of(await home.get_connection(text))
    await home.update_connection("all", strength={"semantic": 0.05})
    await home.transfer.export_graph(tmp_path / f"again.{form}" if form != "csv" else tmp_path / "again", form)
    await copy.transfer.load(tmp_path / (f"again.{form}" if form != "csv" else "again"), on_conflict="update")
    assert await read_strength(copy, "all") == {**STRENGTH, "semantic": 0.05}
    assert (await copy.upkeep.verify()).clean


async def test_a_load_refuses_what_is_no_strength_with_its_place(home: Memory, tmp_path: Path) -> None:
    line = '{"connection": {"type": "About", "from": "a", "to": "c", %s}}\n'
    wrong = ['"strength": 2', '"strength": {"semantik": 1}', '"strength": "x"', '"importance": -1']
    (tmp_path / "g.jsonl").write_text("".join(line % text for text in wrong))
    (tmp_path / "r.csv").write_text(":START_ID,:END_ID,:TYPE,_strength_semantic:double\na,c,About,much\n")
    done = await home.transfer.load([tmp_path / "g.jsonl", tmp_path / "r.csv"], skip_invalid=True, dry_run=True)
    assert done.refused.count == 5
    assert {refusal.line for refusal in done.refused.first if refusal.file == "g.jsonl"} == {1, 2, 3, 4}


@pytest.mark.long
async def test_the_whole_log_and_a_folder_keep_strengths(home: Memory, tmp_path: Path) -> None:
    await home.acting_as("anna").create_connection("About", "a", "c", id="mine", strength={"semantic": 1})
    await home.transfer.export_file(tmp_path / "log.jsonl")
    await home.transfer.export_folder(tmp_path / "folder")
    names = [f"{home._domain(None)}-{text}" for text in ("log", "folder")]
    await home.transfer.import_file(tmp_path / "log.jsonl", name=names[0])
    await home.transfer.import_folder(tmp_path / "folder", name=names[1])
    for copy in map(home.in_domain, names):
        for name in ("all", "one", "none", "mine"):
            connection, current = await copy.get_connection(name), await home.get_connection(name)
            assert (measures_of(connection), connection.created_by) == (measures_of(current), current.created_by)
        assert (await copy.upkeep.verify()).clean


@pytest.mark.parametrize("wrong", some(["1.5", "true", '"x"']))
async def test_a_forged_strength_is_refused(home: Memory, tmp_path: Path, wrong: str) -> None:
    await home.transfer.export_file(tmp_path / "log.jsonl")
    forged = (tmp_path / "log.jsonl").read_text().replace('"_strength_semantic":0.8', f'"_strength_semantic":{wrong}')
    (tmp_path / "forged.jsonl").write_text(forged)
    with pytest.raises(GraphError) as refused:
        await home.transfer.import_file(tmp_path / "forged.jsonl", name=f"{home._domain(None)}-forged")
    assert refused.value.code == Code.INVALID_ARCHIVE
    await home.transfer.export_folder(tmp_path / "folder")
    registry = tmp_path / "folder" / "_system" / "registry.json"
    registry.write_text(registry.read_text().replace('"semantic": 0.8', f'"semantic": {wrong}'))
    with pytest.raises(GraphError) as refused:
        await home.transfer.import_folder(tmp_path / "folder", name=f"{home._domain(None)}-forged")
    assert refused.value.code == Code.INVALID_ARCHIVE


@pytest.mark.long
async def test_a_strength_that_a_hand_wrote_can_be_adopted_if_it_is_one(home: Memory, driver: Driver) -> None:
    change = "MATCH ()-[r:About {_domain: $domain, _id: 'all'}]->() SET r._strength_semantic = $value RETURN count(*)"
    arguments = {"domain": home._domain(None)}
    driver.execute_query(change, arguments | {"value": 0.25})
    assert not (await home.upkeep.verify()).clean
    await home.upkeep.reconcile(adopt="all")
    assert await read_strength(home, "all") == {**STRENGTH, "semantic": 0.25}
    driver.execute_query(change, arguments | {"value": 7})
    done = await home.upkeep.reconcile(adopt="all")
    assert await read_strength(home, "all") == {**STRENGTH, "semantic": 0.25}, done
