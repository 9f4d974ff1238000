"""`MetaMemory`: the capabilities of an agent, and the statistics of its tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from graph_memory.agent.kinds import CapabilityKind
from graph_memory.agent.records.profiles import check_choice, check_text
from graph_memory.agent.records.roles import add_types, roles_of
from graph_memory.agent.records.statistics import TOOL_CALL, statistics_of, tool_of
from graph_memory.agent.results import Capabilities, ToolStatistics
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import NodeSummary
from graph_memory.model.rights import readable, require
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

KINDS: tuple[str, ...] = get_args(CapabilityKind)
MOST_EVENTS = 10_000
"""Maximum number of events per domain from which statistics are computed. The newest events are used."""
_MOST_DOMAINS = 20
_KIND_BY_FIELD = {
    "strengths": "strength",
    "weaknesses": "weakness",
    "cannot_do": "cannot_do",
    "should_ask": "should_ask",
}


class MetaMemory:
    """The capabilities and tools of an agent, in a separate domain. Access them as `memory.agent.meta`.

    Capabilities and tools are entities of the types `Capability` and `Tool`. Statistics of tools are not stored, but
    computed from events of type `tool_call` with a property `tool`.
    """

    def __init__(self, memory: Memory, domain: str) -> None:
        self._project = memory
        self._agent = memory.in_domain(domain)

    async def get(self, tool: str | None = None, *, domains: Sequence[str] | None = None) -> Capabilities:
        """Return the agent's capabilities, and the statistics of one tool or of all tools.

        The statistics cover the newest 10,000 events of type `tool_call` in each of up to 20 `domains` (default: the
        current domain). `warnings` lists domains that do not exist. Raises INVALID_ARGUMENT if `tool` is blank, or
        `domains` is too long or contains an invalid name.
        """
        name = None if tool is None else check_text("tool", tool)
        if isinstance(domains, str) or len(domains or ()) > _MOST_DOMAINS:
            raise invalid_argument(
                "domains", f"domains cannot be {quote(domains)}", f"Pass a list of up to {_MOST_DOMAINS} domains."
            )
        names = readable(dict.fromkeys(domains or ()))
        if domains and not names:
            require(domains[0])
        memories = [self._project.in_domain(domain) for domain in names] or [self._project]
        events: list[NodeSummary] = []
        warnings = [
            f"Domain {domain} does not exist." for domain in names if not await _exists(self._project.in_domain(domain))
        ]
        for memory in memories:
            calls, has_more = await _tool_calls(memory)
            events += [call for call in calls if name in (None, tool_of(call))]
            warnings += [f"Only the newest {MOST_EVENTS:,} tool calls of a domain count."] if has_more else []
        if unnamed_count := sum(not tool_of(event) for event in events):
            warnings.append(
                f"{unnamed_count:,} events of type {TOOL_CALL} have no property tool, so they do not count."
            )
        return await self._build_capabilities(statistics_of(events), name, warnings)

    async def set_capability(self, capability: str, kind: CapabilityKind) -> Capabilities:
        """Record a capability: a strength, a weakness, a limit (`cannot_do`) or a reason to ask first (`should_ask`).

        `capability` is one sentence. If it is already recorded, its kind changes. Returns all capabilities, without
        tools. Raises INVALID_ARGUMENT if an argument is invalid, and CONTENT_TOO_LARGE if the sentence is too long.
        """
        name = check_text("capability", capability)
        await self._store_entity(name, "Capability", {"kind": check_choice("kind", kind, KINDS)})
        return Capabilities(tools=(), **_capabilities_in(await self._nodes_by_type()))

    async def set_tool(self, tool: str, usage: str | None = None) -> Capabilities:
        """Record a tool of the agent, and when and how to use it.

        Raises INVALID_ARGUMENT if a text is blank, and CONTENT_TOO_LARGE if a text is too long.
        """
        name = check_text("tool", tool)
        await self._store_entity(name, "Tool", {} if usage is None else {"usage": check_text("usage", usage)})
        return await self.get(name)

    async def remove(self, name: str) -> None:
        """Delete a capability or a tool. It remains in the log. Raises INVALID_ARGUMENT for an unknown name."""
        nodes = await self._nodes_by_type()
        matches = [node for node in nodes.get("Capability", ()) + nodes.get("Tool", ()) if _name(node) == name]
        if not matches:
            hint = Hint("Find the names with {get_capabilities}.")
            raise invalid_argument("name", f"No capability or tool is named {quote(name)}", hint)
        await self._agent.delete_node(matches[0].id)

    async def _store_entity(self, name: str, kind: str, properties: dict[str, str]) -> None:
        """Create or change a capability or tool. Raises INVALID_ARGUMENT if an entity of another type has the name."""
        roles = await roles_of(self._agent, "agent")
        entities = () if roles is None else (await self._agent.entities.open_nodes([name])).entities
        for entity in entities:
            if roles is not None and entity.entity_type != roles[kind]:
                message = f"{quote(name)} is an entity of type {entity.entity_type}, not a {kind.lower()}"
                raise invalid_argument(kind.lower(), message, "Pass another name.")
        roles = await add_types(self._agent, lambda _: (), "agent")
        await self._agent.entities.upsert(name, type=roles[kind], properties=properties)

    async def _build_capabilities(
        self, statistics: Sequence[ToolStatistics], tool: str | None, warnings: list[str]
    ) -> Capabilities:
        """Return the capabilities, and every tool with its statistics, including tools that were never called."""
        nodes = await self._nodes_by_type()
        usages = {_name(node): node.properties.get("usage") for node in nodes.get("Tool", ())}
        called = {row.tool for row in statistics}
        uncalled = [ToolStatistics(tool=name) for name in sorted(usages.keys() - called) if tool in (None, name)]
        tools = [row.model_copy(update={"usage": usages.get(row.tool)}) for row in (*statistics, *uncalled)]
        if tool is not None and not tools:
            warnings.append(f"No call of {quote(tool)} is recorded.")
        unique = tuple(dict.fromkeys(warnings)) or None
        return Capabilities(tools=tuple(tools), warnings=unique, **_capabilities_in(nodes))

    async def _nodes_by_type(self) -> dict[str, tuple[NodeSummary, ...]]:
        if (roles := await roles_of(self._agent, "agent")) is None:
            return {}
        pages = {kind: await self._agent.query_nodes(type=roles[kind]) for kind in ("Capability", "Tool")}
        return {kind: await self._agent.describe_nodes(page.node_ids) for kind, page in pages.items()}


def _name(node: NodeSummary) -> str:
    return str(node.properties.get("name", node.title))


def _capabilities_in(nodes: Mapping[str, Sequence[NodeSummary]]) -> dict[str, Any]:
    """Return the names of the capabilities by kind, keyed by the corresponding field of `Capabilities`."""
    kinds = [(node.properties.get("kind"), _name(node)) for node in nodes.get("Capability", ())]
    return {
        field: tuple(name for listed, name in kinds if listed == kind) or None for field, kind in _KIND_BY_FIELD.items()
    }


async def _exists(domain: Memory) -> bool:
    try:
        await domain.get_ontology()
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return False
    return True


async def _tool_calls(memory: Memory) -> tuple[Sequence[NodeSummary], bool]:
    """Return the newest tool calls in the domain, and whether there are more."""
    if (roles := await roles_of(memory)) is None:
        return (), False
    page = await memory.query_nodes(
        type=roles["Event"],
        properties={"event_type": TOOL_CALL},
        order_by="timestamp",
        descending=True,
        limit=MOST_EVENTS,
    )
    return await memory.describe_nodes(page.node_ids), page.next_cursor is not None
