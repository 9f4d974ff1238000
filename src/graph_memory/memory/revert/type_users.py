"""What lives in a domain of types that would be taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from graph_memory.memory.changes.plan import type_of
from graph_memory.memory.graph.queries import CONNECTIONS_OF_TYPE, NODES_OF_TYPE, given_to
from graph_memory.memory.revert.values import Reversal
from graph_memory.model.events import Draft
from graph_memory.model.matching import Wanted
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.queries import unmarked
from graph_memory.storage.store import Reader


async def users_of(
    reader: Reader,
    domain: str,
    types: Sequence[Reversal],
    undos: Iterable[Reversal],
    attached: Mapping[str, Iterable[Draft]],
) -> dict[str, str]:
    """Return for each type, where there is one, something of it that is none of the subjects nor attached to them."""
    if not types:
        return {}
    drafts = [undo.last.draft for undo in undos if undo.is_live]
    drafts += [draft for tied in attached.values() for draft in tied]
    known = {draft.subject: type_of(draft) for draft in drafts}
    counts = Counter(known.values())
    found: dict[str, str] = {}
    for undo in types:
        kind, statement = _OF_TYPE[undo.kind]
        wanted = Wanted(kind=kind, type=undo.subject.partition("/")[2], properties={})
        arguments = {**given_to(statement, wanted), "after": "", "limit": counts[undo.subject] + 1}
        rows = unmarked(await reader.read(statement, domain=domain, **arguments))
        other = next((row for row in rows if row not in known), None)
        if other is not None:
            found[undo.subject] = f"{kind} {other} has this type"
    return found


_OF_TYPE = {
    Kind.NODE_TYPE: (Kind.NODE, NODES_OF_TYPE),
    Kind.CONNECTION_TYPE: (Kind.CONNECTION, CONNECTIONS_OF_TYPE),
}
