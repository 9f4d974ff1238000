"""`graph-memory install`, `uninstall` and `hook`: install the memory in clients, with skills and hooks."""

from __future__ import annotations

import difflib
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from graph_memory.cli.clients.entries import ClientEntries, edit, has_entries, wanted_entries
from graph_memory.cli.clients.places import LAYOUTS, ConfigFile, Scope, files_of
from graph_memory.cli.clients.variables import server_variables
from graph_memory.cli.input.options import JsonOption
from graph_memory.cli.output.printing import escape_line, note
from graph_memory.files import replace_file
from graph_memory.model.errors import GraphError, unusable_path_error
from graph_memory.model.text.wording import quote, suggestion
from graph_memory.model.values.arguments import AUTO, check_domain, invalid_argument
from graph_memory.project import project_root
from graph_memory.skills import bundled_skills, is_own_skill


class ScopeOption(StrEnum):
    """The client configuration to change: the user's or the project's."""

    USER = "user"
    PROJECT = "project"


class CaptureOption(StrEnum):
    """The events that the hooks capture."""

    OFF = "off"
    PROMPTS = "prompts"
    ALL = "all"


ClientArgument = Annotated[str, typer.Argument(metavar="CLIENT", help=f"One of {', '.join(LAYOUTS)}.")]
ScopeChoice = Annotated[ScopeOption, typer.Option("--scope", help="For you, or for the project in the current folder.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the changes, and write nothing.")]


_USER_HOOKS = (
    "The hooks of your user configuration run in this project too, with their own --capture. To store nothing here, "
    "create an empty file .graph-memory-ignore."
)


@dataclass(frozen=True, slots=True)
class Change:
    """The text of a configuration file before and after a change.

    An empty string means that the file does not exist.
    """

    file: ConfigFile
    before: str
    after: str

    def diff(self) -> str:
        """Return the change in the format of `diff -u`."""
        name = str(self.file.path)
        lines = difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), name, name, lineterm="")
        return "\n".join(lines)


def install(
    client: Annotated[str | None, typer.Argument(metavar="[CLIENT]", help=f"One of {', '.join(LAYOUTS)}.")] = None,
    scope: ScopeChoice = ScopeOption.USER,
    capture: Annotated[
        CaptureOption,
        typer.Option(help="What hooks store: all events, only prompts, or nothing. They always brief the agent."),
    ] = CaptureOption.ALL,
    domain: Annotated[str, typer.Option(metavar="DOMAIN", help="auto: a domain for each project.")] = AUTO,
    dry_run: DryRun = False,
    list_: Annotated[bool, typer.Option("--list", help="Show what is installed where.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Add the memory, its hooks and its skills to a client. Shows the changes, and keeps backups of changed files."""
    if list_ or client is None:
        _print_list(as_json=as_json)
        return
    if domain != AUTO:
        check_domain(domain)
    program = _own_command()
    shell = subprocess.list2cmdline(program) if sys.platform == "win32" else shlex.join(program)
    entries_to_write = wanted_entries(
        _check_client(client), program, shell, capture, domain, server_variables(os.environ)
    )
    _apply(client, scope.value, entries_to_write, dry_run=dry_run, as_json=as_json)


def uninstall(
    client: ClientArgument, scope: ScopeChoice = ScopeOption.USER, dry_run: DryRun = False, as_json: JsonOption = False
) -> None:
    """Remove the memory, its hooks and its skills from a client. Stored memories are kept."""
    _apply(_check_client(client), scope.value, None, dry_run=dry_run, as_json=as_json)


def hook(
    event: Annotated[str, typer.Argument(help="Name of the event, as the client spells it.")],
    client: Annotated[str, typer.Option(help="claude-code, codex, cursor or gemini-cli.")],
    capture: Annotated[CaptureOption, typer.Option(help="What is stored.")] = CaptureOption.ALL,
    domain: Annotated[str | None, typer.Option(metavar="DOMAIN", help="Default: GRAPH_MEMORY_DOMAIN.")] = None,
) -> None:
    """Handle an event of a client's hook. Reads the event as JSON from stdin, and always exits with status 0."""
    from graph_memory.hooks.hook import run_hook

    run_hook([event, f"--client={client}", f"--capture={capture}", *([f"--domain={domain}"] if domain else [])])


def _apply(client: str, scope: Scope, entries_to_write: ClientEntries | None, *, dry_run: bool, as_json: bool) -> None:
    changes = list(_changes(client, scope, entries_to_write))
    backups = [] if dry_run else [_write(change) for change in changes]
    if as_json:
        files = [str(change.file.path) for change in changes]
        kept = [str(path) for path in backups if path]
        typer.echo(json.dumps({"client": client, "written": not dry_run, "files": files, "backups": kept}))
        return
    for change in changes:
        typer.echo(plain_lines(change.diff()))
    if not changes:
        note(f"Nothing to change: the configuration of {client} is up to date.")
    elif dry_run:
        note("Nothing was written. Omit --dry-run to write the changes.")
    else:
        for path in filter(None, backups):
            note(f"Backup: {escape_line(path)}")
        note(LAYOUTS[client].next_step if entries_to_write else "Restart the client.")
    if scope == "project" and entries_to_write and any(row["hooks"] for row in _installation_rows(client, "user")):
        note(_USER_HOOKS)


def plain_lines(text: str) -> str:
    """Return the text with terminal control characters escaped in each line."""
    return "\n".join(escape_line(line) for line in text.splitlines())


def _changes(client: str, scope: Scope, entries_to_write: ClientEntries | None) -> Iterator[Change]:
    files = _files(client, scope)
    if not files:
        raise invalid_argument("scope", f"{client} has no project configuration", "Use --scope user.")
    for file in files:
        before = _read(file.path)
        with _explain_faults(file.path):
            after = edit(before, file, client, entries_to_write)
        if entries_to_write and file.skill and not is_own_skill(after):
            note(f"Skipped: {escape_line(str(file.path))} is your own skill.")
        if not after and file.path.is_symlink():
            after = "{}\n" if file.path.suffix == ".json" else "\n"
        if after != before:
            yield Change(file, before, after)


@contextmanager
def _explain_faults(path: Path) -> Generator[None]:
    """Convert errors in the `with` block to INVALID_ARGUMENT: the content of the file cannot be edited."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        hint = "Correct the file. If it contains comments, edit it by hand to keep them. See the guide on clients."
        raise invalid_argument("client", f"{path} cannot be changed: {reason}", hint) from error


def _write(change: Change) -> Path | None:
    """Write the changed file. Return the path of its backup, or None if there is none.

    Keeps symbolic links and file modes.
    """
    target = change.file.path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        if not change.after:
            backup = _back_up(target, change.before)
            target.unlink()
            if change.file.skill:
                with suppress(OSError):  # the user keeps other files there
                    target.parent.rmdir()
            return backup
        with replace_file(target) as file:
            file.write(change.after.encode())
            backup = _back_up(target, change.before)
        target.chmod(mode)
    except OSError as error:
        raise unusable_path_error(error) from error
    return backup


def _back_up(target: Path, before: str) -> Path | None:
    """Copy a file before it is changed. Return the path of the copy, or None for a new file or a bundled skill.

    Raises INVALID_ARGUMENT if the file has changed since it was read.
    """
    if _read(target) != before:
        raise invalid_argument("client", f"{target} was changed by another program", "Run the command again.")
    if not target.exists() or before in [skill.text for skill in bundled_skills().values()]:
        return None
    backup = target.with_name(f"{target.name}.{datetime.now():%Y%m%d-%H%M%S-%f}.backup")
    shutil.copy2(target, backup)
    return backup


def _print_list(*, as_json: bool) -> None:
    rows = [row for client in LAYOUTS for scope in ScopeOption for row in _installation_rows(client, scope.value)]
    if as_json:
        typer.echo(json.dumps({"installed": rows}))
    for row in () if as_json else rows:
        names = " and ".join(name for name in ("server", "hooks", "skills") if row[name])
        typer.echo(escape_line(f"{row['client']:<15} {row['scope']:<8} {names:<17} {row['path']}"))
    if not rows and not as_json:
        note("Installed nowhere. `graph-memory install claude-code` adds it to Claude Code.")


def _installation_rows(client: str, scope: Scope) -> Iterator[dict[str, object]]:
    """Yield a row for each file with graph-memory's entries, and one for the folder of skills.

    Unreadable files are reported on stderr.
    """
    has_skills = False
    for file in _files(client, scope):
        try:
            with _explain_faults(file.path):
                parts = has_entries(_read(file.path), file)
        except GraphError as error:
            note(escape_line(f"Skipped: {error.message} {error.path or ''}"))
            continue
        path = file.path.parents[1] if file.skill else file.path
        if any(parts.values()) and not (file.skill and has_skills):
            yield {"client": client, "scope": scope, **parts, "path": str(path)}
        has_skills |= parts["skills"]


def _files(client: str, scope: Scope) -> Sequence[ConfigFile]:
    base = Path.home() if scope == "user" else project_root(Path.cwd())
    return files_of(client, scope, base, sys.platform)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise invalid_argument("client", f"{path} is not UTF-8", "Save it as UTF-8.") from error
    except OSError as error:
        raise unusable_path_error(error) from error


def _check_client(client: str) -> str:
    if client not in LAYOUTS:
        hint = suggestion(client, tuple(LAYOUTS), f"Use {', '.join(LAYOUTS)}.")
        raise invalid_argument("client", f"{quote(client)} is not a supported client", hint)
    return client


def _own_command() -> Sequence[str]:
    """Return the command that runs graph-memory. Its path is absolute, because a client's `PATH` may differ.

    Clients start it in a project's folder. With `-P`, Python does not import modules from that folder.
    """
    started = Path(sys.argv[0])
    if started.stem == "graph-memory" and started.is_file():
        return [str(started.absolute())]
    path = shutil.which("graph-memory")
    return [path] if path else [sys.executable, "-P", "-m", "graph_memory"]
