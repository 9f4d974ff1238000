"""`graph-memory import` is killed, again and again, and then asked for once more."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import anyio
import pytest

from acceptance.agents import COMMAND, environment_of, run, verify
from graph_memory import Memory, Settings, ontology_from

pytestmark = pytest.mark.anyio


async def state_of(memory: Memory, name: str) -> str | None:
    """Return the work in progress in a domain, or None if the domain does not exist."""
    results = {domain.name: domain.busy or "ready" for domain in (await memory.list_domains()).domains}
    return results.get(name)


async def test_an_import_that_is_killed_goes_on_when_it_is_asked_for_again(
    memory: Memory, settings: Settings, domain: str, tmp_path: Path
) -> None:
    environment = environment_of(settings)
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    for number in range(300):
        await memory.create_node("Note", f"{'word ' * 400}{number}", id=f"note-{number}")
    file = tmp_path / "notes.jsonl"
    exported = await memory.transfer.export_file(file)
    arguments = [str(COMMAND), "import", str(file), "--as", f"{domain}-copy"]
    kills = 0
    for wait in (0.0, 0.05, 0.2):
        process = subprocess.Popen(arguments, env={**os.environ, **environment})  # noqa: ASYNC220
        while process.poll() is None and await state_of(memory, f"{domain}-copy") is None:  # noqa: ASYNC110
            await anyio.sleep(0.01)
        await anyio.sleep(wait)
        process.kill()
        kills += process.wait() == -signal.SIGKILL
        assert await state_of(memory, f"{domain}-copy") in (None, "importing", "ready")
    assert kills
    done = run(environment, *arguments[1:])
    assert done.returncode in (0, 73), done.stderr  # 73: the last one was complete before it was killed
    results = verify(environment, f"{domain}-copy")
    assert (results["events"], results["subjects"]) == (exported.events, 303)
