"""The tools of the toolset `domains`: which there are, branches among them, and deleting one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads the one of `typing` from Python 3.12 on

from graph_memory.mcp_server.tools import AnyTool, Effect, Tool
from graph_memory.model.arguments import fault
from graph_memory.model.results import DomainDeleted, Domains
from graph_memory.model.wording import quoted

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


class ListDomains(TypedDict):
    """Arguments of `list_domains`: none."""


class DeleteDomain(TypedDict):
    """Arguments of `delete_domain`."""

    name: Annotated[str, Field(description="Name of the domain")]
    confirm: Annotated[str, Field(description="The same name again, once the user has agreed")]


async def list_domains(memory: Memory, _: ListDomains) -> Domains:
    """List all domains, with what each branch was made from."""
    return await memory.list_domains()


async def delete_domain(memory: Memory, given: DeleteDomain) -> DomainDeleted:
    """Delete a domain, such as a branch no longer needed, with everything in it. This cannot be undone."""
    if given["confirm"] != given["name"]:
        message = f"confirm must repeat the name {quoted(given['name'])}, not {quoted(given['confirm'])}"
        raise fault("confirm", message, "This cannot be undone: ask the user, then pass the domain's name twice.")
    return await memory.delete_domain(given["name"])


DOMAINS: tuple[AnyTool, ...] = (
    Tool(list_domains, ListDomains, Domains, Effect.READS),
    Tool(delete_domain, DeleteDomain, DomainDeleted, Effect.DESTROYS),
)
