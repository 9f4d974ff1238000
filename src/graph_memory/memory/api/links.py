"""`CrossDomainLinks`: links from nodes of one domain to nodes of another."""

from __future__ import annotations

from collections.abc import Mapping

from graph_memory.memory.api.facade import Facade
from graph_memory.memory.links import links
from graph_memory.memory.links.links import NewLink
from graph_memory.memory.links.results import LinkCreationResult, LinkDeletionResult, Links
from graph_memory.model.results import Direction
from graph_memory.model.rights import require
from graph_memory.model.subjects.links import LinkType, check_bidirectional, check_description, check_link_type
from graph_memory.model.values.arguments import check_direction, check_domain, check_new_id
from graph_memory.model.values.fields import check_metadata
from graph_memory.model.values.strength import check_fraction


class CrossDomainLinks(Facade):
    """Links from nodes of one domain to nodes of another. Use it as `Memory.links`.

    A link belongs to its source node's domain: only that domain's log records the link, and only protection of the
    source node prevents it. If the target node is deleted, the link is kept and reported as dangling. Only
    `traverse_memories` with `cross_domains` follows links.
    """

    async def create_cross_domain_link(
        self,
        source_node_id: str,
        target_domain: str,
        target_node_id: str | None = None,
        *,
        link_type: LinkType = "reference",
        strength: float = 1.0,
        description: str | None = None,
        bidirectional: bool = False,
        metadata: Mapping[str, object] | None = None,
        source_domain: str | None = None,
    ) -> LinkCreationResult:
        """Link a node to a node of another domain, and return the link as seen from both nodes.

        `link_type` is `reference`, `extension`, `version` or `alternative`. `strength` is a number from 0 to 1. A
        bidirectional link is also listed at its target, as `referenced_by`, `extended_by`, `version` or `alternative`.
        If `target_node_id` is not given, the target domain is searched for the source node's text, and the best match
        becomes the target. `candidates` contains up to five matches with their scores. If nothing matches, `success` is
        false, and nothing is written. Raises ONTOLOGY_NOT_FOUND if a domain does not exist, NODE_NOT_FOUND if a node
        does not exist, and LINK_ALREADY_EXISTS.
        """
        link = NewLink(
            target_domain=require(check_domain(target_domain)),
            target=None if target_node_id is None else check_new_id("target_node_id", target_node_id),
            type=check_link_type(link_type),
            strength=check_fraction("strength", strength),
            bidirectional=check_bidirectional(bidirectional),
            description=check_description(description),
            metadata=None if metadata is None else check_metadata(metadata),
        )
        return await links.create_link(self._core, self._domain(source_domain), source_node_id, link)

    async def list_cross_domain_links(
        self,
        node_id: str | None = None,
        *,
        direction: Direction = "both",
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> Links:
        """Return the links from a domain or one of its nodes, and the bidirectional links to it.

        `dangling` is the reason why a link's target cannot be read, for example because it was deleted. `direction` is
        `out`, `in` or `both`. Raises ONTOLOGY_NOT_FOUND and NODE_NOT_FOUND.
        """
        check_direction(direction)
        return await links.list_links(self._core, self._domain(domain), node_id, direction, limit, cursor)

    async def delete_cross_domain_link(self, link_id: str, *, domain: str | None = None) -> LinkDeletionResult:
        """Delete a link. `domain` is the domain of its source node. Raises ONTOLOGY_NOT_FOUND and LINK_NOT_FOUND."""
        return await links.delete_link(self._core, self._domain(domain), link_id)
