"""As what connections of one name are stored, by the ontology that this process remembers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import TypeVar

from graph_memory.memory.core import Core
from graph_memory.model.ontology.ontology import Names
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log.ontologies import CachedOntology
from graph_memory.storage.store import check_text

R = TypeVar("R")

ATTEMPTS = 3
"""How often a read is made while types change."""


async def with_names(core: Core, domain: str, type_name: str | None, read: Callable[[Names | None], Awaitable[R]]) -> R:
    """Return what a read of connections gives, with the stored types that answer for a name.

    What this process remembers will do if the domain is still of the same epoch after the read: a type whose inverse is
    declared too begins a new one.
    """
    if type_name is None:
        return await read(None)
    check_text({"type": type_name})
    for attempt in count(1):
        known = await known_ontology(core, domain, Kind.CONNECTION, type_name)
        found = await read(known.ontology.names_of(type_name) if known else None)
        mark = core.log.mark(domain)
        if known is None or mark is None or mark.epoch == known.epoch or attempt == ATTEMPTS:
            return found
        core.log.forget(domain)
    raise AssertionError


async def stored_types(core: Core, domain: str, names: Sequence[str] | None) -> list[str] | None:
    """Return as what connections of these names are stored, whichever way they are told; other names as they are."""
    for name in names or ():
        check_text({"types": name})
    ontology = await core.log.ontology(domain) if names else None
    if names is None or ontology is None:
        return None if names is None else list(names)
    return list(dict.fromkeys(stored for name in names for stored in ontology.names_of(name).types))


async def known_ontology(core: Core, domain: str, kind: Kind, type_name: str) -> CachedOntology | None:
    """Return what is remembered of a domain, read anew if that does not have the type."""
    known = core.log.cached_ontology(domain)
    if known is None or not known.has(kind, type_name):
        await core.log.ontology(domain)
        known = core.log.cached_ontology(domain)
    return known
