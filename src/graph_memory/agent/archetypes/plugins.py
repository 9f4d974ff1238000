"""Loads archetypes by name, from the entry points `graph_memory.archetypes` of installed packages."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import cast

from graph_memory.agent.archetypes.extraction import Archetype
from graph_memory.model.text.wording import join_names, quote, suggestion
from graph_memory.model.values.arguments import invalid_argument

GROUP = "graph_memory.archetypes"


@cache
def load_archetype(name: str) -> Archetype:
    """Return the archetype with the given name. Raises INVALID_ARGUMENT if it is unknown or cannot be imported."""
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        hint = suggestion(
            name, points, f"Pass one of {join_names(sorted(points))}, or install the package that offers it."
        )
        raise invalid_argument("archetype", f"No archetype {quote(name)} is installed", hint)
    point = points[name]
    try:
        loaded: object = point.load()
    except Exception as error:  # a module can raise anything while it is imported; the caller gets the reason
        message = f"The archetype {quote(name)} ({point.value}) cannot be imported: {type(error).__name__}: {error}"
        raise invalid_argument(
            "archetype", message, "Repair or reinstall its package, or omit the archetype."
        ) from error
    if not callable(loaded):
        message = f"The archetype {quote(name)} ({point.value}) is not a function"
        raise invalid_argument(
            "archetype", message, "Its entry point must refer to a function that takes the event type and the content."
        )
    return cast("Archetype", loaded)
