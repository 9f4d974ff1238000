"""`graph-memory batch` as a person and a script use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acceptance.agents import run
from graph_memory import Memory

pytestmark = pytest.mark.anyio

WAYS_TO_FIND = ("query", "find", "search")


async def test_a_file_of_operations_is_made_as_one_and_its_faults_are_listed(
    kitchen: Memory, variables: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "changes.jsonl"
    operations = [
        {"op": "create_node", "type": "Action", "content": "# Buy", "ref": "buy"},
        {"op": "update_node", "node_id": "$buy", "properties": {"status": "next"}},
        {"op": "delete_node", "node_id": "nobody"},
    ]
    file.write_text("\n".join(map(json.dumps, operations)), encoding="utf-8")
    refused = run(variables, "batch", str(file))
    assert (refused.returncode, refused.stdout) == (65, "")
    ways = [f"`graph-memory {way} --domain {variables['GRAPH_MEMORY_DOMAIN']}`" for way in WAYS_TO_FIND]
    assert refused.stderr.splitlines()[-1] == (
        '  operations[2] delete_node: NODE_NOT_FOUND: Node "nobody" does not exist. '
        f"Find nodes with {', '.join(ways[:-1])} or {ways[-1]}. An id is valid only in its domain."
    )
    file.write_text("\n".join(map(json.dumps, operations[:2])), encoding="utf-8")
    done = json.loads(run(variables, "batch", str(file), "--json").stdout)
    assert (await kitchen.get_node(done["results"][0]["id"])).properties == {"status": "next"}
