"""The tree of domains: a domain's ancestors, and the types inherited from them.

A change to a domain does not check its descendants. They read the inherited types at their next write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from graph_memory.model.events import Draft, Op
from graph_memory.model.ontology.inheritance import check_inherited, types_to_copy
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import type_draft, type_from_draft
from graph_memory.model.subjects.kinds import ONTOLOGY_KINDS, TYPE_OF, TYPES, Kind
from graph_memory.model.subjects.subjects import PARENT
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

MAX_LEVELS = 32
"""Maximum number of a domain's ancestors."""


@dataclass(frozen=True, slots=True)
class AncestorRow:
    """A domain's ancestor, with its parent and its ontology's version and epoch."""

    name: str
    parent: str | None
    ontology_version: int
    epoch: str


@dataclass(frozen=True, slots=True)
class ChildrenRow:
    """A domain and its children's names."""

    name: str
    children: list[str]


ABOVE = query("log/above", AncestorRow)
BELOW = query("log/below", ChildrenRow)


async def read_ancestors(reader: Reader, domain: str, parent: str | None) -> list[AncestorRow]:
    """Return a domain's existing ancestors, nearest first.

    The list ends at a parent that does not exist or is a descendant of the domain. An imported log may have such a
    parent.
    """
    ancestors: dict[str, AncestorRow] = {}
    name = parent
    while name is not None and len(ancestors) < MAX_LEVELS:
        rows = await reader.read(ABOVE, domain=name)
        for row in rows:
            if row.name == domain or row.name in ancestors:
                return [*ancestors.values()]
            ancestors[row.name] = row
        name = rows[-1].parent if rows else None
    return [*ancestors.values()][:MAX_LEVELS]


def with_inherited(ontology: Ontology, drafts: Sequence[Draft]) -> Sequence[Draft]:
    """Return the drafts, preceded by drafts that copy the inherited types they use to the log.

    Raises TYPE_ALREADY_EXISTS if a draft declares a type differently from an ancestor.
    """
    if not ontology.above:
        return drafts
    changes = [draft for draft in drafts if draft.op is not Op.DELETE]
    declared_types = {draft.subject: type_from_draft(draft) for draft in changes if draft.kind in TYPES}
    check_inherited(ontology, declared_types.values())
    used_types = [(draft.kind, draft.type) for draft in changes if draft.kind in TYPE_OF and draft.type is not None]
    return [*map(type_draft, types_to_copy(ontology, used_types, declared_types)), *drafts]


def depends_on_others(parent: str | None, drafts: Sequence[Draft]) -> bool:
    """Return whether the drafts depend on ancestors. The write must then be decided while the log is locked."""
    kinds = {draft.kind for draft in drafts}
    return Kind.DOMAIN in kinds or (parent is not None and not kinds.isdisjoint(ONTOLOGY_KINDS))


def parent_after(drafts: Sequence[Draft], before: str | None) -> str | None:
    """Return the domain's parent after these drafts. `before` is the parent before them."""
    states = [draft.state or {} for draft in drafts if draft.kind is Kind.DOMAIN]
    return cast("str | None", states[-1].get(PARENT)) if states else before
