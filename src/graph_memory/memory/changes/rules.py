"""The rules of connection types about other connections: asked once a write is projected, before it is committed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.kinds import Kind
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """A connection that breaks a rule of its type."""

    id: str
    rule: str


BROKEN_RULES = query("changes/broken_rules", BrokenRow)


class RulesBroken(Exception):  # noqa: N818 - it is no error yet: the revert is tried without these
    """Connections that would break a rule of their type, each with the reason."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__()
        self.reasons = reasons


def ruled(draft: Draft, ontology: Ontology | None) -> dict[str, object] | None:
    """Return what to check of a connection that came to be, None when its type has no rules about others."""
    if draft.kind is not Kind.CONNECTION or draft.op is not Op.CREATE:
        return None
    declared = ontology.find_connection_type(draft.type or "") if ontology else None
    if declared is None or not (declared.unique_source or declared.unique_target or declared.acyclic):
        return None
    return {
        "id": draft.subject,
        "type": draft.type,
        "from": draft.from_id,
        "to": draft.to_id,
        "unique_source": declared.unique_source,
        "unique_target": declared.unique_target,
        "acyclic": declared.acyclic,
    }


async def check_rules(
    reader: Reader, domain: str, events: Sequence[Event], ontology: Ontology | None, *, in_turn: bool
) -> None:
    """Raise RulesBroken for new connections that break a rule of their type.

    Of two that break it together it names the later if they come in turn, and both otherwise.
    """
    rows = [row for event in events if (row := ruled(event.draft, ontology))]
    if not rows:
        return
    turns = {row["id"]: turn for turn, row in enumerate(rows, start=1)} if in_turn else {}
    if broken := await reader.read(BROKEN_RULES, domain=domain, rows=rows, turns=turns):
        raise RulesBroken({row.id: row.rule for row in broken})
