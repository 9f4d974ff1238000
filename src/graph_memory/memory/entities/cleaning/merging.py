"""`merge_entities`: merges several entities into one, in one write that can be reverted at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from graph_memory.memory.changes.context import read_in_parts
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import retry_until_rules_hold
from graph_memory.memory.core import Core
from graph_memory.memory.entities.aliases import ALIASES, aliases_of, with_aliases
from graph_memory.memory.entities.cleaning.results import EntityMergeResult, MergeConflict
from graph_memory.memory.entities.cleaning.side_by_side import MovedStatement, add_questions, find_doubtful_statements
from graph_memory.memory.entities.names.find_entities import name_of_entity
from graph_memory.memory.entities.observations.attached import AttachedRecords, read_attached
from graph_memory.memory.entities.observations.moving import Move
from graph_memory.memory.entities.writes import owners_of_new, rule_check, validate
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME, states_of
from graph_memory.memory.entity_graph.names import official_not_found_error
from graph_memory.memory.graph.nodes import NodeEdit, update_draft
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Head, Op
from graph_memory.model.rules import BrokenRule
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import DIFFERENT, NodeState
from graph_memory.model.text.name_list import listed_names, name_list
from graph_memory.model.text.wording import printable
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import Content
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.reads import CONTENTS
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

MAX_MERGED = 50
"""Maximum number of entities that one call merges into the target."""


async def merge_entities(
    core: Core, domain: str, names: Sequence[str], into: str, *, dry_run: bool
) -> EntityMergeResult:
    """Merge several entities into one. See `Entities.merge_entities`."""
    try:
        target = await name_of_entity(core.store, domain, into)
        others = [await name_of_entity(core.store, domain, name, also_mentioned=True) for name in names]
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        raise official_not_found_error(into) from error
    merged_names = [name for name in dict.fromkeys(others) if name != target]
    if not merged_names or len(merged_names) > MAX_MERGED:
        hint = f"Pass the names of 1 to {MAX_MERGED} other entities. They become aliases of {into}."
        raise invalid_argument(
            "names",
            f"{len(merged_names)} names are too many" if merged_names else "names contains no other entity",
            hint,
        )
    new_ids: dict[str, str] = {}
    pairs = await find_doubtful_statements(core, domain, target, merged_names)
    return await retry_until_rules_hold(
        lambda broken: _attempt(core, domain, _Merge(target, merged_names, pairs, broken, new_ids), dry_run=dry_run)
    )


@dataclass(frozen=True, slots=True)
class _Merge:
    """One attempt at a merge, with the rules that earlier attempts broke and the new ids of the moved records."""

    into: str
    names: Sequence[str]
    doubtful: Sequence[MovedStatement]
    broken: Mapping[str, BrokenRule]
    new_ids: dict[str, str]


@dataclass(frozen=True, slots=True)
class _StoredRecords:
    """The entities, the records attached to them, and the data that the target may take over."""

    target: NodeState
    sources: Sequence[NodeState]
    attached: AttachedRecords
    texts: Mapping[str, str]
    """The descriptions that are stored in Neo4j, keyed by hash."""
    content: Content | None
    """The description that the target takes over from a merged entity, or None."""
    windows: tuple[str, ...]
    context: Context


async def _attempt(core: Core, domain: str, merge: _Merge, *, dry_run: bool) -> EntityMergeResult:
    """Write the merge. Checks the rules of connection types before the commit."""
    ontology = await core.log.require_ontology(domain)
    check = None if dry_run else rule_check(domain, ontology, ontology.connection_types)

    read, decide = partial(_read, core, merge), partial(_decide, merge)
    written = await core.log.write(
        "merge_entities", domain, core.origin, read, decide, after_write=check, dry_run=dry_run
    )
    merged, changes = written.report, written.receipt
    if dry_run:
        questions = [question.model_copy(update={"id": None}) for question in merged.questions or ()]
        return merged.model_copy(update={"dry_run": True, "questions": tuple(questions) or None})
    return merged.model_copy(update={"since": changes.changes[0].seq, "until": changes.seq})


async def _read(core: Core, merge: _Merge, reader: Reader, head: Head) -> _StoredRecords:
    states = await _read_states(reader, head.domain, [merge.into, *merge.names])
    target, sources = states[merge.into], [states[name] for name in merge.names]
    attached = await read_attached(reader, head.domain, target.id, [source.id for source in sources], merge.new_ids)
    contents = [node.content for node in (target, *sources) if node.content.size]
    hashes = list(dict.fromkeys(ref.sha256 for ref in contents))
    texts = {row.sha256: row.text for row in await read_in_parts(reader, CONTENTS, head.domain, hashes=hashes)}
    content = None
    if contents and not target.content.size:
        content = await core.contents.fetch(head.domain, contents[0], texts.get(contents[0].sha256))
    nodes = [(target.type, node.properties) for node in (target, *sources)]
    context = Context(
        ontology=head.ontology,
        existing_node_types={target.id: target.type, **attached.node_types},
        attached=attached.deletions,
        owners=await owners_of_new(reader, head, (), nodes, attached.relations),
        broken_rules=merge.broken,
    )
    windows = await core.contents.split_windows(content) if content else ()
    return _StoredRecords(target, sources, attached, texts, content, windows, context)


def _decide(merge: _Merge, head: Head, stored: _StoredRecords) -> Decision[EntityMergeResult]:
    target, sources = stored.target, stored.sources
    move = stored.attached.move(head.at)
    questions = add_questions(move, merge.doubtful)
    properties, conflicts = merged_properties(target, sources)
    conflicts += _description_conflicts(stored)
    conflicts += _relation_conflicts(move, {source.id: str(source.properties["name"]) for source in sources})
    aliases = chain.from_iterable(
        (str(source.properties["name"]), *aliases_of(source.properties)) for source in sources
    )
    properties |= with_aliases(target.properties, merge.into, aliases)
    edit = NodeEdit(
        properties=properties,
        content=stored.content,
        format=None,
        tags=tuple(dict.fromkeys(chain(target.tags, *(source.tags for source in sources)))),
        fields={},
        expected_version=None,
        windows=stored.windows,
    )
    deletions = [
        Draft(op=Op.DELETE, kind=Kind.NODE, subject=source.id, type=source.type, previous=source.version)
        for source in sources
    ]
    drafts = [*deletions, update_draft(head, target, edit), *move.drafts]
    merged = EntityMergeResult(
        into=merge.into,
        id=target.id,
        merged=tuple(merge.names),
        observations_moved=move.count(Kind.OBSERVATION),
        observations_known=move.known_observations,
        relations_moved=move.count(Kind.CONNECTION),
        relations_known=move.known_relations,
        aliases=tuple(aliases_of({**target.properties, **properties})),
        conflicts=tuple(conflicts),
        questions=tuple(questions) or None,
    )
    return Decision(validate(head, drafts, stored.context), merged)


def _description_conflicts(stored: _StoredRecords) -> list[MergeConflict]:
    """Return a conflict for each discarded description. The merge keeps only the first description."""
    nodes_with_description = [node for node in (stored.target, *stored.sources) if node.content.size]
    first, *others = nodes_with_description or [stored.target]

    def description_of(node: NodeState) -> str:
        return printable(stored.texts.get(node.content.sha256) or f"{node.content.size:,} bytes")

    return [
        MergeConflict(
            what="description",
            kept=description_of(first),
            not_taken=description_of(other),
            of=str(other.properties["name"]),
        )
        for other in others
        if not other.content.is_same(first.content)
    ]


async def _read_states(reader: Reader, domain: str, names: Sequence[str]) -> Mapping[str, NodeState]:
    """Return the states of the nodes with these names, keyed by name. Raises NODE_NOT_FOUND if one is missing."""
    rows = await read_in_parts(reader, NODES_BY_NAME, domain, names=names)
    states = await states_of(reader, domain, [row.id for row in rows])
    missing = next((name for name in names if name not in states), None)
    if missing is not None:
        raise official_not_found_error(missing)
    return states


def merged_properties(
    target: NodeState, sources: Sequence[NodeState]
) -> tuple[dict[str, PropertyValue], list[MergeConflict]]:
    """Return the properties that the target takes over, and a conflict for each discarded value of a source."""
    properties: dict[str, PropertyValue] = {}
    conflicts: list[MergeConflict] = []
    for source in sources:
        name = str(source.properties["name"])
        if not source.mentioned and source.entity != target.entity:
            conflict = MergeConflict(what="type", kept=str(target.entity), not_taken=str(source.entity), of=name)
            conflicts.append(conflict)
        for key, value in source.properties.items():
            if key in ("name", ALIASES, DIFFERENT):
                continue
            own_value = {**properties, **target.properties}.get(key)
            if own_value is None:
                properties[key] = value
            elif own_value != value:
                conflicts.append(
                    MergeConflict(what=key, kept=printable(own_value), not_taken=printable(value), of=name)
                )
    return properties | _different_from(target, sources), conflicts


def _different_from(target: NodeState, sources: Sequence[NodeState]) -> dict[str, PropertyValue]:
    """Return the target's new list of entities that are different from it or from a merged entity.

    Returns an empty mapping if the list stays the same.
    """
    nodes = (target, *sources)
    ids = {node_id: None for node in nodes for node_id in listed_names(node.properties.get(DIFFERENT))}
    others = [node_id for node_id in ids if node_id not in {node.id for node in nodes}]
    return {DIFFERENT: name_list(others)} if others != [*listed_names(target.properties.get(DIFFERENT))] else {}


def _relation_conflicts(move: Move, names: Mapping[str, str]) -> list[MergeConflict]:
    """Return the differences between moved relations and the target's equal relations."""
    return [
        MergeConflict(
            what=f"relation {difference.relation.draft.type}: {difference.property}",
            kept=printable(difference.kept),
            not_taken=printable(difference.not_taken),
            of=names.get(difference.relation.draft.from_id or "")
            or names.get(difference.relation.draft.to_id or "", ""),
        )
        for difference in move.differences
    ]
