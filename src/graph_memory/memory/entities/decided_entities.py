"""`decide` for a new entity and a known one whose name is alike."""

from __future__ import annotations

from graph_memory.memory.changes.context import in_parts
from graph_memory.memory.core import Core
from graph_memory.memory.entities.cleaning.merging import merge_entities
from graph_memory.memory.entities.cleaning.results import Settled
from graph_memory.memory.entities.remembered import CANDIDATE_CHOICES
from graph_memory.memory.knowledge.reading import names_of
from graph_memory.model.arguments import fault
from graph_memory.model.events import Event
from graph_memory.model.kinds import Kind
from graph_memory.model.wording import quoted
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.store import Reader


async def is_entity(reader: Reader, domain: str, subject: str) -> bool:
    """Say whether an id is that of a node, also of a deleted one."""
    rows = await in_parts(reader, LAST_EVENTS, domain, subjects=[subject])
    return any(Event.from_row(row).draft.kind is Kind.NODE for row in rows)


async def decide_entities(core: Core, domain: str, new: str, known: str, answer: str) -> Settled:
    """Merge a new entity into a known one if they are the same. Raises INVALID_ARGUMENT.

    Nothing is stored for `new`: `remember` asks only when it creates an entity.
    """
    if answer not in CANDIDATE_CHOICES:
        raise fault("decision", f"{quoted(answer)} does not answer a question of two entities", "Use same or new.")
    names = await names_of(core.store, domain, [new, known])
    for argument, subject in (("new", new), ("known", known)):
        if subject not in names:
            hint = "It was merged or deleted, or the id is not that of the question: nothing is left to answer."
            raise fault(argument, f"There is no entity {quoted(subject)}", hint)
    if answer == "new":
        return Settled(decision=answer, new=new, known=known, changed=False)
    merged = await merge_entities(core, domain, [names[new]], names[known], dry_run=False)
    return Settled(decision=answer, new=new, known=known, changed=True, merged=merged)
