"""What merging is about: a subject in two domains and where both come from, conflicts, and what settles them.

`ours` is the target's side, `theirs` the source's; None stands for a subject that is not there.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import cast

from graph_memory.memory.branches.diff3 import Chunk
from graph_memory.model.events import Event, Op
from graph_memory.model.subjects.kinds import CONTENT, KINDS, TYPE_OF, TYPES, Kind
from graph_memory.model.subjects.subjects import ENTITY, State, StoredValue, content_ref
from graph_memory.model.text.wording import listed, shown, suggestion
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.content import Content, ContentRef
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.fields import COMPUTED
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import CREATED_BY

WRITTEN = frozenset({"_created", "_modified", CREATED_BY}) | COMPUTED
"""What a write sets by itself."""


class ConflictSide(StrEnum):
    """Whose side settles a conflict."""

    OURS = "ours"
    THEIRS = "theirs"


class Strategy(StrEnum):
    """What settles conflicts that no resolution names."""

    MANUAL = "manual"
    """Nothing does: they stop the merge."""
    OURS = "ours"
    """The target stays as it is."""
    THEIRS = "theirs"
    """The source's side is taken, where that is possible."""


class ConflictKind(StrEnum):
    """What a conflict is about."""

    PROPERTY = "property"
    """Both changed a value, differently."""
    CONTENT = "content"
    """Both changed the same lines, or content that has no lines."""
    DELETED = "deleted"
    """The target deleted what the source changed."""
    CHANGED = "changed"
    """The source deleted what the target changed."""
    CREATED = "created"
    """Both made a subject of that id, differently."""
    TYPE = "type"
    """The id stands for another kind or type, or for other ends, in the target."""
    ONTOLOGY = "ontology"
    """Both declare a type of that name, differently."""
    END = "end"
    """A node that it needs does not exist in the target, or would not after the merge."""
    ATTACHED = "attached"
    """The source deleted a node to which the target has tied something."""
    UNIQUE = "unique"
    """Another subject of the target has the value of a unique property."""
    RULE = "rule"
    """A connection that breaks a rule of its type in the merged graph only."""
    INVALID = "invalid"
    """The target does not allow it: its ontology, or the times between which it would hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A subject as it is somewhere, its content where that is at hand."""

    kind: Kind
    type: str | None = None
    from_id: str | None = None
    to_id: str | None = None
    state: State = field(default_factory=dict[str, StoredValue])
    content: Content | None = None

    @classmethod
    def of(cls, event: Event | None, content: Content | None = None) -> Version | None:
        """Return the subject after an event, None when it is not there."""
        if event is None or event.draft.op is Op.DELETE:
            return None
        draft = event.draft
        state = draft.state or {}
        ends = {"from_id": draft.from_id, "to_id": draft.to_id}
        return cls(kind=draft.kind, type=draft.type, **ends, state=state, content=content)

    @property
    def ends(self) -> tuple[str, ...]:
        """The nodes that it needs: the ends of a connection, the node of an observation."""
        return tuple(end for end in (self.from_id, self.to_id) if end is not None)

    @property
    def identity(self) -> tuple[Kind, str | None, str | None, str | None]:
        """What never changes while it lives; an entity may become one of another type."""
        return self.kind, None if ENTITY in self.state else self.type, self.from_id, self.to_id

    @property
    def ref(self) -> ContentRef | None:
        """What is known of its content, None when it has none."""
        return content_ref(self.state)

    @property
    def properties(self) -> dict[str, PropertyValue]:
        """The user's properties."""
        return {key: cast("PropertyValue", value) for key, value in self.state.items() if not key.startswith("_")}


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreeWay:
    """A subject to merge, and the last that the target's log says of it."""

    subject: str
    base: Version | None = None
    ours: Version | None = None
    theirs: Version | None = None
    last: Event | None = None
    is_unknown: bool = False
    """Whether the log of the source has never had it."""

    @property
    def kind(self) -> Kind:
        """What it is; in the source, if it is there."""
        return next(version.kind for version in (self.theirs, self.ours, self.base) if version is not None)

    @property
    def needs_lines(self) -> bool:
        """Whether its three contents are to be merged line by line."""
        refs = [version.ref for version in (self.base, self.ours, self.theirs) if version is not None]
        results = [ref for ref in refs if ref is not None and ref.is_text]
        return len(results) == 3 and len({ref.sha256 for ref in results}) == 3

    @property
    def may_lose_title(self) -> bool:
        """Whether the target's title may have to be made of its text."""
        values = {"title", "name"}
        return (
            self.ours is not None
            and self.theirs is not None
            and self.kind is Kind.NODE
            and bool(values & self.ours.state.keys() - self.theirs.state.keys())
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """What stands against merging one subject, or the value of it that has a `name`; `takes` is what can settle it."""

    subject: str
    kind: Kind
    clash: ConflictKind
    reason: str
    takes: frozenset[ConflictSide] = frozenset(ConflictSide)
    name: str | None = None
    base: StoredValue | None = None
    ours: StoredValue | None = None
    theirs: StoredValue | None = None
    chunks: tuple[Chunk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What settles the conflicts of a subject, or that about one value of it: a side, or the value itself.

    `name` is a property, or one of the service such as `_content`, `_path`, `_given_title`, `_text`, `_strength_…` or
    `_importance`. Such a value is taken as told even where there is no conflict about it.
    """

    subject: str
    name: str | None = None
    take: ConflictSide | None = None
    value: PropertyValue | Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """Everything that settles conflicts: what is told of each subject, and what else."""

    strategy: Strategy = Strategy.MANUAL
    resolutions: Mapping[str, Sequence[Resolution]] = field(default_factory=dict[str, Sequence[Resolution]])

    @classmethod
    def of(cls, strategy: Strategy, resolutions: Iterable[Resolution] = ()) -> Choices:
        """Return the choices that were made."""
        rendered: dict[str, list[Resolution]] = {}
        for resolution in resolutions:
            rendered.setdefault(resolution.subject, []).append(resolution)
        return cls(strategy, rendered)

    def named(self, subject: str) -> list[Resolution]:
        """Return what is told about single values of a subject."""
        return [resolution for resolution in self.resolutions.get(subject, ()) if resolution.name is not None]

    def take(self, conflict: Conflict) -> ConflictSide | None:
        """Return whose side settles a conflict, None when nothing does."""
        sides = [
            resolution.take for resolution in self.resolutions.get(conflict.subject, ()) if resolution.name is None
        ]
        by_strategy = None if self.strategy is Strategy.MANUAL else ConflictSide(self.strategy)
        wanted = sides[0] if sides else by_strategy
        return wanted if wanted in conflict.takes else None


def check_resolution(told: Resolution, trio: ThreeWay, declared: Collection[str]) -> None:
    """Raise INVALID_ARGUMENT for the resolution of a value that its subject cannot have, or cannot be without.

    A property is one that it has on some side, or for a value also one that is declared for its type.
    """
    kind, name = trio.kind, told.name or ""
    is_property = not name.startswith("_") and kind in TYPE_OF
    if is_property:
        sides = [version.properties for version in (trio.base, trio.ours, trio.theirs) if version is not None]
        known = {key for properties in sides for key in properties}.union(declared if told.take is None else ())
        if name not in known:
            names = listed(sorted(known)) if known else "none"
            hint = suggestion(name, known, f"Properties to resolve: {names}.")
            raise fault("resolutions", f"{told.subject} has no property {shown(name)}", hint)
    elif name not in KINDS[kind].attributes:
        names = ", ".join(sorted(KINDS[kind].attributes)) or "none"
        raise fault("resolutions", f"{told.subject} has no {shown(name)} to resolve", f"For a {kind}, use: {names}.")
    if told.take is None or name not in KINDS[kind].required:
        return
    side = trio.ours if told.take is ConflictSide.OURS else trio.theirs
    if side is None or ("_content_sha256" if name == CONTENT else name) not in side.state:
        message = f"{told.subject} needs a {shown(name)}, and the side {told.take} has none"
        raise fault("resolutions", message, "Take the other side, or give a value.")


def same(one: Version | None, other: Version | None) -> bool:
    """Say whether two versions differ in nothing that lasts: times and titles are set by every write."""
    if one is None or other is None:
        return one is other
    if one.kind is other.kind and one.kind in TYPES:
        return _declared(one) == _declared(other)
    return (one.identity, one.type) == (other.identity, other.type) and same_state(one.state, other.state, WRITTEN)


def _declared(version: Version) -> str:
    """Return what a type declares; that an open ontology met it first in a write makes no difference."""
    declared = json.loads(cast("str", version.state["_definition"]))
    declared.pop("ad_hoc", None)
    return json.dumps(declared)
