"""Searches several domains: searches each domain separately, then rescales the hits' scores to one scale.

Scores within a domain are relative to its best hit. Without rescaling, the best hit of a domain without relevant hits
would rank as high as the best hit of all domains. Scores are therefore rescaled by the best scores of all domains. The
rarity of a word is measured per domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import fsum

import anyio
import anyio.to_thread

from graph_memory.memory.background import task_group
from graph_memory.memory.core import Core
from graph_memory.memory.domains.multi_domain import merge_warnings
from graph_memory.memory.search.access_store import record_accesses
from graph_memory.memory.search.ranking.why import DIGITS
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.results import Hit, ScorePart, SearchMode, SearchResult
from graph_memory.memory.search.search import search
from graph_memory.memory.search.token_budget import LENGTHS, fit_whole, tokens_of
from graph_memory.model.errors import Hint
from graph_memory.model.values.arguments import invalid_argument

AT_ONCE = 4
"""Maximum number of domains that are searched concurrently."""
_MEASURE_BY_KIND = {"lexical": "score", "semantic": "cosine"}
"""For each kind of score, the key of the unscaled score in the details of a hit's explanation."""
_PROPORTIONAL_PARTS = frozenset({"place", "length", "edges", "recency", "use", "source"})
"""The parts of a score that are proportional to the word and vector scores."""


async def search_domains(core: Core, domains: Sequence[str], request: Request) -> SearchResult:
    """Return the hits for a request in several domains, best first. See `Recall`."""
    results = await search_each_domain(core, domains, request)
    merged = await anyio.to_thread.run_sync(_merge_results, results, request)
    if request.as_of is None:
        for domain in domains:
            record_accesses(
                core, domain, [hit.id for hit in merged.hits if hit.domain == domain and hit.kind == "node"]
            )
    return merged


async def search_each_domain(core: Core, domains: Sequence[str], request: Request) -> dict[str, SearchResult]:
    """Return the result for each domain. Raises INVALID_ARGUMENT if the request needs a single domain."""
    check_as_of(request.as_of)
    if request.cursor is not None:
        hint = Hint("Use a larger {max_results}, up to 100.")
        raise invalid_argument("cursor", "A search of several domains has no pages", hint)
    explained_request = replace(request, scores=True, explanation=True, max_tokens=None)
    results: dict[str, SearchResult] = {}
    limiter = anyio.Semaphore(AT_ONCE)

    async def search_one(domain: str) -> None:
        async with limiter:
            results[domain] = await search(core, domain, explained_request)

    await search_one(domains[0])  # the others reuse its query vector
    async with task_group() as tasks:
        for domain in domains[1:]:
            tasks.start_soon(search_one, domain)
    return {domain: results[domain] for domain in domains}


def check_as_of(as_of: int | str | None) -> None:
    """Raise INVALID_ARGUMENT if `as_of` is an event id or log number, because these belong to one domain."""
    if isinstance(as_of, int) or (as_of is not None and (as_of.isdecimal() or as_of.startswith("evt_"))):
        raise invalid_argument(
            "as_of", f"as_of {as_of} is a position in one domain's log", "To read several domains, pass a time."
        )


def _merge_results(results: Mapping[str, SearchResult], request: Request) -> SearchResult:
    hits = merge_hits(results)[: request.max_results]

    def trim_hits(stage: int, count: int) -> list[Hit]:
        return [_trim_hit(hit, request, LENGTHS[stage]) for hit in hits[:count]]

    results_with_hits = {domain: result for domain, result in results.items() if result.found} or results
    warnings = merge_warnings({domain: result.warnings or () for domain, result in results_with_hits.items()})

    def make_result(fitting_hits: Sequence[Hit], extras: int = 2, *, tokens: int | None = None) -> SearchResult:
        modes: list[SearchMode] = [result.mode for result in results.values()]
        analysers = {result.analyser for result in results.values()}
        return SearchResult(
            hits=tuple(fitting_hits),
            mode="hybrid" if "hybrid" in modes else modes[0],
            found=sum(result.found for result in results.values()),
            domains=tuple(results) if extras > 1 else None,
            not_covered=sum(result.not_covered or 0 for result in results.values()) or None,
            without_vectors=sum(result.without_vectors or 0 for result in results.values()) or None,
            left_out=len(hits) - len(fitting_hits) or None,
            analyser=analysers.pop() if len(analysers) == 1 else None,
            tokens=tokens,
            warnings=warnings if extras > 0 else None,
        )

    if (max_tokens := request.max_tokens) is None:
        return make_result(trim_hits(0, len(hits)))
    reply = make_result(())
    for extras in (2, 1, 0):  # hits take precedence over warnings and the domain list

        def count_tokens(fitting_hits: Sequence[Hit], extras: int = extras) -> int:
            return tokens_of([make_result(fitting_hits, extras, tokens=max_tokens)])

        fitting_hits = fit_whole(trim_hits, len(LENGTHS), len(hits), max_tokens, count_tokens)
        reply = make_result(fitting_hits, extras, tokens=count_tokens(fitting_hits))
        if fitting_hits:
            break
    return reply


def merge_hits(results: Mapping[str, SearchResult]) -> list[Hit]:
    """Return the hits of all domains, best first. Connected nodes have no score, and come last."""
    best_by_domain = {
        domain: {kind: _best_score(result.hits, kind) for kind in _MEASURE_BY_KIND}
        for domain, result in results.items()
    }
    overall_best = {
        kind: max((best[kind] for best in best_by_domain.values()), default=0.0) for kind in _MEASURE_BY_KIND
    }
    hits: list[Hit] = []
    for domain, domain_result in results.items():
        factor_by_kind = {kind: best_by_domain[domain][kind] / best for kind, best in overall_best.items() if best > 0}
        hits += _rescale(domain, domain_result.hits, factor_by_kind)
    return sorted(hits, key=lambda hit: (hit.score is None, -(hit.score or 0.0)))


def _best_score(hits: Sequence[Hit], kind: str) -> float:
    """Return the best word score or cosine in a domain. The scores of the domain's hits are relative to it."""
    pairs = [
        (share, value)
        for hit in hits
        for part in hit.explanation or ()
        if part.name == kind
        and isinstance(value := part.detail.get(_MEASURE_BY_KIND[kind]), float | int)
        and isinstance(share := part.detail.get("of_best"), float | int)
        and share > 0
    ]
    share, value = max(pairs, default=(1.0, 0.0))  # the largest part has the smallest rounding error
    return value / share


def _rescale(domain: str, hits: Sequence[Hit], factor_by_kind: Mapping[str, float]) -> list[Hit]:
    """Return a domain's hits with scores on the scale of all domains."""
    parts = {hit.id: _rescale_parts(hit.explanation or (), factor_by_kind) for hit in hits}
    own_scores = {hit.id: _own_score(hit.explanation or ()) for hit in hits}
    for hit in hits:  # the hop part scales with the score of its source
        parts[hit.id] = [_rescale_hop(part, parts, own_scores, factor_by_kind) for part in parts[hit.id]]
    rescaled: list[Hit] = []
    for hit in hits:
        score = None if hit.score is None else round(fsum(part.value for part in parts[hit.id]), DIGITS)
        rescaled.append(hit.model_copy(update={"domain": domain, "score": score, "explanation": tuple(parts[hit.id])}))
    return rescaled


def _rescale_parts(parts: Sequence[ScorePart], factor_by_kind: Mapping[str, float]) -> list[ScorePart]:
    value_by_kind = {part.name: part.value for part in parts if part.name in factor_by_kind}
    before = fsum(value_by_kind.values())
    after = fsum(value * factor_by_kind[kind] for kind, value in value_by_kind.items())
    factor = after / before if before else 1.0
    return [
        _multiply(part, factor_by_kind.get(part.name, factor if part.name in _PROPORTIONAL_PARTS else 1.0))
        for part in parts
    ]


def _rescale_hop(
    part: ScorePart,
    parts: Mapping[str, Sequence[ScorePart]],
    own_scores: Mapping[str, float],
    factor_by_kind: Mapping[str, float],
) -> ScorePart:
    if part.name != "hop":
        return part
    source = str(part.detail.get("from"))
    if own_scores.get(source):
        return _multiply(part, min(_own_score(parts[source]) / own_scores[source], 1.0))
    return _multiply(part, max(factor_by_kind.values(), default=1.0))


def _own_score(parts: Iterable[ScorePart]) -> float:
    """Return the hit's own score, without scores passed on from other hits."""
    return fsum(part.value for part in parts if part.name != "hop")


def _multiply(part: ScorePart, factor: float) -> ScorePart:
    return part if factor == 1.0 else part.model_copy(update={"value": round(part.value * factor, DIGITS)})


def _trim_hit(hit: Hit, request: Request, length: int) -> Hit:
    passage = hit.passage
    is_cut = passage is not None and len(passage) > length
    return hit.model_copy(
        update={
            "score": hit.score if request.scores else None,
            "explanation": hit.explanation if request.explanation else None,
            "passage": f"{passage[: length - 1]}…" if is_cut and passage else passage,
            "range": None if is_cut else hit.range,
        }
    )
