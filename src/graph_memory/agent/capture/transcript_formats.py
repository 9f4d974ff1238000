"""Readers of conversation entries, one for each program that writes them.

The formats of Claude Code and Codex are not documented. The readers skip unknown entries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from graph_memory.hooks.clients import Kind

Form = Literal["claude-code", "codex", "chatgpt", "claude-ai"]
"""The programs whose conversations can be imported."""
Object = Mapping[str, Any]
_MAX_CALLS = 1_000
"""Maximum number of tool calls that are held until their results are read."""
_COMMAND = re.compile(r"\s*<(?:command-|local-command|bash-|system-reminder)")
"""Matches messages that the client wrote in the user's name."""
_EXIT_CODE = re.compile(r"\A(?:Process exited with code|Exit code:)\s*(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    """A message or a tool call, with the same fields as a hook's event."""

    kind: Kind
    at: object
    key: str
    """An identifier of the turn that is the same in each import."""
    payload: Object


def _read_claude_code(entries: Iterator[Object], file: str) -> Iterator[Turn]:
    calls: dict[str, Object] = {}
    for entry in entries:
        session = _text(entry, "sessionId") or file.partition(".")[0]
        agent = (_text(entry, "agentId") or "subagent") if entry.get("isSidechain") is True else ""
        common = {"session_id": session, "cwd": entry.get("cwd"), "agent_id": agent}
        at, key, blocks = entry.get("timestamp"), _text(entry, "uuid"), _blocks(_object(entry, "message"))
        message = "\n".join(text for block in blocks if block.get("type") == "text" and (text := _text(block, "text")))
        for block in blocks:
            if block.get("type") == "tool_use":
                _record_call(calls, _text(block, "id"), block)
            elif block.get("type") == "tool_result":
                key_of_call = _text(block, "tool_use_id")
                if (call := calls.pop(key_of_call, None)) is not None:
                    fields = {"tool_name": call.get("name"), "tool_input": call.get("input")}
                    response = {"is_error": block.get("is_error"), "content": _joined_texts(block.get("content"))}
                    yield Turn("tool", at, key_of_call, {**common, **fields, "tool_response": response})
        if not message or entry.get("isMeta") is True or _COMMAND.match(message):
            continue
        if entry.get("type") == "assistant":
            yield Turn("reply", at, key, {**common, "last_assistant_message": message})
        elif entry.get("isCompactSummary") is True:
            yield Turn("summary", at, key, {**common, "compact_summary": message})
        elif entry.get("type") == "user" and not agent:
            yield Turn("prompt", at, key, {**common, "prompt": message})


def _read_codex(entries: Iterator[Object], file: str) -> Iterator[Turn]:
    calls: dict[str, Object] = {}
    common: dict[str, object] = {"session_id": file.partition(".")[0]}
    for number, entry in enumerate(entries, 1):
        payload, kind, at = _object(entry, "payload"), entry.get("type"), entry.get("timestamp")
        step, key = payload.get("type"), f"line {number}"
        call = _text(payload, "call_id")
        if kind == "session_meta":
            common = {"session_id": payload.get("id"), "cwd": payload.get("cwd")}
        elif kind == "compacted":
            yield Turn("summary", at, key, {**common, "compact_summary": payload.get("message")})
        elif kind == "event_msg" and step == "user_message":
            yield Turn("prompt", at, key, {**common, "prompt": payload.get("message")})
        elif kind == "event_msg" and step == "agent_message":
            yield Turn("reply", at, key, {**common, "last_assistant_message": payload.get("message")})
        elif step in ("function_call", "custom_tool_call", "local_shell_call"):
            _record_call(calls, call, payload)
        elif step in ("function_call_output", "custom_tool_call_output") and call in calls:
            yield Turn("tool", at, call, {**common, **_codex_call(calls.pop(call), payload.get("output"))})


def _codex_call(call: Object, output: object) -> Object:
    arguments: object = call.get("arguments") or call.get("input") or call.get("action")
    if isinstance(arguments, str):
        arguments = _parse_json(arguments) or {"command": arguments}
    fields = dict(as_mapping(arguments))
    command = fields.get("command", fields.get("cmd"))
    if isinstance(command, list):
        command = " ".join(map(str, cast("list[object]", command)[-1:]))
    if isinstance(command, str):
        fields["command"] = command
    result = _parse_json(output) if isinstance(output, str) else output
    fields_of_result = as_mapping(result)
    text = _joined_texts(fields_of_result.get("output", fields_of_result.get("content", output)))
    code = _object(fields_of_result, "metadata").get("exit_code")
    if code is None and (match := _EXIT_CODE.match(text)):
        code = int(match[1][:9])
    response = {"exit_code": code, "output": text, "success": fields_of_result.get("success")}
    return {"tool_name": call.get("name") or "shell", "tool_input": fields, "tool_response": response}


def _read_chatgpt(entries: Iterator[Object], file: str) -> Iterator[Turn]:
    del file
    for entry in entries:
        common = {"session_id": entry.get("conversation_id") or entry.get("id")}
        for name, message in _shown_branch(entry):
            author = _text(_object(message, "author"), "role")
            content = _object(message, "content")
            is_text = content.get("content_type") in ("text", "multimodal_text")
            text = _joined_texts(content.get("parts")) if is_text else ""
            at = message.get("create_time", entry.get("create_time"))
            if author == "user":
                yield Turn("prompt", at, name, {**common, "prompt": text})
            elif author == "assistant" and message.get("recipient", "all") == "all":
                yield Turn("reply", at, name, {**common, "last_assistant_message": text})


def _shown_branch(conversation: Object) -> Sequence[tuple[str, Object]]:
    """Return the messages of the current branch, oldest first. Each edit of a prompt makes a new branch."""
    nodes, path = _object(conversation, "mapping"), dict[str, Object]()
    name = conversation.get("current_node")
    if not isinstance(name, str) or name not in nodes:
        name = next(reversed([*nodes]), None)
    while isinstance(name, str) and name in nodes and name not in path:
        node = _object(nodes, name)
        path[name] = _object(node, "message")
        name = node.get("parent")
    return [*path.items()][::-1]


def _read_claude_ai(entries: Iterator[Object], file: str) -> Iterator[Turn]:
    del file
    for entry in entries:
        common = {"session_id": entry.get("uuid")}
        messages = entry.get("chat_messages")
        for message in cast("list[object]", messages) if isinstance(messages, list) else []:
            fields = as_mapping(message)
            text_blocks = [block for block in _blocks(fields) if block.get("type") == "text"]
            text = _joined_texts(text_blocks) or _text(fields, "text")
            at, key = fields.get("created_at"), _text(fields, "uuid")
            if fields.get("sender") == "human":
                yield Turn("prompt", at, key, {**common, "prompt": text})
            elif fields.get("sender") == "assistant":
                yield Turn("reply", at, key, {**common, "last_assistant_message": text})


READERS: Mapping[Form, Callable[[Iterator[Object], str], Iterator[Turn]]] = {
    "claude-code": _read_claude_code,
    "codex": _read_codex,
    "chatgpt": _read_chatgpt,
    "claude-ai": _read_claude_ai,
}
FORMS: tuple[Form, ...] = get_args(Form)


def _record_call(calls: dict[str, Object], name: str, call: Object) -> None:
    calls[name] = call
    if len(calls) > _MAX_CALLS:
        del calls[next(iter(calls))]


def _blocks(message: Object) -> Sequence[Object]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    values = cast("list[object]", content) if isinstance(content, list) else []
    return [cast("Object", block) for block in values if isinstance(block, dict)]


def _joined_texts(value: object) -> str:
    """Return the text of a string or content block. The texts of a list are joined, one per line."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _text(cast("Object", value), "text")
    if isinstance(value, list):
        return "\n".join(text for item in cast("list[object]", value) if (text := _joined_texts(item)))
    return ""


def as_mapping(value: object) -> Object:
    """Return the value if it is a JSON object, otherwise an empty object."""
    return cast("Object", value) if isinstance(value, dict) else {}


def _object(values: Object, name: str) -> Object:
    return as_mapping(values.get(name))


def _text(values: Object, name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _parse_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
