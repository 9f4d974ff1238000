"""`graph-memory agent`: lists the goals and patterns of an agent, and prunes its memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.agent.kinds import PatternType, Status
from graph_memory.cli.command import Call, command
from graph_memory.cli.input import options as takes
from graph_memory.cli.output.printing import command_line, escape_line, format_count, note
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.agent.results import Goals, Patterns, PruneResult
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(help="Goals and patterns of an agent, and pruning of its memory.", no_args_is_help=True)

_MAX_DIGITS = 12
LimitOption = Annotated[int, typer.Option(min=1, max=100, help="Maximum number of results.")]


@command(app)
def goals(
    call: Call,
    status: Annotated[Status | None, typer.Option(help="Default: all unfinished goals.")] = None,
    due_before: Annotated[str | None, typer.Option(metavar="DAY", help="Only goals with an earlier deadline.")] = None,
    limit: LimitOption = 50,
) -> None:
    """List goals by priority and deadline, with their progress and blockers."""

    def show(goals: Goals) -> None:
        for goal in goals.goals:
            due = f", due {goal.deadline}" if goal.deadline else ""
            reason = f", blocked: {goal.blocked_reason}" if goal.blocked_reason else ""
            typer.echo(escape_line(f"{goal.id}  {goal.description}  ({goal.status}, {goal.progress:.0%}{due}{reason})"))
            for step in goal.steps or ():
                typer.echo(escape_line(f"    {'x' if step.done else ' '} {step.number}. {step.text}"))
        more = f", {goals.left_out} more" if goals.left_out else ""
        note(f"{format_count(len(goals.goals), 'goal')}{more}.")

    call.answer(lambda memory: memory.agent.prospective.list(status, due_before=due_before, limit=limit), show)


@command(app)
def patterns(
    call: Call,
    pattern_type: Annotated[PatternType | None, typer.Option("--type", help="Only patterns of this type.")] = None,
    limit: LimitOption = 20,
) -> None:
    """List patterns with their success counts, the most reliable first."""

    def show(patterns: Patterns) -> None:
        for pattern in patterns.patterns:
            success_text = (
                f"{pattern.successes} of {pattern.applications} worked" if pattern.applications else "not applied yet"
            )
            typer.echo(escape_line(f"{pattern.id}  {pattern.name}  ({pattern.pattern_type}, {success_text})"))
        note(f"{format_count(len(patterns.patterns), 'pattern')}.")

    call.answer(lambda memory: memory.agent.procedural.get_best(pattern_type, limit=limit), show)


@command(app)
def prune(
    call: Call,
    limits: Annotated[
        list[str] | None,
        typer.Option("--limit", metavar="TYPE=NUMBER", help="A limit, such as events=50000. Repeatable."),
    ] = None,
    archive: Annotated[
        Path | None, typer.Option(help="File for the archive. Default: a new file in the folder archives.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be archived.")] = False,
    yes: takes.YesOption = False,
) -> None:
    """Archive items beyond the limits of the domain to a file. `agent restore` restores them."""
    numbers = dict(map(_parse_limit, limits or ()))

    async def use(memory: Memory, *, dry: bool) -> PruneResult:
        return await memory.agent.prune(dry_run=dry, limits=numbers, archive=archive)

    if takes.should_confirm(yes=yes or dry_run):
        call.preview(lambda memory: use(memory, dry=True), _show_pruning, "Reading")
        takes.confirm("Archive this?")
    call.answer(lambda memory: use(memory, dry=dry_run), _show_pruning, "Archiving")


@command(app)
def restore(
    call: Call, archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="An archive that `agent prune` wrote.")]
) -> None:
    """Restore the items that `agent prune` archived to a file."""
    call.answer(
        lambda memory: memory.agent.restore(archive),
        lambda done: note(f"Restored {format_count(done.restored, 'item')}."),
    )


def _parse_limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not number.isdecimal() or len(number) > _MAX_DIGITS:
        raise invalid_argument(
            "--limit", f"{quote(text)} is not a limit", "Pass a memory type and a number: events=50000."
        )
    return name, int(number)


def _show_pruning(pruned: PruneResult) -> None:
    for title in pruned.examples:
        typer.echo(escape_line(title))
    counts = ", ".join(f"{name} {number:,}" for name, number in pruned.archived.items()) or "nothing"
    note(f"{'Would be archived' if pruned.dry_run else 'Archived'}: {counts}.")
    if pruned.protected:
        note(f"{format_count(pruned.protected, 'protected item')} kept.")
    if pruned.left_out:
        note(f"{pruned.left_out:,} more exceed the limits: run it again.")
    if pruned.archive:
        note(f"Restore with: {command_line('agent', 'restore', pruned.archive)}")
