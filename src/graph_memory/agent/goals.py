"""Goals: their steps, and how far they are. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from graph_memory.agent.results import Goal, GoalStep
from graph_memory.agent.writing import lenient
from graph_memory.model.arguments import fault
from graph_memory.model.results import NodeSummary

MOST_STEPS = 100
OVER = frozenset({"completed", "abandoned"})


@dataclass(frozen=True, slots=True)
class Around:
    """What goals are connected with, by their ids."""

    parents: Mapping[str, Sequence[str]]
    subgoals: Mapping[str, Sequence[str]]
    blockers: Mapping[str, Sequence[str]]


def stored_steps(steps: Sequence[str]) -> str:
    """Return the steps of a goal as they are stored. Raises INVALID_ARGUMENT for too many, or one without words."""
    if len(steps) > MOST_STEPS:
        raise fault("steps", f"{len(steps):,} steps are too many", f"Give at most {MOST_STEPS}.")
    if not all(isinstance(one, str) and one.strip() for one in steps):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise fault("steps", "A step has no words", "Give each step as text.")
    return json.dumps([one.strip() for one in steps], ensure_ascii=False)


def steps_of(node: NodeSummary) -> tuple[GoalStep, ...]:
    """Return the steps of a goal, in order."""
    texts = [str(one) for one in _listed(node, "steps")]
    done = {one for one in _listed(node, "completed_steps") if isinstance(one, int)}
    return tuple(GoalStep(number=number, text=text, done=number in done) for number, text in enumerate(texts, 1))


def with_step_done(node: NodeSummary, step: int | None) -> str:
    """Return the steps that are done after one more, as they are stored; without a number it is the first that is not.

    Raises INVALID_ARGUMENT for a step that there is not, or that is done.
    """
    steps = steps_of(node)
    number = step if step is not None else next((one.number for one in steps if not one.done), None)
    if number is None or not 1 <= number <= len(steps) or steps[number - 1].done:
        told = "All steps are done" if number is None else f"Step {number} is done, or does not exist"
        raise fault("step", f"{told}: the goal has {len(steps)} steps", "Give the number of a step that is not done.")
    return json.dumps(sorted({number, *(one.number for one in steps if one.done)}))


def goal_of(node: NodeSummary, around: Around, progress: float) -> Goal:
    """Return a node as the goal that it is."""
    own = {name: value for name, value in node.properties.items() if name in Goal.model_fields and value != ""}
    steps = steps_of(node)
    given = {
        **own,
        "id": node.id,
        "steps": steps or None,
        "current_step": next((one.number for one in steps if not one.done), None),
        "progress": progress,
        "parent": next(iter(around.parents.get(node.id, ())), None),
        "subgoals": tuple(around.subgoals.get(node.id, ())) or None,
        "blocked_by": tuple(around.blockers.get(node.id, ())) or None,
    }
    return lenient(Goal, given, {"description": node.title, "status": "pending"})


def progress_of(nodes: Mapping[str, NodeSummary], subgoals: Mapping[str, Sequence[str]], goal: str) -> float:
    """Return how far a goal is, 0 to 1: 1 when it is completed, else as its subgoals are on average, else by its steps.

    Subgoals that are abandoned do not count.
    """
    node = nodes[goal]
    if node.properties.get("status") == "completed":
        return 1.0
    parts = [one for one in subgoals.get(goal, ()) if one in nodes]
    parts = [one for one in parts if nodes[one].properties.get("status") != "abandoned"]
    if parts:
        return round(sum(progress_of(nodes, subgoals, one) for one in parts) / len(parts), 4)
    steps = steps_of(node)
    return round(sum(one.done for one in steps) / len(steps), 4) if steps else 0.0


def by_urgency(goals: Iterable[Goal]) -> list[Goal]:
    """Return goals, the most urgent first: by priority, then by deadline."""
    return sorted(goals, key=_urgency)


def _urgency(goal: Goal) -> tuple[float, str, str, str]:
    priority = float("inf") if goal.priority is None else goal.priority
    return priority, goal.deadline or "~", goal.description, goal.id


def text_of(description: str, steps: Sequence[str]) -> str:
    """Return what is searched of a goal."""
    return "\n".join([description, *(f"- {step}" for step in steps)])


def _listed(node: NodeSummary, name: str) -> list[Any]:
    """Return a list that is stored as JSON; nothing of what a person has changed into something else."""
    try:
        found: object = json.loads(str(node.properties.get(name) or "[]"))
    except ValueError:
        return []
    return cast("list[Any]", found) if isinstance(found, list) else []
