"""Prints the lists of Getting Things Done as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import typer

from graph_memory.cli.output.printing import command_line, escape_line, format_count, note
from graph_memory.cli.output.tables import print_table

if TYPE_CHECKING:
    from graph_memory.gtd.results import Action, AvailableActions, Item, ProjectActions, Review, StuckProject, Waiting

T = TypeVar("T")

_REASONS = {
    "project": "belong to projects that are completed, on hold or someday",
    "dependencies": "depend on a step that is not completed",
    "contexts": "need another context",
    "time": "take longer",
    "energy": "take more energy",
}


def print_available(available: AvailableActions) -> None:
    """Print the available actions, and how many other actions are unavailable for which reason."""
    if available.actions:
        _print_actions(available.actions)
    reasons = [f"{number} {_REASONS[name]}" for name, number in available.left_out.to_dict().items() if number]
    omitted = f" Left out: {', '.join(reasons)}." if reasons else ""
    note(f"{format_count(len(available.actions), 'action')}.{omitted}")


def print_projects(projects: Sequence[ProjectActions]) -> None:
    """Print projects with their next actions."""
    _print_projects(projects)
    note(f"{format_count(len(projects), 'project')}.")


def _print_projects(projects: Sequence[ProjectActions]) -> None:
    for project in projects:
        due = f", due {project.due}" if project.due else ""
        typer.echo(escape_line(f"{project.title}{due}  {project.id}"))
        for action in project.actions:
            about = ", ".join(filter(None, [action.status, *action.contexts, _time(action.minutes), action.due]))
            typer.echo(escape_line(f"  - {action.title}{f' ({about})' if about else ''}  {action.id}"))
        if not project.actions:
            typer.echo("  no next action")


def print_stuck(projects: Sequence[StuckProject]) -> None:
    """Print the stuck projects, each with its reason."""
    if projects:
        _print_stuck(projects)
        return note(f"Give each a step: {command_line('connection', 'create', 'NextAction', 'PROJECT', 'ACTION')}.")
    return note("No project is stuck.")


def print_waiting(waiting: Sequence[Waiting]) -> None:
    """Print the list of things to follow up."""
    if waiting:
        _print_waiting(waiting)
    note(f"{len(waiting)} waiting." if waiting else "Nothing to follow up.")


def print_review(review: Review) -> None:
    """Print the lists of the review. The last line has the titles of the empty lists."""
    lists = (
        _section("Inbox: decide what each is", review.inbox, _print_items),
        _section("Unclear: no status", review.unclear, _print_items),
        _section("Stuck projects", review.stuck, _print_stuck),
        _section("Blocked by something cancelled", review.blocked, _print_items),
        _section("Waiting for others", review.waiting, _print_waiting),
        _section("Overdue", review.overdue, _print_items),
        _section("Due within 7 days", review.coming, _print_items),
        _section("Active projects", review.projects, _print_projects),
        _section("Next actions without a project", review.loose, _print_items),
        _section("Scheduled", review.scheduled, _print_items),
        _section("Waiting or on hold", review.resting, _print_items),
        _section("Due on a day that cannot be read: write 2025-10-31", review.undated, _print_items),
        _section("Someday", review.someday, _print_items),
        _section("Done within 7 days", review.done, _print_items),
    )
    if empty := [title for title in lists if title]:
        note(f"Nothing in: {', '.join(empty)}.")


def _section(title: str, items: Sequence[T], show: Callable[[Sequence[T]], None]) -> str | None:
    """Print a list under its title, and return None. If the list is empty, print nothing and return its title."""
    if not items:
        return title.partition(":")[0]
    typer.secho(f"{title} ({len(items)})", bold=True)
    show(items)
    typer.echo()
    return None


def _print_actions(actions: Sequence[Action]) -> None:
    print_table(
        ("action", "contexts", "time", "due", "project", "id"),
        [
            (
                action.title,
                ", ".join(action.contexts),
                _time(action.minutes),
                action.due or "",
                ", ".join(project.title for project in action.projects),
                action.id,
            )
            for action in actions
        ],
        uncut=("time", "due"),
    )


def _print_items(items: Sequence[Item]) -> None:
    print_table(
        ("type", "title", "status", "due", "id"),
        [(item.type, item.title, item.status or "", item.due or "", item.id) for item in items],
        uncut=("status", "due"),
    )


def _print_stuck(projects: Sequence[StuckProject]) -> None:
    print_table(
        ("project", "why", "due", "id"),
        [(project.title, project.reason, project.due or "", project.id) for project in projects],
        uncut=("due",),
    )


def _print_waiting(waiting: Sequence[Waiting]) -> None:
    print_table(
        ("waiting", "for", "since", "follow up", "overdue"),
        [
            (item.waiting.title, item.person.title, item.since or "", item.follow_up_date or "", _overdue(item))
            for item in waiting
        ],
        uncut=("since", "follow up", "overdue"),
    )


def _overdue(waiting: Waiting) -> str:
    if waiting.days_overdue is None or waiting.days_overdue < 0:
        return ""
    return format_count(waiting.days_overdue, "day") if waiting.days_overdue else "today"


def _time(minutes: float | None) -> str:
    return "" if minutes is None else f"{minutes:g} min"
