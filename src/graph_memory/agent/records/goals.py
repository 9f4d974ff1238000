"""The steps and the progress of goals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from graph_memory.agent.records.writing import build_with_defaults, parsed_json
from graph_memory.agent.results import Goal, GoalStep
from graph_memory.model.results import NodeSummary
from graph_memory.model.values.arguments import invalid_argument

MAX_STEPS = 100
FINISHED = frozenset({"completed", "abandoned"})


@dataclass(frozen=True, slots=True)
class GoalContext:
    """Ids of the parents, subgoals and unfinished blockers of goals, by goal id."""

    parents: Mapping[str, Sequence[str]]
    subgoals: Mapping[str, Sequence[str]]
    blockers: Mapping[str, Sequence[str]]


def stored_steps(steps: Sequence[str]) -> str:
    """Encode the steps as a JSON list for storage.

    Raises INVALID_ARGUMENT if there are too many steps, or if a step is empty.
    """
    if len(steps) > MAX_STEPS:
        raise invalid_argument("steps", f"The call contains {len(steps):,} steps", f"Pass at most {MAX_STEPS}.")
    if not all(isinstance(step, str) and step.strip() for step in steps):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise invalid_argument("steps", "A step is empty", "Pass each step as a string that is not empty.")
    return json.dumps([step.strip() for step in steps], ensure_ascii=False)


def steps_of(node: NodeSummary) -> tuple[GoalStep, ...]:
    """Return the steps of the goal in order, each marked as done or open."""
    texts = [str(text) for text in _stored_list(node, "steps")]
    completed_numbers = {number for number in _stored_list(node, "completed_steps") if isinstance(number, int)}
    return tuple(
        GoalStep(number=number, text=text, done=number in completed_numbers) for number, text in enumerate(texts, 1)
    )


def with_step_done(node: NodeSummary, step: int | None) -> str:
    """Return the JSON list of completed steps, with the given step or the first open step added.

    Raises INVALID_ARGUMENT if the step is already completed or does not exist.
    """
    steps = steps_of(node)
    number = step if step is not None else _first_open_step(steps)
    if number is None or not 1 <= number <= len(steps) or steps[number - 1].done:
        reason = "All steps are done" if number is None else f"Step {number} is done, or does not exist"
        message = f"{reason}: the goal has {len(steps)} steps"
        raise invalid_argument("step", message, "Pass the number of a step that is not done.")
    return json.dumps(sorted({number, *(step.number for step in steps if step.done)}))


def _first_open_step(steps: Sequence[GoalStep]) -> int | None:
    return next((step.number for step in steps if not step.done), None)


def goal_of(node: NodeSummary, context: GoalContext, progress: float) -> Goal:
    """Convert the node of a goal to a `Goal`, with its related goals from `context` and its progress."""
    properties = {name: value for name, value in node.properties.items() if name in Goal.model_fields and value != ""}
    steps = steps_of(node)
    fields = {
        **properties,
        "id": node.id,
        "steps": steps or None,
        "current_step": _first_open_step(steps),
        "progress": progress,
        "parent": next(iter(context.parents.get(node.id, ())), None),
        "subgoals": tuple(context.subgoals.get(node.id, ())) or None,
        "blocked_by": tuple(context.blockers.get(node.id, ())) or None,
    }
    return build_with_defaults(Goal, fields, {"description": node.title, "status": "pending"})


def progress_of(nodes: Mapping[str, NodeSummary], subgoals: Mapping[str, Sequence[str]], goal: str) -> float:
    """Return the progress of the goal, from 0 to 1.

    The progress of a completed goal is 1. Otherwise it is the mean progress of the subgoals that are not abandoned. If
    there are no such subgoals, it is the share of completed steps.
    """
    node = nodes[goal]
    if node.properties.get("status") == "completed":
        return 1.0
    progress_of_subgoals = [
        progress_of(nodes, subgoals, subgoal)
        for subgoal in subgoals.get(goal, ())
        if subgoal in nodes and nodes[subgoal].properties.get("status") != "abandoned"
    ]
    if progress_of_subgoals:
        return round(sum(progress_of_subgoals) / len(progress_of_subgoals), 4)
    steps = steps_of(node)
    return round(sum(step.done for step in steps) / len(steps), 4) if steps else 0.0


def sort_by_urgency(nodes: Iterable[NodeSummary]) -> list[NodeSummary]:
    """Sort the nodes of goals by priority (1 first), then by deadline. Goals without a value come last."""
    return sorted(nodes, key=_urgency)


def _urgency(node: NodeSummary) -> tuple[float, str, str, str]:
    priority, deadline = node.properties.get("priority"), node.properties.get("deadline")
    rank = float(priority) if isinstance(priority, int | float) and not isinstance(priority, bool) else float("inf")
    return rank, str(deadline or "~"), str(node.properties.get("description", node.title)), node.id


def text_of(description: str, steps: Sequence[str]) -> str:
    """Return the searchable content of a goal: its description, then one line for each step."""
    return "\n".join([description, *(f"- {step}" for step in steps)])


def _stored_list(node: NodeSummary, name: str) -> list[Any]:
    """Parse the JSON list in a property. Returns an empty list if it is missing or invalid."""
    value = parsed_json(str(node.properties.get(name)))
    return cast("list[Any]", value) if isinstance(value, list) else []
