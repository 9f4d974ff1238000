"""`graph-memory gtd …`: the questions of Getting Things Done, for a domain that has its types."""

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
from graph_memory.model.text.wording import quoted
from graph_memory.model.values.arguments import fault

if TYPE_CHECKING:
    from graph_memory.gtd import Gtd
    from graph_memory.gtd.results import NextActions
    from graph_memory.memory.api.memory import Memory

R = TypeVar("R", bound=Result)

app = typer.Typer(
    help="Getting Things Done: what to do now, what is stuck, what you wait for, the weekly review.",
    no_args_is_help=True,
)

TodayOption = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="The day to treat as today.")
]


class Energy(StrEnum):
    """How much energy a person has."""

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
    """List the next actions you can do now: in your contexts and time, not waiting for another step."""
    minutes = _minutes(time)
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


@command(app)
def stuck(call: Call) -> None:
    """List the active projects without a next action to do."""
    _answer(call, lambda gtd: gtd.stuck_projects(), lambda projects: print_stuck(projects.projects))


@command(app)
def waiting(
    call: Call,
    everything: Annotated[bool, typer.Option("--all", help="Include what is not due for follow-up yet.")] = False,
    today: TodayOption = None,
) -> None:
    """List what you are waiting for and should follow up now."""
    day = _day(today)
    _answer(
        call,
        lambda gtd: gtd.waiting_for(today=day) if everything else gtd.overdue_waiting(today=day),
        lambda found: print_waiting(found.waiting),
    )


@command(app)
def review(call: Call, today: TodayOption = None) -> None:
    """Show every list of the weekly review."""
    day = _day(today)
    _answer(call, lambda gtd: gtd.weekly_review(today=day), print_review)


def _answer(call: Call, ask: Callable[[Gtd], Awaitable[R]], show: Callable[[R], None]) -> None:
    """Print the answer to a question."""

    async def use(memory: Memory) -> R:
        from graph_memory.gtd import Gtd

        return await ask(Gtd(memory))

    call.answer(use, show)


def _minutes(time: str | None) -> float | None:
    """Return the time at hand in minutes. Raises INVALID_ARGUMENT."""
    from graph_memory.gtd.rules import minutes_of

    minutes = minutes_of(time)
    if time is not None and minutes is None:
        raise fault("time", f"{quoted(time)} is not a length of time", "Give minutes, such as 30, or 45m, or 1h30m.")
    return minutes


def _day(today: datetime | None) -> date | None:
    return None if today is None else today.date()
