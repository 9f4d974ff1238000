"""Reads clients' events, limits their size, and removes secrets. The input is not trusted."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast, get_args

from graph_memory.hooks.clients import Kind
from graph_memory.hooks.exclusions import Exclusions
from graph_memory.hooks.fence import strip_fenced
from graph_memory.hooks.redact import redact

LARGEST = 16_384
"""Maximum number of bytes of an event in the spool."""
_MAX_SCANNED_CHARACTERS = 16_000
"""Maximum number of characters that are searched for secrets. The rest of a longer text is never stored."""
_CUT_MARGIN = 1_000
"""Number of characters before the cut that are searched but not stored, because the cut may split a secret."""
_ESCAPE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?")
"""Matches a terminal control sequence, such as a change of colour."""
_MAX_TEXT_CHARACTERS: Mapping[Kind, int] = {"prompt": 6_000, "summary": 10_000, "reply": 2_000, "tool": 500}
"""Maximum number of characters of an event's text, by kind of event."""
_MAX_NAME_CHARACTERS = 200
_TARGET_ARGUMENTS = (
    "file_path",
    "path",
    "notebook_path",
    "command",
    "url",
    "pattern",
    "query",
    "description",
    "prompt",
)
"""The arguments that show a tool call's target, most specific first."""
_PATCH_START = "*** Begin Patch"
_PATCHED_FILE = re.compile(r"^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)", re.MULTILINE)
"""Matches a patch line with a file's path. All other lines are file contents."""
_MAX_OUTPUT_CHARACTERS = 100_000
"""Maximum number of characters of a parsed tool output."""
_TEXT_FIELDS: Mapping[Kind, Sequence[str]] = {
    "prompt": ("prompt",),
    "reply": ("last_assistant_message", "prompt_response", "text"),
    "summary": ("compact_summary",),
}
"""Fields that may contain an event's text, by kind of event. Gemini CLI repeats the prompt in the event of a reply."""
_EVENT_ID_FIELDS = ("tool_use_id", "tool_call_id")
"""Fields that may contain the client's id of an event. The id shows whether an event is repeated."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """A client's event as stored in the spool."""

    client: str
    kind: Kind
    session: str
    at: str
    """The event's time in UTC, or an empty string for an imported event without a time."""
    folder: str
    domain: str
    """The domain setting: a name, or `auto`."""
    key: str = ""
    """The client's id of the event, or an empty string."""
    text: str = ""
    tool: str = ""
    target: str = ""
    outcome: str = ""
    duration_ms: float | None = None
    trigger: str = ""
    agent: str = ""
    """The id of the subagent that caused the event, or an empty string."""
    secrets: int = 0
    """The number of replaced secrets."""
    database: str = ""
    """A hash of the Neo4j address in the hook's settings, or an empty string for the local Neo4j."""

    def to_json(self) -> bytes:
        """Return the event as JSON of at most `LARGEST` bytes. The event's text is shortened if necessary."""
        event = self
        while len(data := json.dumps(asdict(event), ensure_ascii=False).encode("utf-8", "replace")) > LARGEST:
            event = replace(event, text=event.text[: len(event.text) * 3 // 4])
        return data

    @classmethod
    def from_json(cls, data: bytes) -> HookEvent:
        """Return the event from a spool file's content. Raises ValueError if the content is not a valid event."""
        fields = json.loads(data)
        if not isinstance(fields, dict):
            raise ValueError("not an event")  # noqa: TRY004 - callers set the file aside
        known_fields = {name: value for name, value in cast("dict[str, Any]", fields).items() if name in cls.__slots__}
        try:  # a hook of a newer version may have written further fields
            event = cls(**known_fields)
        except TypeError as error:
            raise ValueError("not an event") from error
        texts = [value for name, value in asdict(event).items() if name not in ("duration_ms", "secrets")]
        if not all(isinstance(value, str) for value in texts) or event.kind not in get_args(Kind):
            raise ValueError("not an event")
        event.folder.encode()
        if not Path(event.folder).is_absolute() or "\0" in event.folder:
            raise ValueError("not a folder")
        datetime.fromisoformat(event.at)
        return event


def is_captured(kind: Kind, capture: str) -> bool:
    """Return whether events of the kind are stored.

    If `capture` is `prompts`, tool calls, replies and summaries are not stored. If its value is unknown, no events are
    stored.
    """
    return capture == "all" or (capture == "prompts" and kind not in ("tool", "reply", "summary"))


def event_of(
    client: str,
    kind: Kind,
    payload: Mapping[str, object],
    *,
    domain: str = "default",
    at: str | None = None,
    folder: str | None = None,
) -> HookEvent | None:
    """Return the payload as an event of this kind, or None if it is empty or excluded from capture."""
    folder = folder or _folder_of(payload)
    exclusions = Exclusions.of(Path(folder))
    tool, subject = _call_of(payload) if kind == "tool" else ("", "")
    if exclusions.are_all or (subject and exclusions.mentions(subject, Path(folder))):
        return None
    failure = _failure(payload) if kind == "tool" else ""
    text = failure or _first_text(payload, _TEXT_FIELDS.get(kind, ()))
    session = _first_text(payload, ("session_id", "conversation_id"))[:_MAX_NAME_CHARACTERS] or "unknown"
    cleaner = _Cleaner()
    event = HookEvent(
        client=client,
        kind=kind,
        session=cleaner.clean(session, _MAX_NAME_CHARACTERS),
        at=at or datetime.now(UTC).isoformat(timespec="milliseconds"),
        folder=folder,
        domain=domain,
        key=cleaner.clean(_first_text(payload, _EVENT_ID_FIELDS), _MAX_NAME_CHARACTERS),
        text=cleaner.clean(text, _MAX_TEXT_CHARACTERS.get(kind, 0)),
        tool=cleaner.clean(tool, _MAX_NAME_CHARACTERS),
        target=cleaner.clean(subject.partition("\n")[0], _MAX_TEXT_CHARACTERS["tool"]),
        outcome=("failure" if failure else "success") if kind == "tool" else "",
        duration_ms=_duration(payload),
        trigger=cleaner.clean(_first_text(payload, ("source", "trigger", "reason")), _MAX_NAME_CHARACTERS),
        agent=cleaner.clean(_first_text(payload, ("agent_id",)), _MAX_NAME_CHARACTERS),
    )
    is_empty = kind in ("prompt", "reply", "summary") and not event.text
    return None if is_empty else replace(event, secrets=cleaner.secrets)


def _folder_of(payload: Mapping[str, object]) -> str:
    """Return the event's working folder, or this process's current folder if it is missing or invalid."""
    roots = payload.get("workspace_roots")
    for value in (payload.get("cwd"), *(cast("list[object]", roots)[:1] if isinstance(roots, list) else ())):
        if isinstance(value, str) and "\0" not in value and os.path.isabs(value) and os.path.isdir(value):  # noqa: PTH112, PTH117 - it may be no valid path
            return value
    return str(Path.cwd())


class _Cleaner:
    """Removes private parts and secrets from texts before they are stored, and counts the secrets."""

    def __init__(self) -> None:
        self.secrets = 0

    def clean(self, text: str, limit: int) -> str:
        """Return the text without private parts and secrets, shortened to `limit` characters."""
        is_cut = len(text) > _MAX_SCANNED_CHARACTERS
        visible = _ESCAPE.sub("", text[:_MAX_SCANNED_CHARACTERS])
        public_text = strip_fenced("".join(char for char in visible if char.isprintable() or char in "\n\t"))
        redacted, count = redact(public_text, max(len(public_text) - _CUT_MARGIN, 0) if is_cut else None)
        self.secrets += count
        return redacted if len(redacted) <= limit and not is_cut else f"{redacted[: max(limit - 1, 0)]}…"


def _first_text(payload: Mapping[str, object], names: Sequence[str]) -> str:
    return next((value for name in names if isinstance(value := payload.get(name), str) and value), "")


def _object(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _call_of(payload: Mapping[str, object]) -> tuple[str, str]:
    """Return the called tool's name and its target. The target of a patch is its files' paths."""
    tool = _first_text(payload, ("tool_name",)) or "edit"
    arguments = _object(payload.get("tool_input")) or {"file_path": payload.get("file_path")}
    subject = _first_text(arguments, _TARGET_ARGUMENTS).strip()
    patch = subject or _first_text(arguments, ("input",)).strip()
    return tool, ", ".join(map(str.strip, _PATCHED_FILE.findall(patch))) if patch.startswith(_PATCH_START) else subject


def _failure(payload: Mapping[str, object]) -> str:
    """Return a failed tool call's error message or output. Returns "" if the call succeeded."""
    response = _object(payload.get("tool_response")) or _object(_parse_json(payload.get("tool_output")))
    code = response.get("exit_code", response.get("exitCode"))
    has_failed = response.get("is_error") is True or response.get("success") is False or code not in (None, 0)
    error = _first_text(payload, ("error", "error_message")) or _first_text(response, ("error",))
    if not error and not has_failed:
        return ""
    return error or _first_text(response, ("stderr", "stdout", "output", "content")) or f"Exit code {code}"


def _parse_json(value: object) -> object:
    """Parse a string as JSON, because Cursor reports tool output as JSON. Returns None if it is invalid."""
    with suppress(ValueError, RecursionError):
        return json.loads(value) if isinstance(value, str) and len(value) <= _MAX_OUTPUT_CHARACTERS else value
    return None


def _duration(payload: Mapping[str, object]) -> float | None:
    value = payload.get("duration_ms", payload.get("duration"))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(cast("float", value)) if is_number and 0 <= cast("float", value) < 1e12 else None
