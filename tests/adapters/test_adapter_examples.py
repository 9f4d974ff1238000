"""The examples of adapters run as they are written."""

from __future__ import annotations

import asyncio
import json
import runpy
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar

import pytest

from graph_memory import Memory
from graph_memory.adapters.openai_agents import GraphSession
from graph_memory.file_memory.layer import FileMemory
from local_http import answering


class Model(BaseHTTPRequestHandler):
    """A server of a model that keeps its requests."""

    requests: ClassVar[list[dict[str, Any]]]

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.requests.append(request)
        body = json.dumps(self.reply(request)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


class Claude(Model):
    """A model that creates a file, and then confirms it."""

    requests: ClassVar[list[dict[str, Any]]] = []

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        is_first = isinstance(request["messages"][-1]["content"], str)
        note = {"command": "create", "path": "/memories/kitchen.md", "file_text": "The kitchen is to be blue."}
        block = (
            {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": note}
            if is_first
            else {"type": "text", "text": "I have noted it."}
        )
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [block],
            "stop_reason": "tool_use" if is_first else "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


class Gpt(Model):
    """A model that always gives the same answer."""

    requests: ClassVar[list[dict[str, Any]]] = []

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        text = {"type": "output_text", "text": "Blue.", "annotations": []}
        message = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [text]}
        counts = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 0,
            "model": "gpt",
            "status": "completed",
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
            "output": [message],
            "usage": counts | details,
        }


@pytest.mark.anyio
async def test_claude_notes_what_it_is_to_remember(
    examples: Path, shared_memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(Claude) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        runpy.run_path(str(examples / "claude_memory.py"))
    assert "I have noted it." in capsys.readouterr().out
    [_, reply] = Claude.requests
    [result] = reply["messages"][-1]["content"]
    assert result["content"] == "File created successfully at: /memories/kitchen.md"
    files = FileMemory(shared_memory, domain="claude")
    assert "The kitchen is to be blue." in (await files.view("/memories/kitchen.md")).text
    [entry, *_] = (await shared_memory.in_domain("claude").history.log(session="monday")).entries
    assert entry.actor == "claude"


@pytest.mark.anyio
async def test_a_store_finds_what_ann_drinks(
    examples: Path, shared_memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(examples / "langgraph_store.py"))
    assert capsys.readouterr().out.startswith("tea Ann drinks green tea.")
    log = await shared_memory.in_domain("langgraph-example").history.log(session="monday")
    assert {entry.actor for entry in log.entries} == {"langgraph"}


@pytest.mark.anyio
async def test_a_thread_continues_where_it_stopped(
    examples: Path, shared_memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        runpy.run_path(str(examples / "langgraph_saver.py"))
    assert capsys.readouterr().out == "Message 1.\nMessage 3.\n"
    log = await shared_memory.in_domain("checkpoints-example").history.log(session="ann-1")
    assert {entry.actor for entry in log.entries} == {"langgraph"}


@pytest.mark.anyio
async def test_an_agent_is_asked_with_the_earlier_items_of_its_session(
    examples: Path, shared_memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Gpt.requests.clear()
    with answering(Gpt) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
        for _ in range(2):
            await asyncio.to_thread(runpy.run_path, str(examples / "openai_session.py"))
    assert capsys.readouterr().out == "Blue.\nBlue.\n"
    first, second = [[item["role"] for item in request["input"]] for request in Gpt.requests]
    assert (first, second) == (["user"], ["user", "assistant", "user"])
    session = GraphSession("ann-1", shared_memory, domain="agents-example")
    assert len(await session.get_items()) == 4


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["pydantic_ai_toolset.py", "agent_framework_context.py"])
async def test_a_run_starts_with_what_the_memory_knows(
    examples: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Gpt.requests.clear()
    with answering(Gpt) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        await asyncio.to_thread(runpy.run_path, str(examples / name))
    assert capsys.readouterr().out == "Blue.\n"
    [request] = Gpt.requests
    assert "green tea" in json.dumps([request.get("instructions"), request["input"]])


@pytest.mark.anyio
async def test_a_service_finds_what_was_said(
    examples: Path, shared_memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    await asyncio.to_thread(runpy.run_path, str(examples / "adk_memory.py"))
    assert capsys.readouterr().out == "['The kitchen is to be blue.']\n"
    log = await shared_memory.in_domain("adk-example").history.log(session="monday")
    assert {entry.actor for entry in log.entries} == {"google-adk"}


def test_a_graph_has_the_entities_of_llama_index(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(examples / "llama_index_graph.py"))
    assert capsys.readouterr().out == "Ann LIVES_IN Rome\nCity\n"
