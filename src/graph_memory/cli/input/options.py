"""Options that several commands share, so that they mean the same in all commands."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from graph_memory.cli.input import completion
from graph_memory.cli.input.prompts import run_prompt
from graph_memory.cli.input.times import point_callback, time_callback
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.project import domain_for


def project_domain(domain: str | None) -> str | None:
    """Return the value of --domain or, by default, of GRAPH_MEMORY_DOMAIN. Returns None if neither is set.

    `auto` is replaced by the domain of the current folder's project.
    """
    from graph_memory.settings import ENVIRONMENT  # not needed for help

    variables = ENVIRONMENT.get()
    domain = domain or (os.environ if variables is None else variables).get("GRAPH_MEMORY_DOMAIN") or None
    return None if domain is None else domain_for(domain)


DomainOption = Annotated[
    str | None,
    typer.Option(
        metavar="DOMAIN",
        help="Domain to use; auto is the domain of the project you are in. Default: GRAPH_MEMORY_DOMAIN.",
        callback=project_domain,
        autocompletion=completion.domains,
    ),
]
InDomainsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--in",
        metavar="DOMAIN",
        help="Read this domain, not --domain. Repeatable.",
        autocompletion=completion.domains,
    ),
]
IncludeChildrenOption = Annotated[bool, typer.Option("--include-children", help="Also read its child domains.")]


class DomainSelection(TypedDict, total=False):
    """The arguments that select which domains a call reads. If they are empty, it reads only its own domain."""

    domains: list[str] | None
    include_children: bool


def select_domains(domains: list[str] | None, *, include_children: bool) -> DomainSelection:
    """Return the arguments for the options --in and --include-children."""
    return (
        DomainSelection(domains=domains or None, include_children=include_children)
        if domains or include_children
        else {}
    )


class Ordering(TypedDict, total=False):
    """The ordering arguments of a list command. By default, results are ordered by id."""

    order_by: str
    descending: bool


def select_order(order_by: str | None, *, descending: bool) -> Ordering:
    """Return the arguments for --order-by and --descending.

    Raises INVALID_ARGUMENT if --descending is given, but --order-by is not.
    """
    if order_by is None and not descending:
        return {}
    if order_by is None:
        raise invalid_argument(
            "descending", "--descending needs --order-by", "Add --order-by PROPERTY, or omit --descending."
        )
    return Ordering(order_by=order_by, descending=descending)


JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

NAME_FORMS = "by its id, the beginning of its id, or its title"
NodeArgument = Annotated[str, typer.Argument(metavar="NODE", help=f"The node, {NAME_FORMS}.")]
SubjectArgument = Annotated[str, typer.Argument(metavar="NODE|CONNECTION", help=f"A node or connection, {NAME_FORMS}.")]
SubjectOption = Annotated[
    str | None, typer.Option(metavar="NODE|CONNECTION", help="Only this node or connection, even a deleted one.")
]
NodeTypeArgument = Annotated[
    str, typer.Argument(metavar="TYPE", help="A node type of the domain.", autocompletion=completion.node_types)
]
ConnectionTypeArgument = Annotated[
    str,
    typer.Argument(metavar="TYPE", help="A connection type of the domain.", autocompletion=completion.connection_types),
]
NodeTypeOption = Annotated[
    str | None, typer.Option("--type", help="Only nodes of this type.", autocompletion=completion.node_types)
]
ConnectionTypeOption = Annotated[
    str | None,
    typer.Option("--type", help="Only connections of this type.", autocompletion=completion.connection_types),
]
TypesOption = Annotated[
    list[str] | None,
    typer.Option("--type", help="Only this node or connection type. Repeatable.", autocompletion=completion.all_types),
]

PropertyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--property",
        "-p",
        metavar="KEY=VALUE|KEY:=JSON",
        help="A property. `-p year=2017` has the type that the ontology declares, else it is text; "
        "`-p year:=2017` is JSON. Repeatable.",
    ),
]
StrengthOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NUMBER|NAME=NUMBER",
        help="Its strength, 0 to 1: one number, or semantic, structural, temporal or confidence, as in "
        "`--strength semantic=0.8`. Repeatable.",
    ),
]
MinStrengthOption = Annotated[
    float | None, typer.Option(metavar="WEIGHT", help="Only connections of at least this weight, 0 to 1.")
]
TagOption = Annotated[list[str] | None, typer.Option("--tag", "-t", help="A tag. Repeatable.")]
PathOption = Annotated[str | None, typer.Option(help="Its path, such as work/kitchen.")]
IdOption = Annotated[str | None, typer.Option("--id", help="An id of your choice that was never used before.")]

ContentOption = Annotated[str | None, typer.Option("--content", "-c", metavar="TEXT", help="The content as text.")]
FileOption = Annotated[
    Path | None,
    typer.Option("--file", "-f", allow_dash=True, help="Read the content from a file; - is standard input."),
]
EditOption = Annotated[bool, typer.Option("--edit", "-e", help="Write the content in $VISUAL or $EDITOR.")]
BinaryOption = Annotated[bool, typer.Option("--binary", help="Store binary content: of any size, but not searchable.")]
FormatOption = Annotated[
    str | None,
    typer.Option("--format", help="The format of the content, such as markdown or pdf. Default: from the file's name."),
]

ValidAtOption = Annotated[
    str | None,
    typer.Option(
        "--valid-at",
        metavar="TIME",
        callback=time_callback("valid-at"),
        help='Only facts that are valid at this time: a time, or a phrase such as "2 hours ago".',
    ),
]

AsOfOption = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="POINT",
        callback=point_callback("as-of"),
        help='Read the state at this point: a log number, event id, time, or phrase such as "2 hours ago".',
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        metavar="POINT",
        callback=point_callback("since"),
        help='The first change: a log number, event id, time, or phrase such as "last session".',
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        metavar="POINT", callback=point_callback("until"), help="The last change, in the same forms as --since."
    ),
]
LimitOption = Annotated[
    int | None,
    typer.Option("--limit", "-n", min=1, help="Maximum number of results. Default: 100 in a table, all with --json."),
]
OrderByOption = Annotated[
    str | None, typer.Option(metavar="PROPERTY", help="Sort by this property. The type must have an index for it.")
]
DescendingOption = Annotated[bool, typer.Option("--descending", help="With --order-by: sort in descending order.")]
CursorOption = Annotated[str | None, typer.Option(help="Continue after the page that ended with this cursor.")]
ExpectedVersionOption = Annotated[
    int | None, typer.Option(min=0, help="Fail if its version is different, because someone else changed it.")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask. Without a terminal, nothing is asked.")]

IrreversibleYesOption = Annotated[
    bool, typer.Option("--yes", "-y", help="Do not ask. Required if the command does not run in a terminal.")
]

DEFAULT_ROWS = 100
"""Maximum number of rows in a table if --limit is not given."""


def should_confirm(*, yes: bool) -> bool:
    """Return whether to ask before data is removed. Do not ask if --yes is given or there is no terminal."""
    return not yes and sys.stdin.isatty()


def must_confirm(*, yes: bool, alternative: str) -> bool:
    """Return whether to ask before an action that cannot be undone. Do not ask if --yes is given.

    Raises INVALID_ARGUMENT if there is neither --yes nor a terminal. `alternative` is a sentence about another possible
    action, which ends the hint.
    """
    if yes or sys.stdin.isatty():
        return not yes
    message = "This cannot be undone, and there is no terminal in which to confirm it"
    raise invalid_argument("yes", message, f"Pass --yes to confirm. {alternative}")


def confirm(question: str) -> None:
    """Ask the user to confirm `question`. If the user declines, exit with status 1."""
    run_prompt(lambda: typer.confirm(question, abort=True, err=True))
