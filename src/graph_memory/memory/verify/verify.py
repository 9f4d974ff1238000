"""Does the live graph agree with its log? `verify` names every difference, `rebuild` mends them.

Both judge by the ontology as the log has it, not by its live copy, which is itself looked at. Both look without the
lock first and again under the domain's lock at what seemed to differ, so that a write which happens meanwhile is
never taken for a difference; a graph that agrees is never locked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from graph_memory.memory.background import task_group
from graph_memory.memory.core import Core
from graph_memory.memory.graph.ontology import logged_ontology, logged_types
from graph_memory.memory.search.index.index import make_anew
from graph_memory.memory.verify.compare import Examination, Finding, Subject
from graph_memory.memory.verify.facts import LEADS, WINDOW_FACTS, shape_differences
from graph_memory.memory.verify.logged_contents import lost_contents, unreadable
from graph_memory.memory.verify.passage_checks import SEARCH, differences_of_passages
from graph_memory.memory.verify.quick_compare import FirstLook
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
from graph_memory.storage.schema_check import Fault, mend_schema, schema_faults
from graph_memory.storage.store import Reader, Transaction

PAGE = 500
"""Subjects that are compared at a time."""
MEND_PAGE = 100
"""Subjects that are mended in one transaction."""
ROUNDS = 3
"""How often a rebuild looks again: mending one difference can uncover another."""


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """How long a log is, and what its domain node says of it."""

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
DROP_INVERSES = query("verify/drop_inverses", Nothing)
DROP_TYPES = query("verify/drop_types", Nothing)


async def verify(core: Core, domain: str) -> Verification:
    """Name every point at which the domain's live graph or derived rows differ from its log."""
    look = FirstLook(core.store, domain, await _logged_ontology(core.store, domain))
    shapes: list[ShapeRow] = []
    async with task_group() as tasks:
        tasks.start_soon(_note_shape, core.store, domain, shapes)
        suspected, subjects = await _suspects(core, look)
    [shape] = shapes
    schema = [_of_schema(fault) for fault in await schema_faults(core.store, domain)]
    schema += await differences_of_passages(core, domain)
    lost = await lost_contents(core.store, core.contents, domain, look.contents, look.proved)
    if not suspected and not lost and not _shape_faults(shape):
        return _verification(domain, shape, subjects, (), schema)

    async def look_again(transaction: Transaction) -> Verification:
        await core.log.head(transaction, domain)
        findings = await examined(core, transaction, domain, suspected)
        again = await unreadable(transaction, core.contents, domain, look.contents, lost)
        return _verification(domain, await _shape(transaction, domain), subjects, findings, (*schema, *again))

    return await core.store.write("verify", look_again)


def _of_schema(fault: Fault) -> Difference:
    return Difference(kind="schema", subject=fault.name, problem=fault.problem)


async def rebuild(core: Core, domain: str) -> Verification:
    """Mend what differs and return what was found; `unmended` is what still differs afterwards.

    Indexes and constraints that are missing come first: those of the whole database. Raises STORE_CONFLICT for a
    constraint that what the database holds breaks.

    Works in pages, each complete in a transaction of its own: the graph is never empty in between, and a rebuild
    that was cut off goes on where it was.
    """
    verification = await verify(core, domain)
    await mend_schema(core.store)
    left = verification
    for _ in range(ROUNDS):
        if left.clean:
            break
        await mend(core, domain, await suspects(core, domain))
        await mend_domain(core, domain)
        if any(difference.kind == SEARCH for difference in left.differences):
            await make_anew(core, domain)
        left = await verify(core, domain)
    return verification.model_copy(update={"unmended": left.differences})


async def mend(core: Core, domain: str, subjects: Sequence[Subject]) -> None:
    """Make these subjects what the log says, those of them that differ from it."""
    in_order = sorted(subjects, key=_mending_order)
    for start in range(0, len(in_order), MEND_PAGE):
        page = in_order[start : start + MEND_PAGE]

        async def work(transaction: Transaction, page: Sequence[Subject] = page) -> None:
            await core.log.head(transaction, domain)
            await _mend_page(transaction, domain, await examined(core, transaction, domain, page))

        await core.store.write("rebuild", work)


async def mend_domain(core: Core, domain: str) -> None:
    """Set the domain's counters to what its log says, and have its ontology read anew by everybody."""

    async def work(transaction: Transaction) -> None:
        await core.log.head(transaction, domain)
        shape = await _shape(transaction, domain)
        counters = {"seq": shape.last, "ontology_version": shape.ontology_last}
        times = {"last_at": shape.last_at, "turns": shape.turns}
        await transaction.run(MEND_DOMAIN, domain=domain, **counters, **times)

    await core.store.write("rebuild", work)
    core.log.forget(domain)


def _mending_order(subject: Subject) -> int:
    """Return when a subject's turn is: types, nodes, then what is tied to nodes."""
    if "/" in subject.id or subject.id in ("domain", "ontology"):
        return 0
    return 2 if subject.type is not None or subject.id.startswith(("obs_", "link_")) else 1


async def _suspects(core: Core, look: FirstLook) -> tuple[list[Subject], int]:
    """Return the subjects that seem to differ, and how many there are of all."""
    suspected = await look.suspects()
    findings = await examined(core, core.store, look.domain, suspected, look.contents, ontology=look.ontology)
    unknown = sum(finding.event is None or finding.is_double for finding in findings)
    return [finding.subject for finding in findings], look.subjects + unknown


async def suspects(core: Core, domain: str) -> list[Subject]:
    """Return the subjects that seem to differ, looked at without the lock."""
    return (await _suspects(core, FirstLook(core.store, domain, await _logged_ontology(core.store, domain))))[0]


async def shape_faults(reader: Reader, domain: str) -> Sequence[Difference]:
    """Return what is wrong with the log as a whole. Raises ONTOLOGY_NOT_FOUND."""
    return _shape_faults(await _shape(reader, domain))


async def examined(
    core: Core,
    reader: Reader,
    domain: str,
    subjects: Sequence[Subject],
    contents: set[tuple[str, str]] | None = None,
    *,
    ontology: Ontology | None = None,
) -> list[Finding]:
    """Return those of the subjects that differ; under the domain's lock they truly do. Their contents are noted."""
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


async def _note_shape(reader: Reader, domain: str, shapes: list[ShapeRow]) -> None:
    shapes.append(await _shape(reader, domain))


def _shape_faults(shape: ShapeRow) -> Sequence[Difference]:
    facts = asdict(shape)
    facts.pop("events")
    return shape_differences(**facts)


def _verification(
    domain: str, shape: ShapeRow, subjects: int, findings: Sequence[Finding], more: Sequence[Difference]
) -> Verification:
    each = [difference for finding in findings for difference in finding.differences]
    differences = (*_shape_faults(shape), *each, *more)
    return Verification(domain=domain, events=shape.events, subjects=subjects, differences=differences)


async def _mend_page(transaction: Transaction, domain: str, findings: Sequence[Finding]) -> None:
    """Project the last event of each subject anew, and drop what the log does not know."""
    await _mend_contents(transaction, domain, findings)
    await _drop_types(transaction, domain, findings)
    await _mend_labels(transaction, domain, findings)
    if strange := [finding.subject.id for finding in findings if finding.event is None and finding.found_type]:
        await transaction.run(DROP_INVERSES, domain=domain, elements=strange)
    known = [(finding, finding.event) for finding in findings if finding.event is not None and not finding.is_double]
    events = [replace(event, draft=replace(event.draft, op=_again(event.draft.op))) for _, event in known]
    projection = project(domain, events, await _logged_ontology(transaction, domain))
    _drop_misplaced(projection, findings)
    try:
        await run_projection(transaction, projection)
    except GraphError as error:
        if error.code is not Code.DANGLING_REFERENCE:
            raise
        hint = "The log itself lacks an end of a connection: restore the database from a backup."
        raise GraphError(error.code, error.message, {"hint": hint}) from error


def _again(op: Op) -> Op:
    """Return the kind of event that makes the projector look at derived rows: nothing is new in a rebuild."""
    return Op.DELETE if op is Op.DELETE else Op.UPDATE


def _drop_misplaced(projection: Projection, findings: Sequence[Finding]) -> None:
    """Drop live things that the log does not know, and those that are tied to the wrong nodes."""
    for finding in findings:
        row: Row = {"id": finding.subject.id, "type": finding.found_type}
        if finding.event is None:
            projection.add(Step.DROP_NODES, [row])
        if finding.event is None or finding.is_misplaced or finding.is_double:
            projection.add(Step.DROP_OBSERVATIONS, [row])
            projection.add(Step.DROP_CONNECTIONS, [row] if finding.found_type else [])
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
    """Put back texts that only the live graph still has, then let the projection fill the live graph from the log."""
    rescued = [content for finding in findings if (content := finding.rescued) is not None]
    if rescued:
        rows = [{"sha256": content.sha256, "text": content.text} for content in rescued]
        await transaction.run(MEND_CONTENTS, domain=domain, rows=rows)
    results: list[Row] = [{"id": f.subject.id, "type": f.found_type} for f in findings if f.is_found]
    await transaction.run(CLEAR_NODE_TEXTS, domain=domain, rows=[row for row in results if row["type"] is None])
    await transaction.run(
        CLEAR_CONNECTION_TEXTS, domain=domain, rows=[row for row in results if row["type"] is not None]
    )


async def _mend_labels(transaction: Transaction, domain: str, findings: Sequence[Finding]) -> None:
    rows = [
        {"id": finding.subject.id, "type": finding.event.draft.type, "extra": list(finding.extra_labels)}
        for finding in findings
        if finding.event is not None and finding.event.draft.kind is Kind.NODE and finding.is_found
    ]
    if rows:
        await transaction.run(MEND_LABELS, domain=domain, rows=rows)
