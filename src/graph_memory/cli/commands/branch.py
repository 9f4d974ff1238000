"""`graph-memory branch`: a copy of a domain, as it is or was."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from graph_memory.cli.command import Call, command
from graph_memory.cli.input.times import point
from graph_memory.cli.output.printing import counted, note, plain
from graph_memory.model.results import Branched


class BranchGroup(TyperGroup):
    """Takes `branch NAME` for `branch create NAME`: what is none of its commands is a name."""

    implied = "create"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - its class is private to typer
        """Put the implied command before a name."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [self.implied, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=BranchGroup,
    help="Branches: copies of a domain, as it is or was, to try things out in. `branch NAME` makes one.",
    no_args_is_help=True,
)
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the branch, such as experiment/new-approach.")
]
AtOption = Annotated[
    str | None,
    typer.Option(
        metavar="POINT",
        callback=point("at"),
        help='As of this number, event id, time, yesterday, "2 hours ago". Default: now.',
    ),
]


@command(app)
def create(call: Call, name: NameArgument, at: AtOption = None) -> None:
    """Make a branch of a domain, as it is or was. Repeat the command to resume an interrupted one."""
    call.answer(lambda memory: memory.history.branch(name, at=at), _show, "Branching")


def _show(made: Branched) -> None:
    typer.echo(made.domain)
    source = f"{plain(made.forked_from)} as it was at {made.forked_at}"
    note(f"Made from {source}: {counted(made.subjects, 'subject')}. Work in it with --domain {plain(made.domain)}")
