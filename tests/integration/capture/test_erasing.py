"""`forget` erases what was captured: by session, path or phrase, from the log, the graph, the index and the spool."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from conversations import CLAUDE_CODE, write_lines
from graph_memory import GraphError, Memory, Settings, local
from graph_memory.agent.capture.drain import drain, store_events
from graph_memory.agent.layer import Agent
from graph_memory.model.errors import Code
from integration.capture.conftest import Project

pytestmark = pytest.mark.anyio


class Planted(Project):
    """A project with a phrase and a file that no other test has, because a scan searches the whole database."""

    def __init__(self, home: Path, folder: Path, domain: str) -> None:
        super().__init__(home, folder, domain)
        self.phrase = f'Quetzalcoatl {domain} likes "marzipan" & ärgert sich'
        self.file = f"src/pay_{domain}.py"


@pytest.fixture
def project(tmp_path: Path, domain: str) -> Planted:
    return Planted(tmp_path / "home", tmp_path, domain)


@pytest.fixture
def agent(memory: Memory, project: Planted, domain: str) -> Agent:
    """An agent whose home has the project's spool."""
    return Agent(memory, {}, domain, archives=project.spool.folder.parent / "archives")


async def capture(memory: Memory, project: Planted, session: str = "s1") -> None:
    """Capture the phrase in each kind of event, also in summaries, and leave two events in the spool."""
    project.add("UserPromptSubmit", session, prompt=f"Goal: {project.phrase}")
    project.call("Edit", project.file, project.phrase, session_id=session, tool_use_id=f"t-{session}")
    project.add("Stop", session, last_assistant_message=f"We decided that {project.phrase}.")
    project.add("UserPromptSubmit", session, prompt="Keep this one, it is harmless.")
    project.add("PostCompact", session, compact_summary=project.phrase)
    await drain(memory, project.spool)
    project.add("Stop", session, last_assistant_message=f"Again {project.phrase}, and {project.file}.")
    project.add("SessionEnd", session, reason="clear")
    await drain(memory, project.spool)
    await memory.recall.search_memories("marzipan")  # indexes all texts
    project.add("UserPromptSubmit", session, prompt=f"Waiting: {project.phrase}")
    (project.spool.folder / f"{session}.invalid").write_bytes(
        json.dumps({"session": session, "text": project.phrase}).encode()
    )


async def assert_gone(text: str, memory: Memory, project: Planted) -> None:
    """No property of the database, no blob and no file of the spool has the text."""
    assert (await memory.history.scan(text)).findings == ()
    spooled = b"".join(path.read_bytes() for path in project.spool.folder.rglob("*") if path.is_file())
    assert text.encode() not in spooled
    assert json.dumps(text)[1:-1].encode() not in spooled
    assert (await memory.upkeep.verify()).clean


async def test_a_phrase_is_erased_everywhere_and_others_stay(memory: Memory, project: Planted, agent: Agent) -> None:
    await capture(memory, project)
    assert not (await memory.history.scan(project.phrase)).clean
    tried = await agent.forget(phrase=project.phrase.upper(), erase=True, dry_run=True)
    assert (tried.dry_run, tried.entities, tried.waiting) == (True, 6, 2)
    assert len(project.spool.names()) == 1
    erased = await agent.forget(phrase=project.phrase, erase=True)
    assert (erased.erased, erased.entities, erased.waiting) == (True, 6, 2)
    await assert_gone(project.phrase, memory, project)
    started = await memory.entities.session_start(session_id="s1", project="home")
    assert "Keep this one" in started.text


async def test_a_session_is_erased_with_its_summary(memory: Memory, project: Planted, agent: Agent) -> None:
    await capture(memory, project)
    project.add("UserPromptSubmit", "s2", prompt="Another session")
    await drain(memory, project.spool)
    erased = await agent.forget(session="s1", erase=True)
    assert (erased.entities, erased.waiting) == (8, 1)  # the waiting prompt was stored meanwhile
    await assert_gone(project.phrase, memory, project)
    assert [event.title for event in (await memory.agent.episodic.get_recent("s2")).events] == ["Another session"]
    assert (await memory.agent.episodic.get_recent("s1")).events == ()


async def test_a_path_is_erased_with_the_events_that_name_it(memory: Memory, project: Planted, agent: Agent) -> None:
    await capture(memory, project)
    project.call("Read", f"other/{project.file}x", session_id="s1")
    await drain(memory, project.spool)
    assert (await agent.forget(path="src/", erase=True)).entities == 4
    for name in (await memory.history.scan(project.file)).findings:
        assert (name.of or "").endswith(f"{project.file}x")


async def test_a_phrase_in_large_texts_is_erased_with_their_blobs(
    memory: Memory, project: Planted, agent: Agent, tmp_path: Path
) -> None:
    texts = [f"First {'記録' * 2_850}{project.phrase}", f"{'記録' * 4_500}{project.phrase}", "記録" * 2_950]
    entries = [
        {**CLAUDE_CODE[-1], "uuid": f"u{number}", "isCompactSummary": number == 1, "message": {"content": text}}
        for number, text in enumerate(texts)
    ]
    await memory.agent.import_conversations(write_lines(tmp_path / "s.jsonl", entries))
    findings = (await memory.history.scan(project.phrase)).findings
    assert [finding.place for finding in findings].count("blob") == 3  # the prompt and two summaries
    tried = await agent.forget(phrase=project.phrase.upper(), erase=True, dry_run=True)
    assert tried.entities == 3
    await agent.forget(phrase=project.phrase, erase=True)
    await assert_gone(project.phrase, memory, project)
    [kept] = (await memory.agent.episodic.get_recent("s-claude")).events
    assert (await memory.get_node_content(kept.id)).content == texts[2]


async def test_an_unreadable_text_is_named_and_others_are_erased(
    memory: Memory, project: Planted, agent: Agent, tmp_path: Path, domain: str
) -> None:
    """Blobs of events that no hook captured are not even read."""
    texts = [f"First {'記録' * 2_850}{project.phrase}", "記録" * 2_950]
    entries = [
        {**CLAUDE_CODE[-1], "uuid": f"u{number}", "message": {"content": text}} for number, text in enumerate(texts)
    ]
    await memory.agent.import_conversations(write_lines(tmp_path / "s.jsonl", entries))
    foreign = "別" * 9_000
    await memory.agent.record_event({"event_type": "message", "content": foreign})
    for text in (texts[1], foreign):
        digest = hashlib.sha256(text.encode()).hexdigest()
        assert await memory._core.contents.blobs.delete(domain, digest)
    events = (await memory.agent.episodic.get_recent("s-claude")).events
    [kept] = [event.id for event in events if not event.title.startswith("First")]
    project.add("UserPromptSubmit", prompt=f"Waiting: {project.phrase}")
    tried = await agent.forget(phrase=project.phrase, erase=True, dry_run=True)
    erased = await agent.forget(phrase=project.phrase, erase=True)
    for result in (tried, erased):
        assert (result.entities >= 1, result.waiting) == (True, 1)
        assert [warning.split()[0] for warning in result.warnings or ()] == [kept]
    assert project.spool.names() == []
    with pytest.raises(GraphError) as failed:
        await agent.forget(phrase=project.phrase, erase=True)
    assert failed.value.code is Code.CONTENT_READ_FAILED
    assert (await memory.history.scan(f"{project.phrase}")).findings == ()


async def test_nothing_is_removed_from_the_spool_if_the_log_cannot_be_erased(
    memory: Memory, project: Planted, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    await capture(memory, project)
    waiting = project.spool.names()

    async def fail(*_: object, **__: object) -> None:
        raise GraphError(Code.PROTECTED, "An event is protected")

    monkeypatch.setattr(type(memory.entities), "forget", fail)
    with pytest.raises(GraphError) as refused:
        await agent.forget(phrase=project.phrase, erase=True)
    assert refused.value.code is Code.PROTECTED
    assert project.spool.names() == waiting


async def test_deleted_events_and_earlier_summaries_are_erased(memory: Memory, project: Planted, agent: Agent) -> None:
    await capture(memory, project)
    for event in (await memory.agent.episodic.get_recent("s1", limit=100)).events:
        await memory.delete_node(event.id)
    await agent.forget(phrase=project.phrase, erase=True)
    await assert_gone(project.phrase, memory, project)


async def test_an_erased_event_that_is_repeated_stays_erased(memory: Memory, project: Planted, agent: Agent) -> None:
    await capture(memory, project)
    await agent.forget(path=project.file, erase=True)
    project.call("Edit", project.file, project.phrase, session_id="s1", tool_use_id="t-s1")
    await drain(memory, project.spool)
    assert project.spool.names() == []
    assert (await memory.history.scan(project.file)).clean


async def test_an_erased_message_stays_erased_if_its_repetition_has_a_slightly_later_time(
    memory: Memory, project: Planted, agent: Agent
) -> None:
    captured = replace(project.read("UserPromptSubmit", prompt=project.phrase), at="2026-03-01T10:00:04.900+00:00")
    assert await store_events(memory, [("first", captured)]) == [captured]
    await agent.forget(phrase=project.phrase, erase=True)
    repeated = replace(captured, at="2026-03-01T10:00:05.100+00:00")
    assert await store_events(memory, [("second", repeated)]) == []
    assert (await memory.history.scan(project.phrase)).clean


@pytest.mark.parametrize(
    "arguments",
    [
        {"session": "s1"},
        {"session": "s1", "names": ["Ann"], "erase": True},
        {"phrase": " ", "erase": True},
        {"path": "/", "erase": True},
        {"phrase": "never captured", "erase": True},
        {"session": "s1", "phrase": "never captured", "erase": True},
    ],
)
async def test_what_cannot_be_erased_is_refused(
    arguments: dict[str, Any], memory: Memory, project: Planted, agent: Agent
) -> None:
    project.add("UserPromptSubmit", prompt="Fix it")
    await drain(memory, project.spool)
    with pytest.raises(GraphError) as refused:
        await agent.forget(**arguments)
    assert refused.value.code is Code.INVALID_ARGUMENT
    assert len((await memory.agent.episodic.get_recent("s1")).events) == 1


async def test_the_command_erases_a_session(
    memory: Memory, project: Planted, settings: Settings, tmp_path: Path, domain: str
) -> None:
    await capture(memory, project, domain)
    server = local.ensure_running(settings)
    login = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}
    own = {"GRAPH_MEMORY_HOME": str(tmp_path / "home"), "GRAPH_MEMORY_DOMAIN": domain}
    command = [sys.executable, "-m", "graph_memory", "forget", "--session", domain, "--erase", "--yes"]
    done = await anyio.run_process(command, env={**os.environ, **login, **own}, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Now removed before they were stored: 2 events." in done.stderr
    await assert_gone(project.phrase, memory, project)
