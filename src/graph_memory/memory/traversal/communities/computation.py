"""Each domain's communities, computed in the background and cached by log number."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from math import ceil
from time import monotonic

import anyio
import anyio.to_thread

from graph_memory.memory.background import IdleBackground
from graph_memory.memory.core import Core
from graph_memory.memory.traversal.communities.labels import computation_error, find_labels
from graph_memory.memory.traversal.communities.values import Clustering, Network, build_clustering
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.storage.log.ontologies import HEAD, HeadRow, no_ontology_error
from graph_memory.storage.queries import query

MAX_CACHED_NODES = 400_000
"""Maximum number of nodes, in all domains, whose communities are cached. The least recently requested results are
dropped first."""
MAX_COMPUTATIONS = 8
"""Maximum number of running or queued computations. One runs at a time."""
MAX_CONNECTIONS = 2_000_000
"""Maximum number of a domain's connections, and of its nodes, for computing communities."""
REST = 10
"""The pause between two computations for a domain, as a multiple of the last computation's duration."""
WANTED_SECONDS = 60
"""Number of seconds after the last call until a queued computation is cancelled."""
PAGE = 1_000
"""Number of nodes that are read at once."""
_CACHE = ("", "communities")


@dataclass(frozen=True, slots=True)
class NetworkRow:
    """A node, and the nodes to which its connections lead."""

    id: str
    type: str
    targets: list[str]


NETWORK = query("traversal/network", NetworkRow)


@dataclass(slots=True)
class DomainCommunities:
    """A domain's newest communities, and the state of their computation."""

    created: str
    """The domain's creation time. A domain recreated with the same name has a separate state."""
    clustering: Clustering | None = None
    seq: int = 0
    epoch: str = ""
    """The domain's log number and epoch when its network was read."""
    error: GraphError | None = None
    """The error of the last computation, if it failed."""
    rests_until: float = 0.0
    wanted_until: float = 0.0
    end: anyio.Event | None = None
    """Set when the last computation ends. None before the first computation."""

    @property
    def is_computing(self) -> bool:
        """Whether a computation is running or queued."""
        return self.end is not None and not self.end.is_set()

    @property
    def size(self) -> int:
        """The number of cached nodes. A result without nodes counts as one, so that it can be evicted too."""
        return 1 + sum(len(cluster.members) for cluster in self.clustering.clusters) if self.clustering else 0

    def is_current(self, head: HeadRow) -> bool:
        """Return whether the communities include all changes of the domain."""
        return self.clustering is not None and self.seq >= head.seq and self.epoch == head.epoch


@dataclass(frozen=True, slots=True)
class CommunitySnapshot:
    """A domain's communities at the time of a call. Later computations do not change it."""

    clustering: Clustering | None
    at: int | None
    """The log number of the communities, or None if there are none yet."""
    seq: int
    """The domain's last log number."""
    is_computing: bool
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, state: DomainCommunities, head: HeadRow) -> CommunitySnapshot:
        """Return the current communities of a domain."""
        at = None if state.clustering is None else state.seq
        warnings = () if state.error is None else (f"These communities are out of date: {state.error.message}",)
        return cls(state.clustering, at, head.seq, state.is_computing and not state.is_current(head), warnings)


@dataclass(slots=True)
class CommunityCache:
    """The communities of the most recently requested domains. One computation runs at a time."""

    states: dict[tuple[str, str], DomainCommunities] = field(default_factory=dict[tuple[str, str], DomainCommunities])
    """The states by domain and creation time, in the order of the last calls."""
    turn: anyio.Lock = field(default_factory=anyio.Lock)
    started: int = 0
    """Number of computations started so far."""

    def request(self, domain: str, created: str) -> DomainCommunities:
        """Return a domain's state, and drop the least recently requested results. Running computations are kept."""
        key = (domain, created)
        state = self.states[key] = self.states.pop(key, None) or DomainCommunities(created)
        size = sum(cached.size for cached in self.states.values())
        idle_states = {
            other_key: other
            for other_key, other in self.states.items()
            if other is not state and not other.is_computing
        }
        for other_key, other in idle_states.items():
            if size > MAX_CACHED_NODES:
                size -= other.size
                other.clustering = None
            if other.clustering is None and other.rests_until <= monotonic():
                del self.states[other_key]
        return state

    @property
    def is_full(self) -> bool:
        """Whether the computation queue is full."""
        return sum(state.is_computing for state in self.states.values()) >= MAX_COMPUTATIONS


async def communities_of(core: Core, domain: str, max_wait: float) -> CommunitySnapshot:
    """Return a domain's communities. If there are none yet, wait up to `max_wait` seconds.

    Raises ONTOLOGY_NOT_FOUND if the domain does not exist. If there are no communities, raises the error of a failed
    computation, or OVERLOADED if no computation can start.
    """
    head = await _head(core, domain)
    cache = core.layer_cache.setdefault(_CACHE, CommunityCache())
    assert isinstance(cache, CommunityCache)  # noqa: S101 - nothing else has this key
    created = _creation_of(head)
    if isinstance(core.background, IdleBackground):  # what a transaction reads may be rolled back
        state = cache.states.get((domain, created)) or DomainCommunities(created)
        return replace(CommunitySnapshot.of(state, head), is_computing=False)
    state = cache.request(domain, created)
    state.wanted_until = max(state.wanted_until, monotonic() + max_wait + WANTED_SECONDS)
    obstacle = None
    if not state.is_current(head) and not state.is_computing:
        obstacle = _obstacle(cache, state)
        if obstacle is None:
            state.error, state.end = None, anyio.Event()
            cache.started += 1
            name = f"communities of {domain}, computation {cache.started}"
            core.background.start(name, _compute(core, domain, cache, state, state.end))
    if state.clustering is None and state.end is not None:
        with anyio.move_on_after(max_wait):
            await state.end.wait()
    failure = state.error or obstacle
    if state.clustering is None and failure is not None:
        raise GraphError(failure.code, failure.message, failure.details)  # several callers raise it
    return CommunitySnapshot.of(state, head)


def _obstacle(cache: CommunityCache, state: DomainCommunities) -> GraphError | None:
    """Return the error that says why no computation can start now, or None if one can start."""
    if (seconds := ceil(state.rests_until - monotonic())) > 0:
        message = "The communities of this domain are not cached, and it is too soon to compute them again"
        return _overload_error(message, seconds)
    if cache.is_full:
        return _overload_error("The communities of too many other domains are being computed", 10)
    return None


def _overload_error(message: str, seconds: int) -> GraphError:
    hint = f"Repeat the call after {seconds} s."
    return GraphError(Code.OVERLOADED, message, {"retry_after": seconds, "hint": hint})


def _creation_of(head: HeadRow) -> str:
    """Return the domain's creation time. An epoch also contains the number of repairs and type changes."""
    return head.epoch.rpartition("/")[0]


async def _head(core: Core, domain: str) -> HeadRow:
    head = await core.store.first_row(HEAD, domain=domain)
    if head is None:
        raise no_ontology_error(domain)
    return head


async def _compute(core: Core, domain: str, cache: CommunityCache, state: DomainCommunities, end: anyio.Event) -> None:
    try:
        async with cache.turn:
            if monotonic() <= state.wanted_until:
                await _compute_now(core, domain, state)
    finally:
        end.set()


async def _compute_now(core: Core, domain: str, state: DomainCommunities) -> None:
    """Compute the communities. A failure is stored as a GraphError, so that callers receive it."""
    began = monotonic()
    try:
        head = await _head(core, domain)
        network = await _read_network(core, domain)
        clustering = await anyio.to_thread.run_sync(build_clustering, network, await find_labels(network))
    except GraphError as error:
        state.error = error
        raise
    except Exception as error:
        state.error = computation_error(f"{type(error).__name__}: {error}")
        raise state.error from error
    else:
        if _creation_of(head) == state.created:
            state.clustering, state.seq, state.epoch, state.error = clustering, head.seq, head.epoch, None
    finally:
        state.rests_until = monotonic() + REST * (monotonic() - began)


async def _read_network(core: Core, domain: str) -> Network:
    network, after = Network(), ""
    while True:
        rows = await core.store.read(NETWORK, domain=domain, after=after, limit=PAGE)
        for row in rows:
            network.add(row.id, sys.intern(row.type), row.targets)
        if max(len(network.pairs) // 2, len(network.numbers)) > MAX_CONNECTIONS:
            message = (
                f"Domain {domain} has more than {MAX_CONNECTIONS:,} nodes or connections, the limit for communities"
            )
            hint = Hint("Split it into several domains", ", or follow its connections with {traverse_memories}", ".")
            raise GraphError(Code.CONTENT_TOO_LARGE, message, {"limit": MAX_CONNECTIONS, "hint": hint})
        if len(rows) < PAGE:
            return network
        after = rows[-1].id
