"""Unique values of subjects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ENTITY
from graph_memory.model.text.wording import quote, with_title
from graph_memory.model.values.properties import ANY


@dataclass(frozen=True, slots=True)
class UniqueValue:
    """A value that only one subject of a type may have."""

    kind: Kind
    type: str
    property: str
    value: str

    def __str__(self) -> str:
        """Return a phrase for the value, with advice if another entity has the name."""
        if self.kind is Kind.LINK:
            return "a link of its type from the same node to the same node"
        if self.type != ANY:
            return "the value of one of its unique properties"
        return f"the name {quote(self.value)} (delete or rename that entity first)"


Owners = Mapping[UniqueValue, Mapping[str, str | None]]
"""The subjects that have each unique value: their titles (None if unknown), keyed by id."""


def link_value(source: str | None, state: Mapping[str, object]) -> list[UniqueValue]:
    """Return the unique value of a link: its type, source and target. Returns an empty list for other states."""
    if source is None or "_target" not in state:
        return []
    value = f"{source} {state.get('_target_domain')} {state['_target']}"
    return [UniqueValue(Kind.LINK, str(state.get("_link_type")), "way", value)]


def unique_value_taken_error(draft: Draft, name: str, owner: str, title: str | None) -> GraphError:
    """Return the error for a unique value that another subject has, or for a link that already exists."""
    state = draft.state or {}
    value = state.get(name)
    if draft.kind is Kind.LINK:
        hint = Hint("Pass another link_type.", " To replace the link, first delete it with {delete_cross_domain_link}.")
        message = f"Link {owner} already connects these nodes with the type {quote(state.get('_link_type'))}"
        return GraphError(Code.LINK_ALREADY_EXISTS, message, {"link_id": owner, "hint": hint})
    if ENTITY in state and name == "name":
        message = f"Another entity, {owner}, already has the name {quote(value)}"
        hint = "Use the existing entity, or choose another name: names are unique in a domain, across all types."
        return GraphError(Code.UNIQUE_PROPERTY_TAKEN, message, {"property": name, "owner": owner, "hint": hint})
    had_value = "this value" if value is None else f"the value {quote(value)}"
    message = f"Property {quote(name)} of {draft.type} must be unique, but {with_title(owner, title)} has {had_value}"
    hint = f"Use the existing {draft.kind}, or choose another value."
    return GraphError(Code.UNIQUE_PROPERTY_TAKEN, message, {"property": name, "owner": owner, "hint": hint})
