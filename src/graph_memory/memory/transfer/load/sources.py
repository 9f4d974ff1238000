"""Reads a source for a load or for an inferred ontology, and reports its errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from graph_memory.memory.transfer.formats.records import SourceOptions
from graph_memory.memory.transfer.formats.source import GivenSource, items_of, sources_of
from graph_memory.memory.transfer.load.staged_record import Findings
from graph_memory.memory.transfer.load.staging import Staging
from graph_memory.memory.transfer.load.validate_graph import GraphValidation, infer
from graph_memory.memory.transfer.results import RejectedRecord, RejectedRecords, SourceNote
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.progress import Progress, log_progress

Sources = GivenSource | Sequence[GivenSource]
MAX_NAMED = 10
"""Maximum number of rejected records that an error message lists."""
SKIP_HINT = Hint(" Or use --skip-invalid to load the valid records.")


def infer_ontology(
    source: Sources,
    options: SourceOptions | None = None,
    *,
    skip_invalid: bool = False,
    progress: Progress = log_progress,
) -> Ontology:
    """Return the ontology inferred from a graph in files or a Neo4j server, as `memory.transfer.load` reads them.

    The ontology contains the types, the endpoints of connections, and rules that the data supports: property types,
    enums, and which properties are required, unique or indexed.

    Raises INVALID_SOURCE with the errors and their positions if records are invalid, unless `skip_invalid` omits these
    records. Raises INVALID_ARGUMENT if `source` is not a source, and STORE_UNAVAILABLE if a server cannot be read.
    """
    with closing(Staging(options or SourceOptions())) as staging:
        for _ in read_in_steps(staging, source):
            progress("Reading", None)
        for _ in GraphValidation(staging, None, lambda _: None).run():
            progress("Checking", None)
        raise_if_invalid(staging.findings, skip_invalid=skip_invalid)
        progress("Inferring", None)
        return infer(staging)


def read_in_steps(staging: Staging, source: Sources) -> Iterator[None]:
    """Read a source into the staging area step by step.

    Raises INVALID_ARGUMENT if it is not a source, and STORE_UNAVAILABLE if a server cannot be read.
    """
    sources = source if isinstance(source, Sequence) and not isinstance(source, str) else [source]
    return staging.stage_in_steps(items_of(sources_of(sources), staging.options))


def raise_if_invalid(findings: Findings, *, skip_invalid: bool, skip_hint: Hint = SKIP_HINT) -> None:
    """Raise INVALID_SOURCE if records were rejected without `skip_invalid`, or a file could not be read to its end."""
    if findings.count and (findings.is_cut or not skip_invalid):
        raise invalid_source_error(findings, skip_hint)


def invalid_source_error(findings: Findings, skip_hint: Hint = SKIP_HINT) -> GraphError:
    """Return the error for a source with rejected records. `skip_hint` says how to load only the valid records."""
    hints = dict.fromkeys(refused.hint for refused in findings.invalid_records[:MAX_NAMED] if refused.hint)
    shows_hints = len(hints) > 1
    lines = [
        f"  {refused.place}: {refused.message}{f' ({refused.hint})' if shows_hints and refused.hint else ''}"
        for refused in findings.invalid_records[:MAX_NAMED]
    ]
    more = [f"  and {findings.count - MAX_NAMED:,} more"] if findings.count > MAX_NAMED else []
    count = "1 error" if findings.count == 1 else f"{findings.count:,} errors"
    message = "\n".join([f"The source has {count}:", *lines, *more])
    hint = next(iter(hints)) if len(hints) == 1 else "Correct the source."
    if not findings.is_cut:
        hint = Hint("{hint}", "{skip_hint}", hint=hint, skip_hint=skip_hint)
    details = {"report": rejected_records(findings).to_dict(), "hint": hint}
    return GraphError(Code.INVALID_SOURCE, message, details)


def rejected_records(findings: Findings) -> RejectedRecords:
    """Return the number of rejected records per error code, and the first of these records."""
    first_records = tuple(
        RejectedRecord(
            file=record.place.file,
            line=record.place.line or None,
            column=record.place.column,
            element=record.place.element,
            code=str(record.code),
            message=record.message,
            hint=record.hint,
        )
        for record in findings.invalid_records
    )
    return RejectedRecords(count=findings.count, codes=dict(findings.codes), first=first_records)


def notes(findings: Findings) -> tuple[SourceNote, ...]:
    """Return the notes on data that is stored differently. If some are omitted, the last note states their number."""
    results = [
        SourceNote(file=note.place.file, line=note.place.line or None, column=note.place.column, text=note.text)
        for note in findings.notes.values()
    ]
    if findings.unlisted:
        results.append(SourceNote(file=results[-1].file, text=f"{findings.unlisted:,} more notes are not listed"))
    return tuple(results)
