"""Error messages and suggestions for names that no entity has."""

from __future__ import annotations

from datetime import datetime

from graph_memory.memory.entity_graph.values.spelling import WORD
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.subjects.subjects import fold_entity_text
from graph_memory.model.text.name_key import first_characters
from graph_memory.model.text.wording import did_you_mean, nearest, quote
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

NEAR = query("entity_graph/near", str)
SOME_NAMES = query("entity_graph/some_names", str)
SHORT_NAMES = query("entity_graph/short_names", str)
_MAX_NAMES = 1_000
"""Maximum number of stored names that a name is compared with."""
_MIN_SEARCHABLE = 3
"""Minimum number of characters for a search in the text index."""
_SHORT_LENGTH = 8
"""Maximum length of a name that is compared with all short names with the same first character."""
_DEFAULT_HINT = Hint("Find names with {search_nodes|recall}.", " Create an entity with {create_entities|remember}.")

LENIENT = Hint("{how}", " To relate a name that no entity has, pass relationType instead of type.", how=_DEFAULT_HINT)
"""The hint of the error for a relation's missing endpoint."""


async def entity_not_found_error(reader: Reader, domain: str, name: str, how: str = _DEFAULT_HINT) -> GraphError:
    """Return the error for a name that no entity has. Its hint suggests the most similar name."""
    return official_not_found_error(
        name, Hint("{near}", "{how}", near=await ask_for_name(reader, domain, name), how=how)
    )


async def with_near_name(reader: Reader, domain: str, error: GraphError, how: str = _DEFAULT_HINT) -> GraphError:
    """Return the error. If it is about a name that no entity has, its hint suggests the most similar name."""
    name = error.details.get("name") if error.code is Code.NODE_NOT_FOUND else None
    return await entity_not_found_error(reader, domain, name, how) if isinstance(name, str) else error


async def ask_for_name(reader: Reader, domain: str, name: str) -> str:
    """Return the question "Did you mean …?" with a similar name, or an empty string if there is none.

    If exactly one name contains all words of `name`, that name is suggested, otherwise the most similar name.
    """
    results = await near_names(reader, domain, name)
    words = frozenset(WORD.findall(fold_entity_text(name)))
    with_all_words = [
        candidate for candidate in results if words and words <= frozenset(WORD.findall(fold_entity_text(candidate)))
    ]
    near = with_all_words[0] if len(with_all_words) == 1 else nearest(name, with_all_words or results)
    return did_you_mean([] if near is None else [quote(near)])


async def near_names(reader: Reader, domain: str, name: str) -> list[str]:
    """Return up to 1,000 entity names that contain all words of `name`.

    If there are none, returns names that contain a prefix of its longest word, else short names with the same first
    character, else any names.
    """
    results = await names_with_words(reader, domain, name)
    longest_word = max(WORD.findall(fold_entity_text(name)), key=len, default="")
    for beginning in (longest_word[:6], longest_word[:3]):
        if not results and len(beginning) >= _MIN_SEARCHABLE:
            results = await reader.read(NEAR, domain=domain, text=beginning, others=[], limit=_MAX_NAMES)
    if not results and len(name) <= _SHORT_LENGTH:
        arguments = {"firsts": first_characters(name), "longest": 2 * _SHORT_LENGTH, "limit": _MAX_NAMES}
        results = await reader.read(SHORT_NAMES, domain=domain, **arguments)
    return results or await reader.read(SOME_NAMES, domain=domain, limit=_MAX_NAMES)


async def names_with_words(reader: Reader, domain: str, name: str) -> list[str]:
    """Return the names of up to 1,000 entities whose names, aliases or types contain all words of `name`."""
    first, *others = sorted(WORD.findall(fold_entity_text(name)), key=len, reverse=True) or [""]
    if len(first) < _MIN_SEARCHABLE:
        return []
    return await reader.read(NEAR, domain=domain, text=first, others=others, limit=_MAX_NAMES)


def check_current(name: str, ended: datetime | None) -> None:
    """Raise INVALID_ARGUMENT if an entity has ended, because observations cannot be added to it."""
    if ended is not None:
        reopen = " To make this entity current again, use {set_validity} with its id and valid_to: open."
        hint = Hint("Use the name of a current entity.", reopen)
        message = f"Entity {quote(name)} ended at {rfc3339(ended)}, so no observations can be added to it"
        raise invalid_argument("name", message, hint)


def official_not_found_error(name: str, hint: str = _DEFAULT_HINT) -> GraphError:
    """Return the error for a name that no entity has, in the wording of the official memory server."""
    return GraphError(Code.NODE_NOT_FOUND, f"Entity with name {name} not found", {"name": name, "hint": hint})
