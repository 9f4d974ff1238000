"""The registry entries of a domain itself, and of its links to other domains, in a folder."""

from __future__ import annotations

import json
from datetime import datetime

from pydantic import Field

from graph_memory.memory.transfer.values import FileModel, Moment
from graph_memory.model.events import Draft, Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.links import LinkState, check_link_type
from graph_memory.model.subjects.subjects import DomainState
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.arguments import check_domain
from graph_memory.model.values.fields import check_description, check_metadata


class DomainEntry(FileModel):
    """The registry entry of a domain."""

    description: str | None = None
    metadata: dict[str, object] | None = None
    parent: str | None = None

    def state(self, at: datetime) -> DomainState:
        """Return the initial state of the domain. Raises INVALID_ARGUMENT if a field is invalid."""
        return DomainState(
            created=at,
            description=check_description(self.description) if self.description else None,
            metadata=check_metadata(self.metadata or {}),
            parent=check_domain(self.parent, argument="parent") if self.parent else None,
        )


def domain_entry(state: DomainState) -> dict[str, object]:
    """Return the registry entry of a domain."""
    metadata = json.loads(state.metadata) if state.metadata else None
    entry = {"description": state.description, "metadata": metadata, "parent": state.parent}
    return {name: value for name, value in entry.items() if value is not None}


class LinkEntry(FileModel):
    """The registry entry of a link."""

    id: str | None = None
    node: str
    target_domain: str
    target_node: str
    link_type: str
    strength: float = 1.0
    bidirectional: bool = False
    description: str | None = None
    metadata: dict[str, object] = Field(default_factory=dict[str, object])
    created: Moment | None = None

    def draft(self, subject: str, at: datetime) -> Draft:
        """Return the event that creates the link. Raises INVALID_ARGUMENT if the type or the metadata is invalid."""
        state = LinkState(
            target_domain=self.target_domain,
            target=self.target_node,
            type=check_link_type(self.link_type),
            strength=self.strength,
            bidirectional=self.bidirectional,
            created=self.created or at,
            description=self.description,
            metadata=check_metadata(self.metadata),
        ).state()
        return Draft(op=Op.CREATE, kind=Kind.LINK, subject=subject, from_id=self.node, state=state)


def link_entry(subject: str, node: str, link: LinkState) -> dict[str, object]:
    """Return the registry entry of a link from a node."""
    return {
        "id": subject,
        "node": node,
        "target_domain": link.target_domain,
        "target_node": link.target,
        "link_type": link.type,
        "strength": link.strength,
        "bidirectional": link.bidirectional,
        **({} if link.description is None else {"description": link.description}),
        **({} if link.metadata is None else {"metadata": link.data}),
        "created": rfc3339(link.created),
    }
