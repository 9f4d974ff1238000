"""`graph-memory key …`: manages the keys that clients need to use the memory over HTTP."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from graph_memory.agent.results import UserDeletionResult
from graph_memory.cli.command import Call, command
from graph_memory.cli.input import completion
from graph_memory.cli.output.printing import escape_line, format_local_time, note
from graph_memory.cli.output.tables import print_table
from graph_memory.memory.keys.results import KeyInfo, KeyList, NewKey
from graph_memory.model.rights import Right
from graph_memory.model.text.wording import join_names, quote
from graph_memory.model.values.arguments import invalid_argument

app = typer.Typer(
    help="Keys of clients over HTTP, with rights by domain. See `graph-memory serve --auth keys`.",
    no_args_is_help=True,
)
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_DURATION = re.compile(rf"(\d{{1,5}})([{''.join(_UNITS)}])")
KeyArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the key, such as anns-laptop.")]


@command(app, domain=False)
def create(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the key; the log shows it as the actor.")],
    domains: Annotated[
        list[str],
        typer.Option(
            "--domain",
            metavar="PATTERN",
            help="Domains of the key; * stands for any characters. PATTERN=RIGHT sets another right. Repeatable.",
        ),
    ],
    right: Annotated[Right, typer.Option(help="Right in these domains. Each right includes the rights before it.")],
    expires: Annotated[
        str | None, typer.Option(metavar="TIME", help="Time until the key expires, such as 90d. Default: never.")
    ] = None,
    toolsets: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Toolsets, tools and presets that the key may use. Default: every tool of the server.",
            autocompletion=completion.toolsets,
        ),
    ] = None,
) -> None:
    """Create a key, and print it. It is shown only once."""
    expiry = None if expires is None else datetime.now(UTC) + _parse_duration("expires", expires)
    names = None if toolsets is None else [part.strip() for part in toolsets.split(",")]
    if names is not None:
        from graph_memory.mcp_server.table import tools_of

        tools_of(names)
    call.answer(
        lambda memory: memory.keys.create(name, domains=domains, right=right, toolsets=names, expires=expiry),
        _show_new,
        "Writing",
    )


@command(app, "list", domain=False)
def list_all(call: Call) -> None:
    """List the keys: prefix, name, rights, and when each was created, last used, and expires."""
    call.answer(lambda memory: memory.keys.list(), _show_all)


@command(app, domain=False)
def revoke(
    call: Call,
    name: Annotated[str, typer.Argument(help="Name or prefix of a key.")],
    with_profile: Annotated[
        bool,
        typer.Option("--with-profile", help="Also erase the profile of the user with this name. It cannot be undone."),
    ] = False,
) -> None:
    """Revoke the keys with a name. Servers reject them within five seconds."""
    if with_profile:
        call.answer(lambda memory: memory.agent.user.delete(name), _show_deleted, "Erasing")
    else:
        call.answer(lambda memory: memory.keys.revoke(name), lambda keys: _show_keys(keys.revoked), "Writing")


@command(app, domain=False)
def rotate(
    call: Call,
    name: KeyArgument,
    grace: Annotated[str, typer.Option(metavar="TIME", help="Time for which the old key stays valid.")] = "24h",
) -> None:
    """Replace a key with a new key that has the same name, rights and expiry, and print it."""
    duration = _parse_duration("grace", grace)

    def show(key: NewKey) -> None:
        _show_new(key)
        until = min(filter(None, (datetime.now(UTC) + duration, key.expires)))
        note(f"The old key is valid until {format_local_time(until)}.")

    call.answer(lambda memory: memory.keys.rotate(name, grace=duration), show, "Writing")


def _parse_duration(option: str, text: str) -> timedelta:
    match = _DURATION.fullmatch(text)
    if match is None:
        hint = "Use minutes, hours, days or weeks, such as 30m, 12h, 90d or 4w."
        raise invalid_argument(option, f"{quote(text)} is not a duration", hint)
    return int(match[1]) * _UNITS[match[2]]


def _show_new(key: NewKey) -> None:
    typer.echo(key.key)
    note(f"The key is shown only this time. Rights: {_rights_text(key.rights)}. Expires: {_expiry_text(key)}.")


def _show_all(keys: KeyList) -> None:
    if not keys.keys:
        return note("No keys yet: `graph-memory key create NAME --domain PATTERN --right read` creates one.")
    columns = ("prefix", "name", "rights", "tools", "created", "last used", "expires")
    rows = [
        (
            key.prefix,
            escape_line(key.name),
            _rights_text(key.rights),
            ", ".join(key.toolsets or ("all",)),
            format_local_time(key.created),
            format_local_time(key.last_used) if key.last_used else "never",
            _expiry_text(key),
        )
        for key in keys.keys
    ]
    return print_table(columns, rows, uncut=("prefix", "name"), wrapped=("rights", "tools"))


def _show_deleted(user: UserDeletionResult) -> None:
    if user.revoked:
        _show_keys(user.revoked)
    typer.echo(f"Erased the profile of {escape_line(user.user)}." if user.erased else "There was no profile to erase.")


def _show_keys(keys: Sequence[KeyInfo]) -> None:
    typer.echo(f"Revoked: {join_names([f'{key.name} ({key.prefix})' for key in keys])}.")


def _rights_text(rights: Mapping[str, str]) -> str:
    return ", ".join(f"{pattern}={right}" for pattern, right in rights.items())


def _expiry_text(key: KeyInfo) -> str:
    if key.expires is None:
        return "never"
    return format_local_time(key.expires) + (" (expired)" if key.expires <= datetime.now(UTC) else "")
