"""The tools of the toolset `domains`: listing, creating, changing, selecting and deleting domains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic accepts the one in `typing` only from Python 3.12 on

from graph_memory.model.domain_results import (
    DomainChangeResult,
    DomainDeletionResult,
    DomainInfo,
    Domains,
    DomainSelectionResult,
)
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.operations.arguments import Cursor, Limit, Properties
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


class ListDomains(TypedDict):
    """Arguments of `list_domains`."""

    limit: NotRequired[Limit]
    cursor: NotRequired[Cursor]


class GetDomain(TypedDict):
    """Arguments of `get_domain`."""

    name: NotRequired[Annotated[str, Field(description="Default: the current domain")]]


class DomainName(TypedDict):
    """Arguments of `select_domain`."""

    name: Annotated[str, Field(description="Name of the domain")]


class EditDomain(DomainName):
    """Arguments of `create_domain` and `update_domain`."""

    description: NotRequired[Annotated[str, Field(description="Purpose of the domain")]]
    parent: NotRequired[Annotated[str, Field(description="The parent domain, whose types it inherits")]]
    metadata: NotRequired[Properties]


class DeleteDomain(DomainName):
    """Arguments of `delete_domain`."""

    confirm: Annotated[str, Field(description="The same name again, once the user has agreed")]


async def create_domain(memory: Memory, arguments: EditDomain) -> DomainChangeResult:
    """Create a domain: a separate memory.

    It inherits the types of all domains above it. It may add types with create_ontology or add_node_type, but not
    change inherited ones. With include_children, search_memories on the parent also covers it.
    """
    return await memory.create_domain(**arguments)


async def list_domains(memory: Memory, arguments: ListDomains) -> Domains:
    """List all domains by name, with parent, children, and the base of each branch."""
    return await memory.list_domains(**arguments)


async def get_domain(memory: Memory, arguments: GetDomain) -> DomainInfo:
    """Get a domain's description, counts, inherited types, branches, children and protection."""
    return await memory.domain_info(domain=arguments.get("name"))


async def update_domain(memory: Memory, arguments: EditDomain) -> DomainChangeResult:
    """Change the description, metadata or parent of a domain. An empty value removes the field."""
    return await memory.update_domain(**arguments)


async def select_domain(memory: Memory, arguments: DomainName) -> DomainSelectionResult:
    """Select the default domain for your further calls."""
    await memory.get_ontology(domain=arguments["name"])  # raises if the domain does not exist
    return DomainSelectionResult(domain=arguments["name"])


async def delete_domain(memory: Memory, arguments: DeleteDomain) -> DomainDeletionResult:
    """Delete a domain without branches or children, with everything in it. This cannot be undone."""
    if arguments["confirm"] != arguments["name"]:
        message = f"confirm must repeat the name {quote(arguments['name'])}, not {quote(arguments['confirm'])}"
        raise invalid_argument(
            "confirm", message, "This cannot be undone. Ask the user, then pass the same name as name and confirm."
        )
    return await memory.delete_domain(arguments["name"])


DOMAINS: tuple[AnyOperation, ...] = (
    Operation(create_domain, EditDomain, DomainChangeResult, Effect.DECLARES),
    Operation(list_domains, ListDomains, Domains, Effect.READS),
    Operation(get_domain, GetDomain, DomainInfo, Effect.READS),
    Operation(update_domain, EditDomain, DomainChangeResult, Effect.DESTROYS),
    Operation(select_domain, DomainName, DomainSelectionResult, Effect.READS, in_session=True),
    Operation(delete_domain, DeleteDomain, DomainDeletionResult, Effect.DESTROYS, needs_admin=True),
)
