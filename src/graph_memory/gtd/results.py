"""Results of the lists of Getting Things Done."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Result
from graph_memory.model.values.properties import PropertyValue


class Ref(Result):
    """A reference to a node: its id and title."""

    id: str
    title: str


class Item(Ref):
    """A project or action in a list of the weekly review."""

    type: str
    status: str | None = None
    due: str | None = None


class Action(Ref):
    """An action, with the properties that determine whether it can be done now."""

    status: str | None = None
    contexts: tuple[str, ...] = Field(default=(), description="Contexts that the action requires, such as phone")
    minutes: float | None = Field(default=None, description="Maximum duration in minutes; absent if unknown")
    due: str | None = None
    energy: str | None = None
    priority: PropertyValue | None = None
    projects: tuple[Ref, ...] = Field(default=(), description="The projects of which it is a next action")


class OmittedActions(Result):
    """The number of actions with status `next` that cannot be done now, by the first reason that applies."""

    project: int = Field(description="Number of actions whose projects are all finished, on hold or someday")
    dependencies: int = Field(description="Number of actions with a dependency that is not complete")
    contexts: int = Field(description="Number of actions that require another context")
    time: int = Field(description="Number of actions that take longer than `minutes`")
    energy: int = Field(description="Number of actions that need more energy than `energy`")


class AvailableActions(Result):
    """The actions that can be done now, most urgent first."""

    actions: tuple[Action, ...]
    left_out: OmittedActions = Field(description="Numbers of next actions that cannot be done now, by reason")


class StuckProject(Ref):
    """An active project without an open next action."""

    reason: str = Field(description="The reason: no next action, or all next actions are done")
    due: str | None = None
    area: str | None = None
    priority: PropertyValue | None = None


class StuckProjects(Result):
    """The active projects without an open next action, most urgent first."""

    projects: tuple[StuckProject, ...]


class Waiting(Result):
    """An action or project that waits for a person."""

    connection_id: str
    waiting: Ref = Field(description="The action or project that waits")
    person: Ref = Field(description="The person for whom it waits")
    since: str | None = Field(default=None, description="Date since which it has been waiting")
    follow_up_date: str | None = Field(default=None, description="Date on which to ask again")
    days_overdue: int | None = Field(
        default=None, description="Days since the follow-up date: 0 means today, a negative number a future date"
    )


class WaitingFor(Result):
    """The actions and projects that wait for a person, longest overdue first."""

    waiting: tuple[Waiting, ...]


class ProjectActions(Ref):
    """A project with its open next actions."""

    due: str | None = None
    actions: tuple[Action, ...]


class NextActions(Result):
    """Projects with their open next actions, most urgent first."""

    projects: tuple[ProjectActions, ...]


class Review(Result):
    """The lists of a weekly review: entries that need a decision, and entries to look through."""

    inbox: tuple[Item, ...] = Field(description="Actions with status inbox")
    unclear: tuple[Item, ...] = Field(description="Projects and actions without a status")
    stuck: tuple[StuckProject, ...] = Field(description="Active projects without an open next action")
    blocked: tuple[Item, ...] = Field(description="Next actions with a cancelled dependency")
    waiting: tuple[Waiting, ...] = Field(description="Actions and projects that wait for a person")
    overdue: tuple[Item, ...] = Field(description="Projects and actions that were due before today")
    coming: tuple[Item, ...] = Field(description="Projects and actions that are due within the next 7 days")
    projects: tuple[ProjectActions, ...] = Field(description="Active projects with their next actions")
    scheduled: tuple[Item, ...] = Field(description="Actions with status scheduled")
    resting: tuple[Item, ...] = Field(description="Projects and actions with status waiting or on_hold")
    loose: tuple[Item, ...] = Field(description="Next actions that belong to no project")
    undated: tuple[Item, ...] = Field(
        description="Projects and actions whose due date cannot be parsed, such as next week"
    )
    someday: tuple[Item, ...] = Field(description="Projects and actions with status someday")
    done: tuple[Item, ...] = Field(description="Complete projects and actions that were changed in the last 7 days")
