"""The stored types for a connection type name, according to the cached ontology."""

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
"""Maximum number of reads while types change."""


async def with_names(
    core: Core, domain: str, type_name: str | None, read: Callable[[TypeNames | None], Awaitable[R]]
) -> R:
    """Run `read` with the stored types for a type name, and return its result.

    The cached ontology is sufficient if the epoch of the domain is the same after the read: a new pair of inverse types
    starts a new epoch.
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
    """Return the stored types for connection type names, including inverse names. Unknown names are kept."""
    for name in names or ():
        check_text({"types": name})
    ontology = await core.log.ontology(domain) if names else None
    if names is None or ontology is None:
        return None if names is None else list(names)
    return list(dict.fromkeys(stored for name in names for stored in ontology.names_of(name).types))


async def read_cached_ontology(core: Core, domain: str, kind: Kind, type_name: str) -> CachedOntology | None:
    """Return the cached ontology of a domain. If it does not have the type, read it again."""
    cached = core.log.cached_ontology(domain)
    if cached is None or not cached.has(kind, type_name):
        await core.log.ontology(domain)
        cached = core.log.cached_ontology(domain)
    return cached
