"""Writing from what is remembered: the material is gathered, a language model writes, and its citations are checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

import anyio.to_thread

from graph_memory.chat import ModelUnavailable
from graph_memory.memory.changes.plan import node_not_found
from graph_memory.memory.core import Core
from graph_memory.memory.recall.questions.seeds import Seeds
from graph_memory.memory.recall.recall import recalled
from graph_memory.memory.recall.recall_queries import told_of
from graph_memory.memory.recall.rendering.citing import (
    Material,
    Piece,
    Tie,
    cited,
    instructions,
    mark_of,
    question,
    shortened,
)
from graph_memory.memory.recall.rendering.recall_input import Material as Recalled
from graph_memory.memory.recall.rendering.recall_input import Thing
from graph_memory.memory.recall.request import asked as recall_asked
from graph_memory.memory.recall.selection.fact_selection import grown, material_of
from graph_memory.memory.search.access_store import note
from graph_memory.memory.search.ranking.excerpts import excerpt
from graph_memory.memory.search.request import Filters
from graph_memory.memory.search.results import Style, Synthesis
from graph_memory.memory.search.search import scope_of
from graph_memory.memory.search.text.bm25 import Query, parse_query
from graph_memory.memory.search.token_budget import fit_whole, tokens_of_text
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import NodeBrief
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import quoted, shown, suggestion
from graph_memory.model.values.arguments import check_query, fault
from graph_memory.storage.log.writing import utc_now

TOKENS = 3_000
"""Tokens of material: a small model reads 4,096 tokens in all if nobody told it otherwise."""
HITS = 20
MOST_NODES = 100
MOST_WORDS = 1_000
FEWEST_WORDS = 10
LENGTHS = (2_000, 1_000, 400, 200, 100, 40)
"""Characters that are given of a text, longest first, until all of it fits."""
TIMES_TOO_LONG = 2
"""An answer of more than so many times the words that were asked for is cut."""
_SHOWN = 5


async def synthesize(
    core: Core, domain: str, query: str, *, subgraph: Sequence[str] | None, style: Style, max_words: int
) -> Synthesis:
    """Write about a question from what the memory has. `Recall.memory_synthesize` tells the rest."""
    _check(query, subgraph, style, max_words)
    material = await (_found(core, domain, query) if subgraph is None else _given(core, domain, query, subgraph))
    return await written(core, query, material, style=style, max_words=max_words)


async def written(core: Core, query: str, material: Material, *, style: Style, max_words: int) -> Synthesis:
    """Write from material that is there. Raises NO_MODEL, with the material, where no model answers."""
    if not material.pieces:
        return Synthesis(style=style, warnings=("Nothing was found, so there is nothing to write from.",))
    if core.chat is None:
        hint = "Set GRAPH_MEMORY_MODEL to ollama, openai or anthropic; or answer from the material in details yourself."
        raise _no_model("No language model is set", hint, material)
    mark = mark_of(query, material)
    try:
        reply = await core.chat.reply(instructions(style, max_words, mark), question(query, material, mark))
    except ModelUnavailable as error:
        hint = Hint("{hint}", " Or answer from the material in details yourself.", hint=error.hint)
        raise _no_model(error.message, hint, material) from None
    by_id = {each.id: each for each in material.pieces}
    found = cited(reply.text, by_id)
    text = shortened(found.text, TIMES_TOO_LONG * max_words)
    return Synthesis(
        text=text,
        citations=tuple(NodeBrief(id=each, type=by_id[each].type, title=by_id[each].title) for each in found.ids),
        style=style,
        model=core.chat.name,
        material=len(by_id),
        warnings=tuple(_warnings(found.ids, found.removed, is_cut=reply.is_cut or text != found.text)) or None,
    )


def _warnings(ids: Sequence[str], removed: Sequence[str], *, is_cut: bool) -> list[str]:
    told: list[str] = []
    if removed:
        named = ", ".join(quoted(each) for each in removed[:_SHOWN])
        more = f" and {len(removed) - _SHOWN} more" if len(removed) > _SHOWN else ""
        told.append(f"The model cited what it was not given; that was taken out: {named}{more}. Check its statements.")
    if not ids:
        told.append("The text cites nothing that is known: check it before you rely on it.")
    if is_cut:
        told.append("The text was cut: the model wrote more.")
    return told


def _no_model(message: str, hint: str, material: Material) -> GraphError:
    return GraphError(Code.NO_MODEL, message, {"hint": hint, "material": material.to_list()})


def _check(query: str, subgraph: Sequence[str] | None, style: str, max_words: int) -> None:
    if not isinstance(query, str) or not check_query(query).strip():  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise fault("query", "There is nothing to write about", "Ask a question, or name a topic.")
    if style not in get_args(Style):
        hint = suggestion(style, get_args(Style), "Use summary, analysis or recommendations.")
        raise fault("style", f"{quoted(style)} is not a valid style", hint)
    if type(max_words) is not int or not FEWEST_WORDS <= max_words <= MOST_WORDS:
        hint = f"Give a whole number from {FEWEST_WORDS} to {MOST_WORDS:,}."
        raise fault("max_words", f"max_words is {quoted(max_words)}", hint)
    if subgraph is not None and (isinstance(subgraph, str) or not 0 < len(subgraph) <= MOST_NODES):
        hint = f"Give a list of 1 to {MOST_NODES} ids, or leave it out."
        raise fault("subgraph", f"subgraph is {shown(subgraph)}", hint)


async def _found(core: Core, domain: str, query: str) -> Material:
    """Return what a recall finds, which counts it as used."""
    request = recall_asked("medium", query, None, TOKENS, "prose", None, None, HITS, None)
    _, known = await recalled(core, domain, request)
    return await material_from(known, parse_query(query))


async def _given(core: Core, domain: str, query: str, ids: Sequence[str]) -> Material:
    """Return what was named, with the connections among it. Raises NODE_NOT_FOUND for an id that is none."""
    wanted, now = list(dict.fromkeys(ids)), utc_now()
    scope = await scope_of(core, domain, Filters(), None)
    nodes, links = [await told_of(scope, kind, wanted) for kind in (Kind.NODE, Kind.CONNECTION)]
    rows = nodes | links
    if missing := [each for each in wanted if each not in rows]:
        raise node_not_found(domain, missing[0])
    seeds = Seeds(values=dict.fromkeys(wanted, 1.0), rows=rows, question=parse_query(query, scope.analyser))
    web = await grown(scope, replace(seeds, values=dict.fromkeys(nodes, 1.0)), 1)
    known = await material_of(scope, seeds, replace(web, values=dict(seeds.values)), len(wanted), now)
    note(core, domain, nodes)
    return await material_from(known, seeds.question)


async def material_from(known: Recalled, asked_for: Query) -> Material:
    """Return what a recall has at hand as a model reads it, the best of it, as much as fits."""
    things = known.things[:MOST_NODES]
    ids = {each.id for each in things}
    ties = [Tie(each.from_id, each.type, each.to_id) for each in known.ties if {each.from_id, each.to_id} <= ids]

    def of(length: int) -> Material:
        return Material([_piece(each, asked_for, length) for each in things], list(dict.fromkeys(ties)))

    return await anyio.to_thread.run_sync(fitting, of)


def _piece(thing: Thing, asked_for: Query, length: int) -> Piece:
    """Return what is said of a thing, in about so many characters."""
    facts = "; ".join(f"{name}: {value}" for name, value in thing.facts)
    observed = (f"{each.text} ({', '.join(filter(None, (each.when, each.end)))})" for each in thing.observed)
    told = "\n".join(each for each in (facts, thing.summary, thing.text, *observed) if each)
    title = thing.title if thing.ends is None else f"{thing.ends[1]} → {thing.ends[3]}"
    return Piece(thing.id, thing.type, title, excerpt(told, asked_for, length).text)


def fitting(of: Callable[[int], Material], most: int = TOKENS) -> Material:
    """Return material that fits: with shorter texts, then without connections, then fewer pieces; one at least."""

    def made(stage: int, pieces: int) -> Material:
        return of(LENGTHS[stage]) if stage < len(LENGTHS) else Material(of(LENGTHS[-1]).pieces[:pieces])

    return fit_whole(made, len(LENGTHS) + 1, MOST_NODES, most, size, minimum=1)


def size(material: Material) -> int:
    """Return how many tokens material takes."""
    return tokens_of_text(question("", material, ""))
