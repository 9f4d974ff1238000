"""Runs the searches for a question.

If most of the results are useless, such as repetitions of the question, it widens the search.
"""

from __future__ import annotations

from graph_memory.memory.background import task_group
from graph_memory.memory.recall.questions.period_filter import restrict_to_created, restrict_to_valid_from
from graph_memory.memory.recall.questions.phrases import TimedQuestion
from graph_memory.memory.recall.questions.relevance import matching_units, units_repeating_question, units_without_news
from graph_memory.memory.recall.request import RecallRequest
from graph_memory.memory.search.candidate_ranking import Ranking, rank_candidates
from graph_memory.memory.search.ranking.scoring import CANDIDATES
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.results import SearchMode
from graph_memory.memory.search.retrieval.retrieval import Scope

MAX_HITS = 100
_ENOUGH = 40
"""Number of useful results above which a wider search does not improve recall (docs/benchmarks.md)."""
_WIDENING = 4
_MAX_WIDTH = 1_600
"""Maximum number of passages per index query, if most of the passages are useless."""


async def rank_question(scope: Scope, request: RecallRequest, query: str, timed: TimedQuestion) -> list[Ranking]:
    """Return the rankings of up to four searches: for the query, twice within its period, and for the context."""
    searches = [(scope, query)]
    if timed.period is not None:
        text = timed.text or query
        searches += [
            (restrict_to_created(scope, timed.period), text),
            (restrict_to_valid_from(scope, timed.period), text),
        ]
    if request.context.text:
        searches.append((scope, request.context.text))
    rankings: dict[int, Ranking] = {}
    mode: SearchMode = "hybrid" if request.waits_for_index or scope.coverage.model is not None else "lexical"

    async def search(number: int, search_scope: Scope, text: str) -> None:
        search_request = Request(text, mode=mode, filters=search_scope.filters, max_results=_ENOUGH)
        width = CANDIDATES
        while True:
            ranking = rankings[number] = await rank_candidates(search_scope, search_request, width)
            if ranking.is_all or width >= _MAX_WIDTH:
                return
            useless = units_to_exclude(ranking, text, is_asked=request.is_asked)
            if len(matching_units(ranking) - useless) >= _ENOUGH:
                return
            width *= _WIDENING

    async with task_group() as tasks:
        for number, (search_scope, text) in enumerate(searches):
            tasks.start_soon(search, number, search_scope, text)
    return [rankings[number] for number in sorted(rankings)]


def units_to_exclude(ranking: Ranking, query: str, *, is_asked: bool) -> frozenset[str]:
    """Return the units to exclude: repetitions of the question, or unhelpful units if the reader did not ask."""
    return units_repeating_question(ranking, query) if is_asked else units_without_news(ranking, query)
