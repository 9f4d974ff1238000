"""The calls of `GraphSaver`, each with its memory and its serializer."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from graph_memory.adapters.langgraph import checkpoint_nodes as nodes
from graph_memory.adapters.langgraph.checkpoint_nodes import CHECKPOINT, VALUE, WRITE, Location, Record, Reference
from graph_memory.adapters.running import has_type, path_of, title_of
from graph_memory.layers import add_missing_types
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import GraphError
from graph_memory.model.results import NodeDescription
from graph_memory.model.values.arguments import invalid_argument

_PAGE_SIZE = 20
"""Number of checkpoints that a list call reads per query."""
_STRATEGIES = ("keep_latest", "delete")
_COUNTERS = "counters_since_delta_snapshot"
"""The metadata field that lists the channels whose values are distributed over the writes of several checkpoints."""


@dataclass(slots=True)
class CheckpointFilter:
    """Selects the checkpoints that match a list call, up to its limit."""

    filter: Mapping[str, Any] | None
    before: RunnableConfig | None
    limit: int | None

    @property
    def is_full(self) -> bool:
        """Whether the limit is reached."""
        return self.limit is not None and self.limit <= 0

    def take(self, entries: Iterable[CheckpointTuple]) -> Iterator[CheckpointTuple]:
        """Yield the entries that match, and count them towards the limit."""
        before = get_checkpoint_id(self.before) if self.before else None
        for entry in entries:
            metadata = cast("Mapping[str, Any]", entry.metadata)
            is_match = all(metadata.get(key) == expected for key, expected in (self.filter or {}).items())
            if self.is_full or not is_match or (before and entry.checkpoint["id"] >= before):
                continue
            if self.limit is not None:
                self.limit -= 1
            yield entry


def split_pages(node_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split node ids into pages of `_PAGE_SIZE` ids."""
    return (node_ids[start : start + _PAGE_SIZE] for start in range(0, len(node_ids), _PAGE_SIZE))


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The checkpoints in the default domain of a memory."""

    memory: Memory
    serde: SerializerProtocol

    async def get(self, location: Location) -> CheckpointTuple | None:
        """Return the checkpoint at a location.

        If the location has no id, return the latest checkpoint of its namespace. Returns None if there is no such
        checkpoint.
        """
        while node_ids := await self._find_ids(location.namespace, location, limit=1):
            if entries := await self.read(node_ids):
                return entries[0]  # otherwise, it was deleted in the meantime, so look again
        return None

    async def list_ids(self, config: RunnableConfig | None) -> Sequence[str]:
        """Return the node ids of a thread's checkpoints, or of all checkpoints, latest first."""
        namespace = config.get("configurable", {}).get("checkpoint_ns") if config else None
        return await self._find_ids(namespace, Location.of(config) if config else None)

    async def _find_ids(
        self, namespace: str | None, location: Location | None, limit: int | None = None
    ) -> Sequence[str]:
        if not await has_type(self.memory, CHECKPOINT):
            return ()
        if location is None:
            page = await self.memory.query_nodes(type=CHECKPOINT.name)
            return page.node_ids[::-1]
        properties = {nodes.THREAD: location.thread} if namespace is None else {nodes.SCOPE: location.scope}
        if location.id:
            page = await self.memory.query_nodes(type=CHECKPOINT.name, properties={**properties, nodes.ID: location.id})
        else:
            page = await self.memory.query_nodes(
                type=CHECKPOINT.name, properties=properties, order_by=nodes.ID, descending=True, limit=limit
            )
        return page.node_ids

    async def read(self, node_ids: Sequence[str]) -> list[CheckpointTuple]:
        """Return the checkpoints that still exist. Raises CONTENT_READ_FAILED if a channel's value is missing."""
        entries, errors = await self._read(node_ids)
        if errors:  # or another call has replaced or deleted the values meanwhile
            entries, errors = await self._read(node_ids)
        if errors:
            raise errors[0]
        return entries

    async def _read(self, node_ids: Sequence[str]) -> tuple[list[CheckpointTuple], list[GraphError]]:
        """Return the complete checkpoints, and an error for each checkpoint that lacks a value."""
        checkpoint_nodes = await self.memory.describe_nodes(node_ids) if node_ids else ()
        records = [await Record.read(self.memory, self.serde, node) for node in checkpoint_nodes]
        values = await nodes.read_values(self.memory, self.serde, records)
        entries: list[CheckpointTuple] = []
        errors: list[GraphError] = []
        for record in records:
            channels = {channel: node_id for channel, (_, node_id) in record.values.items()}
            missing = [channel for channel, node_id in channels.items() if node_id not in values]
            if missing:
                errors.append(nodes.missing_value_error(record.node, missing[0], channels[missing[0]]))
                continue
            channel_values = {channel: values[node_id] for channel, node_id in channels.items()}
            entries.append(_tuple_of(record, channel_values, await self._pending_writes(record.location)))
        return entries, errors

    async def _pending_writes(self, location: Location) -> list[PendingWrite]:
        unordered = await nodes.find(self.memory, WRITE, **{nodes.KEY: location.key})
        writes: list[PendingWrite] = []
        for node in sorted(unordered, key=_write_order):
            task, channel = str(node.properties[nodes.TASK]), str(node.properties[nodes.CHANNEL])
            writes.append((task, channel, await nodes.load(self.memory, self.serde, node)))
        return writes

    async def put(
        self,
        parent: Location,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint and the new values of its channels in one transaction.

        Return the config of the checkpoint.
        """
        location = Location(parent.thread, parent.namespace, checkpoint["id"])
        channels = checkpoint["channel_values"]
        checkpoint_fields = {key: value for key, value in checkpoint.items() if key != "channel_values"}
        full_metadata = cast("dict[str, Any]", get_checkpoint_metadata(config, metadata))
        await add_missing_types(self.memory, *nodes.TYPES)
        async with self.memory.transaction() as memory:
            calls = Checkpoints(memory, self.serde)
            existing_node = await nodes.find_checkpoint(memory, location)
            known_references = {**await calls._references(parent), **await calls._references(location)}
            values: dict[str, Reference] = {}
            for channel, version in checkpoint["channel_versions"].items():
                reference = known_references.get(channel)
                if channel not in new_versions and reference is not None and reference[0] == version:
                    values[channel] = reference
                elif channel in channels:  # even if unchanged: a copy of a checkpoint is put under the same parent
                    values[channel] = (version, await calls._put_value(location.thread, channel, channels[channel]))
            record = {"checkpoint": checkpoint_fields, "metadata": full_metadata, "parent": parent.id, "values": values}
            await calls._put_record(location, record, full_metadata, existing_node)
        return _config_of(location)

    async def _references(self, location: Location) -> Mapping[str, Reference]:
        node = await nodes.find_checkpoint(self.memory, location) if location.id else None
        return (await Record.read(self.memory, self.serde, node)).values if node else {}

    async def _put_value(self, thread: str, channel: str, value: object) -> str:
        kind, fields = nodes.node_fields(self.serde, value)
        properties = {nodes.THREAD: thread, nodes.CHANNEL: channel, nodes.KIND: kind}
        return await self._create(VALUE.name, thread, f"{channel} of {thread}", properties, fields)

    async def _put_record(
        self,
        location: Location,
        record: Mapping[str, Any],
        metadata: Mapping[str, Any],
        existing_node: NodeDescription | None = None,
    ) -> None:
        kind, fields = nodes.node_fields(self.serde, record)
        properties = {
            nodes.KEY: location.key,
            nodes.SCOPE: location.scope,
            nodes.THREAD: location.thread,
            nodes.ID: location.id,
            nodes.KIND: kind,
        }
        if run := metadata.get("run_id"):
            properties[nodes.RUN] = str(run)
        if existing_node is not None:
            await self.memory.update_node(existing_node.id, properties=properties, **fields)
        else:
            title = f"step {metadata.get('step')} of {location.thread}"
            await self._create(CHECKPOINT.name, location.thread, title, properties, fields)

    async def _create(
        self, node_type: str, thread: str, title: str, properties: Mapping[str, object], fields: Mapping[str, Any]
    ) -> str:
        created = await self.memory.create_node(
            node_type, properties=properties, path=path_of((thread,)), title=title_of(title), **fields
        )
        return created.node_id

    async def put_writes(
        self, location: Location, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> None:
        """Store the writes of a task.

        A write already stored at the same position is kept. Only writes to LangGraph's special channels, such as errors
        and interrupts, are replaced.
        """
        entries = {
            WRITES_IDX_MAP.get(channel, index): (channel, value) for index, (channel, value) in enumerate(writes)
        }
        if not entries:
            return
        await add_missing_types(self.memory, *nodes.TYPES)
        async with self.memory.transaction() as memory:
            calls = Checkpoints(memory, self.serde)
            write_nodes = await nodes.find(memory, WRITE, **{nodes.KEY: location.key, nodes.TASK: task_id})
            stored_ids = {int(node.properties[nodes.POSITION]): node.id for node in write_nodes}
            for position, (channel, value) in entries.items():
                if position in stored_ids and position >= 0:
                    continue
                kind, fields = nodes.node_fields(self.serde, value)
                properties: dict[str, object] = {nodes.CHANNEL: channel, nodes.KIND: kind}
                if task_path:
                    properties[nodes.TASK_PATH] = task_path
                if position in stored_ids:
                    await memory.update_node(stored_ids[position], properties=properties, **fields)
                    continue
                properties |= _write_properties(location, task_id, position)
                title = f"{channel} after a step of {location.thread}"
                await calls._create(WRITE.name, location.thread, title, properties, fields)

    async def prune(self, thread: str, strategy: str) -> None:
        """Delete a thread's checkpoints.

        With `keep_latest`, keep each namespace's latest one and the ancestors it needs. Raises INVALID_ARGUMENT if the
        strategy is neither `delete` nor `keep_latest`.
        """
        if strategy not in _STRATEGIES:
            hint = f"Pass {' or '.join(_STRATEGIES)}."
            raise invalid_argument("strategy", f'"{strategy}" is not a pruning strategy', hint)
        if not await has_type(self.memory, CHECKPOINT):
            return
        if strategy == "delete":
            write_ids = await nodes.find_ids(self.memory, WRITE, thread)
            await nodes.delete(self.memory, [*write_ids, *await nodes.find_ids(self.memory, CHECKPOINT, thread)])
            await self._delete_unused_values(thread)
            return
        records = await self._records(thread)
        await self._delete_others(thread, records, _required_keys(records))

    async def erase(self, thread: str) -> int:
        """Delete a thread and erase all its nodes, also the deleted ones. See `GraphSaver.erase_thread`."""
        await self.prune(thread, "delete")
        types = [node_type.name for node_type in nodes.TYPES]
        logged = await self.memory.history.logged_nodes(types, properties={nodes.THREAD: thread})
        node_ids = dict.fromkeys(node.id for node in logged)
        for node_id in node_ids:
            await self.memory.history.erase(node_id)
        return len(node_ids)

    async def delete_runs(self, run_ids: Collection[str]) -> None:
        """Delete the checkpoints of these runs, with their writes and unused values."""
        if not await has_type(self.memory, CHECKPOINT):
            return
        runs = {str(run) for run in run_ids}
        run_nodes = [node for run in runs for node in await nodes.find(self.memory, CHECKPOINT, **{nodes.RUN: run})]
        for thread in {str(node.properties[nodes.THREAD]) for node in run_nodes}:
            records = await self._records(thread)
            kept_keys = {record.location.key for record in records if record.node.properties.get(nodes.RUN) not in runs}
            await self._delete_others(thread, records, kept_keys)

    async def _records(self, thread: str) -> Sequence[Record]:
        checkpoint_nodes = await nodes.find(self.memory, CHECKPOINT, **{nodes.THREAD: thread})
        return [await Record.read(self.memory, self.serde, node) for node in checkpoint_nodes]

    async def _delete_others(self, thread: str, records: Sequence[Record], kept_keys: Collection[str]) -> None:
        """Delete the thread's checkpoints whose keys are not in `kept_keys`, with their writes and unused values."""
        deleted_ids = {
            record.location.key: record.node.id for record in records if record.location.key not in kept_keys
        }
        write_nodes = await nodes.find(self.memory, WRITE, **{nodes.THREAD: thread})
        write_ids = [node.id for node in write_nodes if node.properties.get(nodes.KEY) in deleted_ids]
        await nodes.delete(self.memory, [*write_ids, *deleted_ids.values()])
        await self._delete_unused_values(thread)

    async def _delete_unused_values(self, thread: str) -> None:
        """Delete the thread's values that no checkpoint refers to.

        The values are listed before the checkpoints are read. A checkpoint stored in the meantime refers to newer
        values, or to values of an existing checkpoint, so no value in use is deleted.
        """
        value_ids = await nodes.find_ids(self.memory, VALUE, thread)
        used_ids = {node_id for record in await self._records(thread) for _, node_id in record.values.values()}
        await nodes.delete(self.memory, [node_id for node_id in value_ids if node_id not in used_ids])

    async def copy(self, source: str, target: str) -> None:
        """Copy all checkpoints of a thread to another thread, with their values and writes, in one transaction."""
        if not await has_type(self.memory, CHECKPOINT):
            return
        async with self.memory.transaction() as memory:
            calls = Checkpoints(memory, self.serde)
            records = await calls._records(source)
            values = await nodes.read_values(memory, self.serde, records)
            channels = {node_id: channel for record in records for channel, (_, node_id) in record.values.items()}
            new_ids = {id_: await calls._put_value(target, channels[id_], value) for id_, value in values.items()}
            for record in records:
                await calls._copy_record(record, target, new_ids)

    async def _copy_record(self, record: Record, target: str, new_ids: Mapping[str, str]) -> None:
        location = Location(target, record.location.namespace, record.location.id)
        values = {
            channel: (version, new_ids[old]) for channel, (version, old) in record.values.items() if old in new_ids
        }
        await self._put_record(location, {**record.content, "values": values}, record.metadata)
        for node in await nodes.find(self.memory, WRITE, **{nodes.KEY: record.location.key}):
            value = await nodes.load(self.memory, self.serde, node)
            kind, fields = nodes.node_fields(self.serde, value)
            source_properties = node.properties
            position, task = int(source_properties[nodes.POSITION]), str(source_properties[nodes.TASK])
            properties = {**source_properties, nodes.KIND: kind, **_write_properties(location, task, position)}
            title = f"{source_properties[nodes.CHANNEL]} after a step of {target}"
            await self._create(WRITE.name, target, title, properties, fields)


def _write_properties(location: Location, task_id: str, position: int) -> dict[str, object]:
    key = json.dumps([location.thread, location.namespace, location.id, task_id, position], ensure_ascii=False)
    return {
        nodes.WRITE_KEY: key,
        nodes.KEY: location.key,
        nodes.THREAD: location.thread,
        nodes.TASK: task_id,
        nodes.POSITION: position,
    }


def _write_order(node: NodeDescription) -> tuple[str, str, int]:
    properties = node.properties
    task_path, task = str(properties.get(nodes.TASK_PATH, "")), str(properties[nodes.TASK])
    return writes_sort_key(task_path, task, int(properties[nodes.POSITION]))


def _tuple_of(record: Record, channels: dict[str, Any], pending_writes: list[PendingWrite]) -> CheckpointTuple:
    location = record.location
    parent = Location(location.thread, location.namespace, record.parent)
    return CheckpointTuple(
        config=_config_of(location),
        checkpoint=cast("Checkpoint", {**record.checkpoint, "channel_values": channels}),
        metadata=cast("CheckpointMetadata", record.metadata),
        parent_config=_config_of(parent) if parent.id else None,
        pending_writes=pending_writes,
    )


def _config_of(location: Location) -> RunnableConfig:
    fields = {"thread_id": location.thread, "checkpoint_ns": location.namespace, "checkpoint_id": location.id}
    return {"configurable": fields}


def _required_keys(records: Sequence[Record]) -> Collection[str]:
    """Return the keys of each namespace's latest checkpoint, and of its ancestors whose writes it needs."""
    by_key = {record.location.key: record for record in records}
    latest_by_namespace: dict[str, Record] = {}
    for record in sorted(records, key=lambda record: str(record.location.id)):
        latest_by_namespace[record.location.namespace] = record
    required_keys: set[str] = set()
    for latest_record in latest_by_namespace.values():
        record: Record | None = latest_record
        missing_channels = set(cast("Mapping[str, Any]", latest_record.metadata.get(_COUNTERS) or {}))
        while record is not None:
            required_keys.add(record.location.key)
            missing_channels -= set(record.values)
            parent = Location(record.location.thread, record.location.namespace, record.parent)
            record = by_key.get(parent.key) if missing_channels and record.parent else None
    return required_keys
