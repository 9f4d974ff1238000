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
        return f"the name {quote(self.value)}, which two entities cannot have: delete or rename that one first"


Owners = Mapping[UniqueValue, Mapping[str, str | None]]
"""The ids of the subjects that have each unique value, with their titles if known."""


def link_value(source: str | None, state: Mapping[str, object]) -> list[UniqueValue]:
    """Return the unique value of a link: its type, source and target."""
    if source is None or "_target" not in state:
        return []
    value = f"{source} {state.get('_target_domain')} {state['_target']}"
    return [UniqueValue(Kind.LINK, str(state.get("_link_type")), "way", value)]


def _link_exists_error(state: Mapping[str, object], owner: str) -> GraphError:
    """Return the error for a second link of the same type between two nodes."""
    hint = Hint("Pass another link_type.", " To replace the link, first delete it with {delete_cross_domain_link}.")
    message = f"There is already a {state.get('_link_type')} link between these nodes: {owner}"
    return GraphError(Code.LINK_ALREADY_EXISTS, message, {"link_id": owner, "hint": hint})


def unique_value_taken(draft: Draft, name: str, owner: str, title: str | None) -> GraphError:
    """Return the error for a unique value or link that another subject has."""
    if draft.kind is Kind.LINK:
        return _link_exists_error(draft.state or {}, owner)
    if ENTITY in (draft.state or {}) and name == "name":
        message = f"Another entity already has the name {quote((draft.state or {}).get(name))}: {owner}"
        hint = "Names are unique in a domain, across all types: use the existing entity, or choose another name."
        return GraphError(Code.UNIQUE_PROPERTY_TAKEN, message, {"property": name, "owner": owner, "hint": hint})
    return GraphError(
        Code.UNIQUE_PROPERTY_TAKEN,
        f"Another {draft.type} already has that value of the unique property {name}: {with_title(owner, title)}",
        {"property": name, "owner": owner, "hint": "Use the existing one, or choose another value."},
    )
