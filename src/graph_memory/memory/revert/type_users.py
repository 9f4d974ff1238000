"""Finds live subjects whose types a revert would remove."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from graph_memory.memory.changes.plan import type_of
from graph_memory.memory.graph.queries import CONNECTIONS_OF_TYPE, NODES_OF_TYPE, statement_params
from graph_memory.memory.revert.values import Reversal
from graph_memory.model.events import Draft
from graph_memory.model.matching import Criteria
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.queries import without_mark
from graph_memory.storage.store import Reader


async def users_of(
    reader: Reader,
    domain: str,
    types: Sequence[Reversal],
    undos: Iterable[Reversal],
    attached: Mapping[str, Iterable[Draft]],
) -> dict[str, str]:
    """Return, for each type, a phrase about one subject that will still have it. Omits types that no subject has."""
    if not types:
        return {}
    drafts = [undo.last.draft for undo in undos if undo.is_live]
    drafts += [draft for drafts_attached in attached.values() for draft in drafts_attached]
    type_of_subject = {draft.subject: type_of(draft) for draft in drafts}
    counts = Counter(type_of_subject.values())
    users: dict[str, str] = {}
    for undo in types:
        kind, statement = _STATEMENTS[undo.kind]
        node_filter = Criteria(kind=kind, type=undo.subject.partition("/")[2], properties={})
        params = {**statement_params(statement, node_filter), "after": "", "limit": counts[undo.subject] + 1}
        rows = without_mark(await reader.read(statement, domain=domain, **params))
        remaining_id = next((row for row in rows if row not in type_of_subject), None)
        if remaining_id is not None:
            users[undo.subject] = f"{kind} {remaining_id} has this type"
    return users


_STATEMENTS = {
    Kind.NODE_TYPE: (Kind.NODE, NODES_OF_TYPE),
    Kind.CONNECTION_TYPE: (Kind.CONNECTION, CONNECTIONS_OF_TYPE),
}
