"""Values of a change of many subjects."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.model.kinds import Kind


@dataclass(frozen=True, slots=True)
class UniqueValue:
    """A value that only one subject of a type may have."""

    kind: Kind
    type: str
    property: str
    value: str
