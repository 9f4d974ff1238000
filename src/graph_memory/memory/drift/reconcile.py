"""Reconciles changes made directly in Neo4j: each is adopted into the log, or undone.

Differences are found without the lock, as in `verify`, and confirmed while holding it. A dry run that adopts all of
them shows which can be adopted, and why the ontology refuses the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.rules import check_rules, until_rules_hold
from graph_memory.memory.core import Core
from graph_memory.memory.drift import detect
from graph_memory.memory.drift.adopt import DriftContext, DriftedSubject, plan_adoption
from graph_memory.memory.drift.detect import DriftCandidates, ends_of
from graph_memory.memory.drift.results import (
    HandChange,
    HandWork,
    Reconciliation,
    Settled,
    Which,
    describe_differences,
    describe_properties,
)
from graph_memory.memory.verify import verify
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Event, Head, Receipt
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import live_state
from graph_memory.model.results import Difference
from graph_memory.model.rules import BrokenRule
from graph_memory.model.subjects.kinds import ABOUT, ATTACHED, Kind
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import content_from
from graph_memory.storage.log.protection import refusals
from graph_memory.storage.log.work import Decision
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Reader, Transaction

MAX_ADOPTED = 10_000
"""Maximum number of changes that one write adopts."""
DOMAIN = "domain"
"""The id of the change that stands for wrong counters of the log."""


NAME_NODES = query("drift/name_nodes", Nothing)
NAME_CONNECTIONS = query("drift/name_connections", Nothing)
DROP_NODES = query("drift/drop_nodes", Nothing)
DROP_CONNECTIONS = query("drift/drop_connections", Nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """The ids to adopt in one write (None means all), and the ids to restore."""

    ids: frozenset[str] | None = None
    to_restore: frozenset[str] = frozenset()
    is_faulty: bool = False
    """Whether the counters of the log itself were changed."""

    def takes(self, change: DriftedSubject) -> bool:
        return self.ids is None or change.id in self.ids


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The drifted subjects and the refusals of an attempt, and the receipt once the attempt is written."""

    drifted: Sequence[DriftedSubject] = ()
    titles: Mapping[str, str] = field(default_factory=dict[str, str])
    refused: Mapping[str, GraphError] = field(default_factory=dict[str, GraphError])
    ontology: Ontology | None = None
    receipt: Receipt | None = None

    @property
    def adopted(self) -> set[str]:
        """The adopted subjects."""
        return {change.subject for change in self.receipt.changes} if self.receipt else set()


async def reconcile(core: Core, domain: str, adopt: Which, restore: Which) -> Reconciliation:
    """List the changes made outside graph-memory, and adopt or restore the given ones. See `Upkeep.reconcile`."""
    _check_lists(adopt=adopt, restore=restore)
    candidates = await detect.find_candidates(core, domain)
    faults = await verify.shape_faults(core.store, domain)
    rehearsal = await _adopt(core, domain, candidates, _Choice(is_faulty=bool(faults)), dry_run=True)
    changes = {change.id: _render_change(change, rehearsal) for change in rehearsal.drifted}
    if faults:
        changes[DOMAIN] = _domain_change(faults)
    adopted, restored = _resolve_choices(changes, adopt, restore)
    choice = _Choice(ids=adopted, to_restore=restored, is_faulty=bool(faults))
    batch = await _adopt_chosen(core, domain, candidates, changes, choice) if adopted else None
    if to_restore := [change for change in changes.values() if change.id in restored and change.settled is None]:
        await _restore(
            core, domain, candidates, changes, to_restore, {change.id: change for change in rehearsal.drifted}
        )
    return Reconciliation(domain=domain, changes=tuple(changes.values()), batch=batch)


def _check_lists(**choices: Which) -> None:
    for name, choice in choices.items():
        if isinstance(choice, str) and choice != "all":
            raise invalid_argument(name, f"{name} must be a list of ids, or all", 'For one id, write ["ID"].')


def _resolve_choices(
    changes: Mapping[str, HandChange], adopt: Which, restore: Which
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids to adopt and the ids to restore. Raises INVALID_ARGUMENT.

    "all" does not restore elements without a domain or id: they may belong to another application.
    """
    named_to_restore = frozenset(restore if restore != "all" else ())
    all_ids = (change.id for change in changes.values() if change.adoptable or restore != "all")
    adopted = frozenset(adopt if adopt != "all" else all_ids) - (named_to_restore if adopt == "all" else frozenset())
    rest_ids = (change.id for change in changes.values() if not change.beside and change.id not in adopted)
    restored = frozenset(restore if restore != "all" else rest_ids)
    if both := adopted & restored:
        raise invalid_argument(
            "restore", f"{printable(min(both))} cannot be both adopted and restored", "Choose one of the two."
        )
    if unknown := (adopted | restored) - changes.keys():
        hint = Hint("{graph-memory reconcile} lists the changes made outside graph-memory.")
        raise invalid_argument("adopt", f"{quote(min(unknown))} already matches the log", hint)
    return adopted, restored


async def _adopt_chosen(
    core: Core, domain: str, candidates: DriftCandidates, changes: dict[str, HandChange], choice: _Choice
) -> str | None:
    """Adopt the chosen changes, record the outcomes in `changes`, and return the batch."""
    outcome = await _adopt(core, domain, candidates, choice, dry_run=False)
    for change in outcome.drifted:
        if change.subject in outcome.adopted:
            changes[change.id] = _settle(changes[change.id], "adopted")
        elif choice.takes(change) and change.id in outcome.refused:
            changes[change.id] = _settle(changes[change.id], "refused", outcome.refused[change.id])
    if DOMAIN in changes and DOMAIN in (choice.ids or ()):
        changes[DOMAIN] = _settle(changes[DOMAIN], "refused")
    return outcome.receipt.batch if outcome.receipt and outcome.receipt.changes else None


async def _adopt(core: Core, domain: str, candidates: DriftCandidates, choice: _Choice, *, dry_run: bool) -> _Outcome:
    """Adopt the chosen changes that break no rule. With `dry_run`, write nothing."""

    async def attempt(broken: Mapping[str, BrokenRule]) -> _Outcome:
        return await _Attempt(core, domain, candidates, choice, broken, dry_run).write()

    return await until_rules_hold(attempt) if candidates.size else _Outcome()


@dataclass(frozen=True, slots=True)
class _AttemptInput:
    """The drifted subjects and their context."""

    changes: Sequence[DriftedSubject]
    context: DriftContext
    titles: Mapping[str, str]
    protected: Mapping[str, GraphError]
    """Errors of changes that may not be adopted because they touch protected subjects, by id."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One write that adopts all adoptable changes."""

    core: Core
    domain: str
    candidates: DriftCandidates
    choice: _Choice
    broken: Mapping[str, BrokenRule]
    dry_run: bool

    async def write(self) -> _Outcome:
        """Read the state while holding the lock, decide what to adopt, and write it."""
        log, origin = self.core.log, self.core.origin
        written = await log.write(
            "reconcile",
            self.domain,
            origin,
            self._read,
            self._decide,
            before_projection=self._prepare,
            after_write=self._confirm,
            dry_run=self.dry_run,
        )
        return replace(written.report, receipt=written.receipt)

    async def _read(self, reader: Reader, head: Head) -> _AttemptInput:
        changes = await detect.read_drifted(self.core, reader, self.domain, self.candidates)
        context, titles = await detect.read_context(reader, head, changes, self.broken)
        return _AttemptInput(changes, context, titles, await self._find_protected(reader, head, changes, context))

    async def _find_protected(
        self, reader: Reader, head: Head, results: Sequence[DriftedSubject], context: DriftContext
    ) -> dict[str, GraphError]:
        """Return the errors of changes that touch protected subjects, by id."""
        touched = {change.id: [change.subject, *_nodes_touched(change, context)] for change in results}
        all_subjects = [subject for subjects in touched.values() for subject in subjects]
        refused = await refusals(reader, head, self.core.origin, all_subjects)
        protected = {
            change_id: next((subject for subject in subjects if subject in refused), None)
            for change_id, subjects in touched.items()
        }
        return {change_id: refused[subject] for change_id, subject in protected.items() if subject is not None}

    def _decide(self, head: Head, attempt_input: _AttemptInput) -> Decision[_Outcome]:
        not_adoptable = {
            **self._find_not_adoptable(attempt_input.changes, attempt_input.context),
            **attempt_input.protected,
        }
        chosen = [change for change in attempt_input.changes if self.choice.takes(change)]
        plan = plan_adoption(chosen, attempt_input.context, head, not_adoptable)
        return Decision(plan.drafts, _Outcome(attempt_input.changes, attempt_input.titles, plan.refused, head.ontology))

    def _find_not_adoptable(self, subjects: Sequence[DriftedSubject], context: DriftContext) -> dict[str, GraphError]:
        """Return the errors of changes that cannot be adopted under any ontology, by id."""
        refused: dict[str, GraphError] = {}
        count = 0
        for change in subjects:
            count += self.choice.takes(change)
            try:
                self._check_adoptable(count, change, context)
            except GraphError as error:
                refused[change.id] = error
        return refused

    def _check_adoptable(self, count_chosen: int, change: DriftedSubject, context: DriftContext) -> None:
        if self.choice.is_faulty:
            raise _refusal("The counters of the log itself were changed", f"Restore {DOMAIN} first.")
        if count_chosen > MAX_ADOPTED:
            raise _refusal(f"One write adopts at most {MAX_ADOPTED:,} changes", "Settle the others first.")
        if (count := len(context.attached.get(change.subject, ()))) > paging.AT_ONCE:
            message = f"{count:,} connections, observations and links go with it; one write takes {paging.AT_ONCE:,}"
            hint = Hint("Restore it with them, then delete it with {delete_node}, which has no limit.")
            raise _refusal(message, hint)
        if to_restore := [
            subject.id for subject in context.attached.get(change.subject, ()) if subject.id in self.choice.to_restore
        ]:
            raise _refusal(f"{to_restore[0]}, which is to be restored, needs it", "Restore both, or adopt both.")
        if change.text is not None:
            self.core.contents.check(content_from(change.text, "utf-8", "text"))

    async def _prepare(self, transaction: Transaction, events: Sequence[Event], outcome: _Outcome) -> None:
        """Store the contents, and set the ids of new elements."""
        if not self.dry_run:
            for event in events:
                if event.draft.content is not None:
                    await self.core.contents.put(self.domain, event.draft.content)
        written = {event.draft.subject for event in events}
        unnamed = [change for change in outcome.drifted if change.element and change.subject in written]
        for kind, statement in ((Kind.NODE, NAME_NODES), (Kind.CONNECTION, NAME_CONNECTIONS)):
            rows = [{"element": subject.element, "id": subject.subject} for subject in unnamed if subject.kind is kind]
            if rows:
                await transaction.run(statement, domain=self.domain, rows=rows)

    async def _confirm(self, reader: Reader, events: Sequence[Event], outcome: _Outcome) -> None:
        await check_rules(reader, self.domain, events, outcome.ontology, in_turn=False)


def _nodes_touched(change: DriftedSubject, context: DriftContext) -> Sequence[str]:
    """Return the nodes that a change touches: its ends, and the ends of its attachments. Each may be protected."""
    owner = [change] if change.kind in ABOUT else []
    return [end for subject in (*owner, *_deleted_attachments(change, context)) for end in ends_of(subject) if end]


def _deleted_attachments(change: DriftedSubject, context: DriftContext) -> Sequence[DriftedSubject]:
    """Return the drifted subjects that were attached to a deleted node."""
    return context.attached.get(change.subject, ()) if change.is_gone else ()


async def _restore(
    core: Core,
    domain: str,
    candidates: DriftCandidates,
    changes: dict[str, HandChange],
    chosen: Sequence[HandChange],
    subjects: Mapping[str, DriftedSubject],
) -> None:
    """Restore the chosen subjects from the log, and record the outcomes in `changes`."""
    ids = frozenset(change.id for change in chosen)
    for change in chosen:
        if missing := _missing_end(subjects.get(change.id), subjects, ids):
            error = _refusal(f"Node {missing}, which it needs, is missing", f"Restore {missing} too.")
            changes[change.id] = _settle(change, "refused", error)
    ids = frozenset(change_id for change_id in ids if changes[change_id].settled is None)
    differing = await _restore_subjects(core, domain, candidates.only(ids), is_domain=DOMAIN in ids)
    for change_id in ids:
        error = _refusal("The log does not have all of it either", "Restore the database or its blobs from a backup.")
        changes[change_id] = (
            _settle(changes[change_id], "refused", error)
            if change_id in differing
            else _settle(changes[change_id], "restored")
        )


def _missing_end(
    change: DriftedSubject | None, subjects: Mapping[str, DriftedSubject], restored: frozenset[str]
) -> str | None:
    if change is None or not change.is_in_log or change.kind not in ATTACHED:
        return None
    missing = (
        end for end in ends_of(change) if end and end in subjects and subjects[end].is_gone and end not in restored
    )
    return next(missing, None)


async def _restore_subjects(core: Core, domain: str, candidates: DriftCandidates, *, is_domain: bool) -> set[str]:
    """Repair the subjects, delete elements without an id, and return the ids that still differ."""
    await _drop_unnamed(core, domain, candidates)
    differing = candidates.subjects
    for _ in range(verify.ROUNDS):
        if differing:
            await verify.mend(core, domain, differing)
            differing = tuple(
                finding.subject for finding in await verify.examine_subjects(core, core.store, domain, differing)
            )
    if is_domain or any("/" in subject.id or subject.id == "ontology" for subject in candidates.subjects):
        await verify.mend_domain(core, domain)
    faulty = {DOMAIN} if is_domain and await verify.shape_faults(core.store, domain) else set[str]()
    return {subject.id for subject in differing} | faulty


async def _drop_unnamed(core: Core, domain: str, candidates: DriftCandidates) -> None:
    async def drop(transaction: Transaction) -> None:
        await core.log.lock(transaction, domain)
        await transaction.run(DROP_CONNECTIONS, domain=domain, elements=list(candidates.connections))
        await transaction.run(DROP_NODES, domain=domain, elements=list(candidates.nodes))

    if candidates.nodes or candidates.connections:
        await core.store.write("reconcile", drop)


def _render_change(change: DriftedSubject, rehearsal: _Outcome) -> HandChange:
    refusal = rehearsal.refused.get(change.id)
    return HandChange(
        id=change.id,
        kind=str(change.kind or "unknown"),
        type=change.type,
        title=_title(change, rehearsal.titles),
        what=_kind_of_work(change),
        differences=_differences(change),
        adoptable=refusal is None,
        beside=change.element is not None,
        reason=_reason(refusal) if refusal else None,
    )


def _kind_of_work(change: DriftedSubject) -> HandWork:
    if change.is_gone:
        return "deleted"
    return "changed" if change.is_in_log else "made"


def _differences(change: DriftedSubject) -> tuple[str, ...]:
    if change.stored is not None and not change.is_in_log:
        return tuple(describe_properties(change.stored))
    if change.is_gone:
        return ()
    before = live_state(change.last) if change.last is not None and change.is_in_log else {}
    return describe_differences(change.differences, before, change.stored or {})


def _title(change: DriftedSubject, titles: Mapping[str, str]) -> str | None:
    if change.kind is Kind.CONNECTION:
        ends = (quote(titles.get(end or "", end or "?")) for end in ends_of(change))
        return " → ".join(ends)
    state = (change.last.draft.state if change.last else None) or change.stored or {}
    title = next((state[name] for name in ("_title", "title", "name", "_text") if name in state), None)
    return None if title is None else printable(title)


def _domain_change(faults: Sequence[Difference]) -> HandChange:
    reason = f"The counters follow from the log; restore {DOMAIN}."
    return HandChange(
        id=DOMAIN,
        kind=DOMAIN,
        what="changed",
        differences=describe_differences(faults, {}, {}),
        adoptable=False,
        reason=reason,
    )


def _settle(change: HandChange, outcome: Settled, error: GraphError | None = None) -> HandChange:
    return change.model_copy(update={"settled": outcome, **({"reason": _reason(error)} if error else {})})


def _reason(error: GraphError) -> str:
    return f"{error.message.rstrip('.')}. {error.hint}" if error.hint else error.message


def _refusal(message: str, hint: str) -> GraphError:
    return GraphError(Code.STORE_CONFLICT, message, {"hint": hint})
