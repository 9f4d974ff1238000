"""Other names of an entity, kept in its property `aliases` as a list in JSON, which is how recall reads them. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from graph_memory.memory.recall.own_names import listed_names
from graph_memory.model.properties import PropertyValue
from graph_memory.model.subjects import user_properties

ALIASES = "aliases"


def aliases_of(properties: Mapping[str, PropertyValue]) -> list[str]:
    """Return the other names of an entity, each once."""
    return list(dict.fromkeys(one.strip() for one in listed_names(properties.get(ALIASES)) if one.strip()))


def named_apart(stored: Mapping[str, object]) -> tuple[tuple[str, ...], dict[str, PropertyValue]]:
    """Return of a stored entity its other names, and its properties without these and without the name."""
    properties = user_properties(stored)
    del properties["name"]
    aliases = tuple(aliases_of(properties))
    if aliases:
        del properties[ALIASES]
    return aliases, properties


def with_aliases(properties: Mapping[str, PropertyValue], name: str, more: Iterable[str]) -> dict[str, PropertyValue]:
    """Return the property that an entity of this name has once it has more names; nothing where it has them all."""
    known = aliases_of(properties)
    every = dict.fromkeys(one for one in (*known, *more) if one.strip() and one != name)
    return {} if list(every) == known else aliases_property(every)


def aliases_property(names: Iterable[str]) -> dict[str, PropertyValue]:
    """Return the property of an entity that has these other names."""
    return {ALIASES: json.dumps(list(names), ensure_ascii=False)}
