"""From nodes to the lists that are shown: pure functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from graph_memory.gtd import rules
from graph_memory.gtd.results import Action, Available, Item, LeftOut, ProjectActions, Ref, StuckProject, Waiting
from graph_memory.model.results import ConnectionSummary, NodeSummary

Neighbours = Mapping[str, Sequence[NodeSummary]]
"""For the id of a node, the nodes that one type of connection joins it with."""


@dataclass(frozen=True, slots=True)
class Around:
    """What actions are connected to."""

    projects: Neighbours
    contexts: Neighbours


@dataclass(frozen=True, slots=True)
class Means:
    """What a person has at hand; None is anything."""

    contexts: frozenset[str] | None = None
    minutes: float | None = None
    energy: str | None = None


def status(node: NodeSummary) -> str | None:
    """Return the status of a project or action, None when it has none."""
    return rules.text_of(node.properties, "status")


def is_over(node: NodeSummary) -> bool:
    """Say whether nothing is left to do: it is complete or cancelled."""
    return status(node) in rules.OVER


def by_urgency(nodes: Iterable[NodeSummary]) -> list[NodeSummary]:
    """Return nodes, the most pressing first."""
    return sorted(nodes, key=lambda node: (rules.urgency(node.properties, node.title), node.id))


def items(nodes: Iterable[NodeSummary]) -> tuple[Item, ...]:
    """Return nodes as items of a list, the most pressing first."""
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
    """Return the nodes that are not over and due on one of these days."""
    return [
        node
        for node in nodes
        if not is_over(node) and (day := rules.day_of(node.properties.get("due"))) and first <= day <= last
    ]


def is_due_some_day(node: NodeSummary) -> bool:
    """Say whether a node that is not over is due on a day that cannot be read, such as "next week"."""
    due = rules.text_of(node.properties, "due")
    return due is not None and not is_over(node) and rules.day_of(node.properties["due"]) is None


def is_done_within(node: NodeSummary, first: date, last: date) -> bool:
    """Say whether a node is complete and was changed on one of these days."""
    return status(node) in rules.COMPLETE and first <= node.modified.astimezone().date() <= last


def stuck(projects: Iterable[NodeSummary], steps: Neighbours) -> tuple[StuckProject, ...]:
    """Return those projects that none of their steps moves: there is none, or all are over."""
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
        if all(map(is_over, steps[project.id]))
    )


def action(node: NodeSummary, around: Around) -> Action:
    """Return an action with its contexts and projects."""
    named = [str(context.properties.get("name") or context.title) for context in around.contexts[node.id]]
    return Action(
        id=node.id,
        title=node.title,
        status=status(node),
        contexts=rules.contexts_of(node.properties, named),
        minutes=rules.minutes_of(node.properties.get("time_estimate")),
        due=rules.text_of(node.properties, "due"),
        energy=rules.text_of(node.properties, "energy"),
        priority=rules.set_value(node.properties, "priority"),
        projects=tuple(Ref(id=project.id, title=project.title) for project in around.projects[node.id]),
    )


def available(nodes: Iterable[NodeSummary], around: Around, depends: Neighbours, means: Means) -> Available:
    """Return those actions that can be done now, and count the others by what stands in their way."""
    left_out = dict.fromkeys(LeftOut.model_fields, 0)
    actions: list[Action] = []
    for node in by_urgency(nodes):
        one = action(node, around)
        if reason := _graph_forbids(around.projects[node.id], depends[node.id]) or _means_lack(one, means):
            left_out[reason] += 1
        else:
            actions.append(one)
    return Available(actions=tuple(actions), left_out=LeftOut(**left_out))


def _graph_forbids(projects: Sequence[NodeSummary], depends: Sequence[NodeSummary]) -> str | None:
    if projects and all(status(project) in rules.RESTING for project in projects):
        return "project"
    return None if all(status(depend) in rules.COMPLETE for depend in depends) else "dependencies"


def _means_lack(one: Action, means: Means) -> str | None:
    if means.contexts is not None and not means.contexts.issuperset(one.contexts):
        return "contexts"
    if means.minutes is not None and one.minutes is not None and one.minutes > means.minutes:
        return "time"
    return None if rules.is_within_energy(one.energy, means.energy) else "energy"


def with_actions(projects: Iterable[NodeSummary], ahead: Neighbours, around: Around) -> tuple[ProjectActions, ...]:
    """Return projects with the steps that are ahead of them."""
    return tuple(
        ProjectActions(
            id=project.id,
            title=project.title,
            due=rules.text_of(project.properties, "due"),
            actions=tuple(action(node, around) for node in by_urgency(ahead[project.id])),
        )
        for project in projects
    )


def waiting(found: Iterable[ConnectionSummary], sources: Mapping[str, NodeSummary], today: date) -> tuple[Waiting, ...]:
    """Return what is waited for by what is not over, longest overdue first and what has no date last."""
    pending = [
        connection for connection in found if connection.from_id in sources and not is_over(sources[connection.from_id])
    ]
    waitings = [_waiting(connection, today) for connection in pending]
    return tuple(
        sorted(waitings, key=lambda one: (one.days_overdue is None, -(one.days_overdue or 0), one.connection_id))
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


def names(contexts: Collection[str] | None) -> frozenset[str] | None:
    """Return contexts as they are compared, None for any."""
    return None if contexts is None else frozenset(map(rules.context_name, contexts))
