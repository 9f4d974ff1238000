"""The cost of the tools in an agent's context: bytes and tokens of the tool list and of typical replies."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence

from benchmarks.graph import ONTOLOGY, fresh, node_id, say, text_of, write_nodes
from benchmarks.report import table
from benchmarks.servers import Server, over_stdio
from graph_memory import Memory, Settings

HITS = 10
CALLS: Sequence[tuple[str, str, dict[str, object]]] = (
    ("get_node", "get_node", {"node_id": node_id(1)}),
    ("get_node_content, 80 words", "get_node_content", {"node_id": node_id(1)}),
    (f"query_nodes, {HITS} found", "query_nodes", {"type": "Thing", "limit": HITS}),
    ("search_content, 1 found", "search_content", {"query": "# thing 7"}),
    (f"search_content, {HITS} found", "search_content", {"query": "usual", "limit": HITS}),
    ("create_node", "create_node", {"type": "Thing", "content": text_of(1), "format": "markdown"}),
    ("update_node", "update_node", {"node_id": node_id(1), "properties": {"code": 2}}),
    ("an error: no such node", "get_node", {"node_id": "nobody"}),
    ("an error: no such type", "create_node", {"type": "Thing2", "content": "", "format": "markdown"}),
)


async def replies(memory: Memory, settings: Settings) -> str:
    """Return a table of bytes and tokens."""
    say("replies")
    domain = fresh("replies-")
    await memory.create_ontology(ONTOLOGY, domain=domain)
    await write_nodes(memory, domain, range(20))
    async with over_stdio(settings) as server:
        rows = [await _measure_tool_list(server), *[await _measure_reply(server, domain, *call) for call in CALLS]]
    heading = ("reply", "bytes, as text", "tokens", "bytes of the message")
    note = (
        "Tokens are those of `o200k_base`. Every reply says the same twice, as text and as data; clients show the "
        "model one of the two, so the text is counted.\n"
    )
    return "\n".join(["## Replies\n", table(heading, rows), note])


async def _measure_tool_list(server: Server) -> Sequence[object]:
    listed = await server.client.list_tools()
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
    text = json.dumps(tools, separators=(",", ":"), ensure_ascii=False)
    message = listed.model_dump_json(by_alias=True, exclude_none=True)
    return (f"tools/list, {len(tools)} tools", *_sizes(text), f"{len(message.encode()):,}")


async def _measure_reply(
    server: Server, domain: str, name: str, tool: str, arguments: dict[str, object]
) -> Sequence[object]:
    result = await server.client.call_tool(tool, {**arguments, "domain": domain})
    assert result.is_error == name.startswith("an error"), result
    [content] = result.content
    assert content.type == "text"
    message = result.model_dump_json(by_alias=True, exclude_none=True)
    return (name, *_sizes(content.text), f"{len(message.encode()):,}")


def _sizes(text: str) -> tuple[str, str]:
    return f"{len(text.encode()):,}", f"{tokens(text):,}"


def tokens(text: str) -> int:
    """Return the number of tokens of a text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the tokenizer loads its words in an old way
        import bpe_openai

        return len(bpe_openai.get_encoding("o200k_base").encode(text))
