"""The cost of `verify` beside one raw statement that reads all the data to compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import psutil

from benchmarks.graph import fill, fresh, index, say, text_of
from benchmarks.measure import in_turns
from benchmarks.report import table
from benchmarks.sizes import Place

TIMES = 4
"""How often each side looks through a domain, and one time more that is not counted."""
LARGEST = 100_000
"""The most nodes of a domain that is looked through so often."""
MIB = 2**20
READ_ALL = """CALL () {
  MATCH (e:_Event) WHERE e._domain = $domain AND e._seq > 0
  RETURN sum(size(keys(properties(e)))) AS read
  UNION ALL
  MATCH (n:_Node) WHERE n._domain = $domain AND n._id > ''
  RETURN sum(size(keys(properties(n)))) + sum(COUNT { (n)-[r]->() WHERE size(keys(properties(r))) > 0 }) AS read
  UNION ALL
  MATCH (k:_Key) WHERE k._domain = $domain AND k._owner > ''
  RETURN sum(size(keys(properties(k)))) AS read
  UNION ALL
  MATCH (w:_Window) WHERE w._domain = $domain AND w._owner > ''
  RETURN sum(size(keys(properties(w)))) AS read
  UNION ALL
  MATCH (c:_Content) WHERE c._domain = $domain AND c._sha256 > ''
  RETURN sum(size(c._text)) AS read
}
RETURN sum(read) AS read"""
"""The floor: every event, node, connection, key, window and text is read once, in Neo4j, and compared with nothing."""


async def verifying(place: Place, sizes: Sequence[int]) -> str:
    """Return a table of domains with texts, indexed for search, and without."""
    kinds: dict[str, Callable[[int], str]] = {"with texts": text_of, "without texts": lambda _: ""}
    rows = [await _row(place, size, name, text) for size in sizes if size <= LARGEST for name, text in kinds.items()]
    heading = ("verify", "events", "events/s", "floor events/s", "ours / floor", "MiB more")
    return f"## Verify\n\n{table(heading, rows)}"


async def _row(place: Place, size: int, name: str, text: Callable[[int], str]) -> Sequence[object]:
    domain = fresh(f"bench-verify-{size}-")
    say(f"filling {size:,} nodes and {2 * size:,} connections {name}, to verify them")
    await fill(place.memory, domain, size, text)
    await index(place.memory, domain)
    verification = await place.memory.upkeep.verify(domain=domain)
    assert verification.clean
    before = psutil.Process().memory_info().rss

    async def ours(_: int) -> object:
        return await place.memory.upkeep.verify(domain=domain)

    floor = partial(place.driver.execute_query, READ_ALL, domain=domain)
    timings = await in_turns((ours, lambda _: floor()), TIMES, turn=1)
    rates = [verification.events * 1_000 / timing.p50 for timing in timings]
    result = (psutil.Process().memory_info().rss - before) / MIB
    answer = (f"{rate:,.0f}" for rate in rates)
    return (
        f"{size:,} nodes {name}",
        f"{verification.events:,}",
        *answer,
        f"{rates[0] / rates[1]:.2f}",
        f"{result:.0f}",
    )
