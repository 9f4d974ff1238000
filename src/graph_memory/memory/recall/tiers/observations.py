"""What was observed of the things that are told: of the first of them all, of the others what the search found."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from graph_memory.memory.background import task_group
from graph_memory.memory.recall.retrieval import Scope, observed_counts, observed_of
from graph_memory.memory.recall.scoring import Passage
from graph_memory.memory.recall.shown import by_fit, is_bare
from graph_memory.memory.recall.tiers.prose import NEAR
from graph_memory.memory.recall.tiers.seeds import Seeds
from graph_memory.memory.recall.tiers.within import is_dated

LAST = 20
"""The last observations that are read of what is not near, where no question finds any."""
_MOST_BARE = 10
"""Things of which only names were found that are looked into too."""
_TEXT = "text"


@dataclass(frozen=True, slots=True)
class Heard:
    """What was observed of a thing, what fits the question best first, and how many more observations there are."""

    passages: Sequence[Passage] = ()
    unread: int = 0

    def without(self, changed: Collection[str]) -> Heard:
        """Return it without observations that changed since they were indexed."""
        return replace(self, passages=[each for each in self.passages if each.owner not in changed])


async def observations_of(scope: Scope, seeds: Seeds, titles: Mapping[str, str], most: int) -> Mapping[str, Heard]:
    """Return what was observed of things, given their titles, the most valuable first; of each so many at most."""
    bare = [each for each in titles if each in seeds.values and is_bare(seeds.passages.get(each, ()))][:_MOST_BARE]
    near = [each for place, each in enumerate(titles) if place < NEAR or each in seeds.asked or each in bare]
    others = [each for each in titles if each not in near]
    read: dict[str, list[Passage]] = {}
    counts: dict[str, int] = {}

    async def look(nodes: Sequence[str], most: int) -> None:
        read.update(await observed_of(scope, nodes, seeds.vector, most))

    async def count() -> None:
        counts.update(await observed_counts(scope, list(titles)))

    async with task_group() as tasks:
        tasks.start_soon(look, near, most)
        if not seeds.passages:  # nothing was asked that would find them
            tasks.start_soon(look, others, min(LAST, most))
        if seeds.narrowed is None:
            tasks.start_soon(count)
    return {each: _heard(seeds, title, each, read.get(each, ()), counts.get(each, 0)) for each, title in titles.items()}


def _heard(seeds: Seeds, title: str, node: str, read: Sequence[Passage], count: int) -> Heard:
    found = [each for each in seeds.passages.get(node, ()) if _is_observation(each)]
    dated = [each for each in read if seeds.narrowed is None or is_dated(each, seeds.narrowed)]
    every = list({each.key: each for each in (*dated, *found)}.values())
    if seeds.question.terms or seeds.vector is not None:
        every = by_fit(seeds.question, title, every, seeds.points)
    return Heard(every, max(count - len({each.owner for each in every}), 0))


def _is_observation(passage: Passage) -> bool:
    return passage.owner != passage.unit and passage.place.split("/")[0] == _TEXT
