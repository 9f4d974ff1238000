"""Observations about unresolved matters: "The venue is not decided yet", "waits for a reply"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from graph_memory.memory.search.candidate_ranking import rank_candidates
from graph_memory.memory.search.ranking.scoring import Passage, TermScores
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.model.subjects.kinds import Kind

_OPEN = re.compile(
    r"\b(?:not|nothing|nobody|no one|\w+n['’]t)\b[^.;!?]{0,80}\byet\b|\b(?:ha(?:s|ve)|is|are) yet to\b"
    r"|\b(?:not|n['’]t) (?:been )?(?:decided|settled|confirmed|clarified|clear|resolved)\b"
    r"|\b(?:still|left|remains?) (?:open|missing|to be \w+|has to|have to|needs?)\b"
    r"|\bto be (?:decided|confirmed|determined|announced|agreed|clarified)\b|\b(?:tbd|tbc|tba)\b"
    r"|\bnoch nicht\b|\b(?:noch|bleibt) offen\b|\bste(?:ht|hen) noch aus\b"
    r"|\bpas encore\b|\bà (?:décider|confirmer|définir|préciser)\b"
    r"|\b(?:todavía|aún) no\b|\b(?:por|sin) (?:decidir|confirmar|definir|resolver)\b"
    r"|\b(?:non (?:\w+ )?ancora|ancora non)\b|\bda (?:decidere|confermare|definire)\b",
    re.IGNORECASE,
)
_PENDING = re.compile(
    r"(?<!no longer )(?<!not )(?<!n't )\b(?:undecided|unresolved|unsettled|unanswered|unclear|awaiting|awaits"
    r"|pending|wait(?:s|ing)? (?:for|on)|blocked (?:by|on))\b"
    r"|(?<!nicht mehr )\b(?:ausstehend|unentschieden|ungeklärt|unklar|unbeantwortet|warte(?:t|n) (?:noch )?auf)\b"
    r"|\b(?:en attente|en suspens)\b|\bpendientes?\b|\ba la espera\b|\bin (?:attesa|sospeso)\b",
    re.IGNORECASE,
)
"""Words that mark a matter as open, unless its subject is negated."""
_NEGATED = re.compile(
    r"\b(?:no|nothing|none|nobody|nichts|niemand|kein\w*|rien|nada|niente)\b[^.;:!?,]*$", re.IGNORECASE
)
_BEFORE = 40
"""Maximum number of characters between the start of a negated subject and the word that marks it as open."""
_QUERY = (
    "yet undecided decided settled waiting awaiting pending confirmed clarified determined unresolved unanswered "
    "unclear clear tbd tbc tba open missing blocked noch offen ausstehend entschieden unentschieden ungeklärt unklar "
    "warten wartet encore attente suspens décider confirmer définir todavía aún pendiente espera decidir confirmar "
    "definir ancora attesa sospeso decidere confermare"
)
"""The query that finds sentences about unresolved matters in the index."""
_HITS = 100


@dataclass(frozen=True, slots=True)
class OpenSentences:
    """The observations about unresolved matters, keyed by node, and their passages' scores, keyed by passage key."""

    passages: Mapping[str, list[Passage]] = field(default_factory=dict[str, list[Passage]])
    points: Mapping[str, TermScores] = field(default_factory=dict[str, TermScores])


def is_about_open_matter(text: str) -> bool:
    """Return whether a sentence is about an unresolved matter, in one of five languages."""
    if _OPEN.search(text) is not None:
        return True
    starts = (match.start() for match in _PENDING.finditer(text))
    return any(_NEGATED.search(text, max(start - _BEFORE, 0), start) is None for start in starts)


async def find_open_sentences(scope: Scope) -> OpenSentences:
    """Return the current observations about unresolved matters, best first."""
    hits = await rank_candidates(scope, Request(_QUERY, mode="lexical", filters=scope.filters, max_results=_HITS))
    scored_passages = [
        scored
        for scored in hits.scored.values()
        if scored.passage.owner_kind == Kind.OBSERVATION and is_about_open_matter(scored.passage.text)
    ]
    passages: dict[str, list[Passage]] = {}
    for scored in sorted(scored_passages, key=lambda scored: -scored.points.lexical):
        passages.setdefault(scored.passage.unit, []).append(scored.passage)
    return OpenSentences(passages, {scored.passage.key: scored.points for scored in scored_passages})
