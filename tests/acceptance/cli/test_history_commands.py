"""`graph-memory log`, `sessions`, `revert` and the history of a node, as a person uses them."""

from __future__ import annotations

import json
import re
import shlex
import time
from typing import Any

import pytest

from acceptance.agents import run
from graph_memory import Memory, NodeType, PropertyRule

pytestmark = pytest.mark.anyio


async def test_the_log_is_a_line_a_change_and_json_what_python_gives(
    kitchen: Memory, variables: dict[str, str]
) -> None:
    done = run(variables, "log", "--limit", "2")
    assert done.stdout.splitlines()[0].split() == ["seq", "time", "by", "change"]
    assert [line.split(maxsplit=5)[5] for line in done.stdout.splitlines()[1:]] == [
        'Action "Call": status "next" → "done"',
        'Action "Call" created',
    ]
    assert done.stderr.startswith("2 changes. There are more: use --limit N or --cursor ")
    result = json.loads(run(variables, "log", "--full", "--json").stdout)
    assert result == (await kitchen.history.log(full=True)).to_dict()
    result = json.loads(run(variables, "log", "--subject", "call", "--json").stdout)
    assert result == (await kitchen.history.log(subject="call")).to_dict()


@pytest.mark.long
async def test_a_time_that_the_log_prints_can_be_typed_into_it_in_any_zone(
    kitchen: Memory, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        last = run(variables, "log").stdout.splitlines()[1]
        match = re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d -0[45]", last)
        assert match, last
        for typed in (match[0], match[0][:16]):
            assert last in run(variables, "log", "--since", typed).stdout
            assert last in run(variables, "log", "--since", "today", "--until", typed).stdout
            assert "call" in run(variables, "query", "--as-of", typed, "-p", "status=done").stdout
        assert run(variables, "log", "--until", "yesterday").stderr == "0 changes.\n"
        refused = run(variables, "log", "--since", "some day")
        assert refused.returncode == 2
        assert "2026-03-01 09:00 (your time zone)" in refused.stderr
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.long
async def test_what_differs_is_a_line_a_subject_and_json_what_python_gives(
    kitchen: Memory, variables: dict[str, str]
) -> None:
    since = (await kitchen.get_node("call")).version
    await kitchen.update_node("call", properties={"status": "later"}, content="# Call\nBert\u001b[2J", encoding="utf-8")
    await kitchen.create_node("Action", "# Phone", id="phone")
    done = run(variables, "diff", "--since", str(since))
    assert done.stdout.splitlines() == [
        '~ Action "Call": status "done" → "later", content 6 bytes → 15 bytes  call',
        '+ Action "Phone" created  phone',
    ]
    assert done.stderr == f"2 differences from {since} to {since + 2}: 1 added, 0 removed, 1 changed.\n"
    shown = run(variables, "diff", "--since", str(since), "--content", "--limit", "1")
    assert shown.stdout.splitlines()[1:] == [
        "    --- before",
        "    +++ after",
        "    @@ -1 +1,2 @@",
        "     # Call",
        "    +Bert\\u001b[2J",
    ]
    assert "There are more: use --limit N or --cursor between:" in shown.stderr
    result = json.loads(run(variables, "diff", "--since", str(since), "--content", "--json").stdout)
    assert result == (await kitchen.history.diff(since=since, content=True)).to_dict()


@pytest.mark.long
async def test_a_session_is_named_listed_and_taken_back(kitchen: Memory, variables: dict[str, str]) -> None:
    variables = {**variables, "GRAPH_MEMORY_SESSION": "desk"}
    assert run(variables, "node", "update", "call", "-p", "by=ann").returncode == 0
    [own, _] = json.loads(run(variables, "sessions", "--json").stdout)["sessions"]
    assert (own["session"], own["actor"], own["source"], own["changes"]) == ("desk", "ann", "user", 1)
    assert "desk" in run(variables, "sessions").stdout
    done = run(variables, "revert", "--session", "current")
    assert (done.returncode, done.stdout) == (0, "set back  Action “Call” call\n"), done.stderr
    assert (await kitchen.get_node("call")).properties == {"status": "done"}
    await kitchen.add_node_type(NodeType("SessionSummary", properties=(PropertyRule("session", unique=True),)))
    assert run(variables, "call", "session_end", "summary=Asked Ann to call.").returncode == 0
    [own, *_] = json.loads(run(variables, "sessions", "--json").stdout)["sessions"]
    assert (own["session"], own["summary"]) == ("desk", "Asked Ann to call.")
    assert "Asked Ann to call." in " ".join(run(variables, "sessions").stdout.split())


async def test_what_a_change_would_undo_is_told_before(kitchen: Memory, variables: dict[str, str]) -> None:
    made = (await kitchen.history.log(subject="call", operations=["create"])).entries[0].seq
    tried = run(variables, "revert", "--since", str(made), "--dry-run")
    assert tried.stdout == "deleted  Action “Call” call\n"
    assert "would be undone" in tried.stderr
    assert (await kitchen.get_node("call")).properties == {"status": "done"}


async def test_a_conflict_ends_with_its_status_and_the_command_that_resolves_it(
    kitchen: Memory, variables: dict[str, str], domain: str
) -> None:
    changed = (await kitchen.get_node("call")).version
    await kitchen.update_node("call", properties={"status": "later"})
    done: Any = run(variables, "revert", str(changed))
    assert (done.returncode, done.stdout) == (73, "")
    assert done.stderr.startswith('REVERT_CONFLICT: "Call" (call) cannot be reverted: it was changed again')
    assert "“Call”: it was changed again" in done.stderr
    choice, *forced = shlex.split(done.stderr.splitlines()[-1])
    assert choice == "force:"
    values = [f"event_ids={changed}", "on_conflict=force", "--domain", domain]
    assert forced == ["graph-memory", "call", "memory_revert", *values]
    done = run(variables, "revert", "--since", str(changed), "--until", str(changed), "--on-conflict", "skip")
    assert done.stdout.startswith("left      “Call”: it was changed again")
    assert run(variables, *forced[1:]).returncode == 0


@pytest.mark.long
async def test_what_was_there_is_shown_as_it_was(kitchen: Memory, variables: dict[str, str]) -> None:
    made = str((await kitchen.history.log(subject="call", operations=["create"])).entries[0].seq)
    await kitchen.delete_node("call")
    shown = {
        ("node", "get", "call"): "status=next",
        ("node", "content", "call"): "# Call",
        ("query", "-p", "status=next"): "Action  Call   call",
        ("find", "CALL"): "Action  Call   call",
        ("node", "get", "call", "--json"): '"properties": {"status": "next"}',
        ("ontology", "show", "--yaml"): "node_types:",
    }
    for arguments, words in shown.items():
        done = run(variables, *arguments, "--as-of", made)
        assert done.returncode == 0, done.stderr
        assert words in done.stdout
    done = run(variables, "node", "get", "call", "--as-of", "2")
    assert (done.returncode, done.stdout) == (66, "")
    assert "did not exist at event 2" in done.stderr
    assert run(variables, "query", "--as-of", "1 hour ago", "--json").stdout == '{"node_ids": [], "nodes": []}\n'
    await kitchen.add_node_type(NodeType("Later"))
    assert "Later" in run(variables, "ontology", "show").stdout
    assert "Later" not in run(variables, "ontology", "show", "--as-of", made).stdout


@pytest.mark.long
async def test_a_branch_is_made_listed_compared_and_deleted(
    kitchen: Memory, variables: dict[str, str], domain: str
) -> None:
    done = run(variables, "branch", "create", f"{domain}-b")
    assert (done.returncode, done.stdout) == (0, f"{domain}-b\n"), done.stderr
    assert f"Work in it with --domain {domain}-b" in done.stderr
    run(variables, "node", "update", "call", "-p", "status=later", "--domain", f"{domain}-b")
    process = run(variables, "diff", "--against", f"{domain}-b")
    assert process.stdout == '~ Action "Call": status "done" → "later"  call\n'
    assert f"to {domain}-b at " in process.stderr
    assert f"{domain} at 5" in run(variables, "domain", "list", "--cursor", f"after:{domain[:-1]}").stdout
    assert "made from" in run(variables, "domain", "info", f"{domain}-b").stdout
    refused = run(variables, "domain", "delete", domain, "--yes")
    assert (refused.returncode, "DOMAIN_HAS_BRANCHES" in refused.stderr) == (73, True)
    result = run(variables, "domain", "delete", f"{domain}-b", "--yes")
    assert (result.returncode, result.stderr.startswith(f"Deleted {domain}-b: 1 node and ")) == (0, True), result.stderr
    for options in ((), ("--at", "2"), ("--at", "2", "--json")):
        name = f"{domain}/try/{len(options)}"
        done = run(variables, "branch", *options, name)
        assert (done.returncode, name in done.stdout) == (0, True), done.stderr
        assert run(variables, "domain", "delete", name, "--yes").returncode == 0
    refused = run(variables, "branch", "../up")
    assert (refused.returncode, "is not a valid domain name" in refused.stderr) == (2, True)
    assert "as in experiment/new-approach" in refused.stderr
    assert run(variables, "branch").returncode == run(variables, "branch", "one", "two").returncode == 2
    assert run(variables, "domain", "delete", f"{domain}-b", "--yes").returncode == 66
    assert (await kitchen.get_node("call")).properties == {"status": "done"}
