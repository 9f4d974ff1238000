"""A search, from the question to the reply."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import BEFORE_ALL, NEXT_EVENTS, place_at, place_of
from graph_memory.memory.graph.empty_result_warnings import unknown_types
from graph_memory.memory.graph.stored_type_names import stored_types
from graph_memory.memory.search.access_store import note
from graph_memory.memory.search.candidate_ranking import find
from graph_memory.memory.search.index.coverage import Coverage, coverage
from graph_memory.memory.search.index.index import catch_up
from graph_memory.memory.search.reply import reply
from graph_memory.memory.search.request import Cursor, Filters, Request
from graph_memory.memory.search.results import SearchResult
from graph_memory.memory.search.retrieval.retrieval import Scope

Awaited = Literal["nothing", "words", "vectors"]
"""What is indexed before an answer: nobody waits for what is not looked at."""


async def search_and_count(core: Core, domain: str, request: Request) -> SearchResult:
    """Return what a request finds, for somebody: nodes that are given as they are now count as used."""
    result = await search(core, domain, request)
    if request.as_of is None:
        note(core, domain, [hit.id for hit in result.hits if hit.kind == "node"])
    return result


async def search(core: Core, domain: str, request: Request) -> SearchResult:
    """Return what a request finds in a domain. `Recall` tells the rest."""
    awaited: Awaited = "words" if request.mode == "lexical" else "vectors"
    scope = await scope_of(core, domain, request.filters, request.as_of, request.cursor, awaited=awaited)
    ranking = await find(scope, request)
    notes = [] if ranking.ranked else await _reasons(scope, request)
    return await reply(scope, request, replace(ranking, notes=[*ranking.notes, *notes]))


async def _reasons(scope: Scope, request: Request) -> list[str]:
    """Return why nothing was found, as far as the question tells."""
    if scope.at is not None and scope.at <= 0:
        return [BEFORE_ALL]
    return list(await unknown_types(scope.core, scope.domain, request.filters.types) or ())


async def scope_of(
    core: Core,
    domain: str,
    filters: Filters,
    as_of: int | str | None,
    cursor: Cursor | None = None,
    *,
    awaited: Awaited = "vectors",
) -> Scope:
    """Return where to search, and with what: what was before a fork is in the domain that the branch was made from."""
    types = await stored_types(core, domain, filters.types)
    filters = replace(filters, types=tuple(types or ()))
    if cursor is not None:
        place = await place_of(core.store, domain, cursor.seq)
    elif as_of is not None:
        place = await place_at(core.store, domain, "as_of", as_of)
    else:
        return Scope(core, domain, None, await _covered(core, domain, awaited), filters, domain)
    covered = await _covered(core, place.domain, awaited)
    rows = await core.store.read(NEXT_EVENTS, domain=place.domain, numbers=[place.seq])
    return Scope(core, place.domain, place.seq, covered, filters, domain, rows[0].at if rows else None)


async def _covered(core: Core, domain: str, awaited: Awaited) -> Coverage:
    if awaited == "nothing":
        return await coverage(core, domain)
    return await catch_up(core, domain, vectors=awaited == "vectors")
