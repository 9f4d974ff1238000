"""Runs a search: from the request to the reply."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import BEFORE_ALL, NEXT_EVENTS, resolve_revision, revision_of
from graph_memory.memory.graph.empty_result_warnings import unknown_types
from graph_memory.memory.graph.stored_type_names import stored_types
from graph_memory.memory.search.access_store import record_accesses
from graph_memory.memory.search.candidate_ranking import rank_candidates
from graph_memory.memory.search.index.coverage import Coverage, read_coverage
from graph_memory.memory.search.index.index import catch_up
from graph_memory.memory.search.reply import build_reply
from graph_memory.memory.search.request import Cursor, Filters, Request
from graph_memory.memory.search.results import SearchResult
from graph_memory.memory.search.retrieval.retrieval import Scope

Awaited = Literal["nothing", "words", "vectors"]
"""The part of the index that must be up to date before a search runs."""


async def search_and_count(core: Core, domain: str, request: Request) -> SearchResult:
    """Return the hits for a request. If it is about the current state, the hits count as uses of their nodes."""
    result = await search(core, domain, request)
    if request.as_of is None:
        record_accesses(core, domain, [hit.id for hit in result.hits if hit.kind == "node"])
    return result


async def search(core: Core, domain: str, request: Request) -> SearchResult:
    """Return the hits for a request in a domain. See `Recall`."""
    awaited: Awaited = "words" if request.mode == "lexical" else "vectors"
    scope = await scope_of(core, domain, request.filters, request.as_of, request.cursor, awaited=awaited)
    ranking = await rank_candidates(scope, request)
    if not ranking.ranked:
        is_before_all = scope.at is not None and scope.at <= 0
        types = request.filters.types
        reasons = [BEFORE_ALL] if is_before_all else await unknown_types(scope.core, scope.domain, types) or ()
        ranking = replace(ranking, notes=[*ranking.notes, *reasons])
    return await build_reply(scope, request, ranking)


async def scope_of(
    core: Core,
    domain: str,
    filters: Filters,
    as_of: int | str | None,
    cursor: Cursor | None = None,
    *,
    awaited: Awaited = "vectors",
) -> Scope:
    """Update the part of the index that `awaited` specifies, and return the scope of a search.

    The state of a branch before its fork is read from the log of its base domain.
    """
    types = await stored_types(core, domain, filters.types)
    filters = replace(filters, types=tuple(types or ()))
    if cursor is not None:
        revision = await revision_of(core.store, domain, cursor.seq)
    elif as_of is not None:
        revision = await resolve_revision(core.store, domain, "as_of", as_of)
    else:
        return Scope(core, domain, None, await _update_coverage(core, domain, awaited), filters, domain)
    coverage_of_index = await _update_coverage(core, revision.domain, awaited)
    rows = await core.store.read(NEXT_EVENTS, domain=revision.domain, numbers=[revision.seq])
    return Scope(core, revision.domain, revision.seq, coverage_of_index, filters, domain, rows[0].at if rows else None)


async def _update_coverage(core: Core, domain: str, awaited: Awaited) -> Coverage:
    if awaited == "nothing":
        return await read_coverage(core, domain)
    return await catch_up(core, domain, vectors=awaited == "vectors")
