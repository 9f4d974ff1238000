"""Recalls several domains. Each domain gets a share of the budget in proportion to its hits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.domains.multi_domain import merge_warnings
from graph_memory.memory.recall.memory_query import choose_depth
from graph_memory.memory.recall.recall import recall_domain
from graph_memory.memory.recall.request import RecallRequest
from graph_memory.memory.recall.results import QueryResult, RecallResult
from graph_memory.memory.search.multi_domain import check_as_of, merge_hits, search_each_domain
from graph_memory.memory.search.request import MIN_TOKENS, Filters, Request
from graph_memory.memory.search.results import SearchMode, SearchResult
from graph_memory.memory.search.token_budget import Count, load_counter, tokens_of
from graph_memory.model.errors import Code, GraphError

MAX_HITS = 20
"""Number of best hits, counted over all domains, that determine the shares."""
_DOMAIN_TOKENS = 12
"""Number of tokens that a domain takes in a structured reply, in addition to its name."""


async def memory_query_several(core: Core, domains: Sequence[str], request: RecallRequest) -> QueryResult:
    """Return stored text from several domains that answers a question. See `Recall.memory_query`."""
    depth, why = choose_depth(request.query or "")
    result = await recall_several(core, domains, request)
    return QueryResult(**result.model_dump(), why=f"{depth}: {why}.")


async def recall_several(core: Core, domains: Sequence[str], request: RecallRequest) -> RecallResult:
    """Return the recall of several domains. See `Recall`."""
    check_as_of(request.as_of)
    shares, unsearched = await _split_budget(core, domains, request)
    count = await anyio.to_thread.run_sync(load_counter)
    reply, missing = _MultiDomainReply(request, [*unsearched]), list[GraphError]()
    while shares:
        domain = max(shares, key=lambda name: shares[name])
        part = shares[domain] / fsum(shares.values())
        del shares[domain]
        room = (
            request.max_tokens - reply.tokens(reply.replies, count) - count(f"In domain {domain}:\n") - _DOMAIN_TOKENS
        )
        budget = min(room, max(MIN_TOKENS, int(room * part)))
        if budget < MIN_TOKENS:
            reply.without_room.append(domain)
            continue
        try:
            result, material = await recall_domain(core, domain, replace(request, max_tokens=budget))
        except GraphError as error:
            if error.code is not Code.NODE_NOT_FOUND:
                raise
            missing.append(error)  # the focus may be in another domain
            continue
        reply.add(domain, result, count, has_any=bool(material.items or material.lists))
    if missing and not reply.replies:
        raise missing[0]
    return reply.merge(count)


async def _split_budget(
    core: Core, domains: Sequence[str], request: RecallRequest
) -> tuple[dict[str, float], Sequence[SearchResult]]:
    """Return each domain's share of the token budget, and the search results of the domains without hits.

    Only domains with hits get a share. All shares are equal if there are no hits, no query or only one domain, or if
    the request has a focus.
    """
    equal_shares = dict.fromkeys(domains, 1.0)
    if request.query is None or request.focus or len(domains) == 1:
        return equal_shares, ()
    search = Request(
        query=request.query,
        max_results=MAX_HITS,
        filters=Filters(valid_at=request.valid_at),
        as_of=request.as_of,
    )
    results = await search_each_domain(core, domains, search)
    shares = dict.fromkeys(domains, 0.0)
    for hit in merge_hits(results)[:MAX_HITS]:
        shares[hit.domain or ""] += hit.score or 0.0
    shares_with_hits = {name: share for name, share in shares.items() if share > 0}
    if not shares_with_hits:
        return equal_shares, ()
    return shares_with_hits, [results[name] for name in domains if name not in shares_with_hits]


@dataclass(slots=True)
class _MultiDomainReply:
    """The replies of the domains that were recalled so far."""

    request: RecallRequest
    seen: list[RecallResult | SearchResult]
    """The results of all domains, from which the number of unindexed changes is computed."""
    replies: dict[str, RecallResult] = field(default_factory=dict[str, RecallResult])
    warnings: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    without_room: list[str] = field(default_factory=list[str])

    def add(self, domain: str, result: RecallResult, count: Count, *, has_any: bool) -> None:
        """Add the reply of a domain if it has content and fits the budget."""
        self.seen.append(result)
        self.warnings[domain] = result.warnings or ()
        if not has_any:
            return
        if self.tokens({**self.replies, domain: result}, count) > self.request.max_tokens:
            self.without_room.append(domain)
            return
        self.replies[domain] = result

    def content(self, replies: Mapping[str, RecallResult]) -> str | dict[str, Any]:
        if self.request.form == "structured":
            return {"domains": {domain: result.content for domain, result in replies.items()}} if replies else {}
        return "\n\n".join(f"In domain {domain}:\n{result.content}" for domain, result in replies.items())

    def tokens(self, replies: Mapping[str, RecallResult], count: Count) -> int:
        content = self.content(replies)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        return count(text) if replies else 0

    def merge(self, count: Count) -> RecallResult:
        results = [*self.replies.values()]
        modes: list[SearchMode] = [result.mode for result in results if result.mode]
        left_out = sum(result.left_out or 0 for result in results)
        warnings = list(merge_warnings(self.warnings) or ()) if self.replies else []
        if self.without_room:
            warnings.append(f"max_tokens is too small for domains {', '.join(self.without_room)}. Use a larger one.")
        elif not self.replies:
            warnings.append("Nothing was found.")
        reply = RecallResult(
            depth=self.request.depth,
            tokens_used=self.tokens(self.replies, count),
            content=self.content(self.replies),
            domains=tuple(self.replies) or None,
            mode="hybrid" if "hybrid" in modes else modes[0] if modes else None,
            period=next((result.period for result in results if result.period), None),
            shortened=sum(result.shortened or 0 for result in results) or None,
            left_out=left_out or None,
            how_to_get=next((result.how_to_get for result in results if result.how_to_get), None),
            not_covered=sum(result.not_covered or 0 for result in self.seen) or None,
            without_vectors=sum(result.without_vectors or 0 for result in self.seen) or None,
            warnings=tuple(warnings) or None,
        )
        over = tokens_of([reply]) - self.request.max_tokens
        return reply.model_copy(update={"over": over}) if over > 0 else reply
