"""Verifies the live graph against its log. `verify` lists all differences, and `rebuild` repairs them.

Both use the logged ontology, not its live copy, which is itself verified. Both compare without the lock first, and
compare the apparent differences again under the domain's lock. A concurrent write is therefore never reported as a
difference, and a graph that agrees is never locked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graph_memory.memory.background import task_group
from graph_memory.memory.core import Core
from graph_memory.memory.graph.ontology import ontology_from_events, read_logged_types
from graph_memory.memory.search.index.index import schedule_rebuild
from graph_memory.memory.verify.compare import Examination, Finding, Subject
from graph_memory.memory.verify.facts import LEADS, WINDOW_FACTS
from graph_memory.memory.verify.logged_contents import find_lost_contents, find_unreadable
from graph_memory.memory.verify.passage_checks import SEARCH, find_passage_differences
from graph_memory.memory.verify.quick_compare import QuickComparison
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import Projection, Row, project
from graph_memory.model.results import Difference, Verification
from graph_memory.model.subjects.kinds import Kind, Step
from graph_memory.model.text.wording import as_text
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.log.project import run_projection
from graph_memory.storage.log.reads import MEND_CONTENTS
from graph_memory.storage.queries import NoRow, query
from graph_memory.storage.schema_check import find_schema_problems, repair_schema
from graph_memory.storage.store import Reader, Transaction

PAGE = 500
"""Maximum number of subjects that are compared at once."""
MEND_PAGE = 100
"""Maximum number of subjects repaired in one transaction."""
ROUNDS = 3
"""Maximum number of passes in a rebuild. Several may be needed, since one repair can reveal another difference."""


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """Counts and times of a log's events, and the corresponding counters of the domain node.

    `turns` are the numbers of the log's events that have an earlier time than their predecessor, and `domain_turns` the
    numbers that the domain node stores for them.
    """

    events: int
    whole_events: int
    whole_after: int
    last: int
    ontology_last: int
    last_at: datetime | None
    turns: list[int]
    seq: int
    ontology_version: int
    domain_last_at: datetime | None
    domain_turns: list[int]


SHAPE = query("verify/log_shape", ShapeRow)
CLEAR_NODE_TEXTS = query("verify/clear_node_texts", NoRow)
CLEAR_CONNECTION_TEXTS = query("verify/clear_connection_texts", NoRow)
MEND_LABELS = query("verify/mend_labels", NoRow)
MEND_DOMAIN = query("verify/mend_domain", NoRow)
DROP_CONNECTIONS = query("verify/drop_connections", NoRow)
DROP_TYPES = query("verify/drop_types", NoRow)


async def verify(core: Core, domain: str) -> Verification:
    """Return all differences between a domain's live graph and derived rows, and its log."""
    comparison = QuickComparison(core.store, domain, await _read_logged_ontology(core.store, domain))
    shapes: list[ShapeRow] = []
    differences: list[Difference] = []
    async with task_group() as tasks:
        tasks.start_soon(_read_shape_into, core.store, domain, shapes)
        tasks.start_soon(_find_index_differences_into, core, domain, differences)
        suspected_subjects, subject_count = await _find_suspects(core, comparison)
    [shape] = shapes
    lost_hashes = await find_lost_contents(core.store, core.contents, domain, comparison.contents, comparison.proved)
    if not suspected_subjects and not lost_hashes and not _log_faults(shape):
        return _build_verification(domain, shape, subject_count, (), differences)

    async def confirm(transaction: Transaction) -> Verification:
        await core.log.lock(transaction, domain)
        findings = await examine_subjects(core, transaction, domain, suspected_subjects)
        unreadable_contents = await find_unreadable(
            transaction, core.contents, domain, comparison.contents, lost_hashes
        )
        return _build_verification(
            domain,
            await _read_shape(transaction, domain),
            subject_count,
            findings,
            (*differences, *unreadable_contents),
        )

    return await core.store.write("verify", confirm)


async def rebuild(core: Core, domain: str) -> Verification:
    """Repair all differences and return them. `unmended` contains the differences that remain.

    First creates missing indexes and constraints of the whole database. Raises STORE_CONFLICT if stored data breaks a
    constraint.

    Each page is repaired in its own transaction, so the graph is never empty, and an interrupted rebuild can be
    repeated.
    """
    verification = await verify(core, domain)
    await repair_schema(core.store.of(domain))
    remaining = verification
    for _ in range(ROUNDS):
        if remaining.clean:
            break
        await repair_subjects(core, domain, await find_suspects(core, domain))
        await repair_domain(core, domain)
        if any(difference.kind == SEARCH for difference in remaining.differences):
            await schedule_rebuild(core, domain)
        remaining = await verify(core, domain)
    return verification.model_copy(update={"unmended": remaining.differences})


async def repair_subjects(core: Core, domain: str, subjects: Sequence[Subject]) -> None:
    """Restore the given subjects from the log, if they differ from it."""
    sorted_subjects = sorted(subjects, key=_repair_rank)
    for start in range(0, len(sorted_subjects), MEND_PAGE):
        page = sorted_subjects[start : start + MEND_PAGE]

        async def repair_page(transaction: Transaction, page: Sequence[Subject] = page) -> None:
            await core.log.lock(transaction, domain)
            await _repair_page(transaction, domain, await examine_subjects(core, transaction, domain, page))

        await core.store.write("rebuild", repair_page)


async def repair_domain(core: Core, domain: str) -> None:
    """Set the domain's counters to the values in its log, and invalidate the cached ontology in all processes."""

    async def set_counters(transaction: Transaction) -> None:
        await core.log.lock(transaction, domain)
        shape = await _read_shape(transaction, domain)
        counters = {"seq": shape.last, "ontology_version": shape.ontology_last}
        times = {"last_at": shape.last_at, "turns": shape.turns}
        await transaction.run(MEND_DOMAIN, domain=domain, **counters, **times)

    await core.store.write("rebuild", set_counters)
    core.log.forget(domain)


def _repair_rank(subject: Subject) -> int:
    """Return the rank of a subject in the order of repair: first types, then nodes, then subjects attached to nodes."""
    if "/" in subject.id or subject.id in ("domain", "ontology"):
        return 0
    return 2 if subject.type is not None or subject.id.startswith(("obs_", "link_")) else 1


async def _find_suspects(core: Core, comparison: QuickComparison) -> tuple[list[Subject], int]:
    """Return the subjects that differ when compared without the lock, and the number of compared subjects."""
    suspected_subjects = await comparison.suspects()
    findings = await examine_subjects(
        core, core.store, comparison.domain, suspected_subjects, comparison.contents, ontology=comparison.ontology
    )
    unknown_count = sum(finding.event is None or finding.has_other_type for finding in findings)
    return [finding.subject for finding in findings], comparison.subjects + unknown_count


async def find_suspects(core: Core, domain: str) -> list[Subject]:
    """Return the subjects whose live state seems to differ from the log.

    The result is uncertain, since the domain is not locked.
    """
    comparison = QuickComparison(core.store, domain, await _read_logged_ontology(core.store, domain))
    return (await _find_suspects(core, comparison))[0]


async def find_log_faults(reader: Reader, domain: str) -> Sequence[Difference]:
    """Return the errors that concern the log as a whole. Raises ONTOLOGY_NOT_FOUND if the domain does not exist."""
    return _log_faults(await _read_shape(reader, domain))


async def examine_subjects(
    core: Core,
    reader: Reader,
    domain: str,
    subjects: Sequence[Subject],
    contents: set[tuple[str, str]] | None = None,
    *,
    ontology: Ontology | None = None,
) -> list[Finding]:
    """Return the given subjects that differ from the log. The result is only certain if the domain's lock is held.

    Adds the hash and encoding of each checked content to `contents`.
    """
    ontology = ontology or await _read_logged_ontology(reader, domain)
    examination = Examination(reader, core.contents, domain, ontology)
    findings: list[Finding] = []
    for start in range(0, len(subjects), PAGE):
        findings += await examination.examine(subjects[start : start + PAGE])
    if contents is not None:
        contents |= examination.contents
    return findings


async def _read_logged_ontology(reader: Reader, domain: str) -> Ontology:
    types = await read_logged_types(reader, domain)
    if not types:
        raise no_ontology_error(domain)
    return ontology_from_events(types)


async def _read_shape(reader: Reader, domain: str) -> ShapeRow:
    rows = await reader.read(SHAPE, domain=domain)
    if not rows:
        raise no_ontology_error(domain)
    return rows[0]


async def _read_shape_into(reader: Reader, domain: str, shapes: list[ShapeRow]) -> None:
    shapes.append(await _read_shape(reader, domain))


async def _find_index_differences_into(core: Core, domain: str, differences: list[Difference]) -> None:
    problems = await find_schema_problems(core.store.of(domain), domain)
    differences += [Difference(kind="schema", subject=fault.name, problem=fault.problem) for fault in problems]
    differences += await find_passage_differences(core, domain)


def _log_faults(shape: ShapeRow) -> Sequence[Difference]:
    """Return the errors of a log as a whole: gaps, and counters of its domain that differ from the log."""
    whole_count = shape.last - shape.whole_after
    checks = (
        ("the log has gaps: its number of events differs from its last seq", whole_count, shape.whole_events),
        ("seq of the domain differs", shape.last, shape.seq),
        ("ontology version of the domain differs", shape.ontology_last, shape.ontology_version),
        ("time of the last change of the domain differs", shape.last_at, shape.domain_last_at),
        ("list of times that go back differs", shape.turns, shape.domain_turns),
    )
    return [
        Difference(kind="domain", subject="domain", problem=problem, expected=as_text(expected), found=as_text(number))
        for problem, expected, number in checks
        if expected != number
    ]


def _build_verification(
    domain: str,
    shape: ShapeRow,
    subject_count: int,
    findings: Sequence[Finding],
    other_differences: Sequence[Difference],
) -> Verification:
    subject_differences = [difference for finding in findings for difference in finding.differences]
    differences = (*_log_faults(shape), *subject_differences, *other_differences)
    return Verification(domain=domain, events=shape.events, subjects=subject_count, differences=differences)


async def _repair_page(transaction: Transaction, domain: str, findings: Sequence[Finding]) -> None:
    """Project the last event of each subject again. Deletes subjects that are not in the log."""
    await _repair_contents(transaction, domain, findings)
    await _drop_types(transaction, domain, findings)
    await _repair_labels(transaction, domain, findings)
    if misplaced_elements := [
        element for finding in findings if _is_misplaced(finding) for element in finding.live.elements
    ]:
        await transaction.run(DROP_CONNECTIONS, domain=domain, elements=misplaced_elements)
    logged_events = [finding.event for finding in findings if finding.event is not None and not finding.has_other_type]
    # a rebuild creates no subjects: a creation becomes an update, which writes the derived rows
    events = [
        replace(event, draft=replace(event.draft, op=Op.DELETE if event.draft.op is Op.DELETE else Op.UPDATE))
        for event in logged_events
    ]
    projection = project(domain, events, await _read_logged_ontology(transaction, domain))
    _drop_misplaced(projection, findings)
    try:
        await run_projection(transaction, projection)
    except GraphError as error:
        if error.code is not Code.DANGLING_REFERENCE:
            raise
        hint = "Restore the database from a backup: its log lacks an end node of a connection."
        raise GraphError(error.code, error.message, {"hint": hint}) from error


def _is_misplaced(finding: Finding) -> bool:
    """Return whether the live subject is not in the log, is attached to the wrong nodes, or has the wrong type."""
    return finding.event is None or finding.is_misplaced or finding.has_other_type


def _drop_misplaced(projection: Projection, findings: Sequence[Finding]) -> None:
    for finding in findings:
        row: Row = {"id": finding.subject.id}
        if finding.event is None:
            projection.add(Step.DROP_NODES, [row])
        if _is_misplaced(finding):
            projection.add(Step.DROP_OBSERVATIONS, [row])
        if finding.event is None or finding.is_misplaced or finding.differs(LEADS):
            projection.add(Step.DROP_LINKS, [row])
        is_gone = finding.event is None or finding.event.draft.op is Op.DELETE
        owner: Row = {"owner": finding.subject.id}
        projection.add(Step.DROP_KEYS, [owner] if is_gone or finding.differs("key ") else ())
        projection.add(Step.DROP_WINDOWS, [owner] if is_gone or finding.differs(*WINDOW_FACTS) else ())


async def _drop_types(transaction: Transaction, domain: str, findings: Sequence[Finding]) -> None:
    unlogged_types = [finding.subject.id.partition("/") for finding in findings if finding.event is None]
    node_types = [name for kind, _, name in unlogged_types if kind == Kind.NODE_TYPE]
    connection_types = [name for kind, _, name in unlogged_types if kind == Kind.CONNECTION_TYPE]
    if node_types or connection_types:
        await transaction.run(DROP_TYPES, domain=domain, node_types=node_types, connection_types=connection_types)


async def _repair_contents(transaction: Transaction, domain: str, findings: Sequence[Finding]) -> None:
    """Restore texts that only the live graph still has. Clears all live texts, so that the projection rewrites them."""
    texts = [content for finding in findings if (content := finding.recoverable_text) is not None]
    if texts:
        rows = [{"sha256": content.sha256, "text": content.text} for content in texts]
        await transaction.run(MEND_CONTENTS, domain=domain, rows=rows)
    live_findings = [finding for finding in findings if finding.is_in_graph]
    nodes: list[Row] = [{"id": finding.subject.id} for finding in live_findings if finding.live_type is None]
    elements = [element for finding in live_findings for element in finding.live.elements]
    await transaction.run(CLEAR_NODE_TEXTS, domain=domain, rows=nodes)
    await transaction.run(CLEAR_CONNECTION_TEXTS, domain=domain, elements=elements)


async def _repair_labels(transaction: Transaction, domain: str, findings: Sequence[Finding]) -> None:
    rows = [
        {"id": finding.subject.id, "type": finding.event.draft.type, "extra": list(finding.extra_labels)}
        for finding in findings
        if finding.event is not None and finding.event.draft.kind is Kind.NODE and finding.is_in_graph
    ]
    if rows:
        await transaction.run(MEND_LABELS, domain=domain, rows=rows)
