"""What other nodes say of an entity that is forgotten: observations, properties and contents that name it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from graph_memory.memory.core import Core
from graph_memory.memory.entities.results import Forgotten
from graph_memory.memory.graph.describe import node_briefs
from graph_memory.memory.recall.finding import find
from graph_memory.memory.recall.request import Filters, Request
from graph_memory.memory.recall.scoring import Passage
from graph_memory.memory.recall.search import scope_of
from graph_memory.memory.recall.shown import NAME
from graph_memory.model.errors import GraphError

_NAMES = 5
"""Maximum number of names and aliases that are searched for."""
_HITS = 100
_MOST = 20
"""Maximum number of mentions that are returned."""
_LONGEST = 200
"""Maximum number of characters of each mention."""


async def with_mentions(
    core: Core, domain: str, done: Forgotten, names: Sequence[str], gone: Collection[str]
) -> Forgotten:
    """Return the receipt with the texts of other nodes. A search that fails becomes a warning: the work is done."""
    try:
        stays = await other_mentions(core, domain, names, gone)
    except GraphError as error:
        failed = f"Texts of other nodes that name the entities could not be searched: {error.message}."
        return done.model_copy(update={"warnings": (f"{failed} Search for the names with scan.",)})
    return done.model_copy(update={"stays": stays or None})


async def other_mentions(core: Core, domain: str, names: Sequence[str], gone: Collection[str]) -> tuple[str, ...]:
    """Return the lines of other nodes that name an entity, each after the title of its node.

    `gone` has the ids that are forgotten. Changes that are not indexed yet may be missing.
    """
    lines: dict[tuple[str, str], None] = {}
    for name in dict.fromkeys(names[:_NAMES]):
        scope = await scope_of(core, domain, Filters(), None, awaited="words")
        found = await find(scope, Request(name, mode="lexical", max_results=_HITS))
        passages = (each.passage for each in found.scored.values())
        kept = [each for each in passages if not {each.owner, each.unit} & {*gone} and each.place != NAME]
        lines |= {(passage.unit, line): None for passage in kept for line in lines_naming(passage, name)}
    told = list(lines)[:_MOST]
    titles = {node.id: node.title for node in await node_briefs(core, domain, sorted({unit for unit, _ in told}))}
    return tuple(f"{titles.get(unit, unit)}: {line}" for unit, line in told)


def lines_naming(passage: Passage, name: str) -> list[str]:
    """Return the lines of a passage in which a name stands as a whole word."""
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    return [line.strip()[:_LONGEST] for line in passage.text.splitlines() if pattern.search(line)]
