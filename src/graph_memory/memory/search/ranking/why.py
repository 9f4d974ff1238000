"""Explains a hit: in a few words, and as the parts of its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from graph_memory.memory.search.ranking.ranking import RankedUnit, ScoreComponent
from graph_memory.memory.search.ranking.scoring import ScoredPassage
from graph_memory.memory.search.results import ScorePart
from graph_memory.memory.search.text.bm25 import Query
from graph_memory.model.text.wording import printable

DIGITS = 6
"""Number of decimals of a score and its parts. The rounded parts add up to the rounded score."""
_MAX_WORDS = 4


def rounded_score(ranked: RankedUnit) -> float:
    """Return the score as the sum of its rounded parts."""
    return round(fsum(round(part.value, DIGITS) for part in ranked.parts), DIGITS)


def explain_score(ranked: RankedUnit, scored: ScoredPassage | None, question: Query) -> tuple[ScorePart, ...]:
    """Return the rounded parts of a score, with details.

    The details of the word score list the score of each word in the passage and in its context. If the passage belongs
    to a long text, they also list the score of the whole text.
    """
    return tuple(
        ScorePart(name=part.name, value=round(part.value, DIGITS), detail=_detail(part, scored, question))
        for part in ranked.parts
    )


def describe_reasons(
    ranked: RankedUnit, scored: ScoredPassage | None, question: Query, titles: Mapping[str, str]
) -> str:
    """Return the reasons for a hit in a few words, strongest first."""
    lines = [
        _describe_part(part, scored, question, titles) for part in sorted(ranked.parts, key=lambda part: -part.value)
    ]
    return "; ".join(line for line in lines if line) or "found by the query"


def _describe_part(
    part: ScoreComponent, scored: ScoredPassage | None, question: Query, titles: Mapping[str, str]
) -> str:
    match part.name:
        case "lexical" if scored is not None and scored.points.index_score is None:
            return _describe_words(scored, question)
        case "semantic":
            cosine = part.detail.get("cosine")
            return f"close in meaning ({cosine:.2f})" if isinstance(cosine, float) else ""
        case "name":
            return f'its name "{printable(part.detail.get("name"))}" is in the question'
        case "hop":
            source = str(part.detail.get("from"))
            return f'"{printable(titles.get(source, source))}" mentions it'
        case _:
            return ""


def _describe_words(scored: ScoredPassage, question: Query) -> str:
    spelling_of_term = _spellings(question)
    own_words = _best_words(scored.points.own, spelling_of_term)
    context_words = [word for word in _best_words(scored.points.window, spelling_of_term) if word not in own_words]
    phrases = (("has", own_words), ("near", context_words))
    return "; ".join(f"{verb} {', '.join(words)}" for verb, words in phrases if words)


def _best_words(scores: Mapping[str, float], spelling_of_term: Mapping[str, str]) -> list[str]:
    single_terms = sorted((term for term in scores if term in spelling_of_term), key=lambda term: (-scores[term], term))
    return [spelling_of_term[term] for term in single_terms[:_MAX_WORDS]]


def _detail(part: ScoreComponent, scored: ScoredPassage | None, question: Query) -> dict[str, object]:
    rounded = {key: round(value, 4) if isinstance(value, float) else value for key, value in part.detail.items()}
    if part.name != "lexical" or scored is None or scored.points.index_score is not None:
        return rounded
    spelling_of_term = _spellings(question)
    whole_text_score = {} if scored.whole is None else {"whole_text": round(scored.whole, 4)}
    return {
        **rounded,
        **whole_text_score,
        "passage": _spell_scores(scored.points.own, spelling_of_term),
        "around": _spell_scores(scored.points.window, spelling_of_term),
    }


def _spell_scores(scores: Mapping[str, float], spelling_of_term: Mapping[str, str]) -> dict[str, float]:
    """Return scores by word or word pair, spelled as in the query, highest first."""
    ordered: Sequence[str] = sorted(scores, key=lambda term: (-scores[term], term))
    return {
        " ".join(spelling_of_term.get(part, part) for part in term.split()): round(scores[term], 4) for term in ordered
    }


def _spellings(question: Query) -> dict[str, str]:
    spelling_of_term: dict[str, str] = {}
    for word in question.words:
        spelling_of_term.setdefault(question.analyser.stem(word), word)
    return spelling_of_term
