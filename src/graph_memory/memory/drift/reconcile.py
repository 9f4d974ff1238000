"""Somebody changed the graph by hand: each change is made one of the log, or the log's state is put back.

What differs is looked for as `verify` does, without the lock, and looked at again under it. A rehearsal of adopting all
of it says what could be adopted and what the ontology has against the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.rules import check_rules, until_rules_hold
from graph_memory.memory.core import Core
from graph_memory.memory.drift import detect
from graph_memory.memory.drift.adopt import Around, DriftedSubject, adoption
from graph_memory.memory.drift.detect import Places, ends_of
from graph_memory.memory.drift.results import (
    HandChange,
    HandWork,
    Reconciliation,
    Settled,
    Which,
    listed_properties,
    worded,
)
from graph_memory.memory.verify import verify
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Event, Head, Receipt
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import live_state
from graph_memory.model.results import Difference
from graph_memory.model.rules import BrokenLink
from graph_memory.model.subjects.kinds import ABOUT, ATTACHED, Kind
from graph_memory.model.text.wording import quoted, shown
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.content import content_from
from graph_memory.storage.log.protection import refusals
from graph_memory.storage.log.work import Decision
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Reader, Transaction

MOST = 10_000
"""Changes that one write adopts."""
DOMAIN = "domain"
"""The id of what is wrong with the log's own counters."""


NAME_NODES = query("drift/name_nodes", Nothing)
NAME_CONNECTIONS = query("drift/name_connections", Nothing)
DROP_NODES = query("drift/drop_nodes", Nothing)
DROP_CONNECTIONS = query("drift/drop_connections", Nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """What one write is to adopt, None for all; `spared` is to be restored."""

    ids: frozenset[str] | None = None
    spared: frozenset[str] = frozenset()
    is_faulty: bool = False
    """Whether the counters of the log itself were changed."""

    def takes(self, change: DriftedSubject) -> bool:
        return self.ids is None or change.id in self.ids


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What an attempt found and decided, and its receipt once it is written."""

    found: Sequence[DriftedSubject] = ()
    titles: Mapping[str, str] = field(default_factory=dict[str, str])
    refused: Mapping[str, GraphError] = field(default_factory=dict[str, GraphError])
    ontology: Ontology | None = None
    receipt: Receipt | None = None

    @property
    def adopted(self) -> set[str]:
        """The subjects of what was written."""
        return {change.subject for change in self.receipt.changes} if self.receipt else set()


async def reconcile(core: Core, domain: str, adopt: Which, restore: Which) -> Reconciliation:
    """Tell what was changed by hand, and adopt and restore what was asked for. `Upkeep.reconcile` tells the rest."""
    _check_lists(adopt=adopt, restore=restore)
    places = await detect.places(core, domain)
    faults = await verify.shape_faults(core.store, domain)
    tried = await _adopt(core, domain, places, _Choice(is_faulty=bool(faults)), dry_run=True)
    changes = {change.id: _told(change, tried) for change in tried.found}
    if faults:
        changes[DOMAIN] = _domain_change(faults)
    adopted, restored = _chosen(changes, adopt, restore)
    choice = _Choice(ids=adopted, spared=restored, is_faulty=bool(faults))
    batch = await _adopt_chosen(core, domain, places, changes, choice) if adopted else None
    if left := [change for change in changes.values() if change.id in restored and change.settled is None]:
        await _restore(core, domain, places, changes, left, {change.id: change for change in tried.found})
    return Reconciliation(domain=domain, changes=tuple(changes.values()), batch=batch)


def _check_lists(**given: Which) -> None:
    for name, which in given.items():
        if isinstance(which, str) and which != "all":
            raise fault(name, f"{name} must be a list of ids, or all", 'For one id, write ["one"].')


def _chosen(changes: Mapping[str, HandChange], adopt: Which, restore: Which) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids of what is to be adopted and restored. Raises INVALID_ARGUMENT.

    All that is restored does not include what was made beside the memory: somebody's own may be among it.
    """
    named = frozenset(restore if restore != "all" else ())
    every = (change.id for change in changes.values() if change.adoptable or restore != "all")
    adopted = frozenset(adopt if adopt != "all" else every) - (named if adopt == "all" else frozenset())
    rest = (change.id for change in changes.values() if not change.beside and change.id not in adopted)
    restored = frozenset(restore if restore != "all" else rest)
    if both := adopted & restored:
        raise fault("restore", f"{shown(min(both))} cannot be both adopted and restored", "Choose one of the two.")
    if unknown := (adopted | restored) - changes.keys():
        hint = Hint("{graph-memory reconcile} lists what was changed outside graph-memory.")
        raise fault("adopt", f"{quoted(min(unknown))} does not differ from its log", hint)
    return adopted, restored


async def _adopt_chosen(
    core: Core, domain: str, places: Places, changes: dict[str, HandChange], choice: _Choice
) -> str | None:
    """Adopt what was chosen, note it in `changes`, and return the batch."""
    done = await _adopt(core, domain, places, choice, dry_run=False)
    for change in done.found:
        if change.subject in done.adopted:
            changes[change.id] = _settled(changes[change.id], "adopted")
        elif choice.takes(change) and change.id in done.refused:
            changes[change.id] = _settled(changes[change.id], "refused", done.refused[change.id])
    if DOMAIN in changes and DOMAIN in (choice.ids or ()):
        changes[DOMAIN] = _settled(changes[DOMAIN], "refused")
    return done.receipt.batch if done.receipt and done.receipt.changes else None


async def _adopt(core: Core, domain: str, places: Places, choice: _Choice, *, dry_run: bool) -> _Outcome:
    """Write what can be adopted of what was chosen, or try to; rules that only the whole shows are tried in turn."""

    async def attempt(broken: Mapping[str, BrokenLink]) -> _Outcome:
        return await _Attempt(core, domain, places, choice, broken, dry_run).write()

    return await until_rules_hold(attempt) if places.size else _Outcome()


@dataclass(frozen=True, slots=True)
class _Found:
    """What differs, and what a decision about it looks at besides."""

    changes: Sequence[DriftedSubject]
    around: Around
    titles: Mapping[str, str]
    protected: Mapping[str, GraphError]
    """What may not be adopted because it is protected, or because it would detach what is."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One write that adopts what can be adopted."""

    core: Core
    domain: str
    places: Places
    choice: _Choice
    broken: Mapping[str, BrokenLink]
    dry_run: bool

    async def write(self) -> _Outcome:
        """Read under the lock, decide, and write."""
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

    async def _read(self, reader: Reader, head: Head) -> _Found:
        changes = await detect.found(self.core, reader, self.domain, self.places)
        context, titles = await detect.read_context(reader, head, changes, self.broken)
        return _Found(changes, context, titles, await self._protected(reader, head, changes, context))

    async def _protected(
        self, reader: Reader, head: Head, results: Sequence[DriftedSubject], context: Around
    ) -> dict[str, GraphError]:
        """Return what may not be adopted because it is protected, or because it would detach what is."""
        touched = {change.id: [change.subject, *_nodes_touched(change, context)] for change in results}
        every = [subject for subjects in touched.values() for subject in subjects]
        against = await refusals(reader, head, self.core.origin, every)
        named = {
            id_: next((subject for subject in subjects if subject in against), None)
            for id_, subjects in touched.items()
        }
        return {id_: against[subject] for id_, subject in named.items() if subject is not None}

    def _decide(self, head: Head, found: _Found) -> Decision[_Outcome]:
        unfit = {**self._unfit(found.changes, found.around), **found.protected}
        chosen = [change for change in found.changes if self.choice.takes(change)]
        decided = adoption(chosen, found.around, head, unfit)
        return Decision(decided.drafts, _Outcome(found.changes, found.titles, decided.refused, head.ontology))

    def _unfit(self, subjects: Sequence[DriftedSubject], context: Around) -> dict[str, GraphError]:
        """Return what cannot be adopted for reasons that the ontology does not know."""
        refused: dict[str, GraphError] = {}
        taken = 0
        for change in subjects:
            taken += self.choice.takes(change)
            try:
                self._check_fit(taken, change, context)
            except GraphError as error:
                refused[change.id] = error
        return refused

    def _check_fit(self, taken: int, change: DriftedSubject, context: Around) -> None:
        if self.choice.is_faulty:
            raise _refusal("The counters of the log itself were changed", f"Restore {DOMAIN} first.")
        if taken > MOST:
            raise _refusal(f"One write adopts at most {MOST:,} changes", "Settle the others first.")
        if (count := len(context.attached.get(change.subject, ()))) > paging.AT_ONCE:
            message = f"{count:,} connections, observations and links go with it; one write takes {paging.AT_ONCE:,}"
            hint = Hint("Restore it with them, then delete it with {delete_node}, which has no limit.")
            raise _refusal(message, hint)
        if spared := [
            subject.id for subject in context.attached.get(change.subject, ()) if subject.id in self.choice.spared
        ]:
            raise _refusal(f"{spared[0]}, which is to be restored, needs it", "Restore both, or adopt both.")
        if change.text is not None:
            self.core.contents.check(content_from(change.text, "utf-8", "text"))

    async def _prepare(self, transaction: Transaction, events: Sequence[Event], outcome: _Outcome) -> None:
        """Keep the contents, and give what was made by hand the ids of its events."""
        if not self.dry_run:
            for event in events:
                if event.draft.content is not None:
                    await self.core.contents.put(self.domain, event.draft.content)
        written = {event.draft.subject for event in events}
        named = [change for change in outcome.found if change.element and change.subject in written]
        for kind, statement in ((Kind.NODE, NAME_NODES), (Kind.CONNECTION, NAME_CONNECTIONS)):
            rows = [{"element": subject.element, "id": subject.subject} for subject in named if subject.kind is kind]
            if rows:
                await transaction.run(statement, domain=self.domain, rows=rows)

    async def _confirm(self, reader: Reader, events: Sequence[Event], outcome: _Outcome) -> None:
        await check_rules(reader, self.domain, events, outcome.ontology, in_turn=False)


def _nodes_touched(change: DriftedSubject, context: Around) -> Sequence[str]:
    """Return the nodes whose protection forbids adopting a change: the owner, and the ends of what goes with a node."""
    owner = [change] if change.kind in ABOUT else []
    return [end for touching in (*owner, *_going_with(change, context)) for end in ends_of(touching) if end]


def _going_with(change: DriftedSubject, context: Around) -> Sequence[DriftedSubject]:
    """Return what goes with a node that a hand deleted."""
    return context.attached.get(change.subject, ()) if change.is_gone else ()


async def _restore(
    core: Core,
    domain: str,
    places: Places,
    changes: dict[str, HandChange],
    chosen: Sequence[HandChange],
    subjects: Mapping[str, DriftedSubject],
) -> None:
    """Put back what the log has of the subjects that were chosen, and note it in `changes`."""
    ids = frozenset(change.id for change in chosen)
    for change in chosen:
        if missing := _missing_end(subjects.get(change.id), subjects, ids):
            error = _refusal(f"Node {missing}, which it needs, is missing", f"Restore {missing} too.")
            changes[change.id] = _settled(change, "refused", error)
    ids = frozenset(id_ for id_ in ids if changes[id_].settled is None)
    left = await _put_back(core, domain, places.only(ids), is_domain=DOMAIN in ids)
    for id_ in ids:
        error = _refusal("The log does not hold all of it either", "Restore the database or its blobs from a backup.")
        changes[id_] = _settled(changes[id_], "refused", error) if id_ in left else _settled(changes[id_], "restored")


def _missing_end(
    change: DriftedSubject | None, subjects: Mapping[str, DriftedSubject], restored: frozenset[str]
) -> str | None:
    if change is None or not change.is_known or change.kind not in ATTACHED:
        return None
    missing = (
        end for end in ends_of(change) if end and end in subjects and subjects[end].is_gone and end not in restored
    )
    return next(missing, None)


async def _put_back(core: Core, domain: str, places: Places, *, is_domain: bool) -> set[str]:
    """Mend the subjects, remove what has no id, and return the ids of what still differs."""
    await _drop_made(core, domain, places)
    left = places.subjects
    for _ in range(verify.ROUNDS):
        if left:
            await verify.mend(core, domain, left)
            left = tuple(finding.subject for finding in await verify.examined(core, core.store, domain, left))
    if is_domain or any("/" in subject.id or subject.id == "ontology" for subject in places.subjects):
        await verify.mend_domain(core, domain)
    faulty = {DOMAIN} if is_domain and await verify.shape_faults(core.store, domain) else set[str]()
    return {subject.id for subject in left} | faulty


async def _drop_made(core: Core, domain: str, places: Places) -> None:
    async def work(transaction: Transaction) -> None:
        await core.log.head(transaction, domain)
        await transaction.run(DROP_CONNECTIONS, domain=domain, elements=list(places.connections))
        await transaction.run(DROP_NODES, domain=domain, elements=list(places.nodes))

    if places.nodes or places.connections:
        await core.store.write("reconcile", work)


def _told(change: DriftedSubject, tried: _Outcome) -> HandChange:
    refusal = tried.refused.get(change.id)
    return HandChange(
        id=change.id,
        kind=str(change.kind or "unknown"),
        type=change.type,
        title=_title(change, tried.titles),
        what=_work(change),
        differences=_differences(change),
        adoptable=refusal is None,
        beside=change.element is not None,
        reason=_reason(refusal) if refusal else None,
    )


def _work(change: DriftedSubject) -> HandWork:
    if change.is_gone:
        return "deleted"
    return "changed" if change.is_known else "made"


def _differences(change: DriftedSubject) -> tuple[str, ...]:
    if change.stored is not None and not change.is_known:
        return tuple(listed_properties(change.stored))
    if change.is_gone:
        return ()
    before = live_state(change.last) if change.last is not None and change.is_known else {}
    return worded(change.differences, before, change.stored or {})


def _title(change: DriftedSubject, titles: Mapping[str, str]) -> str | None:
    if change.kind is Kind.CONNECTION:
        ends = (quoted(titles.get(end or "", end or "?")) for end in ends_of(change))
        return " → ".join(ends)
    state = (change.last.draft.state if change.last else None) or change.stored or {}
    title = next((state[name] for name in ("_title", "title", "name", "_text") if name in state), None)
    return None if title is None else shown(title)


def _domain_change(faults: Sequence[Difference]) -> HandChange:
    reason = f"The counters follow from the log; restore {DOMAIN}."
    return HandChange(
        id=DOMAIN, kind=DOMAIN, what="changed", differences=worded(faults, {}, {}), adoptable=False, reason=reason
    )


def _settled(change: HandChange, outcome: Settled, error: GraphError | None = None) -> HandChange:
    return change.model_copy(update={"settled": outcome, **({"reason": _reason(error)} if error else {})})


def _reason(error: GraphError) -> str:
    return f"{error.message.rstrip('.')}. {error.hint}" if error.hint else error.message


def _refusal(message: str, hint: str) -> GraphError:
    return GraphError(Code.STORE_CONFLICT, message, {"hint": hint})
