"""A search of several domains: each by itself, then all hits on one scale.

A domain's scores are parts of the best that it has, so the best of a domain in which nothing fits would stand beside
the best of all. The parts are measured anew, by the best of all domains. How rare a word is, is asked of each domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

import anyio
import anyio.to_thread

from graph_memory.memory.background import task_group
from graph_memory.memory.core import Core
from graph_memory.memory.domains.multi_domain import together
from graph_memory.memory.search.access_store import note
from graph_memory.memory.search.ranking.why import DIGITS
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.results import Hit, Part, SearchMode, SearchResult
from graph_memory.memory.search.search import search
from graph_memory.memory.search.token_budget import LENGTHS, fit_whole, tokens_of
from graph_memory.model.errors import Hint
from graph_memory.model.values.arguments import fault

AT_ONCE = 4
"""Domains that are searched at the same time."""
_SIDES = {"lexical": "score", "semantic": "cosine"}
_FACTORS = frozenset({"place", "length", "edges", "recency", "use"})


async def search_several(core: Core, domains: Sequence[str], request: Request) -> SearchResult:
    """Return what a request finds in several domains, best first. `Recall` tells the rest."""
    results = await searched(core, domains, request)
    joined = await anyio.to_thread.run_sync(_joined, results, request)
    if request.as_of is None:
        for domain in domains:
            note(core, domain, [hit.id for hit in joined.hits if hit.domain == domain and hit.kind == "node"])
    return joined


async def searched(core: Core, domains: Sequence[str], request: Request) -> dict[str, SearchResult]:
    """Return what a request finds in each of some domains. Raises INVALID_ARGUMENT for what only one can answer."""
    check_of_several(request.as_of)
    if request.cursor is not None:
        hint = Hint("Give a larger {max_results}, up to 100.")
        raise fault("cursor", "A search of several domains has no next page", hint)
    asked = replace(request, scores=True, explanation=True, max_tokens=None)
    results: dict[str, SearchResult] = {}
    limiter = anyio.Semaphore(AT_ONCE)

    async def look(domain: str) -> None:
        async with limiter:
            results[domain] = await search(core, domain, asked)

    await look(domains[0])  # the others find the vector of the question made
    async with task_group() as tasks:
        for domain in domains[1:]:
            tasks.start_soon(look, domain)
    return {domain: results[domain] for domain in domains}


def check_of_several(as_of: int | str | None) -> None:
    """Raise INVALID_ARGUMENT for a point of one log, where several are read."""
    if isinstance(as_of, int) or (as_of is not None and (as_of.isdecimal() or as_of.startswith("evt_"))):
        raise fault("as_of", f"{as_of} is a point of one domain's log", "For several domains, give a time.")


def _joined(results: Mapping[str, SearchResult], request: Request) -> SearchResult:
    """Return the hits of several domains as one reply."""
    hits = in_one_order(results)[: request.max_results]

    def shown(stage: int, count: int) -> list[Hit]:
        return [_shown(hit, request, LENGTHS[stage]) for hit in hits[:count]]

    telling = {domain: result for domain, result in results.items() if result.found} or results
    warnings = together({domain: result.warnings or () for domain, result in telling.items()})

    def made(kept: Sequence[Hit], beside: int = 2, *, tokens: int | None = None) -> SearchResult:
        modes: list[SearchMode] = [result.mode for result in results.values()]
        analysers = {result.analyser for result in results.values()}
        return SearchResult(
            hits=tuple(kept),
            mode="hybrid" if "hybrid" in modes else modes[0],
            found=sum(result.found for result in results.values()),
            domains=tuple(results) if beside > 1 else None,
            not_covered=sum(result.not_covered or 0 for result in results.values()) or None,
            without_vectors=sum(result.without_vectors or 0 for result in results.values()) or None,
            left_out=len(hits) - len(kept) or None,
            analyser=analysers.pop() if len(analysers) == 1 else None,
            tokens=tokens,
            warnings=warnings if beside > 0 else None,
        )

    if (most := request.max_tokens) is None:
        return made(shown(0, len(hits)))
    reply = made(())
    for beside in (2, 1, 0):  # what is told beside the hits gives way to them

        def tokens(some: Sequence[Hit], beside: int = beside) -> int:
            return tokens_of([made(some, beside, tokens=most)])

        kept = fit_whole(shown, len(LENGTHS), len(hits), most, tokens)
        reply = made(kept, beside, tokens=tokens(kept))
        if kept:
            break
    return reply


def in_one_order(found: Mapping[str, SearchResult]) -> list[Hit]:
    """Return the hits of all domains, best first; what only follows from hits comes after all of them."""
    bests = {domain: _Bests.of(result.hits) for domain, result in found.items()}
    best = _Bests(
        max((best.lexical for best in bests.values()), default=0.0),
        max((best.semantic for best in bests.values()), default=0.0),
    )
    hits: list[Hit] = []
    for domain, one in found.items():
        hits += _rescaled(domain, one.hits, bests[domain].part_of(best))
    return sorted(hits, key=lambda hit: (hit.score is None, -(hit.score or 0.0)))


@dataclass(frozen=True, slots=True)
class _Bests:
    """The score of words and the cosine of which those of hits are parts."""

    lexical: float
    semantic: float

    @classmethod
    def of(cls, hits: Iterable[Hit]) -> _Bests:
        """Return those of hits with their explanations."""
        parts = [part for hit in hits for part in hit.explanation or ()]
        return cls(**{side: _best(parts, side, measure) for side, measure in _SIDES.items()})

    def part_of(self, best: _Bests) -> dict[str, float]:
        """Return what the parts of scores are multiplied with so that they are parts of the best of all."""
        pairs = {"lexical": (self.lexical, best.lexical), "semantic": (self.semantic, best.semantic)}
        return {side: own / most for side, (own, most) in pairs.items() if most > 0}


def _best(parts: Iterable[Part], side: str, measure: str) -> float:
    pairs = [
        (shown, value)
        for part in parts
        if part.name == side
        and isinstance(value := part.detail.get(measure), float | int)
        and isinstance(shown := part.detail.get("of_best"), float | int)
        and shown > 0
    ]
    shown, value = max(pairs, default=(1.0, 0.0))  # that which was rounded least
    return value / shown


def _rescaled(domain: str, hits: Sequence[Hit], scale: Mapping[str, float]) -> list[Hit]:
    """Return hits of a domain with the parts of their scores on the scale of all."""
    changed = {hit.id: _parts(hit.explanation or (), scale) for hit in hits}
    before = {hit.id: _own(hit.explanation or ()) for hit in hits}
    for hit in hits:  # what another passes on is as much as that has
        changed[hit.id] = [_passed_on(part, changed, before, scale) for part in changed[hit.id]]
    told: list[Hit] = []
    for hit in hits:
        score = None if hit.score is None else round(fsum(part.value for part in changed[hit.id]), DIGITS)
        told.append(hit.model_copy(update={"domain": domain, "score": score, "explanation": tuple(changed[hit.id])}))
    return told


def _parts(parts: Sequence[Part], scale: Mapping[str, float]) -> list[Part]:
    sides = {part.name: part.value for part in parts if part.name in scale}
    before, after = fsum(sides.values()), fsum(value * scale[name] for name, value in sides.items())
    factor = after / before if before else 1.0
    return [_times(part, scale.get(part.name, factor if part.name in _FACTORS else 1.0)) for part in parts]


def _passed_on(
    part: Part, changed: Mapping[str, Sequence[Part]], before: Mapping[str, float], scale: Mapping[str, float]
) -> Part:
    if part.name != "hop":
        return part
    source = str(part.detail.get("from"))
    if before.get(source):
        return _times(part, min(_own(changed[source]) / before[source], 1.0))
    return _times(part, max(scale.values(), default=1.0))


def _own(parts: Iterable[Part]) -> float:
    """Return what a hit has by itself, and passes on a part of."""
    return fsum(part.value for part in parts if part.name != "hop")


def _times(part: Part, factor: float) -> Part:
    return part if factor == 1.0 else part.model_copy(update={"value": round(part.value * factor, DIGITS)})


def _shown(hit: Hit, request: Request, length: int) -> Hit:
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
