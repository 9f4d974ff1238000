"""`graph-memory domain …`: lists, counts and deletes domains."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.protection import domain_protection_lines
from graph_memory.cli.input import completion
from graph_memory.cli.input import options as takes
from graph_memory.cli.listing import note_count_and_cursor
from graph_memory.cli.output.printing import escape_line, format_count, format_local_time, note, print_record
from graph_memory.cli.output.tables import print_table
from graph_memory.model.domain_results import DomainDeletionResult, DomainInfo, Domains, DomainSummary

app = typer.Typer(help="Domains: namespaces, each with its own ontology and log.", no_args_is_help=True)
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the domain.", autocompletion=completion.domains)
]


@command(app, "list", domain=False)
def list_all(call: Call, limit: takes.LimitOption = None, cursor: takes.CursorOption = None) -> None:
    """List the domains, each under its parent. `info` counts the contents of a domain."""
    page_size = call.page_size(limit)
    call.answer(lambda memory: memory.list_domains(limit=page_size, cursor=cursor), _show_all, "Reading")


def _show_all(page: Domains) -> None:
    if page.unavailable_databases:
        names = ", ".join(page.unavailable_databases)
        note(f"Database {names} cannot be reached: its domains are missing from this list.")
    if not page.domains:
        return note("No domains yet: `graph-memory ontology apply gtd` creates one.")
    columns = ("domain", "types", "events", "last change", "made from")
    rows = [
        (
            f"{'  ' * level}{summary.name}",
            summary.node_types + summary.connection_types,
            f"{summary.events:,}",
            format_local_time(summary.modified),
            _describe_origin(summary),
        )
        for level, summary in with_depths(page.domains)
    ]
    count = len(columns) if any(row[-1] for row in rows) else -1
    uncut = ("domain", "last change")
    print_table(columns[:count], [row[:count] for row in rows], uncut=uncut, wrapped=("made from",))
    return note_count_and_cursor(len(rows), "domain", page.next_cursor) if page.next_cursor else None


def with_depths(domains: Sequence[DomainSummary]) -> list[tuple[int, DomainSummary]]:
    """Return the domains as a tree, each child below its parent, with their depths. A root's depth is 0."""
    by_name = {domain.name: domain for domain in domains}
    pairs: dict[str, tuple[int, DomainSummary]] = {}

    def add(domain_to_add: DomainSummary, level: int) -> None:
        if domain_to_add.name not in pairs:
            pairs[domain_to_add.name] = (level, domain_to_add)
            for name in domain_to_add.children or ():
                if name in by_name:
                    add(by_name[name], level + 1)

    for summary in (*(domain for domain in domains if domain.parent not in by_name), *domains):
        add(summary, 0)
    return [*pairs.values()]


def _describe_origin(domain: DomainSummary) -> str:
    """Describe from which point the domain was branched, and which operation is in progress, if any."""
    lines = [f"{domain.forked_from} at {domain.forked_at}"] if domain.forked_from else []
    return ", ".join([*lines, *([domain.busy] if domain.busy else [])])


@command(app)
def info(
    call: Call,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Name of the domain, or use --domain.", autocompletion=completion.domains),
    ] = None,
) -> None:
    """Count the types, nodes, connections and events of a domain."""
    call.answer(lambda memory: memory.domain_info(domain=name or None), _show_info, "Counting")


def _show_info(domain: DomainInfo) -> None:
    print_record(
        {
            "domain": domain.name,
            **({"description": escape_line(domain.description)} if domain.description else {}),
            **({"parent": domain.parent} if domain.parent else {}),
            **({"children": ", ".join(domain.children)} if domain.children else {}),
            **({"made from": _describe_origin(domain)} if _describe_origin(domain) else {}),
            **({"branches": ", ".join(domain.branches)} if domain.branches else {}),
            **domain_protection_lines(domain.protection),
            "created": format_local_time(domain.created),
            "last change": format_local_time(domain.modified),
            **({"last access": format_local_time(domain.last_access)} if domain.last_access else {}),
            "events": f"{domain.events:,}",
            "node types": f"{domain.node_types:,}",
            "connection types": f"{domain.connection_types:,}",
            "nodes": f"{domain.nodes:,}",
            "connections": f"{domain.connections:,}",
            "content bytes": f"{domain.content_bytes:,}",
            **{f"types of {name}": ", ".join(types) for name, types in (domain.inherited_types or {}).items()},
            **({"differs from a parent": ", ".join(domain.differing_types)} if domain.differing_types else {}),
            **({"metadata": json.dumps(domain.metadata, ensure_ascii=False)} if domain.metadata else {}),
            **({"not indexed yet": format_count(domain.not_indexed, "change")} if domain.not_indexed else {}),
            **({"without vectors": format_count(domain.without_vectors, "passage")} if domain.without_vectors else {}),
            **({"words read as": domain.analyser} if domain.analyser else {}),
        }
    )


@command(app, domain=False)
def delete(
    call: Call,
    name: NameArgument,
    yes: takes.IrreversibleYesOption = False,
) -> None:
    """Delete a domain with its ontology, nodes, connections, contents and whole log. This cannot be undone."""
    if takes.must_confirm(yes=yes, alternative=f"`graph-memory domain info {escape_line(name)}` shows its contents."):
        domain = call.use_memory(lambda memory: memory.domain_info(domain=name), "Counting")
        counts = f"{format_count(domain.nodes, 'node')}, {format_count(domain.events, 'event')}"
        takes.confirm(f"Delete domain {escape_line(name)} with {counts}? This cannot be undone.")
    call.answer(lambda memory: memory.delete_domain(name), lambda deleted: _show_deleted(name, deleted), "Deleting")


def _show_deleted(name: str, deleted: DomainDeletionResult) -> None:
    blobs_note = "" if deleted.blobs is not None else " Large contents remain: another database shares their folder."
    note(f"Deleted {escape_line(name)}: {format_count(deleted.nodes, 'node')} and its whole log.{blobs_note}")
