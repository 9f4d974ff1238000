"""Reads client events, limits their size, and removes secrets. The input is not trusted."""

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
_SCANNED = 16_000
"""Maximum number of characters of a text that are searched for secrets. The rest is never stored."""
_CUT_EDGE = 1_000
"""Number of characters before a cut that are searched and then dropped, because a secret may be cut in two there."""
_ESCAPE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?")
"""A command to a terminal, for example a change of colour."""
_LENGTHS: Mapping[Kind, int] = {"prompt": 6_000, "summary": 10_000, "reply": 2_000, "tool": 500}
"""Maximum number of characters of the text of an event."""
_LONGEST_NAME = 200
_TARGETS = ("file_path", "path", "notebook_path", "command", "url", "pattern", "query", "description", "prompt")
"""Arguments that show the subject of a tool call, most specific first."""
_PATCH = "*** Begin Patch"
_PATCHED = re.compile(r"^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)", re.MULTILINE)
"""A line of a patch that names a file. The other lines are contents of files."""
_LARGEST_OUTPUT = 100_000
"""Maximum number of characters of the output of a tool that are parsed."""
_TEXTS = ("prompt", "last_assistant_message", "prompt_response", "compact_summary", "text")
_TURNS = ("tool_use_id", "tool_call_id")
"""Fields with the client's name for an event, by which a repeated event is recognised."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event of a client, as it is stored in the spool."""

    client: str
    kind: Kind
    session: str
    at: str
    """The time of the event, in UTC, or empty text for an imported event without a time."""
    folder: str
    domain: str
    """The setting of the domain: a name, or `auto`."""
    key: str = ""
    """The client's own name for the event, or empty text."""
    text: str = ""
    tool: str = ""
    target: str = ""
    outcome: str = ""
    duration_ms: float | None = None
    trigger: str = ""
    agent: str = ""
    """The subagent in which it happened, or empty text."""
    secrets: int = 0
    """Number of secrets that were replaced."""
    database: str = ""
    """A hash of the address of the Neo4j that the hook's settings name, or empty text for the local one."""

    def to_json(self) -> bytes:
        """Return the event as JSON of at most `LARGEST` bytes. The event's text is cut if necessary."""
        event = self
        while len(data := json.dumps(asdict(event), ensure_ascii=False).encode("utf-8", "replace")) > LARGEST:
            event = replace(event, text=event.text[: len(event.text) * 3 // 4])
        return data

    @classmethod
    def from_json(cls, data: bytes) -> HookEvent:
        """Return the event in a spool file, given its content. Raises ValueError if no hook has written it."""
        fields = json.loads(data)
        if not isinstance(fields, dict):
            raise ValueError("not an event")  # noqa: TRY004 - callers set the file aside
        known = {name: value for name, value in cast("dict[str, Any]", fields).items() if name in cls.__slots__}
        try:  # a hook of a newer version may have written further fields
            event = cls(**known)
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
    """Return whether events of the kind are stored. With `prompts`, these are prompts, session starts and ends.

    With an unknown value of `capture`, nothing is stored.
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
    """Return the event of this kind in the payload, or None if it must not be captured."""
    folder = folder or folder_of(payload)
    excluded = Exclusions.of(Path(folder))
    tool, subject = _call_of(payload) if kind == "tool" else ("", "")
    if excluded.are_all or (subject and excluded.mentions(subject, Path(folder))):
        return None
    failure = _failure(payload) if kind == "tool" else ""
    text = failure or ("" if kind == "tool" else _first_text(payload, _TEXTS))
    cleaner = _Cleaner()
    event = HookEvent(
        client=client,
        kind=kind,
        session=cleaner.clean(session_of(payload), _LONGEST_NAME),
        at=at or datetime.now(UTC).isoformat(timespec="milliseconds"),
        folder=folder,
        domain=domain,
        key=cleaner.clean(_first_text(payload, _TURNS), _LONGEST_NAME),
        text=cleaner.clean(text, _LENGTHS.get(kind, 0)),
        tool=cleaner.clean(tool, _LONGEST_NAME),
        target=cleaner.clean(subject.partition("\n")[0], _LENGTHS["tool"]),
        outcome=("failure" if failure else "success") if kind == "tool" else "",
        duration_ms=_duration(payload),
        trigger=cleaner.clean(_first_text(payload, ("source", "trigger", "reason")), _LONGEST_NAME),
        agent=cleaner.clean(_first_text(payload, ("agent_id",)), _LONGEST_NAME),
    )
    is_empty = kind in ("prompt", "reply", "summary") and not event.text
    return None if is_empty else replace(event, secrets=cleaner.secrets)


def session_of(payload: Mapping[str, object]) -> str:
    """Return the client's id of the session, or `unknown`."""
    return _first_text(payload, ("session_id", "conversation_id"))[:_LONGEST_NAME] or "unknown"


def folder_of(payload: Mapping[str, object]) -> str:
    """Return the existing folder that the event names, otherwise the current folder of this process."""
    roots = payload.get("workspace_roots")
    for value in (payload.get("cwd"), *(cast("list[object]", roots)[:1] if isinstance(roots, list) else ())):
        if isinstance(value, str) and "\0" not in value and os.path.isabs(value) and os.path.isdir(value):  # noqa: PTH112, PTH117 - it may be no valid path
            return value
    return str(Path.cwd())


class _Cleaner:
    """Removes private parts and secrets from texts before they are stored. Counts the secrets."""

    def __init__(self) -> None:
        self.secrets = 0

    def clean(self, text: str, longest: int) -> str:
        """Remove private parts and secrets from a text, and cut it to `longest` characters."""
        is_cut = len(text) > _SCANNED
        visible = _ESCAPE.sub("", text[:_SCANNED])
        known = strip_fenced("".join(char for char in visible if char.isprintable() or char in "\n\t"))
        redacted, count = redact(known, max(len(known) - _CUT_EDGE, 0) if is_cut else None)
        self.secrets += count
        return redacted if len(redacted) <= longest and not is_cut else f"{redacted[: max(longest - 1, 0)]}…"


def _first_text(payload: Mapping[str, object], names: Sequence[str]) -> str:
    return next((value for name in names if isinstance(value := payload.get(name), str) and value), "")


def _object(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _call_of(payload: Mapping[str, object]) -> tuple[str, str]:
    """Return the name of the called tool and its target. For a patch, that is the paths of the files."""
    tool = _first_text(payload, ("tool_name",)) or "edit"
    arguments = _object(payload.get("tool_input")) or {"file_path": payload.get("file_path")}
    subject = _first_text(arguments, _TARGETS).strip()
    patch = subject or _first_text(arguments, ("input",)).strip()
    return tool, ", ".join(map(str.strip, _PATCHED.findall(patch))) if patch.startswith(_PATCH) else subject


def _failure(payload: Mapping[str, object]) -> str:
    """Return the error of a failed call, or "" if it succeeded."""
    response = _object(payload.get("tool_response")) or _object(_parse_json(payload.get("tool_output")))
    code = response.get("exit_code", response.get("exitCode"))
    has_failed = response.get("is_error") is True or response.get("success") is False or code not in (None, 0)
    error = _first_text(payload, ("error", "error_message")) or _first_text(response, ("error",))
    if not error and not has_failed:
        return ""
    return error or _first_text(response, ("stderr", "stdout", "output", "content")) or f"Exit code {code}"


def _parse_json(value: object) -> object:
    """Parse a string, since Cursor reports tool output as JSON. Returns None if it is not valid JSON."""
    with suppress(ValueError, RecursionError):
        return json.loads(value) if isinstance(value, str) and len(value) <= _LARGEST_OUTPUT else value
    return None


def _duration(payload: Mapping[str, object]) -> float | None:
    value = payload.get("duration_ms", payload.get("duration"))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(cast("float", value)) if is_number and 0 <= cast("float", value) < 1e12 else None
