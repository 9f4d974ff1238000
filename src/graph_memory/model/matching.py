"""Filters for nodes and connections, with the same semantics as the Cypher queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import cast

from graph_memory.model.ontology.ontology import TypeNames
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.fields import NAMESPACE, ROOT
from graph_memory.model.values.properties import PropertyValue, equal_values

EventRow = Mapping[str, object]
"""The properties of an `_Event` node. They include its subject's complete state."""
Ends = tuple[object, object]
"""The ids of a connection's source and target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFilter:
    """A filter for nodes by namespace, path prefix, and times of creation and change. None means no restriction."""

    namespace: str | None = None
    path_prefix: str | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    modified_after: datetime | None = None
    modified_before: datetime | None = None

    def params(self) -> dict[str, object] | None:
        """Return the filter as a Cypher parameter, or None if it matches all nodes."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return values if any(value is not None for value in values.values()) else None

    def matches(self, event: EventRow) -> bool:
        """Return whether the filter matches a node with this last event."""
        texts = cast("Mapping[str, str]", event)
        return (
            self.namespace in (None, texts.get("_namespace", NAMESPACE))
            and texts.get("_path", ROOT).startswith(self.path_prefix or "")
            and _is_between(event.get("_created"), self.created_after, self.created_before)
            and _is_between(event.get("_modified"), self.modified_after, self.modified_before)
        )


def _is_between(value: object, start: datetime | None, end: datetime | None) -> bool:
    moment = cast("datetime", value)
    return (start is None or moment >= start) and (end is None or moment < end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """A filter for nodes or connections by type, properties, validity, endpoints and fields.

    None means no restriction.
    """

    kind: Kind
    type: str | None = None
    properties: Mapping[str, PropertyValue]
    valid_at: datetime | None = None
    from_id: str | None = None
    to_id: str | None = None
    names: TypeNames | None = None
    """The type names under which connections of `type` are stored. None means only `type`."""
    text: str | None = None
    """Text that the content must contain. `matches` does not check this."""
    fields: FieldFilter = FieldFilter()

    def matches(self, event: EventRow | None) -> bool:
        """Return whether the filter matches a subject with this last event.

        None means that the subject never existed.
        """
        if event is None or event["_op"] == "delete" or event["_kind"] != self.kind:
            return False
        return (
            self._matches_type_and_ends(event)
            and all(
                key in event and equal_values(cast("PropertyValue", event[key]), value)
                for key, value in self.properties.items()
            )
            and is_valid_at(event, self.valid_at)
            and self.fields.matches(event)
        )

    @property
    def stored_names(self) -> TypeNames | None:
        """The stored type names of connections of the type. None means every type."""
        return self.names or (None if self.type is None else TypeNames((self.type,)))

    def is_reversed(self, type_name: str, ends: Ends) -> bool:
        """Return whether a matching connection is stored as its inverse.

        Its endpoints are then swapped in the result.
        """
        type_names = self.stored_names
        return (type_names is not None and type_name not in type_names.forward_types) or not self._matches_ends(ends)

    def _matches_ends(self, ends: Ends) -> bool:
        return self.from_id in (None, ends[0]) and self.to_id in (None, ends[1])

    def _matches_type_and_ends(self, event: EventRow) -> bool:
        type_name, type_names = event.get("_type"), self.stored_names
        ends = (event.get("_from"), event.get("_to"))
        if self.kind is Kind.NODE or type_names is None:
            return self.type in (None, type_name) and self._matches_ends(ends)
        is_forward = type_name in type_names.forward_types and self._matches_ends(ends)
        return is_forward or (type_name in type_names.reverse_types and self._matches_ends((ends[1], ends[0])))


def is_valid_at(event: EventRow, at: datetime | None) -> bool:
    """Return whether the state in an event is valid at a time. True if `at` is None or no period is set."""
    valid_from, valid_to = (cast("datetime | None", event.get(key)) for key in ("_valid_from", "_valid_to"))
    return at is None or ((valid_from is None or valid_from <= at) and (valid_to is None or valid_to > at))
