"""Other names of an entity, kept in its property `aliases` as a list in JSON, which is how recall reads them. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from graph_memory.memory.recall.own_names import listed_names
from graph_memory.model.properties import PropertyValue

ALIASES = "aliases"


def aliases_of(properties: Mapping[str, PropertyValue]) -> list[str]:
    """Return the other names of an entity, each once."""
    return list(dict.fromkeys(one.strip() for one in listed_names(properties.get(ALIASES)) if one.strip()))


def with_aliases(properties: Mapping[str, PropertyValue], name: str, more: Iterable[str]) -> dict[str, PropertyValue]:
    """Return the property that an entity of this name has once it has more names; nothing where it has them all."""
    known = aliases_of(properties)
    every = dict.fromkeys(one for one in (*known, *more) if one.strip() and one != name)
    return {} if list(every) == known else aliases_property(every)


def aliases_property(names: Iterable[str]) -> dict[str, PropertyValue]:
    """Return the property of an entity that has these other names."""
    return {ALIASES: json.dumps(list(names), ensure_ascii=False)}
