"""What a merge has to know: each subject in three states, their contents, and what lives around them in the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from graph_memory.memory.background import task_group
from graph_memory.memory.branches.joining import names_lacking
from graph_memory.memory.branches.subject import merge_subject
from graph_memory.memory.branches.types import type_of_version
from graph_memory.memory.branches.values import Choices, ThreeWay, Version, same
from graph_memory.memory.changes.context import attached_to, attached_to_others, living_of, owners_of, read_stored
from graph_memory.memory.changes.paging import AT_ONCE as ONE_WRITE
from graph_memory.memory.changes.paging import TooMany, check_amount
from graph_memory.memory.changes.plan import Context, name_of_entity, unique_values
from graph_memory.memory.changes.values import UniqueValue, way_of
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import EventRange, Revision, changes_between
from graph_memory.memory.history.comparison import IGNORED
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Event, Head
from graph_memory.model.ontology.ontology_diff import TypeChange
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.text.wording import shown
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.content import Content, ContentRef
from graph_memory.model.values.properties import ANY, key_value
from graph_memory.storage.log.reads import CONTENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

PAGE = 2_000
"""Subjects that are read at once."""
AT_ONCE = 8
"""Contents that are read at once."""
MOST = 50_000
"""Subjects that one merge changes: it is one transaction."""
MOST_GONE = 10_000
"""Subjects that one merge deletes, with what goes along: the default heap of Neo4j holds some 20,000."""
_DELETE: Final = "Delete {nodes} in {target} too, with {delete_node}, which has no limit; then merge again."


@dataclass(frozen=True, slots=True)
class VersionsRow:
    """The last events of a subject in the logs of the base, the target and the source."""

    subject: str
    base_event: dict[str, object] | None
    ours: dict[str, object] | None
    theirs: dict[str, object] | None


CHANGED = query("branches/changed_subjects", str)
VERSIONS = query("branches/versions", VersionsRow)


@dataclass(frozen=True, slots=True)
class MergeScope:
    """The states that a merge looks at: the one that both come from, and the source's."""

    base: Revision
    source: Revision
    target: str

    @property
    def params(self) -> dict[str, object]:
        """The places as the statement takes them."""
        return {
            "domain": self.target,
            "base": self.base.domain,
            "base_seq": self.base.seq,
            "source": self.source.domain,
            "source_seq": self.source.seq,
        }


async def three_ways_of(reader: Reader, between: MergeScope) -> list[ThreeWay]:
    """Return the subjects that are not in the source as they were in the base, with the contents that it takes.

    Raises INVALID_ARGUMENT when there are too many for one write, and CONTENT_READ_FAILED.
    """
    changed: set[str] = set()
    for stretch in await _stretches(reader, between):
        changed.update(await reader.read(CHANGED, domain=stretch.domain, after=stretch.after, until=stretch.until))
    trios = await _trios(reader, between, sorted(changed), all_of_them=False)
    left = [trio for trio in trios if trio.ours or trio.theirs]  # what is gone from both is merged already
    versions = {trio.subject: trio.ours for trio in left if trio.theirs is None and trio.ours is not None}
    if len(versions) > MOST_GONE:
        raise _too_many_gone(between, versions)
    if len(left) > MOST:
        message = f"{len(left):,} subjects differ, and one merge changes at most {MOST:,}"
        raise fault("source", message, f"Merge earlier, while at most {MOST:,} differ.")
    return left


def _too_many_gone(between: MergeScope, versions: Mapping[str, Version]) -> GraphError:
    """Return the error for more deletions than one transaction takes; the node that has most of them is named."""
    message = f"The source deleted {len(versions):,} subjects, and one merge deletes at most {MOST_GONE:,}"
    ends = Counter(end for version in versions.values() for end in set(version.ends) if end in versions)
    [(hub, count)] = ends.most_common(1) or [("", 0)]
    nodes = "nodes"
    if len(versions) - count - 1 <= MOST_GONE:
        nodes, attached = shown(hub), f"{count:,} connections, observations and links"
        message += f": {between.source.domain} deleted node {nodes} with {attached}"
    return fault("source", message, Hint(_DELETE, nodes=nodes, target=between.target))


async def _stretches(reader: Reader, between: MergeScope) -> Sequence[EventRange]:
    """Return the stretches of logs in which all is that differs; where changes were compacted, all that is kept."""
    try:
        return await changes_between(reader, between.base, between.source)
    except GraphError as error:
        if error.code is not Code.HISTORY_COMPACTED:
            raise
    return [EventRange(place.domain, 0, place.seq) for place in (between.base, between.source)]


async def _trios(reader: Reader, between: MergeScope, subjects: Sequence[str], *, all_of_them: bool) -> list[ThreeWay]:
    trios: list[ThreeWay] = []
    arguments = {**between.params, "ignored": sorted(IGNORED), "all": all_of_them}
    for start in range(0, len(subjects), PAGE):
        rows = await reader.read(VERSIONS, subjects=subjects[start : start + PAGE], **arguments)
        trios += map(_trio, rows)
    return trios


def _trio(row: VersionsRow) -> ThreeWay:
    base, ours, theirs = (
        Event.from_row(event) if event is not None else None for event in (row.base_event, row.ours, row.theirs)
    )
    return ThreeWay(
        subject=row.subject,
        base=Version.of(base),
        ours=Version.of(ours),
        theirs=Version.of(theirs),
        last=ours,
        is_unknown=theirs is None,
    )


async def with_context(
    core: Core, reader: Reader, head: Head, between: MergeScope, trios: Sequence[ThreeWay], choices: Choices
) -> tuple[list[ThreeWay], Context]:
    """Return the subjects with their contents, and with nodes that a choice may bring back; and what is around them.

    Raises INVALID_ARGUMENT if more would go than one merge deletes.
    """
    living = await _living(reader, head.domain, trios)
    known = {trio.subject for trio in trios}
    missing = {end for trio in trios for side in (trio.base, trio.theirs) if side for end in side.ends}
    ways = [*trios, *await _trios(reader, between, sorted(missing - living.keys() - known), all_of_them=True)]
    kinds = {trio.subject: trio.kind for trio in ways if trio.ours and trio.theirs is None}
    try:
        nodes = [subject for subject, kind in kinds.items() if kind is Kind.NODE]
        attached = await attached_to(
            reader, head.domain, nodes, 2 * MOST_GONE
        )  # a connection may be found from both ends
        check_amount(len(kinds.keys() | {draft.subject for those in attached.values() for draft in those}), MOST_GONE)
    except TooMany as many:
        message = f"More than {MOST_GONE:,} subjects would go: nodes that the source deleted, with everything attached"
        raise fault("source", message, Hint(_DELETE, nodes="such nodes", target="the target")) from many
    values = {value for trio in ways if trio.theirs for value in _wanted(trio, trio.theirs, head, choices)}
    owners = await owners_of(reader, head.domain, values | {name for trio in ways for name in names_lacking(trio)})
    names = {owner for value, holders in owners.items() if value.type == ANY for owner in holders}
    named = await _trios(reader, between, sorted(names - {trio.subject for trio in ways}), all_of_them=True)
    ways += named
    living = {**living, **{trio.subject: trio.ours.type or "" for trio in named if trio.ours}}
    others = [way.subject for way in ways if way.ours and way.theirs and way.ours.type != way.theirs.type]
    others += [way.subject for way in named]
    attached = {**await attached_to_others(reader, head.domain, others, head.ontology), **attached}
    stored = await read_stored(reader, head.domain, _type_changes(trios, choices))
    context = Context(
        ontology=head.ontology, living=living, attached=attached, owners=owners, stored=stored, most_rekeyed=ONE_WRITE
    )
    return await _with_contents(core, reader, between, ways), context


def _type_changes(trios: Iterable[ThreeWay], choices: Choices) -> list[TypeChange]:
    """Return what the types come to that the target has too, looked at each by itself."""
    types = [trio for trio in trios if trio.kind in TYPES and trio.ours is not None]
    pairs = [(trio.ours, merge_subject(trio, choices).after) for trio in types]
    return [
        TypeChange(type_of_version(ours), type_of_version(after))
        for ours, after in pairs
        if ours is not None and after is not None and not same(ours, after)
    ]


async def _living(reader: Reader, domain: str, trios: Iterable[ThreeWay]) -> Mapping[str, str]:
    versions = [version for trio in trios for version in (trio.ours, trio.theirs) if version is not None]
    ends = {end for version in versions for end in version.ends}
    nodes = {trio.subject for trio in trios if trio.kind is Kind.NODE}
    return await living_of(reader, domain, ends | nodes)


def _wanted(trio: ThreeWay, theirs: Version, head: Head, choices: Choices) -> Iterable[UniqueValue]:
    yield from unique_values(theirs.kind, theirs.type or "", theirs.state, head.ontology)
    yield from way_of(theirs.from_id, theirs.state) if theirs.kind is Kind.LINK else ()
    for resolution in choices.named(trio.subject):
        if isinstance(resolution.value, (str, int, float)):
            yield UniqueValue(theirs.kind, theirs.type or "", resolution.name or "", key_value(resolution.value))
            yield name_of_entity(str(resolution.value))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A content that the plan needs, and whose it is."""

    domain: str
    ref: ContentRef


async def _with_contents(core: Core, reader: Reader, between: MergeScope, trios: Sequence[ThreeWay]) -> list[ThreeWay]:
    """Give the subjects the contents that are taken over or merged line by line."""
    wanted = {trio.subject: _contents_of(trio, between) for trio in trios}
    contents = await _fetched(core, reader, {side for sides in wanted.values() for side in sides.values()})
    return [
        replace(
            trio, **{side: _having(getattr(trio, side), contents[one]) for side, one in wanted[trio.subject].items()}
        )
        for trio in trios
    ]


def _contents_of(trio: ThreeWay, between: MergeScope) -> Mapping[str, _Wanted]:
    refs = {side: version and version.ref for side, version in _sides(trio)}
    domains = {"base": between.base.domain, "ours": between.target, "theirs": between.source.domain}
    ours, theirs = refs["ours"], refs["theirs"]
    sides = {"base", "ours"} if trio.needs_lines else {"ours"} if trio.may_lose_title else set[str]()
    if theirs is not None and not theirs.is_same(ours):
        sides |= {"theirs"}
    return {side: _Wanted(domains[side], ref) for side in sides if (ref := refs[side]) is not None}


def _sides(trio: ThreeWay) -> Iterable[tuple[str, Version | None]]:
    return ("base", trio.base), ("ours", trio.ours), ("theirs", trio.theirs)


def _having(version: Version, content: Content) -> Version:
    return replace(version, content=content)


async def _fetched(core: Core, reader: Reader, wanted: Iterable[_Wanted]) -> Mapping[_Wanted, Content]:
    """Return contents. Binary content is never looked into, so its bytes are left where they are among the blobs."""
    texts: dict[tuple[str, str], str] = {}
    every = list(wanted)
    for domain in {one.domain for one in every}:
        hashes = sorted({one.ref.sha256 for one in every if one.domain == domain})
        for start in range(0, len(hashes), PAGE):
            rows = await reader.read(CONTENTS, domain=domain, hashes=hashes[start : start + PAGE])
            texts.update(((domain, row.sha256), row.text) for row in rows)
    return await _contents(core, {one: texts.get((one.domain, one.ref.sha256)) for one in every})


async def _contents(core: Core, wanted: Mapping[_Wanted, str | None]) -> Mapping[_Wanted, Content]:
    """Return contents, given the texts that Neo4j keeps; several of the others are read at once."""
    blobs = [one for one, text in wanted.items() if not one.ref.is_text and text is None]
    contents = {blob: Content(b"", "base64", blob.ref.format) for blob in blobs}
    texts = [one for one in wanted if one not in contents]

    async def read(one: _Wanted) -> None:
        contents[one] = await core.contents.fetch(one.domain, one.ref, wanted[one])

    for start in range(0, len(texts), AT_ONCE):
        async with task_group() as tasks:
            for one in texts[start : start + AT_ONCE]:
                tasks.start_soon(read, one)
    return contents
