"""`graph-memory protect` and `unprotect`: make a node, a connection or a domain read-only or writable again."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import naming
from graph_memory.cli.input.times import time_callback
from graph_memory.cli.output.printing import escape_line, format_local_time
from graph_memory.cli.session import read_settings
from graph_memory.model.domain_results import DomainProtection
from graph_memory.model.results import ProtectionChangeResult, ProtectionInfo
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.project import domain_for

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

SubjectArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="NODE|CONNECTION",
        help="A node or connection, by its id, the beginning of its id or its title; or use --whole-domain.",
    ),
]
WholeOption = Annotated[bool, typer.Option("--whole-domain", help="Protect the whole domain that --domain names.")]
ReasonOption = Annotated[str | None, typer.Option(help="The reason, shown in errors.")]
UntilOption = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="TIME",
        callback=time_callback("until"),
        help='The end of the protection: a time, a date, or a phrase such as "in 2 hours".',
    ),
]
ByOption = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="ACTOR",
        help="An actor who may write, and remove the protection. Default: only the command line may. Repeatable.",
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
    """Make a node, a connection or a whole domain read-only. This guards against mistakes, not against attackers."""
    selected_domain = _selected_domain(call, subject, whole_domain=whole_domain)

    async def use(memory: Memory) -> ProtectionChangeResult:
        node, connection, domain = await _target(memory, subject, selected_domain)
        return await memory.protect(
            node_id=node,
            connection_id=connection,
            domain=domain,
            reason=reason,
            expires_at=until,
            can_be_unprotected_by=by,
        )

    call.answer(use, lambda changed: _show_changed(subject, selected_domain, changed), "Protecting")


@command()
def unprotect(call: Call, subject: SubjectArgument = None, whole_domain: WholeOption = False) -> None:
    """Remove the protection of a node, connection or domain. If it names actors, only they may remove it."""
    selected_domain = _selected_domain(call, subject, whole_domain=whole_domain)

    async def use(memory: Memory) -> ProtectionChangeResult:
        node, connection, domain = await _target(memory, subject, selected_domain)
        return await memory.unprotect(node_id=node, connection_id=connection, domain=domain)

    call.answer(use, lambda changed: _show_changed(subject, selected_domain, changed), "Lifting")


def _selected_domain(call: Call, subject: str | None, *, whole_domain: bool) -> str | None:
    """Return the domain if --whole-domain is given, or None if a subject is given.

    Raises INVALID_ARGUMENT unless exactly one of the two is given.
    """
    if whole_domain == (subject is not None):
        problem = "Both a subject and --whole-domain were given" if whole_domain else "No subject was given"
        raise invalid_argument("subject", problem, "Pass either a node or connection, or --whole-domain.")
    return (call.domain or domain_for(read_settings().domain)) if whole_domain else None


async def _target(memory: Memory, subject: str | None, domain: str | None) -> tuple[str | None, str | None, str | None]:
    """Return the node id, the connection id and the domain to protect or unprotect. Exactly one of the three is set."""
    if subject is None:
        return None, None, domain
    matches = await memory.history.named(subject)
    subject_id = await naming.id_of(memory, subject)
    is_connection = any(match_.id == subject_id and match_.kind == Kind.CONNECTION for match_ in matches)
    return (None, subject_id, None) if is_connection else (subject_id, None, None)


def _show_changed(subject: str | None, domain: str | None, changed: ProtectionChangeResult) -> None:
    name = escape_line(subject) if subject is not None else f"Domain {escape_line(domain)}"
    until = f" until {format_local_time(changed.expires_at)}" if changed.expires_at else ""
    typer.echo(f"{name} is read-only{until}." if changed.is_read_only else f"{name} is not read-only.")


def protection_lines(protection: ProtectionInfo | None) -> dict[str, object]:
    """Return fields for `print_record` that describe the protection, or no fields if there is no protection."""
    if protection is None:
        return {}
    until, by = protection.expires_at, protection.can_be_unprotected_by
    since = f"by {escape_line(protection.locked_by)}, {format_local_time(protection.locked_at)}"
    return _render_protection(since, protection.reason, until, by, is_read_only=protection.is_read_only)


def domain_protection_lines(protection: DomainProtection | None) -> dict[str, object]:
    """Return fields for `print_record` that describe a domain's protection, or no fields if it has no protection."""
    if protection is None:
        return {}
    until, by = protection.expires_at, protection.can_be_unprotected_by
    since = f"by {escape_line(protection.last_modified_by)}, {format_local_time(protection.last_modified_at)}"
    return _render_protection(since, protection.protection_reason, until, by, is_read_only=protection.is_read_only)


def _render_protection(
    since: str, reason: str | None, until: datetime | None, by: tuple[str, ...] | None, *, is_read_only: bool
) -> dict[str, object]:
    if not is_read_only:
        return {"read-only": "no, it has expired"}
    lines = {
        "read-only": since,
        "because": reason and escape_line(reason),
        "until": until and format_local_time(until),
        "lifted by": ", ".join(map(escape_line, by)) if by else "the command line",
    }
    return {name: value for name, value in lines.items() if value}
