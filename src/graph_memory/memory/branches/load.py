"""Reads the input of a merge: three versions of each subject, their contents, and their context in the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from graph_memory.memory.background import task_group
from graph_memory.memory.branches.joining import names_missing_in_target
from graph_memory.memory.branches.subject import merge_subject
from graph_memory.memory.branches.types import type_of_version
from graph_memory.memory.branches.values import Choices, MergeItem, Version, is_same_version
from graph_memory.memory.changes.context import (
    owners_of,
    read_attachments,
    read_attachments_of_retyped,
    read_stored,
    types_of_existing,
)
from graph_memory.memory.changes.paging import AT_ONCE as ONE_WRITE
from graph_memory.memory.changes.paging import TooManyEvents, check_amount
from graph_memory.memory.changes.plan import Context, name_of_entity, unique_values
from graph_memory.memory.changes.values import UniqueValue, link_value
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import EventRange, Revision, changes_between
from graph_memory.memory.history.comparison import IGNORED
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Event, Head
from graph_memory.model.ontology.ontology_diff import TypeChange
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.text.wording import printable
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import Content, ContentRef
from graph_memory.model.values.properties import ANY, key_value
from graph_memory.storage.log.reads import CONTENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

PAGE = 2_000
"""Maximum number of subjects whose versions one statement reads."""
CONCURRENT_READS = 8
"""Maximum number of contents that are read concurrently."""
MAX_CHANGED = 50_000
"""Maximum number of subjects that one merge changes, since a merge is one transaction."""
MAX_DELETED = 10_000
"""Maximum number of subjects that one merge deletes, with their attachments: Neo4j's default heap holds 20,000."""
_DELETION: Final = "Also delete {nodes} in {target} with {delete_node}, which has no limit. Then merge again."


@dataclass(frozen=True, slots=True)
class VersionsRow:
    """The last events of a subject in the logs of the base, the target and the source."""

    subject: str
    base_event: dict[str, object] | None
    ours: dict[str, object] | None
    theirs: dict[str, object] | None


CHANGED_SUBJECTS = query("branches/changed_subjects", str)
VERSIONS = query("branches/versions", VersionsRow)


@dataclass(frozen=True, slots=True)
class MergeScope:
    """The revisions that a merge compares (the base and the source's state), and the target domain."""

    base: Revision
    source: Revision
    target: str

    @property
    def params(self) -> dict[str, object]:
        """The parameters of the statement `VERSIONS`, except the subjects."""
        return {
            "domain": self.target,
            "base": self.base.domain,
            "base_seq": self.base.seq,
            "source": self.source.domain,
            "source_seq": self.source.seq,
        }


async def items_of(reader: Reader, scope: MergeScope) -> list[MergeItem]:
    """Return the subjects that differ between the base and the source.

    Raises INVALID_ARGUMENT if there are too many for one write.
    """
    changed_subjects: set[str] = set()
    for event_range in await _changed_ranges(reader, scope):
        changed_subjects.update(
            await reader.read(
                CHANGED_SUBJECTS, domain=event_range.domain, after=event_range.after, until=event_range.until
            )
        )
    items = await _read_items(reader, scope, sorted(changed_subjects), include_unchanged=False)
    to_merge = [item for item in items if item.ours or item.theirs]  # both sides deleted the others
    deleted_versions = {item.subject: item.ours for item in to_merge if item.theirs is None and item.ours is not None}
    if len(deleted_versions) > MAX_DELETED:
        raise _too_many_deletions_error(scope, deleted_versions)
    if len(to_merge) > MAX_CHANGED:
        message = f"{len(to_merge):,} subjects differ, and one merge changes at most {MAX_CHANGED:,}"
        raise invalid_argument(
            "source", message, "Create a branch from an earlier point of the source, and merge it first."
        )
    return to_merge


def _too_many_deletions_error(scope: MergeScope, versions: Mapping[str, Version]) -> GraphError:
    """Return the error for too many deletions in one transaction. It mentions the node with the most attachments."""
    message = f"The source deleted {len(versions):,} subjects, and one merge deletes at most {MAX_DELETED:,}"
    ends = Counter(end for version in versions.values() for end in set(version.ends) if end in versions)
    [(hub_id, count)] = ends.most_common(1) or [("", 0)]
    nodes = "nodes"
    if len(versions) - count - 1 <= MAX_DELETED:
        nodes, attached = printable(hub_id), f"{count:,} connections, observations and links"
        message += f": {scope.source.domain} deleted node {nodes} with {attached}"
    return invalid_argument("source", message, Hint(_DELETION, nodes=nodes, target=scope.target))


async def _changed_ranges(reader: Reader, scope: MergeScope) -> Sequence[EventRange]:
    """Return the log ranges that contain all differences: the whole remaining logs if changes were compacted."""
    try:
        return await changes_between(reader, scope.base, scope.source)
    except GraphError as error:
        if error.code is not Code.HISTORY_COMPACTED:
            raise
    return [EventRange(place.domain, 0, place.seq) for place in (scope.base, scope.source)]


async def _read_items(
    reader: Reader, scope: MergeScope, subjects: Sequence[str], *, include_unchanged: bool
) -> list[MergeItem]:
    items: list[MergeItem] = []
    params = {**scope.params, "ignored": sorted(IGNORED), "all": include_unchanged}
    for start in range(0, len(subjects), PAGE):
        rows = await reader.read(VERSIONS, subjects=subjects[start : start + PAGE], **params)
        items += map(_item_from_row, rows)
    return items


def _item_from_row(row: VersionsRow) -> MergeItem:
    base, ours, theirs = (
        Event.from_row(event) if event is not None else None for event in (row.base_event, row.ours, row.theirs)
    )
    return MergeItem(
        subject=row.subject,
        base=Version.of(base),
        ours=Version.of(ours),
        theirs=Version.of(theirs),
        last=ours,
        is_unknown=theirs is None,
    )


async def load_context(
    core: Core, reader: Reader, head: Head, scope: MergeScope, items: Sequence[MergeItem], choices: Choices
) -> tuple[list[MergeItem], Context]:
    """Load the subjects of a merge with their contents, the nodes that a resolution may restore, and the context.

    Raises INVALID_ARGUMENT if the merge would delete too many subjects for one write, and CONTENT_READ_FAILED if
    content cannot be read.
    """
    end_types = await _read_end_types(reader, head.domain, items)
    subjects = {item.subject for item in items}
    end_ids = {end for item in items for side in (item.base, item.theirs) if side for end in side.ends}
    all_items = [
        *items,
        *await _read_items(reader, scope, sorted(end_ids - end_types.keys() - subjects), include_unchanged=True),
    ]
    deletions = {item.subject: item.kind for item in all_items if item.ours and item.theirs is None}
    try:
        node_ids = [subject for subject, kind in deletions.items() if kind is Kind.NODE]
        # connections may be counted from both endpoints
        attached = await read_attachments(reader, head.domain, node_ids, 2 * MAX_DELETED)
        deleted_ids = deletions.keys() | {draft.subject for drafts in attached.values() for draft in drafts}
        check_amount(len(deleted_ids), MAX_DELETED)
    except TooManyEvents as error:
        message = f"The source deleted nodes with attachments: more than {MAX_DELETED:,} subjects would be deleted"
        raise invalid_argument("source", message, Hint(_DELETION, nodes="such nodes", target="the target")) from error
    values = {
        value for item in all_items if item.theirs for value in _unique_values_of(item, item.theirs, head, choices)
    }
    owners = await owners_of(
        reader, head.domain, values | {name for item in all_items for name in names_missing_in_target(item)}
    )
    owner_ids = {owner for value, holders in owners.items() if value.type == ANY for owner in holders}
    owner_items = await _read_items(
        reader, scope, sorted(owner_ids - {item.subject for item in all_items}), include_unchanged=True
    )
    all_items += owner_items
    end_types = {**end_types, **{item.subject: item.ours.type or "" for item in owner_items if item.ours}}
    retyped = [item.subject for item in all_items if item.ours and item.theirs and item.ours.type != item.theirs.type]
    retyped += [item.subject for item in owner_items]
    attached = {**await read_attachments_of_retyped(reader, head.domain, retyped, head.ontology), **attached}
    stored = await read_stored(reader, head.domain, _type_changes(items, choices))
    context = Context(
        ontology=head.ontology,
        existing_node_types=end_types,
        attached=attached,
        owners=owners,
        stored_types=stored,
        max_rekeyed=ONE_WRITE,
    )
    return await _with_contents(core, reader, scope, all_items), context


def _type_changes(items: Iterable[MergeItem], choices: Choices) -> list[TypeChange]:
    """Return the changes of the target's types if each type is merged separately, which is only an estimate."""
    types = [item for item in items if item.kind in TYPES and item.ours is not None]
    pairs = [(item.ours, merge_subject(item, choices).after) for item in types]
    return [
        TypeChange(type_of_version(ours), type_of_version(after))
        for ours, after in pairs
        if ours is not None and after is not None and not is_same_version(ours, after)
    ]


async def _read_end_types(reader: Reader, domain: str, items: Iterable[MergeItem]) -> Mapping[str, str]:
    versions = [version for item in items for version in (item.ours, item.theirs) if version is not None]
    ends = {end for version in versions for end in version.ends}
    nodes = {item.subject for item in items if item.kind is Kind.NODE}
    return await types_of_existing(reader, domain, ends | nodes)


def _unique_values_of(item: MergeItem, theirs: Version, head: Head, choices: Choices) -> Iterable[UniqueValue]:
    yield from unique_values(theirs.kind, theirs.type or "", theirs.state, head.ontology)
    yield from link_value(theirs.from_id, theirs.state) if theirs.kind is Kind.LINK else ()
    for resolution in choices.value_resolutions(item.subject):
        if isinstance(resolution.value, (str, int, float)):
            yield UniqueValue(theirs.kind, theirs.type or "", resolution.name or "", key_value(resolution.value))
            yield name_of_entity(str(resolution.value))


@dataclass(frozen=True, slots=True)
class _ContentKey:
    """The reference to a content, and the domain that stores it."""

    domain: str
    ref: ContentRef


async def _with_contents(core: Core, reader: Reader, scope: MergeScope, items: Sequence[MergeItem]) -> list[MergeItem]:
    """Return the subjects, with their contents loaded if the merge takes them over or merges them line by line."""
    keys = {item.subject: _content_keys(item, scope) for item in items}
    contents = await _fetch_contents(core, reader, {side for sides in keys.values() for side in sides.values()})
    return [
        replace(
            item,
            **{side: replace(getattr(item, side), content=contents[key]) for side, key in keys[item.subject].items()},
        )
        for item in items
    ]


def _content_keys(item: MergeItem, scope: MergeScope) -> Mapping[str, _ContentKey]:
    versions = {"base": item.base, "ours": item.ours, "theirs": item.theirs}
    refs = {side: version and version.ref for side, version in versions.items()}
    domains = {"base": scope.base.domain, "ours": scope.target, "theirs": scope.source.domain}
    ours, theirs = refs["ours"], refs["theirs"]
    sides = {"base", "ours"} if item.needs_lines else {"ours"} if item.may_lose_title else set[str]()
    if theirs is not None and not theirs.is_same(ours):
        sides |= {"theirs"}
    return {side: _ContentKey(domains[side], ref) for side in sides if (ref := refs[side]) is not None}


async def _fetch_contents(core: Core, reader: Reader, keys: Set[_ContentKey]) -> Mapping[_ContentKey, Content]:
    """Return the contents for the given keys. Texts that are stored outside Neo4j are read concurrently.

    Binary content has no bytes in the result, because a merge never compares them.
    """
    stored_texts: dict[tuple[str, str], str] = {}
    for domain in {key.domain for key in keys}:
        hashes = sorted({key.ref.sha256 for key in keys if key.domain == domain})
        for start in range(0, len(hashes), PAGE):
            rows = await reader.read(CONTENTS, domain=domain, hashes=hashes[start : start + PAGE])
            stored_texts.update(((domain, row.sha256), row.text) for row in rows)
    blobs = [key for key in keys if not key.ref.is_text and (key.domain, key.ref.sha256) not in stored_texts]
    contents = {blob: Content(b"", "base64", blob.ref.format) for blob in blobs}
    remaining = [key for key in keys if key not in contents]

    async def read(key: _ContentKey) -> None:
        text = stored_texts.get((key.domain, key.ref.sha256))
        contents[key] = await core.contents.fetch(key.domain, key.ref, text)

    for start in range(0, len(remaining), CONCURRENT_READS):
        async with task_group() as tasks:
            for key in remaining[start : start + CONCURRENT_READS]:
                tasks.start_soon(read, key)
    return contents
