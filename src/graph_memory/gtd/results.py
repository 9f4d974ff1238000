"""What the questions of Getting Things Done are answered with."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Result
from graph_memory.model.values.properties import PropertyValue


class Ref(Result):
    """A node, named."""

    id: str
    title: str


class Item(Ref):
    """A project or an action in a list of the review."""

    type: str
    status: str | None = None
    due: str | None = None


class Action(Ref):
    """An action with what decides whether it can be done now."""

    status: str | None = None
    contexts: tuple[str, ...] = Field(default=(), description="All that it requires, such as phone")
    minutes: float | None = Field(default=None, description="How long it takes, at most; absent if unknown")
    due: str | None = None
    energy: str | None = None
    priority: PropertyValue | None = None
    projects: tuple[Ref, ...] = Field(default=(), description="The projects whose next action it is")


class LeftOut(Result):
    """How many actions with status `next` cannot be done now, by the first reason that applies."""

    project: int = Field(description="All their projects are over, on hold or someday")
    dependencies: int = Field(description="Something that they depend on is not completed")
    contexts: int = Field(description="They require a context that is not at hand")
    time: int = Field(description="They take longer than the time at hand")
    energy: int = Field(description="They take more energy than is at hand")


class Available(Result):
    """The actions that can be done now, the most pressing first."""

    actions: tuple[Action, ...]
    left_out: LeftOut


class StuckProject(Ref):
    """An active project that nothing moves."""

    reason: str = Field(description="no next action, or all next actions are done")
    due: str | None = None
    area: str | None = None
    priority: PropertyValue | None = None


class StuckProjects(Result):
    """The active projects that nothing moves, the most pressing first."""

    projects: tuple[StuckProject, ...]


class Waiting(Result):
    """One thing that somebody else has to do."""

    connection_id: str
    waiting: Ref = Field(description="The action or project that waits")
    person: Ref
    since: str | None = None
    follow_up_date: str | None = None
    days_overdue: int | None = Field(
        default=None, description="Days since the follow-up date: 0 is today, below 0 is in the future"
    )


class WaitingFor(Result):
    """What is waited for, the longest overdue first."""

    waiting: tuple[Waiting, ...]


class ProjectActions(Ref):
    """An active project and the steps that would move it."""

    due: str | None = None
    actions: tuple[Action, ...]


class NextActions(Result):
    """Projects with their next actions, the most pressing project first."""

    projects: tuple[ProjectActions, ...]


class Review(Result):
    """All lists of a weekly review."""

    inbox: tuple[Item, ...] = Field(description="Actions written down but not yet decided on")
    unclear: tuple[Item, ...] = Field(description="Projects and actions without a status")
    stuck: tuple[StuckProject, ...]
    blocked: tuple[Item, ...] = Field(description="Next actions that depend on something cancelled")
    waiting: tuple[Waiting, ...]
    overdue: tuple[Item, ...] = Field(description="Due before today")
    coming: tuple[Item, ...] = Field(description="Due within the next 7 days")
    projects: tuple[ProjectActions, ...] = Field(description="Active projects with their next actions")
    scheduled: tuple[Item, ...] = Field(description="Actions for a certain time")
    resting: tuple[Item, ...] = Field(description="Projects and actions with status waiting or on_hold")
    loose: tuple[Item, ...] = Field(description="Next actions that belong to no project")
    undated: tuple[Item, ...] = Field(description="Due on a day that cannot be read, such as next week")
    someday: tuple[Item, ...]
    done: tuple[Item, ...] = Field(description="Complete, and changed in the last 7 days")
