"""`graph-memory log --follow`: changes as they come, until the reader has had enough."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, TypedDict

import anyio
import typer

from graph_memory.cli.command import Call
from graph_memory.cli.input import naming
from graph_memory.cli.output.printing import local_time, print_json
from graph_memory.cli.output.states import state_lines
from graph_memory.cli.output.tables import print_tinted
from graph_memory.cli.session import opened_memory
from graph_memory.memory.history.results import LogEntry, Operation, Source
from graph_memory.model.arguments import fault

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

QUIET = "dim"
TINTS: Mapping[Operation, str] = {"create": "green", "update": "yellow", "delete": "red"}

_GLANCE = 0.2
"""Seconds between two looks at whether anybody still reads."""


class Wanted(TypedDict):
    """Which changes are asked for."""

    subject: str | None
    session: str | None
    source: Source | None
    actor: str | None
    operations: Sequence[Operation] | None
    types: Sequence[str] | None
    full: bool


async def with_whole_ids(memory: Memory, wanted: Wanted) -> Wanted:
    """Return what is asked for, with the whole ids of the subject and the session that were named."""
    subject, session = wanted["subject"], wanted["session"]
    return {
        **wanted,
        "subject": subject and await naming.id_of(memory, subject),
        "session": session and await naming.session_id(memory, session),
    }


def follow_log(
    call: Call, wanted: Wanted, *, since: str | None, until: str | None, limit: int | None, cursor: str | None
) -> None:
    """Print the newest changes, or all from `since` on, and then each new one, oldest first."""
    for name, given in (("until", until), ("cursor", cursor)):
        if given is not None:
            raise fault(name, f"--follow cannot be used with --{name}", f"Leave out --{name}, or --follow.")
    size = None if since is not None and limit is None else call.size(limit)

    async def work() -> None:
        async with (
            opened_memory() as memory,
            _until_ended(),
            aclosing(_changes(call.of(memory), wanted, since, size)) as changes,
        ):
            async for entry in changes:
                if not _printed(entry, as_json=call.as_json):
                    return

    try:
        anyio.run(work)
    except KeyboardInterrupt:
        _discard_output()


def print_entry(entry: LogEntry) -> None:
    """Print a change on a line, and its states below it where they were asked for."""
    by, tint = entry.by, TINTS[entry.operation]
    print_tinted((entry.seq, QUIET), (local_time(entry.at), QUIET), (by, ""), (entry.summary, tint))
    if entry.before is None and entry.after is None:
        return
    print_tinted(("", ""), (f"{entry.subject}  {entry.id}", QUIET))
    for line in state_lines(entry.before or {}, entry.after or {}):
        typer.echo(f"    {line}")


async def _changes(memory: Memory, wanted: Wanted, since: str | None, size: int | None) -> AsyncGenerator[LogEntry]:
    """Give the newest changes, as many as a page has, or all from a point on where no size is given; then new ones."""
    start: int | str | None = since
    wanted = await with_whole_ids(memory, wanted)
    if size is not None:
        page = await memory.history.log(since=since, limit=size, **wanted)
        for entry in reversed(page.entries):
            yield entry
        start = page.entries[0].seq + 1 if page.entries else since or 1
    async with aclosing(memory.history.follow(since=start, **wanted)) as changes:
        async for entry in changes:
            yield entry


def _printed(entry: LogEntry, *, as_json: bool) -> bool:
    """Print a change, and tell whether somebody was there to read it."""
    try:
        if as_json:
            print_json(entry)
        else:
            print_entry(entry)
    except BrokenPipeError:
        _discard_output()
        return False
    return True


@asynccontextmanager
async def _until_ended() -> AsyncGenerator[None]:
    """Leave the block when Ctrl-C or SIGTERM asks for it, or when nobody reads standard output any more."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_await_signal, tasks.cancel_scope)
        tasks.start_soon(_await_closed_pipe, tasks.cancel_scope)
        yield
        tasks.cancel_scope.cancel()


async def _await_signal(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":  # there, Ctrl-C interrupts and the rest ends the process
        return
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
            return


async def _await_closed_pipe(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":  # where only a write shows it
        return
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    while not poll.poll(0):  # noqa: ASYNC110 - with no events asked for, only a closed reader or an error is told
        await anyio.sleep(_GLANCE)
    _discard_output()
    scope.cancel()


def _discard_output() -> None:
    """Have what may still be flushed to standard output go nowhere: nobody reads it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
