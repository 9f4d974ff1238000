"""`graph-memory export` and `import`, as a person uses them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from acceptance.agents import COMMAND, run, verify
from graph_memory import Memory, ontology_from

pytestmark = pytest.mark.anyio


@pytest.fixture
async def kitchen(memory: Memory) -> Memory:
    depends = {"name": "DependsOn", "from": ["Action"], "to": ["Action"]}
    await memory.create_ontology(ontology_from({"node_types": ["Action"], "connection_types": [depends]}))
    await memory.create_node("Action", "# Call", properties={"status": "next"}, id="call")
    await memory.create_node("Action", b"\x00" * 100, encoding="base64", format="bin", id="scan")
    await memory.create_connection("DependsOn", "call", "scan", content="for the size", id="why")
    await memory.update_node("call", properties={"status": "done"})
    return memory


@pytest.mark.long
@pytest.mark.parametrize("name", ["kitchen.jsonl", "kitchen.jsonl.gz"])
async def test_a_domain_is_exported_and_imported_under_another_name(
    kitchen: Memory, environment: dict[str, str], domain: str, tmp_path: Path, name: str
) -> None:
    done = run(environment, "export", str(tmp_path / name), "--domain", domain)
    assert done.returncode == 0, done.stderr
    counts = "8 events, 3 contents, up to number 8 of its log"
    assert done.stdout == f"Exported domain {domain} to {tmp_path / name}: {counts}.\n"
    done = run(environment, "import", str(tmp_path / name), "--as", f"{domain}-copy")
    assert done.stdout == f"Imported domain {domain}-copy: 8 events, 3 subjects in the graph.\n", done.stderr
    assert verify(environment, f"{domain}-copy")["events"] == 8
    copy = kitchen.in_domain(f"{domain}-copy")
    assert (await copy.history.log(full=True)).entries == (await kitchen.history.log(full=True)).entries

    again = run(environment, "import", str(tmp_path / name), "--json")
    assert (again.returncode, json.loads(again.stderr)["code"]) == (73, "DOMAIN_ALREADY_EXISTS")


@pytest.mark.long
@pytest.mark.usefixtures("kitchen")
async def test_an_export_goes_through_a_pipe(environment: dict[str, str], domain: str) -> None:
    out = subprocess.run(  # noqa: ASYNC221
        [COMMAND, "export", "-", "--domain", domain],
        env={**os.environ, **environment},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert out.stderr.decode().startswith(f"Exported domain {domain} to standard output")
    done = run(environment, "import", "-", "--as", f"{domain}-copy", "--json", input=out.stdout.decode())
    assert json.loads(done.stdout) == {
        "domain": f"{domain}-copy",
        "seq": 8,
        "events": 8,
        "subjects": 3,
        "resumed": False,
    }


@pytest.mark.usefixtures("kitchen")
async def test_what_cannot_be_is_said_in_two_lines(environment: dict[str, str], domain: str, tmp_path: Path) -> None:
    file = tmp_path / "kitchen.jsonl"
    assert run(environment, "export", str(file), "--domain", domain).returncode == 0
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines[:4], *lines[5:]]))
    done = run(environment, "import", str(file), "--as", f"{domain}-copy")
    assert done.returncode == 65
    assert (
        done.stderr.splitlines()[0]
        == "INVALID_ARCHIVE: The event in line 6 has the number 5, but the event before it has 3"
    )
    assert done.stderr.splitlines()[1].startswith("Hint: ")
    for wrong in (["kitchen.json"], ["then.jsonl", "--as-of", "3"]):
        done = run(environment, "export", str(tmp_path / wrong[0]), *wrong[1:], "--domain", domain)
        assert (done.returncode, done.stderr.split(":")[0]) == (2, "INVALID_ARGUMENT")
        assert not (tmp_path / wrong[0]).exists()


@pytest.mark.long
@pytest.mark.usefixtures("kitchen")
async def test_a_domain_is_exported_to_a_folder_and_imported(
    environment: dict[str, str], domain: str, tmp_path: Path
) -> None:
    folder = f"{tmp_path / 'kitchen'}/"
    done = run(environment, "export", folder, "--domain", domain)
    text = f"Exported domain {domain} to {folder}: 2 nodes, 1 connection. A folder has no log.\n"
    assert done.stdout == text, done.stderr
    done = run(environment, "import", folder, "--as", f"{domain}-copy")
    assert done.stdout == f"Imported domain {domain}-copy: 2 nodes, 1 connection, with a new log.\n", done.stderr
    assert verify(environment, f"{domain}-copy")["events"] == 7


@pytest.mark.long
async def test_a_report_is_one_page_that_names_what_is_stored(
    kitchen: Memory, environment: dict[str, str], domain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await kitchen.entities.remember(name="<script>harm()</script>", observations=["likes tea"], type="Action")
    await kitchen.create_node("Action", "# <script>harm()</script>", id="hostile")
    await kitchen.create_connection("DependsOn", "hostile", "call")
    monkeypatch.chdir(tmp_path)
    done = run(environment, "report", "--domain", domain, "--json")
    assert done.returncode == 0, done.stderr
    written = json.loads(done.stdout)
    page = (tmp_path / written["file"]).read_text("utf-8")
    assert (written["domain"], written["bytes"]) == (domain, len(page.encode()))
    assert written["file"].startswith(f"memory-report-{domain}-")
    assert "<script" not in page
    assert "&lt;script&gt;harm()&lt;/script&gt; (Action)" in page
    assert "Call (Action)" in page
    assert '<li class="s0">Nodes: 4</li><li class="s1">Connections: 2</li>' in page
    assert "searches for titles of nodes" in page

    to_stdout = run(environment, "report", "--domain", domain, "--out", "-")
    assert to_stdout.stdout.startswith("<!doctype html>")
    again = run(environment, "report", "--domain", domain, "--out", "-")
    [before, after] = [done.stdout.split("<h2>Use</h2>")[1].split("</section>")[0] for done in (to_stdout, again)]
    assert before == after
    for target in (".", "/", "-"):
        rejected = run(environment, "report", "--domain", domain, "--out", target, "--json")
        assert json.loads(rejected.stderr)["code"] == "INVALID_ARGUMENT"
    failed = run(environment, "report", "--domain", domain, "--out", str(tmp_path / "none/report.html"), "--json")
    assert json.loads(failed.stderr)["code"] == "FILE_CREATION_FAILED"
    missing = run(environment, "report", "--domain", "no-such-domain", "--json")
    assert json.loads(missing.stderr)["code"] == "ONTOLOGY_NOT_FOUND"
