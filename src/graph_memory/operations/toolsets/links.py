"""The tools of the toolset `domains` for links from nodes of one domain to nodes of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic accepts the one in `typing` only from Python 3.12 on

from graph_memory.memory.links.results import LinkCreationResult, LinkDeletionResult, Links
from graph_memory.model.subjects.links import LinkType
from graph_memory.operations.arguments import Call, Cursor, Fraction, Limit, Properties
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


class CreateLink(TypedDict):
    """Arguments of `create_cross_domain_link`."""

    source_node_id: str
    target_domain: Annotated[str, Field(description="Domain of the target node")]
    target_node_id: NotRequired[Annotated[str, Field(description="Default: the best matching node")]]
    link_type: NotRequired[Annotated[LinkType, Field(description="Default: reference")]]
    strength: NotRequired[Annotated[Fraction, Field(description="Default 1")]]
    description: NotRequired[str]
    bidirectional: NotRequired[Annotated[bool, Field(description="Also show the link at the target")]]
    metadata: NotRequired[Properties]
    source_domain: NotRequired[Annotated[str, Field(description="Domain of the source node")]]


class ListLinks(Call):
    """Arguments of `list_cross_domain_links`."""

    node_id: NotRequired[Annotated[str, Field(description="Only return the links of this node")]]
    direction: NotRequired[
        Annotated[Literal["out", "in", "both"], Field(description="out: links to other domains; in: links from them")]
    ]
    limit: NotRequired[Limit]
    cursor: NotRequired[Cursor]


class DeleteLink(Call):
    """Arguments of `delete_cross_domain_link`."""

    link_id: str


async def create_cross_domain_link(memory: Memory, arguments: CreateLink) -> LinkCreationResult:
    """Link a node to a node of another domain. Follow links with traverse_memories and cross_domains."""
    return await memory.links.create_cross_domain_link(**arguments)


async def list_cross_domain_links(memory: Memory, arguments: ListLinks) -> Links:
    """List the links of a domain or node to other domains, and the bidirectional links from other domains."""
    return await memory.links.list_cross_domain_links(**arguments)


async def delete_cross_domain_link(memory: Memory, arguments: DeleteLink) -> LinkDeletionResult:
    """Delete a link. Pass the source's domain, which list_cross_domain_links returns, as domain."""
    return await memory.links.delete_cross_domain_link(**arguments)


LINKS: tuple[AnyOperation, ...] = (
    Operation(create_cross_domain_link, CreateLink, LinkCreationResult, Effect.CREATES),
    Operation(list_cross_domain_links, ListLinks, Links, Effect.READS),
    Operation(delete_cross_domain_link, DeleteLink, LinkDeletionResult, Effect.DESTROYS),
)
