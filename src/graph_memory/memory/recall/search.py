"""A search, from the question to the reply."""

from __future__ import annotations

from graph_memory.memory.core import Core
from graph_memory.memory.recall.request import Request
from graph_memory.memory.recall.results import SearchResult


async def search(core: Core, domain: str, request: Request) -> SearchResult:
    """Return what a request finds in a domain. `Recall` tells the rest."""
    await core.log.require_ontology(domain)
    raise NotImplementedError(request.query)
