"""How the command line fails: one line that says what is wrong, one that says what to do, and an exit status."""

from __future__ import annotations

import json
import logging
import shlex
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, cast

import typer

from graph_memory.cli.output.printing import command_line, plain
from graph_memory.model.errors import Code, GraphError, Hint, Reference, single, unusable_place
from graph_memory.model.results import ReadyCall

logger = logging.getLogger(__name__)

DIFFERENCES = 1
"""`verify` found differences. Everything else that fails has one of the numbers below, after sysexits.h."""
USAGE = 2
FAULTY_DATA = 65
NOT_THERE = 66
UNAVAILABLE = 69
FAULT = 70
CONFLICT = 73
INPUT_OUTPUT = 74
TRY_AGAIN = 75
NOT_PERMITTED = 77

EXIT_STATUS: Mapping[Code, int] = {
    Code.ONTOLOGY_NOT_FOUND: NOT_THERE,
    Code.ONTOLOGY_ALREADY_EXISTS: CONFLICT,
    Code.TYPE_ALREADY_EXISTS: CONFLICT,
    Code.DOMAIN_ALREADY_EXISTS: CONFLICT,
    Code.DOMAIN_HAS_BRANCHES: CONFLICT,
    Code.DOMAIN_HAS_CHILDREN: CONFLICT,
    Code.NODE_NOT_FOUND: NOT_THERE,
    Code.NODE_ALREADY_EXISTS: CONFLICT,
    Code.CONNECTION_NOT_FOUND: NOT_THERE,
    Code.CONNECTION_ALREADY_EXISTS: CONFLICT,
    Code.LINK_NOT_FOUND: NOT_THERE,
    Code.LINK_ALREADY_EXISTS: CONFLICT,
    Code.DANGLING_REFERENCE: FAULTY_DATA,
    Code.INVALID_ONTOLOGY: FAULTY_DATA,
    Code.INVALID_NODE_TYPE: FAULTY_DATA,
    Code.INVALID_CONNECTION_TYPE: FAULTY_DATA,
    Code.INVALID_TOPOLOGY: FAULTY_DATA,
    Code.REQUIRED_PROPERTY_MISSING: FAULTY_DATA,
    Code.INVALID_PROPERTY: FAULTY_DATA,
    Code.UNIQUE_PROPERTY_TAKEN: CONFLICT,
    Code.TYPE_LIMIT_REACHED: FAULTY_DATA,
    Code.MEMORY_LIMIT_REACHED: FAULTY_DATA,
    Code.INVALID_ARGUMENT: USAGE,
    Code.INVALID_ENCODING: FAULTY_DATA,
    Code.CONTENT_TOO_LARGE: FAULTY_DATA,
    Code.VERSION_CONFLICT: CONFLICT,
    Code.PROTECTED: NOT_PERMITTED,
    Code.EVENT_NOT_FOUND: NOT_THERE,
    Code.SUBJECT_ERASED: NOT_THERE,
    Code.HISTORY_COMPACTED: NOT_THERE,
    Code.INVALID_ARCHIVE: FAULTY_DATA,
    Code.INVALID_SOURCE: FAULTY_DATA,
    Code.REVERT_CONFLICT: CONFLICT,
    Code.MERGE_CONFLICT: CONFLICT,
    Code.BATCH_REFUSED: FAULTY_DATA,
    Code.IDEMPOTENCY_CONFLICT: CONFLICT,
    Code.FILE_CREATION_FAILED: INPUT_OUTPUT,
    Code.CONTENT_READ_FAILED: INPUT_OUTPUT,
    Code.NO_MODEL: UNAVAILABLE,
    Code.STARTING: TRY_AGAIN,
    Code.STORE_UNAVAILABLE: UNAVAILABLE,
    Code.STORE_INCOMPATIBLE: UNAVAILABLE,
    Code.STORE_CONFLICT: FAULTY_DATA,
    Code.TRANSACTION_LOST: TRY_AGAIN,
    Code.DOMAIN_BUSY: TRY_AGAIN,
    Code.TIMEOUT: TRY_AGAIN,
    Code.INTERNAL: FAULT,
}


COMMANDS: Mapping[str, str] = {
    "create_node": "node create",
    "delete_node": "node delete",
    "create_connection": "connection create",
    "list_cross_domain_links": "link list",
    "delete_cross_domain_link": "link delete",
    "query_nodes": "query",
    "query_connections": "connection list",
    "search_content": "find",
    "recall": "recall",
    "search_memories": "search",
    "get_neighbors": "neighbors",
    "create_ontology": "ontology apply",
    "get_ontology": "ontology show",
    "memory_log": "log",
    "memory_log:full": "log --full",
    "memory_log:subject": "log --subject subject",
    "list_domains": "domain list",
    "memory_revert": "revert",
    "memory_revert_session": "revert --session",
    "delete_observations": "forget",
    "open_nodes": "entity open",
    "remember": "remember",
    "decide": "decide",
    "forget": "forget",
    "graph_health": "entity health",
    "session_start": "session start",
    "get_block": "block show",
    "protect": "protect",
    "unprotect": "unprotect",
}
"""The commands of operations, some with arguments, that hints refer to. Any other is `call` with its name."""

OPTIONS: Mapping[str, str] = {
    "event_ids": "event numbers",
    "idempotency_key": "--idempotency-key",
    "next_cursor": "--cursor",
    "on_conflict": "--on-conflict",
    "from_node_id": "--from",
    "to_node_id": "--to",
    "valid_at": "--valid-at",
    "min_strength": "--min-strength",
    "search_mode": "--mode",
    "max_results": "--limit",
    "max_tokens": "--max-tokens",
    "traversal_depth": "--depth",
    "path_prefix": "--path-prefix",
    "min_edge_count": "--min-edges",
    "node_types": "--type",
    "weightings": "--weight",
    "created_after": "--created-after",
    "created_before": "--created-before",
}
"""What an argument of an operation is called on the command line."""

CALLED_BY_NAME: ContextVar[bool] = ContextVar("called_by_name", default=False)
"""Whether the running command is `call`, whose arguments have the names that they have over MCP."""


def masked(error: BaseException) -> GraphError:
    """Return a GraphError as it is, and anything else masked as INTERNAL; its traceback is logged at DEBUG only."""
    error = single(error)
    if isinstance(error, GraphError):
        return error
    if isinstance(error, OSError):
        return unusable_place(error)
    if isinstance(error, typer.TyperException):
        return _misused(error)
    fault = f"fault_{uuid.uuid4().hex[:12]}"
    logger.debug("Unexpected failure %s", fault, exc_info=error)
    message = f"Internal error in graph-memory ({type(error).__name__}), {fault}"
    return GraphError(Code.INTERNAL, message, {"hint": "GRAPH_MEMORY_LOG_LEVEL=DEBUG shows where it happened."})


def _misused(error: typer.TyperException) -> GraphError:
    """Return the error for a command line that is not understood."""
    command = getattr(getattr(error, "ctx", None), "command_path", "graph-memory")
    return GraphError(
        Code.INVALID_ARGUMENT, error.format_message(), {"hint": f"`{command} --help` says what it takes."}
    )


def explained(error: GraphError) -> str:
    """Return the lines that a person reads."""
    hint = with_commands(error.hint or "")
    lines = (
        f"{error.code}: {_message(error)}",
        error.path and f"Path: {error.path}",
        hint and f"Hint: {hint}",
        *(
            f"  {candidate}"
            for candidate in (*_candidates(error), *_faults(error), *_material(error), *_conflicts(error))
        ),
    )
    return "\n".join(line for line in lines if line)


def as_data(error: GraphError) -> dict[str, object]:
    """Return what a program reads: the error as everywhere, and the path that it is about."""
    hint = {"hint": with_commands(error.hint)} if error.hint else {}
    found = {**error.to_dict(), "message": _message(error), "details": {**error.details, **hint}}
    return {**found, "path": error.path} if error.path else found


def with_commands(text: object) -> str:
    """Return a text whose references are commands and options, in place of operations and their arguments."""
    return text.render(_command_of) if isinstance(text, Hint) else str(text)


def _command_of(reference: Reference) -> str:
    """Return the commands of a reference in backticks, the option of an argument, and any other name as it is."""
    return reference.render([]) if reference.is_command else " or ".join(dict.fromkeys(_commands(reference)))


def _commands(reference: Reference) -> Iterator[str]:
    from graph_memory.operations.schemas import properties_of, required_of
    from graph_memory.operations.table import CALLABLE

    arguments = {name: value or True for name, value in reference.arguments.items()}
    for name in reference.names:
        command = COMMANDS.get(":".join([name, *arguments]))
        if command and not CALLED_BY_NAME.get():
            words = [str(arguments.get(word, word)) for word in command.split()]
            is_of_domain = "domain" in properties_of(CALLABLE[name].input_schema)
            yield f"`{command_line(*words) if is_of_domain else f'graph-memory {command}'}`"
        elif name in CALLABLE:
            needed = [each for each in required_of(CALLABLE[name].input_schema) if each not in arguments]
            call = as_command(ReadyCall(tool=name, arguments=arguments))
            yield f"`{' '.join([call, *(f'{each}=…' for each in needed)])}`"
        else:
            yield name if CALLED_BY_NAME.get() else OPTIONS.get(name, name)


def _message(error: GraphError) -> str:
    """Return the message of an error, with the option for the argument that it begins or ends with."""
    message, argument = with_commands(error.message), str(error.details.get("argument"))
    if CALLED_BY_NAME.get() or argument not in OPTIONS:
        return message
    if message.startswith(f"{argument} "):
        return OPTIONS[argument] + message.removeprefix(argument)
    return message.removesuffix(argument) + OPTIONS[argument] if message.endswith(f" {argument}") else message


def fault_line(fault: Mapping[str, object]) -> str:
    """Return what is wrong with one operation of a batch, as a line."""
    hint = f" {with_commands(fault['hint'])}" if "hint" in fault else ""
    text = f"operations[{fault['index']}] {fault['op']}: {fault['code']}: {with_commands(fault['message'])}."
    return plain(f"{text.replace('..', '.')}{hint}")


def _faults(error: GraphError) -> list[str]:
    """Return a line for each operation of a batch that is at fault."""
    faults = cast("Sequence[Mapping[str, object]]", error.details.get("faults", ()))
    return [fault_line(fault) for fault in faults if "index" in fault]


def _material(error: GraphError) -> list[str]:
    """Return lines on what a language model would have read, where there is none."""
    results = cast("Sequence[Mapping[str, object]]", error.details.get("material", ()))
    return [
        plain(f"{one['title']} ({one['type']}) [{one['id']}]: {one['text']}".removesuffix(": "))
        for one in results
        if "id" in one
    ]


def _candidates(error: GraphError) -> list[str]:
    """Return lines on what could have been meant, from errors that list it."""
    results = cast("Sequence[Mapping[str, object]]", error.details.get("candidates", ()))
    return [plain("  ".join(str(one[key]) for key in ("id", "type", "title") if key in one)) for one in results]


def _conflicts(error: GraphError) -> list[str]:
    """Return lines on what stands against a revert or merge, each with what resolves it."""
    results = cast("Sequence[object]", error.details.get("conflicts", ()))
    conflicts = [cast("Mapping[str, Any]", one) for one in results if isinstance(one, Mapping)]
    lines = [
        line
        for conflict in conflicts
        for line in (plain(f"{_subject(conflict)}: {conflict['reason']}"), *_resolving(conflict))
    ]
    calls = cast("Mapping[str, Mapping[str, Any]]", error.details.get("calls", {}))
    return [*lines, *(f"{choice}: {as_command(ReadyCall(**call))}" for choice, call in calls.items())]


def _subject(conflict: Mapping[str, Any]) -> str:
    return f"“{conflict['title']}”" if "title" in conflict else str(conflict["subject"])


def _resolving(conflict: Mapping[str, Any]) -> list[str]:
    """Return the command or options that resolve a conflict."""
    call = [f"  {as_command(ReadyCall(**conflict['call']))}"] if "call" in conflict else []
    return [*call, *(f"  {as_option(one)}" for one in conflict.get("resolve", ()))]


def as_option(resolution: Mapping[str, Any]) -> str:
    """Return a resolution of a merge as the option of the command that gives it."""
    if CALLED_BY_NAME.get():
        return shlex.join(_words("resolutions", [resolution]))
    what = " ".join(filter(None, (resolution["subject"], resolution.get("property"))))
    return plain(f"--resolve {shlex.quote(what + '=' + resolution['take'])}")


def as_command(call: ReadyCall) -> str:
    """Return a call as the command that does the same."""
    arguments = dict(call.arguments)
    domain = arguments.pop("domain", None)
    words = [word for name, value in arguments.items() for word in _words(name, value)]
    return command_line("call", call.tool, *words, domain=domain)


def _words(name: str, value: object) -> list[str]:
    """Return an argument as `call` takes it. Text that a terminal or `call` would read otherwise is JSON in ASCII."""
    texts = cast("list[object]", value) if isinstance(value, list) else [value]
    if texts and all(isinstance(text, str) and plain(text) == text and text[:1] not in ("[", "{") for text in texts):
        return [f"{name}={text}" for text in texts]
    return [f"{name}:={json.dumps(value)}"]
