"""`graph-memory sync`, as a person with a folder of notes uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acceptance.agents import run
from graph_memory import Memory

pytestmark = pytest.mark.anyio

TEA = "# Tea\n\nFrom [[China|the east]]. <!-- ask Bo -->\n\n- [fact] green #drink\n"


async def test_a_vault_and_a_domain_are_kept_equal(
    memory: Memory, environment: dict[str, str], domain: str, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    (vault / "places").mkdir(parents=True)
    (vault / "Tea.md").write_text(TEA)
    (vault / "places" / "China.md").write_text("---\ntype: country\n---\n")
    sync = ("sync", str(vault), "--domain", domain)

    tried = run(environment, *sync, "--dry-run")
    assert tried.stdout.endswith("memory      2        0        0\nNothing was written.\n"), tried.stderr
    assert not (vault / ".graph-memory").exists()
    assert run(environment, *sync).returncode == 0
    assert (await memory.entities.open_nodes(["China"])).entities[0].entity_type == "country"
    assert run(environment, *sync).stdout == f"The folder and domain {domain} are equal.\n"
    log = (await memory.history.log()).entries
    assert {entry.by for entry in log if entry.session} == {"sync"}
    assert len({entry.batch for entry in log if entry.session}) == 1

    await memory.entities.add_observations([{"entityName": "Tea", "contents": ["hot"]}])
    assert run(environment, *sync).returncode == 0
    assert (vault / "Tea.md").read_text() == f"{TEA}\n## Observations\n- hot\n"

    (vault / "Tea.md").write_text("Mine.\n")
    await memory.entities.update_entity("Tea", description="Yours.")
    conflict = run(environment, *sync)
    assert (conflict.returncode, conflict.stdout.split("\n")[0]) == (73, "Conflict: Tea (Tea.md): text")
    assert (vault / "Tea.md").read_text() == "Mine.\n"
    settled = json.loads(run(environment, *sync, "--prefer", "memory", "--json").stdout)
    assert (vault / "Tea.md").read_text() == "Yours.\n"
    assert (Path(settled["copies"]) / "Tea.md").read_text() == "Mine.\n"

    (vault / "places" / "China.md").rename(vault / "China.md")
    assert json.loads(run(environment, *sync, "--json").stdout).get("session") is None
    (vault / "Extra.md").write_text("Soon undone.\n")
    session = json.loads(run(environment, *sync, "--json").stdout)["session"]
    run(environment, "revert", "--session", session, "--domain", domain, "--yes")
    assert json.loads(run(environment, *sync, "--json").stdout)["folder"]["deleted"] == 1
    for note in vault.glob("*.md"):
        note.unlink()
    refused = run(environment, *sync)
    assert refused.returncode == 2
    assert "--delete" in refused.stderr
    run(environment, *sync, "--delete")
    assert (await memory.entities.read_graph()).entities == ()


async def test_a_memory_store_is_exported_and_imported(
    memory: Memory, environment: dict[str, str], domain: str, tmp_path: Path
) -> None:
    store = tmp_path / "store.json"
    run(environment, "call", "create_file", "path=/memories/a.md", "file_text=tea", "--domain", domain)
    done = run(environment, "export", str(store), "--format", "memory-store", "--domain", domain)
    assert done.stdout == f"Exported domain {domain} as memory-store: 1 file, 1 version.\n", done.stderr
    assert json.loads(store.read_text())["memories"][0]["path"] == "/a.md"
    copy = ("import", str(store), "--domain", f"{domain}-copy")
    assert "Nothing was written." in run(environment, *copy, "--dry-run").stdout
    assert "Undo it with" in run(environment, *copy).stdout
    again = json.loads(run(environment, *copy, "--json").stdout)
    assert again["versions"] == {"new": 0, "already_there": 1}
    wrong = run(environment, "export", str(store), "--format", "memory-store", "--as-of", "1", "--domain", domain)
    assert wrong.returncode == 2
