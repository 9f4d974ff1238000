"""The tools of the toolset `domains`: which there are, as a tree, making, changing, choosing and deleting one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads the one of `typing` from Python 3.12 on

from graph_memory.model.domain_results import DomainChanged, DomainDeleted, DomainInfo, Domains, DomainSelected
from graph_memory.model.text.wording import quoted
from graph_memory.model.values.arguments import fault
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

    name: NotRequired[Annotated[str, Field(description="Default: the one that your calls are about")]]


class OneDomain(TypedDict):
    """Arguments of `select_domain`, and of what changes a domain."""

    name: Annotated[str, Field(description="Name of the domain")]


class EditDomain(OneDomain):
    """Arguments of `create_domain` and `update_domain`."""

    description: NotRequired[Annotated[str, Field(description="What it is for")]]
    parent: NotRequired[Annotated[str, Field(description="The domain above, whose types it inherits")]]
    metadata: NotRequired[Properties]


class DeleteDomain(OneDomain):
    """Arguments of `delete_domain`."""

    confirm: Annotated[str, Field(description="The same name again, once the user has agreed")]


async def create_domain(memory: Memory, given: EditDomain) -> DomainChanged:
    """Create a domain: a memory of its own, without types of its own.

    Under a parent it has the types of all domains above it; it may add types with create_ontology or add_node_type, but
    define none otherwise. search_memories of the parent finds its memories too with include_children.
    """
    return await memory.create_domain(**given)


async def list_domains(memory: Memory, given: ListDomains) -> Domains:
    """List all domains by name, with parent and children, and with what each branch was made from."""
    return await memory.list_domains(**given)


async def get_domain(memory: Memory, given: GetDomain) -> DomainInfo:
    """Show a domain: what it is for, its counts, inherited types, branches, children and protection."""
    return await memory.domain_info(domain=given.get("name"))


async def update_domain(memory: Memory, given: EditDomain) -> DomainChanged:
    """Change the description, metadata or parent of a domain; an empty one is removed."""
    return await memory.update_domain(**given)


async def select_domain(memory: Memory, given: OneDomain) -> DomainSelected:
    """Make a domain the one that your calls are about from now on, unless they name another."""
    await memory.get_ontology(domain=given["name"])  # raises where there is no such domain
    return DomainSelected(domain=given["name"])


async def delete_domain(memory: Memory, given: DeleteDomain) -> DomainDeleted:
    """Delete a domain without branches or children, with everything in it. This cannot be undone."""
    if given["confirm"] != given["name"]:
        message = f"confirm must repeat the name {quoted(given['name'])}, not {quoted(given['confirm'])}"
        raise fault("confirm", message, "This cannot be undone: ask the user, then pass the domain's name twice.")
    return await memory.delete_domain(given["name"])


DOMAINS: tuple[AnyOperation, ...] = (
    Operation(create_domain, EditDomain, DomainChanged, Effect.DECLARES),
    Operation(list_domains, ListDomains, Domains, Effect.READS),
    Operation(get_domain, GetDomain, DomainInfo, Effect.READS),
    Operation(update_domain, EditDomain, DomainChanged, Effect.DESTROYS),
    Operation(select_domain, OneDomain, DomainSelected, Effect.READS, in_session=True),
    Operation(delete_domain, DeleteDomain, DomainDeleted, Effect.DESTROYS),
)
