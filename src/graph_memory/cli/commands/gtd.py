"""`graph-memory gtd …`: the questions of Getting Things Done, for a domain that has its types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.output.gtd_lists import print_available, print_projects, print_review, print_stuck, print_waiting
from graph_memory.model.arguments import fault
from graph_memory.model.results import Result
from graph_memory.model.wording import quoted

if TYPE_CHECKING:
    from graph_memory.gtd import Gtd
    from graph_memory.memory.api.memory import Memory

R = TypeVar("R", bound=Result)

app = typer.Typer(
    help="Getting Things Done: what to do now, what is stuck, what is waited for, the weekly review.",
    no_args_is_help=True,
)

TodayOption = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="The day to take for today.")
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
    energy: Annotated[Energy | None, typer.Option(help="The energy that you have.")] = None,
) -> None:
    """List the next actions that can be done now: in your contexts and time, waiting for no other step."""
    minutes = _minutes(time)
    _answer(
        call,
        lambda gtd: gtd.available_actions(contexts=contexts, minutes=minutes, energy=energy),
        print_available,
    )


@command(app, "next")
def next_actions(
    call: Call,
    project: Annotated[str | None, typer.Argument(metavar="[PROJECT]", help="Id of one project.")] = None,
) -> None:
    """List the next actions of every active project, or of one project."""
    _answer(
        call,
        lambda gtd: gtd.next_actions(project=project),
        lambda found: print_projects(found.projects),
    )


@command(app)
def stuck(call: Call) -> None:
    """List the active projects that no next action moves."""
    _answer(call, lambda gtd: gtd.stuck_projects(), lambda found: print_stuck(found.projects))


@command(app)
def waiting(
    call: Call,
    everything: Annotated[bool, typer.Option("--all", help="Also what is not yet to be followed up.")] = False,
    today: TodayOption = None,
) -> None:
    """List what somebody else has to do and whose day to ask again has come."""
    day = _day(today)
    _answer(
        call,
        lambda gtd: gtd.waiting_for(today=day) if everything else gtd.overdue_waiting(today=day),
        lambda found: print_waiting(found.waiting),
    )


@command(app)
def review(call: Call, today: TodayOption = None) -> None:
    """Show every list that a weekly review goes through."""
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
        raise fault("time", f"{quoted(time)} is no length of time", "Give minutes, such as 30, or 45m, or 1h30m.")
    return minutes


def _day(today: datetime | None) -> date | None:
    return None if today is None else today.date()
