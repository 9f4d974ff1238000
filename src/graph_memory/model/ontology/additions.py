"""What an ontology would add to another, as pure data: types are added, never changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology
from graph_memory.model.ontology.types import AnyType, definition
from graph_memory.model.wording import MOST_LISTED, listed

_Declared = TypeVar("_Declared", NodeType, ConnectionType)


@dataclass(frozen=True, slots=True)
class Additions:
    """The types that are new, in the order of declaration: node types first, since connection types name them."""

    node_types: tuple[NodeType, ...] = ()
    connection_types: tuple[ConnectionType, ...] = ()


def additions(present: Ontology, wanted: Ontology) -> Additions:
    """Return what is to be added to `present` so that it has every type of `wanted`.

    A type that both have must be declared identically; that an open ontology met it first in a write makes no
    difference. Raises TYPE_ALREADY_EXISTS, which names all that are declared otherwise, and INVALID_ONTOLOGY when
    `wanted` is open and `present` is not, because that cannot be changed.
    """
    pairs = [(one, present.find_node_type(one.name)) for one in wanted.node_types]
    others = [(one, present.find_connection_type(one.name)) for one in wanted.connection_types]
    conflicts = [one.title for one, other in (*pairs, *others) if other is not None and not _alike(one, other)]
    if conflicts:
        raise _conflict(conflicts)
    if wanted.open and not present.open:
        hint = "Leave `open: true` out, or create another domain with it."
        message = "The ontology is open, but the domain's ontology is not, and that cannot be changed"
        raise GraphError(Code.INVALID_ONTOLOGY, message, {"name": "open", "hint": hint})
    return Additions(_new(pairs), _new(others))


def _new(pairs: Sequence[tuple[_Declared, _Declared | None]]) -> tuple[_Declared, ...]:
    return tuple(one for one, other in pairs if other is None)


def _alike(one: AnyType, other: AnyType) -> bool:
    """Say whether two types are declared alike to the letter: the values 1, 1.0 and true are three."""
    return repr(definition(replace(one, ad_hoc=False))) == repr(definition(replace(other, ad_hoc=False)))


def _conflict(conflicts: Sequence[str]) -> GraphError:
    message = f"The domain defines these types differently: {listed(conflicts)}"
    hint = "Nothing was changed. Types can be added but never changed: keep each as it is, or choose another name."
    return GraphError(Code.TYPE_ALREADY_EXISTS, message, {"conflicts": list(conflicts[:MOST_LISTED]), "hint": hint})
