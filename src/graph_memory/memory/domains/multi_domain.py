"""Which domains a read of several is about: those that it names, and those under them if it says so; no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from graph_memory.memory.core import Core
from graph_memory.model.errors import Hint
from graph_memory.model.text.wording import listed, quoted
from graph_memory.model.values.arguments import check_domain, fault
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.tree import BELOW

MOST = 100
"""Domains that one call reads."""


async def domains_asked(
    core: Core,
    domain_of: Callable[[str | None], str],
    domain: str | None,
    domains: Sequence[str] | None,
    *,
    include_children: bool,
) -> tuple[str, ...] | None:
    """Return the domains that a call reads, those first that it names; None where it asks for one as ever.

    Raises INVALID_ARGUMENT, and ONTOLOGY_NOT_FOUND for a domain that is named and does not exist.
    """
    if domains is None and not include_children:
        return None
    if domains is not None and domain is not None:
        raise fault("domains", "domain and domains were both given", "Give one of the two.")
    named = [domain_of(domain)] if domains is None else _checked(domains)
    found: dict[str, None] = {}
    level: Sequence[str] = named
    while level and len(found) <= MOST:
        rows = {row.name: row for row in await core.store.read(BELOW, domains=list(level))}
        if not found and (missing := [name for name in named if name not in rows]):
            raise no_ontology(missing[0])
        found |= dict.fromkeys(name for name in level if name in rows)
        below = [name for row in rows.values() for name in row.children] if include_children else []
        level = [name for name in dict.fromkeys(below) if name not in found]
    if len(found) > MOST:
        message = f"These are more than {MOST} domains: {listed(list(found)[:3])}, …"
        raise fault("domains", message, f"Name at most {MOST}, or leave include_children out.")
    return tuple(found)


def _checked(domains: object) -> list[str]:
    if isinstance(domains, str) or not isinstance(domains, Sequence) or not domains:
        given = quoted(cast("object", domains))
        raise fault("domains", f"domains is {given}, not a list of names", 'For one, pass ["one"].')
    names = cast("Sequence[object]", domains)
    if len(names) > MOST:
        raise fault("domains", f"domains names {len(names):,} domains", f"Name at most {MOST}.")
    for name in names:
        if not isinstance(name, str):
            raise fault("domains", f"{quoted(name)} is not a name", 'Pass names, such as ["home", "work"].')
        check_domain(name, argument="domains")
    return list(dict.fromkeys(cast("Sequence[str]", names)))


def together(warnings: Mapping[str, Iterable[str]]) -> tuple[str, ...] | None:
    """Return the warnings of several domains, each once, with the domains that it is about unless it is about all."""
    about: dict[str, list[str]] = {}
    for domain, some in warnings.items():
        for warning in some:
            about.setdefault(warning, []).append(domain)
    told = [
        text if len(names) == len(warnings) else Hint("{names}: {text}", names=listed(names), text=text)
        for text, names in about.items()
    ]
    return tuple(told) or None
