"""The ready calls that keep entities clean, as commands."""

from __future__ import annotations

import shlex
from typing import Any

from graph_memory.cli.errors import as_command
from graph_memory.cli.input.call_arguments import parse_call_arguments
from graph_memory.model.results import ReadyCall
from graph_memory.operations.table import CALLABLE
from tables import for_rows


@for_rows(
    ("tool", "arguments", "command"),
    [
        ("decide", {"new": "obs_2", "decision": "close"}, "new=obs_2 decision=close"),
        ("merge_entities", {"names": ["Ann B", "A"], "into": "Ann"}, "'names=Ann B' names=A into=Ann"),
        ("delete_entities", {"entityNames": ["it's"]}, """'entityNames=it'"'"'s'"""),
        ("recall", {"focus": ["mem_1"], "max_tokens": 500}, "focus=mem_1 max_tokens:=500"),
        (
            "delete_relations",
            {"relations": [{"from": "Ann", "to": "Bob", "relationType": "is near"}]},
            """'relations:=[{"from": "Ann", "to": "Bob", "relationType": "is near"}]'""",
        ),
        ("memory_revert", {"event_ids": [7], "dry_run": True}, "'event_ids:=[7]' dry_run:=true"),
        ("merge_entities", {"names": ['["a"]', "b"]}, """'names:=["[\\"a\\"]", "b"]'"""),
        ("delete_entities", {"entityNames": ["a\n\x1b"]}, r"""'entityNames:=["a\n\u001b"]'"""),
        ("delete_entities", {"entityNames": []}, "'entityNames:=[]'"),
    ],
)
def test_a_ready_call_is_shown_as_a_command_that_means_the_same(
    tool: str, arguments: dict[str, Any], command: str
) -> None:
    assert as_command(ReadyCall(tool=tool, arguments=arguments)) == f"graph-memory call {tool} {command}"
    assert parse_call_arguments(CALLABLE[tool], shlex.split(command)) == arguments
