"""The ready calls that keep entities clean, as commands."""

from __future__ import annotations

from typing import Any

from graph_memory.cli.errors import as_command
from graph_memory.model.results import ReadyCall
from tables import for_rows


@for_rows(
    ("tool", "arguments", "command"),
    [
        ("decide", {"new": "obs_2", "known": "obs_1", "decision": "close"}, "decide obs_2 obs_1 close"),
        ("merge_entities", {"names": ["Ann B"], "into": "Ann"}, "entity merge 'Ann B' --into Ann"),
        ("delete_entities", {"entityNames": ["it's"]}, """entity delete 'it'"'"'s'"""),
        ("find_similar", {"name": "Ann"}, "entity similar Ann"),
        ("open_nodes", {"names": ["Ann"]}, "entity open Ann"),
        ("recall", {"focus": ["mem_1"], "max_tokens": 500}, "recall --focus mem_1 --max-tokens 500"),
        ("delete_connection", {"connection_id": "conn_1"}, "connection delete conn_1"),
        (
            "delete_relations",
            {"relations": [{"from": "Ann", "to": "Bob", "relationType": "is near"}]},
            "entity unrelate Ann 'is near' Bob",
        ),
        ("memory_log", {"subject": "node_type/Thing"}, "log --subject node_type/Thing"),
        ("memory_revert", {"event_ids": [7], "dry_run": True}, "revert 7 --dry-run"),
    ],
)
def test_a_ready_call_is_shown_as_the_command_that_does_the_same(
    tool: str, arguments: dict[str, Any], command: str
) -> None:
    assert as_command(ReadyCall(tool=tool, arguments=arguments)) == f"graph-memory {command}"
