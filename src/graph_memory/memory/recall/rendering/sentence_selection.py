"""Selects sentences from a text that does not fit as a whole."""

from __future__ import annotations

from graph_memory.memory.recall.rendering.wording import CUT
from graph_memory.memory.search.passages.prose import prose_units
from graph_memory.memory.search.ranking.excerpts import excerpt
from graph_memory.memory.search.text.bm25 import Query
from graph_memory.memory.search.token_budget import Count, Room

FIRST = 1.5
"""Value of the first sentence, in words of the question, because it introduces the others."""
_CHARACTERS = 4
"""Approximate number of characters of a token."""
_MOST_SENTENCES = 200
_FEWEST = 25
"""Minimum number of tokens of a useful part of a text. With fewer, the title and its connections are better."""


def select_sentences(text: str, question: Query, room: int, count: Count) -> str:
    """Return the sentences that fit the question best, within `room` tokens, or an empty text if there is no room.

    The sentences keep the order of the text, with a mark in place of omitted ones.
    """
    if room < _FEWEST:
        return ""
    sentences = [text[unit.start : unit.end].strip() for unit in prose_units(text, 0, len(text))][:_MOST_SENTENCES]
    wanted = frozenset(question.terms)
    values = [
        len(wanted.intersection(question.analyser.terms(sentence))) + (FIRST if place == 0 else 0.0) - place / 1_000
        for place, sentence in enumerate(sentences)
    ]
    best, left = sorted(range(len(sentences)), key=lambda number: -values[number]), Room(count, room - 2)
    kept = [place for place in best if left.take(count(sentences[place]) + 2)]
    return _join_sentences(sentences, sorted(kept)) if kept else _part(text, question, room, count)


def _join_sentences(sentences: list[str], kept: list[int]) -> str:
    parts: list[str] = []
    for number, place in enumerate(kept):
        if place > (kept[number - 1] + 1 if number else 0):
            parts.append(CUT)
        parts.append(sentences[place])
    if kept[-1] < len(sentences) - 1:
        parts.append(CUT)
    return " ".join(parts)


def _part(text: str, question: Query, room: int, count: Count) -> str:
    """Return a part of a text in which no sentence is short enough."""
    characters = room * _CHARACTERS
    while characters >= _CHARACTERS:
        part = excerpt(text, question, characters).text
        if count(part) <= room:
            return part
        characters = characters * 3 // 4
    return ""
