"""The options that several commands share, so that one word means one thing everywhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from graph_memory.cli.input import completion
from graph_memory.cli.input.prompts import asked
from graph_memory.cli.input.times import point, world_time
from graph_memory.model.values.arguments import fault
from graph_memory.project import domain_for


def project_domain(given: str | None) -> str | None:
    """Return the domain that an option means: for `auto`, that of the project in whose folder the command is run."""
    return None if given is None else domain_for(given)


DomainOption = Annotated[
    str | None,
    typer.Option(
        metavar="DOMAIN",
        help="Domain to use; auto is that of the project you are in.",
        envvar="GRAPH_MEMORY_DOMAIN",
        callback=project_domain,
        autocompletion=completion.domains,
    ),
]
InDomainsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--in", metavar="DOMAIN", help="Ask this domain, not --domain. Repeatable.", autocompletion=completion.domains
    ),
]
IncludeChildrenOption = Annotated[bool, typer.Option("--include-children", help="Ask the domains under it too.")]


class Several(TypedDict, total=False):
    """Which domains a call reads; nothing where it reads one."""

    domains: list[str] | None
    include_children: bool


def several(domains: list[str] | None, *, include_children: bool) -> Several:
    """Return what the options give."""
    return Several(domains=domains or None, include_children=include_children) if domains or include_children else {}


class Ordered(TypedDict, total=False):
    """The ordering arguments of a list command. Empty means by id."""

    order_by: str
    descending: bool


def ordered(order_by: str | None, *, descending: bool) -> Ordered:
    """Return what the options give. Raises INVALID_ARGUMENT for --descending without an order."""
    if order_by is None and not descending:
        return {}
    if order_by is None:
        raise fault("descending", "--descending needs an order", "Give --order-by PROPERTY with it.")
    return Ordered(order_by=order_by, descending=descending)


JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

NAMED = "by its id, the beginning of its id, or its title"
NodeArgument = Annotated[str, typer.Argument(metavar="NODE", help=f"The node, {NAMED}.")]
SubjectArgument = Annotated[str, typer.Argument(metavar="NODE|CONNECTION", help=f"A node or connection, {NAMED}.")]
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
        help="A property. `-p year=2017` is read as the ontology declares it, as text if it does not; "
        "`-p year:=2017` is JSON. Repeatable.",
    ),
]
StrengthOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NUMBER|NAME=NUMBER",
        help="How strong it is, 0 to 1: one number, or semantic, structural, temporal or confidence, as in "
        "`--strength semantic=0.8`. Repeatable.",
    ),
]
MinStrengthOption = Annotated[
    float | None, typer.Option(metavar="WEIGHT", help="Only connections of at least this weight, 0 to 1.")
]
TagOption = Annotated[list[str] | None, typer.Option("--tag", "-t", help="A tag. Repeatable.")]
PathOption = Annotated[str | None, typer.Option(help="Where it belongs, such as work/kitchen.")]
IdOption = Annotated[str | None, typer.Option("--id", help="Your own id, never used before.")]

ContentOption = Annotated[str | None, typer.Option("--content", "-c", metavar="TEXT", help="The content as text.")]
FileOption = Annotated[
    Path | None,
    typer.Option("--file", "-f", allow_dash=True, help="Read the content from a file; - is standard input."),
]
EditOption = Annotated[bool, typer.Option("--edit", "-e", help="Write the content in $VISUAL or $EDITOR.")]
BinaryOption = Annotated[
    bool, typer.Option("--binary", help="Store it as binary content: of any size, but not searched.")
]
FormatOption = Annotated[
    str | None,
    typer.Option("--format", help="What the content is, such as markdown or pdf. Default: from the file's name."),
]

ValidAtOption = Annotated[
    str | None,
    typer.Option(
        "--valid-at",
        metavar="TIME",
        callback=world_time("valid-at"),
        help='Only what holds in the world then: a time, now, yesterday, "2 hours ago".',
    ),
]

AsOfOption = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="POINT",
        callback=point("as-of"),
        help='As it was at: a log number, an event id, a time, yesterday, "2 hours ago".',
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        metavar="POINT",
        callback=point("since"),
        help='The first change: a number, an event id, a time, yesterday, "last session".',
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(metavar="POINT", callback=point("until"), help="The last change, in the same form as --since."),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", "-n", min=1, help="Maximum results. Default: 100 in a table, all with --json.")
]
OrderByOption = Annotated[
    str | None, typer.Option(metavar="PROPERTY", help="In the order of a property, by an index of the type.")
]
DescendingOption = Annotated[bool, typer.Option("--descending", help="With --order-by: the last first.")]
CursorOption = Annotated[str | None, typer.Option(help="Where to go on: what the previous page ended with.")]
ExpectedVersionOption = Annotated[
    int | None, typer.Option(min=0, help="Refuse if the version is not this one: someone else changed it.")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask. Without a terminal, nothing is asked.")]

IrreversibleYesOption = Annotated[
    bool, typer.Option("--yes", "-y", help="Do not ask. Required when there is no terminal to confirm on.")
]

ROWS = 100
"""Rows of a table when nobody said how many."""


def asks(*, yes: bool) -> bool:
    """Say whether to ask a person before something is taken away; without a terminal, the call is the answer."""
    return not yes and sys.stdin.isatty()


def must_ask(*, yes: bool, instead: str) -> bool:
    """Say whether to ask a person before what cannot be undone.

    Raises INVALID_ARGUMENT where nobody can be asked; `instead` says what can be done without leave.
    """
    if yes or sys.stdin.isatty():
        return not yes
    message = "This cannot be undone, and there is no terminal to confirm it on"
    raise fault("yes", message, f"Give --yes to do it. {instead}")


def confirm(question: str) -> None:
    """Go on if the person says yes, else exit with 1."""
    asked(lambda: typer.confirm(question, abort=True, err=True))
