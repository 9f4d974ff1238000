"""Reading of a source for a load or an inferred ontology, and reports on its faults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from graph_memory.memory.transfer.formats.records import Note, Refused, SourceOptions
from graph_memory.memory.transfer.formats.source import GivenSource, items_of, sources_of
from graph_memory.memory.transfer.load.staged_record import Findings
from graph_memory.memory.transfer.load.staging import Staging
from graph_memory.memory.transfer.load.validate_graph import GraphValidation, infer
from graph_memory.memory.transfer.results import Refusal, Refusals, SourceNote
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.values.content import Content
from graph_memory.progress import Progress, silent

Sources = GivenSource | Sequence[GivenSource]
MAX_NAMED = 10
"""Maximum number of refused records that a message names."""


def infer_ontology(
    source: Sources,
    options: SourceOptions | None = None,
    *,
    skip_invalid: bool = False,
    tell: Progress = silent,
) -> Ontology:
    """Return the ontology inferred from a graph in files or a Neo4j server, as `memory.transfer.load` reads them.

    It has the types, the ends of connections, and rules that the data supports: the types of properties, required,
    unique and indexed ones, and enums. Raises INVALID_SOURCE with the faults and their places, unless `skip_invalid`
    leaves them out, INVALID_ARGUMENT if `source` is not a source, and STORE_UNAVAILABLE for an unreadable server.
    """
    with closing(Staging(options or SourceOptions())) as staging:
        for _ in reading(staging, source):
            tell("Reading", None)
        for _ in GraphValidation(staging, None, _accept_any_content).run():
            tell("Checking", None)
        check(staging.findings, skip_invalid=skip_invalid)
        tell("Inferring", None)
        return infer(staging)


def reading(staging: Staging, source: Sources) -> Iterator[None]:
    """Read a source step by step. Raises INVALID_ARGUMENT if it is not a source, and STORE_UNAVAILABLE."""
    sources = source if isinstance(source, Sequence) and not isinstance(source, str) else [source]
    return staging.filling(items_of(sources_of(sources), staging.options))


def _accept_any_content(_: Content) -> None:
    return None


def check(findings: Findings, *, skip_invalid: bool) -> None:
    """Raise INVALID_SOURCE if records were refused without `skip_invalid`, or a file could not be read to its end."""
    if findings.count and (findings.is_cut or not skip_invalid):
        raise refusal(findings)


def refusal(findings: Findings) -> GraphError:
    """Return the error for a source with refused records."""
    lines = [f"  {refused.place}: {refused.message}" for refused in findings.refused[:MAX_NAMED]]
    more = [f"  and {findings.count - MAX_NAMED:,} more"] if findings.count > MAX_NAMED else []
    count = "1 fault" if findings.count == 1 else f"{findings.count:,} faults"
    message = "\n".join([f"The source has {count}:", *lines, *more])
    hint = next((refused.hint for refused in findings.refused if refused.hint), "Correct the source.")
    if not findings.is_cut:
        hint = Hint("{hint}", " Or use --skip-invalid to load the valid records.", hint=hint)
    details = {"report": refusals(findings).to_dict(), "hint": hint}
    return GraphError(Code.INVALID_SOURCE, message, details)


def refusals(findings: Findings) -> Refusals:
    """Return the refused records for a report."""
    return Refusals(count=findings.count, codes=dict(findings.codes), first=tuple(map(_refusal, findings.refused)))


def _refusal(refused: Refused) -> Refusal:
    place = refused.place
    return Refusal(
        file=place.file,
        line=place.line or None,
        column=place.column,
        element=place.element,
        code=str(refused.code),
        message=refused.message,
        hint=refused.hint,
    )


def notes(findings: Findings) -> tuple[SourceNote, ...]:
    """Return the notes on data that is stored differently, for a report."""
    results = [_note(note) for note in findings.notes.values()]
    if findings.unlisted:
        results.append(SourceNote(file=results[-1].file, text=f"{findings.unlisted:,} more notes are not listed"))
    return tuple(results)


def _note(note: Note) -> SourceNote:
    place = note.place
    return SourceNote(file=place.file, line=place.line or None, column=place.column, text=note.text)
