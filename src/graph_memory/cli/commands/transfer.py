"""`graph-memory export` and `import`: a domain as a file or folder."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from graph_memory.cli.input.options import AsOfOption, DomainOption, JsonOption
from graph_memory.cli.output.printing import counted, note, plain, print_json
from graph_memory.cli.session import with_progress
from graph_memory.memory.transfer.results import Exported, Imported
from graph_memory.model.arguments import fault

ENDINGS = (".jsonl", ".jsonl.gz")


def export_domain(
    to: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DIR", help="FILE.jsonl, FILE.jsonl.gz, or - for standard output; DIR/ for a folder."
        ),
    ],
    as_of: AsOfOption = None,
    domain: DomainOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a domain's whole log and content to a file, or what is in it now, without the log, to a folder."""
    if _is_folder(to):
        return _export_folder(to, as_of, domain, as_json=as_json)
    if as_of is not None:
        hint = f"Export a folder, or make a branch at that point and export that: `branch create NAME --at {as_of}`."
        raise fault("as-of", "A file holds the whole log", hint)
    if to != "-":
        _check_name(to)
    target = sys.stdout.buffer if to == "-" else Path(to)
    done = with_progress(lambda memory, tell: memory.moving.export_file(target, tell=tell, domain=domain))
    if to == "-":
        return note(_exported(done, "standard output"))
    return print_json(done) if as_json else typer.echo(_exported(done, to))


def _export_folder(to: str, as_of: str | None, domain: str | None, *, as_json: bool) -> None:
    done = with_progress(lambda memory, tell: memory.moving.export_folder(to, at=as_of, tell=tell, domain=domain))
    if as_json:
        return print_json(done)
    counts = f"{counted(done.nodes, 'node')}, {counted(done.connections, 'connection')}"
    return typer.echo(f"Exported domain {done.domain} to {plain(to)}: {counts}. A folder holds no log.")


def import_domain(
    source: Annotated[
        str, typer.Argument(metavar="FILE|DIR", help="A file or folder that export wrote; - for standard input.")
    ],
    name: Annotated[str | None, typer.Option("--as", metavar="NAME", help="Name of the new domain.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Create a domain from a file that export wrote, with the same log, or from a folder, with a new one."""
    if _is_folder(source):
        return _import_folder(source, name, as_json=as_json)
    with _file(source) as path:
        done = with_progress(lambda memory, tell: memory.moving.import_file(path, name=name, tell=tell))
    return print_json(done) if as_json else typer.echo(_imported(done))


def _import_folder(source: str, name: str | None, *, as_json: bool) -> None:
    done = with_progress(lambda memory, tell: memory.moving.import_folder(source, name=name, tell=tell))
    if as_json:
        return print_json(done)
    counts = f"{counted(done.nodes, 'node')}, {counted(done.connections, 'connection')}"
    return typer.echo(f"Imported domain {done.domain}: {counts}, created anew.")


def _is_folder(given: str) -> bool:
    return given.endswith(("/", "\\")) or Path(given).is_dir()


def _check_name(given: str) -> None:
    if not given.endswith(ENDINGS):
        hint = "End it in .jsonl, or in .jsonl.gz to compress it; or in / for a folder."
        raise fault("file", f"{plain(given)} does not say what to write", hint)


@contextmanager
def _file(source: str) -> Generator[Path]:
    """Give the file; what comes on standard input is kept beside, as an import reads it twice."""
    if source != "-":
        yield Path(source)
        return
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "import.jsonl"
        with kept.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield kept


def _exported(done: Exported, where: str) -> str:
    return (
        f"Exported domain {done.domain} to {plain(where)}: {counted(done.events, 'event')}, "
        f"{counted(done.contents, 'content')}, up to {done.seq:,} of its log."
    )


def _imported(done: Imported) -> str:
    resumed = " It resumed where it was interrupted." if done.resumed else ""
    return (
        f"Imported domain {done.domain}: {counted(done.events, 'event')}, "
        f"{counted(done.subjects, 'subject')} in the graph.{resumed}"
    )
