"""LangGraph's checkpoints in the graph: `GraphSaver`, a `BaseCheckpointSaver`.

with open_memory_sync() as memory:
    graph = builder.compile(checkpointer=GraphSaver(memory, domain="checkpoints"))

For the stored nodes, see `graph_memory.adapters.langgraph.checkpoint_nodes`. The session in the log is the thread's id.
By default, only LangGraph's and LangChain's own types are restored as objects. Objects of other types are restored as
plain data, unless `with_allowlist` lists their types or you pass your own serializer.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from typing_extensions import override

from graph_memory.adapters.langgraph.checkpoint_calls import CheckpointFilter, Checkpoints, split_pages
from graph_memory.adapters.langgraph.checkpoint_nodes import Location
from graph_memory.adapters.langgraph.store import ACTOR
from graph_memory.adapters.running import Runner
from graph_memory.memory.api.memory import Memory
from graph_memory.sync import SyncMemory

R = TypeVar("R")
_Call = Callable[[Checkpoints], Awaitable[R]]


class GraphSaver(BaseCheckpointSaver[str]):
    """A checkpointer on a domain of a memory that was opened with `open_memory_sync` or `open_memory`.

    If the memory is async, create the checkpointer within its event loop. Give checkpoints a separate domain, because
    each step of an agent adds nodes. Calls raise CONTENT_READ_FAILED if a stored checkpoint cannot be read.
    """

    def __init__(
        self,
        memory: Memory | SyncMemory,
        *,
        domain: str | None = None,
        actor: str = ACTOR,
        session: str | None = None,
        serde: SerializerProtocol | None = None,
    ) -> None:
        super().__init__(serde=serde or JsonPlusSerializer(allowed_msgpack_modules=None))
        self._runner = Runner(memory, domain, actor, session)
        self._session = session

    @override
    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self._run(None, lambda calls: calls.get(Location.of(config)))

    @override
    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._arun(None, lambda calls: calls.get(Location.of(config)))

    @override
    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        entry_filter = CheckpointFilter(filter, before, limit)
        for page in split_pages(self._run(None, lambda calls: calls.list_ids(config))):
            yield from entry_filter.take(self._run(None, lambda calls, page=page: calls.read(page)))
            if entry_filter.is_full:
                return

    @override
    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        entry_filter = CheckpointFilter(filter, before, limit)
        for page in split_pages(await self._arun(None, lambda calls: calls.list_ids(config))):
            for entry in entry_filter.take(await self._arun(None, lambda calls, page=page: calls.read(page))):
                yield entry
            if entry_filter.is_full:
                return

    @override
    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        location = Location.of(config)
        return self._run(location.thread, lambda calls: calls.put(location, config, checkpoint, metadata, new_versions))

    @override
    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        location = Location.of(config)
        return await self._arun(
            location.thread, lambda calls: calls.put(location, config, checkpoint, metadata, new_versions)
        )

    @override
    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        location = Location.of(config)
        self._run(location.thread, lambda calls: calls.put_writes(location, writes, task_id, task_path))

    @override
    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        location = Location.of(config)
        await self._arun(location.thread, lambda calls: calls.put_writes(location, writes, task_id, task_path))

    @override
    def delete_thread(self, thread_id: str) -> None:
        self.prune([thread_id], strategy="delete")

    @override
    async def adelete_thread(self, thread_id: str) -> None:
        await self.aprune([thread_id], strategy="delete")

    def erase_thread(self, thread_id: str) -> int:
        """Delete a thread if it still exists, and erase its nodes from the graph and the log. Return their number.

        Nodes that were deleted before are erased too, so that the log has no value of the thread. An erasure cannot be
        undone. The log keeps the thread's id as the session of the erased events. Copies of the thread are kept. Stop
        the thread's agents first. To resume an interrupted erasure, repeat the call. A thread without nodes in the log
        returns 0. See `History.erase`.

        Raises PROTECTED if the domain or a node is protected, DOMAIN_BUSY if another process is changing the whole
        domain or a related domain, and FILE_CREATION_FAILED if a blob cannot be deleted.
        """
        thread = str(thread_id)
        return self._run(thread, lambda calls: calls.erase(thread))

    async def aerase_thread(self, thread_id: str) -> int:
        """Delete a thread if it still exists, and erase its nodes. Return their number. See `erase_thread`."""
        thread = str(thread_id)
        return await self._arun(thread, lambda calls: calls.erase(thread))

    @override
    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        for thread in map(str, thread_ids):
            self._run(thread, lambda calls, thread=thread: calls.prune(thread, strategy))

    @override
    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        for thread in map(str, thread_ids):
            await self._arun(thread, lambda calls, thread=thread: calls.prune(thread, strategy))

    @override
    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        self._run(None, lambda calls: calls.delete_runs(run_ids))

    @override
    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await self._arun(None, lambda calls: calls.delete_runs(run_ids))

    @override
    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        source, target = str(source_thread_id), str(target_thread_id)
        self._run(target, lambda calls: calls.copy(source, target))

    @override
    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        source, target = str(source_thread_id), str(target_thread_id)
        await self._arun(target, lambda calls: calls.copy(source, target))

    @override
    def get_next_version(self, current: str | float | None, channel: None) -> str:
        """Return the version after `current`. Its random part distinguishes branches of a thread."""
        number = int(str(current).split(".")[0]) if current is not None else 0
        return f"{number + 1:032}.{random.random():016}"  # noqa: S311 - it only has to differ

    def _run(self, thread: str | None, call: _Call[R]) -> R:
        return self._runner.run(lambda memory: call(Checkpoints(memory, self.serde)), self._session_for(thread))

    async def _arun(self, thread: str | None, call: _Call[R]) -> R:
        return await self._runner.arun(lambda memory: call(Checkpoints(memory, self.serde)), self._session_for(thread))

    def _session_for(self, thread: str | None) -> str | None:
        """Return the session that replaces the runner's session: the thread, unless the saver has a session."""
        return None if self._session else thread
