"""Reads past conversations as the events that hooks would have captured.

The first entry of a file shows which program wrote the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PureWindowsPath
from typing import cast

from graph_memory.agent.capture.transcript_formats import READERS, Form, Object, Turn, as_mapping
from graph_memory.hooks.events import HookEvent, event_of
from graph_memory.memory.transfer.formats.files import Lines, open_source
from graph_memory.memory.transfer.formats.memories.json_lines import as_object, first_line, json_elements
from graph_memory.memory.transfer.formats.records import InvalidSourceValue, SourcePosition, UnreadableSource
from graph_memory.model.values.arguments import is_encodable


@dataclass(slots=True)
class Conversations:
    """A file or folder of conversations, which can be read once."""

    source: Path
    form: Form
    unreadable: list[SourcePosition] = field(default_factory=list)
    """Positions of lines and conversations that were skipped because they are not JSON objects."""

    def sessions(self) -> Iterator[Iterator[HookEvent]]:
        """For each file or conversation, yield its events, oldest first.

        Raises INVALID_ARGUMENT and UnreadableSource.
        """
        for path in _files(self.source):
            if self.form in ("claude-code", "codex"):
                yield self._events(READERS[self.form](self._entries(path), path.name))
                continue
            for conversation in self._conversations(path):
                yield self._events(READERS[self.form](iter([conversation]), path.name))

    def _events(self, turns: Iterator[Turn]) -> Iterator[HookEvent]:
        for number, turn in enumerate(_with_last_replies(turns), 1):
            payload = {**turn.payload, "tool_use_id": turn.key or f"turn {number}"}
            folder = _folder_of(turn.payload.get("cwd"))
            at = _time_of(turn.at)
            event = event_of(self.form, turn.kind, payload, at=at, folder=folder)
            if event is not None:
                yield event if at else replace(event, at="")

    def _entries(self, path: Path) -> Iterator[Object]:
        try:
            with open_source(path) as stream:
                lines = Lines(stream, path.name)
                for line in lines:
                    if line.strip():
                        try:
                            yield as_object(line)
                        except InvalidSourceValue:  # a killed client leaves an incomplete line
                            self.unreadable.append(lines.place)
        except UnreadableSource as error:  # the other files of a folder are read
            self.unreadable.append(error.invalid_record.place)

    def _conversations(self, path: Path) -> Iterator[Object]:
        with open_source(path) as stream:
            for number, conversation in enumerate(json_elements(stream, path.name), 1):
                if isinstance(conversation, dict):
                    yield cast("Object", conversation)
                else:
                    self.unreadable.append(SourcePosition(path.name, element=f"conversation {number}"))


def recognise(source: Path) -> Form | None:
    """Return the format of the file, or of the files in the folder, or None if it is unknown."""
    for path in _files(source):
        with suppress(UnreadableSource, InvalidSourceValue, ValueError, OSError):
            if (form := _form_of(path)) is not None:
                return form
    return None


def _files(source: Path) -> Sequence[Path]:
    if not source.is_dir():
        return [source]
    return sorted(source.rglob("*.jsonl")) or sorted(source.glob("conversations*.json"))


def _form_of(path: Path) -> Form | None:
    start = first_line(path).lstrip()
    if start.startswith(b"["):
        with open_source(path) as stream:
            first = next(json_elements(stream, path.name), None)
        fields = as_mapping(first).keys()
        return "chatgpt" if "mapping" in fields else "claude-ai" if "chat_messages" in fields else None
    entry = as_object(start)
    if entry.get("type") == "session_meta" and isinstance(entry.get("payload"), dict):
        return "codex"
    is_claude = "sessionId" in entry or "leafUuid" in entry or entry.get("type") == "file-history-snapshot"
    return "claude-code" if is_claude and "type" in entry else None


def _with_last_replies(turns: Iterator[Turn]) -> Iterator[Turn]:
    """Yield the turns, with only the last reply to each prompt, because hooks capture only that reply."""
    reply: Turn | None = None
    for turn in turns:
        if turn.kind == "reply":
            reply = turn
            continue
        if turn.kind == "prompt" and reply is not None:
            yield reply
            reply = None
        yield turn
    if reply is not None:
        yield reply


def _folder_of(value: object) -> str | None:
    """Return the value if it is an absolute path, or else None. The folder may be on another machine."""
    if not isinstance(value, str) or "\0" in value or not is_encodable(value):
        return None
    if PureWindowsPath(value).drive:
        return f"/{PureWindowsPath(value).as_posix()}"
    return value if value.startswith("/") else None


def _time_of(value: object) -> str | None:
    """Return a timestamp (ISO 8601 text, or seconds since 1970) as text in UTC, or None if it is not valid."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC).isoformat(timespec="milliseconds")
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None
    if time is None:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="milliseconds")
