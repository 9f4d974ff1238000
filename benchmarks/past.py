"""The history: what reading the past costs, how it grows with the log, and how long the large operations take."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence

from benchmarks.graph import fill, fresh, node_id, say, write_nodes
from benchmarks.measure import Call, Timings, in_turns
from benchmarks.report import milliseconds, table
from benchmarks.sizes import Place
from graph_memory import Memory

CHANGED = 1_000
"""Changes that are read, reverted and merged."""
STATES = 20
"""States of the node whose history is asked for."""

Large = Callable[[Memory, int], Awaitable[object]]


async def histories(place: Place, sizes: Sequence[int]) -> str:
    """Return tables of reads of the past and of large operations at every size, each in a domain of its own."""
    memories = [await _fill(place.memory, size) for size in sizes]
    heading = ("reading", *(f"{size:,} nodes, p50" for size in sizes), "p95 of the last", "grows by")
    reads = table(heading, [await _read(name, memories, place.calls) for name in READS])
    small = [await _seconds(name, memories) for name in LARGE]
    large = table(("seconds", *(f"{size:,} nodes" for size in sizes)), small)
    return "\n".join([f"## History, {CHANGED:,} changes after filling\n", reads, large])


async def _fill(memory: Memory, size: int) -> Memory:
    """Return a domain whose last changes are many states of one node and one of each of many others."""
    domain = fresh(f"bench-past-{size}-")
    say(f"filling {size:,} nodes and {2 * size:,} connections")
    await fill(memory, domain, size)
    filled = memory.in_domain(domain)
    for state in range(STATES):
        await filled.update_node(node_id(0), properties={"state": state})
    await write_nodes(memory, domain, range(CHANGED), prefix="later-")
    return filled


async def _last(memory: Memory) -> int:
    return (await memory.history.log(limit=1)).entries[0].seq


async def _log_page(memory: Memory) -> Call:
    return lambda _: memory.history.log(limit=50)


async def _node_history(memory: Memory) -> Call:
    return lambda _: memory.history.log(subject=node_id(0))


async def _node_then(memory: Memory) -> Call:
    past = await memory.history.as_of(await _last(memory) // 2)
    return lambda turn: past.get_node(node_id(turn % 1_000))


async def _recent_query(memory: Memory) -> Call:
    past = await memory.history.as_of(await _last(memory) - CHANGED)
    return lambda _: past.query_nodes(type="Thing", properties={"code": 3})


async def _difference(memory: Memory) -> Call:
    since = await _last(memory) - CHANGED
    return lambda _: memory.history.diff(since=since)


READS: dict[str, Callable[[Memory], Awaitable[Call]]] = {
    "a page of the log, 50 changes": _log_page,
    f"the history of a node of {STATES + 1} states": _node_history,
    "one node as of half the log": _node_then,
    f"a query as of {CHANGED:,} changes ago": _recent_query,
    f"diff over {CHANGED:,} changes": _difference,
}


async def _read(name: str, memories: Sequence[Memory], calls: int) -> Sequence[object]:
    say(name)
    few = max(20, calls // 10)
    timings: list[Timings] = await in_turns([await READS[name](memory) for memory in memories], few, turn=5)
    growth = timings[-1].p50 / timings[0].p50
    p50s = [milliseconds(timing)[0] for timing in timings]
    return (name, *p50s, milliseconds(timings[-1])[1], f"{growth:.2f}")


async def _whole(memory: Memory, last: int) -> object:
    return await (await memory.history.as_of(last // 2)).query_nodes()


async def _revert(memory: Memory, last: int) -> object:
    done = await memory.history.revert(since=last - CHANGED + 1, until=last)
    return await memory.history.revert(since=done.changes[0].seq, until=done.changes[-1].seq)


async def _branch(memory: Memory, _: int) -> object:
    return await memory.history.branch(_name(memory))


async def _work(memory: Memory, _: int) -> object:
    return await write_nodes(memory, _name(memory), range(CHANGED), prefix="branched-")


async def _merge(memory: Memory, _: int) -> object:
    return await memory.history.merge(_name(memory))


async def _delete(memory: Memory, _: int) -> object:
    return await memory.delete_domain(_name(memory))


def _name(memory: Memory) -> str:
    return f"{memory._domain(None)}-b"


LARGE: dict[str, Large] = {
    "all nodes as of half the log": _whole,
    f"reverting {CHANGED:,} changes, and reverting that": _revert,
    "a branch": _branch,
    f"{CHANGED:,} nodes written in it, for comparison": _work,
    f"merging these {CHANGED:,} back": _merge,
    "deleting the branch": _delete,
}


async def _seconds(name: str, memories: Sequence[Memory]) -> Sequence[object]:
    say(name)
    results: list[str] = []
    for memory in memories:
        last = await _last(memory)
        began = time.perf_counter()
        await LARGE[name](memory, last)
        results.append(f"{time.perf_counter() - began:.1f}")
    return (name, *results)
