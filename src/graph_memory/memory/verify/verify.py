"""Verifies the live graph against its log. `verify` lists all differences, and `rebuild` mends them.

Both use the logged ontology, not its live copy, which is itself verified. Both compare without the lock first, and
compare the apparent differences again under the domain's lock. So a concurrent write is never reported as a
difference, and a graph that agrees is never locked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from graph_memory.memory.background import task_group
from graph_memory.memory.core import Core
from graph_memory.memory.graph.ontology import logged_ontology, logged_types
from graph_memory.memory.search.index.index import schedule_rebuild
from graph_memory.memory.verify.compare import Examination, Finding, Subject
from graph_memory.memory.verify.facts import LEADS, WINDOW_FACTS, shape_differences
from graph_memory.memory.verify.logged_contents import find_unreadable, lost_contents
from graph_memory.memory.verify.passage_checks import SEARCH, differences_of_passages
from graph_memory.memory.verify.quick_compare import QuickComparison
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import Projection, Row, project
from graph_memory.model.results import Difference, Verification
from graph_memory.model.subjects.kinds import Kind, Step
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.project import run_projection
from graph_memory.storage.log.reads import MEND_CONTENTS
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.schema_check import Fault, repair_schema, schema_faults
from graph_memory.storage.store import Reader, Transaction

PAGE = 500
"""Number of subjects compared at a time."""
MEND_PAGE = 100
"""Number of subjects mended in one transaction."""
ROUNDS = 3
"""Maximum number of passes of a rebuild. Several are needed, since the repair of one difference can uncover another."""


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """Counts and times of a log, and the counters of its domain node."""

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
CLEAR_NODE_TEXTS = query("verify/clear_node_texts", Nothing)
CLEAR_CONNECTION_TEXTS = query("verify/clear_connection_texts", Nothing)
MEND_LABELS = query("verify/mend_labels", Nothing)
MEND_DOMAIN = query("verify/mend_domain", Nothing)
DROP_CONNECTIONS = query("verify/drop_connections", Nothing)
DROP_TYPES = query("verify/drop_types", Nothing)


async def verify(core: Core, domain: str) -> Verification:
    """Return every difference between the domain's live graph or derived rows and its log."""
    comparison = QuickComparison(core.store, domain, await _logged_ontology(core.store, domain))
    shapes: list[ShapeRow] = []
    async with task_group() as tasks:
        tasks.start_soon(_append_shape, core.store, domain, shapes)
        suspected, subjects = await _suspects(core, comparison)
    [shape] = shapes
    schema = [_schema_difference(fault) for fault in await schema_faults(core.store, domain)]
    schema += await differences_of_passages(core, domain)
    lost = await lost_contents(core.store, core.contents, domain, comparison.contents, comparison.proved)
    if not suspected and not lost and not _shape_faults(shape):
        return _verification(domain, shape, subjects, (), schema)

    async def confirm(transaction: Transaction) -> Verification:
        await core.log.lock(transaction, domain)
        findings = await examine_subjects(core, transaction, domain, suspected)
        unreadable = await find_unreadable(transaction, core.contents, domain, comparison.contents, lost)
        return _verification(domain, await _shape(transaction, domain), subjects, findings, (*schema, *unreadable))

    return await core.store.write("verify", confirm)


def _schema_difference(fault: Fault) -> Difference:
    return Difference(kind="schema", subject=fault.name, problem=fault.problem)


async def rebuild(core: Core, domain: str) -> Verification:
    """Mend all differences and return them. `unmended` has the differences that remain.

    Missing indexes and constraints of the whole database are created first. Raises STORE_CONFLICT if stored data
    breaks a constraint.

    Each page is mended in its own transaction, so the graph is never empty, and an interrupted rebuild can be
    repeated.
    """
    verification = await verify(core, domain)
    await repair_schema(core.store)
    remaining = verification
    for _ in range(ROUNDS):
        if remaining.clean:
            break
        await mend(core, domain, await suspects(core, domain))
        await mend_domain(core, domain)
        if any(difference.kind == SEARCH for difference in remaining.differences):
            await schedule_rebuild(core, domain)
        remaining = await verify(core, domain)
    return verification.model_copy(update={"unmended": remaining.differences})


async def mend(core: Core, domain: str, subjects: Sequence[Subject]) -> None:
    """Restore the subjects that differ from the log."""
    in_order = sorted(subjects, key=_repair_rank)
    for start in range(0, len(in_order), MEND_PAGE):
        page = in_order[start : start + MEND_PAGE]

        async def work(transaction: Transaction, page: Sequence[Subject] = page) -> None:
            await core.log.lock(transaction, domain)
            await _mend_page(transaction, domain, await examine_subjects(core, transaction, domain, page))

        await core.store.write("rebuild", work)


async def mend_domain(core: Core, domain: str) -> None:
    """Set the domain's counters from its log, and invalidate the cached ontology in all processes."""

    async def work(transaction: Transaction) -> None:
        await core.log.lock(transaction, domain)
        shape = await _shape(transaction, domain)
        counters = {"seq": shape.last, "ontology_version": shape.ontology_last}
        times = {"last_at": shape.last_at, "turns": shape.turns}
        await transaction.run(MEND_DOMAIN, domain=domain, **counters, **times)

    await core.store.write("rebuild", work)
    core.log.forget(domain)


def _repair_rank(subject: Subject) -> int:
    """Return a subject's rank in the repair order: types, nodes, then what is attached to nodes."""
    if "/" in subject.id or subject.id in ("domain", "ontology"):
        return 0
    return 2 if subject.type is not None or subject.id.startswith(("obs_", "link_")) else 1


async def _suspects(core: Core, comparison: QuickComparison) -> tuple[list[Subject], int]:
    """Return the subjects that seem to differ, and the number of all subjects."""
    suspected = await comparison.suspects()
    findings = await examine_subjects(
        core, core.store, comparison.domain, suspected, comparison.contents, ontology=comparison.ontology
    )
    unknown = sum(finding.event is None or finding.has_other_type for finding in findings)
    return [finding.subject for finding in findings], comparison.subjects + unknown


async def suspects(core: Core, domain: str) -> list[Subject]:
    """Return the subjects that seem to differ, compared without the lock."""
    return (await _suspects(core, QuickComparison(core.store, domain, await _logged_ontology(core.store, domain))))[0]


async def shape_faults(reader: Reader, domain: str) -> Sequence[Difference]:
    """Return the faults of the log as a whole. Raises ONTOLOGY_NOT_FOUND."""
    return _shape_faults(await _shape(reader, domain))


async def examine_subjects(
    core: Core,
    reader: Reader,
    domain: str,
    subjects: Sequence[Subject],
    contents: set[tuple[str, str]] | None = None,
    *,
    ontology: Ontology | None = None,
) -> list[Finding]:
    """Return the subjects that differ. The result is only certain if the domain's lock is held.

    Adds the hash and encoding of each checked content to `contents`.
    """
    ontology = ontology or await _logged_ontology(reader, domain)
    examination = Examination(reader, core.contents, domain, ontology)
    findings: list[Finding] = []
    for start in range(0, len(subjects), PAGE):
        findings += await examination.examine(subjects[start : start + PAGE])
    if contents is not None:
        contents |= examination.contents
    return findings


async def _logged_ontology(reader: Reader, domain: str) -> Ontology:
    types = await logged_types(reader, domain)
    if not types:
        raise no_ontology(domain)
    return logged_ontology(types)


async def _shape(reader: Reader, domain: str) -> ShapeRow:
    rows = await reader.read(SHAPE, domain=domain)
    if not rows:
        raise no_ontology(domain)
    return rows[0]


async def _append_shape(reader: Reader, domain: str, shapes: list[ShapeRow]) -> None:
    shapes.append(await _shape(reader, domain))


def _shape_faults(shape: ShapeRow) -> Sequence[Difference]:
    facts = asdict(shape)
    facts.pop("events")
    return shape_differences(**facts)


def _verification(
    domain: str, shape: ShapeRow, subjects: int, findings: Sequence[Finding], more: Sequence[Difference]
) -> Verification:
    found_differences = [difference for finding in findings for difference in finding.differences]
    differences = (*_shape_faults(shape), *found_differences, *more)
    return Verification(domain=domain, events=shape.events, subjects=subjects, differences=differences)


async def _mend_page(transaction: Transaction, domain: str, findings: Sequence[Finding]) -> None:
    """Project the last event of each subject again, and delete subjects that are not in the log."""
    await _mend_contents(transaction, domain, findings)
    await _drop_types(transaction, domain, findings)
    await _mend_labels(transaction, domain, findings)
    if misplaced := [element for finding in findings if _is_misplaced(finding) for element in finding.live.elements]:
        await transaction.run(DROP_CONNECTIONS, domain=domain, elements=misplaced)
    logged = [
        (finding, finding.event) for finding in findings if finding.event is not None and not finding.has_other_type
    ]
    events = [replace(event, draft=replace(event.draft, op=_projected_op(event.draft.op))) for _, event in logged]
    projection = project(domain, events, await _logged_ontology(transaction, domain))
    _drop_misplaced(projection, findings)
    try:
        await run_projection(transaction, projection)
    except GraphError as error:
        if error.code is not Code.DANGLING_REFERENCE:
            raise
        hint = "The log itself lacks an end of a connection: restore the database from a backup."
        raise GraphError(error.code, error.message, {"hint": hint}) from error


def _projected_op(op: Op) -> Op:
    """Return the operation for the projector.

    A creation becomes an update of derived rows, since a rebuild creates no subjects.
    """
    return Op.DELETE if op is Op.DELETE else Op.UPDATE


def _is_misplaced(finding: Finding) -> bool:
    """Return whether the live subject is not in the log, is attached to the wrong nodes, or has the wrong type."""
    return finding.event is None or finding.is_misplaced or finding.has_other_type


def _drop_misplaced(projection: Projection, findings: Sequence[Finding]) -> None:
    """Delete live subjects that are not in the log or are attached to the wrong nodes."""
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
    unknown = [finding.subject.id.partition("/") for finding in findings if finding.event is None]
    node_types = [name for kind, _, name in unknown if kind == Kind.NODE_TYPE]
    connection_types = [name for kind, _, name in unknown if kind == Kind.CONNECTION_TYPE]
    if node_types or connection_types:
        await transaction.run(DROP_TYPES, domain=domain, node_types=node_types, connection_types=connection_types)


async def _mend_contents(transaction: Transaction, domain: str, findings: Sequence[Finding]) -> None:
    """Restore texts that only the live graph has, and clear live texts so that the projection writes them again."""
    texts = [content for finding in findings if (content := finding.recoverable_text) is not None]
    if texts:
        rows = [{"sha256": content.sha256, "text": content.text} for content in texts]
        await transaction.run(MEND_CONTENTS, domain=domain, rows=rows)
    live = [finding for finding in findings if finding.is_in_graph]
    nodes: list[Row] = [{"id": finding.subject.id} for finding in live if finding.live_type is None]
    elements = [element for finding in live for element in finding.live.elements]
    await transaction.run(CLEAR_NODE_TEXTS, domain=domain, rows=nodes)
    await transaction.run(CLEAR_CONNECTION_TEXTS, domain=domain, elements=elements)


async def _mend_labels(transaction: Transaction, domain: str, findings: Sequence[Finding]) -> None:
    rows = [
        {"id": finding.subject.id, "type": finding.event.draft.type, "extra": list(finding.extra_labels)}
        for finding in findings
        if finding.event is not None and finding.event.draft.kind is Kind.NODE and finding.is_in_graph
    ]
    if rows:
        await transaction.run(MEND_LABELS, domain=domain, rows=rows)
