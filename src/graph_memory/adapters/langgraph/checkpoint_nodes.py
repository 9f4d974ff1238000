"""Checkpoints as nodes: their types, and how serialised values become the fields of a node.

A checkpoint is a node that refers to the values of its channels by id. Each value is a separate node, because most
steps change few channels. Data of up to 45 kB is stored in the node's metadata, and larger data as binary content. Text
searches read neither.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import NodeType, PropertyRule
from graph_memory.model.results import NodeDescription
from graph_memory.model.text.wording import quote
from graph_memory.model.values.properties import PropertyType

THREAD, SCOPE, ID, KEY, RUN = "thread", "scope", "checkpoint_id", "checkpoint", "run"
WRITE_KEY, TASK, CHANNEL, POSITION, TASK_PATH, KIND = "write", "task", "channel", "position", "task_path", "kind"
_THREAD_RULE = PropertyRule(THREAD, PropertyType.STRING, "The id of the thread.", required=True, indexed=True)
_KIND_RULE = PropertyRule(
    KIND, PropertyType.STRING, "How the serializer wrote the data, such as msgpack.", required=True
)
_CHANNEL_RULE = PropertyRule(CHANNEL, PropertyType.STRING, "The name of the channel.", required=True)
CHECKPOINT = NodeType(
    "AgentCheckpoint",
    "A checkpoint of a LangGraph thread. Its metadata or its binary content is the serialised checkpoint.",
    (
        PropertyRule(KEY, PropertyType.STRING, "Thread, namespace and id, as JSON.", unique=True),
        PropertyRule(SCOPE, PropertyType.STRING, "Thread and namespace, as JSON.", required=True),
        PropertyRule(ID, PropertyType.STRING, "Later checkpoints have greater ids.", required=True, indexed=True),
        PropertyRule(RUN, PropertyType.STRING, "The id of the run.", indexed=True),
        _THREAD_RULE,
        _KIND_RULE,
    ),
    indexes=((SCOPE, ID), (THREAD, ID)),
)
VALUE = NodeType("CheckpointValue", "The value of a channel in checkpoints.", (_THREAD_RULE, _CHANNEL_RULE, _KIND_RULE))
WRITE = NodeType(
    "CheckpointWrite",
    "What a task wrote to a channel after a checkpoint.",
    (
        PropertyRule(WRITE_KEY, PropertyType.STRING, "Checkpoint, task and position, as JSON.", unique=True),
        PropertyRule(KEY, PropertyType.STRING, "Thread, namespace and id of the checkpoint.", indexed=True),
        PropertyRule(TASK, PropertyType.STRING, "The id of the task.", required=True),
        PropertyRule(TASK_PATH, PropertyType.STRING, "The path of the task."),
        PropertyRule(POSITION, PropertyType.INTEGER, "The place among the writes of the task.", required=True),
        _THREAD_RULE,
        _CHANNEL_RULE,
        _KIND_RULE,
    ),
)
TYPES = (CHECKPOINT, VALUE, WRITE)
_INLINE_BYTES = 45_000
"""Maximum number of bytes stored in metadata. As base64, they are a third larger."""
_BATCH_SIZE = 5_000
"""Maximum number of nodes that are deleted per transaction."""
_FOREIGN_KINDS = ("json", "pickle")
"""Formats that the default serializer can read, but does not write."""
Reference = tuple[Any, str]
"""A channel's version, and the id of the node that stores its value."""


@dataclass(frozen=True, slots=True)
class Location:
    """The thread, the namespace and optionally the id of a checkpoint."""

    thread: str
    namespace: str = ""
    id: str | None = None

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Location:
        """Return the location in a LangGraph config: its `thread_id`, `checkpoint_ns` and `checkpoint_id`."""
        fields = config["configurable"]
        checkpoint_id = fields.get("checkpoint_id")
        return cls(
            str(fields["thread_id"]), fields.get("checkpoint_ns", ""), str(checkpoint_id) if checkpoint_id else None
        )

    @classmethod
    def of_node(cls, node: NodeDescription) -> Location:
        """Return the location of the checkpoint stored in a node."""
        return cls(*json.loads(str(node.properties[KEY])))

    @property
    def scope(self) -> str:
        """The thread and the namespace as JSON, for storage in one property."""
        return json.dumps([self.thread, self.namespace], ensure_ascii=False)

    @property
    def key(self) -> str:
        """The thread, the namespace and the id as JSON, for storage in one property."""
        return json.dumps([self.thread, self.namespace, self.id], ensure_ascii=False)


def node_fields(serde: SerializerProtocol, value: object) -> tuple[str, dict[str, Any]]:
    """Serialise a value. Return the format of the data, and the node fields that store the data."""
    kind, data = serde.dumps_typed(value)
    if len(data) > _INLINE_BYTES:
        return kind, {"content": data, "encoding": "base64", "format": "binary", "metadata": {}}
    text = base64.b64encode(data).decode("ascii")
    return kind, {"content": "", "encoding": "utf-8", "format": "text", "metadata": {"data": text}}


async def load(memory: Memory, serde: SerializerProtocol, node: NodeDescription) -> Any:  # noqa: ANN401 - any value
    """Return the value stored in a node. Raises CONTENT_READ_FAILED if the serializer cannot read it."""
    kind = str(node.properties[KIND])
    data = (await memory.get_node_content(node.id)).data if node.content_size else _inline_data(node)
    if isinstance(serde, JsonPlusSerializer) and kind in _FOREIGN_KINDS:
        raise _unreadable_error(node, f"the serializer never writes the format {kind}")
    if isinstance(serde, EncryptedSerializer) and "+" not in kind:
        raise _unreadable_error(node, "it is not encrypted")
    try:
        return serde.loads_typed((kind, data))
    except Exception as error:  # a serializer raises errors of any class for damaged data; the caller gets the reason
        raise _unreadable_error(node, str(error) or type(error).__name__) from error


def _inline_data(node: NodeDescription) -> bytes:
    try:
        return base64.b64decode(str((node.metadata or {})["data"]), validate=True)
    except (KeyError, binascii.Error) as error:
        raise _unreadable_error(node, "its data is missing or not base64") from error


def _unreadable_error(node: NodeDescription, reason: str) -> GraphError:
    hint = (
        "Read it with the serializer that wrote it. If the node was changed or imported, revert that change or delete "
        "the thread."
    )
    message = f"The checkpoint data in node {quote(node.id)} cannot be read: {reason}"
    return GraphError(Code.CONTENT_READ_FAILED, message, {"node_id": node.id, "hint": hint})


def missing_value_error(checkpoint: NodeDescription, channel: str, node_id: str) -> GraphError:
    """Return the error for a checkpoint if the node with a channel's value was deleted or changed."""
    message = (
        f"The value of the channel {quote(channel)} is missing: node {quote(node_id)}, to which the checkpoint in node "
        f"{quote(checkpoint.id)} refers, was deleted or changed"
    )
    hint = (
        f"Revert the deletion or change of node {node_id}, which the log shows. If the node was erased, delete the "
        "thread."
    )
    details = {"node_id": node_id, "checkpoint_node_id": checkpoint.id, "hint": hint}
    return GraphError(Code.CONTENT_READ_FAILED, message, details)


@dataclass(frozen=True, slots=True)
class Record:
    """A checkpoint as its node stores it, without the values of its channels."""

    node: NodeDescription
    location: Location
    content: Mapping[str, Any]
    values: Mapping[str, Reference]

    @classmethod
    async def read(cls, memory: Memory, serde: SerializerProtocol, node: NodeDescription) -> Record:
        """Read the checkpoint stored in a node. Raises CONTENT_READ_FAILED if the data is not a checkpoint."""
        content = await load(memory, serde, node)
        try:
            values = {channel: (version, str(node_id)) for channel, (version, node_id) in content["values"].items()}
            parts = {**content, "checkpoint": dict(content["checkpoint"]), "metadata": dict(content["metadata"])}
            return cls(node, Location.of_node(node), parts, values)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise _unreadable_error(node, "it is not a checkpoint") from error

    @property
    def checkpoint(self) -> dict[str, Any]:
        """The checkpoint without `channel_values`."""
        return self.content["checkpoint"]

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the checkpoint."""
        return self.content["metadata"]

    @property
    def parent(self) -> str | None:
        """The id of the parent checkpoint, in the same thread and namespace."""
        return self.content.get("parent")


async def find(memory: Memory, node_type: NodeType, **properties: str) -> Sequence[NodeDescription]:
    """Return the nodes of a type that have all these property values."""
    page = await memory.query_nodes(type=node_type.name, properties=properties)
    return await memory.describe_nodes(page.node_ids) if page.node_ids else ()


async def find_ids(memory: Memory, node_type: NodeType, thread: str) -> Sequence[str]:
    """Return the ids of the nodes of a type that belong to a thread."""
    return (await memory.query_nodes(type=node_type.name, properties={THREAD: thread})).node_ids


async def find_checkpoint(memory: Memory, location: Location) -> NodeDescription | None:
    """Return the node of the checkpoint at a location, or None. The location must have an id."""
    return next(iter(await find(memory, CHECKPOINT, **{KEY: location.key})), None)


async def read_values(memory: Memory, serde: SerializerProtocol, records: Sequence[Record]) -> Mapping[str, Any]:
    """Return the values that the checkpoints refer to, by node id. Missing values are omitted."""
    threads = {node_id: record.location.thread for record in records for _, node_id in record.values.values()}
    nodes = await memory.describe_nodes(list(threads)) if threads else ()
    value_nodes = [
        node for node in nodes if node.type == VALUE.name and node.properties.get(THREAD) == threads[node.id]
    ]
    return {node.id: await load(memory, serde, node) for node in value_nodes}


async def delete(memory: Memory, node_ids: Sequence[str]) -> None:
    """Delete the nodes with these ids. Nodes that no longer exist are ignored."""
    for start in range(0, len(node_ids), _BATCH_SIZE):
        operations = [{"op": "delete_node", "node_id": node_id} for node_id in node_ids[start : start + _BATCH_SIZE]]
        await memory.execute_batch(operations, options={"atomic": False})
