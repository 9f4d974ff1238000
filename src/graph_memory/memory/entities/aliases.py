"""Reads and writes the aliases of an entity. The property `aliases` contains them as a JSON list."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from graph_memory.model.subjects.subjects import user_properties
from graph_memory.model.text.name_key import is_same_name
from graph_memory.model.text.name_list import listed_names, name_list
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import PropertyValue, check_text_size

ALIASES = "aliases"
MAX_ALIASES = 1_000
"""Maximum number of aliases per entity. A lookup by name compares them all."""


def aliases_of(properties: Mapping[str, PropertyValue]) -> list[str]:
    """Return the aliases of an entity without duplicates."""
    return list(dict.fromkeys(name.strip() for name in listed_names(properties.get(ALIASES)) if name.strip()))


def split_aliases(stored: Mapping[str, object]) -> tuple[tuple[str, ...], dict[str, PropertyValue]]:
    """Split the properties of a stored entity into its aliases and its other properties. The name is dropped."""
    properties = user_properties(stored)
    del properties["name"]
    aliases = tuple(aliases_of(properties))
    if aliases:
        del properties[ALIASES]
    return aliases, properties


def check_aliases(aliases: Collection[str], name: str | None = None) -> None:
    """Raise INVALID_ARGUMENT if an alias is blank or equals `name`, or if there are too many aliases.

    Raises CONTENT_TOO_LARGE if the aliases together are too long.
    """
    check_text_size("The text in aliases", sum(map(len, aliases)))
    if any(not alias.strip() for alias in aliases):
        raise invalid_argument(ALIASES, "An alias is empty", "Remove the empty alias, or omit aliases.")
    if len(aliases) > MAX_ALIASES:
        raise invalid_argument(
            ALIASES, f"The entity would have {len(aliases):,} aliases", f"Use at most {MAX_ALIASES:,}."
        )
    same_alias = next((alias for alias in aliases if name is not None and is_same_name(alias, name)), None)
    if same_alias is not None:
        hint = "Omit the alias: a search for the name also finds this spelling."
        raise invalid_argument(ALIASES, f"The alias {quote(same_alias)} equals the name of the entity", hint)


def with_aliases(properties: Mapping[str, PropertyValue], name: str, more: Iterable[str]) -> dict[str, PropertyValue]:
    """Return the property `aliases` with the names in `more` added, or an empty mapping if it already has them."""
    known_names = aliases_of(properties)
    all_names = dict.fromkeys(alias for alias in (*known_names, *more) if alias.strip() and alias != name)
    if list(all_names) == known_names:
        return {}
    check_aliases(all_names)
    return aliases_property(all_names)


def aliases_property(names: Iterable[str]) -> dict[str, PropertyValue]:
    """Return the property `aliases` that stores these names."""
    return {ALIASES: name_list(names)}
