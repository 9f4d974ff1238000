"""`forget`: ends facts, so that they are no longer shown, or erases them with their history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, cast

from graph_memory.memory.changes.context import read_attachments, read_in_parts
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.core import Core
from graph_memory.memory.entities.aliases import aliases_of
from graph_memory.memory.entities.names.find_entities import name_of_entity
from graph_memory.memory.entities.observations.current import CURRENT
from graph_memory.memory.entities.observations.observing import observations_of
from graph_memory.memory.entities.observations.other_mentions import with_mentions
from graph_memory.memory.entities.observations.resolve_observations import (
    OBSERVED_OF,
    check_references,
    similar_observations,
)
from graph_memory.memory.entities.reads import search_nodes
from graph_memory.memory.entities.results import ForgetResult, ForgottenRecord
from graph_memory.memory.entities.writes import validate
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME
from graph_memory.memory.graph.describe import node_briefs
from graph_memory.memory.retention.erasure import erase
from graph_memory.memory.statements.statement_verdict import CurrentObservation
from graph_memory.model.events import Draft, Event, Head, Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import MODIFIED, TEXT, State, user_properties
from graph_memory.model.text.wording import join_parts, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.plain import LocatedValue
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

MAX_LISTED = 100
"""Maximum number of entities in which a text is looked up, and of forgotten records in a reply."""
_KINDS = (Kind.NODE, Kind.OBSERVATION, Kind.CONNECTION)
_HINT = "Pass the name of an entity, the id of a record, or the text of an observation."


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """The records to forget: entities by name, any record by id, observations by text."""

    names: Sequence[str]
    ids: Sequence[str]
    texts: Sequence[str]


def forget_request_from(names: object, ids: object, text: object) -> ForgetRequest:
    """Return the records to forget. Raises INVALID_ARGUMENT if all lists are empty, or one contains non-strings."""
    texts = [text] if isinstance(text, str) else text
    request = ForgetRequest(_texts_from(names, "names"), _texts_from(ids, "ids"), _texts_from(texts, "text"))
    if not (request.names or request.ids or request.texts):
        raise invalid_argument("names", "names, ids and text are all empty", _HINT)
    return request


def _texts_from(value: object, argument: str) -> Sequence[str]:
    return () if value is None else LocatedValue(value, argument).texts()


async def forget(core: Core, domain: str, request: ForgetRequest, *, erasing: bool, dry_run: bool) -> ForgetResult:
    """End or erase records. See `Entities.forget`."""
    await core.log.require_ontology(domain)
    subjects = list(dict.fromkeys(await _find_subjects(core, domain, request)))
    events = {event.draft.subject: event for event in await _read_last_events(core.store, domain, subjects)}
    for subject in subjects:
        event = events.get(subject)
        if event is None or event.draft.kind not in _KINDS or (event.draft.state is None and not erasing):
            message = f"No entity, observation or relation has the name or id {quote(subject)}"
            raise invalid_argument("ids", message, _HINT)
    forget_records = _erase if erasing else _end
    forgotten = await forget_records(core, domain, list(events.values()), dry_run=dry_run)
    names = [_names_of(event) for event in events.values() if event.draft.kind is Kind.NODE]
    forgotten_ids = {*subjects, *(forgot.id for forgot in forgotten.forgotten)}
    return await with_mentions(core, domain, forgotten, names, forgotten_ids) if names else forgotten


def _names_of(event: Event) -> list[str]:
    stored = user_properties(event.draft.state or {})
    return [str(stored["name"]), *aliases_of(stored)] if "name" in stored else []


async def _find_subjects(core: Core, domain: str, request: ForgetRequest) -> list[str]:
    """Return the ids of the records to forget.

    If the request contains both names and texts, returns only the observations of the named entities with one of the
    texts. Raises INVALID_ARGUMENT if such a text is not found.
    """
    nodes = {name: await _node_of(core.store, domain, name) for name in request.names}
    if not request.texts:
        return [*nodes.values(), *request.ids]
    results: list[str] = []
    for node in nodes.values():
        observations = await observations_of(core.store, domain, node, request.texts)
        current = await core.store.read(CURRENT, domain=domain, node=node)
        await check_references(core.store, domain, request.texts, observations, current, "text")
        results += observations
    if not nodes:
        results = [subject_id for text in request.texts for subject_id in await _find_anywhere(core, domain, text)]
    return [*results, *request.ids]


async def _node_of(reader: Reader, domain: str, name: str) -> str:
    stored_name = await name_of_entity(reader, domain, name, also_mentioned=True)
    [row] = await reader.read(NODES_BY_NAME, domain=domain, names=[stored_name])
    return row.id


async def _find_anywhere(core: Core, domain: str, text: str) -> list[str]:
    """Return the ids of all observations with this text.

    If there are none, raises INVALID_ARGUMENT with a suggestion of similar texts.
    """
    results: list[str] = []
    for name in await core.store.read(OBSERVED_OF, domain=domain, wanted=text, limit=MAX_LISTED):
        results += await observations_of(core.store, domain, await _node_of(core.store, domain, name), [text])
    if results:
        return results
    graph = await search_nodes(core, domain, text)
    similar = similar_observations(
        text, [CurrentObservation("", observation) for entity in graph.entities for observation in entity.observations]
    )
    suggestion = (
        f"Did you mean one of {join_parts([quote(observation.text) for observation in similar])}? " if similar else ""
    )
    raise invalid_argument(
        "text", f"No observation has the text {quote(text)}", f"{suggestion}Use the exact text, a name, or an id."
    )


async def _read_last_events(reader: Reader, domain: str, subjects: Sequence[str]) -> list[Event]:
    return [Event.from_row(row) for row in await read_in_parts(reader, LAST_EVENTS, domain, subjects=subjects)]


async def _end(core: Core, domain: str, last_events: Sequence[Event], *, dry_run: bool) -> ForgetResult:
    async def read(reader: Reader, _: Head) -> Sequence[Event]:
        return await _read_with_attached(reader, domain, last_events)

    def decide(head: Head, events: Sequence[Event]) -> Decision[Sequence[Draft]]:
        drafts = [draft for event in events if (draft := _draft_end(event, head.at)) is not None]
        return Decision(validate(head, drafts, Context(ontology=head.ontology)), drafts)

    written = await core.log.write("forget", domain, core.origin, read, decide, dry_run=dry_run)
    seqs = [] if dry_run else [change.seq for change in written.receipt.changes]
    forgotten = await _make_receipt(core, domain, written.report)
    return forgotten.model_copy(
        update={"since": min(seqs, default=None), "until": max(seqs, default=None), **_dry_run_field(dry_run)}
    )


def _draft_end(event: Event, at: datetime) -> Draft | None:
    """Return the draft that ends a record at the time `at`.

    Returns None if the record has ended, was deleted, or is a link or a block.
    """
    draft, state = event.draft, event.draft.state
    if state is None or draft.kind not in _KINDS:
        return None
    valid_from, valid_to = (cast("datetime | None", state.get(key)) for key in ("_valid_from", "_valid_to"))
    if valid_to is not None and valid_to <= at:
        return None
    after: State = {**state, "_valid_to": at}
    if valid_from is not None:
        after["_valid_from"] = min(valid_from, at - timedelta(microseconds=1))
    if draft.kind is not Kind.OBSERVATION:
        after |= dict.fromkeys(MODIFIED, at)
    return replace(draft, op=Op.UPDATE, previous=event.seq, state=after, content=None, windows=None)


async def _erase(core: Core, domain: str, last_events: Sequence[Event], *, dry_run: bool) -> ForgetResult:
    """Erase the records one by one. After an interruption, repeating the call erases the remaining records."""
    drafts = [event.draft for event in await _read_with_attached(core.store, domain, last_events)]
    forgotten = await _make_receipt(core, domain, [draft for draft in drafts if draft.kind in _KINDS])
    erasures = [await erase(core, domain, event.draft.subject, dry_run=dry_run) for event in last_events]
    domains = dict.fromkeys(result.domain for erasure in erasures for result in erasure.domains)
    update = {"erased": True, "domains": tuple(domains), **_dry_run_field(dry_run)}
    if not dry_run:
        update["forgotten"] = tuple(forgot.model_copy(update={"text": None}) for forgot in forgotten.forgotten)
    return forgotten.model_copy(update=update)


async def _read_with_attached(reader: Reader, domain: str, last_events: Sequence[Event]) -> list[Event]:
    """Return the last events of the records, and of the records that are attached to the nodes among them."""
    nodes = [event.draft.subject for event in last_events if event.draft.kind is Kind.NODE]
    attachments = await read_attachments(reader, domain, nodes)
    attached = (draft.subject for drafts in attachments.values() for draft in drafts)
    subjects = dict.fromkeys((*(event.draft.subject for event in last_events), *attached))
    return await _read_last_events(reader, domain, list(subjects))


def _dry_run_field(dry_run: bool) -> Mapping[str, object]:
    return {"dry_run": True} if dry_run else {}


async def _make_receipt(core: Core, domain: str, drafts: Sequence[Draft]) -> ForgetResult:
    """Return the receipt of the forgotten records: first the entities, then the observations, then the relations."""
    ordered = sorted(drafts, key=lambda draft: _KINDS.index(draft.kind))
    ids = {
        subject_id
        for draft in ordered[:MAX_LISTED]
        for subject_id in (draft.subject, draft.from_id, draft.to_id)
        if subject_id is not None
    }
    titles = {node.id: node.title for node in await node_briefs(core, domain, sorted(ids))}
    return ForgetResult(
        forgotten=tuple(
            ForgottenRecord(id=draft.subject, kind=_KIND_NAMES[draft.kind], text=_render_record(draft, titles))
            for draft in ordered[:MAX_LISTED]
        ),
        entities=sum(draft.kind is Kind.NODE for draft in ordered),
        observations=sum(draft.kind is Kind.OBSERVATION for draft in ordered),
        relations=sum(draft.kind is Kind.CONNECTION for draft in ordered),
    )


_KIND_NAMES: Mapping[Kind, Literal["entity", "observation", "relation"]] = {
    Kind.NODE: "entity",
    Kind.OBSERVATION: "observation",
    Kind.CONNECTION: "relation",
}


def _render_record(draft: Draft, titles: Mapping[str, str]) -> str:
    start = titles.get(draft.from_id or "", draft.from_id or "")
    match draft.kind:
        case Kind.OBSERVATION:
            return f"{start}: {(draft.state or {}).get(TEXT, '')}"
        case Kind.CONNECTION:
            return f"{start} → {draft.type} → {titles.get(draft.to_id or '', draft.to_id or '')}"
        case _:
            return titles.get(draft.subject, draft.subject)
