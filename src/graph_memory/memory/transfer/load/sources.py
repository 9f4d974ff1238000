"""A source from its files to an ontology or a load: read, kept beside, looked at, and reported on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from graph_memory.memory.transfer.formats.records import Note, Refused, SourceOptions
from graph_memory.memory.transfer.formats.source import GivenSource, items_of, sources_of
from graph_memory.memory.transfer.load.staged_record import Findings
from graph_memory.memory.transfer.load.staging import Staging
from graph_memory.memory.transfer.load.validate_graph import Examination, infer
from graph_memory.memory.transfer.results import Refusal, Refusals, SourceNote
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.values.content import Content
from graph_memory.progress import Progress, silent

Sources = GivenSource | Sequence[GivenSource]
TOLD = 10
"""What was refused, of which a message names all."""


def infer_ontology(
    source: Sources,
    options: SourceOptions | None = None,
    *,
    skip_invalid: bool = False,
    tell: Progress = silent,
) -> Ontology:
    """Return the ontology that a graph in files or a Neo4j server suggests: `memory.transfer.load` reads the same.

    It has the types, what connections join, and rules that the data bears out: the types of properties, which are
    required, unique or worth an index, and the values of those that have few. Raises INVALID_SOURCE, with what is
    wrong and where, unless `skip_invalid` leaves that out; INVALID_ARGUMENT for what is no source, and
    STORE_UNAVAILABLE for a server that cannot be read.
    """
    with closing(Staging(options or SourceOptions())) as staging:
        for _ in reading(staging, source):
            tell("Reading", None)
        for _ in Examination(staging, None, _any).looking():
            tell("Checking", None)
        check(staging.findings, skip_invalid=skip_invalid)
        tell("Inferring", None)
        return infer(staging)


def reading(staging: Staging, source: Sources) -> Iterator[None]:
    """Read a source step by step. Raises INVALID_ARGUMENT for what is none, and STORE_UNAVAILABLE."""
    given = source if isinstance(source, Sequence) and not isinstance(source, str) else [source]
    return staging.filling(items_of(sources_of(given), staging.options))


def _any(_: Content) -> None:
    return None


def check(findings: Findings, *, skip_invalid: bool) -> None:
    """Raise INVALID_SOURCE where something was refused that may not be left out; what cuts a file short never may."""
    if findings.count and (findings.is_cut or not skip_invalid):
        raise refusal(findings)


def refusal(findings: Findings) -> GraphError:
    """Return the error for a source of which something was refused."""
    told = [f"  {one.place}: {one.message}" for one in findings.refused[:TOLD]]
    more = [f"  and {findings.count - TOLD:,} more"] if findings.count > TOLD else []
    what = "1 fault" if findings.count == 1 else f"{findings.count:,} faults"
    message = "\n".join([f"The source has {what}:", *told, *more])
    hint = next((one.hint for one in findings.refused if one.hint), "Correct the source.")
    if not findings.is_cut:
        hint = Hint("{hint}", " Or give --skip-invalid to load the rest.", hint=hint)
    details = {"report": refusals(findings).to_dict(), "hint": hint}
    return GraphError(Code.INVALID_SOURCE, message, details)


def refusals(findings: Findings) -> Refusals:
    """Return what was refused, as a report has it."""
    return Refusals(count=findings.count, codes=dict(findings.codes), first=tuple(map(_refusal, findings.refused)))


def _refusal(one: Refused) -> Refusal:
    at = one.place
    return Refusal(
        file=at.file,
        line=at.line or None,
        column=at.column,
        element=at.element,
        code=str(one.code),
        message=one.message,
        hint=one.hint,
    )


def notes(findings: Findings) -> tuple[SourceNote, ...]:
    """Return what becomes of what a memory has not, as a report has it."""
    found = [_note(note) for note in findings.notes.values()]
    if findings.unlisted:
        found.append(SourceNote(file=found[-1].file, text=f"{findings.unlisted:,} more notes are not listed"))
    return tuple(found)


def _note(note: Note) -> SourceNote:
    at = note.place
    return SourceNote(file=at.file, line=at.line or None, column=at.column, text=note.text)
