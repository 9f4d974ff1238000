"""Reads and writes an entity's aliases, a JSON list in the property `aliases`, which recall reads too."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping

from graph_memory.model.subjects.subjects import user_properties
from graph_memory.model.text.name_key import is_same_name
from graph_memory.model.text.name_list import listed_names
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import PropertyValue, check_text_size

ALIASES = "aliases"
MAX_ALIASES = 1_000
"""Maximum number of aliases of an entity, since each is compared when a name is looked up."""


def aliases_of(properties: Mapping[str, PropertyValue]) -> list[str]:
    """Return the aliases of an entity without duplicates."""
    return list(dict.fromkeys(name.strip() for name in listed_names(properties.get(ALIASES)) if name.strip()))


def split_aliases(stored: Mapping[str, object]) -> tuple[tuple[str, ...], dict[str, PropertyValue]]:
    """Return the aliases of a stored entity, and its properties without the aliases and the name."""
    properties = user_properties(stored)
    del properties["name"]
    aliases = tuple(aliases_of(properties))
    if aliases:
        del properties[ALIASES]
    return aliases, properties


def check_aliases(aliases: Collection[str], name: str | None = None) -> None:
    """Raise INVALID_ARGUMENT for a blank alias, too many aliases or the entity's own name. Raises CONTENT_TOO_LARGE."""
    check_text_size("The text in aliases", sum(map(len, aliases)))
    if any(not alias.strip() for alias in aliases):
        raise invalid_argument(ALIASES, "An alias is empty", "Use other names of the entity, or omit aliases.")
    if len(aliases) > MAX_ALIASES:
        raise invalid_argument(
            ALIASES, f"An entity would have {len(aliases):,} aliases", f"Use at most {MAX_ALIASES:,}."
        )
    same = next((alias for alias in aliases if name is not None and is_same_name(alias, name)), None)
    if same is not None:
        hint = "Omit it: the entity is found by its name, also in this spelling."
        raise invalid_argument(ALIASES, f"{quote(same)} is the name of the entity itself", hint)


def with_aliases(properties: Mapping[str, PropertyValue], name: str, more: Iterable[str]) -> dict[str, PropertyValue]:
    """Return the property `aliases` extended by the new names, or no property if the entity already has all of them."""
    known = aliases_of(properties)
    all_names = dict.fromkeys(alias for alias in (*known, *more) if alias.strip() and alias != name)
    if list(all_names) == known:
        return {}
    check_aliases(all_names)
    return aliases_property(all_names)


def aliases_property(names: Iterable[str]) -> dict[str, PropertyValue]:
    """Return the property for a list of aliases."""
    return {ALIASES: json.dumps(list(names), ensure_ascii=False)}
