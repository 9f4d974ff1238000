"""Conversations as four programs write them. The samples are synthetic, after public descriptions of the formats."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

KEY = "sk-ant-api03-" + "aB3dE5gH7jK9" * 7 + "-AA"
"""A secret of a kind that the rules know."""
CLAUDE: Mapping[str, Any] = {"sessionId": "s-claude", "cwd": "/nowhere/shop", "isSidechain": False, "version": "2.1.0"}
CLAUDE_CODE: Sequence[Mapping[str, Any]] = [
    {"type": "summary", "summary": "Repair the basket", "leafUuid": "u9"},
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    CLAUDE
    | {"type": "user", "uuid": "u1", "timestamp": "2026-03-01T10:00:00.000Z"}
    | {"message": {"role": "user", "content": f"Repair the basket test. My key is {KEY}"}},
    CLAUDE
    | {"type": "user", "uuid": "u1m", "isMeta": True, "timestamp": "2026-03-01T10:00:01.000Z"}
    | {"message": {"role": "user", "content": "Caveat: written by the client"}},
    CLAUDE
    | {"type": "assistant", "uuid": "u2", "timestamp": "2026-03-01T10:00:02.000Z"}
    | {
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hidden", "signature": "x"},
                {"type": "text", "text": "I run the test."},
                {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "pytest basket"}},
            ],
        }
    },
    CLAUDE
    | {"type": "user", "uuid": "u3", "timestamp": "2026-03-01T10:00:05.000Z"}
    | {
        "message": {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True, "content": "1 failed: total is 0"}
            ],
        }
    },
    CLAUDE
    | {"type": "assistant", "uuid": "u4", "timestamp": "2026-03-01T10:00:09.000Z"}
    | {"message": {"role": "assistant", "content": [{"type": "text", "text": "We decided to round each line."}]}},
    CLAUDE
    | {"type": "user", "uuid": "u5", "timestamp": "2026-03-01T10:01:00.000Z"}
    | {"message": {"role": "user", "content": [{"type": "text", "text": "Now the invoice."}]}},
]
CODEX: Sequence[Mapping[str, Any]] = [
    {"type": "session_meta", "payload": {"id": "s-codex", "cwd": "/nowhere/shop", "cli_version": "0.77.0"}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text"}]}},
    {"type": "event_msg", "payload": {"type": "user_message", "message": "Why is the build red?", "kind": "plain"}},
    {
        "type": "response_item",
        "payload": {
            "type": "function_call",
            "name": "shell",
            "arguments": json.dumps({"command": ["bash", "-lc", "make test"]}),
            "call_id": "call_1",
        },
    },
    {
        "type": "response_item",
        "payload": {
            "type": "function_call_output",
            "call_id": "call_1",
            "output": json.dumps({"output": "no rule", "metadata": {"exit_code": 2, "duration_seconds": 1.5}}),
        },
    },
    {"type": "event_msg", "payload": {"type": "agent_message", "message": "The target is missing."}},
]
CHATGPT: Sequence[Mapping[str, Any]] = [
    {
        "title": "Tea",
        "create_time": 1_760_000_000.5,
        "conversation_id": "s-chatgpt",
        "current_node": "c",
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["a"]},
            "a": {
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1_760_000_001.0,
                    "content": {"content_type": "text", "parts": ["Which tea keeps me awake?"]},
                },
                "parent": "root",
            },
            "b": {
                "message": {
                    "author": {"role": "assistant"},
                    "content": {"content_type": "text", "parts": ["An answer to an edited prompt."]},
                },
                "parent": "a",
            },
            "c": {
                "message": {
                    "author": {"role": "assistant"},
                    "create_time": 1_760_000_002.0,
                    "content": {"content_type": "text", "parts": ["Assam, for example."]},
                },
                "parent": "a",
            },
        },
    }
]
CLAUDE_AI: Sequence[Mapping[str, Any]] = [
    {
        "uuid": "s-claude-ai",
        "name": "Garden",
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "When do I sow peas?", "created_at": "2026-02-01T09:00:00Z"},
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "old",
                "content": [{"type": "text", "text": "In March."}],
                "created_at": "2026-02-01T09:00:03Z",
            },
        ],
    }
]


def write_lines(path: Path, entries: Sequence[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")
    return path


def write_samples(folder: Path) -> Mapping[str, Path]:
    """Return the file of each program."""
    files = {
        "claude-code": write_lines(folder / "claude" / "s-claude.jsonl", CLAUDE_CODE),
        "codex": write_lines(folder / "codex" / "2026" / "rollout-1.jsonl", CODEX),
    }
    for name, conversations in (("chatgpt", CHATGPT), ("claude-ai", CLAUDE_AI)):
        files[name] = folder / name / "conversations.json"
        files[name].parent.mkdir(parents=True)
        files[name].write_text(json.dumps(conversations, indent=1), encoding="utf-8")
    return files
