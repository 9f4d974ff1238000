"""The values of a merge: the versions of a subject in the base and in both domains, conflicts, and resolutions.

`ours` is the target's side, `theirs` the source's. None means that the subject does not exist on that side.
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
from graph_memory.model.text.wording import join_names, quote, suggestion
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import Content, ContentRef
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.fields import COMPUTED
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import CREATED_BY

WRITTEN = frozenset({"_created", "_modified", CREATED_BY}) | COMPUTED
"""Attributes that every write sets. They are ignored when versions are compared."""


class ConflictSide(StrEnum):
    """The side of a merge whose value resolves a conflict: the target (`ours`) or the source (`theirs`)."""

    OURS = "ours"
    THEIRS = "theirs"


class Strategy(StrEnum):
    """How to resolve conflicts that have no explicit resolution."""

    MANUAL = "manual"
    """Conflicts without a resolution stop the merge."""
    OURS = "ours"
    """The target's side wins."""
    THEIRS = "theirs"
    """The source's side wins, if the conflict can be resolved that way."""


class ConflictKind(StrEnum):
    """The reason for a conflict."""

    PROPERTY = "property"
    """Both sides changed a value differently."""
    CONTENT = "content"
    """Both sides changed the same lines, or content that has no lines."""
    DELETED = "deleted"
    """The target deleted a subject that the source changed."""
    CHANGED = "changed"
    """The source deleted a subject that the target changed."""
    CREATED = "created"
    """Both sides created a subject with the same id, but with different values."""
    TYPE = "type"
    """The id has another kind, type or other endpoints in the target."""
    ONTOLOGY = "ontology"
    """Both sides declare a type of the same name, but differently."""
    END = "end"
    """A node that the subject needs does not exist in the target, or would not exist after the merge."""
    ATTACHED = "attached"
    """The source deleted a node that has new attachments in the target."""
    UNIQUE = "unique"
    """Another subject of the target has the value of a unique property."""
    RULE = "rule"
    """A connection breaks a rule of its type, but only in the merged graph."""
    INVALID = "invalid"
    """The target's ontology does not allow the subject, or its validity period is invalid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a subject, with its content if it is loaded."""

    kind: Kind
    type: str | None = None
    from_id: str | None = None
    to_id: str | None = None
    state: State = field(default_factory=dict[str, StoredValue])
    content: Content | None = None

    @classmethod
    def of(cls, event: Event | None, content: Content | None = None) -> Version | None:
        """Return the version of a subject after its event, or None if there is no event, or it deleted the subject."""
        if event is None or event.draft.op is Op.DELETE:
            return None
        draft = event.draft
        state = draft.state or {}
        ends = {"from_id": draft.from_id, "to_id": draft.to_id}
        return cls(kind=draft.kind, type=draft.type, **ends, state=state, content=content)

    @property
    def ends(self) -> tuple[str, ...]:
        """The ids of the nodes that the subject needs: a connection's endpoints, or an observation's node."""
        return tuple(end for end in (self.from_id, self.to_id) if end is not None)

    @property
    def identity(self) -> tuple[Kind, str | None, str | None, str | None]:
        """The values that never change while the subject exists. The type of an entity is omitted: it can change."""
        return self.kind, None if ENTITY in self.state else self.type, self.from_id, self.to_id

    @property
    def ref(self) -> ContentRef | None:
        """The reference to the content, or None if there is no content."""
        return content_ref(self.state)

    @property
    def properties(self) -> dict[str, PropertyValue]:
        """The user's properties."""
        return {key: cast("PropertyValue", value) for key, value in self.state.items() if not key.startswith("_")}


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeItem:
    """The three versions of a subject to merge, and its last event in the target's log."""

    subject: str
    base: Version | None = None
    ours: Version | None = None
    theirs: Version | None = None
    last: Event | None = None
    is_unknown: bool = False
    """Whether the source's log has never contained the subject."""

    @property
    def kind(self) -> Kind:
        """The kind of the subject, taken from the source if it exists there."""
        return next(version.kind for version in (self.theirs, self.ours, self.base) if version is not None)

    @property
    def needs_lines(self) -> bool:
        """Whether the texts of the base and both sides all differ, so that they must be merged line by line."""
        refs = [version.ref for version in (self.base, self.ours, self.theirs) if version is not None]
        text_refs = [ref for ref in refs if ref is not None and ref.is_text]
        return len(text_refs) == 3 and len({ref.sha256 for ref in text_refs}) == 3

    @property
    def may_lose_title(self) -> bool:
        """Whether the merge may remove the property with the target's title. The title then comes from the text."""
        title_properties = {"title", "name"}
        return (
            self.ours is not None
            and self.theirs is not None
            and self.kind is Kind.NODE
            and bool(title_properties & self.ours.state.keys() - self.theirs.state.keys())
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A conflict about a whole subject, or about its value `name`. `takes` are the sides that can resolve it."""

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
    """The resolution of a subject's conflicts, or of the conflict about one value: a side, or the value itself.

    `name` is a property, or an attribute of the service such as `_content`, `_path`, `_given_title`, `_text`,
    `_strength_…` or `_importance`. A value is set even if there is no conflict about it.
    """

    subject: str
    name: str | None = None
    take: ConflictSide | None = None
    value: PropertyValue | Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """The strategy and the resolutions of a merge."""

    strategy: Strategy = Strategy.MANUAL
    resolutions: Mapping[str, Sequence[Resolution]] = field(default_factory=dict[str, Sequence[Resolution]])

    @classmethod
    def of(cls, strategy: Strategy, resolutions: Iterable[Resolution] = ()) -> Choices:
        """Return the choices, with the resolutions keyed by subject."""
        by_subject: dict[str, list[Resolution]] = {}
        for resolution in resolutions:
            by_subject.setdefault(resolution.subject, []).append(resolution)
        return cls(strategy, by_subject)

    def value_resolutions(self, subject: str) -> list[Resolution]:
        """Return the resolutions of individual values of a subject."""
        return [resolution for resolution in self.resolutions.get(subject, ()) if resolution.name is not None]

    def take(self, conflict: Conflict) -> ConflictSide | None:
        """Return the side with which the choices resolve a conflict, or None if they do not resolve it."""
        sides = [
            resolution.take for resolution in self.resolutions.get(conflict.subject, ()) if resolution.name is None
        ]
        strategy_side = None if self.strategy is Strategy.MANUAL else ConflictSide(self.strategy)
        side = sides[0] if sides else strategy_side
        return side if side in conflict.takes else None


def check_value_resolution(resolution: Resolution, item: MergeItem, property_names: Collection[str]) -> None:
    """Raise INVALID_ARGUMENT if a resolution sets a value that its subject cannot have, or removes a required value.

    A property must exist on at least one side. If the resolution sets a new value, the type may declare it instead.
    """
    kind, name = item.kind, resolution.name or ""
    is_user_property = not name.startswith("_") and kind in TYPE_OF
    if is_user_property:
        property_maps = [version.properties for version in (item.base, item.ours, item.theirs) if version is not None]
        allowed_names = {key for properties in property_maps for key in properties}.union(
            property_names if resolution.take is None else ()
        )
        if name not in allowed_names:
            names = join_names(sorted(allowed_names)) if allowed_names else "none"
            hint = suggestion(name, allowed_names, f"Properties to resolve: {names}.")
            raise invalid_argument("resolutions", f"{quote(resolution.subject)} has no property {quote(name)}", hint)
    elif name not in KINDS[kind].attributes:
        names = ", ".join(sorted(KINDS[kind].attributes)) or "none"
        raise invalid_argument(
            "resolutions",
            f"{quote(resolution.subject)} has no {quote(name)} to resolve",
            f"Properties of this kind ({kind}) to resolve: {names}.",
        )
    if resolution.take is None or name not in KINDS[kind].required:
        return
    side = item.ours if resolution.take is ConflictSide.OURS else item.theirs
    if side is None or ("_content_sha256" if name == CONTENT else name) not in side.state:
        message = (
            f"{quote(resolution.subject)} needs {quote(name)}, but the side {quote(str(resolution.take))} has none"
        )
        raise invalid_argument("resolutions", message, "Pass the other side as take, or pass a value.")


def is_same_version(version: Version | None, other: Version | None) -> bool:
    """Return whether two versions are the same except for attributes that every write sets."""
    if version is None or other is None:
        return version is other
    if version.kind is other.kind and version.kind in TYPES:
        return _declaration(version) == _declaration(other)
    return (version.identity, version.type) == (other.identity, other.type) and same_state(
        version.state, other.state, WRITTEN
    )


def _declaration(version: Version) -> str:
    """Return the definition of a type as JSON, without the mark of types that a write added to an open ontology."""
    definition = json.loads(cast("str", version.state["_definition"]))
    definition.pop("ad_hoc", None)
    return json.dumps(definition)
