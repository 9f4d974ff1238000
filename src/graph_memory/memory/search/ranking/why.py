"""Why something was found: in a few words, and as the parts of its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from graph_memory.memory.search.ranking.ranking import Part as Scores
from graph_memory.memory.search.ranking.ranking import Ranked
from graph_memory.memory.search.ranking.scoring import Scored
from graph_memory.memory.search.results import Part
from graph_memory.memory.search.text.bm25 import Query
from graph_memory.model.text.wording import shown

DIGITS = 6
"""Decimals of a score and of its parts, so that they add up as they are shown."""
_MOST_WORDS = 4


def total(ranked: Ranked) -> float:
    """Return the score, which is the sum of its parts as they are shown."""
    return round(fsum(round(part.value, DIGITS) for part in ranked.parts), DIGITS)


def parts(ranked: Ranked, scored: Scored | None, question: Query) -> tuple[Part, ...]:
    """Return the parts of a score; of that of its words, what each word gave in the passage and around it."""
    return tuple(
        Part(name=part.name, value=round(part.value, DIGITS), detail=_detail(part, scored, question))
        for part in ranked.parts
    )


def why(ranked: Ranked, scored: Scored | None, question: Query, titles: Mapping[str, str]) -> str:
    """Return in a few words what speaks for it, the most telling first."""
    lines = [_told(part, scored, question, titles) for part in sorted(ranked.parts, key=lambda part: -part.value)]
    return "; ".join(line for line in lines if line) or "found by the query"


def _told(part: Scores, scored: Scored | None, question: Query, titles: Mapping[str, str]) -> str:
    match part.name:
        case "lexical" if scored is not None and scored.points.given is None:
            return _words(scored, question)
        case "semantic":
            cosine = part.detail.get("cosine")
            return f"close in meaning ({cosine:.2f})" if isinstance(cosine, float) else ""
        case "name":
            return f'its name "{shown(part.detail.get("name"))}" is in the question'
        case "hop":
            source = str(part.detail.get("from"))
            return f'"{shown(titles.get(source, source))}" mentions it'
        case _:
            return ""


def _words(scored: Scored, question: Query) -> str:
    """Return the words that count most, those of the passage and those that only stand around it."""
    written = _written(question)
    own = _best(scored.points.own, written)
    near = [word for word in _best(scored.points.window, written) if word not in own]
    lines = [f"has {', '.join(own)}"] if own else []
    return "; ".join([*lines, *([f"near {', '.join(near)}"] if near else [])])


def _best(scores: Mapping[str, float], written: Mapping[str, str]) -> list[str]:
    single = sorted((term for term in scores if term in written), key=lambda term: (-scores[term], term))
    return [written[term] for term in single[:_MOST_WORDS]]


def _detail(part: Scores, scored: Scored | None, question: Query) -> dict[str, object]:
    rounded = {key: round(value, 4) if isinstance(value, float) else value for key, value in part.detail.items()}
    if part.name != "lexical" or scored is None or scored.points.given is not None:
        return rounded
    written = _written(question)
    return {**rounded, "passage": _shown(scored.points.own, written), "around": _shown(scored.points.window, written)}


def _shown(scores: Mapping[str, float], written: Mapping[str, str]) -> dict[str, float]:
    """Return what words and pairs of words gave, as the question writes them, the most first."""
    ordered: Sequence[str] = sorted(scores, key=lambda term: (-scores[term], term))
    return {" ".join(written.get(part, part) for part in term.split()): round(scores[term], 4) for term in ordered}


def _written(question: Query) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in question.words:
        found.setdefault(question.analyser.stem(word), word)
    return found
