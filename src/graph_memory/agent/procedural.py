"""`Procedural`: patterns to follow or to avoid in a situation, with their success counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from graph_memory.agent.kinds import PatternType, Scope
from graph_memory.agent.limits.usage import Usage
from graph_memory.agent.records.patterns import (
    Situation,
    conditions_of,
    match_patterns,
    pattern_of,
    steps_of,
    stored_procedure,
    stored_trigger,
)
from graph_memory.agent.records.roles import Roles, add_types, roles_of
from graph_memory.agent.records.times import rfc3339
from graph_memory.agent.records.writing import Operation, new_connection, new_node, title_from_text, write
from graph_memory.agent.results import Pattern, PatternMatches, Patterns
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.history.results import LogEntry
from graph_memory.memory.search.request import check_integer
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import new_id
from graph_memory.model.results import NodeSummary
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.strength import check_fraction

_MOST_RESULTS = 100
_MOST_CHANGES = 500
"""Maximum number of log entries that are checked for changed patterns before all patterns are read again."""
_ATTEMPTS = 200
"""Maximum number of attempts to increase a counter that other processes change at the same time."""


@dataclass(frozen=True, slots=True)
class _CachedPatterns:
    """The patterns of a domain as of the log entry with the number `seq` and the id `change`."""

    seq: int
    change: str
    patterns: Sequence[Pattern]


@dataclass(frozen=True, slots=True)
class PatternCache:
    """A cache of a domain's patterns. Any change of a pattern invalidates it."""

    entries: dict[tuple[str, str], object]
    domain: str

    async def patterns(self, memory: Memory, pattern_type: str) -> Sequence[Pattern]:
        """Return the domain's current patterns, from the cache if no pattern has changed."""
        [last_entry] = (await memory.history.log(limit=1)).entries
        cached = self.entries.get((self.domain, pattern_type))
        if isinstance(cached, _CachedPatterns) and await self._is_unchanged(memory, pattern_type, cached, last_entry):
            self.entries[self.domain, pattern_type] = replace(cached, seq=last_entry.seq, change=last_entry.id)
            return cached.patterns
        results = await memory.query_nodes(type=pattern_type, valid_at=datetime.now(UTC))
        patterns = [pattern_of(node) for node in await memory.describe_nodes(results.node_ids)]
        self.entries[self.domain, pattern_type] = _CachedPatterns(last_entry.seq, last_entry.id, patterns)
        return patterns

    @staticmethod
    async def _is_unchanged(memory: Memory, pattern_type: str, cached: _CachedPatterns, last_entry: LogEntry) -> bool:
        """Return whether the log has no change of a pattern after the cached state, and is still the same log."""
        if last_entry.id == cached.change:
            return True
        if not 0 < last_entry.seq - cached.seq <= _MOST_CHANGES:
            return False
        *changes, first = (await memory.history.log(since=cached.seq, limit=_MOST_CHANGES + 1)).entries
        return first.id == cached.change and not any(change.type in (pattern_type, None) for change in changes)


class Procedural:
    """The patterns of a domain, with their success counts. Access them as `memory.agent.procedural`."""

    def __init__(self, memory: Memory, cache: PatternCache, usage: Usage) -> None:
        self._memory = memory
        self._usage = usage
        self._cache = cache

    async def record(
        self,
        name: str,
        description: str = "",
        *,
        conditions: Sequence[Mapping[str, object]],
        pattern_type: PatternType = "solution",
        confidence: float = 0.5,
        steps: Sequence[str | Mapping[str, object]] = (),
        tools: Sequence[str] = (),
        expected_outcome: str = "",
        scope: Scope = "project",
        learned_from: Sequence[str] = (),
        once: bool = False,
    ) -> Pattern:
        """Record a pattern and return it.

        If `once` is set, and a pattern with this type, description and keywords is already stored, returns that pattern
        without `since`. Conditions have a `type` (`keyword`, `entity_type`, `error_type` or `custom`), a `value` and a
        `weight` (default 1). Steps are strings, or objects with `action`, `tool` and `parameters`. `learned_from` lists
        ids of events. Raises INVALID_ARGUMENT if there is no condition, a weight is not above 0, or the confidence is
        not between 0 and 1. Raises NODE_NOT_FOUND for an unknown event, and MEMORY_LIMIT_REACHED.
        """
        trigger, procedure = conditions_of(conditions), steps_of(steps)
        keywords = [condition.value for condition in trigger]
        pattern_id = new_id("mem")
        content = "\n".join(filter(None, [description, *(f"- {step.action}" for step in procedure), expected_outcome]))
        properties = {
            "name": name,
            "description": description or None,
            "pattern_type": pattern_type,
            "trigger": stored_trigger(trigger, check_fraction("confidence", confidence)),
            "procedure": stored_procedure(procedure, tools, expected_outcome),
            "scope": None if scope == "project" else scope,
        }

        def changes(roles: Roles) -> list[Operation]:
            connections = [new_connection(roles["LearnedFrom"], pattern_id, event) for event in learned_from]
            return [new_node(roles["Pattern"], pattern_id, name, content, properties), *connections]

        roles = await add_types(self._memory, changes)
        adding = self._usage.count_added("patterns", roles["Pattern"], 1)
        async with adding as warning, self._memory.transaction() as transaction:
            procedural = Procedural(transaction, self._cache, self._usage)
            if once and (existing := await procedural.find(pattern_type, description, keywords)):
                return existing
            await procedural._create_node(roles, pattern_id, content, properties, learned_from)
            since, until = transaction.range
        pattern, warnings = await self.get(pattern_id), (warning,) if warning else None
        return pattern.model_copy(update={"warnings": warnings, "since": since, "until": until})

    async def _create_node(
        self, roles: Roles, pattern_id: str, content: str, properties: Mapping[str, object], learned_from: Sequence[str]
    ) -> None:
        """Create the node of a pattern, and connect it with the events from which it was learned."""
        kind = roles["Pattern"]
        stored_properties = {name: value for name, value in properties.items() if value is not None}
        title = title_from_text(str(properties["name"])) or kind
        await self._memory.create_node(kind, content, title=title, properties=stored_properties, id=pattern_id)
        for event in learned_from:
            await self._memory.create_connection(roles["LearnedFrom"], pattern_id, event)

    async def get(self, pattern_id: str) -> Pattern:
        """Return a pattern.

        Raises NODE_NOT_FOUND for an unknown id, and INVALID_ARGUMENT if the node is not a pattern.
        """
        node, _ = await self._find_node(pattern_id)
        return pattern_of(node)

    async def find(self, pattern_type: PatternType, description: str, keywords: Collection[str]) -> Pattern | None:
        """Return a pattern with this type, this exact description and at least these keywords, or None."""
        roles = await roles_of(self._memory)
        if roles is None:
            return None
        properties = {"pattern_type": pattern_type} | ({"description": description} if description else {})
        results = await self._memory.query_nodes(
            type=roles["Pattern"], properties=properties, valid_at=datetime.now(UTC)
        )
        for pattern in map(pattern_of, await self._memory.describe_nodes(results.node_ids)):
            has_keywords = {condition.value for condition in pattern.conditions} >= {*keywords}
            if has_keywords and (pattern.description or "") == description:
                return pattern
        return None

    async def match(
        self,
        query: str,
        *,
        entity_types: Collection[str] = (),
        error_types: Collection[str] = (),
        limit: int = 5,
    ) -> PatternMatches:
        """Return the patterns that match a situation, best first, with the conditions that are met.

        A keyword condition is met if the query contains the word, even with another English ending. A condition on an
        entity or error type is met if the type is passed. Anti-patterns have a `warning`. Raises INVALID_ARGUMENT if
        `limit` is out of range.
        """
        check_integer("limit", limit, 1, _MOST_RESULTS)
        situation = Situation(query, entity_types, error_types)
        return PatternMatches(matches=match_patterns(await self._patterns(), situation, limit))

    async def apply_result(self, pattern_id: str, success: bool, *, event: str | None = None) -> Pattern:
        """Count a success or failure of a pattern, and return the pattern. `event` is the id of a related event.

        Concurrent calls are all counted. Raises NODE_NOT_FOUND, and INVALID_ARGUMENT if the node is not a pattern.
        """
        counter = "successes" if success else "failures"
        for attempt in range(1, _ATTEMPTS + 1):
            node, roles = await self._find_node(pattern_id)
            properties = {counter: getattr(pattern_of(node), counter) + 1, "last_used": rfc3339("last_used", None)}
            change: dict[str, object] = {"op": "update_node", "node_id": pattern_id, "properties": properties}
            change["expected_version"] = node.version
            connection = await self._event_connection(roles, pattern_id, event) if event else []
            try:
                await write(self._memory, [change, *connection])
            except GraphError as error:
                if error.code is not Code.VERSION_CONFLICT or attempt == _ATTEMPTS:
                    raise
            else:
                break
        return await self.get(pattern_id)

    async def get_best(self, pattern_type: PatternType | None = None, *, limit: int = 10) -> Patterns:
        """Return the patterns with the highest success rates (Wilson lower bound).

        Raises INVALID_ARGUMENT if `limit` is out of range.
        """
        check_integer("limit", limit, 1, _MOST_RESULTS)
        patterns = [pattern for pattern in await self._patterns() if pattern_type in (None, pattern.pattern_type)]
        patterns.sort(key=lambda pattern: (-pattern.success_bound, -pattern.confidence, pattern.name))
        return Patterns(patterns=tuple(patterns[:limit]))

    async def _event_connection(self, roles: Roles, pattern_id: str, event: str) -> list[Operation]:
        """Return the operation that connects the pattern with the event, or no operation if they are connected."""
        kind = roles["LearnedFrom"]
        neighbours = await self._memory.get_connected_nodes_of([pattern_id], direction="out", connection_type=kind)
        return [] if event in neighbours.get(pattern_id, ()) else [new_connection(kind, pattern_id, event)]

    async def _find_node(self, pattern_id: str) -> tuple[NodeSummary, Roles]:
        roles = await roles_of(self._memory)
        nodes = await self._memory.describe_nodes([pattern_id])
        if not nodes:
            await self._memory.get_node(pattern_id)  # raises NODE_NOT_FOUND
        if roles is None or nodes[0].type != roles["Pattern"]:
            message = f"{quote(pattern_id)} is a node of type {nodes[0].type}, not a pattern"
            hint = Hint("Find the ids of patterns with {match_patterns|get_best_patterns}.")
            raise invalid_argument("pattern_id", message, hint)
        return nodes[0], roles

    async def _patterns(self) -> Sequence[Pattern]:
        roles = await roles_of(self._memory)
        return () if roles is None else await self._cache.patterns(self._memory, roles["Pattern"])
