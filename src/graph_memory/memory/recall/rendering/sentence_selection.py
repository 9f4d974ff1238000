"""Selects sentences from a text that does not fit as a whole."""

from __future__ import annotations

from graph_memory.memory.recall.rendering.wording import CUT
from graph_memory.memory.search.passages.prose import prose_units
from graph_memory.memory.search.ranking.excerpts import choose_excerpt
from graph_memory.memory.search.text.bm25 import Query
from graph_memory.memory.search.token_budget import Count, RemainingTokens

FIRST = 1.5
"""Value of the first sentence, which introduces the others. A word of the question in a sentence has the value 1."""
_CHARACTERS = 4
"""Approximate number of characters per token."""
_MOST_SENTENCES = 200
_FEWEST = 25
"""Minimum number of tokens of a useful part of a text. With fewer tokens, the title and the connections are more
useful.
"""


def select_sentences(text: str, question: Query, room: int, count: Count) -> str:
    """Return the sentences most relevant to the question, within `room` tokens, or an empty string if none fits.

    The sentences keep the order of the text, with a mark in place of omitted ones.
    """
    if room < _FEWEST:
        return ""
    sentences = [text[unit.start : unit.end].strip() for unit in prose_units(text, 0, len(text))][:_MOST_SENTENCES]
    query_terms = frozenset(question.terms)
    values = [
        len(query_terms.intersection(question.analyser.terms(sentence)))
        + (FIRST if place == 0 else 0.0)
        - place / 1_000
        for place, sentence in enumerate(sentences)
    ]
    best, budget = sorted(range(len(sentences)), key=lambda number: -values[number]), RemainingTokens(count, room - 2)
    selected_places = [place for place in best if budget.deduct(count(sentences[place]) + 2)]
    if not selected_places:
        return _excerpt_of(text, question, room, count)
    return _join_sentences(sentences, sorted(selected_places))


def _join_sentences(sentences: list[str], places: list[int]) -> str:
    parts: list[str] = []
    for number, place in enumerate(places):
        if place > (places[number - 1] + 1 if number else 0):
            parts.append(CUT)
        parts.append(sentences[place])
    if places[-1] < len(sentences) - 1:
        parts.append(CUT)
    return " ".join(parts)


def _excerpt_of(text: str, question: Query, room: int, count: Count) -> str:
    """Return an excerpt of at most `room` tokens from a text in which every sentence is too long."""
    characters = room * _CHARACTERS
    while characters >= _CHARACTERS:
        part = choose_excerpt(text, question, characters).text
        if count(part) <= room:
            return part
        characters = characters * 3 // 4
    return ""
