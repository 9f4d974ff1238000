"""Checks that two connection types are declared as inverses of each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graph_memory.model.errors import GraphError
from graph_memory.model.ontology.types import ConnectionType, check_pair


def without_disagreeing_inverses(types: Sequence[ConnectionType]) -> list[ConnectionType]:
    """Return the types, without inverses that only one of the two types declares.

    This state exists briefly between the two events that make two types inverses of each other.
    """
    by_name = {connection_type.name: connection_type for connection_type in types}
    return [
        replace(connection_type, inverse="", materialize_inverse=False)
        if _pair_error(connection_type, by_name.get(connection_type.inverse))
        else connection_type
        for connection_type in types
    ]


def find_inverse_error(connection_type: ConnectionType, types: Sequence[ConnectionType]) -> GraphError | None:
    """Return the error if the type and another type are not inverses of each other, or None if all agree."""
    pairs = [(connection_type, other) for other in types if other.name == connection_type.inverse]
    pairs += [(other, connection_type) for other in types if other.inverse == connection_type.name]
    return next((error for first, second in pairs if (error := _pair_error(first, second))), None)


def _pair_error(connection_type: ConnectionType, other: ConnectionType | None) -> GraphError | None:
    try:
        if other is not None:
            check_pair(connection_type, other)
    except GraphError as error:
        return error
    return None
