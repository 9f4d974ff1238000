"""Who an event comes from, as its property `source` says."""

from __future__ import annotations

SOURCE = "source"
"""The property of an event."""
TOOL = "tool"
"""The source of events of tool calls. What a tool returned is never the wish of a user."""
