"""`graph-memory protect` and `unprotect`: making a node, a connection or a domain read-only, and lifting that."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import naming
from graph_memory.cli.input.times import time_callback
from graph_memory.cli.output.printing import local_time, plain
from graph_memory.cli.session import read_settings
from graph_memory.model.domain_results import DomainProtection
from graph_memory.model.results import ProtectionChanged, ProtectionInfo
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import fault
from graph_memory.project import domain_for

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

SubjectArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="NODE|CONNECTION",
        help="A node or connection, by its id, the beginning of its id or its title; or give --whole-domain.",
    ),
]
WholeOption = Annotated[bool, typer.Option("--whole-domain", help="The whole domain, which --domain names.")]
ReasonOption = Annotated[str | None, typer.Option(help="Why; whoever is refused is shown it.")]
UntilOption = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="TIME",
        callback=time_callback("until"),
        help='When it ends by itself: a time, a date, "in 2 hours".',
    ),
]
ByOption = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="ACTOR",
        help="Who may lift it, and write meanwhile; repeat for several. Without it only this command line lifts it.",
    ),
]


@command()
def protect(
    call: Call,
    subject: SubjectArgument = None,
    whole_domain: WholeOption = False,
    reason: ReasonOption = None,
    until: UntilOption = None,
    by: ByOption = None,
) -> None:
    """Make a node, a connection or a whole domain read-only. It guards against mistakes, not against attackers."""
    whole = _whole_domain(call, subject, whole_domain=whole_domain)

    async def use(memory: Memory) -> ProtectionChanged:
        node, connection, domain = await _target(memory, subject, whole)
        return await memory.protect(
            node_id=node,
            connection_id=connection,
            domain=domain,
            reason=reason,
            expires_at=until,
            can_be_unprotected_by=by,
        )

    call.answer(use, lambda changed: _tell(subject, whole, changed), "Protecting")


@command()
def unprotect(call: Call, subject: SubjectArgument = None, whole_domain: WholeOption = False) -> None:
    """Lift the protection of a node, a connection or a whole domain. Only who it names may; if nobody, you may."""
    whole = _whole_domain(call, subject, whole_domain=whole_domain)

    async def use(memory: Memory) -> ProtectionChanged:
        node, connection, domain = await _target(memory, subject, whole)
        return await memory.unprotect(node_id=node, connection_id=connection, domain=domain)

    call.answer(use, lambda changed: _tell(subject, whole, changed), "Lifting")


def _whole_domain(call: Call, subject: str | None, *, whole_domain: bool) -> str | None:
    """Return the domain, if all of it is meant: that takes a word of its own. Raises INVALID_ARGUMENT."""
    if whole_domain == (subject is not None):
        said = "Both a subject and --whole-domain were given" if whole_domain else "Nothing was named"
        raise fault("subject", said, "Name a node or connection, or give --whole-domain.")
    return (call.domain or domain_for(read_settings().domain)) if whole_domain else None


async def _target(memory: Memory, subject: str | None, whole: str | None) -> tuple[str | None, str | None, str | None]:
    """Return the node, the connection or the domain that was named."""
    if subject is None:
        return None, None, whole
    named = await memory.history.named(subject)
    subject_id = await naming.id_of(memory, subject)
    is_connection = any(one.id == subject_id and one.kind == Kind.CONNECTION for one in named)
    return (None, subject_id, None) if is_connection else (subject_id, None, None)


def _tell(subject: str | None, whole: str | None, changed: ProtectionChanged) -> None:
    what = plain(subject) if subject is not None else f"Domain {plain(whole)}"
    until = f" until {local_time(changed.expires_at)}" if changed.expires_at else ""
    typer.echo(f"{what} is read-only{until}." if changed.is_read_only else f"{what} is not read-only.")


def protection_lines(found: ProtectionInfo | None) -> dict[str, object]:
    """Return the lines of a record that tell how something is protected, none when it is not."""
    if found is None:
        return {}
    until, by = found.expires_at, found.can_be_unprotected_by
    since = f"by {plain(found.locked_by)}, {local_time(found.locked_at)}"
    return _lines(since, found.reason, until, by, is_read_only=found.is_read_only)


def domain_protection_lines(found: DomainProtection | None) -> dict[str, object]:
    """Return the same of a domain."""
    if found is None:
        return {}
    until, by = found.expires_at, found.can_be_unprotected_by
    since = f"by {plain(found.last_modified_by)}, {local_time(found.last_modified_at)}"
    return _lines(since, found.protection_reason, until, by, is_read_only=found.is_read_only)


def _lines(
    since: str, reason: str | None, until: datetime | None, by: tuple[str, ...] | None, *, is_read_only: bool
) -> dict[str, object]:
    if not is_read_only:
        return {"read-only": "no, it has expired"}
    rendered = {
        "read-only": since,
        "because": reason and plain(reason),
        "until": until and local_time(until),
        "lifted by": ", ".join(map(plain, by)) if by else "the command line",
    }
    return {name: value for name, value in rendered.items() if value}
