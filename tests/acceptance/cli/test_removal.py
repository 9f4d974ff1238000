"""`graph-memory erase`, `compact` and `scan`, and the tools of the same purpose, as they are used."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from acceptance.agents import COMMAND, run
from graph_memory import Code, Memory, ontology_from
from graph_memory.model.errors import GraphError
from graph_memory.operations.table import OPERATIONS

pytestmark = [pytest.mark.long, pytest.mark.anyio]


def name_of_bird(domain: str) -> str:
    """Return a name that is in no other domain: a scan looks at the whole database, which other tests share."""
    return f"Zebrafinch {domain[-8:]}"


@pytest.fixture
async def diary(memory: Memory, domain: str) -> Memory:
    await memory.create_ontology(ontology_from({"node_types": ["Note"], "connection_types": []}))
    await memory.create_node("Note", f"# {name_of_bird(domain)}", id="bird")
    await memory.update_node("bird", content=f"# {name_of_bird(domain)} 2", encoding="utf-8")
    await memory.create_node("Note", "# Tea", id="tea")
    return memory


def tombstones(text: str) -> int:
    """Return the number of events of an erased subject in a scan of all domains of the database."""
    counted = re.search(r"(\d+) events of an erased subject", text)
    assert counted, text
    return int(counted[1])


async def test_a_person_erases_and_sees_that_it_is_gone(diary: Memory, variables: dict[str, str], domain: str) -> None:
    process = run(variables, "scan", name_of_bird(domain))
    assert process.returncode == 1
    assert f"node  _Event  {domain}" in process.stdout
    title = (await diary.get_node("bird")).title
    tried = run(variables, "erase", "bird", "--dry-run")
    assert tried.stdout == f"{domain}: 1 subject, 2 events, 2 contents\n"
    assert tried.stderr.splitlines()[-1] == f'"{title}" (bird) would be erased.'
    assert run(variables, "erase", "bird", "--yes").stderr.splitlines()[-1] == "bird is erased."
    assert run(variables, "scan", name_of_bird(domain)).stdout == ""
    assert tombstones(run(variables, "scan", "bird").stderr) >= 3
    assert run(variables, "log", "--subject", "bird").stdout.splitlines()[1].endswith("Node bird erased")
    result = run(variables, "node", "get", "bird", "--as-of", "5")
    assert result.returncode == 66
    assert result.stderr.startswith("SUBJECT_ERASED: bird was erased")


async def test_a_person_compacts_into_a_file(diary: Memory, variables: dict[str, str], tmp_path: Path) -> None:
    at, path = (await diary.get_node("bird")).version, tmp_path / "old.jsonl.gz"
    done = run(variables, "compact", "--before", str(at), "--archive", str(path), "--yes", "--json")
    result = json.loads(done.stdout)
    assert (result["compacted_to"], result["events"], result["contents"]) == (at, 1, 1)
    assert json.loads(gzip.decompress(path.read_bytes()).splitlines()[-1])["end"]["events"] == at
    refused = run(variables, "query", "--as-of", str(at - 1))
    assert refused.stderr.startswith("HISTORY_COMPACTED")
    assert run(variables, "log").stdout.splitlines()[1].endswith(f"Compacted up to {at}")


async def test_a_dry_run_says_what_will_not_be_answered_any_more(diary: Memory, variables: dict[str, str]) -> None:
    at = (await diary.history.log(subject="bird", operations=["create"])).entries[0].seq
    lines = run(variables, "compact", "--before", str(at), "--dry-run").stdout.splitlines()
    assert lines[0].split(" (")[0].endswith(f": as-of, diff and revert would answer only from {at}")
    assert (
        lines[1]
        == f"{at} events would go into the archive; 0 of them would leave the database, with 0 contents of 0 bytes."
    )
    assert len(lines) == 2, "every node keeps the state that it began with"
    at += 1
    [*_, last] = run(variables, "compact", "--before", str(at), "--dry-run").stdout.splitlines()
    assert last.startswith("The first state of 1 node would be gone: Zebrafinch")
    assert run(variables, "compact", "--before", "0", "--dry-run").stderr.endswith("its log starts after that point.\n")
    assert (await diary.history.as_of(1)).seq == 1


async def test_what_cannot_be_undone_needs_a_yes_where_nobody_can_be_asked(
    diary: Memory, variables: dict[str, str], domain: str
) -> None:
    await diary.history.branch(f"{domain}-b")
    before = await diary.history.log()
    for arguments in (
        ("erase", "bird"),
        ("compact", "--before", "4"),
        ("domain", "delete", f"{domain}-b"),
    ):
        refused = run(variables, *arguments)
        assert (refused.returncode, refused.stdout) == (2, ""), arguments
        assert refused.stderr.startswith("INVALID_ARGUMENT: This cannot be undone, and without a terminal")
        assert "Pass --yes to confirm." in refused.stderr
        result = json.loads(run(variables, *arguments, "--json").stderr)
        assert (result["code"], result["details"]["argument"]) == (Code.INVALID_ARGUMENT, "yes")
    assert await diary.history.log() == before
    assert (await diary.domain_info(domain=f"{domain}-b")).nodes == 2


async def test_an_agent_must_confirm_what_cannot_be_undone(diary: Memory, domain: str) -> None:
    for name, arguments_ in (("memory_erase", {"subject": "bird"}), ("memory_compact", {"before": 4})):
        with pytest.raises(GraphError) as refused:
            await OPERATIONS[name].bind({**arguments_, "domain": domain})(diary)
        assert (refused.value.code, refused.value.details["argument"]) == (Code.INVALID_ARGUMENT, "confirm")
        tried = await OPERATIONS[name].bind({**arguments_, "domain": domain, "dry_run": True})(diary)
        assert tried.dry_run
    done = await OPERATIONS["memory_erase"].bind({"subject": "bird", "domain": domain, "confirm": True})(diary)
    assert done.domains[0].events == 2


async def test_json_is_alone_on_stdout_also_when_a_person_is_asked(
    diary: Memory, variables: dict[str, str], domain: str
) -> None:
    at, source = (await diary.get_node("bird")).version, f"{domain}-b"
    await diary.history.branch(source)
    await diary.in_domain(source).create_node("Note", "# Coffee", id="coffee")
    for arguments, name in (
        (("merge", source), "created"),
        (("merge", source), "created"),
        (("revert", "--since", str(at), "--until", str(at)), "changes"),
        (("compact", "--before", str(at)), "compacted_to"),
        (("erase", "bird"), "subject"),
    ):
        text, shown = answered_yes(variables, *arguments, "--json")
        assert name in json.loads(text), arguments
        assert shown


def answered_yes(variables: dict[str, str], *arguments: str) -> tuple[str, str]:
    """Run a command at a terminal whose output goes elsewhere, and say yes to what it asks."""
    screen, keys = os.openpty()
    os.write(screen, b"y\n")
    try:
        done = subprocess.run(
            [COMMAND, *arguments],
            env={**os.environ, **variables},
            stdin=keys,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    finally:
        os.close(keys)
        os.close(screen)
    return done.stdout, done.stderr
