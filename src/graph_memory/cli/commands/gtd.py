"""`graph-memory gtd …`: prints the lists of Getting Things Done, for a domain with the ontology gtd."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.output.gtd_lists import print_available, print_projects, print_review, print_stuck, print_waiting
from graph_memory.model.results import Result
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.gtd import Gtd
    from graph_memory.gtd.results import NextActions
    from graph_memory.memory.api.memory import Memory

R = TypeVar("R", bound=Result)

app = typer.Typer(
    help="Getting Things Done: next actions, stuck projects, things you wait for, and the weekly review.",
    no_args_is_help=True,
)

TodayOption = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="The day to treat as today.")
]


class Energy(StrEnum):
    """The energy level that a person has now."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@command(app)
def available(
    call: Call,
    contexts: Annotated[
        list[str] | None, typer.Option("--context", "-c", help="A context at hand, such as phone. Repeatable.")
    ] = None,
    time: Annotated[str | None, typer.Option(metavar="MINUTES", help="Time at hand: 30, 45m, 1h30m.")] = None,
    energy: Annotated[Energy | None, typer.Option(help="The energy at hand.")] = None,
) -> None:
    """List the next actions that you can do now, in your contexts and time."""
    minutes = _parse_minutes(time)
    _answer(
        call,
        lambda gtd: gtd.available_actions(contexts=contexts, minutes=minutes, energy=energy),
        print_available,
    )


@command(app, "next")
def next_actions(
    call: Call,
    project: Annotated[str | None, typer.Argument(metavar="PROJECT", help=f"One project, {takes.NAME_FORMS}.")] = None,
) -> None:
    """List the next actions of every active project, or of one project."""

    async def use(memory: Memory) -> NextActions:
        from graph_memory.gtd import Gtd

        return await Gtd(memory).next_actions(project=project and await naming.node_id(memory, project))

    call.answer(use, lambda actions: print_projects(actions.projects))


@command(app, "stuck")
def list_stuck(call: Call) -> None:
    """List the active projects without a next action that you can do."""
    _answer(call, lambda gtd: gtd.stuck_projects(), lambda projects: print_stuck(projects.projects))


@command(app)
def waiting(
    call: Call,
    everything: Annotated[bool, typer.Option("--all", help="Include items not due for follow-up yet.")] = False,
    today: TodayOption = None,
) -> None:
    """List the things that you wait for and should follow up now."""
    day = _date_of(today)
    _answer(
        call,
        lambda gtd: gtd.waiting_for(today=day) if everything else gtd.overdue_waiting(today=day),
        lambda result: print_waiting(result.waiting),
    )


@command(app)
def review(call: Call, today: TodayOption = None) -> None:
    """Show all lists of the weekly review."""
    day = _date_of(today)
    _answer(call, lambda gtd: gtd.weekly_review(today=day), print_review)


def _answer(call: Call, ask: Callable[[Gtd], Awaitable[R]], show: Callable[[R], None]) -> None:
    async def use(memory: Memory) -> R:
        from graph_memory.gtd import Gtd

        return await ask(Gtd(memory))

    call.answer(use, show)


def _parse_minutes(time: str | None) -> float | None:
    from graph_memory.gtd.rules import minutes_of

    minutes = minutes_of(time)
    if time is not None and minutes is None:
        raise invalid_argument(
            "time",
            f"{quote(time)} is not a duration",
            "Pass a number of minutes, such as 30, or a duration such as 45m or 1h30m.",
        )
    return minutes


def _date_of(today: datetime | None) -> date | None:
    return None if today is None else today.date()
