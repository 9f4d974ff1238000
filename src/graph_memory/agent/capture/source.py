"""The property `source` of an event, which says who the event comes from."""

from __future__ import annotations

SOURCE = "source"
"""The name of the property."""
TOOL = "tool"
"""The source of events about tool calls. The output of a tool is never the wish of a user."""
