"""Many subjects merged into one graph: what to write, and what only the whole shows to be in conflict. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import cast

from graph_memory.memory.branches.subject import merge_subject
from graph_memory.memory.branches.values import Choices, Clash, Conflict, Take, Trio, Version, same
from graph_memory.memory.changes.values import UniqueValue
from graph_memory.model.arguments import check_tags, fault
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft, Op
from graph_memory.model.kinds import Kind, type_subject
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import indexed_rules, with_types
from graph_memory.model.properties import PropertyValue, check_amount, key_value
from graph_memory.model.search_windows import windows

_ORDER = (Kind.NODE_TYPE, Kind.CONNECTION_TYPE, Kind.NODE, Kind.CONNECTION, Kind.OBSERVATION)
_ATTACHABLE = (Kind.CONNECTION, Kind.OBSERVATION)
_TYPES = {Kind.NODE: Kind.NODE_TYPE, Kind.CONNECTION: Kind.CONNECTION_TYPE}
_OURS = frozenset({Take.OURS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What lives in the target around the subjects to merge."""

    ontology: Ontology
    living: Mapping[str, str] = field(default_factory=dict[str, str])
    """Nodes that are ends of the subjects, with their types."""
    attached: Mapping[str, Sequence[Draft]] = field(default_factory=dict[str, Sequence[Draft]])
    """For each node that would be deleted, the deletions of what is attached to it now."""
    owners: Mapping[UniqueValue, str] = field(default_factory=dict[UniqueValue, str])
    """Who has values that must be unique and that subjects may get."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a merge comes to: changes to write, conflicts that nothing settled, and those that a choice did.

    Where there are conflicts left, the changes are those that they leave possible.
    """

    drafts: tuple[Draft, ...]
    conflicts: tuple[Conflict, ...]
    settled: tuple[Conflict, ...]
    ontology: Ontology
    """With the types that come along."""


def plan(
    trios: Iterable[Trio], around: Surroundings, choices: Choices, at: datetime, barred: Mapping[str, str] | None = None
) -> Plan:
    """Return what to write, with the search windows of its texts. Raises INVALID_ARGUMENT for an unfit resolution.

    `barred` are connections that were found to break a rule of their type, each with the reason. A subject that is
    not there in the target, but is an end of what the source changed, is given too: a choice may bring it back.
    """
    whole = _Whole({trio.subject: trio for trio in trios}, around, choices, barred or {})
    whole.merge_each()
    whole.add_types()
    while found := list(whole.found()):
        for conflict in found:
            whole.settle(conflict)
    return Plan(
        tuple(map(_with_windows, whole.drafts(at))), tuple(whole.conflicts), tuple(whole.settled), whole.ontology
    )


def unique_values(version: Version, ontology: Ontology) -> Iterator[UniqueValue]:
    """Give the values of a subject that no other of its type may have."""
    values = cast("Mapping[str, PropertyValue]", version.state)
    for rule in indexed_rules(version.kind, version.type or "", ontology):
        if rule.unique and rule.name in values:
            yield UniqueValue(version.kind, version.type or "", rule.name, key_value(values[rule.name]))


class _Whole:
    """The merge of all subjects, from what each comes to by itself to a graph that may be."""

    def __init__(
        self, trios: Mapping[str, Trio], around: Surroundings, choices: Choices, barred: Mapping[str, str]
    ) -> None:
        self.trios = trios
        self.around = around
        self.choices = choices
        self.barred = barred
        self.ontology = around.ontology
        self.after: dict[str, Version | None] = {}
        self.conflicts: list[Conflict] = []
        self.settled: list[Conflict] = []
        self.left: set[str] = set()
        """Subjects that stay as they are, by choice or because they are in conflict."""
        self.open: set[str] = set()
        """Those of them that are in conflict."""
        self.taking_along: set[str] = set()
        """Nodes that are deleted with all that is attached to them."""

    def merge_each(self) -> None:
        """Merge each subject by itself."""
        for trio in self.trios.values():
            merged = merge_subject(trio, self.choices)
            self.settled += merged.settled
            if merged.conflicts:
                self.conflicts += merged.conflicts
                self.open.add(trio.subject)
            elif not same(merged.after, trio.ours):
                self.after[trio.subject] = merged.after

    def add_types(self) -> None:
        """Add the types that come along to the ontology; those that cannot be added are in conflict."""
        for kind in (Kind.NODE_TYPE, Kind.CONNECTION_TYPE):
            for subject, version in self._puts(kind):
                try:
                    self.ontology = with_types(self.ontology, [_put(self.trios[subject], version, None)])
                except GraphError as error:
                    self.settle(self._conflict(subject, Clash.INVALID, error.message))

    def found(self) -> Iterator[Conflict]:
        """Give the conflicts that the whole has now, at most one for each subject."""
        rules: tuple[Callable[[str, Version], Conflict | None], ...] = (
            self._without_an_end,
            self._not_allowed,
            self._breaking_a_rule,
        )
        for kind in (Kind.NODE, *_ATTACHABLE):
            for subject, version in self._puts(kind):
                if conflict := next((found for rule in rules if (found := rule(subject, version))), None):
                    yield conflict
        yield from self._taking_along()
        yield from self._sharing_values()

    def settle(self, conflict: Conflict) -> None:
        """Do what is chosen about a conflict, or leave the subject as it is and keep the conflict."""
        take = self.choices.take(conflict)
        (self.conflicts if take is None else self.settled).append(conflict)
        if take is Take.THEIRS:
            self._take_theirs(conflict)
            return
        self.after.pop(conflict.subject, None)
        self.left.add(conflict.subject)
        if take is None:
            self.open.add(conflict.subject)

    def drafts(self, at: datetime) -> Iterator[Draft]:
        """Give the changes in an order in which each could be made by itself."""
        going: dict[str, Draft] = {}
        for subject in self.taking_along & self.after.keys():
            going.update((draft.subject, draft) for draft in self.around.attached.get(subject, ()))
        gone = [subject for subject, version in self.after.items() if version is None]
        going.update((subject, _deletion(self.trios[subject])) for subject in gone)
        yield from sorted(going.values(), key=lambda draft: draft.kind is Kind.NODE)
        for kind in _ORDER:
            puts = [(subject, version) for subject, version in self._puts(kind) if not self._waits(version)]
            yield from (_put(self.trios[subject], version, at) for subject, version in puts)

    def _waits(self, version: Version) -> bool:
        """Say whether its type, or a node that it needs, is not there before a conflict is settled."""
        ends = any(end in self.open and end not in self.around.living for end in version.ends)
        return ends or self._has_open_type(version)

    def _puts(self, kind: Kind) -> list[tuple[str, Version]]:
        found = ((subject, version) for subject, version in self.after.items() if version is not None)
        return [(subject, version) for subject, version in found if version.kind is kind]

    def _take_theirs(self, conflict: Conflict) -> None:
        if conflict.clash is Clash.ATTACHED:
            self.taking_along.add(conflict.subject)
            return
        for end in self._missing(self.after.get(conflict.subject)):
            self.after[end] = self.trios[end].theirs

    def _missing(self, version: Version | None) -> list[str]:
        """Return the ends of a connection or observation that are not there after the merge."""
        ends = version.ends if version else ()
        return [end for end in ends if end not in self.open and self._type_of(end) is None]

    def _type_of(self, node: str) -> str | None:
        """Return the type of a node after the merge, None when it is not there."""
        if node in self.after:
            version = self.after[node]
            return version and version.type
        return self.around.living.get(node)

    def _without_an_end(self, subject: str, version: Version) -> Conflict | None:
        if not (missing := self._missing(version)):
            return None
        can_return = all(self._can_return(end) for end in missing)
        takes = frozenset(Take) if can_return else _OURS
        told = "; theirs restores it" if can_return else ""
        reason = f"node {missing[0]}, which it needs, is not in the target{told}"
        return self._conflict(subject, Clash.END, reason, takes=takes)

    def _can_return(self, node: str) -> bool:
        trio = self.trios.get(node)
        return trio is not None and trio.theirs is not None and node not in self.left and node not in self.after

    def _not_allowed(self, subject: str, version: Version) -> Conflict | None:
        if self._is_undecided(version):
            return None
        try:
            self._check(version)
        except GraphError as error:
            return self._conflict(subject, Clash.INVALID, f"the target does not allow it: {error.message}")
        return None

    def _is_undecided(self, version: Version) -> bool:
        """Say whether it cannot be checked before other conflicts are settled."""
        return self._has_open_type(version) or any(end in self.open for end in version.ends)

    def _has_open_type(self, version: Version) -> bool:
        kind = _TYPES.get(version.kind)
        return kind is not None and type_subject(kind, version.type or "") in self.open

    def _check(self, version: Version) -> None:
        check_amount(version.properties)
        _check_validity(version)
        match version.kind:
            case Kind.NODE:
                check_tags(cast("Sequence[str]", version.state.get("_tags", ())))
                self.ontology.check_node(version.type or "", version.properties)
            case Kind.CONNECTION:
                self.ontology.check_connection(version.type or "", version.properties)
                from_type, to_type = (self._type_of(end) or "" for end in version.ends)
                self.ontology.check_topology(version.type or "", from_type, to_type)
            case _:
                pass

    def _breaking_a_rule(self, subject: str, _: Version) -> Conflict | None:
        reason = self.barred.get(subject)
        return self._conflict(subject, Clash.RULE, reason) if reason else None

    def _taking_along(self) -> Iterator[Conflict]:
        gone = [subject for subject, version in self.after.items() if version is None]
        for subject in gone:
            more = [draft.subject for draft in self.around.attached.get(subject, ()) if self._stays(draft.subject)]
            if more and subject not in self.taking_along:
                what = f"{more[0]} is" if len(more) == 1 else f"{more[0]} and {len(more) - 1} more are"
                reason = f"the source deleted it, but {what} attached to it in the target; theirs deletes that too"
                yield self._conflict(subject, Clash.ATTACHED, reason, takes=frozenset(Take))

    def _stays(self, subject: str) -> bool:
        """Say whether what is in the target stays there."""
        return subject not in self.after or self.after[subject] is not None

    def _sharing_values(self) -> Iterator[Conflict]:
        taken: dict[UniqueValue, str] = {}
        for kind in (Kind.NODE, Kind.CONNECTION):
            for subject, version in self._puts(kind):
                for value in unique_values(version, self.ontology):
                    owner = self._keeps(value) or taken.setdefault(value, subject)
                    if owner != subject:
                        reason = f"{owner} already has its value of the unique property {value.property}"
                        yield replace(self._conflict(subject, Clash.UNIQUE, reason), name=value.property)
                        break

    def _keeps(self, value: UniqueValue) -> str | None:
        """Return who has a unique value in the target and keeps it."""
        owner = self.around.owners.get(value)
        if owner is None or owner not in self.after:
            return owner
        version = self.after[owner]
        return owner if version is not None and value in unique_values(version, self.ontology) else None

    def _conflict(self, subject: str, clash: Clash, reason: str, takes: frozenset[Take] = _OURS) -> Conflict:
        return Conflict(subject=subject, kind=self.trios[subject].kind, clash=clash, reason=reason, takes=takes)


def _check_validity(version: Version) -> None:
    begin, end = (cast("datetime | None", version.state.get(name)) for name in ("_valid_from", "_valid_to"))
    if begin is not None and end is not None and end <= begin:
        raise fault("valid_to", "it would end before it starts", "Take both times from one side.")


def _deletion(trio: Trio) -> Draft:
    return _draft(trio, cast("Version", trio.ours), Op.DELETE)


def _put(trio: Trio, version: Version, at: datetime | None) -> Draft:
    draft = _draft(trio, version, Op.CREATE if trio.ours is None else Op.UPDATE)
    times = {"_modified": at} if at is not None and version.kind in _TYPES else {}
    return replace(draft, state={**version.state, **times}, content=version.content)


def _with_windows(draft: Draft) -> Draft:
    """Return a draft with the search windows of the text that it writes; making them takes a while."""
    if draft.kind is not Kind.NODE or draft.content is None:
        return draft
    return replace(draft, windows=tuple(windows(draft.content.text or "")))


def _draft(trio: Trio, version: Version, op: Op) -> Draft:
    return Draft(
        op=op,
        kind=version.kind,
        subject=trio.subject,
        type=version.type,
        from_id=version.from_id,
        to_id=version.to_id,
        previous=trio.last.seq if trio.last else None,
    )
