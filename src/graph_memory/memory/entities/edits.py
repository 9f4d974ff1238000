"""Validates requested changes of existing entities and observations. Does no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graph_memory.memory.entities.aliases import ALIASES, aliases_property, check_aliases
from graph_memory.memory.entity_graph.values.request import properties_from, text_of
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import Content, content_from
from graph_memory.model.values.plain import Fields, LocatedValue
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import check_fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityEdit:
    """The requested changes of an entity. None leaves a field unchanged."""

    name: str
    new_name: str | None = None
    type: str | None = None
    content: Content | None = None
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationEdit:
    """The requested changes of an observation, which is referred to by id or text. None leaves a field unchanged."""

    name: str
    observation: str
    text: str | None = None
    confidence: float | None = None


def entity_edit(arguments: Mapping[str, object]) -> EntityEdit:
    """Return the requested changes of an entity.

    Raises INVALID_ARGUMENT if an argument is invalid or no change is requested, and INVALID_PROPERTY if a property is
    invalid.
    """
    fields = _present_arguments(arguments)
    if not fields.entries.keys() - {"name"}:
        raise invalid_argument(
            "new_name", "Nothing to update", "Pass new_name, type, aliases, properties or description."
        )
    new_name, entity_type, description = fields.get("new_name"), fields.get("type"), fields.get("description")
    return EntityEdit(
        name=text_of(fields.need("name")),
        new_name=None if new_name is None else text_of(new_name),
        type=None if entity_type is None else text_of(entity_type),
        content=None if description is None else content_from(text_of(description), "utf-8", "markdown"),
        properties={**properties_from(fields), **_aliases(fields)},
    )


def _aliases(fields: Fields) -> Mapping[str, PropertyValue]:
    located, properties = fields.get(ALIASES), fields.get("properties")
    if located is None:
        return {}
    if properties is not None and ALIASES in properties.entries():
        raise properties.error("contains aliases", "Pass aliases as an argument, not as a property.")
    aliases = dict.fromkeys(text_of(item) for item in located.items())
    check_aliases(aliases)
    return aliases_property(aliases)


def observation_edit(arguments: Mapping[str, object]) -> ObservationEdit:
    """Return the requested changes of an observation.

    Raises INVALID_ARGUMENT if an argument is invalid, or if neither text nor confidence is given.
    """
    fields = _present_arguments(arguments)
    text, confidence = fields.get("text"), fields.number("confidence")
    if text is None and confidence is None:
        raise invalid_argument("text", "Nothing to update", "Pass text, confidence or both.")
    return ObservationEdit(
        name=text_of(fields.need("entityName")),
        observation=text_of(fields.need("observation")),
        text=None if text is None else text_of(text),
        confidence=None if confidence is None else check_fraction("confidence", confidence),
    )


def _present_arguments(arguments: Mapping[str, object]) -> Fields:
    return LocatedValue({key: value for key, value in arguments.items() if value is not None}, "").fields(
        tuple(arguments)
    )
