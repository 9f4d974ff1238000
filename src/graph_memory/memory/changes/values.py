"""Values of a change of many subjects."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.model.kinds import Kind
from graph_memory.model.properties import ANY
from graph_memory.model.wording import quoted


@dataclass(frozen=True, slots=True)
class UniqueValue:
    """A value that only one subject of a type may have."""

    kind: Kind
    type: str
    property: str
    value: str

    def __str__(self) -> str:
        """Return what it is, in words, with what to do where it is taken and that can be said."""
        if self.type != ANY:
            return "the value of one of its unique properties"
        return f"the name {quoted(self.value)}, which two entities cannot have: delete or rename that one first"
