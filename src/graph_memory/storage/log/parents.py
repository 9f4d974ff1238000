"""Checks writes that set a domain's parent.

Such a write locks all ancestors of the domain, nearest first, until the transaction ends. Concurrent writes therefore
cannot create a cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft
from graph_memory.model.ontology.inheritance import check_inherited, redefined_types
from graph_memory.model.rights import require, run_as
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.log.jobs import READY, busy_error
from graph_memory.storage.log.ontologies import HEAD, Ontologies
from graph_memory.storage.log.tree import BELOW, MAX_LEVELS, parent_after
from graph_memory.storage.queries import query
from graph_memory.storage.store import Transaction


@dataclass(frozen=True, slots=True)
class ParentRow:
    """A domain's locked ancestor: its state, its job and its parent."""

    state: str
    job: str | None
    parent: str | None


LOCK_PARENT = query("log/lock_parent", ParentRow)
_UNSUITABLE_CODES = (Code.ONTOLOGY_NOT_FOUND, Code.INVALID_ARGUMENT, Code.DOMAIN_BUSY, Code.DIFFERENT_DATABASES)
"""Codes of errors for an unsuitable parent: it does not exist, would be its own ancestor, is too deep, is busy, or is
in another database."""


async def check_parent(
    transaction: Transaction, ontologies: Ontologies, domain: str, before: str | None, drafts: Sequence[Draft]
) -> None:
    """Check a domain's new parent, if the drafts set a parent. `before` is the parent before the drafts.

    Raises ONTOLOGY_NOT_FOUND if the parent does not exist, DOMAIN_BUSY if a job is running in it, INVALID_ARGUMENT for
    a cycle or too many levels, and TYPE_ALREADY_EXISTS if the two domains define a type differently.
    """
    parent = parent_after(drafts, before)
    if parent is None or parent == before:
        return
    require(parent)
    with run_as(None):  # including ancestors and descendants that the caller may not read
        await _check_ancestors(transaction, domain, parent, await _levels_below(transaction, domain))
    head = await transaction.first_row(HEAD, domain=domain)
    if head is not None:
        ontology = await ontologies.read_at(transaction, domain, head.epoch, head.ontology_version, parent)
        check_inherited(ontology, redefined_types(ontology))


async def suitable_parent(transaction: Transaction, domain: str, parent: str | None) -> tuple[str | None, str | None]:
    """Check an imported domain's parent. Return the parent and None or, if it is unsuitable, None and the reason."""
    if parent is None:
        return None, None
    try:
        await _check_ancestors(transaction, domain, parent, await _levels_below(transaction, domain))
    except GraphError as error:
        if error.code not in _UNSUITABLE_CODES:
            raise
        message = "The domain was not put under {parent}: {reason}."
        advice = " Use {update_domain} with parent to put it under a domain."
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


async def _check_ancestors(transaction: Transaction, domain: str, parent: str, levels_below: int) -> None:
    ancestors: dict[str, None] = {}
    name: str | None = parent
    while name is not None:
        if name == domain or name in ancestors:
            message = f"Domain {domain} would be its own ancestor if it were under {parent}"
            raise invalid_argument("parent", message, "Pass a domain that is not under this domain.")
        if len(ancestors) + levels_below >= MAX_LEVELS:
            message = f"Domain {domain} or one of its descendants would have more than {MAX_LEVELS} ancestors"
            raise invalid_argument("parent", message, "Pass a parent at a higher level.")
        row = await transaction.first_row(LOCK_PARENT, domain=name)
        if row is None and name == parent:
            hint = Hint("Use {list_domains} to see the domains.", " Create one with {create_domain}.")
            details = {"domain": parent, "argument": "parent", "hint": hint}
            raise GraphError(Code.ONTOLOGY_NOT_FOUND, f"Domain {quote(parent)} does not exist", details)
        if row is not None and name == parent and row.state != READY:
            raise busy_error(name, row.state, row.job)
        ancestors[name] = None
        name = row.parent if row else None
