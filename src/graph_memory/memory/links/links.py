"""Links between domains. Only the log of the source's domain records a link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graph_memory.memory.changes.context import owners_of
from graph_memory.memory.changes.plan import Changeset, Context, node_not_found_error
from graph_memory.memory.changes.values import Owners, link_value
from graph_memory.memory.core import Core
from graph_memory.memory.graph.nodes import read_node
from graph_memory.memory.links.results import Candidate, DomainRef, Link, LinkCreationResult, LinkDeletionResult, Links
from graph_memory.memory.links.target_search import candidates_for
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Head, Op, new_id
from graph_memory.model.results import Direction
from graph_memory.model.rights import CALLER, can_read
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.links import INVERSES, REVERSE_DESCRIPTION, LinkState, LinkType
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.model.text.wording import printable
from graph_memory.model.values.arguments import UNLIMITED, check_cursor, check_limit, cursor_after, invalid_argument
from graph_memory.storage.log.reads import last_event
from graph_memory.storage.log.work import Decision
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader, check_text


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLink:
    """A validated request to create a link. If `target` is None, the link leads to the best match in the domain."""

    target_domain: str
    target: str | None
    type: LinkType
    strength: float
    bidirectional: bool
    description: str | None
    metadata: str | None


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link with its source and the state of its target, as seen from one of the two domains."""

    key: str
    id: str
    domain: str
    source: str
    target: str
    is_out: bool
    source_title: str
    target_title: str | None
    has_domain: bool
    last: str | None
    stored: Mapping[str, object]


TITLE = query("links/title", str)
LINKS = query("links/links", LinkRow)


async def create_link(core: Core, domain: str, node_id: str, new_link: NewLink) -> LinkCreationResult:
    """Create a link. See `Memory.create_cross_domain_link`."""
    if new_link.target_domain == domain:
        hint = Hint("To connect nodes of the same domain, use {create_connection}.")
        raise invalid_argument("target_domain", f"{domain} is the source's own domain", hint)
    core.store.require_one_database(domain, new_link.target_domain)
    await core.log.require_ontology(new_link.target_domain)
    candidates: tuple[Candidate, ...] | None = None
    target = new_link.target
    if target is None:
        candidates = await candidates_for(core, domain, node_id, new_link.target_domain)
        if not candidates or not candidates[0].fits:
            hint = f"No node of {new_link.target_domain} is similar enough to this node: pass target_node_id."
            return LinkCreationResult(success=False, candidates=candidates, hint=hint)
        target = candidates[0].node_id
    created = await _write_link(core, domain, node_id, target, new_link)
    return created.model_copy(update={"candidates": candidates})


async def _write_link(core: Core, domain: str, node_id: str, target: str, new_link: NewLink) -> LinkCreationResult:
    link_id = new_id("link")

    async def read(reader: Reader, _: Head) -> tuple[NodeState, str, Owners]:
        node = await read_node(reader, domain, node_id)
        title = await reader.first_row(TITLE, domain=new_link.target_domain, id=target)
        if title is None:
            error = node_not_found_error(new_link.target_domain, target)
            raise GraphError(error.code, f"{error.message} in domain {new_link.target_domain}", error.details)
        state = {"_target_domain": new_link.target_domain, "_target": target, "_link_type": new_link.type}
        return node, title, await owners_of(reader, domain, link_value(node_id, state))

    def decide(head: Head, stored_data: tuple[NodeState, str, Owners]) -> Decision[LinkCreationResult]:
        node, title, owners = stored_data
        link = LinkState(
            target_domain=new_link.target_domain,
            target=target,
            type=new_link.type,
            strength=new_link.strength,
            bidirectional=new_link.bidirectional,
            created=head.at,
            description=new_link.description,
            metadata=new_link.metadata,
        )
        target_ref = ref_to_source(link, domain, node_id, node.shown_title) if link.bidirectional else None
        created = LinkCreationResult(
            success=True, link_id=link_id, source_ref=ref_to_target(link, title), target_ref=target_ref
        )
        draft = Draft(op=Op.CREATE, kind=Kind.LINK, subject=link_id, from_id=node_id, state=link.state())
        context = Context(ontology=head.ontology, existing_node_types={node_id: node.type}, owners=owners)
        return Decision(Changeset.of(context, [draft]).validate(domain), created)

    written = await core.log.write("create_cross_domain_link", domain, core.origin, read, decide)
    return written.report.model_copy(update={"version": written.receipt.seq})


def ref_to_target(link: LinkState, title: str | None) -> DomainRef:
    """Return the reference to a link's target, as seen from its source."""
    return DomainRef(
        domain=link.target_domain,
        node_id=link.target,
        title=title,
        link_type=link.type,
        description=link.description,
        strength=link.strength,
        bidirectional=link.bidirectional,
        metadata=link.data,
        created=link.created,
    )


def ref_to_source(link: LinkState, domain: str, source: str, title: str | None) -> DomainRef:
    """Return the reference to a link's source, as seen from its target."""
    description = None if link.description is None else REVERSE_DESCRIPTION.format(link.description)
    fields = {"domain": domain, "node_id": source, "link_type": INVERSES[link.type], "description": description}
    return ref_to_target(link, title).model_copy(update=fields)


async def list_links(
    core: Core, domain: str, node_id: str | None, direction: Direction, limit: int | None, cursor: str | None
) -> Links:
    """Return the links of a domain. See `Memory.list_cross_domain_links`."""
    maximum, after = check_limit(limit), check_cursor(cursor)
    await core.log.require_ontology(domain)
    if node_id is not None:
        await read_node(core.store, domain, node_id)
    directions = {"out": direction != "in", "in": direction != "out"}
    row_limit = maximum + 1 if CALLER.get() is None else UNLIMITED
    rows = await core.store.read(LINKS, domain=domain, node=node_id, after=after, limit=row_limit, **directions)
    rows = [row for row in rows if can_read(_other_domain(row))]
    page = rows[:maximum]
    return Links(
        links=tuple(_as_result(core, row) for row in page),
        next_cursor=cursor_after(page[-1].key) if len(rows) > maximum else None,
    )


def _other_domain(row: LinkRow) -> str:
    return LinkState.from_state(row.stored).target_domain if row.is_out else row.domain


def _as_result(core: Core, row: LinkRow) -> Link:
    link = LinkState.from_state(row.stored)
    ends = ((row.source, row.source_title), (row.target, row.target_title))
    near_end = ends[0] if row.is_out else ends[1]
    far_end = ref_to_target(link, row.target_title) if row.is_out else ref_to_source(link, row.domain, *ends[0])
    return Link(
        link_id=row.id,
        domain=row.domain,
        node_id=near_end[0],
        title=near_end[1],
        ref=far_end,
        dangling=_reason_for_missing_target(core, row, link),
    )


def _reason_for_missing_target(core: Core, row: LinkRow, link: LinkState) -> str | None:
    """Return why the target of a link is missing, or None if it exists. It may be in another database."""
    if row.target_title is not None:
        return None
    try:
        core.store.require_one_database(row.domain, link.target_domain)
    except GraphError as error:
        return error.message
    if not row.has_domain:
        return f"Domain {link.target_domain} does not exist"
    reason = {"delete": "was deleted", "erased": "was erased"}.get(row.last or "", "does not exist")
    return f"Node {link.target} {reason} in domain {link.target_domain}"


async def delete_link(core: Core, domain: str, link_id: str) -> LinkDeletionResult:
    """Delete a link. See `Memory.delete_cross_domain_link`."""
    check_text({"link_id": link_id})

    async def read(reader: Reader, _: Head) -> Event:
        last = await last_event(reader, domain, link_id)
        if last is None or last.draft.kind is not Kind.LINK or last.draft.op is Op.DELETE:
            search = " Use {list_cross_domain_links} to find the domain of each link."
            hint = Hint("Pass the domain of the link's source.", search)
            details = {"link_id": printable(link_id), "domain": domain, "hint": hint}
            message = f"Link {printable(link_id)} does not exist in domain {domain}"
            raise GraphError(Code.LINK_NOT_FOUND, message, details)
        return last

    def decide(_: Head, last: Event) -> Decision[None]:
        start, version = last.draft.from_id, last.seq
        draft = Draft(op=Op.DELETE, kind=Kind.LINK, subject=link_id, from_id=start, previous=version)
        return Decision([draft], None)

    written = await core.log.write("delete_cross_domain_link", domain, core.origin, read, decide)
    return LinkDeletionResult(link_id=link_id, version=written.receipt.changes[-1].seq)
