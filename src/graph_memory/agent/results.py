"""Results of the calls of `memory.agent`."""

from __future__ import annotations

from typing import Any

from pydantic import Field

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
from graph_memory.memory.entities.results import Relation
from graph_memory.memory.keys.results import KeyInfo
from graph_memory.memory.retention.results import DomainErasureResult
from graph_memory.model.results import Result, Text, Timestamp


class Event(Result):
    """An event in an agent's work, such as a tool call or a decision."""

    id: str
    title: str
    event_type: str
    actor: Actor
    session: str
    timestamp: str
    outcome: Outcome | None = None
    duration_ms: float | None = None
    summary: str | None = None
    keywords: tuple[str, ...] | None = None
    tool: str | None = None
    distance: int | None = Field(
        default=None, description="In a chain: steps from the requested event, negative for its causes"
    )


class Events(Result):
    """Events, newest first. Search results are ordered by relevance, and chains oldest first."""

    events: tuple[Event, ...]
    next_cursor: str | None = Field(default=None, description="Pass it as cursor for the next page")
    left_out: bool | None = Field(default=None, description="Whether the chain continues beyond the depth or the limit")
    warnings: tuple[Text, ...] | None = None


class EventResult(Result):
    """The id of the recorded event, its session and time, and the log numbers of its changes."""

    event_id: str
    session: str
    timestamp: str
    since: int = Field(description="Number of the first change in the log, for memory_revert")
    until: int = Field(description="Number of the last change")
    entities: tuple[str, ...] | None = Field(default=None, description="Names of the entities that the event involves")
    warnings: tuple[Text, ...] | None = None


class Condition(Result):
    """A condition of a pattern, with its weight in the score of a match."""

    type: ConditionType
    value: str
    weight: float = Field(default=1.0, gt=0)


class Step(Result):
    """One step of a pattern's procedure, with the tool to call and its parameters."""

    action: str
    tool: str | None = None
    parameters: dict[str, object] | None = None


class Pattern(Result):
    """A procedure that works in a situation, or an action to avoid there, with its success counts."""

    id: str
    name: str
    pattern_type: PatternType
    description: str | None = None
    conditions: tuple[Condition, ...] = ()
    confidence: float = Field(default=0.5, description="0 to 1")
    steps: tuple[Step, ...] = ()
    tools: tuple[str, ...] = ()
    expected_outcome: str | None = None
    scope: Scope = "project"
    applications: int = 0
    successes: int = 0
    failures: int = 0
    success_bound: float = Field(default=0, description="Wilson lower bound of the success rate at 95 %")
    last_used: str | None = None
    warnings: tuple[Text, ...] | None = None
    since: int | None = Field(default=None, description="First event: memory_revert with since and until undoes it")
    until: int | None = None


class PatternMatch(Result):
    """A pattern that matches the situation, with the conditions that are met."""

    pattern: Pattern
    score: float = Field(description="Share of the conditions that are met, by weight, times the confidence")
    held: tuple[Condition, ...] = Field(description="The conditions that are met")
    warning: str | None = Field(default=None, description="For an anti-pattern: the action to avoid")


class PatternMatches(Result):
    """Patterns that match the situation, best first."""

    matches: tuple[PatternMatch, ...]


class Patterns(Result):
    """Patterns, sorted by success rate (Wilson lower bound), highest first."""

    patterns: tuple[Pattern, ...]


class GoalStep(Result):
    """One step towards a goal."""

    number: int
    text: str
    done: bool


class Goal(Result):
    """A goal with its steps, progress, subgoals and blockers."""

    id: str
    description: str
    status: Status
    priority: float | None = Field(default=None, description="1 is first")
    deadline: str | None = None
    session: str | None = Field(
        default=None, description="The session of a temporary goal; absent for a permanent goal"
    )
    steps: tuple[GoalStep, ...] | None = None
    current_step: int | None = Field(default=None, description="Number of the first open step")
    progress: float = Field(
        description="0 to 1: mean progress of the subgoals or, if there are none, share of completed steps"
    )
    parent: str | None = Field(default=None, description="Id of the parent goal")
    subgoals: tuple[str, ...] | None = None
    blocked_by: tuple[str, ...] | None = Field(default=None, description="Ids of the goal's unfinished blockers")
    blocked_reason: str | None = None


class Goals(Result):
    """Goals, sorted by priority, then by deadline."""

    goals: tuple[Goal, ...]
    left_out: int | None = Field(default=None, description="Goals beyond the limit")


class GoalResult(Result):
    """A new or changed goal, and the goals that the change unblocked."""

    goal: Goal
    unblocked: tuple[str, ...] | None = Field(
        default=None, description="Ids of goals that became pending because their last blocker was completed"
    )
    warnings: tuple[Text, ...] | None = None
    since: int | None = Field(default=None, description="First event: memory_revert with since and until undoes it")
    until: int | None = None


class WorkingMemory(Result):
    """The working memory of a session, or the value of a single key."""

    session: str
    goal: str | None = None
    active_task: str | None = None
    recent_outputs: tuple[Any, ...] | None = Field(default=None, description="Oldest first")
    scratchpad: dict[str, Any] | None = None
    value: Any = Field(default=None, description="The value of the requested key")
    context_window: int = Field(description="Maximum number of tokens")
    used_tokens: int
    dropped: tuple[Any, ...] | None = Field(default=None, description="Outputs that the new value has displaced")


class GitStatus(Result):
    """The branch and the uncommitted changes of a git work tree."""

    branch: str
    ahead: int | None = Field(default=None, description="Commits that the upstream branch lacks")
    behind: int | None = Field(default=None, description="Commits of the upstream branch that are missing here")
    changed: tuple[str, ...] = Field(description="Paths with uncommitted changes, at most 50")
    left_out: int | None = Field(default=None, description="Changed paths beyond these")


class Correction(Result):
    """A correction by a user: a text, and the text that should replace it."""

    id: str = Field(description="Id of the observation, for forget")
    original: str
    corrected: str
    context: str | None = None
    time: Timestamp
    source: str | None = None


class Feedback(Result):
    """Feedback by a user, or a preference."""

    id: str | None = Field(
        default=None, description="Id of the observation, for forget; none for the fields of a profile"
    )
    text: str
    time: Timestamp
    source: str | None = None


class UserMatches(Result):
    """The corrections and preferences that are relevant to a query, best first."""

    corrections: tuple[Correction, ...]
    preferences: tuple[Feedback, ...]


class UserDeletionResult(Result):
    """The keys that were deleted with a user, and the domains from which the profile was erased."""

    user: str
    revoked: tuple[KeyInfo, ...] = Field(description="The deleted keys")
    erased: tuple[DomainErasureResult, ...] = Field(description="The domains whose logs contained the profile")


class Environment(Result):
    """The project that an agent works in."""

    project_root: str
    project_type: str | None = Field(default=None, description="Such as python; if several apply, the most specific")
    build_system: str | None = None
    conventions: tuple[str, ...] = Field(description="Files with instructions for this project, and configured tools")
    services: tuple[str, ...] = Field(description="Services of the compose file")
    git_status: GitStatus | None = Field(default=None, description="Absent outside a git work tree")
    file_tree: tuple[str, ...] = Field(description="Paths from the root, nearest first, without ignored files")
    left_out: int | None = Field(default=None, description="Files beyond the limit")
    recent_changes: tuple[str, ...] = Field(description="Paths of the files that were changed last, newest first")
    last_scanned: str
    stale_after: str = Field(description="Time after which the next call scans again")


class FoundNode(Result):
    """A node that matches a query, with the reason and the best passage."""

    id: str
    type: str
    title: str | None = Field(default=None, description="Absent if the event's passage begins with it")
    why: str = Field(description="A short reason why it matches")
    passage: str | None = Field(default=None, description="The part of its text that matches best")
    created: Timestamp | None = None
    began: Timestamp | None = Field(default=None, description="Time at which it happened or became valid, if known")


class FoundPattern(Result):
    """A pattern that matches a query, with the conditions that hold and its score."""

    id: str
    name: str
    why: tuple[str, ...] = Field(description="Values of the conditions that hold")
    score: float
    steps: tuple[str, ...] | None = None
    success_bound: float | None = Field(default=None, description="Absent before it was applied")
    warning: str | None = Field(default=None, description="For an anti-pattern: the action to avoid")


class MemoryResults(Result):
    """The results of all memory types for a query, each best first, within one token budget."""

    corrections: tuple[Correction, ...] | None = Field(default=None, description="Users' corrections on the same topic")
    preferences: tuple[Feedback, ...] | None = Field(default=None, description="Users' preferences on the same topic")
    patterns: tuple[FoundPattern, ...] | None = None
    goals: tuple[Goal, ...] | None = Field(default=None, description="Unfinished goals")
    events: tuple[FoundNode, ...] | None = None
    entities: tuple[FoundNode, ...] | None = None
    content: tuple[FoundNode, ...] | None = Field(default=None, description="Documents and all other nodes")
    relations: tuple[Relation, ...] | None = Field(default=None, description="Relations of the entities")
    tokens_used: int = 0
    left_out: dict[str, int] | None = Field(default=None, description="Results that did not fit, by field")
    warnings: tuple[Text, ...] | None = None


class IndexResult(Result):
    """The ids of stored documents, in the order of the call."""

    ids: tuple[str, ...]
    warnings: tuple[Text, ...] | None = None


class DurabilityResult(Result):
    """The result of `persist` and `restore`, which do nothing because every call stores its changes."""

    durable: bool = True
    message: str = "Every call stores its changes before it returns, so there is nothing to persist or to restore."


class PruneResult(Result):
    """The nodes and connections that `prune` archived, or would archive without `dry_run`."""

    archived: dict[str, int] = Field(description="Numbers of nodes and connections, by memory type")
    examples: tuple[str, ...] = Field(description="The first 20 of them")
    protected: int | None = Field(default=None, description="Number kept because they are protected")
    left_out: int | None = Field(default=None, description="Items beyond the maximum of one call. Call it again")
    archive: str | None = Field(default=None, description="Path of the archive file, for restore")
    since: int | None = Field(default=None, description="Number of the first change in the log, for memory_revert")
    until: int | None = None
    dry_run: bool | None = None


class RestoreResult(Result):
    """The number of nodes and connections that `restore` has restored."""

    batch: str | None = Field(default=None, description="Id of the batch in the log; absent if nothing was missing")
    restored: int = Field(description="Number of nodes and connections")


class UserProfile(Result):
    """The preferences, corrections and feedback of a user, with statistics."""

    user: str
    communication_style: CommunicationStyle | None = None
    expertise_level: ExpertiseLevel | None = None
    preferred_tools: tuple[str, ...] | None = None
    custom_instructions: tuple[str, ...] | None = None
    preferences: tuple[Feedback, ...] | None = Field(default=None, description="Stored by `remember`, newest first")
    corrections: tuple[Correction, ...] | None = Field(default=None, description="Newest first")
    feedback: tuple[Feedback, ...] | None = Field(default=None, description="Newest first")
    left_out: int | None = Field(default=None, description="Preferences, corrections and feedback beyond the limit")
    total_sessions: int | None = Field(default=None, description="Sessions in the log, and earlier ones in the profile")
    first_seen: Timestamp | None = None
    last_seen: Timestamp | None = None
    warnings: tuple[Text, ...] | None = None


class ToolError(Result):
    """An error of a tool, and how often it occurred. Numbers in its text are replaced with #."""

    error: str
    count: int


class ToolStatistics(Result):
    """The numbers, durations and common errors of a tool's calls."""

    tool: str
    usage: str | None = None
    uses: int = 0
    successes: int = 0
    failures: int = 0
    mean_ms: float | None = Field(default=None, description="Mean duration in milliseconds")
    p95_ms: float | None = Field(default=None, description="95 % of the calls took at most this long")
    common_errors: tuple[ToolError, ...] | None = None
    last_used: str | None = None


class Capabilities(Result):
    """The capabilities of an agent, and the statistics of its tools."""

    strengths: tuple[str, ...] | None = None
    weaknesses: tuple[str, ...] | None = None
    cannot_do: tuple[str, ...] | None = None
    should_ask: tuple[str, ...] | None = None
    tools: tuple[ToolStatistics, ...] = Field(description="Most used first")
    warnings: tuple[Text, ...] | None = None


class ConversationImportResult(Result):
    """The result of an import of conversations, or of its dry run."""

    format: str = Field(description="The program that recorded the conversations")
    dry_run: bool = Field(description="Whether nothing was written")
    domains: dict[str, int] = Field(description="Number of events by domain, including events of earlier imports")
    sessions: int = Field(description="Number of sessions")
    events: int = Field(description="Number of events: prompts, last replies, calls of tools and summaries")
    added: int = Field(description="Number of new events, even in a dry run")
    secrets: int = Field(description="Number of secrets that were replaced")
    unreadable: int = Field(description="Number of lines and conversations that were skipped because they are damaged")
