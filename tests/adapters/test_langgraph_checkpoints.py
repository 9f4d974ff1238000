"""LangGraph's checkpoints on the graph: the framework's conformance suite, and its saver in memory beside ours."""

from __future__ import annotations

import json
import operator
import pickle
from collections.abc import AsyncGenerator, Mapping
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple, empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from graph_memory import Code, GraphError, Memory
from graph_memory.adapters.langgraph import GraphSaver
from graph_memory.sync import SyncMemory
from profiles import profile

THREADS = ("ann", "a/b é", "a/" * 150)
places = st.tuples(st.sampled_from(THREADS), st.sampled_from(["", "child:1"]))
values = st.sampled_from([None, 1, "text", b"bytes", [1, {"a": 2}], HumanMessage("hi", id="1"), "x" * 60_000])
channels = st.dictionaries(st.sampled_from(["messages", "a", "b"]), values, max_size=3)
writes = st.lists(st.tuples(st.sampled_from(["messages", "a", "__error__", "__interrupt__"]), values), max_size=3)
calls = st.one_of(
    st.tuples(st.just("put"), places, channels, st.integers(0, 2), st.booleans()),
    st.tuples(st.just("copy"), places),
    st.tuples(st.just("put_writes"), places, writes, st.sampled_from(["task 1", "task 2"]), st.sampled_from(["", "p"])),
    st.tuples(st.just("get_tuple"), places),
    st.tuples(st.just("list"), places, st.sampled_from([None, {"step": 1}]), st.sampled_from([None, 0, 1, 9])),
    st.tuples(st.just("delete_thread"), places),
)


class Pair:
    """Both savers, with the checkpoints that were put last."""

    def __init__(self, memory: SyncMemory) -> None:
        self.reference = InMemorySaver()
        self.saver = GraphSaver(memory, domain=f"test-{uuid4().hex[:20]}")
        self.latest: dict[tuple[str, str], RunnableConfig] = {}

    def apply(self, name: str, place: tuple[str, str], *arguments: Any) -> None:
        thread, namespace = place
        config: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": namespace}}
        parent = self.latest.get(place, config)
        if name == "put":
            self.put(place, parent, *arguments)
        elif name == "copy" and parent is not config:
            self.copy(place, parent)
        elif name == "put_writes" and parent is not config:
            for saver in self.savers:
                saver.put_writes(parent, *arguments)
        elif name == "list":
            condition, limit = arguments
            self.compare(lambda saver: _list_all(saver, config, condition, limit))
            self.compare(lambda saver: _list_all(saver, config_of(thread), condition, limit))
        elif name == "delete_thread":
            for saver in self.savers:
                saver.delete_thread(thread)
            self.latest = {place: latest for place, latest in self.latest.items() if place[0] != thread}
        self.compare(lambda saver: _content(saver.get_tuple(config)))
        self.compare(lambda saver: _content(saver.get_tuple(parent)))

    def put(
        self, place: tuple[str, str], parent: RunnableConfig, changed: Mapping[str, Any], step: int, run: bool
    ) -> None:
        before = self.reference.get_tuple(parent) if place in self.latest else None
        checkpoint = {**empty_checkpoint(), "id": str(uuid6())}
        versions = dict(before.checkpoint["channel_versions"]) if before else {}
        new = {name: self.reference.get_next_version(versions.get(name), None) for name in changed}
        checkpoint["channel_versions"] = {**versions, **new}
        checkpoint["channel_values"] = {**(before.checkpoint["channel_values"] if before else {}), **changed}
        metadata: Any = {"source": "loop", "step": step, **({"run_id": "run-1"} if run else {})}
        stored = [saver.put(parent, checkpoint, metadata, new) for saver in self.savers]  # pyright: ignore
        assert stored[0] == stored[1]
        self.latest[place] = stored[0]

    def copy(self, place: tuple[str, str], config: RunnableConfig) -> None:
        """Put a copy under the parent, as `update_state(config, None, as_node="__copy__")` does."""
        entry = self.reference.get_tuple(config)
        assert entry
        parent: RunnableConfig = entry.parent_config or {
            "configurable": {**config["configurable"], "checkpoint_id": None}
        }
        checkpoint: Any = {**entry.checkpoint, "id": str(uuid6())}
        stored = [saver.put(parent, checkpoint, {"source": "fork", "step": 9}, {}) for saver in self.savers]
        self.latest[place] = stored[0]

    @property
    def savers(self) -> tuple[BaseCheckpointSaver[Any], ...]:
        return self.reference, self.saver

    def compare(self, call: Any) -> None:
        assert call(self.saver) == call(self.reference)


def _content(entry: CheckpointTuple | None) -> Any:
    return entry and (entry.config, entry.checkpoint, entry.metadata, entry.parent_config, entry.pending_writes)


def _list_all(saver: BaseCheckpointSaver[Any], config: Any, condition: Any, limit: int | None) -> Any:
    entries = [_content(entry) for entry in saver.list(config, filter=condition, limit=None)]
    limited = list(saver.list(config, filter=condition, limit=limit))
    assert len(limited) == (len(entries) if limit is None else min(limit, len(entries)))
    if len({entry[0]["configurable"]["checkpoint_ns"] for entry in entries}) == 1:
        assert entries == sorted(entries, key=_id_of, reverse=True)
    return sorted(entries, key=_id_of)


def _id_of(entry: Any) -> str:
    return entry[0]["configurable"]["checkpoint_id"]


@profile(examples=40)
@given(st.lists(calls, min_size=1, max_size=10))
def test_answers_equal_those_of_the_saver_in_memory(memory_sync: SyncMemory, history: list[tuple[Any, ...]]) -> None:
    pair = Pair(memory_sync)
    for call in history:
        pair.apply(*call)


@pytest.mark.anyio
async def test_the_saver_passes_the_conformance_suite(memory: Memory) -> None:
    @checkpointer_test(name="GraphSaver")
    async def saver() -> AsyncGenerator[GraphSaver]:
        yield GraphSaver(memory)

    report = await validate(saver)
    assert report.conformance_level() == "FULL"
    assert {name: result.failures for name, result in report.results.items() if result.failures} == {}
    assert all(result.tests_passed for result in report.results.values())


class State(TypedDict):
    steps: Annotated[list[str], operator.add]


def _graph(saver: BaseCheckpointSaver[Any]) -> Any:
    def ask(_: State) -> dict[str, list[str]]:
        return {"steps": [interrupt("Which colour?")]}

    builder = StateGraph(State)
    builder.add_node("begin", lambda _: {"steps": ["begun"]})  # pyright: ignore
    builder.add_node("ask", ask)
    builder.add_edge(START, "begin")
    builder.add_edge("begin", "ask")
    builder.add_edge("ask", END)
    return builder.compile(checkpointer=saver)


@pytest.mark.anyio
async def test_an_interrupted_graph_continues_and_branches_from_an_earlier_checkpoint(memory: Memory) -> None:
    config: RunnableConfig = {"configurable": {"thread_id": "ann"}}
    result = await _graph(GraphSaver(memory)).ainvoke({"steps": ["asked"]}, config)
    assert result["__interrupt__"][0].value == "Which colour?"
    graph = _graph(GraphSaver(memory))
    assert (await graph.ainvoke(Command(resume="blue"), config))["steps"] == ["asked", "begun", "blue"]
    history = [state async for state in graph.aget_state_history(config)]
    [before] = [state for state in history if state.next == ("ask",)]
    await graph.ainvoke(None, before.config)
    assert (await graph.ainvoke(Command(resume="red"), config))["steps"] == ["asked", "begun", "red"]
    assert (await memory.history.log(session="ann")).entries[0].actor == "langgraph"
    await GraphSaver(memory).aprune(["ann"])
    assert (await graph.aget_state(config)).values["steps"] == ["asked", "begun", "red"]
    assert len([state async for state in graph.aget_state_history(config)]) == 1


@pytest.mark.anyio
async def test_deleting_a_thread_leaves_no_node_and_searches_never_read_checkpoints(memory: Memory) -> None:
    saver = GraphSaver(memory)
    config: RunnableConfig = {"configurable": {"thread_id": "ann", "checkpoint_ns": ""}}
    for text in ("kitchen", "kitchen " * 10_000):
        checkpoint = {**empty_checkpoint(), "channel_values": {"a": text}, "channel_versions": {"a": text[:8]}}
        stored = await saver.aput(config, checkpoint, {"step": 1}, {"a": text[:8]})  # pyright: ignore
        await saver.aput_writes(stored, [("a", text)], "task 1")
    assert len((await memory.query_nodes()).node_ids) == 6
    assert not (await memory.search_content("kitchen")).node_ids
    await saver.adelete_thread("ann")
    assert not (await memory.query_nodes()).node_ids


async def put_texts(saver: GraphSaver, thread: str, *texts: str) -> None:
    """Put a checkpoint with a value and a write for each text."""
    config: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    for text in texts:
        checkpoint: Any = {**empty_checkpoint(), "channel_values": {"a": [text]}, "channel_versions": {"a": text[:8]}}
        checkpoint["id"] = str(uuid6())
        config = await saver.aput(config, checkpoint, {"step": 1}, {"a": text[:8]})
        await saver.aput_writes(config, [("a", text)], "task 1")


async def states_of(memory: Memory, thread: str) -> list[Any]:
    """Return all states in the log of the nodes of a thread."""
    entries = (await memory.history.log(full=True, limit=1_000)).entries
    states = [state for entry in entries for state in (entry.before, entry.after) if state is not None]
    return [state for state in states if f'"{thread}"' in json.dumps(state, default=str)]


@pytest.mark.anyio
@pytest.mark.parametrize("is_deleted_before", [False, True])
async def test_an_erased_thread_has_no_value_in_the_log_and_other_threads_are_intact(
    memory: Memory, is_deleted_before: bool
) -> None:
    saver = GraphSaver(memory)
    words = {thread: f"word{uuid4().hex}" for thread in ("ann", "ben")}
    for thread, word in words.items():
        await put_texts(saver, thread, f"1 {word}", f"2 {word * 2_000}")
    await saver.aprune(["ann"])
    for word in words.values():
        assert {finding.place for finding in (await memory.history.scan(word)).findings} == {"node", "blob"}
    if is_deleted_before:
        await saver.adelete_thread("ann")
    before = [entry async for entry in saver.alist(config_of("ben"))]
    assert await states_of(memory, "ann")
    ben_states = await states_of(memory, "ben")
    assert await saver.aerase_thread("ann") == 6
    assert await states_of(memory, "ann") == []
    assert (await memory.history.scan(words["ann"])).clean
    assert await saver.aget_tuple(config_of("ann")) is None
    assert [entry async for entry in saver.alist(config_of("ben"))] == before
    assert await states_of(memory, "ben") == ben_states
    assert await saver.aerase_thread("ann") == 0
    await put_texts(saver, "ann", "3 again")
    assert await saver.aerase_thread("ann") == 3


@pytest.mark.anyio
async def test_erasing_a_thread_of_a_domain_without_checkpoints_erases_nothing(memory: Memory) -> None:
    assert await GraphSaver(memory).aerase_thread("ann") == 0


@pytest.mark.anyio
async def test_a_thread_in_a_protected_domain_is_kept(memory: Memory, domain: str) -> None:
    saver = GraphSaver(memory)
    await put_texts(saver, "ann", "1 kitchen")
    await memory.protect(domain=domain, reason="Kept for the audit")
    with pytest.raises(GraphError) as caught:
        await saver.aerase_thread("ann")
    assert caught.value.code is Code.PROTECTED
    assert await saver.aget_tuple(config_of("ann")) is not None


def test_a_thread_is_erased_with_a_memory_that_is_not_async(memory_sync: SyncMemory) -> None:
    saver = GraphSaver(memory_sync, domain=f"test-{uuid4().hex[:20]}")
    saver.put({"configurable": {"thread_id": "ann", "checkpoint_ns": ""}}, empty_checkpoint(), {"step": 1}, {})
    assert saver.erase_thread("ann") == 1
    assert saver.get_tuple(config_of("ann")) is None


class Secret:
    """A type that no checkpoint may create."""

    def __init__(self) -> None:
        self.text = "created"

    def model_dump(self) -> dict[str, str]:
        return {"text": self.text}

    @classmethod
    def model_validate_json(cls, _: str) -> None:
        raise AssertionError("The type was used")


@pytest.mark.anyio
async def test_a_changed_node_cannot_create_objects_and_the_error_names_it(memory: Memory) -> None:
    saver = GraphSaver(memory)
    config: RunnableConfig = {"configurable": {"thread_id": "ann", "checkpoint_ns": ""}}
    checkpoint = {**empty_checkpoint(), "channel_values": {"a": Secret()}, "channel_versions": {"a": "1"}}
    await saver.aput(config, checkpoint, {"step": 1}, {"a": "1"})  # pyright: ignore
    entry = await saver.aget_tuple(config)
    assert entry is not None
    assert entry.checkpoint["channel_values"] == {"a": {"text": "created"}}
    [value] = (await memory.query_nodes(type="CheckpointValue")).node_ids
    for kind, data in (("pickle", pickle.dumps(Secret())), ("json", b"{}"), ("msgpack", b"\xc1"), ("other", b"x")):
        await memory.update_node(value, content=data, encoding="base64", properties={"kind": kind})
        with pytest.raises(GraphError) as caught:
            await saver.aget_tuple(config)
        assert (caught.value.code, caught.value.details["node_id"]) == (Code.CONTENT_READ_FAILED, value), kind
    await memory.update_node(value, content="", encoding="utf-8", metadata={"data": "?"})
    with pytest.raises(GraphError) as caught:
        await saver.aget_tuple(config)
    assert caught.value.code is Code.CONTENT_READ_FAILED


@pytest.mark.anyio
async def test_a_checkpoint_without_one_of_its_values_is_an_error_and_not_a_new_thread(memory: Memory) -> None:
    saver = GraphSaver(memory)
    config: RunnableConfig = {"configurable": {"thread_id": "ann", "checkpoint_ns": ""}}
    checkpoint = {**empty_checkpoint(), "channel_values": {"a": 1}, "channel_versions": {"a": "1"}}
    await saver.aput(config, checkpoint, {"step": 1}, {"a": "1"})  # pyright: ignore
    [value] = (await memory.query_nodes(type="CheckpointValue")).node_ids
    [record] = (await memory.query_nodes(type="AgentCheckpoint")).node_ids
    await memory.delete_node(value)
    with pytest.raises(GraphError) as caught:
        await saver.aget_tuple(config)
    details = caught.value.details
    assert (caught.value.code, details["node_id"]) == (Code.CONTENT_READ_FAILED, value)
    assert details["checkpoint_node_id"] == record
    assert str(details["hint"]).startswith(f"Revert the deletion or change of node {value}")
    [deletion] = (await memory.history.log(subject=value, operations=["delete"])).entries
    await memory.history.revert(event_ids=[deletion.seq])
    entry = await saver.aget_tuple(config)
    assert entry is not None
    assert entry.checkpoint["channel_values"] == {"a": 1}
    await memory.delete_node(value)
    await saver.adelete_thread("ann")
    assert await saver.aget_tuple(config) is None


@pytest.mark.anyio
async def test_pruning_deletes_replaced_values_and_none_that_is_put_meanwhile(memory: Memory) -> None:
    saver = GraphSaver(memory)
    config: RunnableConfig = {"configurable": {"thread_id": "ann", "checkpoint_ns": ""}}
    checkpoint: Any = {**empty_checkpoint(), "channel_values": {"a": 1}, "channel_versions": {"a": "1"}}
    for _ in range(2):
        stored = await saver.aput(config, checkpoint, {"step": 1}, {"a": "1"})
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(saver.aput, stored, {**checkpoint, "id": str(uuid6())}, {"step": 2}, {})
        tasks.start_soon(saver.aprune, ["ann"])
    entry = await saver.aget_tuple(config)
    assert entry is not None
    assert entry.checkpoint["channel_values"] == {"a": 1}
    await saver.aprune(["ann"])
    assert len((await memory.query_nodes(type="CheckpointValue")).node_ids) == 1


class Reverse:
    """A cipher for tests."""

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        return "reverse", plaintext[::-1]

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        assert ciphername == "reverse"
        return ciphertext[::-1]


@pytest.mark.anyio
async def test_an_encrypted_serializer_refuses_data_that_is_not_encrypted(memory: Memory) -> None:
    saver = GraphSaver(memory, serde=EncryptedSerializer(Reverse(), JsonPlusSerializer(allowed_msgpack_modules=None)))
    config: RunnableConfig = {"configurable": {"thread_id": "ann", "checkpoint_ns": ""}}
    checkpoint: Any = {**empty_checkpoint(), "channel_values": {"a": 1}, "channel_versions": {"a": "1"}}
    await saver.aput(config, checkpoint, {"step": 1}, {"a": "1"})
    entry = await saver.aget_tuple(config)
    assert entry is not None
    assert entry.checkpoint["channel_values"] == {"a": 1}
    [value] = (await memory.query_nodes(type="CheckpointValue")).node_ids
    kind, data = JsonPlusSerializer().dumps_typed(2)
    await memory.update_node(value, content=data, encoding="base64", properties={"kind": kind})
    with pytest.raises(GraphError) as caught:
        await saver.aget_tuple(config)
    assert caught.value.code is Code.CONTENT_READ_FAILED


@pytest.mark.anyio
async def test_an_unknown_strategy_is_refused(memory: Memory) -> None:
    saver = GraphSaver(memory)
    with pytest.raises(GraphError) as caught:
        await saver.aprune(["ann"], strategy="some")
    assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.anyio
async def test_pruning_keeps_the_ancestors_from_whose_writes_a_channel_is_rebuilt(memory: Memory) -> None:
    saver = GraphSaver(memory)
    config: RunnableConfig = {"configurable": {"thread_id": "ann", "checkpoint_ns": ""}}
    for step in range(4):
        values = {"log": ["seed"]} if step == 1 else {}
        checkpoint = {**empty_checkpoint(), "channel_values": values, "channel_versions": {"log": str(step)}}
        checkpoint["id"] = str(uuid6())
        metadata: Any = {"step": step, "counters_since_delta_snapshot": {"log": (step, step)}}
        config = await saver.aput(config, checkpoint, metadata, {"log": str(step)})  # pyright: ignore
        await saver.aput_writes(config, [("log", step)], "task 1")
    before = await saver.aget_delta_channel_history(config=config, channels=["log"])
    await saver.aprune(["ann"])
    assert await saver.aget_delta_channel_history(config=config, channels=["log"]) == before
    assert before["log"].get("seed") == ["seed"]
    assert [entry.metadata["step"] async for entry in saver.alist(config_of("ann"))] == [3, 2, 1]  # pyright: ignore


def config_of(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


@pytest.mark.anyio
async def test_writes_of_concurrent_tasks_are_all_kept(memory: Memory) -> None:
    saver = GraphSaver(memory)
    config: RunnableConfig = {"configurable": {"thread_id": "ann", "checkpoint_ns": ""}}
    stored = await saver.aput(config, empty_checkpoint(), {"step": 1}, {})
    async with anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(saver.aput_writes, stored, [("a", number)], f"task {number}")
    entry = await saver.aget_tuple(config)
    assert entry is not None
    assert [value for _, _, value in entry.pending_writes or ()] == list(range(6))
