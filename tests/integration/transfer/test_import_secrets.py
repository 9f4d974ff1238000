"""Imports of what agents wrote: secrets reach neither log nor blobs, and a dry run counts what an import would add."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from uuid import uuid4

import pytest

from conversations import CHATGPT, CLAUDE_AI, CLAUDE_CODE, CODEX, write_lines
from graph_memory import Code, GraphError, Memory
from graph_memory.agent.capture.transcript_formats import FORMS
from graph_memory.agent.results import ConversationImportResult
from graph_memory.memory.transfer.results import MemoryImportResult
from unit.memory.transfer.test_memories import write

pytestmark = pytest.mark.anyio
LONG = "A sentence of a long note.\n" * 1_500


class Secrets:
    """Secrets that no other test has, and texts with them."""

    def __init__(self) -> None:
        own = uuid4().hex
        self.mark = f"marmot{uuid4().hex[:8]}"
        self.token = f"sk-ant-api03-{own * 3}-AA"
        self.password = f"x9{own[:14]}"
        self.body = f"{own}\n{own[::-1]}"
        self.url = f"postgres://ann:{own[14:28]}@db/shop"
        self.all = (self.token, self.password, own, own[::-1], own[14:28])

    @property
    def text(self) -> str:
        """A text with four secrets."""
        key = f"-----BEGIN PRIVATE KEY-----\n{self.body}\n-----END PRIVATE KEY-----"
        return f"The key of {self.mark} is {self.token}.\npassword: {self.password}\nSee {self.url}\n{key}\nEnd."


def instructions(folder: Path, secrets: Secrets) -> Path:
    return write(folder / "shop", "CLAUDE.md", f"# Access\n{secrets.text}\n# Key {secrets.token}\nNone.")


def agents(folder: Path, secrets: Secrets) -> Path:
    return write(folder / "shop", "AGENTS.md", secrets.text)


def auto_memory(folder: Path, secrets: Secrets) -> Path:
    write(folder / "memory", "MEMORY.md", f"- [Access](access.md): {secrets.url}")
    front = f"name: access\ndescription: how\npassword: {secrets.password}"
    write(folder / "memory", "access.md", f"---\n{front}\n---\n{secrets.text}\n- [key] is {secrets.token}\n{LONG}")
    return folder / "memory"


def memory_tool(folder: Path, secrets: Secrets) -> Path:
    write(folder / "memories", "access.txt", f"{LONG}{secrets.text}")
    write(folder / "memories", f"{secrets.token}.txt", "Named by a key.")
    return folder / "memories"


def claude_memories(folder: Path, secrets: Secrets) -> Path:
    account = {"conversations_memory": f"# Work\n\n{secrets.text}", "project_memories": {"p-1": secrets.text}}
    return write(folder, "memories.json", json.dumps([account]))


def claude_code(folder: Path, secrets: Secrets) -> Path:
    entry = {**CLAUDE_CODE[-1], "message": {"role": "user", "content": secrets.text}}
    return write_lines(folder / "s.jsonl", [*CLAUDE_CODE, {**entry, "uuid": "u6"}])


def codex(folder: Path, secrets: Secrets) -> Path:
    message = {"type": "event_msg", "payload": {"type": "user_message", "message": secrets.text}}
    return write_lines(folder / "rollout.jsonl", [*CODEX, message])


def chatgpt(folder: Path, secrets: Secrets) -> Path:
    data = json.dumps(CHATGPT).replace(json.dumps("Which tea keeps me awake?"), json.dumps(secrets.text))
    return write(folder, "conversations.json", data)


def claude_ai(folder: Path, secrets: Secrets) -> Path:
    data = json.dumps(CLAUDE_AI).replace(json.dumps("When do I sow peas?"), json.dumps(secrets.text))
    return write(folder, "conversations.json", data)


FORMATS: Mapping[str, Callable[[Path, Secrets], Path]] = {
    "instructions": instructions,
    "agents": agents,
    "markdown": auto_memory,
    "memory-tool": memory_tool,
    "claude-memories": claude_memories,
    "claude-code": claude_code,
    "codex": codex,
    "chatgpt": chatgpt,
    "claude-ai": claude_ai,
}


async def import_from(
    memory: Memory, form: str, path: Path, *, dry_run: bool = False
) -> MemoryImportResult | ConversationImportResult:
    if form in FORMS:
        return await memory.agent.import_conversations(path, dry_run=dry_run)
    return await memory.transfer.import_memory(path, dry_run=dry_run)


def new_in(imported: MemoryImportResult | ConversationImportResult) -> list[int]:
    """Return the numbers of new records of each kind."""
    if isinstance(imported, ConversationImportResult):
        return [imported.added]
    kinds = (imported.entities, imported.relations, imported.observations, imported.blocks)
    return [kind.new for kind in kinds if kind is not None]


async def test_secrets_reach_neither_log_nor_blobs(memory: Memory, domain: str, tmp_path: Path) -> None:
    """All formats are in one test, because each scan reads the whole database."""
    secrets = Secrets()
    domains = {form: f"{domain}-{form}" for form in FORMATS}
    for form, write_source in FORMATS.items():
        scoped = memory.in_domain(domains[form])
        done = await import_from(scoped, form, write_source(tmp_path / form, secrets))
        assert done.secrets >= 4, form
        assert (await scoped.upkeep.verify()).clean, form
    marked = await memory.history.scan(f"{secrets.mark} is [secret: ")
    assert {finding.domain for finding in marked.findings} == {*domains.values()}
    for secret in secrets.all:
        assert (await memory.history.scan(secret)).findings == ()


@pytest.mark.parametrize("form", FORMATS)
async def test_a_dry_run_counts_and_changes_nothing(form: str, memory: Memory, tmp_path: Path) -> None:
    path = FORMATS[form](tmp_path, Secrets())
    tried = await import_from(memory, form, path, dry_run=True)
    assert tried.dry_run
    with pytest.raises(GraphError) as missing:
        await memory.history.log()
    assert missing.value.code is Code.ONTOLOGY_NOT_FOUND
    done = await import_from(memory, form, path)
    assert sum(new_in(done)) > 0
    assert (new_in(tried), tried.secrets) == (new_in(done), done.secrets)
    last = (await memory.history.log(limit=1)).entries[0].seq
    for dry_run in (True, False):
        again = await import_from(memory, form, path, dry_run=dry_run)
        assert (sum(new_in(again)), again.secrets) == (0, 0)
    assert (await memory.history.log(limit=1)).entries[0].seq == last


async def test_notes_of_the_user_keep_their_text(memory: Memory, tmp_path: Path) -> None:
    """They may be synced, and a marker would then replace the user's own text."""
    text = Secrets().text
    write(tmp_path / "vault", "access.md", text)
    assert (await memory.transfer.import_memory(tmp_path / "vault")).secrets == 0
    assert not (await memory.history.scan(text.splitlines()[1])).clean
    write(tmp_path / "synced", "door.md", text)
    await memory.transfer.sync_folder(tmp_path / "synced")
    await memory.transfer.sync_folder(tmp_path / "synced")
    assert text in (tmp_path / "synced" / "door.md").read_text()
