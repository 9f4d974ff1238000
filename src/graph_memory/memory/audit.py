"""Does the live graph agree with its log? `verify` names every difference, `rebuild` mends them.

Both look without the lock first, which costs writers nothing, and look again under the domain's lock at what
seemed to differ, so a write that happens meanwhile is never taken for a difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph_memory.memory.core import Core
from graph_memory.memory.examination import Examination, Finding, Subject
from graph_memory.model.audit import shape_differences
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Op
from graph_memory.model.projection import Projection, Row, Step, project
from graph_memory.model.results import Verification
from graph_memory.model.subjects import Kind
from graph_memory.storage.log import Head, no_ontology, run_projection
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Transaction

PAGE = 500
"""Subjects that are compared at a time."""
ROUNDS = 3
"""How often a rebuild looks again: mending one difference can uncover another."""


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """How long a log is, and what its domain node says of it."""

    events: int
    last: int
    ontology_last: int
    seq: int
    ontology_version: int


SUBJECTS = query("audit/subjects", Subject)
LIVE_IDS = query("audit/live_ids", Subject)
LIVE_CONNECTION_IDS = query("audit/live_connection_ids", Subject)
SHAPE = query("audit/log_shape", ShapeRow)
MEND_LABELS = query("audit/mend_labels", Nothing)
MEND_DOMAIN = query("audit/mend_domain", Nothing)


async def verify(core: Core, domain: str) -> Verification:
    """Name every point at which the domain's live graph or derived rows differ from its log."""
    suspects, subjects = await _suspects(core, domain)

    async def confirm(transaction: Transaction) -> Verification:
        head = await core.log.head(transaction, domain)
        shape, findings = await _look_again(core, transaction, head, suspects)
        return _verification(domain, shape, subjects, findings)

    return await core.store.write("verify", confirm)


async def rebuild(core: Core, domain: str) -> Verification:
    """Mend every difference and return those that were found; what cannot be mended stays and is found again."""
    first = await _mend_once(core, domain)
    found = list(first.differences)
    for _ in range(ROUNDS - 1):
        again = await _mend_once(core, domain)
        found += [difference for difference in again.differences if difference not in found]
        if again.clean:
            break
    return first.model_copy(update={"differences": tuple(found)})


async def _mend_once(core: Core, domain: str) -> Verification:
    suspects, subjects = await _suspects(core, domain)

    async def mend(transaction: Transaction) -> Verification:
        head = await core.log.head(transaction, domain)
        shape, findings = await _look_again(core, transaction, head, suspects)
        await _mend(transaction, head, findings)
        await transaction.run(MEND_DOMAIN, domain=domain, seq=shape.last, ontology_version=shape.ontology_last)
        return _verification(domain, shape, subjects, findings)

    return await core.store.write("rebuild", mend)


async def _suspects(core: Core, domain: str) -> tuple[list[Subject], int]:
    """Return the subjects that seem to differ, and how many were looked at."""
    ontology = await core.log.ontology(domain)
    if ontology is None:
        raise no_ontology(domain)
    examination = Examination(core.store.read, core.contents, domain, ontology)
    subjects = list((await _subjects(core, domain)).values())
    suspects: list[Subject] = []
    for start in range(0, len(subjects), PAGE):
        findings = await examination.examine(subjects[start : start + PAGE])
        suspects += [finding.subject for finding in findings]
    return suspects, len(subjects)


async def _subjects(core: Core, domain: str) -> Mapping[str, Subject]:
    """Return everything that the log or the live graph knows, by id."""
    found: dict[str, Subject] = {}
    after = ""
    while page := await core.store.read(SUBJECTS, domain=domain, after=after, limit=PAGE * 10):
        found |= {subject.id: subject for subject in page}
        after = page[-1].id
    for live in (LIVE_IDS, LIVE_CONNECTION_IDS):
        found = {subject.id: subject for subject in await core.store.read(live, domain=domain)} | found
    return found


async def _look_again(
    core: Core, transaction: Transaction, head: Head, suspects: Sequence[Subject]
) -> tuple[ShapeRow, list[Finding]]:
    shape = await transaction.one(SHAPE, domain=head.domain)
    if shape is None:
        raise no_ontology(head.domain)
    examination = Examination(transaction.run, core.contents, head.domain, head.ontology)
    findings: list[Finding] = []
    for start in range(0, len(suspects), PAGE):
        findings += await examination.examine(suspects[start : start + PAGE])
    return shape, findings


def _verification(domain: str, shape: ShapeRow, subjects: int, findings: Sequence[Finding]) -> Verification:
    whole = shape_differences(
        events=shape.events,
        last=shape.last,
        ontology_last=shape.ontology_last,
        seq=shape.seq,
        ontology_version=shape.ontology_version,
    )
    each = [difference for finding in findings for difference in finding.differences]
    return Verification(domain=domain, events=shape.events, subjects=subjects, differences=(*whole, *each))


async def _mend(transaction: Transaction, head: Head, findings: Sequence[Finding]) -> None:
    """Project the last event of each subject anew, and drop what the log does not know."""
    events = [
        replace(finding.event, draft=replace(finding.event.draft, op=_again(finding.event.draft.op)))
        for finding in findings
        if finding.event is not None
    ]
    await _mend_labels(transaction, head, findings)
    projection = project(head.domain, events, head.ontology)
    _drop_misplaced(projection, findings)
    try:
        await run_projection(transaction, projection)
    except GraphError as error:
        if error.code is not Code.DANGLING_REFERENCE:
            raise
        hint = "The log itself lacks an end of a connection: restore the database from a backup."
        raise GraphError(error.code, error.message, {"hint": hint}) from error


def _again(op: Op) -> Op:
    """Return the kind of event that makes the projector replace derived rows: nothing is new in a rebuild."""
    return Op.DELETE if op is Op.DELETE else Op.UPDATE


def _drop_misplaced(projection: Projection, findings: Sequence[Finding]) -> None:
    """Drop live things that the log does not know, and those that are tied to the wrong nodes."""
    for finding in findings:
        row: Row = {"id": finding.subject.id, "type": finding.found_type}
        if finding.event is None:
            projection.add(Step.DROP_NODES, [row])
        if finding.event is None or finding.is_misplaced:
            projection.add(Step.DROP_OBSERVATIONS, [row])
            projection.add(Step.DROP_CONNECTIONS, [row] if finding.found_type else [])
        projection.add(Step.DROP_KEYS, [{"owner": finding.subject.id}])
        if finding.event is None or finding.event.draft.op is Op.DELETE:
            projection.add(Step.DROP_WINDOWS, [{"owner": finding.subject.id}])


async def _mend_labels(transaction: Transaction, head: Head, findings: Sequence[Finding]) -> None:
    rows = [
        {"id": finding.subject.id, "type": finding.event.draft.type, "extra": list(finding.extra_labels)}
        for finding in findings
        if finding.event is not None and finding.event.draft.kind is Kind.NODE and finding.is_found
    ]
    if rows:
        await transaction.run(MEND_LABELS, domain=head.domain, rows=rows)
