"""`graph-memory branch` and `merge`: copy a domain, and merge the changes of a copy into another domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.history import subject_text
from graph_memory.cli.errors import as_option
from graph_memory.cli.input import completion, naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import parse_assignments, read_for_type
from graph_memory.cli.input.times import point_callback
from graph_memory.cli.output.printing import escape_control_characters, escape_line, format_count, note
from graph_memory.memory.branches.results import MergeConflict, MergeResult, StrategyName
from graph_memory.model.results import BranchResult
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


class BranchGroup(TyperGroup):
    """The command group `branch`. `branch NAME` is short for `branch create NAME`, unless NAME is a command."""

    implied = "create"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - its class is private to typer
        """Insert the command `create` if the first argument is neither a command nor a help option, then parse."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [self.implied, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=BranchGroup,
    help="Branches: copies of a domain at a point in its log, to try changes in. `branch NAME` creates one.",
    no_args_is_help=True,
)
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the branch, such as experiment/new-approach.")
]
AtOption = Annotated[
    str | None,
    typer.Option(
        metavar="POINT",
        callback=point_callback("at"),
        help='Copy the state at this log number, event id, time, or phrase such as "2 hours ago". Default: now.',
    ),
]


@command(app)
def create(call: Call, name: NameArgument, at: AtOption = None) -> None:
    """Create a branch of a domain at a point in its log. If it is interrupted, repeat the command to resume."""
    call.answer(lambda memory: memory.history.branch(name, at=at), _show_branch, "Branching")


def _show_branch(branch: BranchResult) -> None:
    typer.echo(branch.domain)
    source = f"{escape_line(branch.forked_from)} as it was at {branch.forked_at}"
    note(f"Created from {source}. Work in it with --domain {escape_line(branch.domain)}")


SourceArgument = Annotated[
    str, typer.Argument(help="The domain with the changes, such as a branch.", autocompletion=completion.domains)
]
IntoOption = Annotated[
    str | None,
    typer.Option(
        "--into",
        metavar="DOMAIN",
        help="The domain to change.",
        envvar="GRAPH_MEMORY_DOMAIN",
        show_envvar=True,
        autocompletion=completion.domains,
        callback=takes.project_domain,
    ),
]
StrategyOption = Annotated[
    StrategyName, typer.Option(help="Which side wins conflicts: ours is the domain to change. manual stops at them.")
]
ResolveOption = Annotated[
    list[str] | None,
    typer.Option(
        "--resolve",
        metavar='"ID [PROPERTY]=ours|theirs"',
        help="Which side wins the conflicts of a subject, or of one of its properties. Repeatable.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar='"ID PROPERTY=TEXT"|"ID PROPERTY:=JSON"',
        help="Set this value instead of a side's value. _content means the content. Repeatable.",
    ),
]
_INDENT = "    "


@command(domain=False)
def merge(
    call: Call,
    source: SourceArgument,
    into: IntoOption = None,
    preview: Annotated[bool, typer.Option("--preview", help="Only show what would be done.")] = False,
    strategy: StrategyOption = "manual",
    resolve: ResolveOption = None,
    values: SetOption = None,
    yes: takes.YesOption = False,
) -> None:
    """Merge the changes of a branch into its source domain, or the other way around."""
    resolutions = [*_parse_sides(resolve), *_parse_values(values)]

    async def use(memory: Memory, *, dry: bool) -> MergeResult:
        target = memory if into is None else memory.in_domain(into)
        values = [await _resolve_names(target, memory.in_domain(source), resolution) for resolution in resolutions]
        return await target.history.merge(source, preview=dry, strategy=strategy, resolutions=values or None)

    if not preview and takes.should_confirm(yes=yes):
        trial = call.preview(lambda memory: use(memory, dry=True), _show_merge)
        if not trial.conflicts and (trial.changes or trial.settled):
            takes.confirm("Merge this?")
        elif not trial.conflicts and not call.as_json:
            return
    call.answer(lambda memory: use(memory, dry=preview), _show_merge, "Merging")


async def _resolve_names(target: Memory, source: Memory, resolution: dict[str, object]) -> dict[str, object]:
    """Return the resolution with its subject's name replaced by an id.

    The name is looked up in the target, then the source.
    """
    name = str(resolution["subject"])
    target_id = await naming.id_of(target, name)
    subject = target_id if target_id != name else await naming.id_of(source, name)
    if "value" not in resolution:
        return {**resolution, "subject": subject}
    values = await read_for_type(target, {str(resolution.get("property")): resolution["value"]}) or {}
    return {**resolution, "subject": subject, "value": next(iter(values.values()))}


def _parse_sides(options: list[str] | None) -> list[dict[str, object]]:
    resolutions: list[dict[str, object]] = []
    for option in options or ():
        target, _, take = option.rpartition("=")
        if not target or take not in ("ours", "theirs"):
            hint = 'Use --resolve ID=theirs, or --resolve "ID PROPERTY=ours".'
            raise invalid_argument("resolve", f"{quote(option)} does not say which side wins", hint)
        resolutions.append({**_parse_target(target), "take": take})
    return resolutions


def _parse_values(options: list[str] | None) -> list[dict[str, object]]:
    return [{**_parse_target(target), "value": value} for target, value in (parse_assignments(options) or {}).items()]


def _parse_target(text: str) -> dict[str, object]:
    """Parse the target of a resolution: a subject, optionally followed by a space and a property.

    Type names can contain spaces.
    """
    if text.startswith(("node_type/", "connection_type/")):
        return {"subject": text}
    subject, _, name = text.partition(" ")
    return {"subject": subject, "property": name} if name else {"subject": subject}


def _show_merge(merged: MergeResult) -> None:
    verbs = {"create": "new", "update": "changed", "delete": "deleted"}
    for change in merged.changes:
        typer.echo(f"{verbs[change.operation]:<8}  {subject_text(change)}")
    for conflict in merged.conflicts:
        _show_conflict(conflict)
    verb = "would be merged" if merged.preview else "merged"
    total = format_count(merged.created + merged.updated + merged.deleted, "change")
    conflicts = len(merged.conflicts) + (merged.more_conflicts or 0)
    unresolved = f", {format_count(conflicts, 'conflict')} to resolve" if conflicts else ""
    note(f"{total} {verb}, {format_count(merged.settled, 'conflict')} resolved{unresolved}.")


def _show_conflict(conflict: MergeConflict) -> None:
    title = f"“{escape_line(conflict.title)}”" if conflict.title else escape_line(conflict.subject)
    typer.echo(f"conflict  {escape_line(conflict.kind)} {title}: {escape_line(conflict.reason)}")
    for resolution in conflict.resolve:
        typer.echo(f"{_INDENT}{as_option(resolution)}")
    sides = (("base", conflict.base), ("ours", conflict.ours), ("theirs", conflict.theirs))
    for name, value in sides if conflict.property else ():
        if value is not None:
            typer.echo(f"{_INDENT}{name:<6}  {escape_line(value)}")
    for lines in conflict.lines or ():
        typer.echo(f"{_INDENT}line {lines.line}")
        for name, text in (("base", lines.base), ("ours", lines.ours), ("theirs", lines.theirs)):
            typer.echo(f"{_INDENT}{name:<6}  " + escape_control_characters(text).replace("\n", f"\n{_INDENT}        "))
