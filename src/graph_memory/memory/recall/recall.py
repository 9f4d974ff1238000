"""A recall, from what is asked to the reply."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import anyio.to_thread

from graph_memory.memory.background import task_group
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import BEFORE_ALL
from graph_memory.memory.recall.guide import GUIDE, IN_SHORT
from graph_memory.memory.recall.questions.changed_things import since_of
from graph_memory.memory.recall.questions.open_work import is_closed, mentions_open_work, work_facts
from graph_memory.memory.recall.questions.phrases import asks_of_past, says_nothing
from graph_memory.memory.recall.questions.relevance import (
    NEAREST_TOKENS,
    NOTHING_ELSE_FITS,
    NOTHING_FITS,
    close_values,
    nearest_values,
)
from graph_memory.memory.recall.questions.seeds import Seeds, favoured, seeds_of
from graph_memory.memory.recall.recall_queries import is_empty, recent, type_counts
from graph_memory.memory.recall.rendering.prose import LEAST, Count, Packed, packed
from graph_memory.memory.recall.rendering.recall_input import Material, Thing
from graph_memory.memory.recall.rendering.structured import structured
from graph_memory.memory.recall.rendering.wording import LABEL, flat
from graph_memory.memory.recall.request import MOST_TOKENS, RecallRequest
from graph_memory.memory.recall.results import Depth, RecallResult
from graph_memory.memory.recall.selection.fact_selection import Web, grown, material_of, most_things
from graph_memory.memory.recall.selection.whole_domain import most_of_all, whole
from graph_memory.memory.search.access_store import most_used, note
from graph_memory.memory.search.request import MIN_TOKENS, Filters
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.search.search import Awaited, scope_of
from graph_memory.memory.search.token_budget import load_counter, tokens_of
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.subjects.subjects import SUMMARY
from graph_memory.model.text.wording import quoted
from graph_memory.storage.log.writing import utc_now

STEPS: dict[Depth, int] = {"shallow": 0, "medium": 1, "deep": 3}
"""How many connections away from what is found things are told of."""
LISTED = 10
"""Things that an overview names of each sort."""
SUMMARIES = 2
"""Summaries of sessions, the last ones, that an overview names."""
_TIMES = 3
"""Times as many nodes as are named are looked at: summaries are among those that are used most."""
_LOOKED_AT = 200
_BESIDE = 12
"""Tokens beside its text and time that an observation takes."""
_OTHERS = 400
"""Tokens that what else is told of a thing takes."""
_LONGER = 1.5
"""How much longer than others the observations may be that were not read."""
_AROUND = 2
"""Tokens of the brackets of a list, in which replies are counted."""
_OVER = 5
"""Tokens that take the place where a reply says how much it is over."""


async def recall(core: Core, domain: str, request: RecallRequest) -> RecallResult:
    """Return what a memory knows. `Recall` tells the rest."""
    found, _ = await guided(core, domain, request)
    return found


async def guided(core: Core, domain: str, request: RecallRequest) -> tuple[RecallResult, Material]:
    """Return what `recalled` does; of a domain that does not exist yet how to work with it, and that there is none."""
    try:
        return await recalled(core, domain, request)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        nothing = RecallResult(depth=request.depth, tokens_used=0, content="", warnings=(error.message,))
        return await anyio.to_thread.run_sync(_guiding, nothing, request), Material()


async def recalled(core: Core, domain: str, request: RecallRequest) -> tuple[RecallResult, Material]:
    """Return a reply, and the material of which it tells."""
    now = utc_now()
    query = request.query or ""
    filters = Filters(valid_at=request.valid_at, ended=asks_of_past(query, now) and not mentions_open_work(query))
    scope = await scope_of(core, domain, filters, request.as_of, awaited=_awaited(request))
    since, request = await since_of(scope, request)
    if since is not None and not request.focus and (request.query is None or says_nothing(request.query)):
        seeds, material = Seeds(period=since.period), Material()
    elif request.depth == "shallow":
        seeds, material = await _overview(scope, request, now)
    else:
        seeds = await seeds_of(scope, request, now, since and since.period)
        is_wide = request.is_for_all or (request.depth == "deep" and request.query is None)
        most = most_of_all(request.max_tokens) if is_wide else most_things(request.max_tokens)
        web = await grown(scope, seeds, STEPS[request.depth], most if is_wide and request.focus else 0)
        if request.query is not None:
            web = _narrowed(web, seeds, request)
        if request.is_for_all:
            web, notes = await whole(scope, web, most)
            seeds.notes.extend(notes)
        material = await material_of(scope, seeds, web, most, now, has_texts=seeds.fits)
        if not seeds.fits and material.things:
            named = [replace(thing, facts=(), when="") for thing in material.things]
            lists = [("Nearest, which may be unrelated", named)]
            nothing_fits = NOTHING_ELSE_FITS if request.follows_lines else NOTHING_FITS
            material = replace(material, things=(), lists=lists, note=nothing_fits)
        if request.focus and request.depth == "deep":
            seeds.notes.extend(_beyond(web, seeds, material))
    if since is not None:
        material = replace(material, changes=await since.changes(scope, seeds.asked or seeds.values))
    reply, told = await anyio.to_thread.run_sync(_fitting, scope, request, seeds, material)
    if not told and request.as_of is None and await is_empty(core, domain):
        reply = await anyio.to_thread.run_sync(_guiding, reply, request)
    if request.as_of is None and not request.in_primer:
        note(core, domain, [each for each in told if each in material.known])
        joined = [tie.id for tie in material.ties if {tie.from_id, tie.to_id}.issubset(told)]
        core.together.note(domain, joined)
    return reply, replace(material, told=told)


def _narrowed(web: Web, seeds: Seeds, request: RecallRequest) -> Web:
    """Return a web with the nodes that are close enough to the question to be told."""
    if not seeds.fits:
        return replace(web, values=nearest_values(web.values), ties={})
    if seeds.are_all:
        return replace(web, values=seeds.values)
    return replace(web, values=close_values(web.values, seeds.asked)) if request.depth == "medium" else web


def _awaited(request: RecallRequest) -> Awaited:
    if not (request.waits and request.needs_index):
        return "nothing"
    return "vectors" if request.compares else "words"


def _beyond(web: Web, seeds: Seeds, material: Material) -> list[str]:
    """Return of which things that are in focus not all connections were read."""
    return [
        Hint(
            "Of about {number} connections of {title} those {read} were read that count most.",
            " {get_neighbors|query_connections} lists others.",
            number=f"{web.beyond[each] + _read(web, each):,}",
            title=quoted(material.known[each].title),
            read=f"{_read(web, each):,}",
        )
        for each in seeds.values
        if each in web.beyond and each in material.known
    ]


def _read(web: Web, node: str) -> int:
    return sum(node in (tie.from_id, tie.to_id) for tie in web.ties.values())


def _fitting(
    scope: Scope, request: RecallRequest, seeds: Seeds, material: Material
) -> tuple[RecallResult, tuple[str, ...]]:
    """Return the reply that fits as a whole, as JSON: its content gives way to the rest, but for half of the budget."""
    room, least = request.max_tokens, max(request.max_tokens // 2, MIN_TOKENS)
    most = request.max_tokens - request.beside
    while True:
        reply, told = _reply(scope, replace(request, max_tokens=room), seeds, material)
        over = tokens_of([reply]) - _AROUND - most
        if over <= 0:
            return reply, told
        if room <= least:
            return reply.model_copy(update={"over": over + _OVER}), told
        room = max(room - over, least)


def _reply(
    scope: Scope, request: RecallRequest, seeds: Seeds, material: Material
) -> tuple[RecallResult, tuple[str, ...]]:
    """Return the reply that fits, and what it tells of."""
    count = load_counter()
    content: str | dict[str, Any]
    most = request.max_tokens if seeds.fits else min(request.max_tokens, NEAREST_TOKENS)
    if request.form == "structured":
        content, told = structured(material, seeds.question, most, count)
    else:
        told = packed(material, seeds.question, most, count)
        content = told.content
    notes = [*(scope.coverage.warnings if request.needs_index else ()), *seeds.notes]
    if material.is_empty and not request.follows_lines:
        notes.append(BEFORE_ALL if scope.at is not None and scope.at <= 0 else "Nothing was found.")
    reply = RecallResult(
        depth=request.depth,
        tokens_used=told.tokens,
        content=content,
        mode=seeds.mode,
        period=None if seeds.period is None else str(seeds.period),
        shortened=len({*told.cut, *told.unobserved}) or None,
        left_out=(told.left_out or None) if seeds.fits else None,
        how_to_get=_how_to_get(request, told, material, count) if seeds.fits else None,
        not_covered=scope.coverage.not_covered if request.needs_index else None,
        without_vectors=scope.coverage.without_vectors or None if seeds.mode not in ("lexical", None) else None,
        warnings=tuple(dict.fromkeys(notes)) or None,
    )
    return reply, told.told


def _guiding(reply: RecallResult, request: RecallRequest) -> RecallResult:
    """Return the reply of a memory in which nothing is yet: how to work with it, or a sentence of it."""
    count = load_counter()
    for guide in (GUIDE, IN_SHORT):
        content: str | dict[str, Any] = {"guide": guide} if request.form == "structured" else guide
        tokens = count(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))
        if tokens <= request.max_tokens:
            found = reply.model_copy(update={"content": content, "tokens_used": tokens})
            over = tokens_of([found]) - _AROUND - request.max_tokens
            return found.model_copy(update={"over": over + _OVER}) if over > 0 else found
    return reply


def _how_to_get(request: RecallRequest, told: Packed, material: Material, count: Count) -> str | None:
    """Return how to get what is not told: first the observations of the first thing that has more, then the rest."""
    if not (told.cut or told.left_out or told.unobserved):
        return None
    every = [each for each in material.things if each.id in told.unobserved]
    thing = next((each for each in every if each.share), every[0] if every else None)
    more = f"A larger max_tokens than {request.max_tokens:,}, or focus on what is told in part."
    if thing is None:
        return more
    tokens = _tokens_of(thing, count)
    called = thing.title if flat(thing.title) == thing.title and len(thing.title) <= LABEL else thing.id
    given = json.dumps([called], ensure_ascii=False)
    return f"recall with focus {given} and max_tokens {tokens} has the other observations of it. {more}"


def _tokens_of(thing: Thing, count: Count) -> int:
    """Return how many tokens a recall of a thing with all of its observations takes, in hundreds."""
    told = sum(count(f"{each.text} {each.when}") + _BESIDE for each in thing.observed)
    each = told / max(len(thing.observed), 1) or LEAST
    whole = count(thing.text) + _OTHERS + told + round(thing.unread * each * _LONGER)
    return min(-(-whole // 100) * 100, MOST_TOKENS)


async def _overview(scope: Scope, request: RecallRequest, now: datetime) -> tuple[Seeds, Material]:
    """Return what a memory holds, what changed last, what is used most, what is open, and what a query finds."""
    seeds, counts = Seeds(), dict[str, int]()
    changed: list[str] = []
    used: dict[str, int] = {}

    async def count() -> None:
        if scope.at is None:
            counts.update({kind: number for kind, number in (await type_counts(scope)).items() if kind != SUMMARY})

    async def look() -> None:
        changed.extend(each for each in await recent(scope, _LOOKED_AT) if each not in request.told)

    async def use() -> None:
        if scope.at is None and not request.in_primer:
            rows = await most_used(scope.core, scope.domain, LISTED * _TIMES + len(request.told))
            used.update({row.id: row.count for row in rows if row.id not in request.told})

    async with task_group() as tasks:
        for each in (count, look, use):
            tasks.start_soon(each)
    if request.query is not None or request.focus:
        seeds = await seeds_of(scope, replace(request, limit=(request.limit or LISTED) + len(request.told)), now)
    wanted = replace(seeds, values=dict.fromkeys((*changed, *used, *seeds.values), 0.0))
    await favoured(scope, request.context, wanted)
    web = await grown(scope, wanted, 0)
    material = await material_of(scope, seeds, web, len(wanted.values), now, has_texts=False)
    things = {each.id: each for each in material.things}
    limit = request.limit or LISTED
    hits = sorted(seeds.values, key=lambda each: (-seeds.values[each], each))[:limit]
    changed.sort(key=lambda each: -wanted.values[each])
    favourites = sorted(used, key=lambda each: -wanted.values[each])
    most = [replace(things[each], uses=used[each]) for each in favourites if each in things]
    named = [things[each] for each in changed if each in things]
    lists = [
        ("Found", [things[each] for each in hits if each in things]),
        ("Changed last", [] if request.in_primer else _but_old_summaries(named)[:limit]),
        ("Used most", [each for each in most if each.type != SUMMARY][:limit]),
        ("Open questions", [each for each in named if _is_open(each)][:limit]),
    ]
    kept = [
        (head, [replace(each, facts=work_facts(each.facts), path="") for each in some]) for head, some in lists if some
    ]
    return seeds, replace(material, things=(), ties=(), counts=counts, lists=kept)


def _but_old_summaries(things: Sequence[Thing]) -> list[Thing]:
    """Return things without the summaries of sessions but the last ones, given the last first."""
    old = [each.id for each in things if each.type == SUMMARY][SUMMARIES:]
    return [each for each in things if each.id not in old]


def _is_open(thing: Thing) -> bool:
    """Say whether something is a question that nothing says to be answered."""
    is_question = "question" in thing.type.casefold() or thing.title.rstrip().endswith("?")
    return is_question and not is_closed(thing.facts)
