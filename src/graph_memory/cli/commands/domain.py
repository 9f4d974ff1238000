"""`graph-memory domain …`: which domains there are, and how much is in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.protection import domain_protection_lines
from graph_memory.cli.input import completion
from graph_memory.cli.input import options as takes
from graph_memory.cli.listing import note_end
from graph_memory.cli.output.printing import count_of, local_time, note, plain, print_record
from graph_memory.cli.output.tables import print_table
from graph_memory.model.domain_results import DomainDeleted, DomainInfo, Domains, DomainSummary

app = typer.Typer(help="Domains: namespaces, each with its own ontology and log.", no_args_is_help=True)
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the domain.", autocompletion=completion.domains)
]


@command(app, "list", domain=False)
def list_all(call: Call, limit: takes.LimitOption = None, cursor: takes.CursorOption = None) -> None:
    """List the domains, each under its parent; `info` counts what is in one."""
    most = call.page_size(limit)
    call.answer(lambda memory: memory.list_domains(limit=most, cursor=cursor), _show_all, "Reading")


def _show_all(found: Domains) -> None:
    if not found.domains:
        return note("No domains yet: `graph-memory ontology apply gtd` creates one.")
    columns = ("domain", "types", "events", "last change", "made from")
    rows = [
        (
            f"{'  ' * level}{summary.name}",
            summary.node_types + summary.connection_types,
            f"{summary.events:,}",
            local_time(summary.modified),
            _origin(summary),
        )
        for level, summary in as_tree(found.domains)
    ]
    shown = len(columns) if any(row[-1] for row in rows) else -1
    whole = ("domain", "last change")
    print_table(columns[:shown], [row[:shown] for row in rows], uncut=whole, wrapped=("made from",))
    return note_end(len(rows), "domain", found.next_cursor) if found.next_cursor else None


def as_tree(domains: Sequence[DomainSummary]) -> list[tuple[int, DomainSummary]]:
    """Return domains with how deep each stands, those under one right after it; where its parent is not there, at 0."""
    known = {domain.name: domain for domain in domains}
    pairs: dict[str, tuple[int, DomainSummary]] = {}

    def tell(one: DomainSummary, level: int) -> None:
        if one.name not in pairs:
            pairs[one.name] = (level, one)
            for name in one.children or ():
                if name in known:
                    tell(known[name], level + 1)

    for summary in (*(domain for domain in domains if domain.parent not in known), *domains):
        tell(summary, 0)
    return [*pairs.values()]


def _origin(one: DomainSummary) -> str:
    """Return what a domain is, if it is more than a domain."""
    lines = [f"{one.forked_from} at {one.forked_at}"] if one.forked_from else []
    return ", ".join([*lines, *([one.busy] if one.busy else [])])


@command(app)
def info(
    call: Call,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Name of the domain, or give --domain.", autocompletion=completion.domains),
    ] = None,
) -> None:
    """Count what is in a domain: types, nodes, connections, events."""
    call.answer(lambda memory: memory.domain_info(domain=name or None), _show_info, "Counting")


def _show_info(found: DomainInfo) -> None:
    print_record(
        {
            "domain": found.name,
            **({"description": plain(found.description)} if found.description else {}),
            **({"parent": found.parent} if found.parent else {}),
            **({"children": ", ".join(found.children)} if found.children else {}),
            **({"made from": _origin(found)} if _origin(found) else {}),
            **({"branches": ", ".join(found.branches)} if found.branches else {}),
            **domain_protection_lines(found.protection),
            "created": local_time(found.created),
            "last change": local_time(found.modified),
            **({"last access": local_time(found.last_access)} if found.last_access else {}),
            "events": f"{found.events:,}",
            "node types": f"{found.node_types:,}",
            "connection types": f"{found.connection_types:,}",
            "nodes": f"{found.nodes:,}",
            "connections": f"{found.connections:,}",
            "content bytes": f"{found.content_bytes:,}",
            **{f"types of {name}": ", ".join(types) for name, types in (found.inherited_types or {}).items()},
            **({"defined otherwise above": ", ".join(found.differing_types)} if found.differing_types else {}),
            **({"metadata": json.dumps(found.metadata, ensure_ascii=False)} if found.metadata else {}),
            **({"not indexed yet": count_of(found.not_indexed, "change")} if found.not_indexed else {}),
            **({"without vectors": count_of(found.without_vectors, "passage")} if found.without_vectors else {}),
            **({"words read as": found.analyser} if found.analyser else {}),
        }
    )


@command(app, domain=False)
def delete(
    call: Call,
    name: NameArgument,
    yes: takes.IrreversibleYesOption = False,
) -> None:
    """Delete a domain: its ontology, nodes, connections, contents and whole log. This cannot be undone."""
    if takes.must_confirm(yes=yes, alternative=f"`graph-memory domain info {plain(name)}` shows what would go."):
        domain = call.ask(lambda memory: memory.domain_info(domain=name), "Counting")
        counts = f"{count_of(domain.nodes, 'node')}, {count_of(domain.events, 'event')}"
        takes.confirm(f"Delete domain {plain(name)} with {counts}? This cannot be undone.")
    call.answer(lambda memory: memory.delete_domain(name), lambda gone: _show_deleted(name, gone), "Deleting")


def _show_deleted(name: str, gone: DomainDeleted) -> None:
    left = "" if gone.blobs is not None else " Large contents stay: another database keeps its own there."
    note(f"Deleted {plain(name)}: {count_of(gone.nodes, 'node')}, and its whole log.{left}")
