"""Domains as a tree: which are above a domain, and what its log takes of their types.

No domain asks those below it before it changes: what it defines is read when they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from graph_memory.model.events import Draft, Op
from graph_memory.model.ontology.inheritance import check_inherited, taken
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import declared_by, type_draft
from graph_memory.model.subjects.kinds import ONTOLOGY_KINDS, TYPE_OF, TYPES, Kind
from graph_memory.model.subjects.subjects import PARENT
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

MOST_LEVELS = 32
"""Domains above a domain."""


@dataclass(frozen=True, slots=True)
class AboveRow:
    """A domain above another, and where its ontology stands."""

    name: str
    parent: str | None
    ontology_version: int
    epoch: str


@dataclass(frozen=True, slots=True)
class BelowRow:
    """A domain, and those right under it."""

    name: str
    children: list[str]


ABOVE = query("log/above", AboveRow)
BELOW = query("log/below", BelowRow)


async def above(reader: Reader, domain: str, parent: str | None) -> list[AboveRow]:
    """Return the domains above a domain, the nearest first, as far as they are there.

    A log that was imported may name one that is not, or that is below it by now: it ends there.
    """
    found: dict[str, AboveRow] = {}
    name = parent
    while name is not None and len(found) < MOST_LEVELS:
        rows = await reader.read(ABOVE, domain=name)
        for row in rows:
            if row.name == domain or row.name in found:
                return [*found.values()]
            found[row.name] = row
        name = rows[-1].parent if rows else None
    return [*found.values()][:MOST_LEVELS]


def with_inherited(ontology: Ontology, drafts: Sequence[Draft]) -> Sequence[Draft]:
    """Return drafts after the inherited types that they use, which the log has from then on.

    Raises TYPE_ALREADY_EXISTS for one that declares a type otherwise than a domain above.
    """
    if not ontology.above:
        return drafts
    kept = [draft for draft in drafts if draft.op is not Op.DELETE]
    declared = {draft.subject: declared_by(draft) for draft in kept if draft.kind in TYPES}
    check_inherited(ontology, declared.values())
    used = [(draft.kind, draft.type) for draft in kept if draft.kind in TYPE_OF and draft.type is not None]
    return [*map(type_draft, taken(ontology, used, declared)), *drafts]


def rests_on_others(parent: str | None, drafts: Sequence[Draft]) -> bool:
    """Say whether changes must be decided under the lock: what they ask of the domains above may have changed."""
    kinds = {draft.kind for draft in drafts}
    return Kind.DOMAIN in kinds or (parent is not None and not kinds.isdisjoint(ONTOLOGY_KINDS))


def parent_after(drafts: Sequence[Draft], before: str | None) -> str | None:
    """Return which domain is above another after changes."""
    told = [draft.state or {} for draft in drafts if draft.kind is Kind.DOMAIN]
    return cast("str | None", told[-1].get(PARENT)) if told else before
