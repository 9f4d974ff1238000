"""Protects a node, a connection or a domain, or removes the protection. `storage/log/protection` enforces it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graph_memory.memory.changes.plan import Changeset, Context
from graph_memory.memory.core import Core
from graph_memory.memory.domains.listing import domain_state
from graph_memory.memory.domains.tree import DOMAIN, domain_draft
from graph_memory.memory.graph import connections, nodes
from graph_memory.model.events import Draft, Head, Op, Origin
from graph_memory.model.results import ProtectionChangeResult
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.protection import Protection, check_names, check_reason
from graph_memory.model.subjects.subjects import ConnectionState, DomainState, NodeState
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.time.points import parse_instant
from graph_memory.model.values.arguments import invalid_argument, is_encodable
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class Target:
    """The node, connection or domain whose protection changes."""

    kind: Kind
    id: str = DOMAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionTerms:
    """The validated terms of a protection: its reason, its expiry time, and the actors that may remove it."""

    reason: str | None = None
    expires_at: datetime | None = None
    can_be_unprotected_by: tuple[str, ...] = ()

    def build_protection(self, origin: Origin, at: datetime) -> Protection:
        """Return the protection with these terms, set by the caller of `origin` at the time `at`."""
        return Protection(
            locked_by=origin.actor or origin.source,
            locked_at=at,
            reason=self.reason,
            expires_at=self.expires_at,
            can_be_unprotected_by=self.can_be_unprotected_by,
        )


@dataclass(frozen=True, slots=True)
class _TargetState:
    """The current state and version of the target. The version of a domain may be None."""

    state: NodeState | ConnectionState | DomainState
    version: int | None


def target_of(node_id: str | None, connection_id: str | None, domain: str | None) -> Target:
    """Return the target of a protection. Raises INVALID_ARGUMENT unless exactly one id, or only a domain, is given."""
    if node_id is not None and connection_id is not None:
        raise invalid_argument("connection_id", "node_id and connection_id were both given", "Pass only one of them.")
    if node_id is not None:
        return Target(Kind.NODE, node_id)
    if connection_id is not None:
        return Target(Kind.CONNECTION, connection_id)
    if domain is None:
        hint = "Pass node_id, connection_id or a domain name. Even the default domain must be passed explicitly."
        raise invalid_argument("node_id", "No node, connection or domain was given", hint)
    return Target(Kind.DOMAIN)


def terms_of(
    reason: str | None, expires_at: datetime | str | None, can_be_unprotected_by: Sequence[str] | None, now: datetime
) -> ProtectionTerms:
    """Validate the terms of a protection, and return them.

    Raises INVALID_ARGUMENT if a term is invalid, for example if the expiry time is in the past.
    """
    values = () if can_be_unprotected_by is None else can_be_unprotected_by
    if isinstance(values, str):
        raise invalid_argument(
            "can_be_unprotected_by", "can_be_unprotected_by must be a list", 'Pass a single name as ["name"].'
        )
    try:
        checked_reason = check_reason(reason) if reason is not None else None
        names = check_names(values)
    except ValueError as error:
        argument = "reason" if str(error).startswith("reason") else "can_be_unprotected_by"
        raise invalid_argument(argument, str(error), "Pass shorter text, or omit it.") from error
    if not all(map(is_encodable, (checked_reason or "", *names))):
        message = "reason or a name contains a lone surrogate"
        raise invalid_argument("reason", message, "Remove it, or replace it with U+FFFD.")
    expiry = parse_instant("expires_at", expires_at, now) if expires_at is not None else None
    if expiry is not None and expiry <= now:
        raise invalid_argument(
            "expires_at",
            f"{rfc3339(expiry)} is in the past",
            "Pass a later time, or omit it if the protection should never expire.",
        )
    return ProtectionTerms(reason=checked_reason, expires_at=expiry, can_be_unprotected_by=names)


async def protect(core: Core, domain: str, target: Target, terms: ProtectionTerms | None) -> ProtectionChangeResult:
    """Protect a target with these terms. If `terms` is None, removes its protection. See `Memory.protect`."""

    async def read(reader: Reader, _: Head) -> _TargetState:
        return await _read_target(reader, domain, target)

    def decide(head: Head, current: _TargetState) -> Decision[tuple[int, Protection | None]]:
        after = terms.build_protection(core.origin, head.at) if terms else None
        return Decision(decide_protection(head, target.kind, current, after), (current.version or 0, after))

    written = await core.log.write("protect" if terms else "unprotect", domain, core.origin, read, decide)
    version, after = written.report
    return ProtectionChangeResult(
        version=written.receipt.version_of(target.id) or version,
        is_read_only=after is not None,
        expires_at=after and after.expires_at,
    )


def decide_protection(head: Head, kind: Kind, current: _TargetState, after: Protection | None) -> list[Draft]:
    """Return the event that sets or removes a protection, or an empty list if nothing changes."""
    state, before = current.state, current.state.protection
    is_same = before is None if after is None else before is not None and before.terms == after.terms
    if is_same and (before is None or before.is_active(head.at)):
        return []
    if isinstance(state, DomainState):
        return [domain_draft(replace(state, protection=after), current.version)]
    ends = (state.from_node_id, state.to_node_id) if isinstance(state, ConnectionState) else (None, None)
    draft = Draft(
        op=Op.UPDATE,
        kind=kind,
        subject=state.id,
        type=state.type,
        from_id=ends[0],
        to_id=ends[1],
        previous=current.version,
        state=replace(state, protection=after, modified=head.at).state(),
    )
    return Changeset.of(Context(ontology=head.ontology), [draft]).validate(head.domain)


async def _read_target(reader: Reader, domain: str, target: Target) -> _TargetState:
    """Return the current state of a target. Raises ONTOLOGY_NOT_FOUND, NODE_NOT_FOUND and CONNECTION_NOT_FOUND."""
    if target.kind is Kind.DOMAIN:
        return _TargetState(*await domain_state(reader, domain))
    if target.kind is Kind.NODE:
        node = await nodes.read_node(reader, domain, target.id)
        return _TargetState(node, node.version)
    connection = await connections.read_connection(reader, domain, target.id)
    return _TargetState(connection, connection.version)
