"""All nodes that are reachable over connections of a transitive type."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.text.wording import join_names, quote
from graph_memory.model.values.arguments import invalid_argument

MAX_STEPS = 100
"""Maximum and default value of `max_depth`, in connections."""
MAX_NODES = 10_000
"""Maximum number of nodes that one query reaches."""
Step = Callable[[Sequence[str]], Awaitable[Mapping[str, Sequence[str]]]]
"""Returns, for each node id, the ids of the nodes that are one connection away."""


def check_depth(max_depth: int | None, *, transitive: bool) -> int:
    """Return the maximum number of steps to follow. It is 1 unless `transitive` is set.

    Raises INVALID_ARGUMENT if `max_depth` is not from 1 to 100, or is given without `transitive`.
    """
    if max_depth is None:
        return MAX_STEPS if transitive else 1
    if not transitive:
        hint = "Pass transitive: true, or omit max_depth to get only direct neighbours."
        raise invalid_argument("max_depth", "max_depth needs transitive: true", hint)
    if type(max_depth) is not int or not 1 <= max_depth <= MAX_STEPS:
        message = f"max_depth is {quote(max_depth)}, not an integer from 1 to {MAX_STEPS}"
        raise invalid_argument("max_depth", message, f"Omit it to follow up to {MAX_STEPS} connections.")
    return max_depth


def check_transitive(ontology: Ontology, type_name: str | None) -> str:
    """Return `type_name`. Raises INVALID_ARGUMENT unless it is the name of a transitive connection type."""
    names = [connection_type.name for connection_type in ontology.connection_types if connection_type.transitive]
    hint = f"Transitive types: {join_names(names)}." if names else "Declare `transitive: true` for a type."
    if type_name is None:
        raise invalid_argument("connection_type", "transitive needs a connection_type", hint)
    connection_type = ontology.find_connection_type(ontology.stored_type(type_name)[0])
    if connection_type is None or not connection_type.transitive:
        raise invalid_argument("connection_type", f"Connection type {quote(type_name)} is not transitive", hint)
    return type_name


async def find_reachable(start: str, step: Step, depth: int) -> tuple[dict[str, int], bool]:
    """Return the number of steps to each reachable node, and whether there may be more nodes beyond `depth`.

    The start node is not included. Raises INVALID_ARGUMENT if more than 10,000 nodes are reachable.
    """
    counts = {start: 0}
    frontier: Sequence[str] = [start]
    for steps in range(1, depth + 1):
        neighbours = await step(frontier)
        frontier = sorted({node_id for node_ids in neighbours.values() for node_id in node_ids} - counts.keys())
        counts |= dict.fromkeys(frontier, steps)
        if len(counts) > MAX_NODES:
            hint = f"Pass a max_depth of less than {steps}, or start at another node."
            raise invalid_argument("max_depth", f"More than {MAX_NODES:,} nodes are within {steps} steps", hint)
        if not frontier:
            break
    del counts[start]
    return counts, bool(frontier)
