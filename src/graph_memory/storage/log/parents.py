"""Checks every write that puts a domain under another domain.

All domains above it are locked, the nearest first, until the transaction ends, so that concurrent writes cannot create
a cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft
from graph_memory.model.ontology.inheritance import check_inherited, redefined_types
from graph_memory.model.rights import calling, require
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.log.jobs import READY, busy
from graph_memory.storage.log.ontologies import HEAD, Ontologies
from graph_memory.storage.log.tree import BELOW, MAX_LEVELS, parent_after
from graph_memory.storage.queries import query
from graph_memory.storage.store import Transaction


@dataclass(frozen=True, slots=True)
class ParentRow:
    """The state of a domain, and its parent."""

    state: str
    job: str | None
    parent: str | None


LOCK_PARENT = query("log/lock_parent", ParentRow)
_UNFIT = (Code.ONTOLOGY_NOT_FOUND, Code.INVALID_ARGUMENT, Code.DOMAIN_BUSY)
"""Errors of an unsuitable parent: it does not exist, would be above itself, or is busy."""


async def check_parent(
    transaction: Transaction, ontologies: Ontologies, domain: str, before: str | None, drafts: Sequence[Draft]
) -> None:
    """If the drafts set a new parent of the domain, check it.

    Raises ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, INVALID_ARGUMENT, and TYPE_ALREADY_EXISTS if the two domains define a type
    differently.
    """
    parent = parent_after(drafts, before)
    if parent is None or parent == before:
        return
    require(parent)
    with calling(None):  # also domains above and below that the caller may not read
        await _check_ancestors(transaction, domain, parent, await _levels_below(transaction, domain))
    head = await transaction.first_row(HEAD, domain=domain)
    if head is not None:
        ontology = await ontologies.read_at(transaction, domain, head.epoch, head.ontology_version, parent)
        check_inherited(ontology, redefined_types(ontology))


async def suitable_parent(transaction: Transaction, domain: str, parent: str | None) -> tuple[str | None, str | None]:
    """Return an imported domain's parent and None, or None and the reason why the parent does not fit this store."""
    if parent is None:
        return None, None
    try:
        await _check_ancestors(transaction, domain, parent, await _levels_below(transaction, domain))
    except GraphError as error:
        if error.code not in _UNFIT:
            raise
        message, advice = "It is not under {parent}: {reason}.", " {update_domain} with parent puts it under a domain."
        return None, Hint(message, advice, parent=parent, reason=error.message)
    return parent, None


async def _levels_below(transaction: Transaction, domain: str) -> int:
    levels, domains, level = 0, {domain}, [domain]
    while level and levels <= MAX_LEVELS:
        rows = await transaction.run(BELOW, domains=level)
        level = sorted({name for row in rows for name in row.children} - domains)
        domains.update(level)
        levels += bool(level)
    return levels


async def _check_ancestors(transaction: Transaction, domain: str, parent: str, below: int) -> None:
    ancestors: dict[str, None] = {}
    name: str | None = parent
    while name is not None:
        if name == domain or name in ancestors:
            message = f"Domain {domain} would be above itself if it were under {parent}"
            raise invalid_argument("parent", message, "Pass a domain that is not under this one.")
        if len(ancestors) + below >= MAX_LEVELS:
            message = f"More than {MAX_LEVELS} domains would be above domain {domain} or one under it"
            raise invalid_argument("parent", message, "Pass a parent at a higher level.")
        row = await transaction.first_row(LOCK_PARENT, domain=name)
        if row is None and name == parent:
            hint = Hint("{list_domains} lists the domains.", " {create_domain} creates one.")
            details = {"domain": parent, "argument": "parent", "hint": hint}
            raise GraphError(Code.ONTOLOGY_NOT_FOUND, f"There is no domain {parent}", details)
        if row is not None and name == parent and row.state != READY:
            raise busy(name, row.state, row.job)
        ancestors[name] = None
        name = row.parent if row else None
