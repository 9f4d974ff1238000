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
"""Maximum number of names that a name is compared with."""
_MIN_SEARCHABLE = 3
"""Minimum number of characters that the text index can search for."""
_SHORT_LENGTH = 8
"""Maximum number of characters of a name that is compared with all short names with the same beginning."""
_DEFAULT_HINT = Hint("{search_nodes|recall} finds names.", " {create_entities|remember} makes an entity.")

LENIENT = Hint(
    "{how}", " A relation with relationType in place of type may lead to a name without entity.", how=_DEFAULT_HINT
)
"""The hint for an end of a relation."""


async def entity_not_found(reader: Reader, domain: str, name: str, how: str = _DEFAULT_HINT) -> GraphError:
    """Return the error for a name that no entity has, with the most similar name."""
    return not_found(name, Hint("{near}", "{how}", near=await ask_for_name(reader, domain, name), how=how))


async def with_near_name(reader: Reader, domain: str, error: GraphError, how: str = _DEFAULT_HINT) -> GraphError:
    """Return the error. If it is about a name that no entity has, the most similar name is added."""
    name = error.details.get("name") if error.code is Code.NODE_NOT_FOUND else None
    return await entity_not_found(reader, domain, name, how) if isinstance(name, str) else error


async def ask_for_name(reader: Reader, domain: str, name: str) -> str:
    """Return "Did you mean …" with the only name that contains all words of `name`, otherwise the most similar name.

    The text is empty if no name is similar.
    """
    results = await near_names(reader, domain, name)
    words = frozenset(WORD.findall(fold_entity_text(name)))
    with_all_words = [
        candidate for candidate in results if words and words <= frozenset(WORD.findall(fold_entity_text(candidate)))
    ]
    near = with_all_words[0] if len(with_all_words) == 1 else nearest(name, with_all_words or results)
    return did_you_mean([] if near is None else [quote(near)])


async def near_names(reader: Reader, domain: str, name: str) -> list[str]:
    """Return up to 1,000 entity names that contain all words of `name`, otherwise a part of it, otherwise any names."""
    results = await names_with_words(reader, domain, name)
    first = max(WORD.findall(fold_entity_text(name)), key=len, default="")
    for part in (first[:6], first[:3]):
        if not results and len(part) >= _MIN_SEARCHABLE:
            results = await reader.read(NEAR, domain=domain, text=part, others=[], limit=_MAX_NAMES)
    if not results and len(name) <= _SHORT_LENGTH:
        arguments = {"firsts": first_characters(name), "longest": 2 * _SHORT_LENGTH, "limit": _MAX_NAMES}
        results = await reader.read(SHORT_NAMES, domain=domain, **arguments)
    return results or await reader.read(SOME_NAMES, domain=domain, limit=_MAX_NAMES)


async def names_with_words(reader: Reader, domain: str, name: str) -> list[str]:
    """Return the names of up to 1,000 entities whose name, aliases or type contain all words of `name`."""
    first, *others = sorted(WORD.findall(fold_entity_text(name)), key=len, reverse=True) or [""]
    if len(first) < _MIN_SEARCHABLE:
        return []
    return await reader.read(NEAR, domain=domain, text=first, others=others, limit=_MAX_NAMES)


def check_current(name: str, ended: datetime | None) -> None:
    """Raise INVALID_ARGUMENT if an entity has ended, since no observations can be added to it."""
    if ended is not None:
        hint = Hint("Name a current entity.", " To reopen this one, use {set_validity} with its id and valid_to: open.")
        message = f"Entity {quote(name)} ended at {rfc3339(ended)}, so it takes no observations"
        raise invalid_argument("name", message, hint)


def not_found(name: str, hint: str = _DEFAULT_HINT) -> GraphError:
    """Return the error for a name that no entity has, in the wording of the official memory server."""
    return GraphError(Code.NODE_NOT_FOUND, f"Entity with name {name} not found", {"name": name, "hint": hint})
