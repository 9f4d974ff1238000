"""Searches for a question. Searches more widely if most of what is found is useless, such as repetitions of it."""

from __future__ import annotations

from graph_memory.memory.background import task_group
from graph_memory.memory.recall.questions.period_filter import restrict_to_begun, restrict_to_created
from graph_memory.memory.recall.questions.phrases import TimedQuestion
from graph_memory.memory.recall.questions.relevance import matching_units, repetitions, units_without_news
from graph_memory.memory.recall.request import RecallRequest
from graph_memory.memory.search.candidate_ranking import Ranking, rank_candidates
from graph_memory.memory.search.ranking.scoring import CANDIDATES
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.results import SearchMode
from graph_memory.memory.search.retrieval.retrieval import Scope

MAX_HITS = 100
_WIDENING = 4
_MAX_WIDTH = 1_600
"""Maximum number of passages per index query, if most of the passages are useless."""


async def rank_question(scope: Scope, request: RecallRequest, query: str, timed: TimedQuestion) -> list[Ranking]:
    """Search for the query, for the query within its period, and for the context's text. Return each ranking."""
    searches = [(scope, query)]
    if timed.period is not None:
        text = timed.text or query
        searches += [(restrict_to_created(scope, timed.period), text), (restrict_to_begun(scope, timed.period), text)]
    if request.context.text:
        searches.append((scope, request.context.text))
    rankings: dict[int, Ranking] = {}
    mode: SearchMode = "hybrid" if request.waits or scope.coverage.model is not None else "lexical"

    async def search(number: int, search_scope: Scope, text: str) -> None:
        search_request = Request(text, mode=mode, filters=search_scope.filters, max_results=MAX_HITS)
        width = CANDIDATES
        while True:
            ranking = rankings[number] = await rank_candidates(search_scope, search_request, width)
            if ranking.is_all or width >= _MAX_WIDTH:
                return
            useless = useless_units(ranking, text, is_asked=request.is_asked)
            if 2 * len(useless) < len(matching_units(ranking)):
                return
            width *= _WIDENING

    async with task_group() as tasks:
        for number, (search_scope, text) in enumerate(searches):
            tasks.start_soon(search, number, search_scope, text)
    return [rankings[number] for number in sorted(rankings)]


def useless_units(ranking: Ranking, query: str, *, is_asked: bool) -> frozenset[str]:
    """Return the units that are left out: repetitions of a question, or for a prompt all units without news."""
    return repetitions(ranking, query) if is_asked else units_without_news(ranking, query)
