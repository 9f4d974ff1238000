"""Parses operations from plain data: `op` with a tool name, or `type` with create, update or delete for a node.

An operation with a `type` can include the node's edges. Arguments are checked as in the tools. If an operation is
invalid, the other operations are still parsed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import anyio
import anyio.lowlevel

from graph_memory.memory.batch.by_name import NAMED_VERBS, created_names, read_named_operation
from graph_memory.memory.batch.operations import (
    MAX_CONTENT_BYTES,
    MAX_OPERATIONS,
    Deletion,
    FailedDependency,
    Operation,
    OperationError,
    Options,
    ParsedBatch,
    RequestedChange,
)
from graph_memory.memory.batch.references import References, check_ref, escape_id
from graph_memory.memory.contents import Contents
from graph_memory.memory.graph import connections, nodes, validity
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import quote, suggestion
from graph_memory.model.values.arguments import check_new_id, full_argument_name, invalid_argument
from graph_memory.model.values.content import DEFAULT_FORMAT, Content
from graph_memory.model.values.fields import STORED, fields_in
from graph_memory.model.values.plain import Fields, LocatedValue, advice_to_add
from graph_memory.model.values.strength import check_strength

_NODE_ARGUMENTS = ("format", "encoding", "tags", *STORED)
VERBS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "create_node": (("type", "content"), ("properties", *_NODE_ARGUMENTS, "id", "ref")),
    "update_node": (("node_id",), ("properties", "content", *_NODE_ARGUMENTS, "expected_version")),
    "delete_node": (("node_id",), ("expected_version",)),
    "create_connection": (("type", "from_node_id", "to_node_id"), ("properties", "content", "strength", "id", "ref")),
    "update_connection": (("connection_id",), ("properties", "content", "strength", "expected_version")),
    "delete_connection": (("connection_id",), ("expected_version",)),
    "set_relation_importance": (("connection_id", "importance"), ("expected_version",)),
    "set_validity": (("id",), ("valid_from", "valid_to", "expected_version")),
}
"""The required and optional arguments of each operation, keyed by its verb (the value of `op`)."""
_TYPES = {"create": "create_node", "update": "update_node", "delete": "delete_node"}
"""The verbs of operations with a `type` instead of an `op`. They apply to one node and its edges."""
_SHAPE_ARGUMENTS = ("type", "node_id", "node_data", "edges", "ref", "expected_version")
_FLAGS = ("atomic", "validate_before_commit", "rollback_on_error", "dry_run")
_ALIASES = {
    "content_format": "format",
    "node_type": "type",
    "relationship_type": "type",
    "custom_type": "type",
    "source": "from_node_id",
    "target": "to_node_id",
    "names": "entity_names",
}
_REFERENCES = frozenset({"node_id", "connection_id", "from_node_id", "to_node_id"})
"""Arguments in which `$name` refers to an earlier operation."""
_CHECKPOINT = 500
"""Number of operations that are parsed before other tasks can run."""
_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")


async def parse_operations(contents: Contents, operations: object, references: References) -> ParsedBatch:
    """Return the operations of a batch, and the errors of operations that cannot be parsed.

    Raises INVALID_ARGUMENT if the value is not a list of operations, or the list is empty or too long.
    """
    items = LocatedValue(operations, "operations").items()
    if not items:
        raise invalid_argument("operations", "The list of operations is empty", "Pass at least one.")
    if len(items) > MAX_OPERATIONS:
        message = f"{len(items):,} operations are too many for one transaction"
        hint = Hint("Pass at most {most} at once, or use {graph-memory load}.", most=f"{MAX_OPERATIONS:,}")
        raise invalid_argument("operations", message, hint)
    parser = _Parser(contents, references)
    for index, located in enumerate(items):
        await parser.read(index, located)
        if index % _CHECKPOINT == 0:
            await anyio.lowlevel.checkpoint()
    if len(parser.operations) > MAX_OPERATIONS:
        message = f"The operations have {len(parser.operations):,} changes, which are too many for one transaction"
        raise invalid_argument("operations", message, f"Pass at most {MAX_OPERATIONS:,} at once.")
    return ParsedBatch(parser.operations, parser.faults, parser.failed_ids, len(items), parser.failed_names)


def options_from(options: object) -> Options:
    """Return the options of a batch. `rollback_on_error` implies `atomic`."""
    fields = _read_fields(LocatedValue({} if options is None else options, "options"), _FLAGS)
    flags = {name: located.flag() for name in _FLAGS if (located := fields.get(name)) is not None}
    return Options(
        atomic=flags.get("atomic", True) or flags.get("rollback_on_error", False),
        validate_before_commit=flags.get("validate_before_commit", True),
        dry_run=flags.get("dry_run", False),
    )


@dataclass(slots=True)
class _Parser:
    """Parses operations one by one. Collects the valid operations and the errors of invalid ones."""

    contents: Contents
    references: References
    operations: list[Operation] = field(default_factory=list[Operation])
    faults: list[OperationError] = field(default_factory=list[OperationError])
    failed_ids: dict[str, int] = field(default_factory=dict[str, int])
    failed_names: dict[str, int] = field(default_factory=dict[str, int])
    content: int = 0

    async def read(self, index: int, item: LocatedValue) -> None:
        before = len(self.operations)
        entries: Mapping[str, LocatedValue] = {}
        try:
            entries = _canonical_entries(item)
            if "op" in entries:
                await self._read_verb(index, item, entries)
            elif "type" in entries:
                await self._read_shape(index, item)
            else:
                hint = "Add op, the name of a tool such as `create_node`; or type: create, update or delete."
                raise item.error("needs op or type", hint)
        except GraphError as error:
            for operation in self.operations[before:]:
                self.references.mark_faulty(operation.ref, index, operation.subject)
            del self.operations[before:]
            verbs = (str(entries[name].value)[:80] for name in ("op", "type") if name in entries)
            verb = next(verbs, "unknown")
            self.faults.append(OperationError(index, verb, error, isinstance(error, FailedDependency)))
            self._mark_failed(index, {name: entry.value for name, entry in entries.items()})
            for name, ref in created_names(entries):
                self.references.mark_faulty(ref, index)
                if isinstance(name, str):
                    self.failed_names.setdefault(name, index)

    def _mark_failed(self, index: int, arguments: Mapping[str, object]) -> None:
        """Record that later operations cannot use the reference and id of an invalid `create` operation."""
        if str(arguments.get("op", arguments.get("type"))).startswith("create"):
            self.references.mark_faulty(arguments.get("ref"), index)
            for subject in (arguments.get("id"), arguments.get("node_id")):
                if isinstance(subject, str):
                    self.failed_ids.setdefault(subject, index)

    async def _read_verb(self, index: int, located: LocatedValue, entries: Mapping[str, LocatedValue]) -> None:
        verb = entries["op"].text()
        arguments = {name: located for name, located in entries.items() if name != "op"}
        if verb in NAMED_VERBS:
            for subject, change, ref in read_named_operation(
                verb, _check_names(located, arguments, NAMED_VERBS[verb]), self.references
            ):
                self._append(Operation(index=index, verb=verb, subject=subject, change=change, ref=ref, is_named=False))
            return
        if verb not in VERBS:
            verbs = (*VERBS, *NAMED_VERBS)
            hint = suggestion(verb, verbs, f"Operations: {', '.join(verbs)}.")
            raise entries["op"].error(f"is {quote(verb)}, which is not an operation", hint, verb)
        required, optional = VERBS[verb]
        fields = _check_names(located, arguments, (*required, *optional))
        await self._add(
            index,
            verb,
            {name: _checked_value(fields.need(name)) for name in required} | _checked_values(fields, optional),
        )

    async def _read_shape(self, index: int, located: LocatedValue) -> None:
        """Parse `{type: create|update|delete, node_id?, node_data?, edges?}`: the node first, then its edges."""
        fields = _read_fields(located, _SHAPE_ARGUMENTS)
        operation_type = fields.need("type")
        if operation_type.text() not in _TYPES:
            hint = suggestion(
                operation_type.text(),
                _TYPES,
                "Pass type: create, update or delete; or op: a tool, such as `create_node`.",
            )
            raise operation_type.error(f"is {quote(operation_type.text())}, which is not a type of operation", hint)
        verb = _TYPES[operation_type.text()]
        outer_names = ("node_id", "ref", "expected_version")
        arguments = _checked_values(fields, outer_names)
        data, edges = fields.get("node_data"), fields.get("edges")
        if verb == "delete_node" and (data or edges):
            raise located.error(
                "deletes a node, and takes no node_data or edges", "For an edge, use op: `delete_connection`."
            )
        inner_names = [name for names in VERBS[verb] for name in names if name not in outer_names]
        node_data = _checked_values(_read_fields(data, inner_names), inner_names) if data else {}
        if verb == "create_node":
            arguments |= {"id": arguments.pop("node_id")} if "node_id" in arguments else {}
        node_id = arguments.get("node_id")
        if node_data or not edges or verb != "update_node":
            node_id = escape_id(
                await self._add(index, verb, _check_required(located, verb, {**node_data, **arguments}))
            )
        for edge in edges.items() if edges else ():
            await self._add(index, "create_connection", _edge_arguments(edge, node_id))

    async def _add(self, index: int, verb: str, values: dict[str, Any]) -> str:
        for name in _REFERENCES & values.keys():
            values[name] = self.references.resolve(values[name])
        if verb == "set_validity":
            values["id"] = self.references.resolve(values["id"])
        ref = check_ref(values.pop("ref")) if "ref" in values else None
        subject, change = await self._build_change(verb, values)
        is_named = not verb.startswith("create_") or "id" in values
        if ref is not None:
            self.references.define(ref, subject)
        self._append(Operation(index=index, verb=verb, subject=subject, change=change, ref=ref, is_named=is_named))
        return subject

    def _append(self, operation: Operation) -> None:
        self._check_content(operation.change)
        self.operations.append(operation)

    async def _build_change(self, verb: str, arguments: Mapping[str, Any]) -> tuple[str, RequestedChange]:
        match verb:
            case "create_node":
                node = await nodes.new_node(
                    self._new_id("mem", arguments),
                    arguments["type"],
                    arguments["content"],
                    encoding=arguments.get("encoding", "utf-8"),
                    content_format=arguments.get("format", DEFAULT_FORMAT),
                    properties=arguments.get("properties"),
                    tags=arguments.get("tags"),
                    fields=fields_in(arguments),
                )
                return node.id, replace(node, windows=await self.contents.split_windows(node.content))
            case "create_connection":
                connection = connections.new_connection(
                    self._new_id("conn", arguments),
                    arguments["type"],
                    arguments["from_node_id"],
                    arguments["to_node_id"],
                    **_optional(arguments, "properties", "content", "strength"),
                )
                return connection.id, connection
            case "update_node":
                values = _optional(arguments, "properties", "content", "encoding", "tags", "expected_version")
                values |= {"content_format": arguments.get("format"), "fields": fields_in(arguments)}
                edit = await nodes.edit_of(**values)
                if edit.content is not None:
                    edit = replace(edit, windows=await self.contents.split_windows(edit.content))
                return arguments["node_id"], edit
            case "update_connection":
                values = _optional(arguments, "properties", "content", "strength", "expected_version")
                return arguments["connection_id"], connections.edit_of(**values)
            case "set_relation_importance":
                return arguments["connection_id"], connections.importance_edit(
                    arguments["importance"], arguments.get("expected_version")
                )
            case "set_validity":
                values = _optional(arguments, "valid_from", "valid_to", "expected_version")
                return arguments["id"], validity.edit_of(**values)
            case _:
                kind = Kind.NODE if verb == "delete_node" else Kind.CONNECTION
                return arguments[f"{kind}_id"], Deletion(kind=kind, expected_version=arguments.get("expected_version"))

    def _new_id(self, prefix: str, arguments: Mapping[str, Any]) -> str:
        return check_new_id("id", arguments["id"]) if "id" in arguments else self.references.new(prefix)

    def _check_content(self, change: RequestedChange) -> None:
        """Raise CONTENT_TOO_LARGE if the content is too large, and INVALID_ARGUMENT if all contents together are."""
        content = cast("Content | None", getattr(change, "content", None))
        if content is None:
            return
        self.contents.check(content)
        self.content += content.size
        if self.content > MAX_CONTENT_BYTES:
            message = f"The operations have more than {MAX_CONTENT_BYTES:,} bytes of content up to this operation"
            raise invalid_argument("operations", message, "Pass fewer at once.")


def _optional(arguments: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: arguments.get(name) for name in names}


def _canonical_entries(located: LocatedValue) -> dict[str, LocatedValue]:
    """Return the non-null entries of a JSON object, keyed by canonical name, such as `node_id` for `nodeId`."""
    entries: dict[str, LocatedValue] = {}
    for key, entry in located.entries().items():
        name = _CAPITAL.sub(lambda capital: f"_{capital.group().lower()}", key)
        name = _ALIASES.get(name, name)
        if name in entries:
            raise located.error(f"has {name} twice", "Keep one of them.", name)
        if entry.value is not None:
            entries[name] = entry
    return entries


def _check_names(located: LocatedValue, entries: Mapping[str, LocatedValue], allowed: Sequence[str]) -> Fields:
    canonical = {name: full_argument_name(name, allowed) for name in entries}
    for name, other in canonical.items():
        if name != other and other in entries:
            raise located.error(f"has both {name} and {other}, which mean the same", "Keep one of them.", name)
    entries = {canonical[name]: entry for name, entry in entries.items()}
    for name, entry in entries.items():
        if name not in allowed:
            hint = suggestion(name, allowed, f"Use only: {', '.join(allowed)}.")
            raise entry.error("is not an argument of this operation", hint, name)
    return Fields(located, entries)


def _read_fields(located: LocatedValue, allowed: Sequence[str]) -> Fields:
    return _check_names(located, _canonical_entries(located), allowed)


def _checked_values(fields: Fields, names: Sequence[str]) -> dict[str, Any]:
    return {name: _checked_value(located) for name in names if (located := fields.get(name)) is not None}


def _checked_value(located: LocatedValue) -> object:
    """Return the value of an argument, after checking that it has the required type."""
    name = located.at.rpartition(".")[2]
    name = _CAPITAL.sub(lambda capital: f"_{capital.group().lower()}", name)
    match name:
        case "properties" | "metadata":
            located.entries()
            return located.value
        case "strength":
            check_strength(located.value)
            return located.value
        case "importance":
            return located.number()
        case "tags":
            return [item.text() for item in located.items()]
        case "expected_version":
            if type(located.value) is not int or located.value < 0:
                raise located.error(f"must be a whole number of at least 0, not {quote(located.value)}")
            return located.value
        case _:
            return located.text()


def _check_required(located: LocatedValue, verb: str, values: dict[str, Any]) -> dict[str, Any]:
    missing_names = [name for name in VERBS[verb][0] if name not in values]
    if missing_names:
        field_name = missing_names[0] if missing_names[0] == "node_id" else f"node_data.{missing_names[0]}"
        raise located.error(f"needs {quote(field_name)}", advice_to_add(field_name))
    return values


def _edge_arguments(edge: LocatedValue, node_id: object) -> dict[str, Any]:
    """Return the arguments of `create_connection` for an edge. An omitted endpoint is the node of the operation."""
    required, optional = VERBS["create_connection"]
    fields = _read_fields(edge, (*required, *optional))
    given_values = _checked_values(fields, (*required, *optional))
    node_end = {} if node_id is None else {"to_node_id" if "from_node_id" in given_values else "from_node_id": node_id}
    values = {**node_end, **given_values}
    for name in required:
        if name not in values:
            raise edge.error(f"needs {quote(name)}", advice_to_add(name))
    return values
