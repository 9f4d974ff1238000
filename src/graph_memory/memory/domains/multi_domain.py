"""Selects the domains that a call reads: the listed domains and, if requested, their descendants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from graph_memory.memory.core import Core
from graph_memory.model.errors import Hint
from graph_memory.model.rights import readable, require
from graph_memory.model.text.wording import join_names, quote
from graph_memory.model.values.arguments import check_domain, invalid_argument
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.log.tree import BELOW

MAX_DOMAINS = 100
"""Maximum number of domains that one call reads."""


async def requested_domains(
    core: Core,
    domain_of: Callable[[str | None], str],
    domain: str | None,
    domains: Sequence[str] | None,
    *,
    include_children: bool,
) -> tuple[str, ...] | None:
    """Return the domains that a call reads, listed domains first, or None if the call reads only one domain.

    Raises INVALID_ARGUMENT if the arguments are invalid or select too many domains, and ONTOLOGY_NOT_FOUND if a listed
    domain does not exist.
    """
    if domains is None and not include_children:
        return None
    if domains is not None and domain is not None:
        raise invalid_argument("domains", "domain and domains were both given", "Pass either domain or domains.")
    named_domains = [domain_of(domain)] if domains is None else _check_readable(domains)
    selected_domains: dict[str, None] = {}
    level: Sequence[str] = named_domains
    while level and len(selected_domains) <= MAX_DOMAINS:
        rows = {row.name: row for row in await core.store.read(BELOW, domains=list(level))}
        if not selected_domains and (missing := [name for name in named_domains if name not in rows]):
            raise no_ontology_error(missing[0])
        selected_domains |= dict.fromkeys(name for name in level if name in rows)
        children = readable(name for row in rows.values() for name in row.children) if include_children else []
        level = [name for name in dict.fromkeys(children) if name not in selected_domains]
    if len(selected_domains) > MAX_DOMAINS:
        message = f"More than {MAX_DOMAINS} domains are selected: {join_names(list(selected_domains)[:3])}, …"
        raise invalid_argument("domains", message, f"Pass at most {MAX_DOMAINS}, or omit include_children.")
    return tuple(selected_domains)


def _check_readable(domains: object) -> list[str]:
    """Return the listed domains that the caller may read. Raises INSUFFICIENT_RIGHTS if the caller may read none."""
    if isinstance(domains, str) or not isinstance(domains, Sequence) or not domains:
        value = quote(cast("object", domains))
        raise invalid_argument("domains", f"domains is {value}, not a list of names", 'Pass one domain as ["name"].')
    names = cast("Sequence[object]", domains)
    if len(names) > MAX_DOMAINS:
        raise invalid_argument("domains", f"domains has {len(names):,} entries", f"Pass at most {MAX_DOMAINS}.")
    for name in names:
        if not isinstance(name, str):
            raise invalid_argument("domains", f"{quote(name)} is not a name", 'Pass names, such as ["home", "work"].')
        check_domain(name, argument="domains")
    unique_names = list(dict.fromkeys(cast("Sequence[str]", names)))
    return readable(unique_names) or [require(unique_names[0])]


def merge_warnings(warnings: Mapping[str, Iterable[str]]) -> tuple[str, ...] | None:
    """Return the distinct warnings of several domains.

    Each warning begins with the names of its domains, unless it concerns all domains.
    """
    domains_of: dict[str, list[str]] = {}
    for domain, domain_warnings in warnings.items():
        for warning in domain_warnings:
            domains_of.setdefault(warning, []).append(domain)
    lines = [
        text if len(names) == len(warnings) else Hint("{names}: {text}", names=join_names(names), text=text)
        for text, names in domains_of.items()
    ]
    return tuple(lines) or None
