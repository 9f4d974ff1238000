"""The tools of the toolset `agent_memory`: events, patterns, goals and the other memory types of an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, get_args

from pydantic import Field, WithJsonSchema

from graph_memory.agent.kinds import (
    Actor,
    CommunicationStyle,
    ConditionType,
    ExpertiseLevel,
    Outcome,
    PatternType,
    Scope,
    Status,
)
from graph_memory.agent.results import (
    Capabilities,
    Environment,
    EventResult,
    Events,
    GoalResult,
    Goals,
    MemoryResults,
    Pattern,
    PatternMatches,
    Patterns,
    UserProfile,
    WorkingMemory,
)
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.operations.arguments import (
    ANY_KEYS,
    NUMBER,
    STRING,
    STRINGS,
    Call,
    Cursor,
    Fraction,
    Names,
    object_schema,
)
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.agent.layer import Agent
    from graph_memory.memory.api.memory import Memory

ResultLimit = Annotated[int, Field(ge=1, le=100)]


_ENTITY = object_schema({"name": STRING, "type": STRING, "observations": STRINGS}, "name")
_RELATION = object_schema({"from": STRING, "to": STRING, "type": STRING}, "from", "to", "type")
_CONDITION = object_schema(
    {
        "type": {
            **STRING,
            "enum": [*get_args(ConditionType)],
            "description": "Default: keyword",
        },
        "value": STRING,
        "weight": {**NUMBER, "description": "Default 1"},
    },
    "value",
)
GivenValue = Annotated[Any, WithJsonSchema({"anyOf": [STRING, NUMBER, ANY_KEYS]})]
_CORRECTION = object_schema(dict.fromkeys(("original", "corrected", "context"), STRING), "original", "corrected")
GivenCorrection = Annotated[dict[str, Any], WithJsonSchema(_CORRECTION)]
GivenEntity = Annotated[dict[str, Any], WithJsonSchema(_ENTITY)]
GivenRelation = Annotated[dict[str, Any], WithJsonSchema(_RELATION)]
GivenCondition = Annotated[dict[str, Any], WithJsonSchema(_CONDITION)]


class RecordEvent(Call):
    """Arguments of `record_event`."""

    event_type: Annotated[str, Field(description="Such as tool_call, error or decision")]
    content: NotRequired[str]
    summary: NotRequired[str]
    session: NotRequired[str]
    actor: NotRequired[Annotated[Actor, Field(description="Default: agent")]]
    outcome: NotRequired[Outcome]
    timestamp: NotRequired[Annotated[str, Field(description="Default: now")]]
    duration_ms: NotRequired[float]
    keywords: NotRequired[Names]
    tool: NotRequired[Annotated[str, Field(description="For a tool_call: the tool's name")]]
    caused_by: NotRequired[Annotated[Names, Field(description="Ids of events")]]
    entities: NotRequired[Annotated[list[GivenEntity], Field(description="Entities to create or extend")]]
    relations: NotRequired[Annotated[list[GivenRelation], Field(description="Relations between entities, by name")]]
    archetype: NotRequired[
        Annotated[str, Field(description="coding_agent or personal_assistant: rules to extract entities")]
    ]


class GetEvents(Call):
    """Arguments of `get_events`."""

    session: NotRequired[Annotated[str, Field(description="Only return events of this session")]]
    type: NotRequired[Annotated[str, Field(description="Only return events of this type")]]
    outcome: NotRequired[Annotated[Outcome, Field(description="Only return events with this outcome")]]
    chain_of: NotRequired[Annotated[str, Field(description="Id of an event, whose causes and effects are returned")]]
    query: NotRequired[Annotated[str, Field(description="What to search for")]]
    limit: NotRequired[ResultLimit]
    cursor: NotRequired[Cursor]


class RecordPattern(Call):
    """Arguments of `record_pattern`."""

    name: Annotated[str, Field(description="Name of the pattern")]
    conditions: Annotated[list[GivenCondition], Field(description="The situation in which the pattern applies")]
    description: NotRequired[str]
    pattern_type: NotRequired[Annotated[PatternType, Field(description="Default: solution")]]
    confidence: NotRequired[Annotated[Fraction, Field(description="How reliable it is at first (default 0.5)")]]
    steps: NotRequired[Annotated[Names, Field(description="What to do, in order")]]
    tools: NotRequired[Annotated[Names, Field(description="Names of the tools that the steps use")]]
    expected_outcome: NotRequired[Annotated[str, Field(description="What should happen if the steps are followed")]]
    scope: NotRequired[Scope]
    learned_from: NotRequired[Annotated[Names, Field(description="Ids of events")]]


class MatchPatterns(Call):
    """Arguments of `match_patterns`."""

    query: Annotated[str, Field(description="Description of the situation")]
    entity_types: NotRequired[Annotated[Names, Field(description="Types of the entities in the situation")]]
    error_types: NotRequired[Annotated[Names, Field(description="Types of the errors that occurred")]]
    limit: NotRequired[ResultLimit]


class ApplyPatternResult(Call):
    """Arguments of `apply_pattern_result`."""

    pattern_id: Annotated[str, Field(description="Id of the pattern that you followed")]
    success: Annotated[bool, Field(description="Whether it worked")]
    event: NotRequired[Annotated[str, Field(description="Id of the event in which the pattern was applied")]]


class GetBestPatterns(Call):
    """Arguments of `get_best_patterns`."""

    pattern_type: NotRequired[Annotated[PatternType, Field(description="Only return patterns of this type")]]
    limit: NotRequired[ResultLimit]


class SetGoal(Call):
    """Arguments of `set_goal`."""

    description: str
    priority: NotRequired[Annotated[float, Field(description="1 is highest")]]
    deadline: NotRequired[Annotated[str, Field(description="Day or time")]]
    session: NotRequired[Annotated[str, Field(description="Only for this session")]]
    steps: NotRequired[Names]
    parent: NotRequired[Annotated[str, Field(description="Id of the parent goal")]]
    blocked_by: NotRequired[Annotated[Names, Field(description="Ids of goals")]]


class UpdateGoal(Call):
    """Arguments of `update_goal`."""

    goal_id: str
    status: NotRequired[Annotated[Status, Field(description="pending also clears blocked_by")]]
    complete_step: NotRequired[Annotated[int, Field(ge=0, description="Step number; 0: the next one")]]
    blocked_by: NotRequired[Annotated[str, Field(description="Id of a goal")]]
    blocked_reason: NotRequired[str]
    description: NotRequired[str]
    priority: NotRequired[float]
    deadline: NotRequired[str]
    steps: NotRequired[Names]


class WorkWithMemory(Call):
    """Arguments of `working_memory`."""

    action: Literal["set", "get", "clear"]
    key: NotRequired[
        Annotated[str, Field(description="goal, active_task, recent_outputs (appends the value) or your own key")]
    ]
    value: NotRequired[GivenValue]


class QueryMemory(Call):
    """Arguments of `query_memory`."""

    query: Annotated[str, Field(description="A question or topic")]
    event_limit: NotRequired[Annotated[int, Field(ge=0, le=50, description="Max events (default 5)")]]
    vector_limit: NotRequired[Annotated[int, Field(ge=1, le=50, description="Max other hits (default 10)")]]
    max_tokens: NotRequired[Annotated[int, Field(ge=100, description="Default 2,000")]]


class GetEnvironment(Call):
    """Arguments of `get_environment`."""

    refresh: NotRequired[Annotated[bool, Field(description="Scan the project again")]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=5_000, description="Max paths in the file tree (default 200)")]]


class ListGoals(Call):
    """Arguments of `list_goals`."""

    status: NotRequired[Annotated[Status, Field(description="Default: all unfinished goals")]]
    due_before: NotRequired[str]
    session: NotRequired[str]
    limit: NotRequired[ResultLimit]


class GetUserProfile(Call):
    """Arguments of `get_user_profile`."""

    user: NotRequired[Annotated[str, Field(description="Name of the user (default user)")]]


class UpdateUserProfile(Call):
    """Arguments of `update_user_profile`."""

    user: NotRequired[Annotated[str, Field(description="Name of the user (default user)")]]
    communication_style: NotRequired[Annotated[CommunicationStyle, Field(description="How replies should be written")]]
    expertise_level: NotRequired[ExpertiseLevel]
    preferred_tools: NotRequired[Annotated[Names, Field(description="Tools that the user prefers")]]
    custom_instructions: NotRequired[Annotated[Names, Field(description="Instructions that always apply")]]
    correction: NotRequired[
        Annotated[GivenCorrection, Field(description="A text, and the text that should replace it")]
    ]
    feedback: NotRequired[Annotated[str, Field(description="The user's feedback")]]


class GetCapabilities(Call):
    """Arguments of `get_capabilities`."""

    tool: NotRequired[Annotated[str, Field(description="Only return the statistics of this tool")]]
    domains: NotRequired[Annotated[Names, Field(description="Domains from which to count tool calls")]]


async def record_event(memory: Memory, arguments: RecordEvent) -> EventResult:
    """Record an event, such as a tool call, an error, a decision or a message, with the entities it involves."""
    return await _agent(memory, arguments).episodic.record(**_without_domain(arguments))


async def get_events(memory: Memory, arguments: GetEvents) -> Events:
    """Return the latest events of a session, type or outcome, the causes and effects of an event, or search hits."""
    episodic, filter_names = _agent(memory, arguments).episodic, ("session", "type", "outcome", "chain_of", "query")
    criteria = [name for name in filter_names if name in arguments]
    page: dict[str, Any] = {name: value for name, value in arguments.items() if name in ("limit", "cursor")}
    if len(criteria) > 1 or (criteria and criteria[0] in ("chain_of", "query") and "cursor" in page):
        message = f"{criteria[0]} cannot be combined with {[*criteria, 'cursor'][1]}"
        raise invalid_argument(criteria[0], message, "Pass one of session, type, outcome, chain_of and query.")
    match arguments:
        case {"type": kind}:
            return await episodic.get_by_type(kind, **page)
        case {"outcome": outcome}:
            return await episodic.get_by_outcome(outcome, **page)
        case {"chain_of": event}:
            return await episodic.get_chain(event, **page)
        case {"query": query}:
            return await episodic.search(query, **page)
        case _:
            return await episodic.get_recent(arguments.get("session"), **page)


async def record_pattern(memory: Memory, arguments: RecordPattern) -> Pattern:
    """Record a procedure that works in a situation or, with pattern_type anti_pattern, an action to avoid in it."""
    return await _agent(memory, arguments).procedural.record(**_without_domain(arguments))


async def match_patterns(memory: Memory, arguments: MatchPatterns) -> PatternMatches:
    """Return the patterns that match a situation, best first. Call it before you begin, and after an error."""
    return await _agent(memory, arguments).procedural.match(**_without_domain(arguments))


async def apply_pattern_result(memory: Memory, arguments: ApplyPatternResult) -> Pattern:
    """Record whether a pattern that you followed worked."""
    return await _agent(memory, arguments).procedural.apply_result(**_without_domain(arguments))


async def get_best_patterns(memory: Memory, arguments: GetBestPatterns) -> Patterns:
    """Return the most reliable patterns, ranked by success rate and number of uses."""
    return await _agent(memory, arguments).procedural.get_best(**_without_domain(arguments))


async def set_goal(memory: Memory, arguments: SetGoal) -> GoalResult:
    """Create a goal with its deadline, its steps and the goals that block it."""
    return await _agent(memory, arguments).prospective.create(**_without_domain(arguments))


async def update_goal(memory: Memory, arguments: UpdateGoal) -> GoalResult:
    """Change a goal, complete a step, or block it. Completing a goal unblocks the goals that wait only for it."""
    goals, changes = _agent(memory, arguments).prospective, _without_domain(arguments)
    goal, changed_names = str(changes.pop("goal_id")), {*changes}
    match changes:
        case {"complete_step": int(step)} if changed_names == {"complete_step"}:
            return await goals.complete_step(goal, step or None)
        case {"status": "pending"} if changed_names == {"status"}:
            return await goals.unblock(goal)
        case {"status": "abandoned"} if changed_names == {"status"}:
            return await goals.abandon(goal)
        case _ if changed_names and changed_names <= {"blocked_by", "blocked_reason"}:
            return await goals.block(goal, by=arguments.get("blocked_by"), reason=arguments.get("blocked_reason"))
        case _ if changed_names & {"complete_step", "blocked_by", "blocked_reason"}:
            name = sorted(changed_names & {"complete_step", "blocked_by", "blocked_reason"})[0]
            raise invalid_argument(name, f"{name} cannot be combined with other changes", "Make one call for each.")
        case _:
            return await goals.update(goal, **changes)


async def list_goals(memory: Memory, arguments: ListGoals) -> Goals:
    """Return goals by priority and deadline, with their progress and blockers."""
    return await _agent(memory, arguments).prospective.list(**_without_domain(arguments))


async def working_memory(memory: Memory, arguments: WorkWithMemory) -> WorkingMemory:
    """Keep notes for this session only, such as the goal and tool outputs. They are lost when the server stops."""
    working = _agent(memory, arguments).working
    match arguments:
        case {"action": "get"}:
            return await working.get(arguments.get("key"))
        case {"action": "clear"}:
            return await working.clear(arguments.get("key"))
        case {"key": key, "value": value}:
            return await working.set(key, value)
        case _:
            missing = "value" if "key" in arguments else "key"
            raise invalid_argument(missing, f"set needs a {missing}", "Pass both key and value.")


async def query_memory(memory: Memory, arguments: QueryMemory) -> MemoryResults:
    """Search events, entities, content, relations, patterns and goals at once, within one token budget."""
    return await _agent(memory, arguments).query_memory(**_without_domain(arguments))


async def get_environment(memory: Memory, arguments: GetEnvironment) -> Environment:
    """Describe the project in the server's folder: type, build system, conventions, git status and files."""
    environment, limit = _agent(memory, arguments).environmental, arguments.get("limit", 200)
    return await (environment.refresh(limit=limit) if arguments.get("refresh") else environment.get(limit=limit))


async def get_user_profile(memory: Memory, arguments: GetUserProfile) -> UserProfile:
    """Return the preferences, corrections, feedback and statistics of a user."""
    return await _agent(memory, arguments).user.get(**_without_domain(arguments))


async def update_user_profile(memory: Memory, arguments: UpdateUserProfile) -> UserProfile:
    """Store a user's preferences, corrections or feedback. recall returns matching corrections first."""
    return await _agent(memory, arguments).user.update(**_without_domain(arguments))


async def get_capabilities(memory: Memory, arguments: GetCapabilities) -> Capabilities:
    """Return your strengths, weaknesses, limits, reasons to ask first, and tool statistics."""
    return await _agent(memory, arguments).meta.get(**_without_domain(arguments))


def _agent(memory: Memory, arguments: Call) -> Agent:
    return (memory.in_domain(arguments["domain"]) if "domain" in arguments else memory).agent


def _without_domain(arguments: Call) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name != "domain"}


AGENT_MEMORY: tuple[AnyOperation, ...] = (
    Operation(record_event, RecordEvent, EventResult, Effect.CREATES),
    Operation(get_events, GetEvents, Events, Effect.READS),
    Operation(record_pattern, RecordPattern, Pattern, Effect.CREATES),
    Operation(match_patterns, MatchPatterns, PatternMatches, Effect.READS),
    Operation(apply_pattern_result, ApplyPatternResult, Pattern, Effect.CREATES),
    Operation(get_best_patterns, GetBestPatterns, Patterns, Effect.READS),
    Operation(set_goal, SetGoal, GoalResult, Effect.CREATES),
    Operation(update_goal, UpdateGoal, GoalResult, Effect.DESTROYS),
    Operation(list_goals, ListGoals, Goals, Effect.READS),
    Operation(get_user_profile, GetUserProfile, UserProfile, Effect.READS),
    Operation(update_user_profile, UpdateUserProfile, UserProfile, Effect.DESTROYS),
    Operation(get_capabilities, GetCapabilities, Capabilities, Effect.READS),
    Operation(working_memory, WorkWithMemory, WorkingMemory, Effect.MIXED, in_session=True),
    Operation(query_memory, QueryMemory, MemoryResults, Effect.READS),
    Operation(get_environment, GetEnvironment, Environment, Effect.READS, by_name=True, local=True),
)
