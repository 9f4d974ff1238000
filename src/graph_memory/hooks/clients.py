"""The supported clients, their event names, and the formats of answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["start", "prompt", "tool", "reply", "compaction", "summary", "end"]
"""A kind of event, independent of its name in a client."""
BUDGETS: Mapping[Kind, float] = {"start": 2.0, "prompt": 0.7}
"""Time in seconds after which a hook exits without output, by kind of event."""
SHORT_BUDGET = 0.3
"""Time in seconds after which a hook exits without output, for all other kinds of events."""


@dataclass(frozen=True, slots=True)
class Client:
    """A client: the kind of each of its events, and the events to which a hook may add context."""

    events: Mapping[str, Kind]
    adds_context: frozenset[str]
    is_flat: bool = False
    """Whether the answer is a single field, as in Cursor, instead of an object `hookSpecificOutput`."""

    def answer(self, event: str, text: str) -> Mapping[str, object] | None:
        """Return the answer that adds the text to the context, or None if the client accepts no text for the event."""
        if event not in self.adds_context:
            return None
        if self.is_flat:
            return {"additional_context": text}
        return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


_CLAUDE_CODE: Mapping[str, Kind] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "tool",
    "PostToolUseFailure": "tool",
    "Stop": "reply",
    "PreCompact": "compaction",
    "PostCompact": "summary",
    "SessionEnd": "end",
}
_CODEX: Mapping[str, Kind] = {
    name: kind for name, kind in _CLAUDE_CODE.items() if name not in ("PostToolUseFailure", "SessionEnd")
}
_CURSOR: Mapping[str, Kind] = {
    "sessionStart": "start",
    "beforeSubmitPrompt": "prompt",
    "postToolUse": "tool",
    "postToolUseFailure": "tool",
    "preCompact": "compaction",
    "afterAgentResponse": "reply",
    "sessionEnd": "end",
}
_GEMINI_CLI: Mapping[str, Kind] = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "AfterTool": "tool",
    "AfterAgent": "reply",
    "PreCompress": "compaction",
    "SessionEnd": "end",
}
CLIENTS: Mapping[str, Client] = {
    "claude-code": Client(_CLAUDE_CODE, frozenset({"SessionStart", "UserPromptSubmit"})),
    "codex": Client(_CODEX, frozenset({"SessionStart", "UserPromptSubmit"})),
    "cursor": Client(_CURSOR, frozenset({"sessionStart"}), is_flat=True),
    "gemini-cli": Client(_GEMINI_CLI, frozenset({"SessionStart", "BeforeAgent"})),
}
