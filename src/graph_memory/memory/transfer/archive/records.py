"""The allowed values of an event in a file, with one model per kind and operation. Other values are rejected.

The functions that check arguments also check ids, properties, tags, paths and formats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from graph_memory.memory.batch.results import faults_from_json
from graph_memory.memory.transfer.values import (
    DomainName,
    EventId,
    FileModel,
    Fraction,
    InvalidEvent,
    NewId,
    Recorded,
    Seq,
    Sha256,
    Size,
    Word,
    WorldTime,
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
from graph_memory.model.text.wording import join_names, quote
from graph_memory.model.values import fields
from graph_memory.model.values.arguments import check_domain, check_new_id, check_tags
from graph_memory.model.values.content import check_content_format
from graph_memory.model.values.plain import parse_json_strictly
from graph_memory.model.values.properties import check_properties
from graph_memory.model.values.titles import LONGEST as LONGEST_TITLE


def _check_tags(values: list[str]) -> list[str]:
    if list(check_tags(values)) != values:
        raise ValueError("a list without duplicates")
    return values


def _check_sessions(value: str) -> str:
    try:
        for session in sessions_from_json(value):
            recorded_time(session.began.isoformat())
            recorded_time(session.ended.isoformat())
    except (ValueError, RecursionError, TypeError) as error:
        raise ValueError("the JSON of sessions") from error
    return value


def _check_refused(value: str) -> str:
    try:
        faults_from_json(value)
    except ValueError as error:
        raise ValueError("the JSON of rejected operations") from error
    return value


def _check_protection(value: str) -> str:
    try:
        parse_protection(value)
    except ValueError as error:
        raise ValueError(f"a valid protection, but {error}") from error
    return value


def _check_merges(value: str) -> str:
    try:
        for name, merge in cast("Mapping[str, object]", parse_json_strictly(value.encode())).items():
            check_domain(name)
            _Merge.model_validate(merge)
    except (ValueError, RecursionError, AttributeError, GraphError) as error:
        raise ValueError("the JSON of merges") from error
    return value


class _StoredFields(FileModel):
    model_config = ConfigDict(alias_generator=lambda name: f"_{name}")


class _Merge(FileModel):
    source_seq: Seq
    own_seq: Seq
    event: str | None


Protected = Annotated[str, AfterValidator(_check_protection)]


class DomainFields(_StoredFields):
    """The properties of a domain's state, which an event in a file may contain."""

    created: Recorded
    forked_from: DomainName | None = None
    forked_at: Seq | None = None
    begins_at: Seq | None = None
    compacted_to: Seq | None = None
    compacted: Annotated[str, AfterValidator(_check_sessions)] | None = None
    merges: Annotated[str, AfterValidator(_check_merges)] | None = None
    protection: Protected | None = None
    description: Annotated[str, AfterValidator(fields.check_description)] | None = None
    metadata: Annotated[str, AfterValidator(fields.check_stored_metadata)] | None = None
    parent: DomainName | None = None

    @model_validator(mode="after")
    def _check_fork(self) -> DomainFields:
        fork_values = (self.forked_from, self.forked_at, self.begins_at)
        if None in fork_values and any(fork_values):
            raise ValueError("describes only part of a fork")
        if self.begins_at is not None and self.begins_at <= (self.forked_at or 0):
            raise ValueError("starts before it was forked")
        return self


class _Event(_StoredFields):
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


class _StoredWithPeriod(_StoredFields):
    valid_from: WorldTime | None = None
    valid_to: WorldTime | None = None

    @model_validator(mode="after")
    def _check_period(self) -> _StoredWithPeriod:
        if self.valid_from and self.valid_to and self.valid_to <= self.valid_from:
            raise ValueError('has a "_valid_to" that is not after its "_valid_from"')
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


class _Node(_StoredWithPeriod, _Event):
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
    tags: Annotated[list[str], AfterValidator(_check_tags)] | None = None
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
    def _check_titles(self) -> _Node:
        if (self.given_title is None) != (self.derived_title is None) or self.given_title not in (None, self.title):
            raise ValueError('has a "_given_title" that differs from its title, or lacks "_derived_title"')
        if (self.content_summary is None) != (self.summary_timestamp is None):
            raise ValueError('has only one of "_content_summary" and "_summary_timestamp"')
        return self


class _DeletedNode(_Event):
    type: str


class _DeletedConnection(_DeletedNode):
    from_: Annotated[NewId, Field(alias="_from")]
    to: NewId


class _Connection(_StoredWithPeriod, _DeletedConnection):
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
    def _check_content_fields(self) -> _Connection:
        values = (self.content_format, self.content_encoding, self.content_size, self.content_sha256)
        if len({value is None for value in values}) > 1:
            raise ValueError("describes only part of its content")
        return self


class _DeletedAttachment(_Event):
    from_: Annotated[NewId, Field(alias="_from")]


class _Observation(_StoredWithPeriod, _DeletedAttachment):
    text: str
    time: WorldTime
    created: Recorded | None = None
    origin: str | None = None
    confidence: float | None = None
    place: Seq | None = None
    supersedes: list[NewId] | None = None
    asks: list[NewId] | None = None


class _Link(_DeletedAttachment):
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


_STATE_MODELS: Mapping[Kind, type[_Event]] = {
    Kind.DOMAIN: _Domain,
    Kind.ONTOLOGY: _Ontology,
    Kind.NODE_TYPE: _NodeType,
    Kind.CONNECTION_TYPE: _ConnectionType,
    Kind.NODE: _Node,
    Kind.CONNECTION: _Connection,
    Kind.OBSERVATION: _Observation,
    Kind.LINK: _Link,
}
_DELETION_MODELS: Mapping[Kind, type[_Event]] = {
    Kind.NODE_TYPE: _Event,
    Kind.CONNECTION_TYPE: _Event,
    Kind.NODE: _DeletedNode,
    Kind.CONNECTION: _DeletedConnection,
    Kind.OBSERVATION: _DeletedAttachment,
    Kind.LINK: _DeletedAttachment,
}


def event_from(row: Mapping[str, object]) -> State:
    """Return the properties of an event in a file, as Neo4j stores them.

    Raises InvalidEvent or the error for an invalid argument if a value is invalid.
    """
    kind, op = _parse_kind(row), row.get("_op")
    properties = {key: value for key, value in row.items() if not key.startswith("_")}
    stored_fields = {key: value for key, value in row.items() if key.startswith("_")}
    has_state = op != Op.DELETE
    record = read(_model_for(kind, has_state=has_state, erased="_erased" in row), stored_fields)
    if properties and not (has_state and kind in TYPE_OF):
        raise InvalidEvent(f"has the unexpected field {quote(min(properties))}")
    _check_subject(kind, cast("str", row["_subject"]))
    return {**check_properties(properties), **record.model_dump(by_alias=True, exclude_none=True)}


def domain_fields(row: Mapping[str, object]) -> State:
    """Return the domain's state in a file, as Neo4j stores it. Raises InvalidEvent if a field is invalid."""
    return read(DomainFields, row).model_dump(by_alias=True, exclude_none=True)


def _parse_kind(row: Mapping[str, object]) -> Kind:
    try:
        return Kind(str(row.get("_kind")))
    except ValueError:
        raise InvalidEvent(
            f'has {quote(row.get("_kind"))} in the field "_kind", which must be one of {join_names(list(Kind))}'
        ) from None


def _model_for(kind: Kind, *, has_state: bool, erased: bool) -> type[_Event]:
    if erased:
        if has_state or kind not in DATA:
            raise InvalidEvent(
                'is marked "_erased", but is not the deletion of a node, connection, observation or link'
            )
        return _Erased
    if not has_state and kind not in _DELETION_MODELS:
        raise InvalidEvent(f"deletes a {kind}, which is never deleted")
    return _STATE_MODELS[kind] if has_state else _DELETION_MODELS[kind]


def _check_subject(kind: Kind, subject: str) -> None:
    """Raise INVALID_ARGUMENT if the id is invalid, and InvalidEvent if it belongs to another kind of subject."""
    if kind in DATA:
        check_new_id("_subject", subject)
    elif kind in TYPES:
        if not subject.startswith(type_subject(kind, "")):
            raise InvalidEvent(f'has the kind "{kind}", but is about {quote(subject)}')
    elif subject != kind:
        raise InvalidEvent(f'has the kind "{kind}", but is about {quote(subject)}')


_RECORDED_TIMES = ("_at", "_created", "_modified", "_summary_timestamp")


def recorded_times(state: State) -> Sequence[datetime]:
    """Return the times at which an event's data was recorded, including the times of its compacted sessions."""
    moments = [cast("datetime", state[name]) for name in _RECORDED_TIMES if name in state]
    sessions = sessions_from_json(cast("str | None", state.get("_compacted")))
    return [*moments, *(time for session in sessions for time in (session.began, session.ended))]
