"""The tools of the toolset `domains`: which there are, branches among them, and deleting one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph_memory.mcp_server.tools import AnyTool, Effect, Tool
from graph_memory.mcp_server.toolsets import domain_arguments as takes
from graph_memory.model.results import DomainDeleted, Domains

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


async def list_domains(memory: Memory, _: takes.ListDomains) -> Domains:
    """List all domains, with what each branch was made from."""
    return await memory.list_domains()


async def delete_domain(memory: Memory, given: takes.DeleteDomain) -> DomainDeleted:
    """Delete a domain, such as a branch no longer needed, with everything in it. This cannot be undone."""
    return await memory.delete_domain(given["name"])


DOMAINS: tuple[AnyTool, ...] = (
    Tool(list_domains, takes.ListDomains, Domains, Effect.READS),
    Tool(delete_domain, takes.DeleteDomain, DomainDeleted, Effect.DESTROYS),
)
