"""`graph-memory load`: loads a graph from files of other programs or a Neo4j server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import sources as graph
from graph_memory.cli.input.ontology_source import read_ontology
from graph_memory.cli.output.findings import show_findings
from graph_memory.cli.output.printing import format_count
from graph_memory.cli.output.tables import print_table
from graph_memory.cli.session import with_progress
from graph_memory.memory.transfer.results import LoadResult, OnConflict

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.progress import Progress

_OUTCOMES = {
    "created": "created",
    "updated": "updated",
    "unchanged": "unchanged",
    "skipped": "left unchanged",
    "loaded_before": "loaded before",
}

OntologyOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|infer",
        help="Declare these types first: a file, a bundled ontology, or infer, to derive them from the data.",
    ),
]
OnConflictOption = Annotated[
    str,
    typer.Option(
        "--on-conflict",
        metavar="fail|skip|update",
        help="If the domain already has an id: fail loads nothing, skip leaves the item, update changes it.",
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

    All records are checked first. If one is invalid, nothing is loaded. To resume an interrupted load, repeat the
    command. From a server, add --on-conflict skip. The report has the counts by type, and the first rejected records
    with their positions.
    """
    types = read_ontology(ontology) if ontology not in (None, "infer") else ontology
    options = graph.source_options(
        labels, node_type, connection_type, content_property, id_property, join_arrays, only_labels, only_types
    )

    async def use(memory: Memory, progress: Progress) -> LoadResult:
        return await call.in_domain(memory).transfer.load(
            graph.read_sources(source, database),
            ontology=types,
            on_conflict=cast("OnConflict", on_conflict),
            skip_invalid=skip_invalid,
            dry_run=dry_run,
            options=options,
            progress=progress,
        )

    call.print_answer(with_progress(use), _show)


def _show(loaded: LoadResult) -> None:
    for title, counts, types in (
        ("node", loaded.nodes, loaded.node_types),
        ("connection", loaded.connections, loaded.connection_types),
    ):
        print_table([f"{title} type", title + "s"], [[name, f"{count:,}"] for name, count in types.items()])
        if types:
            outcomes = [f"{count:,} {_OUTCOMES[name]}" for name, count in counts.to_dict().items() if count]
            typer.echo(f"{', '.join(outcomes) or 'none'}\n")
    show_findings(loaded.refused, loaded.notes)
    typer.echo(_summary(loaded))


def _summary(loaded: LoadResult) -> str:
    nodes, connections = sum(loaded.node_types.values()), sum(loaded.connection_types.values())
    counts = f"{format_count(nodes, 'node')}, {format_count(connections, 'connection')}"
    if loaded.dry_run:
        return f"Nothing was written. Domain {loaded.domain} would contain this data from the source: {counts}."
    if loaded.from_seq is None:
        return f"Nothing was written. Domain {loaded.domain} already contains this data from the source: {counts}."
    return (
        f"Loaded into domain {loaded.domain}: {counts}, as numbers {loaded.from_seq:,} to {loaded.to_seq:,} of its log."
    )
