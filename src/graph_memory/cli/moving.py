"""`graph-memory export` and `import`: a domain as a file."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from graph_memory.cli.options import DomainOption, JsonOption
from graph_memory.cli.printing import counted, note, plain, print_json
from graph_memory.cli.session import with_progress
from graph_memory.model.arguments import fault
from graph_memory.model.moved import Exported, Imported

ENDINGS = (".jsonl", ".jsonl.gz")


def export_domain(
    to: Annotated[str, typer.Argument(metavar="FILE", help="FILE.jsonl or FILE.jsonl.gz; - for standard output.")],
    domain: DomainOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a domain's whole log with all content to a file, to keep or to import elsewhere."""
    if to != "-":
        _check_name(to)
    target = sys.stdout.buffer if to == "-" else Path(to)
    done = with_progress(lambda memory, tell: memory.moving.export_file(target, tell=tell, domain=domain))
    if to == "-":
        return note(_exported(done, "standard output"))
    return print_json(done) if as_json else typer.echo(_exported(done, to))


def import_domain(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file that export wrote; - for standard input.")],
    name: Annotated[str | None, typer.Option("--as", metavar="NAME", help="Name of the new domain.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a domain of a file that export wrote: the same log, and the graph that follows from it."""
    with _file(source) as path:
        done = with_progress(lambda memory, tell: memory.moving.import_file(path, name=name, tell=tell))
    return print_json(done) if as_json else typer.echo(_imported(done))


def _check_name(given: str) -> None:
    if not given.endswith(ENDINGS):
        hint = "Give a name that ends in .jsonl, or in .jsonl.gz to have it compressed."
        raise fault("file", f"{plain(given)} does not say what to write", hint)


@contextmanager
def _file(source: str) -> Generator[Path]:
    """Give the file; what comes on standard input is kept beside, as an import reads it twice."""
    if source != "-":
        yield Path(source)
        return
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.flush()
        yield Path(kept.name)


def _exported(done: Exported, where: str) -> str:
    return (
        f"Exported domain {done.domain} to {plain(where)}: {counted(done.events, 'event')}, "
        f"{counted(done.contents, 'content')}, up to {done.seq:,} of its log."
    )


def _imported(done: Imported) -> str:
    resumed = " It went on where it was cut off." if done.resumed else ""
    return (
        f"Imported domain {done.domain}: {counted(done.events, 'event')}, "
        f"{counted(done.subjects, 'subject')} in the graph.{resumed}"
    )
