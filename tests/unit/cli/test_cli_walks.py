"""Texts for people about walks, paths and neighbours."""

from __future__ import annotations

import pytest

from graph_memory.memory.traversal.results import Metrics, OmittedCounts, Paths
from unit.cli.test_cli_commands import memory, run
from unit.mcp_server.mcp_fakes import ANSWERS, RecordingMemory

__all__ = ["memory"]


def test_a_walk_is_a_tree_and_stderr_says_what_is_missing(memory: RecordingMemory):
    done = run("traverse", "mem_1")
    assert done.stdout.splitlines() == [
        "Kitchen  Project  mem_1",
        "    Tiles, paint",
        "  → WorksWith 0.45 since 2026-05-08  Ann  Person  mem_2",
    ]
    assert done.stderr.splitlines() == ["2 nodes, 1 connection. 1 node at the maximum --depth, not followed further."]


def test_a_walk_tells_its_limits_and_its_shape(memory: RecordingMemory):
    shape = Metrics(nodes=2, connections=1, depth=1, density=1.0, components=1, largest_component=2)
    left = OmittedCounts(max_nodes=True, max_tokens=3, duplicates=1, connections=7, hubs=("mem_9",))
    memory.answers["traverse_memories"] = ANSWERS["traverse_memories"].model_copy(
        update={"metrics": shape, "left_out": left}
    )
    done = run("traverse", "mem_1", "--metrics")
    assert "Density 1.00, 1 part, the largest of 2 nodes, depth 1." in done.stdout.splitlines()
    for text in ("--limit", "3 left out for --max-tokens", "1 duplicate left out", "7 more connections", "mem_9"):
        assert text in done.stderr


def test_a_path_is_told_step_by_step_and_a_missing_one_in_a_sentence(memory: RecordingMemory):
    assert run("path", "mem_1", "mem_2").stdout.splitlines() == [
        "1 connection, weight 0.45",
        "    Kitchen  Project  mem_1",
        "    → WorksWith 0.45 since 2026-05-08  Ann  Person  mem_2",
    ]
    memory.answers["find_path"] = Paths(paths=(), tried="No path of at most 5 connections.")
    done = run("path", "mem_1", "mem_2")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "No path of at most 5 connections.\n"


def test_neighbors_are_a_table(memory: RecordingMemory):
    assert run("neighbors", "mem_1").stdout.splitlines() == [
        "Kitchen  Project  mem_1",
        "   type       node  weight  valid             id",
        "→  WorksWith  Ann   0.45    until 2026-06-30  mem_2",
    ]


@pytest.mark.parametrize("command", ["traverse", "neighbors"])
def test_nothing_that_is_stored_reaches_the_terminal_as_an_order(memory: RecordingMemory, command: str):
    name = {"traverse": "traverse_memories", "neighbors": "get_neighbors"}[command]
    text = ANSWERS[name].model_dump_json().replace("Kitchen", "Kit\\u001b[31mchen")
    memory.answers[name] = type(ANSWERS[name]).model_validate_json(text)
    assert "\x1b" not in run(command, "mem_1").stdout
