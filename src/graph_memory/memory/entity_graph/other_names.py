"""Resolves ids and aliases to the names of entities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.changes.context import ROWS
from graph_memory.memory.entity_graph.entity_queries import names_of
from graph_memory.model.text.name_key import SEPARATORS, name_key, without_separators
from graph_memory.model.text.name_list import listed_names
from graph_memory.model.text.wording import join_parts, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

_ESCAPED = re.compile(r"[\"\\\\\x00-\x1f\x7f]")
"""The characters that are escaped in a JSON list of aliases."""
_MAX_ROWS = 2_000
"""Maximum number of entities returned by one statement."""


@dataclass(frozen=True, slots=True)
class OtherNameRow:
    """A text, and the name and stored aliases of an entity that may have the text as an alias."""

    alias: str
    name: str
    aliases: str


OTHER_NAMES = query("entity_graph/other_names", OtherNameRow)


async def names_by_alias(
    reader: Reader, domain: str, texts: Iterable[str], *, ends: bool = False
) -> Mapping[str, list[str]]:
    """Return the names of the entities that have a text as an alias, keyed by text. Texts that are names are omitted.

    If `ends` is true, names of nodes that are only endpoints of relations also count as names.
    """
    rows = [{"name": text, "text": unescaped_part(without_separators(text))} for text in dict.fromkeys(texts)]
    names: dict[str, list[str]] = {}
    for start in range(0, len(rows), ROWS):
        parameters = {
            "rows": rows[start : start + ROWS],
            "ends": ends,
            "separators": list(SEPARATORS),
            "limit": _MAX_ROWS,
        }
        for row in await reader.read(OTHER_NAMES, domain=domain, **parameters):
            key = name_key(row.alias)
            if any(name_key(name.strip()) == key for name in listed_names(row.aliases)):
                names.setdefault(row.alias, []).append(row.name)
    return names


async def names_by_reference(
    reader: Reader, domain: str, texts: Iterable[str], *, ends: bool = False
) -> Mapping[str, str]:
    """Return the entity's name for each text that is an entity's id or alias.

    Raises INVALID_ARGUMENT if several entities have a text as an alias. If `ends` is true, names of nodes that are only
    endpoints of relations are not looked up as aliases.
    """
    distinct = list(dict.fromkeys(texts))
    by_id = await names_of(reader, domain, distinct)
    by_alias = await names_by_alias(reader, domain, [text for text in distinct if text not in by_id], ends=ends)
    return {**by_id, **{text: only_name(text, results) for text, results in by_alias.items()}}


def only_name(alias: str, names: Sequence[str]) -> str:
    """Return the name of the only entity with this alias. Raises INVALID_ARGUMENT if several entities have it."""
    if len(names) > 1:
        hint = f"Pass one of these names: {join_parts([quote(name) for name in names])}."
        raise invalid_argument("name", f"{len(names)} entities have the alias {quote(alias)}", hint)
    return names[0]


def unescaped_part(text: str) -> str:
    """Return the longest part of the text without characters that JSON escapes."""
    return max(_ESCAPED.split(text), key=len)
