"""Resolves ids and aliases to the names of entities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.changes.context import ROWS
from graph_memory.memory.entity_graph.entity_queries import names_of
from graph_memory.model.text.name_key import SEPARATORS, name_key, without_separators
from graph_memory.model.text.name_list import listed_names
from graph_memory.model.text.wording import listed_parts, quoted
from graph_memory.model.values.arguments import fault
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

_ESCAPED = re.compile(r"[\"\\\\\x00-\x1f\x7f]")
"""Characters that JSON escapes in a list of aliases."""
_READ = 2_000
"""Maximum number of entities that one statement returns."""


@dataclass(frozen=True, slots=True)
class OtherNameRow:
    """A text, and an entity that may have it as an alias."""

    given: str
    name: str
    aliases: str


OTHER_NAMES = query("entity_graph/other_names", OtherNameRow)


async def named_otherwise(
    reader: Reader, domain: str, given: Iterable[str], *, ends: bool = False
) -> Mapping[str, list[str]]:
    """Return the names of the entities that have a text as an alias, for texts that are not themselves names.

    With `ends`, the name of a node that is only an end of relations counts as a name.
    """
    rows = [{"name": each, "text": unescaped_part(without_separators(each))} for each in dict.fromkeys(given)]
    found: dict[str, list[str]] = {}
    for start in range(0, len(rows), ROWS):
        asked = {"rows": rows[start : start + ROWS], "ends": ends, "separators": list(SEPARATORS), "limit": _READ}
        for row in await reader.read(OTHER_NAMES, domain=domain, **asked):
            key = name_key(row.given)
            if any(name_key(name.strip()) == key for name in listed_names(row.aliases)):
                found.setdefault(row.given, []).append(row.name)
    return found


async def meant_by(reader: Reader, domain: str, given: Iterable[str], *, ends: bool = False) -> Mapping[str, str]:
    """Return the names of entities by their ids and aliases among the texts.

    Raises INVALID_ARGUMENT if an alias is ambiguous. With `ends`, the name of a node that is only an end of relations
    is not an alias either.
    """
    every = list(dict.fromkeys(given))
    by_id = await names_of(reader, domain, every)
    by_alias = await named_otherwise(reader, domain, [each for each in every if each not in by_id], ends=ends)
    return {**by_id, **{each: only_one(each, results) for each, results in by_alias.items()}}


def only_one(given: str, called: Sequence[str]) -> str:
    """Return the only entity with an alias. Raises INVALID_ARGUMENT if there are several."""
    if len(called) > 1:
        hint = f"Use one of these names: {listed_parts([quoted(one) for one in called])}."
        raise fault("name", f"{len(called)} entities have the alias {quoted(given)}", hint)
    return called[0]


def unescaped_part(text: str) -> str:
    """Return the longest part of a text that JSON leaves unescaped."""
    return max(_ESCAPED.split(text), key=len)
