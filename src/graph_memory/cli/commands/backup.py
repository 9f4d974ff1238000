"""`graph-memory backup` and `restore`: all that the local Neo4j and its home keep, in one file and back."""

from __future__ import annotations

import signal
import sys
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeVar

import anyio
import typer

from graph_memory import local
from graph_memory.cli.errors import DIFFERENCES
from graph_memory.cli.input import options as takes
from graph_memory.cli.output.printing import count_of, local_time, note, plain, print_json
from graph_memory.cli.output.progress import progress_bar
from graph_memory.cli.session import read_settings
from graph_memory.model.errors import Code, GraphError
from graph_memory.settings import KIB, MIB, Settings

if TYPE_CHECKING:
    from graph_memory.local.backup.archive import Manifest
    from graph_memory.local.backup.backup import Facts
    from graph_memory.memory.api.memory import Memory
    from graph_memory.model.results import Verification

T = TypeVar("T")

_SHOWN = 10

TargetArgument = Annotated[
    Path, typer.Argument(metavar="FILE|DIR", help="A new .tar file, or a folder to make one in.")
]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A file made by `graph-memory backup`.")]
ReplaceOption = Annotated[bool, typer.Option("--replace", help="Replace what the home holds.")]
VerifyOption = Annotated[
    bool, typer.Option("--verify", help="Verify every domain first; if one differs, change nothing and exit with 1.")
]


def backup(target: TargetArgument, as_json: takes.JsonOption = False) -> None:
    """Save the local Neo4j and its blobs in one file. Neo4j stops for the dump, and starts again if it was running."""
    from graph_memory.local.backup.backup import back_up, backup_file, is_empty

    settings = _local_settings()
    file = backup_file(target)
    if is_empty(settings):
        hint = "GRAPH_MEMORY_HOME names the home; `graph-memory config` shows it."
        raise GraphError(Code.INVALID_ARGUMENT, f"{settings.home} holds no memory to save", {"hint": hint})
    runs = local.status(settings).state is not local.State.STOPPED
    with _ended_by_signals(), progress_bar() as progress:
        facts = _with(settings, _facts, progress)
        if runs:
            note("The local Neo4j stops for the dump and starts again. Anyone who is using it waits.")
        made = back_up(settings, file, facts, keep_running=runs, progress=progress)
    written = made.written
    if as_json:
        rendered = {"file": str(made.file), "bytes": made.size, "blobs": written.seal.blobs, "damaged": written.damaged}
        print_json({**rendered, "manifest": made.manifest.model_dump(mode="json")})
    else:
        size = f"{made.size / MIB:,.1f} MiB" if made.size >= MIB else f"{made.size / KIB:,.0f} KiB"
        saved = f"{_described(made.manifest)}, {count_of(written.seal.blobs, 'blob')}"
        typer.echo(f"{plain(made.file)}: {size}, {saved}.")
        _tell_damaged(written.damaged)
        _tell_where_blobs_are(made.manifest)
    raise typer.Exit(DIFFERENCES if written.damaged else 0)


def restore(
    file: FileArgument,
    replace: ReplaceOption = False,
    yes: takes.IrreversibleYesOption = False,
    verify: VerifyOption = False,
    as_json: takes.JsonOption = False,
) -> None:
    """Restore a backup into the home. What the home held stays until the backup has been loaded and started."""
    from graph_memory.local.backup.archive import read_manifest
    from graph_memory.local.backup.restore import check_fits, restoring, take_into_use

    settings = _local_settings()
    manifest = read_manifest(file)
    check_fits(settings, manifest, _schema_version())
    _require_leave(settings, manifest, replace=replace, yes=yes)
    with _ended_by_signals(), progress_bar() as progress, restoring(settings, file, manifest, progress) as beside:
        verifications = _with(beside, lambda memory: _looked_at(memory, manifest, verify=verify), progress)
        if all(verification.clean for verification in verifications):
            take_into_use(settings, progress)
            local.ensure_running(settings, progress)
    clean = all(verification.clean for verification in verifications)
    if as_json:
        rendered = {
            "restored": clean,
            "home": str(settings.home),
            "verified": [verification.to_dict() for verification in verifications],
        }
        print_json({**rendered, "manifest": manifest.model_dump(mode="json")})
    else:
        _tell_restored(settings, manifest, verifications, clean=clean)
    raise typer.Exit(0 if clean else DIFFERENCES)


def _local_settings() -> Settings:
    settings = read_settings()
    if settings.neo4j_uri:
        hint = (
            "`graph-memory export` saves its domains, whatever the server; its operator may have backups of everything."
        )
        message = "This saves and restores the local Neo4j, but NEO4J_URI names another server"
        raise GraphError(Code.INVALID_ARGUMENT, message, {"argument": "NEO4J_URI", "hint": hint})
    return settings


def _require_leave(settings: Settings, manifest: Manifest, *, replace: bool, yes: bool) -> None:
    """Go on if there is nothing to lose, or somebody says that it may go."""
    from graph_memory.local.backup.restore import holds_data

    if not holds_data(settings):
        return
    if not replace and (yes or not sys.stdin.isatty()):
        hint = "Give --replace --yes to replace it; `graph-memory backup` saves it."
        raise GraphError(
            Code.INVALID_ARGUMENT, f"{settings.home} already holds a memory", {"argument": "--replace", "hint": hint}
        )
    if not takes.must_confirm(yes=yes, alternative="`graph-memory backup` saves what would be replaced."):
        return
    note(f"The backup: {_described(manifest)}.")
    takes.confirm(f"Replace everything in {plain(settings.home)}?")


def _with(settings: Settings, use: Callable[[Memory], Awaitable[T]], progress: local.Progress) -> T:
    async def work() -> T:
        from graph_memory.app import open_memory

        async with open_memory(settings, progress=progress) as memory:
            return await use(memory)

    return anyio.run(work)


async def _facts(memory: Memory) -> Facts:
    from graph_memory.local.backup.archive import DomainMark
    from graph_memory.local.backup.backup import Facts

    domains = [DomainMark(name=domain.name, seq=domain.events) for domain in (await memory.list_domains()).domains]
    return Facts(domains, _schema_version(), _blobs_elsewhere(read_settings()))


def _blobs_elsewhere(settings: Settings) -> str | None:
    from graph_memory.app import blobs

    return blobs(settings).location if settings.blob_url else None


def _schema_version() -> int:
    from graph_memory.app import schema_version

    return schema_version()


async def _looked_at(memory: Memory, manifest: Manifest, *, verify: bool) -> list[Verification]:
    """See that the domains are there as far as the manifest says, and verify them if that is asked for."""
    there = {domain.name: domain.events for domain in (await memory.list_domains()).domains}
    for domain in manifest.domains:
        if there.get(domain.name, -1) < domain.seq:
            message = f"The loaded data lacks part of domain {domain.name}"
            raise GraphError(Code.CONTENT_READ_FAILED, message, {"hint": "Use another backup; nothing was changed."})
    return [await memory.upkeep.verify(domain=name) for name in there] if verify else []


@contextmanager
def _ended_by_signals() -> Generator[None]:
    """Let SIGTERM end the work as Ctrl-C does: what was begun is cleaned up."""

    def end(number: int, frame: object) -> NoReturn:
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _described(manifest: Manifest) -> str:
    events = sum(domain.seq for domain in manifest.domains)
    held = f"{count_of(len(manifest.domains), 'domain')}, {count_of(events, 'event')}"
    return f"{held}, made {local_time(datetime.fromisoformat(manifest.made))}"


def _tell_restored(settings: Settings, manifest: Manifest, found: Sequence[Verification], *, clean: bool) -> None:
    for verification in found:
        typer.echo(f"{plain(verification.domain)}: {count_of(len(verification.differences), 'difference')}.")
    if not clean:
        return note(
            "Nothing was changed: log and graph differ in the backup. Without --verify it is restored as it is."
        )
    typer.echo(f"Restored into {plain(settings.home)}: {_described(manifest)}.")
    return _tell_where_blobs_are(manifest)


def _tell_damaged(blobs: Sequence[str]) -> None:
    if blobs:
        note(f"{count_of(len(blobs), 'blob')} on disk could not be read and had to be left out:")
        for name in blobs[:_SHOWN]:
            note(f"  {plain(name)}")
        note("`graph-memory verify` shows what they belong to. Restore them from an older backup, if one has them.")


def _tell_where_blobs_are(manifest: Manifest) -> None:
    if manifest.blobs_elsewhere:
        note(f"It does not include blobs: they are at {plain(manifest.blobs_elsewhere)} (GRAPH_MEMORY_BLOB_URL).")
