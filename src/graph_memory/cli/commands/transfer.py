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

from graph_memory.agent.capture.transcript_formats import FORMS
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
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.agent.results import ConversationsImported
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
        help="Format of the export. Default: by the name, as in FILE.graphml or FILE.cypher. csv is a folder; official "
        "is the file of entities of the official memory server.",
    ),
]

SourceFormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="|".join((*MEMORIES, *FORMS)),
        help="The program of the memory or conversations. Default: recognised.",
    ),
]
ByProjectOption = Annotated[
    bool, typer.Option("--by-project", help="For conversations: each into the domain of its project's folder.")
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
        case "csv" | "jsonl" | "graphml" | "cypher" | "official":
            _export_graph(call, to, as_of, form)
        case _:
            raise invalid_argument("format", f"{plain(form)} is not a format", f"Use one of {', '.join(FORMATS)}.")


def _format_of(to: str) -> str:
    """Return the format for the name of the file or folder."""
    if _is_folder(to):
        return "folder"
    formats = [form for form in ("graphml", "cypher") if to.removesuffix(".gz").endswith(f".{form}")]
    return formats[0] if formats else "log"


def _export_log(call: Call, to: str, as_of: str | None) -> None:
    if as_of is not None:
        hint = f"Export a folder, or create a branch at that point and export it: `branch create NAME --at {as_of}`."
        raise invalid_argument("as-of", "--as-of cannot be used for a file with the whole log", hint)
    if to != "-":
        _check_name(to)
    target = sys.stdout.buffer if to == "-" else Path(to)
    exported = with_progress(lambda memory, tell: call.in_domain(memory).transfer.export_file(target, tell=tell))
    if to == "-":
        note(_export_text(exported, "standard output"))
    else:
        call.print_answer(exported, lambda done: typer.echo(_export_text(done, to)))


def _export_graph(call: Call, to: str, as_of: str | None, form: GraphFormat) -> None:
    target = sys.stdout.buffer if to == "-" else Path(to)
    exported = with_progress(
        lambda memory, tell: call.in_domain(memory).transfer.export_graph(target, form, at=as_of, tell=tell)
    )
    target_name = "standard output" if to == "-" else plain(to)
    text = f"Exported domain {exported.domain} to {target_name} as {form}: {_counts(exported)}, without the log."
    if to == "-":
        note(text)
    else:
        call.print_answer(exported, lambda _: typer.echo(text))


def _export_folder(call: Call, to: str, as_of: str | None) -> None:
    exported = with_progress(
        lambda memory, tell: call.in_domain(memory).transfer.export_folder(to, at=as_of, tell=tell)
    )
    text = f"Exported domain {exported.domain} to {plain(to)}: {_counts(exported)}. A folder has no log."
    call.print_answer(exported, lambda _: typer.echo(text))


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
        str | None, typer.Option("--as", metavar="NAME", help="Name of the new domain, of an export.")
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
    conversations.json, or a folder of them) are stored as events, without secrets.
    If a record is invalid, nothing is imported. Repeat an interrupted import to resume it.
    """
    if form in FORMS or (form is None and _has_conversations(source)):
        _import_conversations(call, source, form, by_project=by_project, dry_run=dry_run)
        return
    if by_project:
        hint = f"Omit --by-project, or give --format: {', '.join(FORMS)}."
        raise invalid_argument("by_project", f"{plain(source)} is not recognised as conversations", hint)
    if form is not None or _is_memory(source):
        if name is not None:
            raise invalid_argument("as", "--as is only for exports of graph-memory", "Use --domain instead.")
        [memory_source] = graph.read_sources([source], database)
        _import_memory(call, memory_source, form, dry_run=dry_run, skip_invalid=skip_invalid)
        return
    domain_source = ctx.get_parameter_source("domain")
    names_domain = domain_source is not None and domain_source.name == "COMMANDLINE"
    if dry_run or skip_invalid or database is not None or names_domain:
        hint = "Use --as for the name of the domain, or --format if it is another program's memory."
        raise invalid_argument("source", f"{plain(source)} is not recognised as another program's memory", hint)
    (_import_folder if _is_folder(source) else _import_file)(call, source, name)


def _is_memory(source: str) -> bool:
    """Return whether a source is another program's memory, not an export of graph-memory."""
    from graph_memory.memory.transfer.formats.memories.recognise import is_memory

    return source != "-" and is_memory(source)


def _has_conversations(source: str) -> bool:
    """Return whether the source begins like the conversations of a known program."""
    from graph_memory.agent.capture.transcripts import recognise

    path = Path(source)
    return path.exists() and recognise(path) is not None


def _import_conversations(call: Call, source: str, form: str | None, *, by_project: bool, dry_run: bool) -> None:
    async def use(memory: Memory, tell: Progress) -> ConversationsImported:
        return await call.in_domain(memory).agent.import_conversations(
            source, format=form, by_project=by_project, dry_run=dry_run, tell=tell
        )

    call.print_answer(with_progress(use), lambda done: typer.echo(_conversations_text(done)))


def _conversations_text(done: ConversationsImported) -> str:
    verb = "Would import" if done.dry_run else "Imported"
    lines = [
        f"{verb} {count_of(done.events, 'event')} of {count_of(done.sessions, 'session')} of {done.format}"
        + ("." if done.dry_run else f"; {done.added:,} were new."),
        *(f"  domain {name}: {count_of(count, 'event')}" for name, count in sorted(done.domains.items())),
    ]
    if done.secrets:
        lines.append(f"Replaced {count_of(done.secrets, 'secret')}.")
    if done.unreadable:
        lines.append(f"Skipped {count_of(done.unreadable, 'damaged line')}.")
    return "\n".join(lines)


def _import_memory(call: Call, source: GivenSource, form: str | None, *, dry_run: bool, skip_invalid: bool) -> None:
    async def use(memory: Memory, tell: Progress) -> MemoryImported:
        return await call.in_domain(memory).transfer.import_memory(
            source, format=cast("MemoryFormat | None", form), dry_run=dry_run, skip_invalid=skip_invalid, tell=tell
        )

    call.print_answer(with_progress(use), show_memory_import)


def _import_file(call: Call, source: str, name: str | None) -> None:
    with _open_source(source) as path:
        imported = with_progress(lambda memory, tell: memory.transfer.import_file(path, name=name, tell=tell))
    call.print_answer(imported, lambda done: typer.echo(_import_text(done)))


def _import_folder(call: Call, source: str, name: str | None) -> None:
    imported = with_progress(lambda memory, tell: memory.transfer.import_folder(source, name=name, tell=tell))
    call.print_answer(
        imported, lambda done: typer.echo(f"Imported domain {done.domain}: {_counts(done)}, with a new log.")
    )


def _counts(result: FolderExported | FolderImported | GraphExported) -> str:
    text = f"{count_of(result.nodes, 'node')}, {count_of(result.connections, 'connection')}"
    observations = 0 if isinstance(result, GraphExported) else result.observations
    return f"{text}, {count_of(observations, 'observation')}" if observations else text


def _is_folder(path: str) -> bool:
    return path.endswith(("/", "\\")) or Path(path).is_dir()


def _check_name(name: str) -> None:
    if not name.endswith(ENDINGS):
        hint = "End the name in .jsonl, in .jsonl.gz to compress it, or in / for a folder; or use --format."
        raise invalid_argument("file", f"The format of {plain(name)} is unknown", hint)


@contextmanager
def _open_source(source: str) -> Generator[Path]:
    """Yield the path of the source. Copies standard input to a file, since imports read it twice."""
    if source != "-":
        yield Path(source)
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "import.jsonl"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield copy


def _export_text(exported: Exported, target: str) -> str:
    return (
        f"Exported domain {exported.domain} to {plain(target)}: {count_of(exported.events, 'event')}, "
        f"{count_of(exported.contents, 'content')}, up to number {exported.seq:,} of its log."
    )


def _import_text(imported: Imported) -> str:
    resumed = " It resumed where it was interrupted." if imported.resumed else ""
    return (
        f"Imported domain {imported.domain}: {count_of(imported.events, 'event')}, "
        f"{count_of(imported.subjects, 'subject')} in the graph.{resumed}"
    )
