"""A paged query of several domains, which are read one after the other in the given order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256

from graph_memory.memory.domains.multi_domain import merge_warnings
from graph_memory.model.results import NodeBrief, NodeIds
from graph_memory.model.values.arguments import UNLIMITED, check_limit, invalid_argument, invalid_cursor_error

_PREFIX = "in:"
_HASH_LENGTH = 8
QueryDomain = Callable[[str, int | None, str | None], Awaitable[NodeIds]]
"""Returns a page of a domain's nodes with details, given the domain, a limit, and a cursor in that domain."""


async def query_domains(
    domains: Sequence[str], limit: int | None, cursor: str | None, query_domain: QueryDomain
) -> NodeIds:
    """Return the nodes of several domains, each with its domain. See `Memory.query_nodes`."""
    maximum = check_limit(limit)
    domain, after = _parse_cursor(domains, cursor)
    briefs: list[NodeBrief] = []
    warnings: dict[str, Sequence[str]] = dict.fromkeys(domains, ())
    names = list(domains[domains.index(domain) :])
    next_cursor: str | None = None
    for number, name in enumerate(names):
        remaining = maximum - len(briefs)
        page = await query_domain(name, None if maximum == UNLIMITED else remaining, after)
        after = None
        briefs += [node.model_copy(update={"domain": name}) for node in page.nodes or ()]
        warnings[name] = page.warnings or ()
        if page.next_cursor is not None:
            next_cursor = _make_cursor(domains, name, page.next_cursor)
        elif len(briefs) >= maximum and number + 1 < len(names):
            next_cursor = _make_cursor(domains, names[number + 1])
        if next_cursor is not None:
            break
    return NodeIds(
        node_ids=tuple(brief.id for brief in briefs),
        nodes=tuple(briefs),
        next_cursor=next_cursor,
        warnings=None if briefs or cursor else merge_warnings(warnings),
    )


def _make_cursor(domains: Sequence[str], domain: str, after: str = "") -> str:
    """Return the cursor of the next page. It contains a hash of the earlier domains, to detect a changed order."""
    earlier_hash = sha256(" ".join(domains[: domains.index(domain)]).encode()).hexdigest()[:_HASH_LENGTH]
    return f"{_PREFIX}{domain}:{earlier_hash}:{after}"


def _parse_cursor(domains: Sequence[str], cursor: str | None) -> tuple[str, str | None]:
    """Return the domain of a page, and the cursor in that domain.

    Raises INVALID_ARGUMENT if the cursor is invalid, or was returned for other domains.
    """
    if cursor is None:
        return domains[0], None
    before_prefix, _, cursor_fields = cursor.partition(_PREFIX)
    domain, _, hash_and_after = cursor_fields.partition(":")
    _, colon, after = hash_and_after.partition(":")
    if before_prefix or not colon:
        raise invalid_cursor_error(cursor)
    if domain not in domains or cursor != _make_cursor(domains, domain, after):
        hint = "Pass the same domains in the same order as for the first page, or start again without a cursor."
        raise invalid_argument("cursor", "The domains differ from the domains of the earlier pages", hint)
    return domain, after or None
