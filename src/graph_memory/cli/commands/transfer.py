"""`graph-memory export`, `import`, `sync` and `report`: a domain as a file or folder."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from graph_memory.agent.capture.transcript_formats import FORMS
from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import CONFLICT
from graph_memory.cli.input import options as takes
from graph_memory.cli.input import sources as graph
from graph_memory.cli.output.findings import show_memory_import, show_store_import, show_sync
from graph_memory.cli.output.printing import escape_line, format_count, note
from graph_memory.cli.output.transfers import conversations_text, counts_text, export_text, import_text
from graph_memory.cli.session import with_progress
from graph_memory.files import replace_file
from graph_memory.memory.transfer.results import (
    MEMORIES,
    GraphFormat,
    MemoryFormat,
    MemoryImportResult,
)
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import Result
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.agent.results import ConversationImportResult
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.folder_sync.results import FolderSyncResult
    from graph_memory.memory.transfer.formats.source import GivenSource
    from graph_memory.progress import Progress

ENDINGS = (".jsonl", ".jsonl.gz")
MEMORY_STORE = "memory-store"
FORMATS = ("log", "folder", "csv", "jsonl", "graphml", "cypher", "official", "markdown", MEMORY_STORE)
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="|".join(FORMATS),
        help="Format of the export. Default: by the name, as in FILE.graphml or FILE.cypher. csv is a folder; official "
        "is the file of entities of the official memory server; markdown is a folder of notes; "
        "memory-store is JSON with the files of the memory tool and their versions.",
    ),
]

SourceFormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="|".join((*MEMORIES, MEMORY_STORE, *FORMS)),
        help="The program that wrote the memory or conversations. Default: detected.",
    ),
]
ByProjectOption = Annotated[
    bool, typer.Option("--by-project", help="For conversations: store each in the domain of its project's folder.")
]


@command()
def export_domain(
    call: Call,
    to: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DIR",
            help="FILE.jsonl, FILE.jsonl.gz, - for standard output, DIR/ for a folder, or any name with --format.",
        ),
    ],
    as_of: takes.AsOfOption = None,
    form: FormatOption = None,
) -> None:
    """Write a domain to a file or folder: its whole log, or its current data for other programs or for load."""
    form = form or _format_of(to)
    match form:
        case "folder":
            _export_folder(call, to, as_of)
        case "log":
            _export_log(call, to, as_of)
        case "csv" | "jsonl" | "graphml" | "cypher" | "official" | "markdown":
            _export_graph(call, to, as_of, form)
        case "memory-store":
            _export_store(call, to, as_of)
        case _:
            raise invalid_argument("format", f"{quote(form)} is not a format", f"Use one of {', '.join(FORMATS)}.")


@command()
def report(
    call: Call,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File to write; - for standard output. Default: memory-report-DOMAIN-DATE.html in this folder.",
        ),
    ] = None,
) -> None:
    """Write a report on a domain as one HTML file: growth, types, sessions, problems, use, and search latency.

    The file needs no other file, no script and no network. It can be printed.
    """
    if out == "-" and call.as_json:
        raise invalid_argument("out", "--json cannot be used with --out -", "Pass a file, or omit --json.")
    if out is not None and out != "-" and Path(out).exists() and not Path(out).is_file():
        raise invalid_argument(
            "out", f"{escape_line(out)} exists and is not a regular file", "Pass the path of a file."
        )
    from graph_memory.cli.output.report_data import read_report
    from graph_memory.cli.output.report_page import render_report

    contents = call.use_memory(lambda memory: read_report(memory, datetime.now(UTC)), "Reading")
    page = render_report(contents).encode()
    if out == "-":
        sys.stdout.buffer.write(page)
        return
    default = f"memory-report-{contents.info.name}-{contents.written.astimezone():%Y-%m-%d}.html"
    path = Path(default if out is None else out)
    _write_report(path, page)
    written = {"domain": contents.info.name, "file": str(path), "bytes": len(page)}
    call.print_answer(
        written, lambda _: typer.echo(f"Report on domain {contents.info.name} written to {escape_line(path)}.")
    )


def _write_report(path: Path, page: bytes) -> None:
    """Write the file, readable only by its owner. Raises FILE_CREATION_FAILED if it cannot be written."""
    try:
        with replace_file(path) as file:
            file.write(page)
    except OSError as error:
        hint = "Pass a writable path, or - for standard output."
        message = f"Cannot write {path}: {error.strerror}"
        raise GraphError(Code.FILE_CREATION_FAILED, message, {"hint": hint}) from error


def _format_of(to: str) -> str:
    """Return the export format for the target's name."""
    if _is_folder(to):
        return "folder"
    formats = [form for form in ("graphml", "cypher") if to.removesuffix(".gz").endswith(f".{form}")]
    return formats[0] if formats else "log"


def _export_log(call: Call, to: str, as_of: str | None) -> None:
    if as_of is not None:
        hint = f"Export a folder, or create a branch at that point and export it: `branch create NAME --at {as_of}`."
        raise invalid_argument("as-of", "--as-of cannot be used for a file with the whole log", hint)
    if to != "-":
        _check_file_name(to)
    target = sys.stdout.buffer if to == "-" else Path(to)
    exported = with_progress(
        lambda memory, progress: call.in_domain(memory).transfer.export_file(target, progress=progress)
    )
    _report_export(call, to, exported, export_text(exported, "standard output" if to == "-" else to))


def _export_graph(call: Call, to: str, as_of: str | None, form: GraphFormat) -> None:
    target = sys.stdout.buffer if to == "-" else Path(to)
    exported = with_progress(
        lambda memory, progress: call.in_domain(memory).transfer.export_graph(target, form, at=as_of, progress=progress)
    )
    target_name = "standard output" if to == "-" else escape_line(to)
    text = f"Exported domain {exported.domain} to {target_name} as {form}: {counts_text(exported)}, without the log."
    _report_export(call, to, exported, text)


def _export_store(call: Call, to: str, as_of: str | None) -> None:
    from graph_memory.file_memory.layer import FileMemory

    if as_of is not None:
        raise invalid_argument("as-of", "A memory store always contains all versions", "Omit --as-of.")
    target = sys.stdout.buffer if to == "-" else Path(to)
    exported = call.use_memory(lambda memory: FileMemory(memory).export_store(target))
    counts = f"{format_count(exported.memories, 'file')}, {format_count(exported.versions, 'version')}"
    _report_export(call, to, exported, f"Exported domain {exported.domain} as {MEMORY_STORE}: {counts}.")


def _report_export(call: Call, to: str, exported: Result, text: str) -> None:
    if to == "-":
        note(text)
    else:
        call.print_answer(exported, lambda _: typer.echo(text))


def _export_folder(call: Call, to: str, as_of: str | None) -> None:
    exported = with_progress(
        lambda memory, progress: call.in_domain(memory).transfer.export_folder(to, at=as_of, progress=progress)
    )
    text = f"Exported domain {exported.domain} to {escape_line(to)}: {counts_text(exported)}. A folder has no log."
    call.print_answer(exported, lambda _: typer.echo(text))


@command()
def sync_folder(
    call: Call,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder. It is created if it does not exist.")],
    prefer: Annotated[
        str | None,
        typer.Option("--prefer", metavar="folder|memory", help="Settle conflicts: keep the change of this side."),
    ] = None,
    delete: Annotated[
        bool, typer.Option("--delete", help="Apply deletions even if most notes are missing on one side.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
) -> None:
    """Synchronise a folder of Markdown notes and a domain in both directions. Exits with status 73 if conflicts remain.

    Changes on one side are carried over to the other, and changes on both sides are merged. If both changed the same
    part of a note, the note is listed as a conflict, and stays as it is on both sides. Copies of replaced files are
    kept in FOLDER/.graph-memory/replaced. Repeat an interrupted sync.
    """
    side = cast('Literal["folder", "memory"] | None', prefer)

    async def use(memory: Memory, progress: Progress) -> FolderSyncResult:
        return await call.in_domain(memory).transfer.sync_folder(
            folder, prefer=side, delete=delete, dry_run=dry_run, progress=progress
        )

    synced = call.print_answer(with_progress(use), show_sync)
    if any(not conflict.settled for conflict in synced.conflicts):
        raise typer.Exit(CONFLICT)


@command()
def import_domain(
    call: Call,
    ctx: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DIR|SERVER",
            help="A file or folder written by export (- for standard input), or another program's memory: a file, a "
            "folder, or a Neo4j server such as bolt://host:7687.",
        ),
    ],
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="For an export: the name of the new domain.")
    ] = None,
    form: SourceFormatOption = None,
    by_project: ByProjectOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="For another program's memory: only check, and report what would be done.")
    ] = False,
    skip_invalid: graph.SkipInvalidOption = False,
    database: graph.DatabaseOption = None,
) -> None:
    """Create a domain from a file or folder written by export, or import another program's memory.

    From a file, the domain gets the same log. From a folder it gets a new log.
    Another program's memory is added to the domain that --domain names: each name
    is one entity, stored items stay, and new observations are added. CLAUDE.md and
    AGENTS.md become blocks, which a later import updates.
    Conversations of Claude Code, Codex, ChatGPT and Claude.ai (transcripts, an exported
    conversations.json, or a folder of them) are stored as events, without secrets. The
    files of a memory store are added with their versions. If a record is invalid, nothing
    is imported. Repeat an interrupted import to resume it.
    """
    if form == MEMORY_STORE or (form is None and _has_memory_store(source)):
        is_plain = (name, by_project, skip_invalid, database) == (None, False, False, None)
        _import_store(call, source, dry_run=dry_run, is_plain=is_plain)
        return
    if form in FORMS or (form is None and _has_conversations(source)):
        _import_conversations(call, source, form, by_project=by_project, dry_run=dry_run)
        return
    if by_project:
        hint = f"Omit --by-project, or set --format to one of {', '.join(FORMS)}."
        raise invalid_argument("by_project", f"{escape_line(source)} is not recognised as conversations", hint)
    if form is not None or _is_memory(source):
        if name is not None:
            raise invalid_argument("as", "--as applies only to exports from graph-memory", "Use --domain instead.")
        [memory_source] = graph.read_sources([source], database)
        _import_memory(call, memory_source, form, dry_run=dry_run, skip_invalid=skip_invalid)
        return
    _import_export(call, ctx, source, name, is_other=dry_run or skip_invalid or database is not None)


def _import_export(call: Call, ctx: typer.Context, source: str, name: str | None, *, is_other: bool) -> None:
    """Create a domain from an export. `is_other` means that options for other programs' memories were given."""
    domain_source = ctx.get_parameter_source("domain")
    if is_other or (domain_source is not None and domain_source.name == "COMMANDLINE"):
        hint = "For a graph-memory export, pass the domain's name with --as. For another memory, pass --format."
        raise invalid_argument("source", f"{escape_line(source)} is not recognised as another program's memory", hint)
    (_import_folder if _is_folder(source) else _import_file)(call, source, name)


def _is_memory(source: str) -> bool:
    """Return whether the source is another program's memory, not an export of graph-memory."""
    from graph_memory.memory.transfer.formats.memories.recognise import is_memory

    return source != "-" and is_memory(source)


def _has_conversations(source: str) -> bool:
    """Return whether the source begins like a known program's conversations."""
    from graph_memory.agent.capture.transcripts import recognise

    path = Path(source)
    return path.exists() and recognise(path) is not None


def _import_conversations(call: Call, source: str, form: str | None, *, by_project: bool, dry_run: bool) -> None:
    async def use(memory: Memory, progress: Progress) -> ConversationImportResult:
        return await call.in_domain(memory).agent.import_conversations(
            source, format=form, by_project=by_project, dry_run=dry_run, progress=progress
        )

    call.print_answer(with_progress(use), lambda done: typer.echo(conversations_text(done)))


def _has_memory_store(source: str) -> bool:
    from graph_memory.file_memory.store_format import is_store
    from graph_memory.memory.transfer.formats.memories.json_lines import read_json_file
    from graph_memory.memory.transfer.formats.records import UnreadableSource

    if not (source.lower().endswith(".json") and Path(source).is_file()):
        return False
    try:
        return is_store(read_json_file(Path(source)))
    except UnreadableSource:
        return False


def _import_store(call: Call, source: str, *, dry_run: bool, is_plain: bool) -> None:
    from graph_memory.file_memory.layer import FileMemory

    if not is_plain:
        raise invalid_argument("source", "A memory store takes only --domain and --dry-run", "Omit other options.")

    call.print_answer(
        call.use_memory(lambda memory: FileMemory(memory).import_store(source, dry_run=dry_run)),
        lambda imported: show_store_import(imported, call.domain),
    )


def _import_memory(call: Call, source: GivenSource, form: str | None, *, dry_run: bool, skip_invalid: bool) -> None:
    async def use(memory: Memory, progress: Progress) -> MemoryImportResult:
        return await call.in_domain(memory).transfer.import_memory(
            source,
            format=cast("MemoryFormat | None", form),
            dry_run=dry_run,
            skip_invalid=skip_invalid,
            progress=progress,
        )

    call.print_answer(with_progress(use), show_memory_import)


def _import_file(call: Call, source: str, name: str | None) -> None:
    with _open_source(source) as path:
        imported = with_progress(
            lambda memory, progress: memory.transfer.import_file(path, name=name, progress=progress)
        )
    call.print_answer(imported, lambda done: typer.echo(import_text(done)))


def _import_folder(call: Call, source: str, name: str | None) -> None:
    imported = with_progress(
        lambda memory, progress: memory.transfer.import_folder(source, name=name, progress=progress)
    )
    call.print_answer(
        imported, lambda done: typer.echo(f"Imported domain {done.domain}: {counts_text(done)}, with a new log.")
    )


def _is_folder(path: str) -> bool:
    return path.endswith(("/", "\\")) or Path(path).is_dir()


def _check_file_name(name: str) -> None:
    if not name.endswith(ENDINGS):
        hint = "End the name in .jsonl, in .jsonl.gz to compress it, or in / for a folder; or use --format."
        raise invalid_argument("file", f"The format of {escape_line(name)} is unknown", hint)


@contextmanager
def _open_source(source: str) -> Generator[Path]:
    """Yield the path of an import's source.

    Standard input is copied to a file, because an import reads its source twice.
    """
    if source != "-":
        yield Path(source)
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "import.jsonl"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield copy
