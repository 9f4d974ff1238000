"""What the memory types of an agent return."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graph_memory.model.results import Result

Actor = Literal["user", "agent", "system"]
Outcome = Literal["success", "failure", "partial"]
PatternType = Literal["solution", "workflow", "anti_pattern"]
Scope = Literal["global", "project"]
Status = Literal["pending", "active", "blocked", "completed", "abandoned"]


class Event(Result):
    """Something that happened."""

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
    distance: int | None = Field(
        default=None, description="In a chain: steps from the event asked about, below 0 for what led to it"
    )


class Events(Result):
    """Events: the latest first, of a search the best first, of a chain in the order of time."""

    events: tuple[Event, ...]
    next_cursor: str | None = Field(default=None, description="Pass it as cursor for the next page")
    left_out: bool | None = Field(default=None, description="The chain goes on beyond the depth or the limit")
    warnings: tuple[str, ...] | None = None


class EventRecorded(Result):
    """The event, and what was recorded with it."""

    event_id: str
    session: str
    timestamp: str
    since: int = Field(description="Number of the first change in the log, for memory_revert")
    until: int = Field(description="Number of the last")
    entities: tuple[str, ...] | None = Field(default=None, description="Names of the entities that it involves")


class Condition(Result):
    """Something that must hold for a pattern to fit."""

    type: Literal["keyword", "entity_type", "error_type", "custom"]
    value: str
    weight: float = Field(default=1.0, gt=0)


class Step(Result):
    """One step of a procedure."""

    action: str
    tool: str | None = None
    parameters: dict[str, object] | None = None


class Pattern(Result):
    """What works in a situation, or must be avoided there, with its track record."""

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


class PatternMatch(Result):
    """A pattern that fits a situation, and why."""

    pattern: Pattern
    score: float = Field(description="Share of the weights of the conditions that hold, times the confidence")
    held: tuple[Condition, ...] = Field(description="The conditions that hold")
    warning: str | None = Field(default=None, description="Of an anti-pattern: what to avoid")


class PatternMatches(Result):
    """The patterns that fit, the best first."""

    matches: tuple[PatternMatch, ...]


class Patterns(Result):
    """Patterns, the best first."""

    patterns: tuple[Pattern, ...]


class GoalStep(Result):
    """One step towards a goal."""

    number: int
    text: str
    done: bool


class Goal(Result):
    """Something that is to be reached."""

    id: str
    description: str
    status: Status
    priority: float | None = Field(default=None, description="1 is first")
    deadline: str | None = None
    session: str | None = Field(default=None, description="The session that it is for; absent for a goal that stays")
    steps: tuple[GoalStep, ...] | None = None
    current_step: int | None = Field(default=None, description="Number of the first step that is not done")
    progress: float = Field(description="0 to 1: of its subgoals on average, else the share of its steps that are done")
    parent: str | None = Field(default=None, description="Id of the goal of which it is a part")
    subgoals: tuple[str, ...] | None = None
    blocked_by: tuple[str, ...] | None = Field(default=None, description="Ids of the goals that it waits for")
    blocked_reason: str | None = None


class Goals(Result):
    """Goals, by priority and deadline."""

    goals: tuple[Goal, ...]
    left_out: int | None = Field(default=None, description="Goals beyond the limit")


class GoalChanged(Result):
    """A goal after a change, and what became of others."""

    goal: Goal
    unblocked: tuple[str, ...] | None = Field(
        default=None, description="Ids of goals that are pending again, since all that blocked them is completed"
    )
    warnings: tuple[str, ...] | None = None
