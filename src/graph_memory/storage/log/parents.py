"""Whether a domain may be under another, asked of every write that puts it there. So whatever is above one is there.

All domains above are locked, from the nearest on, until the transaction ends: no two writes make a circle together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft
from graph_memory.model.ontology.inheritance import check_inherited, differing
from graph_memory.model.values.arguments import fault
from graph_memory.storage.log.jobs import READY, busy
from graph_memory.storage.log.ontologies import HEAD, Ontologies
from graph_memory.storage.log.tree import BELOW, MOST_LEVELS, parent_after
from graph_memory.storage.queries import query
from graph_memory.storage.store import Transaction


@dataclass(frozen=True, slots=True)
class ParentRow:
    """What goes on in a domain, and which is above it."""

    state: str
    job: str | None
    parent: str | None


LOCK_PARENT = query("log/lock_parent", ParentRow)
_UNFIT = (Code.ONTOLOGY_NOT_FOUND, Code.INVALID_ARGUMENT, Code.DOMAIN_BUSY)
"""Why a domain cannot be above another: it is not there, would be above itself, or may not be there for long."""


async def check_parent(
    transaction: Transaction, ontologies: Ontologies, domain: str, before: str | None, drafts: Sequence[Draft]
) -> None:
    """Raise an error unless a domain may be under another, where changes say so that are about to be made.

    Raises ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, INVALID_ARGUMENT, and TYPE_ALREADY_EXISTS where the two define a type
    otherwise.
    """
    parent = parent_after(drafts, before)
    if parent is None or parent == before:
        return
    await _check_way_up(transaction, domain, parent, await _levels_below(transaction, domain))
    head = await transaction.one(HEAD, domain=domain)
    if head is not None:
        ontology = await ontologies.locked(transaction, domain, head.epoch, head.ontology_version, parent)
        check_inherited(ontology, differing(ontology))


async def fitting_parent(transaction: Transaction, domain: str, parent: str | None) -> tuple[str | None, str | None]:
    """Return the domain above one that comes with a log, if it can be above it here; otherwise None and the reason."""
    if parent is None:
        return None, None
    try:
        await _check_way_up(transaction, domain, parent, await _levels_below(transaction, domain))
    except GraphError as error:
        if error.code not in _UNFIT:
            raise
        unfit, way = "It is not under {parent}: {reason}.", " {update_domain} with parent puts it under a domain."
        return None, Hint(unfit, way, parent=parent, reason=error.message)
    return parent, None


async def _levels_below(transaction: Transaction, domain: str) -> int:
    """Return how many levels of domains there are under a domain."""
    levels, seen, level = 0, {domain}, [domain]
    while level and levels <= MOST_LEVELS:
        rows = await transaction.run(BELOW, domains=level)
        level = sorted({name for row in rows for name in row.children} - seen)
        seen.update(level)
        levels += bool(level)
    return levels


async def _check_way_up(transaction: Transaction, domain: str, parent: str, below: int) -> None:
    seen: dict[str, None] = {}
    name: str | None = parent
    while name is not None:
        if name == domain or name in seen:
            way = " under ".join([domain, *seen, domain])
            message = f"Domain {domain} would be above itself: {way}"
            raise fault("parent", message, "Choose a domain that is not under this one.")
        if len(seen) + below >= MOST_LEVELS:
            message = f"More than {MOST_LEVELS} domains would be above domain {domain} or one under it"
            raise fault("parent", message, "Choose a parent higher up.")
        row = await transaction.one(LOCK_PARENT, domain=name)
        if row is None and name == parent:
            hint = Hint("{list_domains} shows which there are.", " {create_domain} creates one.")
            details = {"domain": parent, "argument": "parent", "hint": hint}
            raise GraphError(Code.ONTOLOGY_NOT_FOUND, f"There is no domain {parent}", details)
        if row is not None and name == parent and row.state != READY:
            raise busy(name, row.state, row.job)
        seen[name] = None
        name = row.parent if row else None
