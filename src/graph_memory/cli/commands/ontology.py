"""`graph-memory ontology …`: the types of a domain, and files of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import assigned
from graph_memory.cli.input.ontology_source import SourceArgument, read_ontology
from graph_memory.cli.output.ontology_tables import print_ontology
from graph_memory.cli.output.printing import counted, print_json
from graph_memory.cli.session import with_memory
from graph_memory.model.ontology.declarations import connection_type_from, node_type_from
from graph_memory.model.ontology.diagram import mermaid
from graph_memory.model.ontology.ontology import Ontology, merge
from graph_memory.model.ontology.view import brief, detailed
from graph_memory.model.ontology.yaml_io import to_yaml
from graph_memory.model.results import OntologyApplied

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(help="The types of a domain, and files that declare them.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the type.")]
DescriptionOption = Annotated[str | None, typer.Option(help="What the type is for.")]
RequiredOption = Annotated[list[str] | None, typer.Option(help="A required property. Repeatable.")]
RuleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--property",
        "-p",
        metavar="NAME=TYPE|NAME:=JSON",
        help='A rule: `-p due=date`, or `-p \'status:={"enum": ["open", "done"], "indexed": true}\'`. Repeatable.',
    ),
]


@app.command()
def show(
    detail: Annotated[bool, typer.Option("--detail", help="All that is declared, with every property.")] = False,
    as_yaml: Annotated[bool, typer.Option("--yaml", help="Print it as a file for `apply`.")] = False,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Show the node and connection types of a domain."""
    ontology = _of_domain(domain)
    if as_json:
        return print_json(detailed(ontology) if detail else brief(ontology))
    return typer.echo(to_yaml(ontology), nl=False) if as_yaml else print_ontology(ontology, detail=detail)


@app.command("apply")
def apply_file(file: SourceArgument, domain: takes.DomainOption = None, as_json: takes.JsonOption = False) -> None:
    """Give a domain the types of a file: create it with them, or add those that it lacks. Safe to repeat.

    A type that the domain defines differently is refused, and nothing is changed then.
    """
    wanted = read_ontology(file)
    applied = with_memory(lambda memory: memory.apply_ontology(wanted, domain=domain), "Applying")
    print_json(applied) if as_json else typer.echo(_told(applied))


@app.command()
def add_node_type(
    name: NameArgument,
    properties: RuleOption = None,
    required: RequiredOption = None,
    description: DescriptionOption = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Add a node type to a domain, for good."""
    declared = node_type_from({"name": name, **_declaration(properties, required, description)})
    changed = with_memory(lambda memory: memory.add_node_type(declared, domain=domain), "Adding")
    print_json(changed) if as_json else typer.echo(f"Added {declared.title}.")


@app.command()
def add_connection_type(
    name: NameArgument,
    from_types: Annotated[list[str], typer.Option("--from", help="Node type it may start at, * for all. Repeatable.")],
    to_types: Annotated[list[str], typer.Option("--to", help="Node type it may end at, * for all. Repeatable.")],
    properties: RuleOption = None,
    required: RequiredOption = None,
    description: DescriptionOption = None,
    unique_source: Annotated[bool, typer.Option("--unique-source", help="At most one from each node.")] = False,
    unique_target: Annotated[bool, typer.Option("--unique-target", help="At most one to each node.")] = False,
    acyclic: Annotated[bool, typer.Option("--acyclic", help="Forbid cycles.")] = False,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Add a connection type to a domain, for good."""
    ends = {"from_types": from_types, "to_types": to_types}
    flags = {"unique_source": unique_source, "unique_target": unique_target, "acyclic": acyclic}
    declared = connection_type_from({"name": name, **ends, **flags, **_declaration(properties, required, description)})
    changed = with_memory(lambda memory: memory.add_connection_type(declared, domain=domain), "Adding")
    print_json(changed) if as_json else typer.echo(f"Added {declared.title}.")


@app.command()
def validate(file: SourceArgument, as_json: takes.JsonOption = False) -> None:
    """Check a file without a database; an error names its line."""
    found = read_ontology(file)
    if as_json:
        return print_json({"valid": True, **detailed(found).to_dict()})
    name = "standard input" if file == "-" else file
    return typer.echo(f"{name} is valid: {_counts(len(found.node_types), len(found.connection_types))}.")


@app.command("merge")
def merge_files(
    files: Annotated[list[str], typer.Argument(metavar="FILES…", help="Two or more, as for `validate`.")],
    as_json: takes.JsonOption = False,
) -> None:
    """Print one ontology with the types of all files; where several declare a type, they must agree."""
    merged = merge(*map(read_ontology, files))
    print_json(detailed(merged)) if as_json else typer.echo(to_yaml(merged), nl=False)


@app.command()
def diagram(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="As for `validate`. Default: that of the domain.")
    ] = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Draw an ontology as a Mermaid flowchart, which GitHub and many editors show."""
    text = mermaid(_of_domain(domain) if file is None else read_ontology(file))
    print_json({"mermaid": text}) if as_json else typer.echo(text, nl=False)


def _of_domain(domain: str | None) -> Ontology:
    async def use(memory: Memory) -> Ontology:
        return await memory.get_ontology(domain=domain)

    return with_memory(use, "Reading")


def _declaration(rules: list[str] | None, required: list[str] | None, description: str | None) -> dict[str, object]:
    """Return what was said about a type, as a file would say it: a rule is the name of a type, or an object."""
    given = {
        "description": description,
        "required_properties": required or None,
        "properties": {name: rule or None for name, rule in (assigned(rules) or {}).items()} or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _told(applied: OntologyApplied) -> str:
    counts = _counts(len(applied.node_types), len(applied.connection_types))
    if applied.created:
        return f"Created the ontology: {counts}."
    names = [*applied.node_types, *applied.connection_types]
    return f"Added {counts}: {', '.join(names)}." if names else "Nothing to add: the domain has all of it."


def _counts(node_types: int, connection_types: int) -> str:
    return f"{counted(node_types, 'node type')}, {counted(connection_types, 'connection type')}"
