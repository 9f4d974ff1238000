"""Evaluations on a real memory: facts that are updated, domains that go, and the provider for another benchmark."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio.to_thread
import pytest

from graph_memory import Code, GraphError, Memory, Settings
from graph_memory.evaluation.amb_provider import GraphMemoryProvider
from graph_memory.evaluation.cases import Question
from graph_memory.evaluation.judging import judge_update
from graph_memory.evaluation.running import Options, evaluate
from question_sets import BEAM_CHAT, BEAM_QUESTIONS, HALUMEM, LOCOMO
from support import exists

pytestmark = pytest.mark.anyio


async def test_an_update_is_asked_about_and_recall_marks_the_old_fact(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "halumem.jsonl"
    file.write_text(json.dumps(HALUMEM))
    done = await evaluate(memory, file, options=Options(keep=True))
    assert (done.format, done.conversations, done.messages, done.facts) == ("halumem", 1, 4, 2)
    updates = done.updates
    assert updates is not None
    assert (updates.updates, updates.new_stated, updates.asked_about, updates.correct) == (1, 1, 1, 1)
    assert updates.old_stated == 0
    assert {kind.kind: kind.evidence for kind in done.kinds} == {"Basic Fact Recall": 1, "update": None, "all": 1}
    [name] = done.kept or ("",)
    try:
        reply = await memory.in_domain(name).recall.recall("Where did Mia Roth live before?")
        content = str(reply.content)
        assert "(until " in content
        new, old = "Mia Roth no longer lives in Linz, she lives in Graz.", "Mia Roth lives in Linz."
        judged = judge_update(Question("update", new, evidence=(new,), outdated=(old,)), content, was_asked=True)
        assert (judged.is_old_present, judged.is_old_stated) == (True, False)
        [user] = (await memory.in_domain(name).entities.open_nodes(["Mia Roth"])).entities
        assert user.observations == ("Mia Roth no longer lives in Linz, she lives in Graz.",)
    finally:
        await memory.delete_domain(name)


async def test_the_domain_goes_after_an_error_too(memory: Memory, tmp_path: Path) -> None:
    row: dict[str, Any] = {
        "conversation_id": 7,
        "chat": [batch["turns"][0] for batch in BEAM_CHAT],
        "probing_questions": {},
    }
    file = tmp_path / "beam.json"
    file.write_text(json.dumps([{**row, "probing_questions": BEAM_QUESTIONS}, {**row, "conversation_id": None}]))
    names: list[str] = []
    with pytest.raises(GraphError) as error:
        await evaluate(_Spy(memory, names), file)  # pyright: ignore[reportArgumentType]
    assert error.value.code is Code.INVALID_SOURCE
    assert names == []  # a file is read to its end before anything is stored
    file.write_text(json.dumps([{**row, "probing_questions": BEAM_QUESTIONS}]))
    with pytest.raises(GraphError) as error:
        await evaluate(_Spy(memory, names), file, options=Options(max_tokens=1))  # pyright: ignore[reportArgumentType]
    assert error.value.code is Code.INVALID_ARGUMENT
    options = Options(max_tokens=1, keep=True)
    with pytest.raises(GraphError) as error:
        await evaluate(_Spy(memory, names), file, options=options)  # pyright: ignore[reportArgumentType]
    name, kept = names
    assert name.startswith("eval-beam-")
    assert not await exists(memory, name)
    assert error.value.message.endswith(f"Kept domains: {kept}")
    await memory.delete_domain(kept)


class _Spy:
    """A memory that notes the names of the domains that are used."""

    def __init__(self, memory: Memory, names: list[str]) -> None:
        self._memory = memory
        self._names = names

    def in_domain(self, name: str) -> Memory:
        self._names.append(name)
        return self._memory.in_domain(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)


class _MemoryProvider(ABC):
    """The base class of the benchmark's providers, with the methods that its runner calls."""

    name: str
    description: str
    kind: str

    @abstractmethod
    def ingest(self, documents: list[Any]) -> None: ...

    async def async_ingest(self, documents: list[Any]) -> None:
        await anyio.to_thread.run_sync(self.ingest, documents)

    @abstractmethod
    def retrieve(
        self, query: str, k: int = 10, user_id: str | None = None, query_timestamp: str | None = None
    ) -> tuple[list[Any], dict[str, Any] | None]: ...

    async def async_retrieve(
        self, query: str, k: int = 10, user_id: str | None = None, query_timestamp: str | None = None
    ) -> tuple[list[Any], dict[str, Any] | None]:
        return await anyio.to_thread.run_sync(self.retrieve, query, k, user_id, query_timestamp)


class _Provider(GraphMemoryProvider, _MemoryProvider):
    """The provider, made as the guide describes it."""


def document(id_: str, content: str, user: str, messages: list[dict[str, Any]] | None = None) -> Any:
    return SimpleNamespace(
        id=id_, content=content, user_id=user, messages=messages, timestamp="2023-05-08T13:56:00+00:00", context=None
    )


async def test_the_provider_keeps_users_apart_and_answers_as_the_runner_calls_it(
    settings: Settings, tmp_path: Path
) -> None:
    provider = _Provider(settings)
    try:
        provider.initialize()
        await anyio.to_thread.run_sync(provider.prepare, tmp_path, {"conv-1", "b"})
        turns = LOCOMO["conversation"]["session_1"]
        talk = [{"role": "user", "content": "My dog is called Rex."}, {"role": "assistant", "content": "Hello Rex."}]
        documents = [document("conv-1_session_1", json.dumps(turns), "conv-1"), document("d2", "", "b", talk)]
        await provider.async_ingest([*documents, document("d3", "User: the cellar is [damp]", "b")])
        [recalled], raw = await provider.async_retrieve("What did Ann buy?", 5, "conv-1", None)
        assert "Ann: I bought a green kayak" in recalled.content
        [shown], _ = await provider.async_retrieve("Who has a photo of a lighthouse?", 5, "conv-1", None)
        assert "Ben: Look at this. (a photo of a lighthouse)" in shown.content
        assert raw is not None
        assert raw["tokens_used"] > 0
        [other], _ = await provider.async_retrieve("Which dog?", 5, "b", "2023-06-01T00:00:00+00:00")
        assert [word in other.content for word in ("Rex", "kayak")] == [True, False]
        assert "cellar" in (await provider.async_retrieve("What is damp?", 5, "b"))[0][0].content
        assert (await provider.async_retrieve("Which dog?", 5, "nobody"))[0] == []
        await anyio.to_thread.run_sync(provider.prepare, tmp_path, {"b"}, False)
        assert (await provider.async_retrieve("Which dog?", 5, "b"))[0]
    finally:
        await anyio.to_thread.run_sync(provider.prepare, tmp_path)
        assert (await provider.async_retrieve("Which dog?", 5, "b"))[0] == []
        await anyio.to_thread.run_sync(provider.cleanup)
