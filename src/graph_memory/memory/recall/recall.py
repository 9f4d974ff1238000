"""Answers a recall, from the request to the reply."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

import anyio.to_thread

from graph_memory.memory.background import task_group
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import BEFORE_ALL
from graph_memory.memory.recall.guide import GUIDES
from graph_memory.memory.recall.questions.changed_things import since_of
from graph_memory.memory.recall.questions.open_work import is_closed, mentions_open_work, work_facts
from graph_memory.memory.recall.questions.phrases import asks_about_past, names_no_topic
from graph_memory.memory.recall.questions.relevance import (
    NEAREST_TOKENS,
    NOTHING_ELSE_FITS,
    NOTHING_FITS,
    highest_values,
    values_near_best,
)
from graph_memory.memory.recall.questions.seeds import Seeds, prefer_context, seeds_of
from graph_memory.memory.recall.recall_queries import is_empty, read_recently_changed, read_type_counts
from graph_memory.memory.recall.rendering.prose import LEAST, RenderedRecall, pack_prose
from graph_memory.memory.recall.rendering.recall_input import RecallInput, RecallItem
from graph_memory.memory.recall.rendering.spreading_activation import sort_by_value
from graph_memory.memory.recall.rendering.structured import pack_structured
from graph_memory.memory.recall.rendering.wording import LABEL_LENGTH, flatten
from graph_memory.memory.recall.request import MOST_TOKENS, RecallRequest, recall_request
from graph_memory.memory.recall.results import Depth, RecallResult, Unseen
from graph_memory.memory.recall.selection.fact_selection import (
    Subgraph,
    build_recall_input,
    expand,
    max_items_for,
    max_items_in_all,
    read_whole_domain,
)
from graph_memory.memory.search.access_store import read_most_used, record_accesses
from graph_memory.memory.search.request import MIN_TOKENS, Filters
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.search.search import Awaited, scope_of
from graph_memory.memory.search.token_budget import Count, load_counter, tokens_of
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.subjects.subjects import SUMMARY
from graph_memory.model.text.wording import quote
from graph_memory.storage.log.writing import utc_now

STEPS: dict[Depth, int] = {"shallow": 0, "medium": 1, "deep": 3}
"""Maximum distance between a result and the search hits, in connections, for each depth."""
MAX_LISTED = 10
"""Maximum number of items in each list of an overview."""
SUMMARIES = 2
"""Maximum number of session summaries in an overview, latest first."""
_USED_FACTOR = 3
"""Number of most used nodes that are read, as a multiple of the number that is listed, since some are summaries."""
_MAX_CHANGED = 200
_OBSERVATION_TOKENS = 12
"""Number of tokens that an observation takes in addition to its text and time."""
_OTHER_TOKENS = 400
"""Number of tokens that are reserved for the parts of an item other than text and observations."""
_UNREAD_LENGTH_FACTOR = 1.5
"""Factor for the estimated length of unread observations, which may be longer than the observations that were read."""
_ENVELOPE_TOKENS = 2
"""Number of tokens of the brackets around a reply, since tokens are counted for a list of replies."""
_OVER_TOKENS = 5
"""Number of tokens of the reply field `over`."""


async def recall(core: Core, domain: str, request: RecallRequest) -> RecallResult:
    """Return a recall of a domain. See `Recall`."""
    result, _ = await recall_with_guide(core, domain, request)
    return result


async def recall_with_guide(core: Core, domain: str, request: RecallRequest) -> tuple[RecallResult, RecallInput]:
    """Return the recall of a domain and its input. If the domain does not exist yet, return the guide and a warning."""
    try:
        return await recall_domain(core, domain, request)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        nothing = RecallResult(depth=request.depth, tokens_used=0, content="", warnings=(error.message,))
        return await anyio.to_thread.run_sync(_guide_reply, nothing, request), RecallInput()


async def recall_unseen(core: Core, domain: str, query: str, shown: Collection[str], max_tokens: int) -> Unseen:
    """Return a recall without the nodes that the reader has already seen, and the ids of the nodes in the reply.

    If no stored text fits the query, no ids are returned. The recall does not wait for new texts to be indexed.
    """
    request = recall_request("medium", query, None, max_tokens, "prose", None, None, None, None)
    request = replace(request, reported=frozenset(shown), waits_for_index=False, is_asked=False)
    result, material = await recall_with_guide(core, domain, request)
    return result, () if material.note == NOTHING_FITS else tuple(material.reported)


async def recall_domain(core: Core, domain: str, request: RecallRequest) -> tuple[RecallResult, RecallInput]:
    """Recall a domain. Returns the reply, and the input from which it was rendered."""
    now = utc_now()
    query = request.query or ""
    filters = Filters(
        valid_at=request.valid_at, includes_ended=asks_about_past(query, now) and not mentions_open_work(query)
    )
    scope = await scope_of(core, domain, filters, request.as_of, awaited=_index_to_await(request))
    since, request = await since_of(scope, request)
    if since is not None and not request.focus and (request.query is None or names_no_topic(request.query)):
        seeds, material = Seeds(period=since.period), RecallInput()
    elif request.depth == "shallow":
        seeds, material = await _overview(scope, request, now)
    else:
        seeds = await seeds_of(scope, request, now, since and since.period)
        is_wide = request.is_for_all or (request.depth == "deep" and request.query is None)
        max_items = max_items_in_all(request.max_tokens) if is_wide else max_items_for(request.max_tokens)
        subgraph = await expand(scope, seeds, STEPS[request.depth], max_items if is_wide and request.focus else 0)
        if request.query is not None:
            subgraph = _drop_distant_nodes(subgraph, seeds, request)
        if request.is_for_all:
            subgraph, notes = await read_whole_domain(scope, subgraph, max_items)
            seeds.notes.extend(notes)
        material = await build_recall_input(scope, seeds, subgraph, max_items, now, has_texts=seeds.has_relevant_text)
        if not seeds.has_relevant_text and material.items:
            brief_items = [replace(item, facts=(), when="") for item in material.items]
            lists = [("Nearest, which may be unrelated", brief_items)]
            nothing_fits = NOTHING_ELSE_FITS if request.follows_corrections else NOTHING_FITS
            material = replace(material, items=(), lists=lists, note=nothing_fits)
        if request.focus and request.depth == "deep":
            seeds.notes.extend(_unread_notes(subgraph, seeds, material))
    if since is not None:
        material = replace(material, changes=await since.changes(scope, seeds.named or seeds.values))
    reply, reported_ids = await anyio.to_thread.run_sync(_fit_reply_to_budget, scope, request, seeds, material)
    if not reported_ids and request.as_of is None and await is_empty(core, domain):
        reply = await anyio.to_thread.run_sync(_guide_reply, reply, request)
    if request.as_of is None and not request.in_primer:
        record_accesses(core, domain, [subject for subject in reported_ids if subject in material.known])
        used_connections = [tie.id for tie in material.connections if {tie.from_id, tie.to_id}.issubset(reported_ids)]
        core.co_accesses.record(domain, used_connections)
    return reply, replace(material, reported=reported_ids)


def _drop_distant_nodes(subgraph: Subgraph, seeds: Seeds, request: RecallRequest) -> Subgraph:
    """Return the subgraph without the nodes that are too far from the answer to a question."""
    if not seeds.has_relevant_text:
        return replace(subgraph, values=highest_values(subgraph.values), connections={})
    if seeds.is_whole_answer:
        return replace(subgraph, values=seeds.values)
    if request.depth == "medium":
        return replace(subgraph, values=values_near_best(subgraph.values, seeds.named))
    return subgraph


def _index_to_await(request: RecallRequest) -> Awaited:
    if not (request.waits_for_index and request.needs_index):
        return "nothing"
    return "vectors" if request.compares else "words"


def _unread_notes(subgraph: Subgraph, seeds: Seeds, material: RecallInput) -> list[str]:
    """Return a note for each focused node that has more connections than were read."""
    return [
        Hint(
            "Of about {number} connections of {title}, only the {read} strongest were read.",
            " List others with {get_neighbors|query_connections}.",
            number=f"{subgraph.beyond[node] + _count_read(subgraph, node):,}",
            title=quote(material.known[node].title),
            read=f"{_count_read(subgraph, node):,}",
        )
        for node in seeds.values
        if node in subgraph.beyond and node in material.known
    ]


def _count_read(subgraph: Subgraph, node: str) -> int:
    return sum(node in (tie.from_id, tie.to_id) for tie in subgraph.connections.values())


def _fit_reply_to_budget(
    scope: Scope, request: RecallRequest, seeds: Seeds, material: RecallInput
) -> tuple[RecallResult, tuple[str, ...]]:
    """Return the reply, cut so that its JSON fits the budget, and the ids of the items in it.

    The content may shrink to half the budget, to leave tokens for the other fields.
    """
    count = cache(load_counter())  # a shorter reply has many of the same lines
    content_tokens, min_tokens = request.max_tokens, max(request.max_tokens // 2, MIN_TOKENS)
    max_tokens = request.max_tokens - request.reserved_tokens
    while True:
        reply, reported_ids = _build_reply(scope, replace(request, max_tokens=content_tokens), seeds, material, count)
        over = tokens_of([reply]) - _ENVELOPE_TOKENS - max_tokens
        if over <= 0:
            return reply, reported_ids
        if content_tokens <= min_tokens:
            return reply.model_copy(update={"over": over + _OVER_TOKENS}), reported_ids
        content_tokens = max(content_tokens - over, min_tokens)


def _build_reply(
    scope: Scope, request: RecallRequest, seeds: Seeds, material: RecallInput, count: Count
) -> tuple[RecallResult, tuple[str, ...]]:
    """Return the reply, cut to the budget, and the ids of the items in it."""
    content: str | dict[str, Any]
    max_tokens = request.max_tokens if seeds.has_relevant_text else min(request.max_tokens, NEAREST_TOKENS)
    if request.form == "structured":
        content, packed_result = pack_structured(material, seeds.question, max_tokens, count)
    else:
        packed_result = pack_prose(material, seeds.question, max_tokens, count)
        content = packed_result.content
    notes = [*(scope.coverage.warnings if request.needs_index else ()), *seeds.notes]
    if material.is_empty and not request.follows_corrections:
        notes.append(BEFORE_ALL if scope.at is not None and scope.at <= 0 else "Nothing was found.")
    reply = RecallResult(
        depth=request.depth,
        tokens_used=packed_result.tokens,
        content=content,
        mode=seeds.mode,
        period=None if seeds.period is None else str(seeds.period),
        shortened=len({*packed_result.cut, *packed_result.unobserved}) or None,
        left_out=(packed_result.left_out or None) if seeds.has_relevant_text else None,
        how_to_get=_hint_for_omitted(request, packed_result, material, count) if seeds.has_relevant_text else None,
        not_covered=scope.coverage.not_covered if request.needs_index else None,
        without_vectors=scope.coverage.without_vectors or None if seeds.mode not in ("lexical", None) else None,
        warnings=tuple(dict.fromkeys(notes)) or None,
    )
    return reply, packed_result.reported


def _guide_reply(reply: RecallResult, request: RecallRequest) -> RecallResult:
    """Return the reply of an empty memory: the guide, or its short form if the guide does not fit."""
    count = load_counter()
    for guide in GUIDES:
        content: str | dict[str, Any] = {"guide": guide} if request.form == "structured" else guide
        tokens = count(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))
        if tokens <= request.max_tokens:
            result = reply.model_copy(update={"content": content, "tokens_used": tokens})
            over = tokens_of([result]) - _ENVELOPE_TOKENS - request.max_tokens
            return result.model_copy(update={"over": over + _OVER_TOKENS}) if over > 0 else result
    return reply


def _hint_for_omitted(
    request: RecallRequest, packed: RenderedRecall, material: RecallInput, count: Count
) -> str | None:
    """Return a hint for getting the omitted observations and items, or None if nothing was omitted."""
    if not (packed.cut or packed.left_out or packed.unobserved):
        return None
    other_ways = f"Use a larger max_tokens than {request.max_tokens:,}, or focus on a shortened item."
    incomplete_items = [candidate for candidate in material.items if candidate.id in packed.unobserved]
    if not incomplete_items:
        return other_ways
    item = next((candidate for candidate in incomplete_items if candidate.share), incomplete_items[0])
    tokens = _tokens_of(item, count)
    name = item.title if flatten(item.title) == item.title and len(item.title) <= LABEL_LENGTH else item.id
    focus = json.dumps([name], ensure_ascii=False)
    return f"For the other observations, use recall with focus {focus} and max_tokens {tokens}. {other_ways}"


def _tokens_of(item: RecallItem, count: Count) -> int:
    """Estimate the number of tokens of a recall of this item with all its observations. Rounds up to hundreds."""
    read_tokens = sum(count(f"{observed.text} {observed.when}") + _OBSERVATION_TOKENS for observed in item.observed)
    mean_tokens = read_tokens / max(len(item.observed), 1) or LEAST
    item_tokens = (
        count(item.text) + _OTHER_TOKENS + read_tokens + round(item.unread * mean_tokens * _UNREAD_LENGTH_FACTOR)
    )
    return min(-(-item_tokens // 100) * 100, MOST_TOKENS)


async def _overview(scope: Scope, request: RecallRequest, now: datetime) -> tuple[Seeds, RecallInput]:
    """Return an overview: counts of types, the last changes, the most used nodes, open questions and search results."""
    seeds, counts = Seeds(without_types=request.without_types), dict[str, int]()
    changed: list[str] = []
    use_counts: dict[str, int] = {}

    async def count() -> None:
        if scope.at is None:
            hidden = {SUMMARY, *request.without_types}
            stored = await read_type_counts(scope)
            counts.update({kind: number for kind, number in stored.items() if kind not in hidden})

    async def read_changed() -> None:
        ids = await read_recently_changed(scope, _MAX_CHANGED)
        changed.extend(node for node in ids if node not in request.reported)

    async def read_used() -> None:
        if scope.at is None and not request.in_primer:
            rows = await read_most_used(scope.core, scope.domain, MAX_LISTED * _USED_FACTOR + len(request.reported))
            use_counts.update({row.id: row.count for row in rows if row.id not in request.reported})

    async with task_group() as tasks:
        for read in (count, read_changed, read_used):
            tasks.start_soon(read)
    if request.query is not None or request.focus:
        limit_of_seeds = (request.limit or MAX_LISTED) + len(request.reported)
        seeds = await seeds_of(scope, replace(request, limit=limit_of_seeds), now)
    all_seeds = replace(seeds, values=dict.fromkeys((*changed, *use_counts, *seeds.values), 0.0))
    await prefer_context(scope, request.context, all_seeds)
    subgraph = await expand(scope, all_seeds, 0)
    material = await build_recall_input(scope, seeds, subgraph, len(all_seeds.values), now, has_texts=False)
    items = {item.id: item for item in material.items}
    limit = request.limit or MAX_LISTED
    hits = sort_by_value(seeds.values)[:limit]
    changed.sort(key=lambda node: -all_seeds.values[node])
    favourites = sorted(use_counts, key=lambda node: -all_seeds.values[node])
    most_used_items = [replace(items[node], uses=use_counts[node]) for node in favourites if node in items]
    recent_items = [items[node] for node in changed if node in items]
    lists = [
        ("Found", [items[node] for node in hits if node in items]),
        ("Changed last", [] if request.in_primer else _drop_old_summaries(recent_items)[:limit]),
        ("Used most", [item for item in most_used_items if item.type != SUMMARY][:limit]),
        ("Open questions", [item for item in recent_items if _is_open_question(item)][:limit]),
    ]
    shown_lists = [
        (head, [replace(item, facts=work_facts(item.facts), path="") for item in listed_items])
        for head, listed_items in lists
        if listed_items
    ]
    return seeds, replace(material, items=(), connections=(), counts=counts, lists=shown_lists)


def _drop_old_summaries(items: Sequence[RecallItem]) -> list[RecallItem]:
    old_ids = [item.id for item in items if item.type == SUMMARY][SUMMARIES:]
    return [item for item in items if item.id not in old_ids]


def _is_open_question(item: RecallItem) -> bool:
    is_question = "question" in item.type.casefold() or item.title.rstrip().endswith("?")
    return is_question and not is_closed(item.facts)
