"""Creation of domains, and changes of their description, metadata and parent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from graph_memory.memory.core import Core
from graph_memory.memory.domains.listing import domain_state
from graph_memory.model.domain_results import DomainChangeResult
from graph_memory.model.events import Draft, Head, Op, new_id, number_events
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import ontology_state
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import DomainState
from graph_memory.model.time.clock import next_time
from graph_memory.model.values.arguments import check_domain, invalid_argument
from graph_memory.model.values.fields import check_description, check_metadata
from graph_memory.storage.log.jobs import domain_exists_error
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.log.project import append_events
from graph_memory.storage.log.work import Decision
from graph_memory.storage.log.writing import LOCK, utc_now
from graph_memory.storage.store import Reader, Transaction

DOMAIN = "domain"
"""The subject id in events about the domain itself."""
Edit = Mapping[str, str | None]
"""The new values of changed fields, keyed by their names in `DomainState`. None removes a field."""


def edit_of(
    *,
    description: str | None = None,
    parent: str | None = None,
    metadata: Mapping[str, object] | None = None,
) -> Edit:
    """Validate the given fields and return them as an edit. An empty value removes a field.

    Raises INVALID_ARGUMENT if a field is invalid.
    """
    edit: dict[str, str | None] = {}
    if description is not None:
        edit["description"] = check_description(description) if description else None
    if parent is not None:
        edit["parent"] = check_domain(parent, argument="parent") if parent else None
    if metadata is not None:
        edit["metadata"] = check_metadata(metadata)
    return edit


async def create_domain(core: Core, name: str, edit: Edit) -> DomainChangeResult:
    """Create a domain with an empty ontology. See `Memory.create_domain`."""

    def decide(head: Head, _: None) -> Decision[None]:
        if head.seq > 0:
            raise domain_exists_error(name)
        ontology_draft = Draft(op=Op.CREATE, kind=Kind.ONTOLOGY, subject="ontology", state=ontology_state(Ontology()))
        # a log that starts with its ontology shows that the ontology was not declared by a caller
        return Decision([ontology_draft, domain_draft(replace(DomainState(created=head.at), **edit))], None)

    written = await core.log.write("create_domain", name, core.origin, read_nothing, decide, creates_domain=True)
    return DomainChangeResult(domain=name, version=written.receipt.version_of(DOMAIN) or 0)


async def update_domain(core: Core, name: str, edit: Edit) -> DomainChangeResult:
    """Change fields of a domain. See `Memory.update_domain`."""
    if not edit:
        raise invalid_argument("description", "No field to change was given", "Pass description, parent or metadata.")

    async def read(reader: Reader, _: Head) -> tuple[DomainState, int | None]:
        return await domain_state(reader, name)

    def decide(_: Head, state_and_version: tuple[DomainState, int | None]) -> Decision[int]:
        state, version = state_and_version
        after = replace(state, **edit)
        return Decision([] if after == state else [domain_draft(after, version)], version or 0)

    written = await core.log.write("update_domain", name, core.origin, read, decide)
    return DomainChangeResult(domain=name, version=written.receipt.version_of(DOMAIN) or written.report)


def domain_draft(state: DomainState, previous: int | None = None) -> Draft:
    """Return the draft that creates a domain, or updates its state after event `previous`."""
    op = Op.CREATE if previous is None else Op.UPDATE
    return Draft(op=op, kind=Kind.DOMAIN, subject=DOMAIN, previous=previous, state=state.state())


async def append_job_event(core: Core, transaction: Transaction, domain: str, draft: Draft) -> int:
    """Append the event of a background job, and return its number. Protection was checked when the job began."""
    lock = await transaction.first_row(LOCK, domain=domain, batch="")
    if lock is None:
        raise no_ontology_error(domain)
    at, origin = next_time(lock.last_at, utc_now()), core.origin
    events = number_events([draft], domain=domain, after=lock.seq, at=at, batch=new_id("evt"), origin=origin)
    await append_events(transaction, events, Ontology(), lock.ontology_version, 0)
    return events[-1].seq


async def read_nothing(_: Reader, __: Head) -> None:
    """Return nothing, for a write whose decision needs no stored data."""
