"""Writing from what is remembered: the material is gathered, a language model writes, and its citations are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

import anyio.to_thread

from graph_memory.chat import ModelUnavailable
from graph_memory.memory.changes.plan import node_not_found
from graph_memory.memory.core import Core
from graph_memory.memory.graph import neighbours
from graph_memory.memory.graph.describe import DescribedRow, described
from graph_memory.memory.graph.queries import Page
from graph_memory.memory.recall.access import note
from graph_memory.memory.recall.bm25 import asked
from graph_memory.memory.recall.citing import (
    Material,
    Piece,
    Tie,
    cited,
    instructions,
    mark_of,
    question,
    shortened,
)
from graph_memory.memory.recall.excerpts import excerpt
from graph_memory.memory.recall.fitting import tokens_of_text
from graph_memory.memory.recall.request import Request
from graph_memory.memory.recall.results import Style, Synthesis
from graph_memory.memory.recall.search import search
from graph_memory.memory.tasks import task_group
from graph_memory.model.arguments import check_query, fault
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.kinds import Kind
from graph_memory.model.results import NodeBrief
from graph_memory.model.subjects import content_ref, user_properties
from graph_memory.model.wording import quoted, shown, suggestion
from graph_memory.storage.log.reads import CONTENTS

TOKENS = 3_000
"""Tokens of material: a small model reads 4,096 tokens in all if nobody told it otherwise."""
HITS = 20
MOST_NODES = 100
MOST_WORDS = 1_000
FEWEST_WORDS = 10
TIES = 50
"""Neighbours of a node among which those are looked for that are in the material too."""
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
    note(core, domain, [each.id for each in material.pieces if each.kind == Kind.NODE])
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
        hint = f"{error.hint} Or answer from the material in details yourself."
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
    """Return what a search finds."""
    hits = (await search(core, domain, Request(query=query, max_results=HITS, scores=False))).hits
    texts, terms = {each.id: each.passage or "" for each in hits}, frozenset(asked(query).terms)
    ties = await _ties(core, domain, [each.id for each in hits if each.kind == "node"])

    def of(length: int) -> Material:
        cut = {each: excerpt(text, terms, length).shown for each, text in texts.items()}
        return Material([Piece(each.id, each.kind, each.type, each.title, cut[each.id]) for each in hits], ties)

    return await anyio.to_thread.run_sync(fitting, of)


async def _given(core: Core, domain: str, query: str, ids: Sequence[str]) -> Material:
    """Return what was named. Raises NODE_NOT_FOUND for an id that is none."""
    await core.log.require_ontology(domain)
    wanted = list(dict.fromkeys(ids))
    nodes = {row.id: row for row in await described(core, domain, Kind.NODE, wanted)}
    links = {row.id: row for row in await described(core, domain, Kind.CONNECTION, wanted)}
    if missing := [each for each in wanted if each not in nodes and each not in links]:
        raise node_not_found(domain, missing[0])
    texts = await _texts(core, domain, {**nodes, **links})
    ties = await _ties(core, domain, list(nodes))
    terms = frozenset(asked(query).terms)

    def of(length: int) -> Material:
        pieces = [_piece(nodes, links, each, excerpt(texts[each], terms, length).shown) for each in wanted]
        return Material(pieces, ties)

    return await anyio.to_thread.run_sync(fitting, of)


def _piece(nodes: Mapping[str, DescribedRow], links: Mapping[str, DescribedRow], subject: str, text: str) -> Piece:
    if (row := nodes.get(subject)) is not None:
        return Piece(subject, Kind.NODE, row.type, row.title, text)
    row = links[subject]
    return Piece(subject, Kind.CONNECTION, row.type, f"{row.from_title} → {row.to_title}", text)


async def _texts(core: Core, domain: str, rows: Mapping[str, DescribedRow]) -> dict[str, str]:
    """Return the contents of nodes and connections after their properties; of one that is lost, those alone."""
    refs = {each: ref for each, row in rows.items() if (ref := content_ref(row.event)) is not None and ref.is_text}
    hashes = sorted({ref.sha256 for ref in refs.values()})
    inline = {row.sha256: row.text for row in await core.store.read(CONTENTS, domain=domain, hashes=hashes)}
    texts = {
        each: "; ".join(f"{name}: {value}" for name, value in user_properties(row.event).items())
        for each, row in rows.items()
    }

    async def fetch(subject: str) -> None:
        try:
            content = await core.contents.fetch(domain, refs[subject], inline.get(refs[subject].sha256))
        except GraphError:
            return
        texts[subject] = "\n".join(each for each in (texts[subject], content.text or "") if each)

    async with task_group() as tasks:
        for each in refs:
            tasks.start_soon(fetch, each)
    return texts


async def _ties(core: Core, domain: str, ids: Sequence[str]) -> list[Tie]:
    """Return the connections among nodes, as far as they are among the first of each."""
    found: dict[str, list[Tie]] = {}

    async def look(node: str) -> None:
        try:
            others = await neighbours.get_connected_nodes(
                core, domain, node, Page("", TIES, None), direction="out", connection_type=None, detail=True
            )
        except GraphError as error:
            if error.code is not Code.NODE_NOT_FOUND:  # it is gone by now
                raise
            return
        found[node] = [
            Tie(node, link.type, each.id)
            for each in others.nodes or ()
            if each.id in ids
            for link in each.connections
            if link.direction == "out"
        ]

    async with task_group() as tasks:
        for each in ids:
            tasks.start_soon(look, each)
    return [tie for each in ids for tie in dict.fromkeys(found.get(each, ()))]


def fitting(of: Callable[[int], Material], most: int = TOKENS) -> Material:
    """Return material that fits: with shorter texts, then without connections, then fewer pieces; one at least."""
    material = Material(())
    for length in LENGTHS:
        material = of(length)
        if size(material) <= most:
            return material
    material = Material(material.pieces)
    while len(material.pieces) > 1 and size(material) > most:
        material = Material(material.pieces[: len(material.pieces) * 3 // 4])
    return material


def size(material: Material) -> int:
    """Return how many tokens material takes."""
    return tokens_of_text(question("", material, ""))
