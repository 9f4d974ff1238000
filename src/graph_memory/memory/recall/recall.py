"""Answers a recall, from the request to the reply."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
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
from graph_memory.memory.recall.questions.seeds import Seeds, prefer_context, seeds_of
from graph_memory.memory.recall.recall_queries import is_empty, recent, type_counts
from graph_memory.memory.recall.rendering.prose import LEAST, Count, Packed, pack_prose
from graph_memory.memory.recall.rendering.recall_input import RecallInput, RecallItem
from graph_memory.memory.recall.rendering.structured import pack_structured
from graph_memory.memory.recall.rendering.wording import LABEL, flat
from graph_memory.memory.recall.request import MOST_TOKENS, RecallRequest, recall_request
from graph_memory.memory.recall.results import Depth, RecallResult, Unseen
from graph_memory.memory.recall.selection.fact_selection import Subgraph, expand, material_of, most_things
from graph_memory.memory.recall.selection.whole_domain import most_of_all, whole_domain
from graph_memory.memory.search.access_store import most_used, note
from graph_memory.memory.search.request import MIN_TOKENS, Filters
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.search.search import Awaited, scope_of
from graph_memory.memory.search.token_budget import load_counter, tokens_of
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.subjects.subjects import SUMMARY
from graph_memory.model.text.wording import quote
from graph_memory.storage.log.writing import utc_now

STEPS: dict[Depth, int] = {"shallow": 0, "medium": 1, "deep": 3}
"""Maximum number of connections between a result and the search hits, by depth."""
LISTED = 10
"""Maximum number of items in each list of an overview."""
SUMMARIES = 2
"""Maximum number of session summaries in an overview, the last ones."""
_USED_FACTOR = 3
"""Factor by which more of the most used nodes are read, since some of them are summaries."""
_MAX_CHANGED = 200
_BESIDE = 12
"""Number of tokens that an observation takes in addition to its text and time."""
_OTHERS = 400
"""Number of tokens for the other parts of an item."""
_LONGER = 1.5
"""Factor by which unread observations may be longer than read ones."""
_ENVELOPE_TOKENS = 2
"""Number of tokens for the brackets of the list in which replies are counted."""
_OVER = 5
"""Number of tokens of the field `over` of a reply."""


async def recall(core: Core, domain: str, request: RecallRequest) -> RecallResult:
    """Return a recall of a domain. See `Recall`."""
    result, _ = await recall_with_guide(core, domain, request)
    return result


async def recall_with_guide(core: Core, domain: str, request: RecallRequest) -> tuple[RecallResult, RecallInput]:
    """Return the recall of a domain, or the guide and a warning if the domain does not exist yet."""
    try:
        return await recall_domain(core, domain, request)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        nothing = RecallResult(depth=request.depth, tokens_used=0, content="", warnings=(error.message,))
        return await anyio.to_thread.run_sync(_guide_reply, nothing, request), RecallInput()


async def recall_unseen(core: Core, domain: str, query: str, shown: Collection[str], max_tokens: int) -> Unseen:
    """Return a recall without the nodes that the reader has already seen, and the ids of the nodes in the reply.

    There are no ids if nothing stored fits the query. The recall does not wait for new texts to be indexed.
    """
    request = recall_request("medium", query, None, max_tokens, "prose", None, None, None, None)
    request = replace(request, reported=frozenset(shown), waits=False, is_asked=False)
    result, material = await recall_with_guide(core, domain, request)
    return result, () if material.note == NOTHING_FITS else tuple(material.reported)


async def recall_domain(core: Core, domain: str, request: RecallRequest) -> tuple[RecallResult, RecallInput]:
    """Return the reply, and the input from which it was rendered."""
    now = utc_now()
    query = request.query or ""
    filters = Filters(valid_at=request.valid_at, ended=asks_of_past(query, now) and not mentions_open_work(query))
    scope = await scope_of(core, domain, filters, request.as_of, awaited=_index_to_await(request))
    since, request = await since_of(scope, request)
    if since is not None and not request.focus and (request.query is None or says_nothing(request.query)):
        seeds, material = Seeds(period=since.period), RecallInput()
    elif request.depth == "shallow":
        seeds, material = await _overview(scope, request, now)
    else:
        seeds = await seeds_of(scope, request, now, since and since.period)
        is_wide = request.is_for_all or (request.depth == "deep" and request.query is None)
        most = most_of_all(request.max_tokens) if is_wide else most_things(request.max_tokens)
        web = await expand(scope, seeds, STEPS[request.depth], most if is_wide and request.focus else 0)
        if request.query is not None:
            web = _keep_close(web, seeds, request)
        if request.is_for_all:
            web, notes = await whole_domain(scope, web, most)
            seeds.notes.extend(notes)
        material = await material_of(scope, seeds, web, most, now, has_texts=seeds.fits)
        if not seeds.fits and material.items:
            brief_items = [replace(item, facts=(), when="") for item in material.items]
            lists = [("Nearest, which may be unrelated", brief_items)]
            nothing_fits = NOTHING_ELSE_FITS if request.follows_lines else NOTHING_FITS
            material = replace(material, items=(), lists=lists, note=nothing_fits)
        if request.focus and request.depth == "deep":
            seeds.notes.extend(_unread_notes(web, seeds, material))
    if since is not None:
        material = replace(material, changes=await since.changes(scope, seeds.named or seeds.values))
    reply, lines = await anyio.to_thread.run_sync(_fit_reply, scope, request, seeds, material)
    if not lines and request.as_of is None and await is_empty(core, domain):
        reply = await anyio.to_thread.run_sync(_guide_reply, reply, request)
    if request.as_of is None and not request.in_primer:
        note(core, domain, [line for line in lines if line in material.known])
        joined = [tie.id for tie in material.ties if {tie.from_id, tie.to_id}.issubset(lines)]
        core.together.note(domain, joined)
    return reply, replace(material, reported=lines)


def _keep_close(web: Subgraph, seeds: Seeds, request: RecallRequest) -> Subgraph:
    """Drop the nodes that are too far from the question."""
    if not seeds.fits:
        return replace(web, values=nearest_values(web.values), ties={})
    if seeds.are_all:
        return replace(web, values=seeds.values)
    return replace(web, values=close_values(web.values, seeds.named)) if request.depth == "medium" else web


def _index_to_await(request: RecallRequest) -> Awaited:
    if not (request.waits and request.needs_index):
        return "nothing"
    return "vectors" if request.compares else "words"


def _unread_notes(web: Subgraph, seeds: Seeds, material: RecallInput) -> list[str]:
    """Return a note for each focused node that has more connections than were read."""
    return [
        Hint(
            "Of about {number} connections of {title}, only the {read} strongest were read.",
            " {get_neighbors|query_connections} lists others.",
            number=f"{web.beyond[value] + _count_read(web, value):,}",
            title=quote(material.known[value].title),
            read=f"{_count_read(web, value):,}",
        )
        for value in seeds.values
        if value in web.beyond and value in material.known
    ]


def _count_read(web: Subgraph, node: str) -> int:
    return sum(node in (tie.from_id, tie.to_id) for tie in web.ties.values())


def _fit_reply(
    scope: Scope, request: RecallRequest, seeds: Seeds, material: RecallInput
) -> tuple[RecallResult, tuple[str, ...]]:
    """Return the reply, cut so that its JSON fits the budget, and the ids of the items in it.

    To make room for the other fields, the content may shrink to half of the budget.
    """
    room, least = request.max_tokens, max(request.max_tokens // 2, MIN_TOKENS)
    most = request.max_tokens - request.beside
    while True:
        reply, lines = _build_reply(scope, replace(request, max_tokens=room), seeds, material)
        over = tokens_of([reply]) - _ENVELOPE_TOKENS - most
        if over <= 0:
            return reply, lines
        if room <= least:
            return reply.model_copy(update={"over": over + _OVER}), lines
        room = max(room - over, least)


def _build_reply(
    scope: Scope, request: RecallRequest, seeds: Seeds, material: RecallInput
) -> tuple[RecallResult, tuple[str, ...]]:
    """Return the reply, cut to the budget, and the ids of the items in it."""
    count = load_counter()
    content: str | dict[str, Any]
    most = request.max_tokens if seeds.fits else min(request.max_tokens, NEAREST_TOKENS)
    if request.form == "structured":
        content, packed_result = pack_structured(material, seeds.question, most, count)
    else:
        packed_result = pack_prose(material, seeds.question, most, count)
        content = packed_result.content
    notes = [*(scope.coverage.warnings if request.needs_index else ()), *seeds.notes]
    if material.is_empty and not request.follows_lines:
        notes.append(BEFORE_ALL if scope.at is not None and scope.at <= 0 else "Nothing was found.")
    reply = RecallResult(
        depth=request.depth,
        tokens_used=packed_result.tokens,
        content=content,
        mode=seeds.mode,
        period=None if seeds.period is None else str(seeds.period),
        shortened=len({*packed_result.cut, *packed_result.unobserved}) or None,
        left_out=(packed_result.left_out or None) if seeds.fits else None,
        how_to_get=_how_to_get_rest(request, packed_result, material, count) if seeds.fits else None,
        not_covered=scope.coverage.not_covered if request.needs_index else None,
        without_vectors=scope.coverage.without_vectors or None if seeds.mode not in ("lexical", None) else None,
        warnings=tuple(dict.fromkeys(notes)) or None,
    )
    return reply, packed_result.reported


def _guide_reply(reply: RecallResult, request: RecallRequest) -> RecallResult:
    """Return the reply of an empty memory: the guide, or its short form if the guide does not fit."""
    count = load_counter()
    for guide in (GUIDE, IN_SHORT):
        content: str | dict[str, Any] = {"guide": guide} if request.form == "structured" else guide
        tokens = count(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))
        if tokens <= request.max_tokens:
            result = reply.model_copy(update={"content": content, "tokens_used": tokens})
            over = tokens_of([result]) - _ENVELOPE_TOKENS - request.max_tokens
            return result.model_copy(update={"over": over + _OVER}) if over > 0 else result
    return reply


def _how_to_get_rest(request: RecallRequest, pack_prose: Packed, material: RecallInput, count: Count) -> str | None:
    """Return the hint for getting the rest: first more observations of an item, then the other items."""
    if not (pack_prose.cut or pack_prose.left_out or pack_prose.unobserved):
        return None
    unobserved = [item_ for item_ in material.items if item_.id in pack_prose.unobserved]
    item = next((item_ for item_ in unobserved if item_.share), unobserved[0] if unobserved else None)
    more = f"A larger max_tokens than {request.max_tokens:,}, or focus on a shortened item."
    if item is None:
        return more
    tokens = _tokens_of(item, count)
    name = item.title if flat(item.title) == item.title and len(item.title) <= LABEL else item.id
    focus = json.dumps([name], ensure_ascii=False)
    return f"recall with focus {focus} and max_tokens {tokens} has the other observations of it. {more}"


def _tokens_of(item: RecallItem, count: Count) -> int:
    """Estimate how many tokens a recall of an item with all its observations needs. Rounds up to hundreds."""
    number = sum(count(f"{observed.text} {observed.when}") + _BESIDE for observed in item.observed)
    value = number / max(len(item.observed), 1) or LEAST
    whole_domain = count(item.text) + _OTHERS + number + round(item.unread * value * _LONGER)
    return min(-(-whole_domain // 100) * 100, MOST_TOKENS)


async def _overview(scope: Scope, request: RecallRequest, now: datetime) -> tuple[Seeds, RecallInput]:
    """Return an overview: counts of types, the last changes, the most used nodes, open questions and search results."""
    seeds, counts = Seeds(without=request.without_types), dict[str, int]()
    changed: list[str] = []
    used: dict[str, int] = {}

    async def count() -> None:
        if scope.at is None:
            hidden = {SUMMARY, *request.without_types}
            counts.update({kind: number for kind, number in (await type_counts(scope)).items() if kind not in hidden})

    async def read_changed() -> None:
        changed.extend(entry for entry in await recent(scope, _MAX_CHANGED) if entry not in request.reported)

    async def read_used() -> None:
        if scope.at is None and not request.in_primer:
            rows = await most_used(scope.core, scope.domain, LISTED * _USED_FACTOR + len(request.reported))
            used.update({row.id: row.count for row in rows if row.id not in request.reported})

    async with task_group() as tasks:
        for entry in (count, read_changed, read_used):
            tasks.start_soon(entry)
    if request.query is not None or request.focus:
        seeds = await seeds_of(scope, replace(request, limit=(request.limit or LISTED) + len(request.reported)), now)
    all_seeds = replace(seeds, values=dict.fromkeys((*changed, *used, *seeds.values), 0.0))
    await prefer_context(scope, request.context, all_seeds)
    web = await expand(scope, all_seeds, 0)
    material = await material_of(scope, seeds, web, len(all_seeds.values), now, has_texts=False)
    items = {entry.id: entry for entry in material.items}
    limit = request.limit or LISTED
    hits = sorted(seeds.values, key=lambda entry: (-seeds.values[entry], entry))[:limit]
    changed.sort(key=lambda entry: -all_seeds.values[entry])
    favourites = sorted(used, key=lambda entry: -all_seeds.values[entry])
    most_used_items = [
        replace(items[favourite], uses=used[favourite]) for favourite in favourites if favourite in items
    ]
    named = [items[entry] for entry in changed if entry in items]
    lists = [
        ("Found", [items[hit] for hit in hits if hit in items]),
        ("Changed last", [] if request.in_primer else _drop_old_summaries(named)[:limit]),
        ("Used most", [entry for entry in most_used_items if entry.type != SUMMARY][:limit]),
        ("Open questions", [entry for entry in named if _is_open_question(entry)][:limit]),
    ]
    kept = [
        (head, [replace(entry, facts=work_facts(entry.facts), path="") for entry in entries])
        for head, entries in lists
        if entries
    ]
    return seeds, replace(material, items=(), ties=(), counts=counts, lists=kept)


def _drop_old_summaries(items: Sequence[RecallItem]) -> list[RecallItem]:
    """Keep only the latest session summaries. The items are sorted, latest first."""
    old = [item.id for item in items if item.type == SUMMARY][SUMMARIES:]
    return [item for item in items if item.id not in old]


def _is_open_question(item: RecallItem) -> bool:
    """Return whether an item is a question that is not marked as answered."""
    is_question = "question" in item.type.casefold() or item.title.rstrip().endswith("?")
    return is_question and not is_closed(item.facts)
