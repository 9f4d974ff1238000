"""The page of MCP tools."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic.fields import FieldInfo

from graph_memory.mcp_server.table import tool_of
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.api.recall import Recall
from graph_memory.operations.operation import AnyOperation, Effect
from graph_memory.operations.schemas import result_schema
from graph_memory.operations.table import TOOLSETS

from .tables import Lines, code, sentences, table, text

Schema = Mapping[str, Any]

TOOLS = """
This page lists the tools that an agent can call over MCP, by toolset (a named group of tools). To choose the tools,
pass a [preset](../guides/clients.md#the-command) with `graph-memory mcp --for`. Or name toolsets, presets and single
tools with `--toolsets` or `GRAPH_MEMORY_TOOLSETS`. The default is the preset `application`: the toolsets `graph`,
`recall` and `batch`, and the tools `memory_log`, `memory_diff` and `memory_revert`.

- **Arguments** are checked strictly: an unknown name or a wrong type fails with `INVALID_ARGUMENT`. A null or an empty
  string for an optional argument means that the argument is omitted, unless it is a text that may be empty, such as
  `content`. A whole number may also be written as 5.0.
- **Results** are returned twice, as structured content and as the same JSON in text.
- **Errors** are returned as tool errors. The text contains the code, the message and the hint, and the structured
  content is `{code, message, details}`. For all codes, see the [error codes](errors.md).

This example shows the parameters of `tools/call`:
"""

EXAMPLE = {
    "name": "create_node",
    "arguments": {
        "type": "Action",
        "content": "# Call the contractor",
        "format": "markdown",
        "properties": {"status": "next"},
    },
}


def tools_page() -> Lines:
    """Yield the page of MCP tools."""
    yield from text("Tools", TOOLS)
    yield from ("```json", *json.dumps(EXAMPLE, indent=2).splitlines(), "```", "")
    for name, tools in TOOLSETS.items():
        yield from (f"## Toolset {code(name)}", "")
        yield from table(("tool", "for"), ((f"[{code(tool.name)}](#{tool.name})", first_of(tool)) for tool in tools))
        for tool in tools:
            yield from described_tool(tool)


def described_tool(tool: AnyOperation) -> Lines:
    """Yield the section of a tool: its description, effect, arguments and results."""
    yield from (f"### {tool.name}", "", *tool.description.splitlines(), "", effect_of(tool), "")
    yield from table(("argument", "value", "required", "default", "what it is"), arguments_of(tool))
    yield from table(("result", "value", "present", "what it is"), results_of(tool))


def first_of(tool: AnyOperation) -> str:
    """Return the first paragraph of a tool's description, and whether it must be named itself."""
    first = tool.description.split("\n\n", maxsplit=1)[0]
    return f"{first} Served only if you name the tool itself." if tool.by_name else first


def effect_of(tool: AnyOperation) -> str:
    """Return a sentence on the effect of a tool, with its annotations for clients."""
    hints = tool_of(tool).listed.model_dump(mode="json", by_alias=True)["annotations"]
    flags = [code(name) for name, value in hints.items() if value is True]
    annotations = f"Its MCP annotations: {', '.join(flags)}." if flags else "No MCP annotation of it is true."
    return f"{sentences(Effect)[tool.effect.name]} {annotations}"


def arguments_of(tool: AnyOperation) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield a row for each argument of a tool."""
    schema: Schema = tool.input_schema
    for name, part in schema["properties"].items():
        required = name in schema.get("required", [])
        default = "" if required else default_argument(tool, name, part)
        yield code(name), kind_of_schema(part), "yes" if required else "", default, part.get("description", "")


def default_argument(tool: AnyOperation, name: str, part: Schema) -> str:
    """Return the default of an argument in the memory's method, or an empty text without one."""
    methods = (getattr(owner, tool.name, None) for owner in (Memory, Recall))
    method = next(filter(callable, methods), None)
    parameters = inspect.signature(method).parameters if method else {}
    parameter = parameters.get(name) or parameters.get(f"{name}_")
    default = parameter.default if parameter else None
    if part.get("type") == "boolean":
        return code(json.dumps(default or False))
    return code(default) if isinstance(default, str | int) else ""


def results_of(tool: AnyOperation) -> Iterator[tuple[str, str, str, str]]:
    """Yield a row for each field of a tool's result. The descriptions are in the classes, not in the tool's schema."""
    schema: Schema = result_schema(tool.result)
    fields: Mapping[str, FieldInfo] = tool.result.model_fields
    for name, part in schema["properties"].items():
        always = "always" if name in schema.get("required", []) else "not always"
        yield code(name), kind_of_schema(part), always, fields[name].description or ""


def kind_of_schema(schema: Schema) -> str:
    """Return the values of a JSON schema in words."""
    if choices := schema.get("anyOf"):
        return " or ".join(dict.fromkeys(map(kind_of_schema, choices)))
    if values := schema.get("enum"):
        return " or ".join(map(code, values))
    if schema.get("type") == "array":
        return f"list of {kind_of_schema(schema.get('items', {}))}"
    if keys := schema.get("properties"):
        return f"object of {', '.join(map(code, keys))}"
    kinds = schema.get("type", "any")
    return ", ".join([kinds if isinstance(kinds, str) else " or ".join(kinds), *limits_of(schema)])


def limits_of(schema: Schema) -> Lines:
    """Yield the limits of a JSON schema in words."""
    if "minimum" in schema:
        yield f"at least {schema['minimum']:,}"
    if "maximum" in schema:
        yield f"at most {schema['maximum']:,}"
    if schema.get("minLength"):
        yield "not empty"
