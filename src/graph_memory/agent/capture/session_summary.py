"""Summarises a session from its events: by rules, or by the language model if one is set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from graph_memory.agent.records.roles import roles_of
from graph_memory.agent.records.statistics import TOOL_CALL
from graph_memory.memory.api.memory import Memory
from graph_memory.model.results import NodeSummary

_MOST_EVENTS = 500
"""Maximum number of events that are read from the end of a session."""
_MOST_LISTED = 8
_CHANGING = re.compile(r"edit|write|patch|replace|create|notebook", re.IGNORECASE)
"""Matches the names of tools that change files."""
_DECISION = re.compile(r"\b(?:decid\w+|chose|chosen|agreed|instead of|we(?:'ll| will) use|let's use)\b", re.IGNORECASE)
_COMPACT = "compact_summary"


@dataclass(frozen=True, slots=True)
class _Call:
    tool: str
    target: str
    has_failed: bool
    title: str

    @property
    def changes_file(self) -> bool:
        return bool(_CHANGING.search(self.tool)) and not self.has_failed


async def summarise_session(memory: Memory, session: str, project: str, *, with_model: bool = False) -> None:
    """Store a summary of the session if it has events. It replaces an earlier summary of the session.

    If `with_model` is set and a language model is configured, the model writes the summary. Raises the errors of
    `session_end`.
    """
    roles = await roles_of(memory)
    if roles is None:
        return
    page = await memory.query_nodes(
        type=roles["Event"],
        properties={"session": session},
        order_by="timestamp",
        descending=True,
        limit=_MOST_EVENTS,
    )
    events = sorted(
        await memory.describe_nodes(page.node_ids), key=lambda event: str(event.properties.get("timestamp", ""))
    )
    lines = _summary_lines(events)
    if lines and with_model:
        messages = [
            f"{actor}: {event.title}" for event in events for actor in ("user", "agent") if _is_message(event, actor)
        ]
        text = await memory.entities.write_summary([*messages, *lines])
        lines = lines if text is None else [text]
    compact = [event.id for event in events if event.properties.get("event_type") == _COMPACT]
    if compact:
        lines += ["", "The client's own summary:", str((await memory.get_node_content(compact[-1])).content)]
    if lines:
        await memory.entities.session_end(
            "\n".join(lines), session_id=session, project=project, ended=_time_of(events[-1])
        )


def _summary_lines(events: Sequence[NodeSummary]) -> list[str]:
    """Return a summary of the events, oldest first: goal, files, failures and fixes, decisions and unfinished work."""
    prompts = [event.title for event in events if _is_message(event, "user")]
    replies = [event.title for event in events if _is_message(event, "agent")]
    calls = [_call_of(event) for event in events if event.properties.get("event_type") == TOOL_CALL]
    fixed, still_failing = _failures(calls)
    parts = {
        "Goal": prompts[:1],
        "Then asked": prompts[1:][-_MOST_LISTED:],
        "Changed files": [*dict.fromkeys(call.target for call in calls if call.changes_file and call.target)],
        "Failed, then worked": fixed,
        "Still failing": still_failing,
        "Decisions": [text for text in (*prompts, *replies) if _DECISION.search(text)],
        "Last reply": replies[-1:],
    }
    return [line for heading, texts in parts.items() for line in _section(heading, texts)]


def _time_of(event: NodeSummary) -> datetime | None:
    try:
        return datetime.fromisoformat(str(event.properties.get("timestamp")))
    except ValueError:
        return None


def _section(heading: str, texts: Sequence[str]) -> Iterator[str]:
    unique_texts = list(dict.fromkeys(texts))
    if len(unique_texts) == 1:
        yield f"{heading}: {unique_texts[0]}"
    elif unique_texts:
        yield f"{heading}:"
        yield from (f"- {text}" for text in unique_texts[-_MOST_LISTED:])


def _is_message(event: NodeSummary, actor: str) -> bool:
    return event.properties.get("event_type") == "message" and event.properties.get("actor") == actor


def _call_of(event: NodeSummary) -> _Call:
    tool = str(event.properties.get("tool", ""))
    target = str(event.properties.get("summary", "")).removeprefix(tool).removeprefix(": ")
    return _Call(tool, target, event.properties.get("outcome") == "failure", event.title)


def _failures(calls: Sequence[_Call]) -> tuple[list[str], list[str]]:
    """Return failed calls in two lists: calls that succeeded later, with the changes in between, and other calls."""
    fixed: list[str] = []
    failing: dict[tuple[str, str], int] = {}
    for position, call in enumerate(calls):
        key = (call.tool, call.target)
        if call.has_failed:
            failing.setdefault(key, position)
        elif key in failing:
            calls_between = calls[failing.pop(key) : position]
            changed = [*dict.fromkeys(step.target for step in calls_between if step.changes_file and step.target)]
            suffix = f" (after changes to {', '.join(changed)})" if changed else ""
            fixed.append(f"{call.target or call.tool}{suffix}")
    return fixed, [target or tool for tool, target in failing]
