"""Google ADK's memory service on the graph, beside the framework's service in memory: the same calls and answers."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any
from uuid import uuid4

import anyio
import pytest
from google.adk.agents import LlmAgent
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.adk.tools import load_memory
from google.genai.types import Content, FunctionCall, Part
from hypothesis import given
from hypothesis import strategies as st

from graph_memory import Code, GraphError, Memory
from graph_memory.adapters.google_adk import GraphMemoryService
from graph_memory.sync import SyncMemory
from profiles import profile

WORDS = ("kitchen", "garden", "violin", "château")
contents = st.one_of(
    st.none(),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(
        lambda words: Content(role="user", parts=[Part(text=word) for word in words])
    ),
    st.just(Content(role="model", parts=[Part(function_call=FunctionCall(name="look", args={"a": 1}))])),
    st.just(Content(role="model", parts=[Part(text="kitchen"), Part.from_bytes(data=b"\x00" * 9, mime_type="a/b")])),
)
batches = st.lists(st.sampled_from(["1", "2", "3", "4"]), max_size=3, unique=True)
sessions = st.sampled_from(["monday", "tuesday"])
calls = st.one_of(
    st.tuples(st.just("add_session"), sessions, batches),
    st.tuples(st.just("change"), st.sampled_from(["1", "2"]), contents),
    st.tuples(st.just("add_events"), st.none() | sessions, batches),
    st.tuples(st.just("delete"), st.sampled_from(["1", "2", "9", None])),
)
APP = {"app_name": "app/é", "user_id": "ann"}


async def apply(service: BaseMemoryService, name: str, *arguments: Any) -> None:
    match name:
        case "add_session":
            session, added = arguments
            await service.add_session_to_memory(Session(id=session, events=added, **APP))
        case "add_events":
            session, added = arguments
            await service.add_events_to_memory(session_id=session, events=added, **APP)
        case _:
            await service.delete_memory(memory_id=arguments[0], **APP)


def entries_of(memories: Sequence[MemoryEntry]) -> list[Any]:
    return sorted(
        (entry.id, str(entry.content), entry.author, datetime.fromisoformat(entry.timestamp or "").timestamp())
        for entry in memories
    )


@profile(examples=40)
@given(st.lists(contents, min_size=4, max_size=4), st.lists(calls, min_size=1, max_size=8))
def test_answers_equal_those_of_the_service_in_memory(
    memory_sync: SyncMemory, spoken: list[Content | None], history: list[tuple[Any, ...]]
) -> None:
    events = [
        Event(id=str(number), author="ann", content=content, timestamp=1.5) for number, content in enumerate(spoken, 1)
    ]

    async def compare() -> None:
        reference = InMemoryMemoryService()
        service = GraphMemoryService(memory_sync, domain=f"test-{uuid4().hex[:20]}")
        for name, *arguments in history:
            if name == "change":
                number, content = arguments
                events[int(number) - 1] = events[int(number) - 1].model_copy(update={"content": content})
                continue
            if name != "delete":
                arguments[1] = [events[int(number) - 1] for number in arguments[1]]
            await apply(reference, name, *arguments)
            await apply(service, name, *arguments)
        for word in (*WORDS, "unknown"):
            expected = (await reference.search_memory(query=word, **APP)).memories
            answer = (await service.search_memory(query=word, **APP)).memories
            assert entries_of(answer[: len(expected)]) == entries_of(expected), word  # then what was said nearby
        assert not (await service.search_memory(app_name="app/é", user_id="bob", query="kitchen")).memories

    with ThreadPoolExecutor() as threads:  # the loop of other tests may run in this thread
        threads.submit(anyio.run, compare).result()


class Model(BaseLlm):
    """A model that looks into the memory once, and answers with what it reads."""

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        last = llm_request.contents[-1].parts[-1]
        if response := last.function_response:
            yield LlmResponse(content=Content(role="model", parts=[Part(text=str(response.response))]))
        else:
            call = FunctionCall(name="load_memory", args={"query": last.text})
            yield LlmResponse(content=Content(role="model", parts=[Part(function_call=call)]))


@pytest.mark.anyio
async def test_an_agent_loads_what_was_said_in_an_earlier_session(memory: Memory) -> None:
    service = GraphMemoryService(memory)
    store = InMemorySessionService()
    agent = LlmAgent(name="assistant", model=Model(model="test"), tools=[load_memory])
    runner = Runner(agent=agent, app_name="app", session_service=store, memory_service=service)
    event = Event(id="1", author="ann", content=Content(parts=[Part(text="The kitchen is to be blue.")]))
    await service.add_session_to_memory(Session(id="monday", app_name="app", user_id="ann", events=[event]))
    await store.create_session(app_name="app", user_id="ann", session_id="tuesday")
    message = Content(role="user", parts=[Part(text="What colour will the kitchen be?")])
    answers = [answer async for answer in runner.run_async(user_id="ann", session_id="tuesday", new_message=message)]
    assert "The kitchen is to be blue." in str(answers[-1].content)
    assert {(entry.actor, entry.session) for entry in (await memory.history.log()).entries if entry.session} == {
        ("google-adk", "monday")
    }


@pytest.mark.anyio
async def test_large_content_is_stored_as_text_and_memories_can_be_added_directly(memory: Memory) -> None:
    service = GraphMemoryService(memory)
    parts = [Part(text="The kitchen plan."), Part.from_bytes(data=b"\x00" * 70_000, mime_type="image/png")]
    await service.add_memory(app_name="app", user_id="ann", memories=[MemoryEntry(content=Content(parts=parts))])
    [entry] = (await service.search_memory(app_name="app", user_id="ann", query="kitchen")).memories
    assert entry.content == Content(parts=[Part(text="The kitchen plan.")])
    await service.delete_memory(app_name="app", user_id="ann", memory_id=entry.id)
    assert not (await service.search_memory(app_name="app", user_id="ann", query="kitchen")).memories
    assert not (await memory.search_content("kitchen")).node_ids


@pytest.mark.anyio
async def test_long_ids_and_queries_work_and_a_limit_over_100_is_refused(memory: Memory) -> None:
    user, service = {"app_name": "a/" * 200, "user_id": "u" * 300}, GraphMemoryService(memory, limit=100)
    event = Event(id="1", author="ann", content=Content(parts=[Part(text="The kitchen is to be blue.")]))
    await service.add_session_to_memory(Session(id="s" * 300, events=[event], **user))
    assert len((await service.search_memory(query="kitchen " * 20_000, **user)).memories) == 1
    with pytest.raises(GraphError) as caught:
        GraphMemoryService(memory, limit=101)
    assert caught.value.code is Code.INVALID_ARGUMENT
