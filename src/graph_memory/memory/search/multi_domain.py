"""Searches several domains: first each domain separately, then the scores of all hits are put on one scale.

Scores within a domain are relative to its best hit. So an irrelevant best hit of one domain would rank beside the best
hit of all. Therefore scores are rescaled by the best scores of all domains. The rarity of a word is measured per
domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

import anyio
import anyio.to_thread

from graph_memory.memory.background import task_group
from graph_memory.memory.core import Core
from graph_memory.memory.domains.multi_domain import merge_warnings
from graph_memory.memory.search.access_store import note
from graph_memory.memory.search.ranking.why import DIGITS
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.results import Hit, Part, SearchMode, SearchResult
from graph_memory.memory.search.search import search
from graph_memory.memory.search.token_budget import LENGTHS, fit_whole, tokens_of
from graph_memory.model.errors import Hint
from graph_memory.model.values.arguments import invalid_argument

AT_ONCE = 4
"""Maximum number of domains that are searched at the same time."""
_SIDES = {"lexical": "score", "semantic": "cosine"}
_FACTORS = frozenset({"place", "length", "edges", "recency", "use", "source"})


async def search_domains(core: Core, domains: Sequence[str], request: Request) -> SearchResult:
    """Return the hits for a request in several domains, best first. See `Recall`."""
    results = await search_each_domain(core, domains, request)
    merged = await anyio.to_thread.run_sync(_merge_results, results, request)
    if request.as_of is None:
        for domain in domains:
            note(core, domain, [hit.id for hit in merged.hits if hit.domain == domain and hit.kind == "node"])
    return merged


async def search_each_domain(core: Core, domains: Sequence[str], request: Request) -> dict[str, SearchResult]:
    """Return the result for each domain. Raises INVALID_ARGUMENT if the request needs a single domain."""
    check_as_of(request.as_of)
    if request.cursor is not None:
        hint = Hint("Use a larger {max_results}, up to 100.")
        raise invalid_argument("cursor", "A search of several domains has no next page", hint)
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
    """Raise INVALID_ARGUMENT if a point in time is an event id or log position, which only one domain has."""
    if isinstance(as_of, int) or (as_of is not None and (as_of.isdecimal() or as_of.startswith("evt_"))):
        raise invalid_argument(
            "as_of", f"{as_of} is a point in one domain's log", "Use a time to read several domains."
        )


def _merge_results(results: Mapping[str, SearchResult], request: Request) -> SearchResult:
    hits = merge_hits(results)[: request.max_results]

    def trim_hits(stage: int, count: int) -> list[Hit]:
        return [_trim_hit(hit, request, LENGTHS[stage]) for hit in hits[:count]]

    nonempty = {domain: result for domain, result in results.items() if result.found} or results
    warnings = merge_warnings({domain: result.warnings or () for domain, result in nonempty.items()})

    def make_result(fitting: Sequence[Hit], extras: int = 2, *, tokens: int | None = None) -> SearchResult:
        modes: list[SearchMode] = [result.mode for result in results.values()]
        analysers = {result.analyser for result in results.values()}
        return SearchResult(
            hits=tuple(fitting),
            mode="hybrid" if "hybrid" in modes else modes[0],
            found=sum(result.found for result in results.values()),
            domains=tuple(results) if extras > 1 else None,
            not_covered=sum(result.not_covered or 0 for result in results.values()) or None,
            without_vectors=sum(result.without_vectors or 0 for result in results.values()) or None,
            left_out=len(hits) - len(fitting) or None,
            analyser=analysers.pop() if len(analysers) == 1 else None,
            tokens=tokens,
            warnings=warnings if extras > 0 else None,
        )

    if (max_tokens := request.max_tokens) is None:
        return make_result(trim_hits(0, len(hits)))
    reply = make_result(())
    for extras in (2, 1, 0):  # hits take precedence over warnings and the domain list

        def tokens(fitting: Sequence[Hit], extras: int = extras) -> int:
            return tokens_of([make_result(fitting, extras, tokens=max_tokens)])

        fitting = fit_whole(trim_hits, len(LENGTHS), len(hits), max_tokens, tokens)
        reply = make_result(fitting, extras, tokens=tokens(fitting))
        if fitting:
            break
    return reply


def merge_hits(results: Mapping[str, SearchResult]) -> list[Hit]:
    """Return the hits of all domains, best first. Hits that were only reached from other hits come last."""
    bests = {domain: _Bests.of(result.hits) for domain, result in results.items()}
    best = _Bests(
        max((best.lexical for best in bests.values()), default=0.0),
        max((best.semantic for best in bests.values()), default=0.0),
    )
    hits: list[Hit] = []
    for domain, domain_result in results.items():
        hits += _rescale(domain, domain_result.hits, bests[domain].factors_of(best))
    return sorted(hits, key=lambda hit: (hit.score is None, -(hit.score or 0.0)))


@dataclass(frozen=True, slots=True)
class _Bests:
    """The best word score and cosine in a domain. The scores of its hits are relative to them."""

    lexical: float
    semantic: float

    @classmethod
    def of(cls, hits: Iterable[Hit]) -> _Bests:
        parts = [part for hit in hits for part in hit.explanation or ()]
        return cls(**{side: _best(parts, side, measure) for side, measure in _SIDES.items()})

    def factors_of(self, best: _Bests) -> dict[str, float]:
        """Return a factor for each part of a score. It makes the part relative to the best of all domains."""
        pairs = {"lexical": (self.lexical, best.lexical), "semantic": (self.semantic, best.semantic)}
        return {side: value / best_value for side, (value, best_value) in pairs.items() if best_value > 0}


def _best(parts: Iterable[Part], side: str, measure: str) -> float:
    pairs = [
        (share, value)
        for part in parts
        if part.name == side
        and isinstance(value := part.detail.get(measure), float | int)
        and isinstance(share := part.detail.get("of_best"), float | int)
        and share > 0
    ]
    share, value = max(pairs, default=(1.0, 0.0))  # the largest part has the smallest rounding error
    return value / share


def _rescale(domain: str, hits: Sequence[Hit], scale: Mapping[str, float]) -> list[Hit]:
    """Return a domain's hits with scores on the common scale."""
    parts = {hit.id: _rescale_parts(hit.explanation or (), scale) for hit in hits}
    own_scores = {hit.id: _own_score(hit.explanation or ()) for hit in hits}
    for hit in hits:  # the part for a hop scales with the score of its source
        parts[hit.id] = [_rescale_hop(part, parts, own_scores, scale) for part in parts[hit.id]]
    rescaled: list[Hit] = []
    for hit in hits:
        score = None if hit.score is None else round(fsum(part.value for part in parts[hit.id]), DIGITS)
        rescaled.append(hit.model_copy(update={"domain": domain, "score": score, "explanation": tuple(parts[hit.id])}))
    return rescaled


def _rescale_parts(parts: Sequence[Part], scale: Mapping[str, float]) -> list[Part]:
    sides = {part.name: part.value for part in parts if part.name in scale}
    before, after = fsum(sides.values()), fsum(value * scale[name] for name, value in sides.items())
    factor = after / before if before else 1.0
    return [_multiply(part, scale.get(part.name, factor if part.name in _FACTORS else 1.0)) for part in parts]


def _rescale_hop(
    part: Part, parts: Mapping[str, Sequence[Part]], own_scores: Mapping[str, float], scale: Mapping[str, float]
) -> Part:
    if part.name != "hop":
        return part
    source = str(part.detail.get("from"))
    if own_scores.get(source):
        return _multiply(part, min(_own_score(parts[source]) / own_scores[source], 1.0))
    return _multiply(part, max(scale.values(), default=1.0))


def _own_score(parts: Iterable[Part]) -> float:
    """Return a hit's own score. It passes on a share of it to the nodes that it mentions."""
    return fsum(part.value for part in parts if part.name != "hop")


def _multiply(part: Part, factor: float) -> Part:
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
