"""Stores facts as properties. A property has one value, and its earlier values are in the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.memory.entities.aliases import aliases_of
from graph_memory.memory.entities.remember_results import Outcome, Receipt
from graph_memory.memory.graph.nodes import NodeEdit, update_draft
from graph_memory.model.events import Draft, Head
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.text.wording import printable
from graph_memory.model.values.properties import PropertyValue, equal_values


def receipts_of(before: Mapping[str, PropertyValue], after: Mapping[str, PropertyValue]) -> list[Receipt]:
    """Return a receipt for each property in `after`, compared with its value in `before`."""
    return [_receipt(key, value, before.get(key)) for key, value in after.items()]


def text_of_property(key: str, value: PropertyValue) -> str:
    """Return a property as the text of a fact: its key and its value."""
    return f"{key}: {printable(value)}"


def _receipt(key: str, value: PropertyValue, before: PropertyValue | None) -> Receipt:
    fact = text_of_property(key, value)
    if before is None:
        return Receipt(decision=Outcome.ADD, fact=fact, rule="property")
    if equal_values(before, value):
        return Receipt(decision=Outcome.NOOP, fact=fact, rule="property")
    return Receipt(decision=Outcome.UPDATE, fact=fact, rule="property", evidence=f"it was {printable(before)}")


def alias_receipts(name: str, before: Mapping[str, PropertyValue], aliases: Sequence[str]) -> list[Receipt]:
    """Return a receipt for each alias: added, or unchanged if the entity already has it."""
    known = {name, *aliases_of(before)}
    return [
        Receipt(
            decision=Outcome.NOOP if alias in known else Outcome.ADD, fact=f"alias: {printable(alias)}", rule="alias"
        )
        for alias in aliases
    ]


def draft_properties(head: Head, node: NodeState, properties: Mapping[str, PropertyValue]) -> Draft:
    """Return the draft that sets the properties of an entity."""
    edit = NodeEdit(properties=properties, content=None, format=None, tags=None, fields={}, expected_version=None)
    return update_draft(head, node, edit)
