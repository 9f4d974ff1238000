"""`graph-memory branch` and `merge`: copies of a domain, and their changes written into another domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.history import named
from graph_memory.cli.errors import as_option
from graph_memory.cli.input import completion, naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import parse_assignments, read_for_type
from graph_memory.cli.input.times import point_callback
from graph_memory.cli.output.printing import count_of, harmless, note, plain
from graph_memory.memory.branches.results import How, MergeConflict, Merged
from graph_memory.model.results import Branched
from graph_memory.model.text.wording import quoted
from graph_memory.model.values.arguments import fault

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


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
        callback=point_callback("at"),
        help='As of this number, event id, time, yesterday, "2 hours ago". Default: now.',
    ),
]


@command(app)
def create(call: Call, name: NameArgument, at: AtOption = None) -> None:
    """Make a branch of a domain, as it is or was. Repeat the command to resume an interrupted one."""
    call.answer(lambda memory: memory.history.branch(name, at=at), _show_branch, "Branching")


def _show_branch(made: Branched) -> None:
    typer.echo(made.domain)
    source = f"{plain(made.forked_from)} as it was at {made.forked_at}"
    note(f"Made from {source}: {count_of(made.subjects, 'subject')}. Work in it with --domain {plain(made.domain)}")


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
    How, typer.Option(help="Which side wins conflicts: ours is the domain that is changed. manual stops at them.")
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
        help="The value to give a property; _content stands for the content. Repeatable.",
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
    """Merge the changes of a branch into the domain it was made from, or the other way round."""
    resolutions = [*_sides(resolve), *_values(values)]

    async def use(memory: Memory, *, dry: bool) -> Merged:
        target = memory if into is None else memory.in_domain(into)
        values = [await _with_id(target, memory.in_domain(source), resolution) for resolution in resolutions]
        return await target.history.merge(source, preview=dry, strategy=strategy, resolutions=values or None)

    if not preview and takes.should_confirm(yes=yes):
        tried = call.preview(lambda memory: use(memory, dry=True), _show_merge)
        if not tried.conflicts and (tried.changes or tried.settled):
            takes.confirm("Merge this?")
        elif not tried.conflicts and not call.as_json:
            return
    call.answer(lambda memory: use(memory, dry=preview), _show_merge, "Merging")


async def _with_id(target: Memory, source: Memory, resolution: dict[str, object]) -> dict[str, object]:
    """Return a resolution with the id of what was named, in the target or else in the source, and its value."""
    name = str(resolution["subject"])
    found = await naming.id_of(target, name)
    subject = found if found != name else await naming.id_of(source, name)
    if "value" not in resolution:
        return {**resolution, "subject": subject}
    values = await read_for_type(target, {str(resolution.get("property")): resolution["value"]}) or {}
    return {**resolution, "subject": subject, "value": next(iter(values.values()))}


def _sides(given: list[str] | None) -> list[dict[str, object]]:
    resolutions: list[dict[str, object]] = []
    for one in given or ():
        about, _, take = one.rpartition("=")
        if not about or take not in ("ours", "theirs"):
            hint = 'Write --resolve ID=theirs, or --resolve "ID PROPERTY=ours".'
            raise fault("resolve", f"{quoted(one)} does not say which side wins", hint)
        resolutions.append({**_about(about), "take": take})
    return resolutions


def _values(given: list[str] | None) -> list[dict[str, object]]:
    return [{**_about(about), "value": value} for about, value in (parse_assignments(given) or {}).items()]


def _about(given: str) -> dict[str, object]:
    """Read a subject's id, and a property behind a space; the name of a type may itself hold spaces."""
    if given.startswith(("node_type/", "connection_type/")):
        return {"subject": given}
    subject, _, name = given.partition(" ")
    return {"subject": subject, "property": name} if name else {"subject": subject}


def _show_merge(found: Merged) -> None:
    words = {"create": "new", "update": "changed", "delete": "deleted"}
    for change in found.changes:
        typer.echo(f"{words[change.operation]:<8}  {named(change)}")
    for conflict in found.conflicts:
        _show_conflict(conflict)
    verb = "would be merged" if found.preview else "merged"
    total = count_of(found.created + found.updated + found.deleted, "change")
    more = len(found.conflicts) + (found.more_conflicts or 0)
    left = f", {count_of(more, 'conflict')} to resolve" if more else ""
    note(f"{total} {verb}, {count_of(found.settled, 'conflict')} resolved{left}.")


def _show_conflict(found: MergeConflict) -> None:
    title = f"“{plain(found.title)}”" if found.title else plain(found.subject)
    typer.echo(f"conflict  {plain(found.kind)} {title}: {plain(found.reason)}")
    for resolution in found.resolve:
        typer.echo(f"{_INDENT}{as_option(resolution)}")
    sides = (("base", found.base), ("ours", found.ours), ("theirs", found.theirs))
    for name, value in sides if found.property else ():
        if value is not None:
            typer.echo(f"{_INDENT}{name:<6}  {plain(value)}")
    for lines in found.lines or ():
        typer.echo(f"{_INDENT}line {lines.line}")
        for name, text in (("base", lines.base), ("ours", lines.ours), ("theirs", lines.theirs)):
            typer.echo(f"{_INDENT}{name:<6}  " + harmless(text).replace("\n", f"\n{_INDENT}        "))
