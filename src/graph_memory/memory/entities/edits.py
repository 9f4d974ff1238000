"""What callers ask to change of an entity or an observation that exists, read and checked. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graph_memory.memory.entities.aliases import ALIASES, aliases_property, check_aliases
from graph_memory.memory.entity_graph.values.request import properties_from, text_of
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.content import Content, content_from
from graph_memory.model.values.plain import Fields, Located
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityEdit:
    """What is to change of an entity; None leaves as it is."""

    name: str
    new_name: str | None = None
    type: str | None = None
    content: Content | None = None
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationEdit:
    """What is to change of an observation, given by its id or its text; None leaves as it is."""

    name: str
    observation: str
    text: str | None = None
    confidence: float | None = None


def entity_edit(given: Mapping[str, object]) -> EntityEdit:
    """Return what is to change of an entity. Raises INVALID_ARGUMENT and INVALID_PROPERTY."""
    own = _fields(given)
    if not own.entries.keys() - {"name"}:
        raise fault("new_name", "Nothing to update", "Give new_name, type, aliases, properties or description.")
    new_name, kind, description = own.get("new_name"), own.get("type"), own.get("description")
    return EntityEdit(
        name=text_of(own.need("name")),
        new_name=None if new_name is None else text_of(new_name),
        type=None if kind is None else text_of(kind),
        content=None if description is None else content_from(text_of(description), "utf-8", "markdown"),
        properties={**properties_from(own), **_aliases(own)},
    )


def _aliases(own: Fields) -> Mapping[str, PropertyValue]:
    located, properties = own.get(ALIASES), own.get("properties")
    if located is None:
        return {}
    if properties is not None and ALIASES in properties.entries():
        raise properties.fault("holds aliases of its own", "Give aliases beside the properties.")
    aliases = dict.fromkeys(text_of(item) for item in located.items())
    check_aliases(aliases)
    return aliases_property(aliases)


def observation_edit(given: Mapping[str, object]) -> ObservationEdit:
    """Return what is to change of an observation. Raises INVALID_ARGUMENT."""
    own = _fields(given)
    text, sure = own.get("text"), own.number("confidence")
    if text is None and sure is None:
        raise fault("text", "Nothing to update", "Give text, confidence or both.")
    return ObservationEdit(
        name=text_of(own.need("entityName")),
        observation=text_of(own.need("observation")),
        text=None if text is None else text_of(text),
        confidence=None if sure is None else fraction("confidence", sure),
    )


def _fields(arguments: Mapping[str, object]) -> Fields:
    """Return what was given; what is None was not."""
    return Located({key: value for key, value in arguments.items() if value is not None}, "").fields(tuple(arguments))
