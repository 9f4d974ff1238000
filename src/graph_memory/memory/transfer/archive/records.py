"""The allowed values of an event in a file, in one table by kind and operation. Other values are rejected.

Ids, properties, tags, paths and formats are checked by the functions that check arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from graph_memory.memory.batch.results import faults_from
from graph_memory.memory.transfer.values import (
    DomainName,
    EventId,
    Fraction,
    NewId,
    Recorded,
    Seq,
    Sha256,
    Size,
    Strict,
    Word,
    WorldTime,
    Wrong,
    read,
    recorded_time,
)
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Op
from graph_memory.model.sessions import sessions_from_json
from graph_memory.model.subjects.kinds import DATA, TYPE_OF, TYPES, Kind, type_subject
from graph_memory.model.subjects.links import LinkType
from graph_memory.model.subjects.protection import parse_protection
from graph_memory.model.subjects.subjects import State
from graph_memory.model.text.wording import printable
from graph_memory.model.values import fields
from graph_memory.model.values.arguments import check_domain, check_new_id, check_tags
from graph_memory.model.values.content import check_content_format
from graph_memory.model.values.plain import parse_json_strictly
from graph_memory.model.values.properties import check_properties
from graph_memory.model.values.titles import LONGEST as LONGEST_TITLE


def _tags(values: list[str]) -> list[str]:
    if list(check_tags(values)) != values:
        raise ValueError("holds a tag twice")
    return values


def _sessions(value: str) -> str:
    try:
        for session in sessions_from_json(value):
            recorded_time(session.began.isoformat())
            recorded_time(session.ended.isoformat())
    except (ValueError, RecursionError, TypeError) as error:
        raise ValueError("holds no sessions") from error
    return value


def _check_refused(value: str) -> str:
    try:
        faults_from(value)
    except ValueError as error:
        raise ValueError("holds no faults") from error
    return value


def _merges(value: str) -> str:
    try:
        for name, merge in cast("Mapping[str, object]", parse_json_strictly(value.encode())).items():
            check_domain(name)
            _Merge.model_validate(merge)
    except (ValueError, RecursionError, AttributeError, GraphError) as error:
        raise ValueError("holds no merges") from error
    return value


def _stored_name(name: str) -> str:
    return f"_{name}"


class _Stored(Strict):
    model_config = ConfigDict(alias_generator=_stored_name)


class _Merge(Strict):
    source_seq: Seq
    own_seq: Seq
    event: str | None


Protected = Annotated[str, AfterValidator(lambda value: value if parse_protection(value) else "")]


class DomainFields(_Stored):
    """The state of a domain."""

    created: Recorded
    forked_from: DomainName | None = None
    forked_at: Seq | None = None
    begins_at: Seq | None = None
    compacted_to: Seq | None = None
    compacted: Annotated[str, AfterValidator(_sessions)] | None = None
    merges: Annotated[str, AfterValidator(_merges)] | None = None
    protection: Protected | None = None
    description: Annotated[str, AfterValidator(fields.check_description)] | None = None
    metadata: Annotated[str, AfterValidator(fields.check_stored_metadata)] | None = None
    parent: DomainName | None = None

    @model_validator(mode="after")
    def _is_one_fork(self) -> DomainFields:
        fork_values = (self.forked_from, self.forked_at, self.begins_at)
        if None in fork_values and any(fork_values):
            raise ValueError("describes only part of a fork")
        if self.begins_at is not None and self.begins_at <= (self.forked_at or 0):
            raise ValueError("starts before it was forked")
        return self


class _Event(_Stored):
    seq: Seq
    id: EventId
    op: Literal["create", "update", "delete", "snapshot"]
    kind: str
    subject: str
    at: Recorded
    batch: EventId
    source: Literal["agent", "user"]
    session: Word | None = None
    actor: Word | None = None
    prev: Seq | None = None
    request: Sha256 | None = None
    refused: Annotated[str, AfterValidator(_check_refused)] | None = None
    snapshot_of: Seq | None = None


class _Bounded(_Stored):
    valid_from: WorldTime | None = None
    valid_to: WorldTime | None = None

    @model_validator(mode="after")
    def _is_in_order(self) -> _Bounded:
        if self.valid_from and self.valid_to and self.valid_to <= self.valid_from:
            raise ValueError("holds a _valid_to that is not after its _valid_from")
        return self


class _Domain(DomainFields, _Event):
    pass


class _Ontology(_Event):
    open: bool
    description: str | None = None


class _NodeType(_Event):
    name: str
    definition: str
    description: str | None = None
    required_properties: list[str] | None = None
    declared: Seq | None = None


class _ConnectionType(_NodeType):
    from_types: list[str]
    to_types: list[str]
    inverse: str | None = None
    transitive: Literal[True] | None = None


class _Node(_Bounded, _Event):
    type: str
    created: Recorded
    modified: Recorded
    title: Annotated[str, Field(min_length=1, max_length=fields.LONGEST)]
    given_title: Annotated[str, AfterValidator(fields.check_title)] | None = None
    derived_title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE)] | None = None
    namespace: Annotated[str, AfterValidator(fields.check_namespace)] | None = None
    content_summary: Annotated[str, AfterValidator(fields.check_summary)] | None = None
    summary_timestamp: WorldTime | None = None
    metadata: Annotated[str, AfterValidator(fields.check_stored_metadata)] | None = None
    tags: Annotated[list[str], AfterValidator(_tags)] | None = None
    path: Annotated[str, AfterValidator(fields.check_stored_path)] | None = None
    content_format: Annotated[str, AfterValidator(check_content_format)]
    content_encoding: Literal["utf-8", "base64"]
    content_size: Size
    content_sha256: Sha256
    protection: Protected | None = None
    entity: str | None = None
    mentioned: Literal[True] | None = None
    place: Seq | None = None

    @model_validator(mode="after")
    def _has_its_titles(self) -> _Node:
        if (self.given_title is None) != (self.derived_title is None) or self.given_title not in (None, self.title):
            raise ValueError("holds a _given_title that is not its title, or no _derived_title beside it")
        if (self.content_summary is None) != (self.summary_timestamp is None):
            raise ValueError("holds a _content_summary without its _summary_timestamp, or the other way round")
        return self


class _DeletedNode(_Event):
    type: str


class _DeletedConnection(_DeletedNode):
    from_: Annotated[NewId, Field(alias="_from")]
    to: NewId


class _Connection(_Bounded, _DeletedConnection):
    created: Recorded
    modified: Recorded
    strength_semantic: Fraction | None = None
    strength_structural: Fraction | None = None
    strength_temporal: Fraction | None = None
    strength_confidence: Fraction | None = None
    importance: Fraction | None = None
    creation_method: Literal["automatic", "inferred"] | None = None
    created_by: Word | None = None
    evidence: Word | None = None
    content_format: Annotated[str, AfterValidator(check_content_format)] | None = None
    content_encoding: Literal["utf-8"] | None = None
    content_size: Size | None = None
    content_sha256: Sha256 | None = None
    protection: Protected | None = None
    relation: str | None = None
    place: Seq | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> _Connection:
        lines = (self.content_format, self.content_encoding, self.content_size, self.content_sha256)
        if len({line is None for line in lines}) > 1:
            raise ValueError("describes only part of its content")
        return self


class _DeletedAbout(_Event):
    from_: Annotated[NewId, Field(alias="_from")]


class _Observation(_Bounded, _DeletedAbout):
    text: str
    time: WorldTime
    created: Recorded | None = None
    origin: str | None = None
    confidence: float | None = None
    place: Seq | None = None
    supersedes: list[NewId] | None = None
    asks: list[NewId] | None = None


class _Link(_DeletedAbout):
    created: Recorded
    target_domain: DomainName
    target: NewId
    link_type: LinkType
    strength: Fraction
    bidirectional: bool
    description: Annotated[str, AfterValidator(fields.check_description)] | None = None
    metadata: Annotated[str, AfterValidator(fields.check_stored_metadata)] | None = None


class _Erased(_Event):
    erased: Literal[True]
    was: Literal["create", "update", "delete", "snapshot"] | None = None


_LIVING: Mapping[Kind, type[_Event]] = {
    Kind.DOMAIN: _Domain,
    Kind.ONTOLOGY: _Ontology,
    Kind.NODE_TYPE: _NodeType,
    Kind.CONNECTION_TYPE: _ConnectionType,
    Kind.NODE: _Node,
    Kind.CONNECTION: _Connection,
    Kind.OBSERVATION: _Observation,
    Kind.LINK: _Link,
}
_DELETED: Mapping[Kind, type[_Event]] = {
    Kind.NODE_TYPE: _Event,
    Kind.CONNECTION_TYPE: _Event,
    Kind.NODE: _DeletedNode,
    Kind.CONNECTION: _DeletedConnection,
    Kind.OBSERVATION: _DeletedAbout,
    Kind.LINK: _DeletedAbout,
}


def event_from(row: Mapping[str, object]) -> State:
    """Return an event of a file as it is stored. Raises `Wrong`, and the errors of invalid arguments."""
    kind, op = _kind(row), row.get("_op")
    properties = {key: value for key, value in row.items() if not key.startswith("_")}
    own = {key: value for key, value in row.items() if key.startswith("_")}
    has_state = op != Op.DELETE
    record = read(_shape(kind, has_state=has_state, erased="_erased" in row), own)
    if properties and not (has_state and kind in TYPE_OF):
        raise Wrong(f"holds {printable(min(properties))}, which does not belong in its kind")
    _check_subject(kind, cast("str", row["_subject"]))
    return {**check_properties(properties), **record.model_dump(by_alias=True, exclude_none=True)}


def domain_fields(row: Mapping[str, object]) -> State:
    """Return the stored state of the domain of a file. Raises `Wrong`."""
    return read(DomainFields, row).model_dump(by_alias=True, exclude_none=True)


def _kind(row: Mapping[str, object]) -> Kind:
    try:
        return Kind(str(row.get("_kind")))
    except ValueError:
        raise Wrong(f"is about a {printable(row.get('_kind'))}, which is not a known kind") from None


def _shape(kind: Kind, *, has_state: bool, erased: bool) -> type[_Event]:
    if erased:
        if has_state or kind not in DATA:
            raise Wrong("is marked _erased, but does not delete what can be erased")
        return _Erased
    if not has_state and kind not in _DELETED:
        raise Wrong(f"deletes a {kind}, which is never deleted")
    return _LIVING[kind] if has_state else _DELETED[kind]


def _check_subject(kind: Kind, subject: str) -> None:
    """Raise INVALID_ARGUMENT if the id is invalid, and `Wrong` if it belongs to another kind of subject."""
    if kind in DATA:
        check_new_id("_subject", subject)
    elif kind in TYPES:
        if not subject.startswith(type_subject(kind, "")):
            raise Wrong(f"is about {printable(subject)}, which is no {kind}")
    elif subject != kind:
        raise Wrong(f"is about {printable(subject)}, which is no {kind}")


_RECORDED = ("_at", "_created", "_modified", "_summary_timestamp")


def recorded_times(state: State) -> Sequence[datetime]:
    """Return the recorded times of an event, including the times of its sessions."""
    moments = [cast("datetime", state[name]) for name in _RECORDED if name in state]
    sessions = sessions_from_json(cast("str | None", state.get("_compacted")))
    return [*moments, *(time for session in sessions for time in (session.began, session.ended))]
