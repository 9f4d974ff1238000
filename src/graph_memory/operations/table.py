"""The table of operations, by toolset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.operations.agent import AGENT_MEMORY
from graph_memory.operations.batch import BATCH
from graph_memory.operations.cleanup import CLEANUP
from graph_memory.operations.domains import DOMAINS
from graph_memory.operations.entities import ENTITIES
from graph_memory.operations.graph import GRAPH
from graph_memory.operations.history import HISTORY
from graph_memory.operations.links import LINKS
from graph_memory.operations.meaning import MEANING
from graph_memory.operations.operation import AnyOperation
from graph_memory.operations.protection import PROTECTION
from graph_memory.operations.recall import RECALL
from graph_memory.operations.remember import REMEMBER
from graph_memory.operations.sessions import SESSIONS
from graph_memory.operations.traversal import TRAVERSAL
from graph_memory.operations.updates import UPDATES

TOOLSETS: Mapping[str, Sequence[AnyOperation]] = {
    "graph": GRAPH,
    "recall": (*RECALL, *TRAVERSAL),
    "history": HISTORY,
    "domains": (*DOMAINS, *LINKS),
    "batch": BATCH,
    "meaning": MEANING,
    "protection": PROTECTION,
    "entities": ENTITIES,
    "remember": (*REMEMBER, *UPDATES),
    "cleanup": CLEANUP,
    "sessions": SESSIONS,
    "agent_memory": AGENT_MEMORY,
}

OPERATIONS: Mapping[str, AnyOperation] = {
    operation.name: operation for operations in TOOLSETS.values() for operation in operations
}
"""Every operation by its name."""

CALLABLE: Mapping[str, AnyOperation] = {
    name: operation for name, operation in OPERATIONS.items() if not operation.in_session
}
"""The operations that mean something outside a session of a server."""
