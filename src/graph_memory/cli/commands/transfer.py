"""`graph-memory export` and `import`: a domain as a file or folder."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import options as takes
from graph_memory.cli.input import sources as graph
from graph_memory.cli.output.findings import show_memory_import
from graph_memory.cli.output.printing import count_of, note, plain
from graph_memory.cli.session import with_progress
from graph_memory.memory.transfer.results import (
    MEMORIES,
    Exported,
    FolderExported,
    FolderImported,
    GraphExported,
    GraphFormat,
    Imported,
    MemoryFormat,
    MemoryImported,
)
from graph_memory.model.values.arguments import fault

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.transfer.formats.source import GivenSource
    from graph_memory.progress import Progress

ENDINGS = (".jsonl", ".jsonl.gz")
FORMATS = ("log", "folder", "csv", "jsonl", "graphml", "cypher", "official")
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="|".join(FORMATS),
        help="What to write. Default: by the name, as in FILE.graphml or FILE.cypher. csv goes to a folder; official "
        "is the entities in the file of the official memory server.",
    ),
]


@command()
def export_domain(
    call: Call,
    to: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DIR",
            help="FILE.jsonl, FILE.jsonl.gz, or - for standard output; DIR/ for a folder; with --format, any name.",
        ),
    ],
    as_of: takes.AsOfOption = None,
    form: FormatOption = None,
) -> None:
    """Write a domain to a file or folder: its whole log, or what is in it now, for other programs or for load."""
    form = form or _format_of(to)
    match form:
        case "folder":
            _export_folder(call, to, as_of)
        case "log":
            _export_log(call, to, as_of)
        case "csv" | "jsonl" | "graphml" | "cypher" | "official":
            _export_graph(call, to, as_of, form)
        case _:
            raise fault("format", f"{plain(form)} is not a format", f"Use one of {', '.join(FORMATS)}.")


def _format_of(to: str) -> str:
    """Return what the name of a file or folder asks for."""
    if _is_folder(to):
        return "folder"
    named = [form for form in ("graphml", "cypher") if to.removesuffix(".gz").endswith(f".{form}")]
    return named[0] if named else "log"


def _export_log(call: Call, to: str, as_of: str | None) -> None:
    if as_of is not None:
        hint = f"Export a folder, or make a branch at that point and export that: `branch create NAME --at {as_of}`."
        raise fault("as-of", "A file holds the whole log", hint)
    if to != "-":
        _check_name(to)
    target = sys.stdout.buffer if to == "-" else Path(to)
    done = with_progress(lambda memory, tell: call.in_domain(memory).transfer.export_file(target, tell=tell))
    if to == "-":
        note(_exported(done, "standard output"))
    else:
        call.print_answer(done, lambda done: typer.echo(_exported(done, to)))


def _export_graph(call: Call, to: str, as_of: str | None, form: GraphFormat) -> None:
    target = sys.stdout.buffer if to == "-" else Path(to)
    done = with_progress(
        lambda memory, tell: call.in_domain(memory).transfer.export_graph(target, form, at=as_of, tell=tell)
    )
    where = "standard output" if to == "-" else plain(to)
    text = f"Exported domain {done.domain} to {where} as {form}: {_counts(done)}, without the log."
    if to == "-":
        note(text)
    else:
        call.print_answer(done, lambda _: typer.echo(text))


def _export_folder(call: Call, to: str, as_of: str | None) -> None:
    done = with_progress(lambda memory, tell: call.in_domain(memory).transfer.export_folder(to, at=as_of, tell=tell))
    text = f"Exported domain {done.domain} to {plain(to)}: {_counts(done)}. There is no log in a folder."
    call.print_answer(done, lambda _: typer.echo(text))


@command()
def import_domain(
    call: Call,
    ctx: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DIR|SERVER",
            help="A file or folder that export wrote (- for standard input), or what another program remembers: its "
            "file or folder, or its Neo4j server, such as bolt://host:7687.",
        ),
    ],
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Of an export: name of the new domain.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="|".join(MEMORIES), help="The program whose memory it is. Default: by what is in it."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Of another program: only check, and report what would be done.")
    ] = False,
    skip_invalid: graph.SkipInvalidOption = False,
    database: graph.DatabaseOption = None,
) -> None:
    """Create a domain from a file or folder that export wrote, or import what another program remembers.

    From a file, the domain gets the same log, from a folder a new one. Memories
    of other programs go into the domain that --domain names, which may exist:
    one name is one entity, what is there stays, and what was observed is added.
    If anything in them is wrong, nothing is imported. Repeat the command to
    resume an interrupted import.
    """
    if form is not None or _is_memory(source):
        if name is not None:
            raise fault("as", "--as names the domain of an export", "Give --domain for another program's memory.")
        [memory_source] = graph.read_sources([source], database)
        _import_memory(call, memory_source, form, dry_run=dry_run, skip_invalid=skip_invalid)
        return
    named = ctx.get_parameter_source("domain")
    if dry_run or skip_invalid or database is not None or (named is not None and named.name == "COMMANDLINE"):
        hint = "Give --as for the name of the domain, or --format if it is another program's memory."
        raise fault("source", f"{plain(source)} is not recognised as another program's memory", hint)
    if _is_folder(source):
        _import_folder(call, source, name)
        return
    with _file(source) as path:
        done = with_progress(lambda memory, tell: memory.transfer.import_file(path, name=name, tell=tell))
    call.print_answer(done, lambda done: typer.echo(_imported(done)))


def _is_memory(source: str) -> bool:
    """Say whether a source is no export of ours, but what another program remembers."""
    from graph_memory.memory.transfer.formats.memories.recognise import is_memory

    return source != "-" and is_memory(source)


def _import_memory(call: Call, source: GivenSource, form: str | None, *, dry_run: bool, skip_invalid: bool) -> None:
    async def use(memory: Memory, tell: Progress) -> MemoryImported:
        return await call.in_domain(memory).transfer.import_memory(
            source, format=cast("MemoryFormat | None", form), dry_run=dry_run, skip_invalid=skip_invalid, tell=tell
        )

    call.print_answer(with_progress(use), show_memory_import)


def _import_folder(call: Call, source: str, name: str | None) -> None:
    done = with_progress(lambda memory, tell: memory.transfer.import_folder(source, name=name, tell=tell))
    call.print_answer(done, lambda done: typer.echo(f"Imported domain {done.domain}: {_counts(done)}, created anew."))


def _counts(done: FolderExported | FolderImported | GraphExported) -> str:
    text = f"{count_of(done.nodes, 'node')}, {count_of(done.connections, 'connection')}"
    observations = 0 if isinstance(done, GraphExported) else done.observations
    return f"{text}, {count_of(observations, 'observation')}" if observations else text


def _is_folder(given: str) -> bool:
    return given.endswith(("/", "\\")) or Path(given).is_dir()


def _check_name(given: str) -> None:
    if not given.endswith(ENDINGS):
        hint = "End it in .jsonl, or in .jsonl.gz to compress it; in / for a folder; or give --format."
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
        f"Exported domain {done.domain} to {plain(where)}: {count_of(done.events, 'event')}, "
        f"{count_of(done.contents, 'content')}, up to number {done.seq:,} of its log."
    )


def _imported(done: Imported) -> str:
    resumed = " It resumed where it was interrupted." if done.resumed else ""
    return (
        f"Imported domain {done.domain}: {count_of(done.events, 'event')}, "
        f"{count_of(done.subjects, 'subject')} in the graph.{resumed}"
    )
