"""Whether the state of a subject is what a query asks for, judged as Cypher judges it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import cast

from graph_memory.model.ontology.ontology import Names
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.fields import NAMESPACE, ROOT
from graph_memory.model.values.properties import PropertyValue, equal_values

EventRow = Mapping[str, object]
"""An event as Neo4j has it, with the whole state of its subject."""
Ends = tuple[object, object]
"""Where a connection begins and ends."""


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
    names: Names | None = None
    """As what connections of the type are stored, where that is known; otherwise as the type says."""
    text: str | None = None
    """What is searched for in contents. `takes` does not look at it."""
    fields: FieldFilter = FieldFilter()

    def takes(self, event: EventRow | None) -> bool:
        """Say whether a subject is meant, by its last event; there is none for what never was."""
        if event is None or event["_op"] == "delete" or event["_kind"] != self.kind:
            return False
        return (
            self._is_between(event)
            and all(
                key in event and equal_values(cast("PropertyValue", event[key]), value)
                for key, value in self.properties.items()
            )
            and holds_at(event, self.valid_at)
            and self.fields.takes(event)
        )

    @property
    def stored(self) -> Names | None:
        """As what connections of the type are stored; None for every type."""
        return self.names or (None if self.type is None else Names((self.type,)))

    def is_turned(self, type_name: str, ends: Ends) -> bool:
        """Say whether a connection that is wanted is so only from its other end, by its inverse."""
        stored = self.stored
        return (stored is not None and type_name not in stored.along) or not self._joins(ends)

    def _joins(self, ends: Ends) -> bool:
        return self.from_id in (None, ends[0]) and self.to_id in (None, ends[1])

    def _is_between(self, event: EventRow) -> bool:
        type_name, stored = event.get("_type"), self.stored
        if self.kind is Kind.NODE or stored is None:
            return self.type in (None, type_name) and self._joins((event.get("_from"), event.get("_to")))
        ends = (event.get("_from"), event.get("_to"))
        is_along = type_name in stored.along and self._joins(ends)
        return is_along or (type_name in stored.against and self._joins((ends[1], ends[0])))


def holds_at(event: EventRow, at: datetime | None) -> bool:
    """Say whether what a state says holds at a time; without a time, and where it says nothing of times, it does."""
    begins, ends = (cast("datetime | None", event.get(key)) for key in ("_valid_from", "_valid_to"))
    return at is None or ((begins is None or begins <= at) and (ends is None or ends > at))
