"""The table of all operations, keyed by toolset and by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.operations.operation import AnyOperation
from graph_memory.operations.toolsets.agent import AGENT_MEMORY
from graph_memory.operations.toolsets.batch import BATCH
from graph_memory.operations.toolsets.cleanup import CLEANUP
from graph_memory.operations.toolsets.cypher import CYPHER
from graph_memory.operations.toolsets.domains import DOMAINS
from graph_memory.operations.toolsets.entities import ENTITIES
from graph_memory.operations.toolsets.files import FILES
from graph_memory.operations.toolsets.graph import GRAPH
from graph_memory.operations.toolsets.history import HISTORY
from graph_memory.operations.toolsets.inference import MEANING
from graph_memory.operations.toolsets.links import LINKS
from graph_memory.operations.toolsets.protection import PROTECTION
from graph_memory.operations.toolsets.recall import RECALL
from graph_memory.operations.toolsets.remember import REMEMBER
from graph_memory.operations.toolsets.sessions import SESSIONS
from graph_memory.operations.toolsets.traversal import TRAVERSAL
from graph_memory.operations.toolsets.updates import UPDATES

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
    "files": FILES,
    "cypher": CYPHER,
}

OPERATIONS: Mapping[str, AnyOperation] = {
    operation.name: operation for operations in TOOLSETS.values() for operation in operations
}
"""All operations by name."""

CALLABLE: Mapping[str, AnyOperation] = {
    name: operation for name, operation in OPERATIONS.items() if not operation.in_session
}
"""The operations in `graph-memory call`: all operations that do not act on a server's session."""
