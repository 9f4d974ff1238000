"""A recall of several domains: each in a part of the budget, as much as it has of what is asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.domains.multi_domain import together
from graph_memory.memory.recall.memory_query import depth_of
from graph_memory.memory.recall.recall import recalled
from graph_memory.memory.recall.request import RecallRequest
from graph_memory.memory.recall.results import QueryResult, RecallResult
from graph_memory.memory.search.multi_domain import check_as_of, merge_hits, search_each_domain
from graph_memory.memory.search.request import MIN_TOKENS, Filters, Request
from graph_memory.memory.search.results import SearchMode, SearchResult
from graph_memory.memory.search.token_budget import Count, load_counter, tokens_of
from graph_memory.model.errors import Code, GraphError

LOOKED_AT = 20
"""Hits of all domains that say how much each of them gets."""
_ROOM = 12
"""Tokens beside its name that a domain takes in a structured reply."""


async def memory_query_several(core: Core, domains: Sequence[str], request: RecallRequest) -> QueryResult:
    """Return the stored text that answers a question in several domains. See `Recall.memory_query`."""
    depth, why = depth_of(request.query or "")
    found = await recall_several(core, domains, request)
    return QueryResult(**found.model_dump(), why=f"{depth}: {why}.")


async def recall_several(core: Core, domains: Sequence[str], request: RecallRequest) -> RecallResult:
    """Return what several domains know. `Recall` tells the rest."""
    check_as_of(request.as_of)
    shares, aside = await _shares(core, domains, request)
    count = await anyio.to_thread.run_sync(load_counter)
    telling, missing = _Telling(request, [*aside]), list[GraphError]()
    while shares:
        domain = max(shares, key=lambda name: shares[name])
        part = shares[domain] / fsum(shares.values())
        del shares[domain]
        room = telling.room_for(domain, count)
        budget = min(room, max(MIN_TOKENS, int(room * part)))
        if budget < MIN_TOKENS:
            telling.without_room.append(domain)
            continue
        try:
            found, material = await recalled(core, domain, replace(request, max_tokens=budget))
        except GraphError as error:
            if error.code is not Code.NODE_NOT_FOUND:
                raise
            missing.append(error)  # what is in focus is in another
            continue
        telling.add(domain, found, count, has_any=bool(material.things or material.lists))
    if missing and not telling.replies:
        raise missing[0]
    return telling.reply(count)


async def _shares(
    core: Core, domains: Sequence[str], request: RecallRequest
) -> tuple[dict[str, float], Sequence[SearchResult]]:
    """Return how much each domain has of what is asked for, and what was found of the index of those that have nothing.

    It is all the same where there are no words to ask with, or only one domain.
    """
    alike = dict.fromkeys(domains, 1.0)
    if request.query is None or request.focus or len(domains) == 1:
        return alike, ()
    search = Request(
        query=request.query,
        max_results=LOOKED_AT,
        filters=Filters(valid_at=request.valid_at),
        as_of=request.as_of,
    )
    found = await search_each_domain(core, domains, search)
    shares = dict.fromkeys(domains, 0.0)
    for hit in merge_hits(found)[:LOOKED_AT]:
        shares[hit.domain or ""] += hit.score or 0.0
    having = {name: share for name, share in shares.items() if share > 0}
    return (having, [found[name] for name in domains if name not in having]) if having else (alike, ())


@dataclass(slots=True)
class _Telling:
    """What was told of domains up to now."""

    request: RecallRequest
    seen: list[RecallResult | SearchResult]
    """All that tells how much of the domains the index lacks."""
    replies: dict[str, RecallResult] = field(default_factory=dict[str, RecallResult])
    warnings: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    without_room: list[str] = field(default_factory=list[str])

    def room_for(self, domain: str, count: Count) -> int:
        """Return how many tokens are left for what one more domain tells."""
        return self.request.max_tokens - self.tokens(self.replies, count) - count(f"In domain {domain}:\n") - _ROOM

    def add(self, domain: str, found: RecallResult, count: Count, *, has_any: bool) -> None:
        """Add what a domain told, if it told anything and there is room."""
        self.seen.append(found)
        self.warnings[domain] = found.warnings or ()
        if not has_any:
            return
        if self.tokens({**self.replies, domain: found}, count) > self.request.max_tokens:
            self.without_room.append(domain)
            return
        self.replies[domain] = found

    def content(self, replies: Mapping[str, RecallResult]) -> str | dict[str, Any]:
        """Return what domains told, each under its name."""
        if self.request.form == "structured":
            return {"domains": {domain: one.content for domain, one in replies.items()}} if replies else {}
        return "\n\n".join(f"In domain {domain}:\n{one.content}" for domain, one in replies.items())

    def tokens(self, replies: Mapping[str, RecallResult], count: Count) -> int:
        """Return how many tokens that takes."""
        content = self.content(replies)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        return count(text) if replies else 0

    def reply(self, count: Count) -> RecallResult:
        """Return all of it as one reply."""
        found = [*self.replies.values()]
        modes: list[SearchMode] = [one.mode for one in found if one.mode]
        left_out = sum(one.left_out or 0 for one in found)
        warnings = list(together(self.warnings) or ()) if self.replies else []
        if self.without_room:
            warnings.append(f"There was no room for domains: {', '.join(self.without_room)}.")
        elif not self.replies:
            warnings.append("Nothing was found.")
        reply = RecallResult(
            depth=self.request.depth,
            tokens_used=self.tokens(self.replies, count),
            content=self.content(self.replies),
            domains=tuple(self.replies) or None,
            mode="hybrid" if "hybrid" in modes else modes[0] if modes else None,
            period=next((one.period for one in found if one.period), None),
            shortened=sum(one.shortened or 0 for one in found) or None,
            left_out=left_out or None,
            how_to_get=next((one.how_to_get for one in found if one.how_to_get), None),
            not_covered=sum(one.not_covered or 0 for one in self.seen) or None,
            without_vectors=sum(one.without_vectors or 0 for one in self.seen) or None,
            warnings=tuple(warnings) or None,
        )
        over = tokens_of([reply]) - self.request.max_tokens
        return reply.model_copy(update={"over": over}) if over > 0 else reply
