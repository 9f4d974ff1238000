"""Reads the current observations of an entity. If there are many, reads only those most similar to the given texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.search.text.analysers import ANALYSERS
from graph_memory.memory.statements.language.folding import fold_text
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.memory.statements.statement_verdict import MAX_LENGTH, CurrentObservation
from graph_memory.memory.statements.values.literals import folded_text
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

MAX_COMPARED = 500
"""Number of observations of an entity above which a text is compared only with the most similar observations."""
MAX_SIMILAR = 60
"""Maximum number of observations that a text is compared with if an entity has more than `MAX_COMPARED`."""
_MAX_WORDS = 6
"""Maximum number of words of a text that are used to search for similar observations."""
_MAX_PARTS = 4
"""Maximum number of words of a text that are used to preselect candidates for an equal text."""
_SHORTEST, _STEM = 3, 6
"""Minimum number of characters of a searched word, and the number of characters to which longer words are cut."""
_WORD = re.compile(r"[^\W_]+")
_SPACES = tuple(character for character in map(chr, range(0x3001)) if character.isspace())

CURRENT = query("entities/current", CurrentObservation)
SIMILAR = query("entities/alike", CurrentObservation)
OBSERVATION_COUNT = query("entities/observed_count", int)


@dataclass(frozen=True, slots=True)
class CachedObservations:
    """The observations of an entity at a log position. They stay valid while the log is at this position."""

    node: str
    seq: int
    known: Sequence[CurrentObservation]


async def current_of(reader: Reader, domain: str, node: str, texts: Sequence[str]) -> Sequence[CurrentObservation]:
    """Return the current observations of an entity in order of creation.

    If there are more than `MAX_COMPARED`, returns, for each of `texts`, only the observations that are equal to it or
    share the most words with it.
    """
    counts = await reader.read(OBSERVATION_COUNT, domain=domain, node=node)
    if sum(counts) <= MAX_COMPARED:
        return await reader.read(CURRENT, domain=domain, node=node)
    rows = [{**equal_text_parameters(text), "words": words_of(text)} for text in dict.fromkeys(texts)]
    return await reader.read(SIMILAR, domain=domain, node=node, rows=rows, spaces=_SPACES, most=MAX_SIMILAR)


async def has_observations(reader: Reader, domain: str, node: str) -> bool:
    """Return whether a node has observations, including ended ones."""
    return sum(await reader.read(OBSERVATION_COUNT, domain=domain, node=node)) > 0


def equal_text_parameters(text: str) -> Mapping[str, Sequence[str]]:
    """Return the query parameters for finding equal texts: the longest words, and the spellings without spaces."""
    parts = sorted(set(folded_text(text).split()), key=lambda part: (-len(part), part))
    written = "".join(folded_text(text).split())
    return {"parts": parts[:_MAX_PARTS], "written": [written, f"{written}."]}


def words_of(text: str) -> list[str]:
    """Return the word prefixes that are used to search for similar statements, longest words first.

    Returns an empty list for a text of more than `MAX_LENGTH` characters.
    """
    if len(text) > MAX_LENGTH:
        return []
    language = language_of(text)
    lowered = unicodedata.normalize("NFC", text).lower()
    if not language.has_spaces_between_words:
        return list(dict.fromkeys(term for term in ANALYSERS["cjk"].terms(lowered) if term))[:_MAX_WORDS]
    words = [word for word in _WORD.findall(lowered) if fold_text(word) not in language.common_words]
    prefixes = dict.fromkeys(word[:_STEM] for word in sorted(words, key=len, reverse=True) if len(word) >= _SHORTEST)
    return list(prefixes)[:_MAX_WORDS]
