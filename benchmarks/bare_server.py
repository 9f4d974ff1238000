"""The least that an MCP server on stdio can be: `bare_server REPLY [TOOLS]` always gives the reply to every call.

It lists one tool without schemas, or the tools of the JSON argument.
"""

from __future__ import annotations

import json
import sys

import anyio
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

LEAST = [{"name": "get_node", "inputSchema": {"type": "object"}}]

Context = ServerRequestContext[dict[str, object]]


async def main(reply: str, tools: str) -> None:
    """Serve until the client closes standard input."""
    result = types.CallToolResult(
        content=[types.TextContent(type="text", text=reply)], structured_content=json.loads(reply)
    )
    listed = types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in json.loads(tools)])

    async def list_tools(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listed

    async def call_tool(_ctx: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
        return result

    server = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else json.dumps(LEAST))
