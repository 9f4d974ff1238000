"""Operations read from plain data: tools by their names, or `create`, `update` and `delete` of a node with its edges.

Each argument is checked as its verb checks it. What is wrong with one operation does not keep others from being read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import anyio
import anyio.lowlevel

from graph_memory.memory.batch.by_name import NAMED_VERBS, names_made, read_by_name
from graph_memory.memory.batch.operations import (
    MOST,
    MOST_CONTENT,
    Asked,
    Deletion,
    Fault,
    NotCreated,
    Operation,
    Options,
    Parsed,
)
from graph_memory.memory.batch.references import References, check_ref, escaped
from graph_memory.memory.contents import Contents
from graph_memory.memory.graph import connections, nodes, validity
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import quoted, suggestion
from graph_memory.model.values.arguments import argument_meant, check_new_id, fault
from graph_memory.model.values.content import DEFAULT_FORMAT, Content
from graph_memory.model.values.fields import STORED, fields_in
from graph_memory.model.values.plain import Fields, Located
from graph_memory.model.values.strength import check_strength

_NODE = ("format", "encoding", "tags", *STORED)
VERBS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "create_node": (("type", "content"), ("properties", *_NODE, "id", "ref")),
    "update_node": (("node_id",), ("properties", "content", *_NODE, "expected_version")),
    "delete_node": (("node_id",), ("expected_version",)),
    "create_connection": (("type", "from_node_id", "to_node_id"), ("properties", "content", "strength", "id", "ref")),
    "update_connection": (("connection_id",), ("properties", "content", "strength", "expected_version")),
    "delete_connection": (("connection_id",), ("expected_version",)),
    "set_relation_importance": (("connection_id", "importance"), ("expected_version",)),
    "set_validity": (("id",), ("valid_from", "valid_to", "expected_version")),
}
"""What each verb needs, and what else it takes."""
_TYPES = {"create": "create_node", "update": "update_node", "delete": "delete_node"}
"""The verbs of the specification's shape: the id of a node, what the node is to be, and edges."""
_SHAPE = ("type", "node_id", "node_data", "edges", "ref", "expected_version")
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
"""Arguments in which `$name` stands for an id."""
_AT_ONCE = 500
"""Operations that are read before others of this process have their turn."""
_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")


async def parsed(contents: Contents, given: object, references: References) -> Parsed:
    """Return the operations of a batch, and what is wrong with those that cannot be read.

    Raises INVALID_ARGUMENT for what is no list of operations, and for too many of them.
    """
    listed = Located(given, "operations").items()
    if not listed:
        raise fault("operations", "There are no operations", "Give at least one.")
    if len(listed) > MOST:
        message = f"{len(listed):,} operations are too many for one transaction"
        hint = Hint("Give at most {most} at once; {graph-memory load} takes any number.", most=f"{MOST:,}")
        raise fault("operations", message, hint)
    reading = _Reading(contents, references)
    for index, located in enumerate(listed):
        await reading.read(index, located)
        if index % _AT_ONCE == 0:
            await anyio.lowlevel.checkpoint()
    if len(reading.operations) > MOST:
        message = f"The operations ask for {len(reading.operations):,} changes, which are too many for one transaction"
        raise fault("operations", message, f"Give at most {MOST:,} at once.")
    return Parsed(reading.operations, reading.faults, reading.lost, len(listed), reading.lost_names)


def options_from(given: object) -> Options:
    """Return the options of a batch: `rollback_on_error` means `atomic`, whatever else is said."""
    fields = _fields(Located({} if given is None else given, "options"), _FLAGS)
    said = {name: located.flag() for name in _FLAGS if (located := fields.get(name)) is not None}
    return Options(
        atomic=said.get("atomic", True) or said.get("rollback_on_error", False),
        validate_before_commit=said.get("validate_before_commit", True),
        dry_run=said.get("dry_run", False),
    )


@dataclass(slots=True)
class _Reading:
    """The operations that were read so far."""

    contents: Contents
    references: References
    operations: list[Operation] = field(default_factory=list[Operation])
    faults: list[Fault] = field(default_factory=list[Fault])
    lost: dict[str, int] = field(default_factory=dict[str, int])
    lost_names: dict[str, int] = field(default_factory=dict[str, int])
    content: int = 0

    async def read(self, index: int, given: Located) -> None:
        """Read the next operation, or note what is wrong with it."""
        before = len(self.operations)
        entries: Mapping[str, Located] = {}
        try:
            entries = _named(given)
            if "op" in entries:
                await self._read_verb(index, given, entries)
            elif "type" in entries:
                await self._read_shape(index, given)
            else:
                hint = "Add op, the name of a tool such as `create_node`; or type: create, update or delete."
                raise given.fault("needs op or type", hint)
        except GraphError as error:
            for operation in self.operations[before:]:
                self.references.lose(operation.ref, index, operation.subject)
            del self.operations[before:]
            self.faults.append(Fault(index, _told_verb(entries), error, isinstance(error, NotCreated)))
            self._lose(index, {name: entry.value for name, entry in entries.items()})
            for name, ref in names_made(entries):
                self.references.lose(ref, index)
                if isinstance(name, str):
                    self.lost_names.setdefault(name, index)

    def _lose(self, index: int, arguments: Mapping[str, object]) -> None:
        """Note that nothing comes to be under the name and the id that a create gives."""
        if str(arguments.get("op", arguments.get("type"))).startswith("create"):
            self.references.lose(arguments.get("ref"), index)
            for subject in (arguments.get("id"), arguments.get("node_id")):
                if isinstance(subject, str):
                    self.lost.setdefault(subject, index)

    async def _read_verb(self, index: int, located: Located, entries: Mapping[str, Located]) -> None:
        verb = entries["op"].text()
        own = {name: located for name, located in entries.items() if name != "op"}
        if verb in NAMED_VERBS:
            for subject, asked, ref in read_by_name(verb, _checked(located, own, NAMED_VERBS[verb]), self.references):
                self._append(Operation(index=index, verb=verb, subject=subject, asked=asked, ref=ref, is_named=False))
            return
        if verb not in VERBS:
            every = (*VERBS, *NAMED_VERBS)
            hint = suggestion(verb, every, f"Operations: {', '.join(every)}.")
            raise entries["op"].fault(f"is {quoted(verb)}, which is not an operation", hint, verb)
        needed, taken = VERBS[verb]
        fields = _checked(located, own, (*needed, *taken))
        await self._add(index, verb, {name: _value(fields.need(name)) for name in needed} | _values(fields, taken))

    async def _read_shape(self, index: int, located: Located) -> None:
        """Read `{type: create|update|delete, node_id?, node_data?, edges?}`: the node first, then its edges."""
        fields = _fields(located, _SHAPE)
        kind = fields.need("type")
        if kind.text() not in _TYPES:
            hint = suggestion(
                kind.text(), _TYPES, "Give type: create, update or delete; or op: a tool, such as `create_node`."
            )
            raise kind.fault(f"is {quoted(kind.text())}, which is not a type of operation", hint)
        verb = _TYPES[kind.text()]
        own = _values(fields, ("node_id", "ref", "expected_version"))
        data, edges = fields.get("node_data"), fields.get("edges")
        if verb == "delete_node" and (data or edges):
            raise located.fault("deletes a node, and takes no node_data and no edges", "Use op: `delete_connection`.")
        node_data = _node_data(data, verb) if data else {}
        if verb == "create_node":
            own |= {"id": own.pop("node_id")} if "node_id" in own else {}
        node_id = own.get("node_id")
        if node_data or not edges or verb != "update_node":
            node_id = escaped(await self._add(index, verb, _complete(located, verb, {**node_data, **own})))
        for edge in edges.items() if edges else ():
            await self._add(index, "create_connection", _edge(edge, node_id))

    async def _add(self, index: int, verb: str, values: dict[str, Any]) -> str:
        """Add an operation whose arguments are of the right kind, and return the id of its subject."""
        for name in _REFERENCES & values.keys():
            values[name] = self.references.resolved(values[name])
        if verb == "set_validity":
            values["id"] = self.references.resolved(values["id"])
        ref = check_ref(values.pop("ref")) if "ref" in values else None
        subject, asked = await self._asked(verb, values)
        is_named = not verb.startswith("create_") or "id" in values
        if ref is not None:
            self.references.name(ref, subject)
        self._append(Operation(index=index, verb=verb, subject=subject, asked=asked, ref=ref, is_named=is_named))
        return subject

    def _append(self, operation: Operation) -> None:
        self._count(operation.asked)
        self.operations.append(operation)

    async def _asked(self, verb: str, arguments: Mapping[str, Any]) -> tuple[str, Asked]:
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
                return node.id, replace(node, windows=await self.contents.windows(node.content))
            case "create_connection":
                made = connections.new_connection(
                    self._new_id("conn", arguments),
                    arguments["type"],
                    arguments["from_node_id"],
                    arguments["to_node_id"],
                    properties=arguments.get("properties"),
                    content=arguments.get("content"),
                    strength=arguments.get("strength"),
                )
                return made.id, made
            case "update_node":
                return arguments["node_id"], await self._node_edit(arguments)
            case "update_connection":
                return arguments["connection_id"], connections.edit_of(
                    properties=arguments.get("properties"),
                    content=arguments.get("content"),
                    strength=arguments.get("strength"),
                    expected_version=arguments.get("expected_version"),
                )
            case "set_relation_importance":
                edit = connections.importance_edit(arguments["importance"], arguments.get("expected_version"))
                return arguments["connection_id"], edit
            case "set_validity":
                return arguments["id"], validity.edit_of(
                    valid_from=arguments.get("valid_from"),
                    valid_to=arguments.get("valid_to"),
                    expected_version=arguments.get("expected_version"),
                )
            case _:
                kind = Kind.NODE if verb == "delete_node" else Kind.CONNECTION
                return arguments[f"{kind}_id"], Deletion(kind=kind, expected_version=arguments.get("expected_version"))

    async def _node_edit(self, arguments: Mapping[str, Any]) -> nodes.NodeEdit:
        edit = await nodes.edit_of(
            properties=arguments.get("properties"),
            content=arguments.get("content"),
            encoding=arguments.get("encoding"),
            content_format=arguments.get("format"),
            tags=arguments.get("tags"),
            fields=fields_in(arguments),
            expected_version=arguments.get("expected_version"),
        )
        return edit if edit.content is None else replace(edit, windows=await self.contents.windows(edit.content))

    def _new_id(self, prefix: str, arguments: Mapping[str, Any]) -> str:
        return check_new_id("id", arguments["id"]) if "id" in arguments else self.references.new(prefix)

    def _count(self, asked: Asked) -> None:
        """Raise CONTENT_TOO_LARGE for text over the limit, INVALID_ARGUMENT for more content than a batch takes."""
        content = cast("Content | None", getattr(asked, "content", None))
        if content is None:
            return
        self.contents.check(content)
        self.content += content.size
        if self.content > MOST_CONTENT:
            message = f"The operations have more than {MOST_CONTENT:,} bytes of content up to here"
            raise fault("operations", message, "Give fewer at once.")


def _named(located: Located) -> dict[str, Located]:
    """Return the entries of an object under our names for them, without those that are null."""
    found: dict[str, Located] = {}
    for key, entry in located.entries().items():
        name = _CAPITAL.sub(lambda capital: f"_{capital.group().lower()}", key)
        name = _ALIASES.get(name, name)
        if name in found:
            raise located.fault(f"has {name} twice", "Keep one of them.", name)
        if entry.value is not None:
            found[name] = entry
    return found


def _checked(located: Located, entries: Mapping[str, Located], allowed: Sequence[str]) -> Fields:
    meant = {name: argument_meant(name, allowed) for name in entries}
    for name, other in meant.items():
        if name != other and other in entries:
            raise located.fault(f"has both {name} and {other}, which mean the same", "Keep one of them.", name)
    entries = {meant[name]: entry for name, entry in entries.items()}
    for name, entry in entries.items():
        if name not in allowed:
            hint = suggestion(name, allowed, f"It takes: {', '.join(allowed)}.")
            raise entry.fault("is not an argument of this operation", hint, name)
    return Fields(located, entries)


def _fields(located: Located, allowed: Sequence[str]) -> Fields:
    return _checked(located, _named(located), allowed)


def _values(fields: Fields, names: Sequence[str]) -> dict[str, Any]:
    return {name: _value(located) for name in names if (located := fields.get(name)) is not None}


def _value(located: Located) -> object:
    """Return the value of an argument, which must be of the kind that its name says."""
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
                raise located.fault(f"must be a whole number of at least 0, not {quoted(located.value)}")
            return located.value
        case _:
            return located.text()


def _node_data(data: Located, verb: str) -> dict[str, Any]:
    """Return what a node is to be."""
    needed, taken = VERBS[verb]
    names = [name for name in (*needed, *taken) if name not in ("node_id", "ref", "expected_version")]
    return _values(_fields(data, names), names)


def _complete(located: Located, verb: str, values: dict[str, Any]) -> dict[str, Any]:
    missing = [name for name in VERBS[verb][0] if name not in values]
    if missing:
        where = missing[0] if missing[0] == "node_id" else f"node_data.{missing[0]}"
        raise located.fault(f"needs {where}", f"Add {where}.")
    return values


def _edge(edge: Located, node_id: object) -> dict[str, Any]:
    """Return the arguments of an edge: from the node of its operation, unless it names its ends."""
    needed, taken = VERBS["create_connection"]
    fields = _fields(edge, (*needed, *taken))
    found = _values(fields, (*needed, *taken))
    own = {} if node_id is None else {"to_node_id" if "from_node_id" in found else "from_node_id": node_id}
    values = {**own, **found}
    for name in needed:
        if name not in values:
            raise edge.fault(f"needs {name}", f"Add {name}.")
    return values


def _told_verb(entries: Mapping[str, Located]) -> str:
    """Return what an operation that is at fault says that it is."""
    named = (entries[name].value for name in ("op", "type") if name in entries)
    return next((str(value)[:80] for value in named), "unknown")
