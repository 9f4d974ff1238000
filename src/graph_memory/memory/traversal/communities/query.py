"""Queries of a domain's communities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.search.request import check_integer
from graph_memory.memory.traversal.communities.computation import communities_of
from graph_memory.memory.traversal.communities.results import Communities, Community, CommunityEdge
from graph_memory.memory.traversal.communities.values import (
    MAX_COMMUNITIES,
    MAX_EDGES,
    OTHER_ID,
    UNCONNECTED_ID,
    Cluster,
    Clustering,
)
from graph_memory.model.results import NodeBrief
from graph_memory.model.subjects.subjects import user_properties
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.titles import shown_title
from graph_memory.storage.queries import query

MAX_NODE_IDS = 2_000
MAX_WAIT = 60
"""Maximum time in seconds to wait for the first result."""
NODES = 3
"""Number of nodes listed per community."""
NODES_OF_ONE = 50
"""Number of nodes listed if only one community is requested."""
EDGES = 10
"""Maximum number of edges per requested community."""
TITLES_AT_ONCE = 1_000
"""Maximum number of nodes per statement."""
_LABELS = {OTHER_ID: "Small communities", UNCONNECTED_ID: "Without connections"}


@dataclass(frozen=True, slots=True)
class TitleRow:
    """A node with its title. If the title only repeats the type, `properties` contains the stored properties."""

    id: str
    type: str
    title: str
    properties: Mapping[str, object]

    @property
    def brief(self) -> NodeBrief:
        """The node's short description. If the node has no title, a property serves as the title."""
        title = shown_title(self.type, self.title, user_properties(self.properties))
        return NodeBrief(id=self.id, type=self.type, title=title)


TITLES = query("traversal/titles", TitleRow)


async def get_communities(
    core: Core,
    domain: str,
    *,
    community_id: str | None,
    node_ids: Sequence[str] | None,
    limit: int,
    max_wait: int,
) -> Communities:
    """Return a domain's communities. See `Recall.get_communities`."""
    check_integer("limit", limit, 1, MAX_COMMUNITIES)
    check_integer("max_wait", max_wait, 0, MAX_WAIT)
    if node_ids is not None and len(node_ids) > MAX_NODE_IDS:
        raise invalid_argument(
            "node_ids", f"{len(node_ids):,} node ids are too many", f"Pass at most {MAX_NODE_IDS:,}."
        )
    snapshot = await communities_of(core, domain, max_wait)
    clustering = snapshot.clustering or Clustering()
    clusters = clustering.clusters
    members = None if node_ids is None else clustering.community_positions(node_ids)
    if community_id is not None:  # the id of a community, or of any node in it
        named = [position for position, cluster in enumerate(clusters) if cluster.id == community_id]
        positions = named or [*clustering.community_positions([community_id]).values()]
    else:
        positions = [*range(len(clusters))] if members is None else sorted({*members.values()})
    real_positions = [position for position in positions if clusters[position].is_real]
    special_positions = [position for position in positions if not clusters[position].is_real]
    shown_positions = [*real_positions[:limit], *special_positions]
    node_limit = NODES if community_id is None else NODES_OF_ONE
    edges = _edges_between(clustering, shown_positions)
    return Communities(
        communities=await _describe(core, domain, [clusters[position] for position in shown_positions], node_limit),
        edges=edges[: EDGES * limit],
        members=None if members is None else {node: clusters[position].id for node, position in members.items()},
        nodes=sum(len(cluster.members) for cluster in clusters),
        left_out=len(positions) - len(shown_positions) or None,
        at=snapshot.at,
        seq=snapshot.seq,
        is_computing=snapshot.is_computing,
        warnings=(*snapshot.warnings, *_omitted_edge_warnings(clustering, len(edges), EDGES * limit)) or None,
    )


def _omitted_edge_warnings(clustering: Clustering, count: int, limit: int) -> Iterable[str]:
    if count > limit:
        yield f"The {count - limit:,} edges with the fewest connections are omitted. Raise limit to get more."
    if clustering.uncounted:
        yield f"Edges are counted between {MAX_EDGES:,} pairs of communities; {clustering.uncounted:,} are omitted."


def _edges_between(clustering: Clustering, positions: Sequence[int]) -> tuple[CommunityEdge, ...]:
    ids = {position: clustering.clusters[position].id for position in positions}
    return tuple(
        CommunityEdge(from_id=ids[first], to_id=ids[second], connections=count)
        for first, second, count in clustering.edges
        if first in ids and second in ids
    )


async def _describe(core: Core, domain: str, clusters: Sequence[Cluster], node_limit: int) -> tuple[Community, ...]:
    """Return communities with their most connected nodes. Nodes deleted after the computation are skipped."""
    ids = [member for cluster in clusters for member in cluster.members[:node_limit]]
    briefs: dict[str, NodeBrief] = {}
    for start in range(0, len(ids), TITLES_AT_ONCE):
        rows = await core.store.read(TITLES, domain=domain, ids=ids[start : start + TITLES_AT_ONCE])
        briefs.update((row.id, row.brief) for row in rows)
    return tuple(_community(cluster, briefs, node_limit) for cluster in clusters)


def _community(cluster: Cluster, briefs: Mapping[str, NodeBrief], node_limit: int) -> Community:
    nodes = tuple(briefs[member] for member in cluster.members[:node_limit] if member in briefs)
    titles = ", ".join(node.title for node in nodes[:NODES])
    return Community(
        id=cluster.id,
        label=_LABELS.get(cluster.id) or titles or ", ".join(cluster.types),
        size=len(cluster.members),
        types=dict(cluster.types),
        nodes=nodes,
    )
