"""`graph-memory backup` and `restore`: save the local Neo4j and its blobs to one file, and restore them."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import anyio
import typer

from graph_memory import local
from graph_memory.cli.errors import DIFFERENCES
from graph_memory.cli.input import options as takes
from graph_memory.cli.output.printing import escape_line, format_count, format_local_time, note, print_json
from graph_memory.cli.output.progress import progress_bar
from graph_memory.cli.session import exit_on_sigterm, read_settings
from graph_memory.model.databases import SETTING
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import join_names
from graph_memory.settings import KIB, MIB, Settings

if TYPE_CHECKING:
    from graph_memory.local.backup.archive import Manifest
    from graph_memory.local.backup.backup import MemoryInfo
    from graph_memory.memory.api.memory import Memory
    from graph_memory.model.results import Verification

T = TypeVar("T")

_MAX_LISTED = 10

TargetArgument = Annotated[
    Path, typer.Argument(metavar="FILE|DIR", help="A new .tar file, or a folder in which to create one.")
]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A file that `graph-memory backup` created.")]
ReplaceOption = Annotated[bool, typer.Option("--replace", help="Replace the memory in the home folder.")]
VerifyOption = Annotated[
    bool,
    typer.Option("--verify", help="Verify every domain first; if one differs, change nothing and exit with status 1."),
]


def backup(target: TargetArgument, as_json: takes.JsonOption = False) -> None:
    """Save the local Neo4j and its blobs to one file. Neo4j stops for the dump, and starts again if it was running."""
    from graph_memory.local.backup.backup import back_up, is_empty, new_backup_path

    settings = _local_settings()
    file = new_backup_path(target)
    if is_empty(settings):
        hint = (
            "Set GRAPH_MEMORY_HOME to the home folder to back up. To see the current folder, run `graph-memory config`."
        )
        raise GraphError(
            Code.INVALID_ARGUMENT, f"{settings.home} contains no graph-memory data to save", {"hint": hint}
        )
    is_running = local.status(settings).state is not local.State.STOPPED
    with exit_on_sigterm(), progress_bar() as progress:
        facts = _with_memory(settings, _describe_backup, progress)
        if is_running:
            note("The local Neo4j stops for the dump and starts again. Anyone who is using it waits.")
        saved_file = back_up(settings, file, facts, keep_running=is_running, progress=progress)
    written = saved_file.contents
    if as_json:
        result = {
            "file": str(saved_file.file),
            "bytes": saved_file.size,
            "blobs": written.blob_totals.blobs,
            "damaged": written.damaged,
        }
        print_json({**result, "manifest": saved_file.manifest.model_dump(mode="json")})
    else:
        size = f"{saved_file.size / MIB:,.1f} MiB" if saved_file.size >= MIB else f"{saved_file.size / KIB:,.0f} KiB"
        summary = f"{_summary(saved_file.manifest)}, {format_count(written.blob_totals.blobs, 'blob')}"
        typer.echo(f"{escape_line(saved_file.file)}: {size}, {summary}.")
        _note_damaged(written.damaged)
        _note_external_blobs(saved_file.manifest)
    raise typer.Exit(DIFFERENCES if written.damaged else 0)


def restore(
    file: FileArgument,
    replace: ReplaceOption = False,
    yes: takes.IrreversibleYesOption = False,
    verify: VerifyOption = False,
    as_json: takes.JsonOption = False,
) -> None:
    """Restore a backup into the home folder. The old data is kept until the restored Neo4j has started."""
    from graph_memory.local.backup.archive import read_manifest
    from graph_memory.local.backup.restore import activate, check_fits, restore_to_new_home

    settings = _local_settings()
    manifest = read_manifest(file)
    check_fits(settings, manifest, _schema_version())
    _confirm_replacement(settings, manifest, replace=replace, yes=yes)
    with (
        exit_on_sigterm(),
        progress_bar() as progress,
        restore_to_new_home(settings, file, manifest, progress) as new_settings,
    ):
        verifications = _with_memory(
            new_settings, lambda memory: _check_domains(memory, manifest, verify=verify), progress
        )
        if all(verification.clean for verification in verifications):
            activate(settings, progress)
            local.ensure_running(settings, progress)
    clean = all(verification.clean for verification in verifications)
    if as_json:
        result = {
            "restored": clean,
            "home": str(settings.home),
            "verified": [verification.to_dict() for verification in verifications],
        }
        print_json({**result, "manifest": manifest.model_dump(mode="json")})
    else:
        _show_restored(settings, manifest, verifications, clean=clean)
    raise typer.Exit(0 if clean else DIFFERENCES)


def _local_settings() -> Settings:
    settings = read_settings()
    if settings.neo4j_uri:
        hint = "Unset NEO4J_URI, or export individual domains from that server with `graph-memory export`."
        message = "NEO4J_URI is set to another server, but this command is only for the local Neo4j"
        raise GraphError(Code.INVALID_ARGUMENT, message, {"argument": "NEO4J_URI", "hint": hint})
    if settings.databases:
        hint = (
            f"Set {SETTING} to {{}} for this command, which then covers the local Neo4j alone. Save each domain of the "
            "other databases with `graph-memory export`, or their servers with their own backup commands."
        )
        message = f"{SETTING} names {join_names([*settings.databases])}, but this command covers only the local Neo4j"
        raise GraphError(Code.INVALID_ARGUMENT, message, {"argument": SETTING, "hint": hint})
    return settings


def _confirm_replacement(settings: Settings, manifest: Manifest, *, replace: bool, yes: bool) -> None:
    """Ask for confirmation if the home folder contains data.

    Raises INVALID_ARGUMENT if the command cannot ask and lacks --replace or --yes.
    """
    from graph_memory.local.backup.restore import holds_data

    if not holds_data(settings):
        return
    if not replace and (yes or not sys.stdin.isatty()):
        hint = "Use --replace --yes to replace it. To save it first, run `graph-memory backup`."
        raise GraphError(
            Code.INVALID_ARGUMENT, f"{settings.home} already contains a memory", {"argument": "--replace", "hint": hint}
        )
    if not takes.must_confirm(yes=yes, alternative="`graph-memory backup` saves the memory that would be replaced."):
        return
    note(f"The backup: {_summary(manifest)}.")
    takes.confirm(f"Replace everything in {escape_line(settings.home)}?")


def _with_memory(settings: Settings, use: Callable[[Memory], Awaitable[T]], progress: local.Progress) -> T:
    async def work() -> T:
        from graph_memory.app import open_memory

        async with open_memory(settings, progress=progress) as memory:
            return await use(memory)

    return anyio.run(work)


async def _describe_backup(memory: Memory) -> MemoryInfo:
    from graph_memory.app import blobs
    from graph_memory.local.backup.archive import DomainMark
    from graph_memory.local.backup.backup import MemoryInfo

    domains = [DomainMark(name=domain.name, seq=domain.events) for domain in (await memory.list_domains()).domains]
    settings = read_settings()
    return MemoryInfo(domains, _schema_version(), blobs(settings).location if settings.blob_url else None)


def _schema_version() -> int:
    from graph_memory.app import schema_version

    return schema_version()


async def _check_domains(memory: Memory, manifest: Manifest, *, verify: bool) -> list[Verification]:
    """Check that the restored domains contain all events in the manifest. With `verify`, also verify each domain.

    Returns the results of the verification. Raises CONTENT_READ_FAILED if a domain lacks events.
    """
    events = {domain.name: domain.events for domain in (await memory.list_domains()).domains}
    for domain in manifest.domains:
        if events.get(domain.name, -1) < domain.seq:
            message = f"The restored data does not contain all events of domain {domain.name}"
            raise GraphError(Code.CONTENT_READ_FAILED, message, {"hint": "Use another backup; nothing was changed."})
    return [await memory.upkeep.verify(domain=name) for name in events] if verify else []


def _summary(manifest: Manifest) -> str:
    events = sum(domain.seq for domain in manifest.domains)
    counts = f"{format_count(len(manifest.domains), 'domain')}, {format_count(events, 'event')}"
    return f"{counts}, made {format_local_time(datetime.fromisoformat(manifest.made))}"


def _show_restored(
    settings: Settings, manifest: Manifest, verifications: Sequence[Verification], *, clean: bool
) -> None:
    for verification in verifications:
        typer.echo(f"{escape_line(verification.domain)}: {format_count(len(verification.differences), 'difference')}.")
    if not clean:
        return note("Nothing was changed: log and graph differ in the backup. Without --verify it is restored anyway.")
    typer.echo(f"Restored into {escape_line(settings.home)}: {_summary(manifest)}.")
    return _note_external_blobs(manifest)


def _note_damaged(blobs: Sequence[str]) -> None:
    if blobs:
        note(f"{format_count(len(blobs), 'blob')} on disk could not be read, so the backup does not contain them:")
        for name in blobs[:_MAX_LISTED]:
            note(f"  {escape_line(name)}")
        note("`graph-memory verify` shows their nodes and connections. Restore them from an older backup.")


def _note_external_blobs(manifest: Manifest) -> None:
    if manifest.blobs_elsewhere:
        note(f"It does not include blobs: they are at {escape_line(manifest.blobs_elsewhere)} (GRAPH_MEMORY_BLOB_URL).")
