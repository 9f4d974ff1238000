"""The registry entry of the domain itself, in a folder."""

from __future__ import annotations

import json
from datetime import datetime

from graph_memory.memory.transfer.values import FileModel
from graph_memory.model.subjects.subjects import DomainState
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
