"""Resolves the name of a connection type, which may be an inverse name, to the stored types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import TypeVar

from graph_memory.memory.core import Core
from graph_memory.model.ontology.ontology import TypeNames
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log.ontologies import CachedOntology
from graph_memory.storage.store import check_text

R = TypeVar("R")

ATTEMPTS = 3
"""Maximum number of attempts, in case the types change during each read."""


async def with_names(
    core: Core, domain: str, type_name: str | None, read: Callable[[TypeNames | None], Awaitable[R]]
) -> R:
    """Call `read` with the stored types for a type name, and return the result of the call.

    The cached ontology is sufficient if the domain has the same epoch after the read, because each new pair of inverse
    types starts a new epoch.
    """
    if type_name is None:
        return await read(None)
    check_text({"type": type_name})
    for attempt in count(1):
        cached = await read_cached_ontology(core, domain, Kind.CONNECTION, type_name)
        result = await read(cached.ontology.names_of(type_name) if cached else None)
        mark = core.log.mark(domain)
        if cached is None or mark is None or mark.epoch == cached.epoch or attempt == ATTEMPTS:
            return result
        core.log.forget(domain)
    raise AssertionError


async def stored_types(core: Core, domain: str, names: Sequence[str] | None) -> list[str] | None:
    """Return the stored types for connection type names or inverse names. Unknown names are kept. None stays None."""
    for name in names or ():
        check_text({"types": name})
    ontology = await core.log.ontology(domain) if names else None
    if names is None or ontology is None:
        return None if names is None else list(names)
    return list(dict.fromkeys(stored for name in names for stored in ontology.names_of(name).types))


async def read_cached_ontology(core: Core, domain: str, kind: Kind, type_name: str) -> CachedOntology | None:
    """Return the cached ontology of a domain. If it does not contain the type, reads the ontology again."""
    cached = core.log.cached_ontology(domain)
    if cached is None or not cached.has(kind, type_name):
        await core.log.ontology(domain)
        cached = core.log.cached_ontology(domain)
    return cached
