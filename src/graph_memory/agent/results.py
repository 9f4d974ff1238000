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
    event_type: str = Field(description="Such as tool_call, error or decision")
    actor: Actor
    session: str
    timestamp: str = Field(description="Time at which it happened")
    outcome: Outcome | None = None
    duration_ms: float | None = Field(default=None, description="Duration in milliseconds")
    summary: str | None = None
    keywords: tuple[str, ...] | None = None
    tool: str | None = Field(default=None, description="Name of the tool, for a tool call")
    distance: int | None = Field(
        default=None, description="In a chain: number of steps from the requested event, negative for its causes"
    )


class Events(Result):
    """Events, newest first. Search results are ordered by relevance, and chains oldest first."""

    events: tuple[Event, ...]
    next_cursor: str | None = Field(default=None, description="Pass it as cursor to get the next page")
    left_out: bool | None = Field(default=None, description="Whether the chain has more events than were returned")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Warnings about this result")


class EventResult(Result):
    """The id of the recorded event, its session and time, and the log numbers of its changes."""

    event_id: str = Field(description="Id of the recorded event")
    session: str = Field(description="Session of the event")
    timestamp: str = Field(description="Time of the event")
    since: int = Field(description="Log number of the first change, for memory_revert")
    until: int = Field(description="Log number of the last change")
    entities: tuple[str, ...] | None = Field(default=None, description="Names of the entities that the event involves")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Warnings about this result")


class Condition(Result):
    """A condition of a pattern, with its weight in the score of a match."""

    type: ConditionType = Field(description="Type of the condition, such as keyword")
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
    conditions: tuple[Condition, ...] = Field(default=(), description="The situation in which the pattern applies")
    confidence: float = Field(default=0.5, description="Confidence from 0 to 1")
    steps: tuple[Step, ...] = Field(default=(), description="The steps of the procedure")
    tools: tuple[str, ...] = Field(default=(), description="Names of the tools that the procedure uses")
    expected_outcome: str | None = Field(default=None, description="What should happen if the steps are followed")
    scope: Scope = Field(default="project", description="Where the pattern applies")
    applications: int = Field(default=0, description="Number of times that the pattern was applied")
    successes: int = Field(default=0, description="Number of times that it worked")
    failures: int = Field(default=0, description="Number of times that it did not work")
    success_bound: float = Field(default=0, description="Wilson lower bound of the success rate at 95 %")
    last_used: str | None = Field(default=None, description="When the pattern was last applied")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Warnings about this result")
    since: int | None = Field(default=None, description="Log number of the first change, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the last change")


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
    priority: float | None = Field(default=None, description="Priority; 1 is the highest")
    deadline: str | None = Field(default=None, description="Day or time by which the goal should be completed")
    session: str | None = Field(default=None, description="The session for which the goal applies, if it is temporary")
    steps: tuple[GoalStep, ...] | None = None
    current_step: int | None = Field(default=None, description="Number of the first step that is not done")
    progress: float = Field(
        description="Progress from 0 to 1: mean progress of the subgoals or, without subgoals, share of completed steps"
    )
    parent: str | None = Field(default=None, description="Id of the parent goal")
    subgoals: tuple[str, ...] | None = Field(default=None, description="Ids of the subgoals")
    blocked_by: tuple[str, ...] | None = Field(default=None, description="Ids of unfinished goals that block it")
    blocked_reason: str | None = Field(default=None, description="Why the goal is blocked")


class Goals(Result):
    """Goals, sorted by priority, then by deadline."""

    goals: tuple[Goal, ...]
    left_out: int | None = Field(default=None, description="Number of goals beyond the limit")


class GoalResult(Result):
    """A new or changed goal, and the goals that the change unblocked."""

    goal: Goal = Field(description="The goal after the change")
    unblocked: tuple[str, ...] | None = Field(
        default=None, description="Ids of the goals that only this goal blocked; they are now pending"
    )
    warnings: tuple[Text, ...] | None = Field(default=None, description="Warnings about this result")
    since: int | None = Field(default=None, description="Log number of the first change, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the last change")


class WorkingMemory(Result):
    """The working memory of a session, or the value of a single key."""

    session: str
    goal: str | None = Field(default=None, description="The current goal")
    active_task: str | None = Field(default=None, description="The current task")
    recent_outputs: tuple[Any, ...] | None = Field(default=None, description="The recent outputs, oldest first")
    scratchpad: dict[str, Any] | None = Field(default=None, description="The values under your own keys")
    value: Any = Field(default=None, description="The value of the requested key")
    context_window: int = Field(description="Maximum number of tokens")
    used_tokens: int = Field(description="Number of tokens that the working memory uses")
    dropped: tuple[Any, ...] | None = Field(
        default=None, description="Older outputs removed to make room for the new value"
    )


class GitStatus(Result):
    """The branch and the uncommitted changes of a git work tree."""

    branch: str
    ahead: int | None = Field(default=None, description="Number of commits that the upstream branch does not have")
    behind: int | None = Field(default=None, description="Number of upstream commits that are missing here")
    changed: tuple[str, ...] = Field(description="Paths with uncommitted changes, at most 50")
    left_out: int | None = Field(default=None, description="Number of changed paths that are not listed")


class Correction(Result):
    """A correction by a user: a text, and the text that should replace it."""

    id: str = Field(description="Id of the observation, which forget accepts")
    original: str = Field(description="The text to be replaced")
    corrected: str = Field(description="The text that replaces it")
    context: str | None = Field(default=None, description="When the correction applies")
    time: Timestamp
    source: str | None = None


class Feedback(Result):
    """Feedback by a user, or a preference."""

    id: str | None = Field(
        default=None, description="Id of the observation, which forget accepts; absent for fields of the profile"
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

    project_root: str = Field(description="Root folder of the project")
    project_type: str | None = Field(default=None, description="The most specific type of the project, such as python")
    build_system: str | None = Field(default=None, description="Build system of the project")
    conventions: tuple[str, ...] = Field(description="Files with instructions for this project, and configured tools")
    services: tuple[str, ...] = Field(description="Services in the Docker Compose file")
    git_status: GitStatus | None = Field(default=None, description="Git status; absent outside a git work tree")
    file_tree: tuple[str, ...] = Field(
        description="Paths from the root, with the fewest folders first, without ignored files"
    )
    left_out: int | None = Field(default=None, description="Number of files beyond the limit")
    recent_changes: tuple[str, ...] = Field(description="Paths of the last changed files, newest first")
    last_scanned: str = Field(description="Time of the scan")
    stale_after: str = Field(description="Time after which the next call scans again")


class FoundNode(Result):
    """A node that matches a query, with the reason and the best passage."""

    id: str
    type: str
    title: str | None = Field(default=None, description="Title; absent if the event's passage begins with it")
    why: str = Field(description="A short reason why it matches")
    passage: str | None = Field(default=None, description="The part of its text that matches best")
    created: Timestamp | None = None
    began: Timestamp | None = Field(default=None, description="Time at which it happened or became valid, if known")


class FoundPattern(Result):
    """A pattern that matches a query, with the conditions that hold and its score."""

    id: str
    name: str
    why: tuple[str, ...] = Field(description="Values of the conditions that are met")
    score: float = Field(description="Share of the conditions that are met, by weight, times the confidence")
    steps: tuple[str, ...] | None = None
    success_bound: float | None = Field(
        default=None, description="Lower bound of the success rate; absent if it was never applied"
    )
    warning: str | None = Field(default=None, description="For an anti-pattern: the action to avoid")


class MemoryResults(Result):
    """The results of all memory types for a query, each best first, within one token budget."""

    corrections: tuple[Correction, ...] | None = Field(default=None, description="Users' corrections on the same topic")
    preferences: tuple[Feedback, ...] | None = Field(default=None, description="Users' preferences on the same topic")
    patterns: tuple[FoundPattern, ...] | None = Field(default=None, description="Patterns that match the query")
    goals: tuple[Goal, ...] | None = Field(default=None, description="Unfinished goals")
    events: tuple[FoundNode, ...] | None = Field(default=None, description="Events that match the query")
    entities: tuple[FoundNode, ...] | None = Field(default=None, description="Entities that match the query")
    content: tuple[FoundNode, ...] | None = Field(default=None, description="Documents and all other nodes")
    relations: tuple[Relation, ...] | None = Field(default=None, description="Relations of the entities")
    tokens_used: int = Field(default=0, description="Number of tokens in the results")
    left_out: dict[str, int] | None = Field(default=None, description="Number of results that did not fit, by field")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Warnings about this result")


class IndexResult(Result):
    """The ids of stored documents, in the order of the call."""

    ids: tuple[str, ...] = Field(description="Ids of the documents")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Warnings about this result")


class DurabilityResult(Result):
    """The result of `persist` and `restore`, which do nothing because every call stores its changes."""

    durable: bool = True
    message: str = "Every call stores its changes before it returns, so there is nothing to persist or to restore."


class PruneResult(Result):
    """The nodes and connections that `prune` archived, or would archive without `dry_run`."""

    archived: dict[str, int] = Field(description="Number of archived nodes and connections, by memory type")
    examples: tuple[str, ...] = Field(description="The first 20 archived nodes and connections")
    protected: int | None = Field(default=None, description="Number of items kept because they are protected")
    left_out: int | None = Field(
        default=None, description="Number of items beyond the maximum of one call. Repeat the call to archive them"
    )
    archive: str | None = Field(default=None, description="Path of the archive file, which restore accepts")
    since: int | None = Field(default=None, description="Log number of the first change, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the last change")
    dry_run: bool | None = Field(default=None, description="Whether nothing was archived")


class RestoreResult(Result):
    """The number of nodes and connections that `restore` has restored."""

    batch: str | None = Field(default=None, description="Id of the batch in the log; absent if nothing was missing")
    restored: int = Field(description="Number of restored nodes and connections")


class UserProfile(Result):
    """The preferences, corrections and feedback of a user, with statistics."""

    user: str = Field(description="Name of the user")
    communication_style: CommunicationStyle | None = Field(default=None, description="Preferred style of replies")
    expertise_level: ExpertiseLevel | None = Field(default=None, description="The user's level of expertise")
    preferred_tools: tuple[str, ...] | None = Field(default=None, description="Tools that the user prefers")
    custom_instructions: tuple[str, ...] | None = Field(default=None, description="Instructions by the user")
    preferences: tuple[Feedback, ...] | None = Field(default=None, description="Stored by `remember`, newest first")
    corrections: tuple[Correction, ...] | None = Field(default=None, description="Corrections, newest first")
    feedback: tuple[Feedback, ...] | None = Field(default=None, description="Feedback by the user, newest first")
    left_out: int | None = Field(default=None, description="Number of entries beyond the limit")
    total_sessions: int | None = Field(
        default=None, description="Number of sessions, including earlier ones in the profile"
    )
    first_seen: Timestamp | None = Field(default=None, description="Time of the first session")
    last_seen: Timestamp | None = Field(default=None, description="Time of the last session")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Warnings about this result")


class ToolError(Result):
    """An error of a tool, and how often it occurred. Numbers in its text are replaced with #."""

    error: str
    count: int


class ToolStatistics(Result):
    """The numbers, durations and common errors of a tool's calls."""

    tool: str
    usage: str | None = Field(default=None, description="What the tool is used for")
    uses: int = Field(default=0, description="Number of calls")
    successes: int = Field(default=0, description="Number of successful calls")
    failures: int = Field(default=0, description="Number of failed calls")
    mean_ms: float | None = Field(default=None, description="Mean duration in milliseconds")
    p95_ms: float | None = Field(default=None, description="95th percentile of the duration in milliseconds")
    common_errors: tuple[ToolError, ...] | None = Field(default=None, description="The most common errors")
    last_used: str | None = Field(default=None, description="Time of the last call")


class Capabilities(Result):
    """The capabilities of an agent, and the statistics of its tools."""

    strengths: tuple[str, ...] | None = Field(default=None, description="What the agent does well")
    weaknesses: tuple[str, ...] | None = Field(default=None, description="What the agent does badly")
    cannot_do: tuple[str, ...] | None = Field(default=None, description="What the agent cannot do")
    should_ask: tuple[str, ...] | None = Field(default=None, description="When the agent should ask the user first")
    tools: tuple[ToolStatistics, ...] = Field(description="The tools, most used first")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Warnings about this result")


class ConversationImportResult(Result):
    """The result of an import of conversations, or of its dry run."""

    format: str = Field(description="The program that recorded the conversations")
    dry_run: bool = Field(description="Whether this was only a preview, so nothing was written")
    domains: dict[str, int] = Field(description="Number of events in each domain, with earlier imports")
    sessions: int = Field(description="Number of sessions")
    events: int = Field(description="Number of events: prompts, last replies, tool calls and summaries")
    added: int = Field(description="Number of new events that were added or, in a dry run, would be added")
    secrets: int = Field(description="Number of secrets that were replaced")
    unreadable: int = Field(description="Number of lines and conversations that were skipped because they are damaged")
