"""The tree of domains: which domains are above a domain, and the types that it inherits from them.

A change of a domain does not check the domains below it. They read the inherited types at their next write.
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
"""Maximum number of domains above a domain."""


@dataclass(frozen=True, slots=True)
class AboveRow:
    """A domain above another domain, with the version of its ontology."""

    name: str
    parent: str | None
    ontology_version: int
    epoch: str


@dataclass(frozen=True, slots=True)
class BelowRow:
    """A domain and the names of its children."""

    name: str
    children: list[str]


ABOVE = query("log/above", AboveRow)
BELOW = query("log/below", BelowRow)


async def above(reader: Reader, domain: str, parent: str | None) -> list[AboveRow]:
    """Return the existing domains above a domain, the nearest first.

    The list ends at a parent that does not exist or is below the domain. An imported log may have such a parent.
    """
    ancestors: dict[str, AboveRow] = {}
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
    """Return the drafts, preceded by drafts that record the inherited types they use in the log.

    Raises TYPE_ALREADY_EXISTS if a draft declares a type differently from a domain above.
    """
    if not ontology.above:
        return drafts
    remaining = [draft for draft in drafts if draft.op is not Op.DELETE]
    declared = {draft.subject: type_from_draft(draft) for draft in remaining if draft.kind in TYPES}
    check_inherited(ontology, declared.values())
    used = [(draft.kind, draft.type) for draft in remaining if draft.kind in TYPE_OF and draft.type is not None]
    return [*map(type_draft, types_to_copy(ontology, used, declared)), *drafts]


def depends_on_others(parent: str | None, drafts: Sequence[Draft]) -> bool:
    """Return whether the drafts depend on the domains above, so that the write must be decided under the lock."""
    kinds = {draft.kind for draft in drafts}
    return Kind.DOMAIN in kinds or (parent is not None and not kinds.isdisjoint(ONTOLOGY_KINDS))


def parent_after(drafts: Sequence[Draft], before: str | None) -> str | None:
    """Return the parent of the domain after these drafts. `before` is the parent before them."""
    states = [draft.state or {} for draft in drafts if draft.kind is Kind.DOMAIN]
    return cast("str | None", states[-1].get(PARENT)) if states else before
