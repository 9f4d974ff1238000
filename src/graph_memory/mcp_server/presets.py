"""Presets: named sets of tools, for `graph-memory mcp --for`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Literal

from graph_memory.settings import Settings

Preset = Literal["agent", "application", "official", "all"]

AGENT: Sequence[str] = (
    *("session_start", "session_end", "remember", "decide", "recall", "search_memories", "open_nodes"),
    *("create_relations", "delete_relations", "update_entity", "edit_block", "forget"),
    *("memory_log", "memory_revert_session", "record_event", "set_goal", "update_goal", "list_goals"),
)
"""The tools of the preset `agent`. Two of these names are also names of toolsets, but here they refer to tools."""
LISTED_ARGUMENTS: Mapping[str, Sequence[str]] = {
    "recall": (
        "query",
        "focus",
        "depth",
        "since",
        "as_of",
        "valid_at",
        "max_tokens",
        "as",
        "domains",
        "include_children",
    ),
    "search_memories": ("query", "max_results", "max_tokens", "cursor", "domains", "include_children"),
    "memory_log": ("since", "until", "session", "limit", "cursor"),
    "record_event": ("event_type", "content", "session", "outcome", "caused_by", "entities", "relations"),
    "set_goal": ("description", "deadline", "steps"),
    "update_goal": ("goal_id", "status", "complete_step"),
}
"""The arguments that the preset `agent` lists for tools with many arguments. Calls can also pass the other
arguments."""
TOOLSETS_BY_PRESET: Mapping[str, Sequence[str]] = {
    "application": Settings.model_fields["toolsets"].default,
    "official": ("entities",),
}
"""The toolsets and tools of the other presets. The preset `all`, which is not here, contains every tool."""


def shortest_names(served: Sequence[str]) -> Sequence[str]:
    """Return the name of the preset with exactly these toolsets and tools.

    If there is no such preset, return their own names.
    """
    return next(([name] for name, names in TOOLSETS_BY_PRESET.items() if tuple(names) == tuple(served)), served)


class Auth(StrEnum):
    """How a server over HTTP authenticates its clients."""

    NONE = "none"
    KEYS = "keys"
    OIDC = "oidc"
