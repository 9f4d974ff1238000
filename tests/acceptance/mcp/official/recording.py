"""Answers of the npm server to a script, recorded so that tests need no Node.js."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from acceptance.mcp.official.original import to_json
from acceptance.mcp.official.script import Step, script
from acceptance.mcp.official.talking import Reply, Talk

FILE = Path(__file__).parents[3] / "golden" / "official_server.json"
SAME = "="
"""Stands for a text that says the same as the structured content."""


def recorded_steps() -> list[Step]:
    """Return the script of the recording."""
    return script(3953, 45, repeats=0.2)


async def lists(talk: Talk) -> dict[str, Any]:
    """Return a server's description of itself, and the tools and resources that it offers."""
    client = talk.client
    assert client.server_info is not None
    assert client.server_capabilities is not None
    tools, resources = await client.list_tools(), await client.list_resources()
    return {
        "protocol": client.protocol_version,
        "capabilities": client.server_capabilities.model_dump(mode="json", by_alias=True, exclude_none=True),
        "tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools.tools],
        "resources": [
            resource.model_dump(mode="json", by_alias=True, exclude_none=True) for resource in resources.resources
        ],
    }


def write(offered: dict[str, Any], answers: Sequence[Reply]) -> None:
    """Rewrite the recording, a reply a line."""
    lines = ",\n".join(json.dumps(_short(answer), ensure_ascii=False) for answer in answers)
    head = json.dumps(offered, ensure_ascii=False, indent=1)
    FILE.write_text(f'{{"lists": {head},\n"replies": [\n{lines}\n]}}\n', encoding="utf-8")


def read() -> tuple[dict[str, Any], list[Reply]]:
    """Return the offers of the server, and its replies to the script of the recording."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    return kept["lists"], [_whole(reply) for reply in kept["replies"]]


def _text_of(result: dict[str, Any]) -> str:
    content = result["structuredContent"]
    lists_one = len(content) == 1
    return to_json(next(iter(content.values())) if lists_one else content)


def _short(reply: Reply) -> Reply:
    result = reply.get("result", {})
    if "structuredContent" in result and result["content"][0]["text"] == _text_of(result):
        return {**reply, "result": {**result, "content": SAME}}
    return reply


def _whole(reply: Reply) -> Reply:
    result = reply.get("result", {})
    if result.get("content") == SAME:
        return {**reply, "result": {**result, "content": [{"type": "text", "text": _text_of(result)}]}}
    return reply
