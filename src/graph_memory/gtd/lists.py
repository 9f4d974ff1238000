"""Builds lists of projects and actions from nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from graph_memory.gtd import rules
from graph_memory.gtd.results import (
    Action,
    AvailableActions,
    Item,
    OmittedActions,
    ProjectActions,
    Ref,
    StuckProject,
    Waiting,
)
from graph_memory.model.results import ConnectionSummary, NodeSummary

Neighbours = Mapping[str, Sequence[NodeSummary]]
"""Each node's neighbours over connections of one type, by node id."""


@dataclass(frozen=True, slots=True)
class ActionNeighbours:
    """Each action's projects and contexts, by action id."""

    projects: Neighbours
    contexts: Neighbours


@dataclass(frozen=True, slots=True)
class AvailableResources:
    """The available contexts, time and energy. None means no limit."""

    contexts: frozenset[str] | None = None
    minutes: float | None = None
    energy: str | None = None


def status_of(node: NodeSummary) -> str | None:
    """Return the status of a project or action, or None if it is not set."""
    return rules.text_of(node.properties, "status")


def is_finished(node: NodeSummary) -> bool:
    """Return whether a project or action is complete or cancelled."""
    return status_of(node) in rules.FINISHED


def sort_by_urgency(nodes: Iterable[NodeSummary]) -> list[NodeSummary]:
    """Sort the nodes by due day, then priority, then title. Nodes without a due day come last."""
    return sorted(nodes, key=lambda node: (rules.urgency(node.properties, node.title), node.id))


def list_items(nodes: Iterable[NodeSummary]) -> tuple[Item, ...]:
    """Convert the nodes to list items, most urgent first."""
    return tuple(
        Item(
            id=node.id,
            title=node.title,
            type=node.type,
            status=status_of(node),
            due=rules.text_of(node.properties, "due"),
        )
        for node in sort_by_urgency(nodes)
    )


def due_within(nodes: Iterable[NodeSummary], first: date, last: date) -> list[NodeSummary]:
    """Return the unfinished nodes that are due from `first` to `last`, inclusive."""
    return [
        node
        for node in nodes
        if not is_finished(node) and (day := rules.day_of(node.properties.get("due"))) and first <= day <= last
    ]


def has_unparsable_due_day(node: NodeSummary) -> bool:
    """Return whether the node is unfinished and its due day cannot be parsed, such as "next week"."""
    due = rules.text_of(node.properties, "due")
    return due is not None and not is_finished(node) and rules.day_of(node.properties["due"]) is None


def is_done_within(node: NodeSummary, first: date, last: date) -> bool:
    """Return whether the node is complete and was last changed from `first` to `last`, inclusive."""
    return status_of(node) in rules.COMPLETE and first <= node.modified.astimezone().date() <= last


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


def _render_action(node: NodeSummary, neighbours: ActionNeighbours) -> Action:
    labels = [str(context.properties.get("name") or context.title) for context in neighbours.contexts[node.id]]
    return Action(
        id=node.id,
        title=node.title,
        status=status_of(node),
        contexts=rules.contexts_of(node.properties, labels),
        minutes=rules.minutes_of(node.properties.get("time_estimate")),
        due=rules.text_of(node.properties, "due"),
        energy=rules.text_of(node.properties, "energy"),
        priority=rules.set_value(node.properties, "priority"),
        projects=tuple(Ref(id=project.id, title=project.title) for project in neighbours.projects[node.id]),
    )


def select_available(
    nodes: Iterable[NodeSummary], neighbours: ActionNeighbours, dependencies: Neighbours, resources: AvailableResources
) -> AvailableActions:
    """Return the actions that can be done now, and the number of other actions for each reason."""
    left_out_counts = dict.fromkeys(OmittedActions.model_fields, 0)
    actions: list[Action] = []
    for node in sort_by_urgency(nodes):
        candidate = _render_action(node, neighbours)
        if reason := _blocking_reason(neighbours.projects[node.id], dependencies[node.id]) or _missing_resource(
            candidate, resources
        ):
            left_out_counts[reason] += 1
        else:
            actions.append(candidate)
    return AvailableActions(actions=tuple(actions), left_out=OmittedActions(**left_out_counts))


def _blocking_reason(projects: Sequence[NodeSummary], dependencies: Sequence[NodeSummary]) -> str | None:
    if projects and all(status_of(project) in rules.RESTING for project in projects):
        return "project"
    return None if all(status_of(dependency) in rules.COMPLETE for dependency in dependencies) else "dependencies"


def _missing_resource(candidate: Action, resources: AvailableResources) -> str | None:
    if resources.contexts is not None and not resources.contexts.issuperset(candidate.contexts):
        return "contexts"
    if resources.minutes is not None and candidate.minutes is not None and candidate.minutes > resources.minutes:
        return "time"
    return None if rules.is_within_energy(candidate.energy, resources.energy) else "energy"


def render_projects(
    projects: Iterable[NodeSummary], open_steps: Neighbours, neighbours: ActionNeighbours
) -> tuple[ProjectActions, ...]:
    """Convert nodes to projects with their open next actions, most urgent first."""
    return tuple(
        ProjectActions(
            id=project.id,
            title=project.title,
            due=rules.text_of(project.properties, "due"),
            actions=tuple(_render_action(node, neighbours) for node in sort_by_urgency(open_steps[project.id])),
        )
        for project in projects
    )


def list_waiting(
    connections: Iterable[ConnectionSummary], sources: Mapping[str, NodeSummary], today: date
) -> tuple[Waiting, ...]:
    """Return an entry per connection from an unfinished node, longest overdue first.

    Entries without a date come last.
    """
    pending = [link for link in connections if link.from_id in sources and not is_finished(sources[link.from_id])]
    entries = [_render_waiting(link, today) for link in pending]
    return tuple(
        sorted(entries, key=lambda entry: (entry.days_overdue is None, -(entry.days_overdue or 0), entry.connection_id))
    )


def _render_waiting(connection: ConnectionSummary, today: date) -> Waiting:
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
    """Return the contexts in the form used for comparisons, or None if there is no limit."""
    return None if contexts is None else frozenset(map(rules.context_name, contexts))
