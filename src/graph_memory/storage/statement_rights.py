"""Checks every statement against the caller's rights. No other module decides about access to data.

A statement's domains are in its parameters. A caller needs the right to read each of them and, for a write
statement, the right to write. A statement without a domain is rejected, unless it is known to return no domain's data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from graph_memory.model.rights import CALLER, Grant, Right, require
from graph_memory.storage.queries import Query

Check = Callable[[Query[Any], Mapping[str, object]], None]
"""Raises an error if a statement may not run with these parameters."""
DOMAIN_PARAMS = ("domain", "domains", "from_domain", "to_domain", "source", "base", "stretches")
"""Parameters that contain domain names."""
SOURCES = frozenset({"history/events", "history/events_of_subject", "search/from_source"})
"""Statements whose parameter `source` is a property of events or nodes, not a domain."""
WITHOUT_DOMAIN = frozenset(
    {
        "domains/list",
        "domains/branches",
        "entities/compared_since",
        "schema_log/indexes",
        "search/create_names",
        "search/frequencies",
        "search/passage_context",
        "search/passages",
    }
)
"""Statements that have no domain and that every caller may run. They list domains, which the calling code filters, or
take ids returned by an earlier statement for a readable domain."""
BOOKKEEPING = ("search/", "graph/index", "entities/index")
"""Prefixes of the names of statements that write only indexes or counts of reads. They need only the right to read."""


def check_statement(query: Query[Any], params: Mapping[str, object]) -> None:
    """Raise INSUFFICIENT_RIGHTS if the caller may not run the statement with these parameters."""
    caller = CALLER.get()
    if caller is None:
        return
    is_writing = query.mode == "write" and not query.name.startswith(BOOKKEEPING)
    right = Right.WRITE if is_writing else Right.READ
    domains = {*domains_in(query.name, params)}
    if not domains and query.name not in WITHOUT_DOMAIN:
        raise caller.principal.missing_right_error(Right.ADMIN)
    for domain in domains:
        require(domain, right)


def check_ad_hoc() -> None:
    """Raise INSUFFICIENT_RIGHTS unless the caller may administer all domains, as the statement may read any."""
    caller = CALLER.get()
    if caller is not None and Grant("*", Right.ADMIN) not in caller.principal.grants:
        raise caller.principal.missing_right_error(Right.ADMIN)


def domains_in(name: str, params: Mapping[str, object]) -> Iterator[str]:
    """Yield the domains' names in the parameters of the statement with this name."""
    for param in DOMAIN_PARAMS:
        value = params.get(param)
        if value is None or (param == "source" and name in SOURCES):
            continue
        for item in cast("list[object]", value) if isinstance(value, list) else [value]:
            yield str(cast("Mapping[str, object]", item)["domain"] if isinstance(item, dict) else item)
