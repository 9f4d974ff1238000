"""`graph-memory domain …`: which domains there are, and how much is in them."""

from __future__ import annotations

from typing import Annotated

import typer

from graph_memory.cli import options as takes
from graph_memory.cli.printing import local_time, note, print_json, print_record
from graph_memory.cli.session import with_memory
from graph_memory.cli.tables import print_table

app = typer.Typer(help="Domains: namespaces, each with an ontology and a log of its own.", no_args_is_help=True)


@app.command("list")
def list_all(as_json: takes.JsonOption = False) -> None:
    """List all domains; `info` counts what is in one."""
    found = with_memory(lambda memory: memory.list_domains(), "Reading")
    if as_json:
        return print_json(found)
    if not found.domains:
        return note("No domain yet: `graph-memory ontology apply gtd` begins one.")
    return print_table(
        ("domain", "node types", "connection types", "events", "last change"),
        [
            (one.name, one.node_types, one.connection_types, f"{one.events:,}", local_time(one.modified))
            for one in found.domains
        ],
        whole=("domain", "last change"),
    )


@app.command()
def info(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Name of the domain; or give --domain.")] = None,
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
            "created": local_time(found.created),
            "last change": local_time(found.modified),
            "events": f"{found.events:,}",
            "node types": f"{found.node_types:,}",
            "connection types": f"{found.connection_types:,}",
            "nodes": f"{found.nodes:,}",
            "connections": f"{found.connections:,}",
        }
    )
