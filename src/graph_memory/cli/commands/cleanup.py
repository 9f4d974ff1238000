"""`graph-memory entity similar`, `duplicates`, `merge`, `orphans`, `health`, `recent`, `hot` and `of-type`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.entity import NameArgument, NamesArgument, app
from graph_memory.cli.errors import as_command
from graph_memory.cli.output.printing import counted, note, undo_line
from graph_memory.cli.output.tables import print_table
from graph_memory.memory.entities.cleaning.results import (
    Duplicates,
    EntitiesMerged,
    EntityList,
    GraphHealth,
    Orphans,
    SimilarFound,
)

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

LimitOption = Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many to show.")]


@command(app)
def similar(call: Call, name: NameArgument, limit: LimitOption = 10) -> None:
    """Show entities that may be the same as one, and why."""

    async def use(memory: Memory) -> SimilarFound:
        return await memory.entities.find_similar(name, limit=limit)

    def show(found: SimilarFound) -> None:
        rows = [(f"{one.score:.2f}", one.name, one.type, "; ".join(one.reasons)) for one in found.similar]
        print_table(("score", "name", "type", "reasons"), rows)

    call.answer(use, show, "Comparing")


@command(app)
def duplicates(
    call: Call,
    limit: LimitOption = 20,
    min_score: Annotated[
        float, typer.Option("--min-score", min=0, max=1, help="Lower finds more, and more wrong ones.")
    ] = 0.75,
) -> None:
    """Show pairs of entities that may be the same."""

    async def use(memory: Memory) -> Duplicates:
        return await memory.entities.find_duplicates(limit=limit, min_score=min_score)

    def show(found: Duplicates) -> None:
        rows = [(f"{one.score:.2f}", *one.names, "; ".join(one.reasons)) for one in found.duplicates]
        print_table(("score", "name", "other", "reasons"), rows)
        note(f"{counted(found.found, 'pair')} among {found.compared:,} entities.")

    call.answer(use, show, "Comparing")


@command(app)
def merge(
    call: Call,
    names: NamesArgument,
    into: Annotated[str, typer.Option("--into", help="The entity that stays.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be moved.")] = False,
) -> None:
    """Make entities one: what is known of them moves, and their names become aliases."""

    async def use(memory: Memory) -> EntitiesMerged:
        return await memory.entities.merge_entities(names, into, dry_run=dry_run)

    call.answer(use, _show_merged, "Merging")


def _show_merged(done: EntitiesMerged) -> None:
    what = "Would merge" if done.dry_run else "Merged"
    moved = f"{counted(done.observations_moved, 'observation')} and {counted(done.relations_moved, 'relation')} moved"
    note(f"{what} {', '.join(done.merged)} into {done.into}: {moved}.")
    if done.conflicts:
        rows = [(one.of, one.what, one.kept, one.not_taken) for one in done.conflicts]
        print_table(("of", "what", "kept", "not taken"), rows)
    if done.since is not None:
        note(f"To undo it: {undo_line(done.since, done.until)}")


@command(app)
def orphans(call: Call, limit: LimitOption = 50) -> None:
    """Show entities without relations."""

    async def use(memory: Memory) -> Orphans:
        return await memory.entities.find_orphans(limit=limit)

    def show(found: Orphans) -> None:
        rows = [(one.name, one.type, one.observations, as_command(one.call)) for one in found.orphans]
        print_table(("name", "type", "observations", "what to do"), rows)

    call.answer(use, show, "Looking")


@command(app)
def health(call: Call, limit: LimitOption = 5) -> None:
    """Show what may be put right: duplicates, orphans, what is stale, contradictions, open questions."""

    async def use(memory: Memory) -> GraphHealth:
        return await memory.entities.graph_health(limit=limit)

    def show(found: GraphHealth) -> None:
        rows = [(one.kind, ", ".join(one.about), one.reason, as_command(one.call)) for one in found.findings]
        print_table(("kind", "about", "why", "what to do"), rows)
        counts = ", ".join(f"{kind} {count}" for kind, count in found.counts.items())
        note("Nothing is wrong." if found.healthy else f"Found: {counts}.")

    call.answer(use, show, "Looking")


@command(app)
def recent(call: Call, limit: LimitOption = 10) -> None:
    """Show the entities that changed last, and who changed them."""

    async def use(memory: Memory) -> EntityList:
        return await memory.entities.get_recent(limit=limit)

    call.answer(use, _show_entities, "Looking")


@command(app)
def hot(call: Call, limit: LimitOption = 10) -> None:
    """Show the entities that are looked at most."""

    async def use(memory: Memory) -> EntityList:
        return await memory.entities.get_hot(limit=limit)

    call.answer(use, _show_entities, "Looking")


@command(app)
def of_type(
    call: Call, type_name: Annotated[str, typer.Argument(metavar="TYPE", help="As written.")], limit: LimitOption = 50
) -> None:
    """Show the entities of a type."""

    async def use(memory: Memory) -> EntityList:
        return await memory.entities.get_by_type(type_name, limit=limit)

    call.answer(use, _show_entities, "Looking")


def _show_entities(found: EntityList) -> None:
    rows = [
        (one.name, one.type, one.observations, one.relations, one.changed.date().isoformat(), one.by or "")
        for one in found.entities
    ]
    print_table(("name", "type", "observations", "relations", "changed", "by"), rows)
    if found.more:
        note("There are more: use a larger --limit.")
