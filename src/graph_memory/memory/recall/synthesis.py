"""Lets a language model write texts from the memory: collects the material and checks the citations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

import anyio.to_thread

from graph_memory.chat import ModelUnavailable
from graph_memory.memory.changes.plan import node_not_found_error
from graph_memory.memory.core import Core
from graph_memory.memory.recall.questions.seeds import Seeds
from graph_memory.memory.recall.recall import recall_domain
from graph_memory.memory.recall.recall_queries import fetch_rows
from graph_memory.memory.recall.rendering.citing import (
    Material,
    MaterialEdge,
    MaterialItem,
    check_citations,
    make_instructions,
    make_prompt,
    mark_of,
    shorten_text,
)
from graph_memory.memory.recall.rendering.recall_input import RecallInput, RecallItem
from graph_memory.memory.recall.request import recall_request
from graph_memory.memory.recall.selection.fact_selection import build_recall_input, expand
from graph_memory.memory.search.access_store import record_accesses
from graph_memory.memory.search.ranking.excerpts import choose_excerpt
from graph_memory.memory.search.request import Filters, check_choice
from graph_memory.memory.search.results import Style, Synthesis
from graph_memory.memory.search.search import scope_of
from graph_memory.memory.search.text.bm25 import Query, parse_query
from graph_memory.memory.search.token_budget import fit_whole, tokens_of_text
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import NodeBrief
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import check_query, invalid_argument
from graph_memory.storage.log.writing import utc_now

TOKENS = 3_000
"""Maximum number of tokens of material: by default, a small model has a context of 4,096 tokens."""
HITS = 20
MOST_NODES = 100
MOST_WORDS = 1_000
FEWEST_WORDS = 10
LENGTHS = (2_000, 1_000, 400, 200, 100, 40)
"""Maximum lengths of texts in characters, tried in order until the material fits."""
TIMES_TOO_LONG = 2
"""Maximum length of an answer as a multiple of `max_words`. Longer answers are cut."""
_MAX_LISTED_IDS = 5


async def synthesize(
    core: Core, domain: str, query: str, *, subgraph: Sequence[str] | None, style: Style, max_words: int
) -> Synthesis:
    """Write a text about a question from the memory. See `Recall.memory_synthesize`."""
    _check(query, subgraph, style, max_words)
    material = await (
        _material_from_query(core, domain, query)
        if subgraph is None
        else _material_from_ids(core, domain, query, subgraph)
    )
    return await write_text(core, query, material, style=style, max_words=max_words)


async def write_text(core: Core, query: str, material: Material, *, style: Style, max_words: int) -> Synthesis:
    """Write a text from the material. Raises NO_MODEL, with the material in its details, if no model answers."""
    if not material.items:
        return Synthesis(style=style, warnings=("The search has no results to write from. Try another query.",))
    if core.chat is None:
        hint = "Set GRAPH_MEMORY_MODEL to ollama, openai or anthropic, or answer from the material in details yourself."
        raise _no_model_error("No language model is configured", hint, material)
    mark = mark_of(query, material)
    try:
        reply = await core.chat.reply(make_instructions(style, max_words, mark), make_prompt(query, material, mark))
    except ModelUnavailable as error:
        hint = Hint("{hint}", " Or answer from the material in details yourself.", hint=error.hint)
        raise _no_model_error(error.message, hint, material) from None
    by_id = {item.id: item for item in material.items}
    cited_text = check_citations(reply.text, by_id)
    text = shorten_text(cited_text.text, TIMES_TOO_LONG * max_words)
    return Synthesis(
        text=text,
        citations=tuple(
            NodeBrief(id=node_id, type=by_id[node_id].type, title=by_id[node_id].title) for node_id in cited_text.ids
        ),
        style=style,
        model=core.chat.name,
        material=len(by_id),
        warnings=tuple(_warnings(cited_text.ids, cited_text.removed, is_cut=reply.is_cut or text != cited_text.text))
        or None,
    )


def _warnings(ids: Sequence[str], removed: Sequence[str], *, is_cut: bool) -> list[str]:
    lines: list[str] = []
    if removed:
        quoted_ids = ", ".join(quote(name) for name in removed[:_MAX_LISTED_IDS])
        more = f" and {len(removed) - _MAX_LISTED_IDS} more" if len(removed) > _MAX_LISTED_IDS else ""
        lines.append(f"Citations of unknown ids were removed: {quoted_ids}{more}. Check the statements.")
    if not ids:
        lines.append("The text has no valid citations: check it before you rely on it.")
    if is_cut:
        lines.append("The text was cut because the model wrote more than max_words.")
    return lines


def _no_model_error(message: str, hint: str, material: Material) -> GraphError:
    return GraphError(Code.NO_MODEL, message, {"hint": hint, "material": material.to_list()})


def _check(query: str, subgraph: Sequence[str] | None, style: str, max_words: int) -> None:
    if not isinstance(query, str) or not check_query(query).strip():  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise invalid_argument("query", "query contains no words", "Ask a question, or pass a topic.")
    check_choice("style", style, get_args(Style))
    if type(max_words) is not int or not FEWEST_WORDS <= max_words <= MOST_WORDS:
        hint = f"Pass a whole number from {FEWEST_WORDS} to {MOST_WORDS:,}."
        raise invalid_argument("max_words", f"{quote(max_words)} is not a valid max_words", hint)
    if subgraph is not None and (isinstance(subgraph, str) or not 0 < len(subgraph) <= MOST_NODES):
        hint = "Pass the ids of nodes, or omit subgraph."
        raise invalid_argument("subgraph", f"{printable(subgraph)} is not a list of 1 to {MOST_NODES} ids", hint)


async def _material_from_query(core: Core, domain: str, query: str) -> Material:
    """Return the material from a recall of the query. The recall counts as a use of its results."""
    request = recall_request("medium", query, None, TOKENS, "prose", None, None, HITS, None)
    _, recall_input = await recall_domain(core, domain, request)
    return await material_from(recall_input, parse_query(query))


async def _material_from_ids(core: Core, domain: str, query: str, ids: Sequence[str]) -> Material:
    """Return the nodes and connections with these ids as material. Raises NODE_NOT_FOUND if an id is unknown."""
    distinct_ids, now = list(dict.fromkeys(ids)), utc_now()
    scope = await scope_of(core, domain, Filters(), None)
    nodes, links = [await fetch_rows(scope, kind, distinct_ids) for kind in (Kind.NODE, Kind.CONNECTION)]
    rows = nodes | links
    if missing := [subject for subject in distinct_ids if subject not in rows]:
        raise node_not_found_error(domain, missing[0])
    seeds = Seeds(values=dict.fromkeys(distinct_ids, 1.0), rows=rows, question=parse_query(query, scope.analyser))
    subgraph_of_ids = await expand(scope, replace(seeds, values=dict.fromkeys(nodes, 1.0)), 1)
    recall_input = await build_recall_input(
        scope, seeds, replace(subgraph_of_ids, values=dict(seeds.values)), len(distinct_ids), now
    )
    record_accesses(core, domain, nodes)
    return await material_from(recall_input, seeds.question)


async def material_from(recall_input: RecallInput, question: Query) -> Material:
    """Return the items of a recall as material for a model, best first, as many as fit."""
    items = recall_input.items[:MOST_NODES]
    ids = {item.id for item in items}
    ties = [
        MaterialEdge(tie.from_id, tie.type, tie.to_id)
        for tie in recall_input.connections
        if {tie.from_id, tie.to_id} <= ids
    ]

    def make_material(length: int) -> Material:
        return Material([_material_item(item, question, length) for item in items], list(dict.fromkeys(ties)))

    return await anyio.to_thread.run_sync(fit_material, make_material)


def _material_item(item: RecallItem, question: Query, length: int) -> MaterialItem:
    facts = "; ".join(f"{name}: {value}" for name, value in item.facts)
    observed = (
        f"{observed.text} ({', '.join(filter(None, (observed.when, observed.end)))})" for observed in item.observed
    )
    text = "\n".join(part for part in (facts, item.summary, item.text, *observed) if part)
    title = item.title if item.ends is None else f"{item.ends[1]} → {item.ends[3]}"
    return MaterialItem(item.id, item.type, title, choose_excerpt(text, question, length).text)


def fit_material(make_material: Callable[[int], Material], most: int = TOKENS) -> Material:
    """Return material within `most` tokens. `make_material` takes the maximum length of each text.

    Shortens texts first, then omits connections, and then items except the first.
    """

    def material_at(stage: int, item_count: int) -> Material:
        if stage < len(LENGTHS):
            return make_material(LENGTHS[stage])
        return Material(make_material(LENGTHS[-1]).items[:item_count])

    return fit_whole(material_at, len(LENGTHS) + 1, MOST_NODES, most, count_material_tokens, minimum=1)


def count_material_tokens(material: Material) -> int:
    """Return the number of tokens of the prompt with this material."""
    return tokens_of_text(make_prompt("", material, ""))
