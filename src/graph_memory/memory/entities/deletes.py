"""Entities, observations and relations deleted by their names; what is not there is no fault."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from graph_memory.memory.changes.context import attached_to, in_parts
from graph_memory.memory.changes.paging import TooMany
from graph_memory.memory.changes.plan import Changeset, Context
from graph_memory.memory.core import Core
from graph_memory.memory.entities.results import Done
from graph_memory.memory.entities.writes import Decided
from graph_memory.memory.entity_graph.reading import NAMED, observed, only_ends, related
from graph_memory.memory.entity_graph.values.request import NewRelation, Removal
from graph_memory.memory.graph.node_deletion import delete_node
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Head
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

Reading = Callable[[Reader, Head], Awaitable[Decided]]


async def delete_entities(core: Core, domain: str, names: Sequence[str]) -> Done:
    """Delete entities with all that is attached to them. `Entities.delete_entities` tells the rest."""
    deleted = 0

    async def read(reader: Reader, head: Head) -> Decided:
        nonlocal deleted
        rows = await in_parts(reader, NAMED, domain, names=names)
        deleted = len(rows)
        drafts = [row.deletion for row in rows]
        attached = await attached_to(reader, domain, [row.id for row in rows])
        alone = await _names_alone(reader, domain, [one for drafts in attached.values() for one in drafts], drafts)
        return [*drafts, *alone], Context(ontology=head.ontology, attached=attached)

    try:
        await _written(core, domain, "delete_entities", read)
    except TooMany:
        deleted = await _delete_in_parts(core, domain, names)
    return Done(message="Entities deleted successfully", deleted=deleted)


async def _delete_in_parts(core: Core, domain: str, names: Sequence[str]) -> int:
    """Delete entities that one write does not hold, in halves, and what is too large by itself in pages."""
    if middle := len(names) // 2:
        return sum([(await delete_entities(core, domain, half)).deleted for half in (names[:middle], names[middle:])])
    rows = await core.store.read(NAMED, domain=domain, names=names)
    for row in rows:
        await delete_node(core, domain, row.id, None)
    return len(rows)


async def delete_observations(core: Core, domain: str, wanted: Sequence[Removal]) -> Done:
    """Delete observations. `Entities.delete_observations` tells the rest."""
    deleted = 0

    async def read(reader: Reader, head: Head) -> Decided:
        nonlocal deleted
        rows = await observed(reader, domain, ((one.name, one.texts) for one in wanted))
        drafts = [draft for row in rows for draft in row.deletions]
        deleted = len(drafts)
        return drafts, Context(ontology=head.ontology)

    await _written(core, domain, "delete_observations", read)
    return Done(message="Observations deleted successfully", deleted=deleted)


async def delete_relations(core: Core, domain: str, wanted: Sequence[NewRelation]) -> Done:
    """Delete relations. `Entities.delete_relations` tells the rest."""
    deleted = 0

    async def read(reader: Reader, head: Head) -> Decided:
        nonlocal deleted
        rows = await related(reader, domain, wanted)
        drafts = [draft for row in rows for draft in row.deletions]
        deleted = len(drafts)
        return [*drafts, *await _names_alone(reader, domain, drafts)], Context(ontology=head.ontology)

    await _written(core, domain, "delete_relations", read)
    return Done(message="Relations deleted successfully", deleted=deleted)


async def _names_alone(reader: Reader, domain: str, going: Sequence[Draft], nodes: Sequence[Draft] = ()) -> list[Draft]:
    """Return the deletions of what is only named as an end of relations, where all of these go."""
    gone = {draft.subject for draft in going}
    rows = await only_ends(reader, domain, going, [draft.subject for draft in nodes])
    return [row.deletion for row in rows if row.is_left_by(gone.__contains__)]


async def _written(core: Core, domain: str, name: str, read: Reading) -> None:
    def decide(_: Head, decided: Decided) -> Decision[None]:
        drafts, context = decided
        return Decision(Changeset.of(context, drafts).ordered() if drafts else (), None)

    try:
        await core.log.write(name, domain, core.origin, read, decide)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
