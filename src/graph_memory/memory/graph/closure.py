"""All nodes that connections of a transitive type lead to, over any number of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.text.wording import listed, quoted, shown
from graph_memory.model.values.arguments import fault

MOST_STEPS = 100
"""How far connections are followed unless `max_depth` says less."""
MOST_NODES = 10_000
"""Nodes that one answer is made of at most."""
Step = Callable[[Sequence[str]], Awaitable[Mapping[str, Sequence[str]]]]
"""Gives for each of some nodes those one connection away."""


def check_depth(max_depth: int | None, *, transitive: bool) -> int:
    """Return how many connections in a row are followed. Raises INVALID_ARGUMENT."""
    if max_depth is None:
        return MOST_STEPS if transitive else 1
    if not transitive:
        raise fault("max_depth", "max_depth needs transitive: true", "Leave it out for the nodes one connection away.")
    if type(max_depth) is not int or not 1 <= max_depth <= MOST_STEPS:
        message = f"max_depth must be an integer from 1 to {MOST_STEPS}, not {quoted(max_depth)}"
        raise fault("max_depth", message, f"Leave it out to follow up to {MOST_STEPS}.")
    return max_depth


def check_transitive(ontology: Ontology, type_name: str | None) -> str:
    """Return the name of a type whose connections stand for chains of themselves. Raises INVALID_ARGUMENT."""
    names = [type_.name for type_ in ontology.connection_types if type_.transitive]
    hint = f"Transitive types: {listed(names)}." if names else "Declare `transitive: true` for a type."
    if type_name is None:
        raise fault("connection_type", "transitive needs a connection_type", hint)
    declared = ontology.find_connection_type(ontology.stored_as(type_name)[0])
    if declared is None or not declared.transitive:
        raise fault("connection_type", f"Connection type {shown(type_name)} is not transitive", hint)
    return type_name


async def reached(start: str, step: Step, depth: int) -> tuple[dict[str, int], bool]:
    """Return the nodes that steps lead to, each with the fewest steps, and whether there may be more beyond.

    The node itself is left out, so cycles end. Raises INVALID_ARGUMENT for more than 10,000 nodes.
    """
    counts = {start: 0}
    ends: Sequence[str] = [start]
    for steps in range(1, depth + 1):
        context = await step(ends)
        ends = sorted({one for several in context.values() for one in several} - counts.keys())
        counts |= dict.fromkeys(ends, steps)
        if len(counts) > MOST_NODES:
            hint = f"Give a max_depth of less than {steps}, or begin at another node."
            raise fault("max_depth", f"More than {MOST_NODES:,} nodes are within {steps} steps", hint)
        if not ends:
            break
    del counts[start]
    return counts, bool(ends)
