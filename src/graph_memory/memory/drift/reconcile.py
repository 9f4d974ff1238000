"""Reconciles changes made directly in Neo4j: adopts each change into the log, or undoes it.

Differences are found without the lock, as in `verify`, and confirmed while holding it. A dry run that adopts all
changes shows which changes can be adopted, and why the ontology rejects the remaining changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.rules import check_rules, retry_until_rules_hold
from graph_memory.memory.core import Core
from graph_memory.memory.drift import detect
from graph_memory.memory.drift.adopt import DriftContext, DriftedSubject, drift_error, plan_adoption
from graph_memory.memory.drift.detect import DriftCandidates, ends_of
from graph_memory.memory.drift.results import (
    HandChange,
    Reconciliation,
    Settled,
    Which,
    describe_differences,
    describe_properties,
)
from graph_memory.memory.verify import verify
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.events import Event, Head, Receipt
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import live_state
from graph_memory.model.results import Difference
from graph_memory.model.rules import BrokenRule
from graph_memory.model.subjects.kinds import ATTACHED, ATTACHED_TO_ONE_NODE, Kind
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import content_from
from graph_memory.storage.log.protection import protection_errors
from graph_memory.storage.log.work import Decision
from graph_memory.storage.queries import NoRow, query
from graph_memory.storage.store import Reader, Transaction

MAX_ADOPTED = 10_000
"""Maximum number of changes that one write adopts."""
DOMAIN = "domain"
"""The id under which results list the domain node if its counters are wrong."""


NAME_NODES = query("drift/name_nodes", NoRow)
NAME_CONNECTIONS = query("drift/name_connections", NoRow)
DROP_NODES = query("drift/drop_nodes", NoRow)
DROP_CONNECTIONS = query("drift/drop_connections", NoRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """The ids of the changes to adopt in one write (None for all changes), and the ids of the changes to undo."""

    ids: frozenset[str] | None = None
    to_restore: frozenset[str] = frozenset()
    is_faulty: bool = False
    """Whether the counters on the domain node differ from the log."""

    def takes(self, change: DriftedSubject) -> bool:
        return self.ids is None or change.id in self.ids


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The drifted subjects, the errors of an attempt to adopt them, and the receipt if the attempt was written."""

    drifted: Sequence[DriftedSubject] = ()
    titles: Mapping[str, str] = field(default_factory=dict[str, str])
    errors: Mapping[str, GraphError] = field(default_factory=dict[str, GraphError])
    ontology: Ontology | None = None
    receipt: Receipt | None = None

    @property
    def adopted(self) -> set[str]:
        return {change.subject for change in self.receipt.changes} if self.receipt else set()


async def reconcile(core: Core, domain: str, adopt: Which, restore: Which) -> Reconciliation:
    """List the changes made outside graph-memory, and adopt or restore the chosen changes. See `Upkeep.reconcile`."""
    _check_lists(adopt=adopt, restore=restore)
    candidates = await detect.find_candidates(core, domain)
    faults = await verify.find_log_faults(core.store, domain)
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
            raise invalid_argument(name, f'{name} must be a list of ids, or "all"', 'For one id, write ["ID"].')


def _resolve_choices(
    changes: Mapping[str, HandChange], adopt: Which, restore: Which
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids to adopt and the ids to restore. Raises INVALID_ARGUMENT if an id is unknown, or is in both lists.

    Restoring "all" skips elements without a domain or id, since they may belong to another application.
    """
    named_to_restore = frozenset(restore if restore != "all" else ())
    all_ids = (change.id for change in changes.values() if change.adoptable or restore != "all")
    adopted = frozenset(adopt if adopt != "all" else all_ids) - (named_to_restore if adopt == "all" else frozenset())
    other_ids = (change.id for change in changes.values() if not change.beside and change.id not in adopted)
    restored = frozenset(restore if restore != "all" else other_ids)
    if conflicting_ids := adopted & restored:
        raise invalid_argument(
            "restore",
            f"{printable(min(conflicting_ids))} cannot be both adopted and restored",
            "Pass the id in only one of the two lists.",
        )
    if unknown_ids := (adopted | restored) - changes.keys():
        hint = Hint("List changes made outside graph-memory with {graph-memory reconcile}.")
        raise invalid_argument("adopt", f"{quote(min(unknown_ids))} already matches the log", hint)
    return adopted, restored


async def _adopt_chosen(
    core: Core, domain: str, candidates: DriftCandidates, changes: dict[str, HandChange], choice: _Choice
) -> str | None:
    """Adopt the chosen changes, and record the outcomes in `changes`. Returns the id of the batch."""
    outcome = await _adopt(core, domain, candidates, choice, dry_run=False)
    for change in outcome.drifted:
        if change.subject in outcome.adopted:
            changes[change.id] = _settle(changes[change.id], "adopted")
        elif choice.takes(change) and change.id in outcome.errors:
            changes[change.id] = _settle(changes[change.id], "refused", outcome.errors[change.id])
    if DOMAIN in changes and DOMAIN in (choice.ids or ()):
        changes[DOMAIN] = _settle(changes[DOMAIN], "refused")
    return outcome.receipt.batch if outcome.receipt and outcome.receipt.changes else None


async def _adopt(core: Core, domain: str, candidates: DriftCandidates, choice: _Choice, *, dry_run: bool) -> _Outcome:
    """Adopt the chosen changes that break no rule of the ontology. With `dry_run`, writes nothing."""
    if not candidates.size:
        return _Outcome()
    return await retry_until_rules_hold(
        lambda broken: _Attempt(core, domain, candidates, choice, broken, dry_run).write()
    )


@dataclass(frozen=True, slots=True)
class _AttemptInput:
    changes: Sequence[DriftedSubject]
    context: DriftContext
    titles: Mapping[str, str]
    protected: Mapping[str, GraphError]
    """The errors of changes that may not be adopted because they affect protected subjects, keyed by id."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A write that adopts all valid changes."""

    core: Core
    domain: str
    candidates: DriftCandidates
    choice: _Choice
    broken: Mapping[str, BrokenRule]
    dry_run: bool

    async def write(self) -> _Outcome:
        """Read the state under the lock, decide what to adopt, and write it."""
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
        return _AttemptInput(changes, context, titles, await self._protected_errors(reader, head, changes, context))

    async def _protected_errors(
        self, reader: Reader, head: Head, changes: Sequence[DriftedSubject], context: DriftContext
    ) -> dict[str, GraphError]:
        """Return the errors of changes to protected subjects, keyed by the id of the change."""
        affected_subjects = {change.id: [change.subject, *_affected_nodes(change, context)] for change in changes}
        all_subjects = [subject for subjects in affected_subjects.values() for subject in subjects]
        refused = await protection_errors(reader, head, self.core.origin, all_subjects)
        protected = {
            change_id: next((subject for subject in subjects if subject in refused), None)
            for change_id, subjects in affected_subjects.items()
        }
        return {change_id: refused[subject] for change_id, subject in protected.items() if subject is not None}

    def _decide(self, head: Head, attempt_input: _AttemptInput) -> Decision[_Outcome]:
        not_adoptable = {
            **self._not_adoptable_errors(attempt_input.changes, attempt_input.context),
            **attempt_input.protected,
        }
        chosen_changes = [change for change in attempt_input.changes if self.choice.takes(change)]
        plan = plan_adoption(chosen_changes, attempt_input.context, head, not_adoptable)
        return Decision(plan.drafts, _Outcome(attempt_input.changes, attempt_input.titles, plan.errors, head.ontology))

    def _not_adoptable_errors(self, subjects: Sequence[DriftedSubject], context: DriftContext) -> dict[str, GraphError]:
        """Return the errors of changes that no ontology would allow, keyed by id."""
        refused: dict[str, GraphError] = {}
        count = 0
        for change in subjects:
            count += self.choice.takes(change)
            try:
                self._check_adoptable(count, change, context)
            except GraphError as error:
                refused[change.id] = error
        return refused

    def _check_adoptable(self, chosen_count: int, change: DriftedSubject, context: DriftContext) -> None:
        if self.choice.is_faulty:
            raise drift_error("The counters of the log itself were changed", f"Restore {DOMAIN} first.")
        if chosen_count > MAX_ADOPTED:
            raise drift_error(
                f"One write adopts at most {MAX_ADOPTED:,} changes", "Adopt the changes in several calls."
            )
        if (count := len(context.attached.get(change.subject, ()))) > paging.AT_ONCE:
            message = f"{count:,} subjects would be deleted with it, and one write deletes at most {paging.AT_ONCE:,}"
            hint = Hint("Restore it and its attachments, then delete it with {delete_node}, which has no limit.")
            raise drift_error(message, hint)
        if to_restore := [
            subject.id for subject in context.attached.get(change.subject, ()) if subject.id in self.choice.to_restore
        ]:
            raise drift_error(f"{to_restore[0]}, which you chose to restore, needs it", "Restore both, or adopt both.")
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


def _affected_nodes(change: DriftedSubject, context: DriftContext) -> Sequence[str]:
    """Return the nodes whose protection can forbid a change: endpoints of the subject and of deleted attachments."""
    owner = [change] if change.kind in ATTACHED_TO_ONE_NODE else []
    deleted_attachments = context.attached.get(change.subject, ()) if change.is_gone else ()
    return [end for subject in (*owner, *deleted_attachments) for end in ends_of(subject) if end]


async def _restore(
    core: Core,
    domain: str,
    candidates: DriftCandidates,
    changes: dict[str, HandChange],
    chosen_changes: Sequence[HandChange],
    subjects: Mapping[str, DriftedSubject],
) -> None:
    """Restore the chosen subjects from the log, and record the outcomes in `changes`."""
    ids = frozenset(change.id for change in chosen_changes)
    for change in chosen_changes:
        if missing_node := _missing_end(subjects.get(change.id), subjects, ids):
            error = drift_error(f"It needs node {missing_node}, which is missing", f"Restore {missing_node} too.")
            changes[change.id] = _settle(change, "refused", error)
    ids = frozenset(change_id for change_id in ids if changes[change_id].settled is None)
    differing_ids = await _restore_subjects(core, domain, candidates.only(ids), is_domain=DOMAIN in ids)
    for change_id in ids:
        hint = "Restore the database or its blobs from a backup."
        error = drift_error("The log also lacks some data of this subject", hint)
        changes[change_id] = (
            _settle(changes[change_id], "refused", error)
            if change_id in differing_ids
            else _settle(changes[change_id], "restored")
        )


def _missing_end(
    change: DriftedSubject | None, subjects: Mapping[str, DriftedSubject], restored: frozenset[str]
) -> str | None:
    if change is None or not change.is_in_log or change.kind not in ATTACHED:
        return None
    missing_ends = (
        end for end in ends_of(change) if end and end in subjects and subjects[end].is_gone and end not in restored
    )
    return next(missing_ends, None)


async def _restore_subjects(core: Core, domain: str, candidates: DriftCandidates, *, is_domain: bool) -> set[str]:
    """Repair the subjects and delete elements without an id. Returns the ids that still differ."""
    await _drop_unnamed(core, domain, candidates)
    differing_subjects = candidates.subjects
    for _ in range(verify.ROUNDS):
        if differing_subjects:
            await verify.repair_subjects(core, domain, differing_subjects)
            differing_subjects = tuple(
                finding.subject
                for finding in await verify.examine_subjects(core, core.store, domain, differing_subjects)
            )
    if is_domain or any("/" in subject.id or subject.id == "ontology" for subject in candidates.subjects):
        await verify.repair_domain(core, domain)
    faulty_ids = {DOMAIN} if is_domain and await verify.find_log_faults(core.store, domain) else set[str]()
    return {subject.id for subject in differing_subjects} | faulty_ids


async def _drop_unnamed(core: Core, domain: str, candidates: DriftCandidates) -> None:
    async def drop(transaction: Transaction) -> None:
        await core.log.lock(transaction, domain)
        await transaction.run(DROP_CONNECTIONS, domain=domain, elements=list(candidates.connections))
        await transaction.run(DROP_NODES, domain=domain, elements=list(candidates.nodes))

    if candidates.nodes or candidates.connections:
        await core.store.write("reconcile", drop)


def _render_change(change: DriftedSubject, rehearsal: _Outcome) -> HandChange:
    refusal = rehearsal.errors.get(change.id)
    return HandChange(
        id=change.id,
        kind=str(change.kind or "unknown"),
        type=change.type,
        title=_title(change, rehearsal.titles),
        what="deleted" if change.is_gone else "changed" if change.is_in_log else "made",
        differences=_differences(change),
        adoptable=refusal is None,
        beside=change.element is not None,
        reason=_reason(refusal) if refusal else None,
    )


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
    reason = f"The counters are computed from the log. Restore {DOMAIN}."
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
