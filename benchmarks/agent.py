"""Events and patterns of an agent, beside the raw driver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from neo4j import AsyncDriver

from benchmarks.graph import fresh, say
from benchmarks.measure import Operation, compare
from benchmarks.report import table
from benchmarks.sizes import Place
from graph_memory import Memory
from graph_memory.agent.layer import Agent
from graph_memory.memory.search.index.index import catch_up

_SESSIONS = 50
_PATTERNS = 1_000
_AT_ONCE = 2_000
_INDEXING = 3_600.0
"""Maximum seconds until all texts have vectors: a search waits two seconds for missing vectors."""
_RAW = (
    "CREATE INDEX bench_event IF NOT EXISTS FOR (e:BenchEvent) ON (e.domain, e.session, e.at)",
    "CREATE INDEX bench_entity IF NOT EXISTS FOR (e:BenchEntity) ON (e.domain, e.name)",
)


async def agent(place: Place, sizes: Sequence[int]) -> str:
    """Return a table of how long calls take at each number of events, beside the least that Neo4j must do."""
    rows: list[Sequence[object]] = []
    for statement in _RAW:
        await place.driver.execute_query(statement)  # pyright: ignore[reportArgumentType]
    for size in sizes:
        say(f"{size:,} events")
        memory = place.memory.in_domain(domain := fresh(f"bench-agent-{size}-"))
        sides = _Sides(memory.agent, place.driver, domain)
        await sides.fill(memory, size)
        for operation in sides.operations():
            result = await compare(operation, place.calls)
            rows.append((f"{size:,}", operation.name, f"{result.ours.p50:.1f}", f"{result.floor.p50:.1f}",
                         f"{result.ratio:.1f}", f"{result.ours.p95:.1f}"))  # fmt: skip
    heading = ("events", "call", "median ms", "raw driver", "ratio", "p95 ms")
    return f"## Events and patterns of an agent\n\n{table(heading, rows)}"


@dataclass(frozen=True)
class _Sides:
    """The events of a size, with us and in a plain graph."""

    agent: Agent
    driver: AsyncDriver
    domain: str

    async def fill(self, memory: Memory, size: int) -> None:
        """Make the events, spread over sessions, and the patterns."""
        await self.record(0)
        events = [_event(number) for number in range(size)]
        properties = "{domain: $domain, session: 's' + toString(n % $sessions), at: n}"
        made = f"UNWIND range($start, $end) AS n CREATE (:BenchEvent {properties})"
        for start in range(0, size, _AT_ONCE):
            await memory.execute_batch(events[start : start + _AT_ONCE])
            parameters = {"start": start, "end": min(start + _AT_ONCE, size) - 1, "sessions": _SESSIONS}
            await self.driver.execute_query(made, {"domain": self.domain, **parameters})
        for number in range(_PATTERNS):
            words = [{"value": f"word{number * 7 + offset}"} for offset in range(3)]
            await self.agent.procedural.record(f"Pattern {number}", conditions=words)
        _ = await catch_up(memory._core, self.domain, within=_INDEXING)

    def operations(self) -> Sequence[Operation]:
        """Return the operations to compare, the writes last: they leave texts to be indexed."""
        return (
            Operation("get_recent, 20", self.recent, self.raw_recent),
            Operation(f"match, {_PATTERNS:,} patterns", self.match, self.raw_recent),
            Operation("query_memory, beside a hybrid search", self.query, self.search),
            Operation("record, two entities and relations", self.record, self.raw_record, writes=True),
        )

    async def record(self, number: int) -> object:
        """Record an event that is about two entities."""
        names = [f"file{number % 97}", f"tool{number % 13}"]
        return await self.agent.episodic.record(
            "tool_call",
            f"ran {names[1]} on {names[0]}",
            session=f"s{number % _SESSIONS}",
            outcome="success",
            entities=[{"name": name} for name in names],
        )

    async def raw_record(self, number: int) -> object:
        """Make the same rows in one transaction."""
        return await self.driver.execute_query(
            "CREATE (e:BenchEvent {domain: $domain, session: $session, at: $at}) "
            "WITH e UNWIND $names AS name MERGE (t:BenchEntity {domain: $domain, name: name}) "
            "CREATE (e)-[:INVOLVES]->(t)",
            domain=self.domain,
            session=f"s{number % _SESSIONS}",
            at=10_000_000 + number,
            names=[f"file{number % 97}", f"tool{number % 13}"],
        )

    async def recent(self, number: int) -> object:
        """Read the latest events of a session."""
        events = await self.agent.episodic.get_recent(f"s{number % _SESSIONS}")
        assert events.events
        return events

    async def raw_recent(self, number: int) -> object:
        """Read the same from an index."""
        return await self.driver.execute_query(
            "MATCH (e:BenchEvent {domain: $domain, session: $session}) WHERE e.at > -1 "
            "RETURN e ORDER BY e.domain DESC, e.session DESC, e.at DESC LIMIT 20",
            domain=self.domain,
            session=f"s{number % _SESSIONS}",
        )

    async def match(self, number: int) -> object:
        """Look for the patterns that fit a situation."""
        matches = await self.agent.procedural.match(f"it said word{number * 7 % 7_000} again")
        assert matches.matches
        return matches

    async def query(self, number: int) -> object:
        """Ask all memory types."""
        results = await self.agent.query_memory(f"call {number * 7 % 900} word{number * 7 % 7_000}")
        assert results.events
        return results

    async def search(self, number: int) -> object:
        """Search for the same by words and meaning, with as many hits."""
        result = await self.agent.contextual.hybrid_search(f"call {number * 7 % 900} word{number * 7 % 7_000}", k=25)
        assert result.hits
        return result


def _event(number: int) -> dict[str, object]:
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=number)
    properties = {"session": f"s{number % _SESSIONS}", "event_type": "tool_call", "actor": "agent"}
    properties["timestamp"] = at.isoformat()
    return {"op": "create_node", "type": "Event", "content": f"call {number}", "properties": properties}
