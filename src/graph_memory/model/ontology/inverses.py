"""Whether types agree about which is the inverse of which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graph_memory.model.errors import GraphError
from graph_memory.model.ontology.types import ConnectionType, check_pair


def agreeing(types: Sequence[ConnectionType]) -> list[ConnectionType]:
    """Return types without inverses that do not agree yet, as between the two events that make two types a pair."""
    named = {one.name: one for one in types}
    return [
        replace(one, inverse="", materialize_inverse=False) if _fault(one, named.get(one.inverse)) else one
        for one in types
    ]


def disagreement(one: ConnectionType, types: Sequence[ConnectionType]) -> GraphError | None:
    """Return why a type does not agree with another about inverses, which it or the other names."""
    pairs = [(one, other) for other in types if other.name == one.inverse]
    pairs += [(other, one) for other in types if other.inverse == one.name]
    return next((fault for first, second in pairs if (fault := _fault(first, second))), None)


def _fault(one: ConnectionType, other: ConnectionType | None) -> GraphError | None:
    try:
        if other is not None:
            check_pair(one, other)
    except GraphError as error:
        return error
    return None
