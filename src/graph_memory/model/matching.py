"""Whether the state of a subject is what a query asks for, judged as Cypher judges it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import cast

from graph_memory.model.fields import NAMESPACE, ROOT
from graph_memory.model.kinds import Kind
from graph_memory.model.properties import PropertyValue, equal_values

EventRow = Mapping[str, object]
"""An event as Neo4j has it, with the whole state of its subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFilter:
    """What is asked of the fields of nodes, and of when they were created and last changed; None takes all."""

    namespace: str | None = None
    path_prefix: str | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    modified_after: datetime | None = None
    modified_before: datetime | None = None

    def params(self) -> dict[str, object] | None:
        """Return it as statements take it, None where it takes all."""
        asked = {each.name: getattr(self, each.name) for each in fields(self)}
        return asked if any(value is not None for value in asked.values()) else None

    def takes(self, event: EventRow) -> bool:
        """Say whether a node is meant, by its last event."""
        texts = cast("Mapping[str, str]", event)
        return (
            self.namespace in (None, texts.get("_namespace", NAMESPACE))
            and texts.get("_path", ROOT).startswith(self.path_prefix or "")
            and _is_between(event.get("_created"), self.created_after, self.created_before)
            and _is_between(event.get("_modified"), self.modified_after, self.modified_before)
        )


def _is_between(moment: object, begin: datetime | None, end: datetime | None) -> bool:
    at = cast("datetime", moment)
    return (begin is None or at >= begin) and (end is None or at < end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What nodes or connections are asked for; None takes all."""

    kind: Kind
    type: str | None = None
    properties: Mapping[str, PropertyValue]
    valid_at: datetime | None = None
    from_id: str | None = None
    to_id: str | None = None
    text: str | None = None
    """What is searched for in contents. `takes` does not look at it."""
    fields: FieldFilter = FieldFilter()

    def takes(self, event: EventRow | None) -> bool:
        """Say whether a subject is meant, by its last event; there is none for what never was."""
        if event is None or event["_op"] == "delete" or event["_kind"] != self.kind:
            return False
        attributes = (("_type", self.type), ("_from", self.from_id), ("_to", self.to_id))
        return (
            all(wanted is None or event.get(key) == wanted for key, wanted in attributes)
            and all(
                key in event and equal_values(cast("PropertyValue", event[key]), value)
                for key, value in self.properties.items()
            )
            and holds_at(event, self.valid_at)
            and self.fields.takes(event)
        )


def holds_at(event: EventRow, at: datetime | None) -> bool:
    """Say whether what a state says holds at a time; without a time, and where it says nothing of times, it does."""
    begins, ends = (cast("datetime | None", event.get(key)) for key in ("_valid_from", "_valid_to"))
    return at is None or ((begins is None or begins <= at) and (ends is None or ends > at))
