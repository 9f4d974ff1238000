"""Searches all memory types at once, within one token budget."""

from __future__ import annotations

from collections.abc import Sequence

from anyio import to_thread

from graph_memory.agent.procedural import Procedural
from graph_memory.agent.prospective import Prospective
from graph_memory.agent.records.roles import Roles, roles_of
from graph_memory.agent.results import FoundNode, FoundPattern, MemoryResults, PatternMatch
from graph_memory.agent.user import UserMemory
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.search.request import check_integer
from graph_memory.memory.search.results import Hit
from graph_memory.memory.search.token_budget import RemainingTokens, load_counter, tokens_of
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import Result

_MAX_HITS = 50
_MAX_PATTERNS = 3
_MAX_CORRECTIONS = 3
"""Maximum number of corrections, and of preferences, in a result."""
_MAX_RESULTS = {"goals": 5, "relations": 20}
"""Maximum number of results in each field that no argument limits."""
_MIN_TOKENS, _MAX_TOKENS = 100, 100_000
_FIELD_NAME_TOKENS = 70
"""Number of tokens of the field names in a result."""


async def query_memory(
    memory: Memory,
    procedural: Procedural,
    user: UserMemory,
    query: str,
    *,
    event_limit: int,
    vector_limit: int,
    max_tokens: int,
) -> MemoryResults:
    """Search all memory types for the query. See `Agent.query_memory`."""
    check_integer("event_limit", event_limit, 0, _MAX_HITS)
    check_integer("vector_limit", vector_limit, 1, _MAX_HITS)
    check_integer("max_tokens", max_tokens, _MIN_TOKENS, _MAX_TOKENS)
    roles = await roles_of(memory)
    hits, warnings = await _search(memory, query, event_limit + 2 * vector_limit)
    nodes = [hit for hit in hits if hit.kind == "node"]
    matches = await procedural.match(query, entity_types={hit.type for hit in nodes}, limit=_MAX_PATTERNS)
    user_matches = await user.find(query, limit=_MAX_CORRECTIONS)
    patterns = tuple(map(_pattern_hit_of, matches.matches))
    results = MemoryResults(**dict(user_matches), patterns=patterns, warnings=warnings)
    results = results.model_copy(update=await _group_by_type(memory, roles, nodes, event_limit, vector_limit))
    return await to_thread.run_sync(_fit_results, results, max_tokens)  # the first count loads the tokenizer


async def _search(memory: Memory, query: str, limit: int) -> tuple[Sequence[Hit], tuple[str, ...] | None]:
    """Return the hits and warnings of a hybrid search, or no hits if the domain does not exist yet."""
    try:
        result = await memory.recall.hybrid_search(query, max_results=min(limit, 100), include_relevance_scores=False)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return (), None
    return result.hits, result.warnings


async def _group_by_type(
    memory: Memory, roles: Roles | None, nodes: Sequence[Hit], event_limit: int, vector_limit: int
) -> dict[str, object]:
    """Group the hits by memory type, and add the relations of the entities among the hits."""
    types = {} if roles is None else {roles[name]: name for name in ("Event", "Goal", "Pattern")}
    events = [hit for hit in nodes if types.get(hit.type) == "Event"]
    goals = [hit.id for hit in nodes if types.get(hit.type) == "Goal"]
    other_hits = [hit for hit in nodes if hit.type not in types][:vector_limit]
    result: dict[str, object] = {"events": tuple(map(_event_hit_of, events[:event_limit]))}

    if other_hits:
        graph = await memory.entities.open_nodes([hit.id for hit in other_hits], detail=True)
        entities = {entity.id for entity in graph.entities}
        result["entities"] = tuple(_hit_of(hit) for hit in other_hits if hit.id in entities)
        result["content"] = tuple(_hit_of(hit) for hit in other_hits if hit.id not in entities)
        result["relations"] = graph.relations
    if goals:
        result["goals"] = await Prospective(memory).among(goals)
    return result


def _hit_of(hit: Hit) -> FoundNode:
    fields = ("id", "type", "title", "why", "passage", "created", "began")
    return FoundNode.model_validate({name: getattr(hit, name) for name in fields})


def _event_hit_of(hit: Hit) -> FoundNode:
    """Convert the hit of an event. Omits the title if the passage begins with it."""
    repeats = " ".join((hit.passage or "").split()).startswith(hit.title)
    return _hit_of(hit).model_copy(update={"title": None} if repeats else {})


def _pattern_hit_of(match: PatternMatch) -> FoundPattern:
    pattern = match.pattern
    return FoundPattern(
        id=pattern.id,
        name=pattern.name,
        why=tuple(condition.value for condition in match.held),
        score=match.score,
        steps=tuple(step.action for step in pattern.steps) or None,
        success_bound=pattern.success_bound if pattern.applications else None,
        warning=match.warning,
    )


def _fit_results(results: MemoryResults, max_tokens: int) -> MemoryResults:
    """Return as many results as fit into the token budget. The fields are filled from most to least useful."""
    room = RemainingTokens(load_counter(), max_tokens - _FIELD_NAME_TOKENS)
    fields: dict[str, object] = {}
    left_out: dict[str, int] = {}
    for name in ("corrections", "preferences", "patterns", "goals", "events", "entities", "content", "relations"):
        candidates: Sequence[Result] = getattr(results, name) or ()
        fitting_results = tuple(
            result for result in candidates[: _MAX_RESULTS.get(name)] if room.deduct(tokens_of([result]))
        )
        fields[name] = fitting_results or None
        if len(candidates) > len(fitting_results):
            left_out[name] = len(candidates) - len(fitting_results)
    fields["left_out"] = left_out or None
    fitted = results.model_copy(update=fields)
    return fitted.model_copy(update={"tokens_used": tokens_of([fitted])})
