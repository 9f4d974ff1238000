"""A person searches at the command line, and looks after the index."""

from __future__ import annotations

import json

import pytest

from acceptance.agents import run
from graph_memory import Memory

pytestmark = pytest.mark.anyio


async def test_search_finds_by_meaning_what_find_does_not(kitchen: Memory, variables: dict[str, str]):
    await kitchen.create_node("Action", "# Oven\n\nIt needs a circuit of its own.", id="oven")
    shown = run(variables, "search", "electricity for the cooker", "-n", "1")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[0].startswith("1   Oven  Action  ")
    assert "    # Oven  It needs a circuit of its own." in shown.stdout.splitlines()
    assert shown.stdout.splitlines()[-1] == "    oven"
    assert "1 of 2 results, searched by words and meaning. There are more: use --limit N or --cursor" in shown.stderr
    assert run(variables, "find", "cooker").stdout == ""
    assert "oven" in run(variables, "find", "CIRCUIT of").stdout


async def test_a_search_looks_into_the_past(kitchen: Memory, variables: dict[str, str]):
    changed = await kitchen.update_node("call", content="# Write\n\nBy mail.", encoding="utf-8")
    then = json.loads(run(variables, "search", "call", "--as-of", str(changed.version - 1), "--json").stdout)
    now = json.loads(run(variables, "search", "call", "--json").stdout)
    assert [hit["title"] for hit in then["hits"]] == ["Call"]
    assert [hit["title"] for hit in now["hits"]] == ["Write"]


async def test_the_index_is_made_anew_and_what_it_lacks_is_shown(kitchen: Memory, variables: dict[str, str]):
    lacking = run(variables, "domain", "info").stdout
    assert "not indexed yet" in lacking
    made = run(variables, "reindex", "--missing")
    assert made.returncode == 0, made.stderr
    assert "passages, vectors by local/" in made.stdout
    assert "not indexed yet" not in run(variables, "domain", "info").stdout
    anew = json.loads(run(variables, "reindex", "--json").stdout)
    assert (anew["not_indexed"], anew["without_vectors"]) == (0, 0)
    assert anew["passages"] > 0
    assert run(variables, "reindex", "--missing", "--model").returncode == 2


async def test_the_doctor_names_domains_whose_index_lacks_something(
    kitchen: Memory, variables: dict[str, str], domain: str
):
    run(variables, "search", "call")
    await kitchen.create_node("Action", "# New")
    checks = {check["name"]: check for check in json.loads(run(variables, "doctor", "--json").stdout)["checks"]}
    assert checks["search"]["outcome"] == "note"
    assert "1 change not indexed" in checks["search"]["found"] or "more domain" in checks["search"]["found"]
    assert "reindex" in checks["search"]["remedy"]
