"""Reads nodes, including deleted ones, with all their texts in the log, to find the nodes that must be erased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.storage.queries import query
from graph_memory.storage.store import LONG_READ_SECONDS


@dataclass(frozen=True, slots=True)
class LoggedNode:
    """A node with its session and project (None if it has none), and the texts of all its states in the log."""

    id: str
    type: str
    session: str | None
    project: str | None
    texts: Sequence[str]
    blobs: Sequence[str] = ()
    """The hashes of the texts that are stored as blobs. `texts` does not contain these texts."""

    @property
    def text(self) -> str:
        """All texts, joined by line breaks."""
        return "\n".join(self.texts)


LOGGED_NODES = query("retention/logged_nodes", LoggedNode)


async def logged_nodes(
    core: Core,
    domain: str,
    types: Sequence[str],
    properties: Mapping[str, str],
    text: str | None,
    prefix: str | None,
) -> Sequence[LoggedNode]:
    """Return the nodes of the given types that are not erased. See `History.logged_nodes`."""
    return await core.store.read_within(
        LONG_READ_SECONDS,
        LOGGED_NODES,
        domain=domain,
        types=list(types),
        properties=properties,
        text=None if text is None else text.lower(),
        prefix=prefix,
    )


async def read_all_texts(core: Core, domain: str, node: LoggedNode) -> str:
    """Return all texts of the node, each on its own line, with its blobs. Raises CONTENT_READ_FAILED."""
    blobs = [(await core.contents.blobs.get(domain, sha256)).decode() for sha256 in node.blobs]
    return "\n".join((*node.texts, *blobs))
