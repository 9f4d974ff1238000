"""`graph-memory ontology …`: shows and applies the types of a domain, and checks files that declare types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import options as takes
from graph_memory.cli.input import sources as graph
from graph_memory.cli.input.ontology_source import SourceArgument, read_ontology
from graph_memory.cli.output.ontology_tables import print_ontology
from graph_memory.cli.output.printing import format_count
from graph_memory.cli.output.progress import progress_bar
from graph_memory.cli.session import reader_at
from graph_memory.model.ontology.diagram import mermaid
from graph_memory.model.ontology.ontology import Ontology, merge_ontologies
from graph_memory.model.ontology.view import brief_view, detailed_view
from graph_memory.model.ontology.yaml_io import to_yaml
from graph_memory.model.results import OntologyApplyResult

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(help="The types of a domain, and the files that declare them.", no_args_is_help=True)


@command(app)
def show(
    call: Call,
    detail: Annotated[bool, typer.Option("--detail", help="Show all declarations, with every property.")] = False,
    as_yaml: Annotated[bool, typer.Option("--yaml", help="Print it as a file for `apply`.")] = False,
    as_of: takes.AsOfOption = None,
) -> None:
    """Show the node and connection types of a domain."""

    async def use(memory: Memory) -> Ontology:
        return await (await reader_at(memory, as_of)).get_ontology()

    ontology = call.use_memory(use)

    def show(_: object) -> None:
        typer.echo(to_yaml(ontology), nl=False) if as_yaml else print_ontology(ontology, detail=detail)

    call.print_answer(detailed_view(ontology) if detail else brief_view(ontology), show)


@command(app, "apply")
def apply_file(call: Call, file: SourceArgument) -> None:
    """Apply the types in a file to a domain: create the domain, or add and change types. Safe to repeat.

    All stored data must fit the changed types. Otherwise nothing is changed, and the error lists the data that does
    not.
    """
    ontology = read_ontology(file)
    call.answer(
        lambda memory: memory.apply_ontology(ontology), lambda applied: typer.echo(_applied_text(applied)), "Applying"
    )


@command(app, domain=False)
def validate(call: Call, file: SourceArgument) -> None:
    """Check a file without a database. The error lists all problems with their line numbers."""
    ontology = read_ontology(file)
    name = "standard input" if file == "-" else file
    text = f"{name} is valid: {_counts_text(len(ontology.node_types), len(ontology.connection_types))}."
    call.print_answer({"valid": True, **detailed_view(ontology).to_dict()}, lambda _: typer.echo(text))


@command(app, domain=False)
def infer(
    call: Call,
    source: graph.SourceArgument,
    labels: graph.LabelOption = None,
    node_type: graph.NodeTypeOption = None,
    connection_type: graph.ConnectionTypeOption = None,
    content_property: graph.ContentPropertyOption = None,
    id_property: graph.IdPropertyOption = None,
    join_arrays: graph.JoinArraysOption = None,
    skip_invalid: graph.SkipInvalidOption = False,
    database: graph.DatabaseOption = None,
    only_labels: graph.OnlyLabelOption = None,
    only_types: graph.OnlyTypeOption = None,
) -> None:
    """Print an ontology inferred from a graph, to read, edit and apply. A graph in files needs no database.

    It has the types, the ends of connections, and the rules that all data satisfies.
    """
    from graph_memory.memory.transfer.load.sources import infer_ontology

    options = graph.source_options(
        labels, node_type, connection_type, content_property, id_property, join_arrays, only_labels, only_types
    )
    with progress_bar() as progress:
        ontology = infer_ontology(
            graph.read_sources(source, database), options, skip_invalid=skip_invalid, progress=progress
        )
    call.print_answer(detailed_view(ontology), lambda _: typer.echo(to_yaml(ontology), nl=False))


@command(app, "merge", domain=False)
def merge_files(
    call: Call,
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="As for `validate`. Pass two or more.")],
) -> None:
    """Print one ontology with the types of all files. Declarations of the same type must agree."""
    merged = merge_ontologies(map(read_ontology, files))
    call.print_answer(detailed_view(merged), lambda _: typer.echo(to_yaml(merged), nl=False))


@command(app)
def diagram(
    call: Call,
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="As for `validate`. Default: the ontology of the domain.")
    ] = None,
) -> None:
    """Draw an ontology as a Mermaid flowchart, which GitHub and many editors show."""
    text = mermaid(call.use_memory(lambda memory: memory.get_ontology()) if file is None else read_ontology(file))
    call.print_answer({"mermaid": text}, lambda _: typer.echo(text, nl=False))


def _applied_text(applied: OntologyApplyResult) -> str:
    counts = _counts_text(len(applied.node_types), len(applied.connection_types))
    if applied.created:
        return f"Created the ontology: {counts}."
    names = [*applied.node_types, *applied.connection_types]
    added = [f"Added {counts}: {', '.join(names)}."] if names else []
    changed = [f"Changed {line}." for line in applied.changed]
    return "\n".join([*added, *changed]) or "The domain already has all of these types."


def _counts_text(node_types: int, connection_types: int) -> str:
    return f"{format_count(node_types, 'node type')}, {format_count(connection_types, 'connection type')}"
