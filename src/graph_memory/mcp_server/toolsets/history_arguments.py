"""What each tool of the toolset `history` takes; see `arguments` for how it is read."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field

from graph_memory.mcp_server.arguments import Call, ExpectedVersion, Names
from graph_memory.memory.branches.results import How
from graph_memory.memory.history.results import Choice, Operation, Source

Since = Annotated[int | str, Field(description='First change: seq, event id, time, or "2 hours ago"')]
Until = Annotated[int | str, Field(description="Last change, as since")]
OnConflict = Annotated[Choice, Field(description="If a later change or another reason prevents it (default stop)")]
Confirm = Annotated[Literal[True], Field(description="Must be true, unless dry_run: this cannot be undone")]
DryRun = Annotated[bool, Field(description="Only report what would be done")]


class MemoryLog(Call):
    """Arguments of `memory_log`."""

    since: NotRequired[Since]
    until: NotRequired[Until]
    subject: NotRequired[Annotated[str, Field(description="Id of a node or connection")]]
    session: NotRequired[Annotated[str, Field(description="Session id; current is yours")]]
    source: NotRequired[Source]
    actor: NotRequired[str]
    operations: NotRequired[list[Operation]]
    types: NotRequired[Annotated[Names, Field(description="Node or connection types")]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=1000, description="Default 50")]]
    cursor: NotRequired[Annotated[str, Field(description="next_cursor of the previous page")]]
    full: NotRequired[Annotated[bool, Field(description="Include states before and after")]]


PastTool = Literal[
    "get_node",
    "get_node_content",
    "get_connection",
    "query_nodes",
    "query_connections",
    "get_connected_nodes",
    "search_content",
]


class MemoryAsOf(Call):
    """Arguments of `memory_as_of`."""

    at: Annotated[int | str, Field(description='seq, event id, time, or "2 hours ago"')]
    tool: PastTool
    arguments: NotRequired[Annotated[dict[str, object], Field(description="The tool's, without domain")]]


class MemoryDiff(Call):
    """Arguments of `memory_diff`."""

    since: NotRequired[
        Annotated[int | str, Field(description='Earlier state: after this seq, event id, time, or "2 hours ago"')]
    ]
    until: NotRequired[Annotated[int | str, Field(description="Later state, as since (default now)")]]
    against: NotRequired[Annotated[str, Field(description="Another domain, such as a branch; since is then optional")]]
    subject: NotRequired[Annotated[str, Field(description="Id of a node or connection")]]
    types: NotRequired[Annotated[Names, Field(description="Node or connection types")]]
    content: NotRequired[Annotated[bool, Field(description="Include text diffs")]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=1000, description="Default 50")]]
    cursor: NotRequired[Annotated[str, Field(description="next_cursor of the previous page")]]


class MemoryBranch(Call):
    """Arguments of `memory_branch`."""

    name: Annotated[str, Field(description="Name of the new domain")]
    at: NotRequired[Annotated[int | str, Field(description='seq, event id, time, or "2 hours ago" (default now)')]]


class SetValidity(Call):
    """Arguments of `set_validity`."""

    id: Annotated[str, Field(description="Id of a node or connection")]
    valid_from: NotRequired[Annotated[str, Field(description="When it starts to hold; open removes the bound")]]
    valid_to: NotRequired[Annotated[str, Field(description="When it stops holding; now ends it; or open")]]
    expected_version: NotRequired[ExpectedVersion]


class MemoryRevert(Call):
    """Arguments of `memory_revert`."""

    event_ids: NotRequired[Annotated[Names, Field(description="From memory_log; or give since")]]
    since: NotRequired[Since]
    until: NotRequired[Until]
    on_conflict: NotRequired[OnConflict]
    dry_run: NotRequired[DryRun]


class MemoryMerge(Call):
    """Arguments of `memory_merge`."""

    from_: Annotated[str, Field(alias="from", description="Domain with the changes, such as a branch")]
    into: NotRequired[Annotated[str, Field(description="Domain to change (default: domain)")]]
    preview: NotRequired[Annotated[bool, Field(description="Only report what would be done")]]
    strategy: NotRequired[Annotated[How, Field(description="Side that wins conflicts; manual (default) stops")]]
    resolutions: NotRequired[
        Annotated[
            list[dict[str, object]],
            Field(description="[{subject, property?, take: ours|theirs}] or [{subject, property, value}]"),
        ]
    ]


class MemoryRevertSession(Call):
    """Arguments of `memory_revert_session`."""

    session: Annotated[str, Field(description="Session id; current is yours")]
    on_conflict: NotRequired[OnConflict]
    dry_run: NotRequired[DryRun]


class MemoryCompact(Call):
    """Arguments of `memory_compact`."""

    before: Annotated[
        int | str, Field(description='seq, event id, time, or "90 days ago"; its state can still be read')
    ]
    confirm: NotRequired[Confirm]
    dry_run: NotRequired[DryRun]


class MemoryErase(Call):
    """Arguments of `memory_erase`."""

    subject: Annotated[str, Field(description="Id of a node or connection, even a deleted one")]
    confirm: NotRequired[Confirm]
    dry_run: NotRequired[DryRun]
