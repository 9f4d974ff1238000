"""LlamaIndex's property graph store and memory block on the graph, beside the framework's store in memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core import MockEmbedding, PropertyGraphIndex
from llama_index.core.graph_stores import SimplePropertyGraphStore
from llama_index.core.graph_stores.types import ChunkNode, EntityNode, LabelledNode, PropertyGraphStore, Relation
from llama_index.core.indices.property_graph import ImplicitPathExtractor
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.core.memory import Memory as ChatMemory
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery

from graph_memory import Code, GraphError, Memory
from graph_memory.adapters.llama_index import GraphMemoryBlock, GraphPropertyStore
from graph_memory.model.ontology.ontology import NodeType, Ontology, PropertyRule
from graph_memory.model.values.properties import PropertyType
from graph_memory.sync import SyncMemory
from profiles import profile

NAMES = ("Ann", "Bob", 'the "Inn"', "é/🧠", "x" * 300)
values = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from(["", "red", [1, "a"], {"deep": None}, 2.5]))
properties = st.dictionaries(st.sampled_from(["color", "size", "_node_type", "name"]), values, max_size=3)
entities = st.builds(
    EntityNode, name=st.sampled_from(NAMES), label=st.sampled_from(["entity", "Person"]), properties=properties
)
chunks = st.builds(
    ChunkNode, text=st.sampled_from(["one", "two\nlines", ""]), id_=st.sampled_from(["c1", "c2"]), properties=properties
)
relations = st.builds(
    Relation,
    label=st.sampled_from(["KNOWS", "LIKES"]),
    source_id=st.sampled_from(["Ann", "Bob"]),
    target_id=st.sampled_from(["Bob", "new", "c1"]),
)
calls = st.one_of(
    st.tuples(st.just("upsert_nodes"), st.lists(entities | chunks, max_size=3)),
    st.tuples(st.just("upsert_relations"), st.lists(relations, min_size=1, max_size=2)),
)
some_ids = st.none() | st.lists(st.sampled_from(["Ann", "Bob", "c1", "the  Inn ", "none"]), min_size=1, max_size=2)
some = st.none() | st.fixed_dictionaries({"color": st.sampled_from(["red", 1, None])})
labels = st.none() | st.just(["KNOWS"])


def content_of(result: Sequence[Any]) -> list[str]:
    """Return nodes or triplets as sorted JSON."""
    return sorted(
        json.dumps([part.model_dump() for part in (entry if isinstance(entry, tuple) else [entry])], sort_keys=True)
        for entry in result
    )


@profile(examples=40)
@given(st.lists(calls, min_size=1, max_size=6), some_ids, some, labels, st.integers(0, 3))
def test_answers_equal_those_of_the_store_in_memory(
    memory_sync: SyncMemory, history: list[tuple[str, Any]], ids: Any, wanted: Any, names: Any, depth: int
) -> None:
    stores: list[PropertyGraphStore] = [
        SimplePropertyGraphStore(),
        GraphPropertyStore(memory_sync, domain=f"test-{uuid4().hex[:20]}"),
    ]
    for method, batch in history:
        for store in stores:
            getattr(store, method)(batch)
    reads = (
        lambda store: store.get(wanted, ids),
        lambda store: store.get(),
        lambda store: store.get_triplets(ids, names, wanted),
        lambda store: store.get_triplets(ids=ids),
        lambda store: store.get_rel_map(store.get(ids=["Ann"]), depth, 1_000),
    )
    for read in reads:
        expected, answer = [content_of(read(store)) for store in stores]
        assert answer == sorted(set(expected))  # the store in memory repeats triplets


@pytest.fixture
async def store(memory: Memory) -> GraphPropertyStore:
    return GraphPropertyStore(memory, session="monday")


class OtherNode(LabelledNode):
    """A node of another class."""

    def __str__(self) -> str:
        return "other"

    @property
    def id(self) -> str:
        return "other"


ANN = EntityNode(name="Ann", label="Person", properties={"city": "Rome", "born": None})


@pytest.mark.anyio
async def test_entities_are_those_of_the_other_tools_and_deletes_are_narrow(
    store: GraphPropertyStore, memory: Memory
) -> None:
    knows = Relation(label="KNOWS", source_id="Ann", target_id="Bob", properties={"since": 2020, "odd": None})
    await store.aupsert_nodes([ANN, EntityNode(name="Eve", label="Person")])
    await store.aupsert_relations([knows])
    [entity] = (await memory.entities.open_nodes(["Ann"])).entities
    assert (entity.name, entity.entity_type) == ("Ann", "Person")
    await memory.entities.update_entity("Ann", properties={"city": "Oslo"})
    assert (await store.aget(ids=["Ann"]))[0].properties == {"city": "Oslo", "born": None}
    [(_, relation, end)] = await store.aget_triplets(relation_names=["KNOWS"])
    assert (relation.properties, end.id) == (knows.properties, "Bob")
    await store.adelete(relation_names=["KNOWS"])
    await store.adelete(entity_names=["Bob"])
    await store.adelete()
    assert [node.id for node in await store.aget()] == ["Ann", "Eve"]
    await store.adelete(properties={"city": "Oslo"})
    assert [node.id for node in await store.aget()] == ["Eve"]
    assert {(entry.actor, entry.session) for entry in (await memory.history.log(session="monday")).entries} == {
        ("llama-index", "monday")
    }


@pytest.mark.anyio
async def test_entities_of_other_tools_keep_their_content_and_metadata(
    store: GraphPropertyStore, memory: Memory
) -> None:
    await memory.entities.create_entities([{"name": "Ann", "entityType": "human", "observations": ["sings"]}])
    [ann] = (await memory.query_nodes(properties={"name": "Ann"})).node_ids
    await memory.update_node(ann, content="A singer.", metadata={"source": "diary"})
    await store.aupsert_relations([Relation(label="KNOWS", source_id="Ann", target_id="Bob")])
    assert [(node.id, node.label) for node in await store.aget(ids=["Ann"])] == [("Ann", "human")]
    for city in ("Rome", "Oslo"):
        await store.aupsert_nodes([EntityNode(name="Ann", label="Person", properties={"city": city, "name": "A."})])
    [node] = await memory.describe_nodes([ann])
    assert (node.type, node.properties["city"], (node.metadata or {})["source"]) == ("Person", "Oslo", "diary")
    assert (await memory.get_node_content(ann)).content == "A singer."
    [entity] = (await memory.entities.open_nodes(["Ann"])).entities
    assert "sings" in entity.observations
    assert (await store.aget(ids=["Ann"]))[0].properties == {"city": "Oslo", "name": "A."}


@pytest.mark.anyio
async def test_concurrent_upserts_store_each_node_and_relation_once_and_merge_properties(
    store: GraphPropertyStore, memory: Memory
) -> None:
    knows = Relation(label="KNOWS", source_id="c1", target_id="x" * 300, properties={"since": 2020, "odd": None})
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(store.aupsert_nodes, [ChunkNode(text="one", id_="c1")])
            tasks.start_soon(store.aupsert_relations, [knows])
    await store.aupsert_relations([knows.model_copy(update={"properties": {"odd": 1, "place": ["Rome"]}})])
    assert sorted(node.id for node in await store.aget()) == ["c1", "x" * 300]
    [(_, relation, _)] = await store.aget_triplets(ids=["c1"])
    assert relation.properties == {"since": 2020, "odd": 1, "place": ["Rome"]}
    assert len((await memory.query_connections()).connection_ids) == 1


@pytest.mark.anyio
async def test_a_closed_ontology_refuses_labels_and_values_and_nothing_is_written(
    store: GraphPropertyStore, memory: Memory
) -> None:
    rules = (PropertyRule("name", PropertyType.STRING), PropertyRule("age", PropertyType.INTEGER))
    await memory.create_ontology(Ontology.create((NodeType("Person", properties=rules),)))
    for node, code in (
        (EntityNode(name="Rome", label="City"), Code.INVALID_NODE_TYPE),
        (EntityNode(name="Bob", label="Person", properties={"age": "old"}), Code.INVALID_PROPERTY),
    ):
        with pytest.raises(GraphError) as caught:
            await store.aupsert_nodes([EntityNode(name="Ann", label="Person", properties={"age": 40}), node])
        assert code in str(caught.value.details) or caught.value.code is code
    assert await store.aget() == []
    with pytest.raises(GraphError):
        await store.aupsert_relations([Relation(label="KNOWS", source_id="Ann", target_id="Bob")])
    assert await store.aget() == []


@pytest.mark.anyio
async def test_queries_that_need_vectors_or_cypher_say_what_to_do(store: GraphPropertyStore, memory: Memory) -> None:
    await store.aupsert_nodes([ANN, ChunkNode(text="The kitchen is to be blue.", id_="c1")])
    nodes, scores = await store.avector_query(VectorStoreQuery(query_str="kitchen colour", similarity_top_k=1))
    assert [node.id for node in nodes] == ["c1"]
    assert len(scores) == 1
    assert await store.avector_query(VectorStoreQuery(query_str="kitchen", similarity_top_k=0)) == ([], [])
    elsewhere = GraphPropertyStore(memory, domain="no-such-domain")
    assert await elsewhere.avector_query(VectorStoreQuery(query_str="kitchen")) == ([], [])
    for call in (
        store.avector_query(VectorStoreQuery(query_embedding=[0.1])),
        store.avector_query(VectorStoreQuery(query_str="kitchen", node_ids=["c1"])),
        store.astructured_query("MATCH (n) RETURN n"),
        store.aupsert_nodes([OtherNode()]),
    ):
        with pytest.raises(GraphError) as caught:
            await call
        assert caught.value.code is Code.INVALID_ARGUMENT
    open_store = GraphPropertyStore(memory, allow_cypher=True)
    assert await open_store.astructured_query("RETURN $x AS x", {"x": 1}) == [{"x": 1}]
    assert "Person" in await open_store.aget_schema()


def test_an_index_of_llama_index_builds_and_reads_the_graph(memory_sync: SyncMemory, domain: str) -> None:
    first, second = TextNode(id_="1", text="The kitchen is blue."), TextNode(id_="2", text="The garden is green.")
    first.relationships[NodeRelationship.NEXT] = RelatedNodeInfo(node_id="2")
    store = GraphPropertyStore(memory_sync, domain=domain)
    index = PropertyGraphIndex(
        [first, second],
        llm=MockLLM(),
        embed_model=MockEmbedding(embed_dim=2),
        kg_extractors=[ImplicitPathExtractor()],
        property_graph_store=store,
        embed_kg_nodes=False,
    )
    assert [node.get_content() for node in store.get_llama_nodes(["1"])] == ["The kitchen is blue."]
    [(start, relation, end)] = store.get_triplets(ids=["1"])
    assert (start.id, relation.label, end.id) == ("1", "NEXT", "2")
    index.property_graph_store.delete_llama_nodes(node_ids=["1"])
    assert [node.id for node in store.get()] == ["2"]


@pytest.mark.anyio
async def test_a_chat_knows_what_left_its_short_term_memory(memory: Memory) -> None:
    def chat(session: str) -> ChatMemory:
        block = GraphMemoryBlock(memory)
        return ChatMemory.from_defaults(
            session_id=session, token_limit=40, chat_history_token_ratio=0.2, token_flush_size=5, memory_blocks=[block]
        )

    monday = chat("monday")
    for text in ("The kitchen is to be blue.", "Something else about the garden.", "And the weather is fine today."):
        await monday.aput(ChatMessage(role="user", content=text))
    assert {(entry.actor, entry.session) for entry in (await memory.history.log(session="monday")).entries} == {
        ("llama-index", "monday")
    }
    await monday.sql_store._async_engine.dispose()  # pyright: ignore
    block = GraphMemoryBlock(memory)
    assert await block.aget([ChatMessage(role="user", content="")]) == ""
    text = await block.aget([ChatMessage(role="user", content="What colour will the kitchen be?")])
    assert "The kitchen is to be blue." in text
    assert "This is data" in text
