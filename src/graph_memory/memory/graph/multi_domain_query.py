"""A query of several domains: one after the other in the order given, page by page on request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256

from graph_memory.memory.domains.multi_domain import together
from graph_memory.model.results import NodeBrief, NodeIds
from graph_memory.model.values.arguments import UNLIMITED, check_limit, fault, not_a_cursor

_CURSOR = "in:"
_LONG_ENOUGH = 8
Ask = Callable[[str, int | None, str | None], Awaitable[NodeIds]]
"""Gives a page of a domain's nodes, in detail: at most so many, from a cursor of that domain on."""


async def query_several(domains: Sequence[str], limit: int | None, cursor: str | None, ask: Ask) -> NodeIds:
    """Return the nodes of several domains, each with its domain. `Memory.query_nodes` tells the rest."""
    most = check_limit(limit)
    domain, after = _begin(domains, cursor)
    briefs: list[NodeBrief] = []
    warnings: dict[str, Sequence[str]] = dict.fromkeys(domains, ())
    names = list(domains[domains.index(domain) :])
    following: str | None = None
    for number, name in enumerate(names):
        left = most - len(briefs)
        page = await ask(name, None if most == UNLIMITED else left, after)
        after = None
        briefs += [node.model_copy(update={"domain": name}) for node in page.nodes or ()]
        warnings[name] = page.warnings or ()
        if page.next_cursor is not None:
            following = _cursor(domains, name, page.next_cursor)
        elif len(briefs) >= most and number + 1 < len(names):
            following = _cursor(domains, names[number + 1])
        if following is not None:
            break
    return NodeIds(
        node_ids=tuple(brief.id for brief in briefs),
        nodes=tuple(briefs),
        next_cursor=following,
        warnings=None if briefs or cursor else together(warnings),
    )


def _cursor(domains: Sequence[str], domain: str, after: str = "") -> str:
    """Return where a page goes on: in a domain, after those before it, by which a change of their order is noticed."""
    before = sha256(" ".join(domains[: domains.index(domain)]).encode()).hexdigest()[:_LONG_ENOUGH]
    return f"{_CURSOR}{domain}:{before}:{after}"


def _begin(domains: Sequence[str], cursor: str | None) -> tuple[str, str | None]:
    """Return the domain in which a page begins, and the cursor there. Raises INVALID_ARGUMENT."""
    if cursor is None:
        return domains[0], None
    kind, _, rest = cursor.partition(_CURSOR)
    domain, _, place = rest.partition(":")
    _, colon, after = place.partition(":")
    if kind or not colon:
        raise not_a_cursor(cursor)
    if domain not in domains or cursor != _cursor(domains, domain, after):
        hint = "Give the same domains in the same order as for the first page, or begin again without a cursor."
        raise fault("cursor", "The domains are not those of the pages before this one", hint)
    return domain, after or None
