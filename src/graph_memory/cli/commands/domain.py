"""`graph-memory domain …`: which domains there are, and how much is in them."""

from __future__ import annotations

from typing import Annotated

import typer

from graph_memory.cli.input import options as takes
from graph_memory.cli.output.printing import counted, local_time, note, plain, print_json, print_record
from graph_memory.cli.output.tables import print_table
from graph_memory.cli.session import with_memory
from graph_memory.model.results import Domains, DomainSummary

app = typer.Typer(help="Domains: namespaces, each with its own ontology and log.", no_args_is_help=True)
_BEGIN = "`graph-memory ontology apply gtd` creates one"


@app.command("list")
def list_all(as_json: takes.JsonOption = False) -> None:
    """List all domains; `info` counts what is in one."""
    show_domains(only_branches=False, as_json=as_json)


def show_domains(*, only_branches: bool, as_json: bool) -> None:
    """Print the domains, or only the branches among them."""
    found = with_memory(lambda memory: memory.list_domains(), "Reading")
    if only_branches:
        found = Domains(domains=tuple(one for one in found.domains if one.forked_from))
    if as_json:
        return print_json(found)
    if not found.domains:
        begin = "`graph-memory branch create NAME` creates one" if only_branches else _BEGIN
        return note(f"No {'branches' if only_branches else 'domains'} yet: {begin}.")
    kinds = ("node types", "connection types", "events", "last change")
    rows = [
        (one.name, one.node_types, one.connection_types, f"{one.events:,}", local_time(one.modified), _origin(one))
        for one in found.domains
    ]
    if any(row[-1] for row in rows):
        return print_table(("domain", *kinds, "made from"), rows, whole=("domain", "last change"))
    return print_table(("domain", *kinds), [row[:-1] for row in rows], whole=("domain", "last change"))


def _origin(one: DomainSummary) -> str:
    """Return what a domain is, if it is more than a domain."""
    told = [f"{one.forked_from} at {one.forked_at}"] if one.forked_from else []
    return ", ".join([*told, *([one.busy] if one.busy else [])])


@app.command()
def info(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Name of the domain, or give --domain.")] = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Count what is in a domain: types, nodes, connections, events."""
    found = with_memory(lambda memory: memory.domain_info(domain=name or domain), "Counting")
    if as_json:
        return print_json(found)
    return print_record(
        {
            "domain": found.name,
            **({"made from": _origin(found)} if _origin(found) else {}),
            "created": local_time(found.created),
            "last change": local_time(found.modified),
            "events": f"{found.events:,}",
            "node types": f"{found.node_types:,}",
            "connection types": f"{found.connection_types:,}",
            "nodes": f"{found.nodes:,}",
            "connections": f"{found.connections:,}",
        }
    )


@app.command()
def delete(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the domain.")],
    yes: takes.YesOption = False,
    as_json: takes.JsonOption = False,
) -> None:
    """Delete a domain: its ontology, nodes, connections, contents and whole log. This cannot be undone."""
    if takes.asks(yes=yes):
        found = with_memory(lambda memory: memory.domain_info(domain=name), "Counting")
        counts = f"{counted(found.nodes, 'node')}, {counted(found.events, 'event')}"
        takes.confirm(f"Delete domain {plain(name)} with {counts}? This cannot be undone.")
    gone = with_memory(lambda memory: memory.delete_domain(name), "Deleting")
    if as_json:
        return print_json(gone)
    left = "" if gone.blobs is not None else " Large contents stay: another database keeps its own there."
    return note(f"Deleted {plain(name)}: {counted(gone.nodes, 'node')}, {counted(gone.events, 'event')}.{left}")
