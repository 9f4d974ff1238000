"""`graph-memory load`: a graph that exists, from files of other programs or a Neo4j server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import sources as graph
from graph_memory.cli.input.ontology_source import read_ontology
from graph_memory.cli.output.findings import show_findings
from graph_memory.cli.output.printing import count_of
from graph_memory.cli.output.tables import print_table
from graph_memory.cli.session import with_progress
from graph_memory.memory.transfer.results import LoadCounts, Loaded, OnConflict

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.progress import Progress

_TOLD = {
    "created": "created",
    "updated": "updated",
    "unchanged": "unchanged",
    "skipped": "left as they are",
    "loaded_before": "loaded before",
}

OntologyOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|infer",
        help="Declare these types first: a file, a bundled ontology, or infer, for what the data suggests.",
    ),
]
OnConflictOption = Annotated[
    str,
    typer.Option(
        "--on-conflict",
        metavar="fail|skip|update",
        help="If the domain has an id already: fail loads nothing, skip leaves it as it is, update updates it.",
    ),
]


@command()
def load(
    call: Call,
    source: graph.SourceArgument,
    ontology: OntologyOption = None,
    on_conflict: OnConflictOption = "fail",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check, and report what would be done.")] = False,
    skip_invalid: graph.SkipInvalidOption = False,
    labels: graph.LabelOption = None,
    node_type: graph.NodeTypeOption = None,
    connection_type: graph.ConnectionTypeOption = None,
    content_property: graph.ContentPropertyOption = None,
    id_property: graph.IdPropertyOption = None,
    join_arrays: graph.JoinArraysOption = None,
    database: graph.DatabaseOption = None,
    only_labels: graph.OnlyLabelOption = None,
    only_types: graph.OnlyTypeOption = None,
) -> None:
    """Load a graph from files of other programs or a Neo4j server.

    Everything is checked first; if anything is wrong, nothing is loaded.
    Repeat the command to resume an interrupted load; from a server, with --on-conflict skip.
    The report has the counts by type, and the first of what was refused, with where it stands.
    """
    types = read_ontology(ontology) if ontology not in (None, "infer") else ontology
    options = graph.source_options(
        labels, node_type, connection_type, content_property, id_property, join_arrays, only_labels, only_types
    )

    async def use(memory: Memory, tell: Progress) -> Loaded:
        return await call.in_domain(memory).transfer.load(
            graph.read_sources(source, database),
            ontology=types,
            on_conflict=cast("OnConflict", on_conflict),
            skip_invalid=skip_invalid,
            dry_run=dry_run,
            options=options,
            tell=tell,
        )

    call.print_answer(with_progress(use), _show)


def _show(done: Loaded) -> None:
    for title, counts, types in (
        ("node", done.nodes, done.node_types),
        ("connection", done.connections, done.connection_types),
    ):
        print_table([f"{title} type", title + "s"], [[name, f"{count:,}"] for name, count in types.items()])
        if types:
            typer.echo(f"{_counts(counts)}\n")
    show_findings(done.refused, done.notes)
    typer.echo(_summary(done))


def _summary(done: Loaded) -> str:
    nodes, connections = sum(done.node_types.values()), sum(done.connection_types.values())
    what = f"{count_of(nodes, 'node')}, {count_of(connections, 'connection')}"
    if done.dry_run:
        return f"Nothing was written. Domain {done.domain} would have these of the source: {what}."
    if done.from_seq is None:
        return f"Domain {done.domain} has these of the source already: {what}. Nothing was written."
    return f"Loaded into domain {done.domain}: {what}, as numbers {done.from_seq:,} to {done.to_seq:,} of its log."


def _counts(counts: LoadCounts) -> str:
    lines = [f"{count:,} {_TOLD[name]}" for name, count in counts.to_dict().items() if count]
    return ", ".join(lines) or "none"
