"""Records that similar entities are different. A property of one entity contains a JSON list of the others' ids."""

from __future__ import annotations

from graph_memory.memory.core import Core
from graph_memory.memory.graph.nodes import edit_of, read_node, update_node
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.subjects import DIFFERENT, NodeState
from graph_memory.model.text.name_list import listed_names, name_list
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

_ATTEMPTS = 5


async def mark_different(core: Core, domain: str, new: str, known: str) -> int | None:
    """Record that two entities are different. Returns the log number of the change, or None if it is already recorded.

    The entity `new` stores the record, or `known` if `new` is protected. Raises PROTECTED if both are protected,
    INVALID_ARGUMENT if the property contains another value, and VERSION_CONFLICT if other writers keep changing the
    entity.
    """
    nodes = [await read_node(core.store, domain, node_id) for node_id in (new, known)]
    if known in different_ids(nodes[0]) or new in different_ids(nodes[1]):
        return None
    try:
        return await _add(core, domain, new, known)
    except GraphError as error:
        if error.code is not Code.PROTECTED:
            raise
        return await _add(core, domain, known, new)


def different_ids(node: NodeState) -> list[str]:
    """Return the ids of the entities that are recorded as different from this entity.

    Raises INVALID_ARGUMENT if the property is not a list of ids.
    """
    stored = node.properties.get(DIFFERENT, "[]")
    if not isinstance(stored, str) or not stored.lstrip().startswith("["):
        hint = "Move its value to another property, then decide again."
        raise invalid_argument(DIFFERENT, f"Property {DIFFERENT} of {quote(node.id)} is not a list of ids", hint)
    return [*listed_names(stored)]


async def _add(core: Core, domain: str, node_id: str, other: str, attempts: int = _ATTEMPTS) -> int:
    node = await read_node(core.store, domain, node_id)
    edit = await edit_of(
        properties={DIFFERENT: name_list([*different_ids(node), other])},
        content=None,
        encoding=None,
        content_format=None,
        tags=None,
        fields={},
        expected_version=node.version,
    )
    try:
        return (await update_node(core, domain, node_id, edit)).version
    except GraphError as error:
        if error.code is not Code.VERSION_CONFLICT or attempts == 1:
            raise
        return await _add(core, domain, node_id, other, attempts - 1)
