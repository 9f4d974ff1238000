"""Builds lists of projects and actions from nodes. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from graph_memory.gtd import rules
from graph_memory.gtd.results import Action, Available, Item, LeftOut, ProjectActions, Ref, StuckProject, Waiting
from graph_memory.model.results import ConnectionSummary, NodeSummary

Neighbours = Mapping[str, Sequence[NodeSummary]]
"""The nodes that one type of connection joins with a node, by its id."""


@dataclass(frozen=True, slots=True)
class ActionNeighbours:
    """The projects and contexts of actions."""

    projects: Neighbours
    contexts: Neighbours


@dataclass(frozen=True, slots=True)
class Means:
    """The contexts, time and energy that are available. None means no limit."""

    contexts: frozenset[str] | None = None
    minutes: float | None = None
    energy: str | None = None


def status(node: NodeSummary) -> str | None:
    """Return the status of the project or action, or None if it has none."""
    return rules.text_of(node.properties, "status")


def is_finished(node: NodeSummary) -> bool:
    """Return whether the project or action is complete or cancelled."""
    return status(node) in rules.FINISHED


def by_urgency(nodes: Iterable[NodeSummary]) -> list[NodeSummary]:
    """Sort the nodes, the most urgent first."""
    return sorted(nodes, key=lambda node: (rules.urgency(node.properties, node.title), node.id))


def items(nodes: Iterable[NodeSummary]) -> tuple[Item, ...]:
    """Convert the nodes to list items, the most urgent first."""
    return tuple(
        Item(
            id=node.id,
            title=node.title,
            type=node.type,
            status=status(node),
            due=rules.text_of(node.properties, "due"),
        )
        for node in by_urgency(nodes)
    )


def due_within(nodes: Iterable[NodeSummary], first: date, last: date) -> list[NodeSummary]:
    """Return the unfinished nodes that are due from `first` to `last`, both included."""
    return [
        node
        for node in nodes
        if not is_finished(node) and (day := rules.day_of(node.properties.get("due"))) and first <= day <= last
    ]


def is_due_some_day(node: NodeSummary) -> bool:
    """Return whether the node is unfinished and has a due day that cannot be parsed, such as "next week"."""
    due = rules.text_of(node.properties, "due")
    return due is not None and not is_finished(node) and rules.day_of(node.properties["due"]) is None


def is_done_within(node: NodeSummary, first: date, last: date) -> bool:
    """Return whether the node is complete and was last changed from `first` to `last`, both included."""
    return status(node) in rules.COMPLETE and first <= node.modified.astimezone().date() <= last


def stuck_projects(projects: Iterable[NodeSummary], steps: Neighbours) -> tuple[StuckProject, ...]:
    """Return the projects without an open step, each with the reason."""
    return tuple(
        StuckProject(
            id=project.id,
            title=project.title,
            reason="all next actions are done" if steps[project.id] else "no next action",
            due=rules.text_of(project.properties, "due"),
            area=rules.text_of(project.properties, "area"),
            priority=rules.set_value(project.properties, "priority"),
        )
        for project in projects
        if all(map(is_finished, steps[project.id]))
    )


def action(node: NodeSummary, neighbours: ActionNeighbours) -> Action:
    """Return the action with its contexts and projects."""
    labels = [str(context.properties.get("name") or context.title) for context in neighbours.contexts[node.id]]
    return Action(
        id=node.id,
        title=node.title,
        status=status(node),
        contexts=rules.contexts_of(node.properties, labels),
        minutes=rules.minutes_of(node.properties.get("time_estimate")),
        due=rules.text_of(node.properties, "due"),
        energy=rules.text_of(node.properties, "energy"),
        priority=rules.set_value(node.properties, "priority"),
        projects=tuple(Ref(id=project.id, title=project.title) for project in neighbours.projects[node.id]),
    )


def available(
    nodes: Iterable[NodeSummary], neighbours: ActionNeighbours, dependencies: Neighbours, means: Means
) -> Available:
    """Return the actions that can be done now, and how many others there are, by reason."""
    left_out = dict.fromkeys(LeftOut.model_fields, 0)
    actions: list[Action] = []
    for node in by_urgency(nodes):
        candidate = action(node, neighbours)
        if reason := _blocking_reason(neighbours.projects[node.id], dependencies[node.id]) or _missing_means(
            candidate, means
        ):
            left_out[reason] += 1
        else:
            actions.append(candidate)
    return Available(actions=tuple(actions), left_out=LeftOut(**left_out))


def _blocking_reason(projects: Sequence[NodeSummary], dependencies: Sequence[NodeSummary]) -> str | None:
    if projects and all(status(project) in rules.RESTING for project in projects):
        return "project"
    return None if all(status(dependency) in rules.COMPLETE for dependency in dependencies) else "dependencies"


def _missing_means(candidate: Action, means: Means) -> str | None:
    if means.contexts is not None and not means.contexts.issuperset(candidate.contexts):
        return "contexts"
    if means.minutes is not None and candidate.minutes is not None and candidate.minutes > means.minutes:
        return "time"
    return None if rules.is_within_energy(candidate.energy, means.energy) else "energy"


def with_actions(
    projects: Iterable[NodeSummary], open_steps: Neighbours, neighbours: ActionNeighbours
) -> tuple[ProjectActions, ...]:
    """Return the projects, each with its open steps."""
    return tuple(
        ProjectActions(
            id=project.id,
            title=project.title,
            due=rules.text_of(project.properties, "due"),
            actions=tuple(action(node, neighbours) for node in by_urgency(open_steps[project.id])),
        )
        for project in projects
    )


def waiting(
    connections: Iterable[ConnectionSummary], sources: Mapping[str, NodeSummary], today: date
) -> tuple[Waiting, ...]:
    """Return the connections from unfinished nodes, longest overdue first. Connections without a date come last."""
    pending = [link for link in connections if link.from_id in sources and not is_finished(sources[link.from_id])]
    entries = [_waiting(link, today) for link in pending]
    return tuple(
        sorted(entries, key=lambda entry: (entry.days_overdue is None, -(entry.days_overdue or 0), entry.connection_id))
    )


def _waiting(connection: ConnectionSummary, today: date) -> Waiting:
    day = rules.day_of(connection.properties.get("follow_up_date"))
    return Waiting(
        connection_id=connection.id,
        waiting=Ref(id=connection.from_id, title=connection.from_title),
        person=Ref(id=connection.to_id, title=connection.to_title),
        since=rules.text_of(connection.properties, "since"),
        follow_up_date=rules.text_of(connection.properties, "follow_up_date"),
        days_overdue=(today - day).days if day else None,
    )


def context_keys(contexts: Collection[str] | None) -> frozenset[str] | None:
    """Return the contexts in the form used for comparisons, or None for no limit."""
    return None if contexts is None else frozenset(map(rules.context_name, contexts))
