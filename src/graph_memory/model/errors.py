"""The error class of graph-memory, the list of all error codes, and hints that refer to operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePath
from string import Formatter
from types import MappingProxyType
from typing import LiteralString, Self, cast


class Code(StrEnum):
    """The codes of all errors. Programs should compare the code, because messages can change."""

    # A name or id does not exist, or already exists.
    ONTOLOGY_NOT_FOUND = "ONTOLOGY_NOT_FOUND"
    """The domain has no ontology yet: call `create_ontology` first."""
    ONTOLOGY_ALREADY_EXISTS = "ONTOLOGY_ALREADY_EXISTS"
    """The domain has an ontology: extend it with `add_node_type` and `add_connection_type`."""
    TYPE_ALREADY_EXISTS = "TYPE_ALREADY_EXISTS"
    """The ontology already defines a different type of that name."""
    DOMAIN_ALREADY_EXISTS = "DOMAIN_ALREADY_EXISTS"
    """A domain with that name already exists: choose another name, or delete it first."""
    DOMAIN_HAS_BRANCHES = "DOMAIN_HAS_BRANCHES"
    """Other domains were branched from this one: delete them first."""
    DOMAIN_HAS_CHILDREN = "DOMAIN_HAS_CHILDREN"
    """This domain has child domains: delete or move them first."""
    NODE_NOT_FOUND = "NODE_NOT_FOUND"
    """The domain has no node with that id."""
    NODE_ALREADY_EXISTS = "NODE_ALREADY_EXISTS"
    """The node id is already in the domain's log, even if its node was deleted since."""
    CONNECTION_NOT_FOUND = "CONNECTION_NOT_FOUND"
    """The domain has no connection with that id."""
    CONNECTION_ALREADY_EXISTS = "CONNECTION_ALREADY_EXISTS"
    """The id was used before, even if its connection was deleted since, or `unique_pair` forbids another connection."""
    LINK_NOT_FOUND = "LINK_NOT_FOUND"
    """The domain has no link to another domain with that id."""
    LINK_ALREADY_EXISTS = "LINK_ALREADY_EXISTS"
    """The node already has a link of that type to that node of the other domain."""
    DANGLING_REFERENCE = "DANGLING_REFERENCE"
    """A connection would lose its start or end node."""

    # The ontology forbids the call.
    INVALID_ONTOLOGY = "INVALID_ONTOLOGY"
    """The ontology, or its file, contradicts itself or cannot be read."""
    INVALID_NODE_TYPE = "INVALID_NODE_TYPE"
    """The ontology has no node type of that name."""
    INVALID_CONNECTION_TYPE = "INVALID_CONNECTION_TYPE"
    """The ontology has no connection type of that name."""
    INVALID_TOPOLOGY = "INVALID_TOPOLOGY"
    """The connection type does not join these node types, or would break its cardinality or form a cycle."""
    REQUIRED_PROPERTY_MISSING = "REQUIRED_PROPERTY_MISSING"
    """The type requires properties that are missing."""
    INVALID_PROPERTY = "INVALID_PROPERTY"
    """A property key or value cannot be stored, or breaks the type's rules."""
    UNIQUE_PROPERTY_TAKEN = "UNIQUE_PROPERTY_TAKEN"
    """Another node or connection of the type already has that value of a `unique` property."""
    TYPE_LIMIT_REACHED = "TYPE_LIMIT_REACHED"
    """The open ontology already has as many ad-hoc types as the settings allow."""
    MEMORY_LIMIT_REACHED = "MEMORY_LIMIT_REACHED"
    """The domain already has as many events, patterns or documents as its limits allow."""

    # The call itself is invalid.
    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    """An argument is unknown, missing, of the wrong type or outside its range."""
    INVALID_ENCODING = "INVALID_ENCODING"
    """An update of content lacks the encoding, or the content is not valid in its encoding."""
    CONTENT_TOO_LARGE = "CONTENT_TOO_LARGE"
    """The content is larger than this interface allows."""
    VERSION_CONFLICT = "VERSION_CONFLICT"
    """`expected_version` is not the current version: someone else has changed it."""
    PROTECTED = "PROTECTED"
    """The domain, node or connection is read-only: see `details` for the reason, the expiry, and who may unprotect it.
    """
    INSUFFICIENT_RIGHTS = "INSUFFICIENT_RIGHTS"
    """The caller has no valid key, or its key does not grant this right or tool: see `details.rights`."""

    EVENT_NOT_FOUND = "EVENT_NOT_FOUND"
    """The domain's log has no such event."""
    SUBJECT_ERASED = "SUBJECT_ERASED"
    """The subject was erased: the log records only that it existed."""
    HISTORY_COMPACTED = "HISTORY_COMPACTED"
    """The log before this point was compacted: `details.compacted_to` is the first point that can be read."""
    INVALID_ARCHIVE = "INVALID_ARCHIVE"
    """The file or folder is not an export, or is damaged, cut short or from a newer version."""
    INVALID_SOURCE = "INVALID_SOURCE"
    """The files to load have errors: `details.report` gives the file, line and column of each."""
    REVERT_CONFLICT = "REVERT_CONFLICT"
    """Some changes cannot be undone; `details.conflicts` contains the reason and the choices for each subject."""

    MERGE_CONFLICT = "MERGE_CONFLICT"
    """Both domains changed the same subject; `details.conflicts` lists each conflict and its resolutions."""
    BATCH_REFUSED = "BATCH_REFUSED"
    """Operations of a batch are invalid, and nothing was changed; `details.faults` describes each error."""
    IDEMPOTENCY_CONFLICT = "IDEMPOTENCY_CONFLICT"
    """The idempotency key was used for other operations, or some of its changes were erased or compacted."""

    # The service failed.
    FILE_CREATION_FAILED = "FILE_CREATION_FAILED"
    """Content could not be written; nothing was changed."""
    CONTENT_READ_FAILED = "CONTENT_READ_FAILED"
    """Stored content is missing or damaged."""
    NO_MODEL = "NO_MODEL"
    """No language model is set, or it does not answer: `details.material` has the input for writing the text."""
    STARTING = "STARTING"
    """Neo4j is still starting: try again in a moment."""
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    """Neo4j cannot be reached, or rejected the credentials."""
    STORE_INCOMPATIBLE = "STORE_INCOMPATIBLE"
    """The server is too old, its data was written by a newer graph-memory, or its schema is incomplete."""
    STORE_CONFLICT = "STORE_CONFLICT"
    """The database contains data that is not in the log: `graph-memory verify` lists it."""
    DIFFERENT_DATABASES = "DIFFERENT_DATABASES"
    """The operation needs domains of different databases; nothing was changed."""
    TRANSACTION_LOST = "TRANSACTION_LOST"
    """The connection was lost while a transaction was open: nothing was changed; run all of it again."""
    DOMAIN_BUSY = "DOMAIN_BUSY"
    """A long operation is running in the domain, or too many writers are waiting for it."""
    OVERLOADED = "OVERLOADED"
    """The server has too many calls or computations; nothing was changed: see `details.retry_after` for the seconds."""
    RATE_LIMITED = "RATE_LIMITED"
    """The key has made too many calls in a minute; nothing was changed: see `details.retry_after` for the seconds."""
    TIMEOUT = "TIMEOUT"
    """The server stopped the statement at its time limit; nothing was changed."""
    INTERNAL = "INTERNAL"
    """graph-memory itself failed: its log contains the details under the error's id."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference in a hint: alternative operations, an argument, or a shell command."""

    names: Sequence[str]
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    """The values of the operation's arguments, by name. A flag's value is an empty string."""

    @property
    def is_command(self) -> bool:
        """Whether the reference is to a shell command."""
        return self.names[0].startswith("graph-memory ")

    def render(self, names: Sequence[str]) -> str:
        """Return the given names of the operations, joined by "or", followed by the arguments."""
        if self.is_command:
            return f"`{self.names[0]}`"
        arguments = " and ".join(f"{name} {value}".rstrip() for name, value in self.arguments.items())
        return join_alternatives(names) + (arguments and f" with {arguments}")


def join_alternatives(names: Sequence[str]) -> str:
    """Return the names as text, such as `a, b or c`."""
    return " or ".join([*filter(None, [", ".join(names[:-1])]), *names[-1:]])


class Hint(str):
    """A string that refers to operations. In Python, it is a plain string. Other interfaces insert their own names.

    Braces in a template contain the name of a value, or a reference: `{operation}`, `{operation|another}`,
    `{operation:argument=value,flag}`, `{argument}` or `{graph-memory command}`. Values are never treated as templates.
    An interface omits each template that refers to an operation that it does not offer.
    """

    parts: Sequence[Sequence[str | Reference]]

    def __new__(cls, *templates: LiteralString, **values: object) -> Self:
        """Return the hint with these templates and the values inserted."""
        parts = [part for template in templates for part in _parse_template(template, values)]
        hint = super().__new__(cls, _join_parts(parts, lambda reference: reference.render(reference.names)))
        hint.parts = parts
        return hint

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)

    @property
    def references(self) -> list[Reference]:
        """The hint's references, in text order."""
        return [piece for part in self.parts for piece in part if isinstance(piece, Reference)]

    def render(self, name: Callable[[Reference], str | None]) -> str:
        """Return the text with `name(reference)` for each reference.

        Parts with a reference whose name is None are omitted.
        """
        return _join_parts(self.parts, name).strip()


def _parse_template(template: str, values: Mapping[str, object]) -> Iterator[Sequence[str | Reference]]:
    """Yield the parsed template of a hint, then the parsed templates of the hints nested in its values."""
    part: list[str | Reference] = []
    for text, name, arguments, _ in Formatter().parse(template):
        value = values.get(name or "", "")
        if name and name not in values:
            value = _parse_reference(name, arguments or "", values)
        if isinstance(value, Hint):
            *finished_parts, unfinished_part = [[*part, text, *value.parts[0]], *value.parts[1:]]
            yield from finished_parts
            part = [*unfinished_part]
        else:
            part += [text, value if isinstance(value, Reference) else str(value)]
    yield part


def _parse_reference(names: str, arguments: str, values: Mapping[str, object]) -> Reference:
    pairs = (pair.partition("=") for pair in arguments.split(",") if pair)
    return Reference(names.split("|"), {name: str(values.get(name, value)) for name, _, value in pairs})


def _join_parts(parts: Sequence[Sequence[str | Reference]], name: Callable[[Reference], str | None]) -> str:
    rendered = [[piece if isinstance(piece, str) else name(piece) for piece in part] for part in parts]
    return "".join(piece for part in rendered if None not in part for piece in part if piece is not None)


def unwrap_single(error: BaseException) -> BaseException:
    """Return the only error inside nested exception groups. Other errors are returned unchanged."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    group = cast("BaseExceptionGroup[BaseException]", error)
    return unwrap_single(group.exceptions[0]) if len(group.exceptions) == 1 else group


def unusable_path_error(error: OSError) -> GraphError:
    """Return the STORE_UNAVAILABLE error for a file or folder of graph-memory that cannot be used."""
    reason = error.strerror or type(error).__name__
    hint = "Check that GRAPH_MEMORY_HOME and GRAPH_MEMORY_CACHE are writable folders on a disk with free space."
    message = f"graph-memory cannot use one of its files or folders: {reason}"
    return GraphError(Code.STORE_UNAVAILABLE, message, {"hint": hint}, path=str(error.filename or "") or None)


class GraphError(Exception):
    """The error of a failed call: a `code` for programs, a `message` for people, and structured `details`.

    `details["hint"]`, if present, is the next step. `path`, if present, is the file or folder that caused the error.
    Only the command line shows `path`, because MCP clients must not see the server's paths.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        details: Mapping[str, object] | None = None,
        *,
        path: str | PurePath | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details: Mapping[str, object] = MappingProxyType(dict(details or {}))
        self.path: str | None = None if path is None else str(path)

    @property
    def hint(self) -> str | None:
        """The next step for the caller, or None if there is no hint."""
        return cast("str | None", self.details.get("hint"))

    def to_dict(self) -> dict[str, object]:
        """Return the error as `{code, message, details}` for JSON."""
        return {"code": str(self.code), "message": self.message, "details": dict(self.details)}

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" + (f" ({self.hint})" if self.hint else "")

    def __repr__(self) -> str:
        return f"GraphError({self.code}, {self.message!r})"
