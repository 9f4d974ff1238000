"""`graph-memory branch …`: domains that were made from another."""

from __future__ import annotations

from typing import Annotated

import typer

from graph_memory.cli.commands import domain as domains
from graph_memory.cli.input import options as takes
from graph_memory.cli.output.printing import counted, note, plain, print_json
from graph_memory.cli.session import with_memory
from graph_memory.model.arguments import fault
from graph_memory.model.results import Domains

app = typer.Typer(
    help="Branches: copies of a domain, as it is or was, to try things out in.",
    no_args_is_help=True,
)
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the branch.")]
AtOption = Annotated[
    str | None, typer.Option(help='As of this number, event id, time, or "2 hours ago". Default: now.')
]


@app.command()
def create(
    name: NameArgument, at: AtOption = None, domain: takes.DomainOption = None, as_json: takes.JsonOption = False
) -> None:
    """Make a branch of a domain, as it is or was. Repeat the command to resume an interrupted one."""
    made = with_memory(lambda memory: memory.history.branch(name, at=at, domain=domain), "Branching")
    if as_json:
        return print_json(made)
    typer.echo(made.domain)
    source = f"{plain(made.forked_from)} as it was at {made.forked_at}"
    return note(
        f"Made from {source}: {counted(made.subjects, 'subject')}. Work in it with --domain {plain(made.domain)}"
    )


@app.command("list")
def list_all(as_json: takes.JsonOption = False) -> None:
    """List the branches, each with what it was made from."""
    domains.show_domains(only_branches=True, as_json=as_json)


@app.command()
def info(name: NameArgument, as_json: takes.JsonOption = False) -> None:
    """Count what is in a branch."""
    domains.info(name, as_json=as_json)


@app.command()
def delete(name: NameArgument, yes: takes.YesOption = False, as_json: takes.JsonOption = False) -> None:
    """Delete a branch with everything in it. This cannot be undone."""
    _check_branch(name, with_memory(lambda memory: memory.list_domains(), "Reading"))
    domains.delete(name, yes=yes, as_json=as_json)


def _check_branch(name: str, found: Domains) -> None:
    """Raise INVALID_ARGUMENT for a domain that is no branch and is not becoming one."""
    from graph_memory.memory.branches.branch import BRANCHING

    for one in found.domains:
        if one.name == name and one.forked_from is None and one.busy != BRANCHING:
            hint = f"`graph-memory domain delete {plain(name)}` deletes a domain; `branch list` lists the branches."
            raise fault("name", f"{plain(name)} is a domain, not a branch", hint)
