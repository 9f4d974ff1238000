"""Prints errors on the command line: the problem, a hint about the next step, and an exit status."""

from __future__ import annotations

import json
import logging
import shlex
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

import typer

from graph_memory.cli.output.printing import command_line, escape_line
from graph_memory.model.errors import (
    Code,
    GraphError,
    Hint,
    Reference,
    join_alternatives,
    unusable_path_error,
    unwrap_single,
)

if TYPE_CHECKING:
    from graph_memory.model.results import ReadyCall

logger = logging.getLogger(__name__)

DIFFERENCES = 1
"""Exit status of `verify` if there are differences. Other failures have one of the statuses below, from sysexits.h."""
USAGE = 2
FAULTY_DATA = 65
NOT_FOUND = 66
UNAVAILABLE = 69
FAULT = 70
CONFLICT = 73
INPUT_OUTPUT = 74
TRY_AGAIN = 75
NOT_PERMITTED = 77

EXIT_STATUS: Mapping[Code, int] = {
    Code.ONTOLOGY_NOT_FOUND: NOT_FOUND,
    Code.ONTOLOGY_ALREADY_EXISTS: CONFLICT,
    Code.TYPE_ALREADY_EXISTS: CONFLICT,
    Code.DOMAIN_ALREADY_EXISTS: CONFLICT,
    Code.DOMAIN_HAS_BRANCHES: CONFLICT,
    Code.DOMAIN_HAS_CHILDREN: CONFLICT,
    Code.NODE_NOT_FOUND: NOT_FOUND,
    Code.NODE_ALREADY_EXISTS: CONFLICT,
    Code.CONNECTION_NOT_FOUND: NOT_FOUND,
    Code.CONNECTION_ALREADY_EXISTS: CONFLICT,
    Code.LINK_NOT_FOUND: NOT_FOUND,
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
    Code.INSUFFICIENT_RIGHTS: NOT_PERMITTED,
    Code.EVENT_NOT_FOUND: NOT_FOUND,
    Code.SUBJECT_ERASED: NOT_FOUND,
    Code.HISTORY_COMPACTED: NOT_FOUND,
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
    Code.DIFFERENT_DATABASES: CONFLICT,
    Code.TRANSACTION_LOST: TRY_AGAIN,
    Code.DOMAIN_BUSY: TRY_AGAIN,
    Code.OVERLOADED: TRY_AGAIN,
    Code.RATE_LIMITED: TRY_AGAIN,
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
    "remember:name": "remember --name name text",
    "decide": "decide",
    "forget": "forget",
    "graph_health": "entity health",
    "session_start": "session start",
    "get_block": "block show",
    "protect": "protect",
    "unprotect": "unprotect",
}
"""The command for each operation in hints, some with an argument. For other operations, hints show `call`."""

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
"""The command line options, by the operations' argument names."""

CALLED_BY_NAME: ContextVar[bool] = ContextVar("called_by_name", default=False)
"""Whether the running command is `call`. Its arguments have the operations' argument names."""


def as_graph_error(error: BaseException) -> GraphError:
    """Convert an exception to a GraphError. Unexpected exceptions become INTERNAL, with a traceback logged at DEBUG."""
    error = unwrap_single(error)
    if isinstance(error, GraphError):
        return error
    if isinstance(error, OSError):
        return unusable_path_error(error)
    if isinstance(error, typer.TyperException):
        command = getattr(getattr(error, "ctx", None), "command_path", "graph-memory")
        hint = f"Run `{command} --help` to see its arguments and options."
        return GraphError(Code.INVALID_ARGUMENT, error.format_message(), {"hint": hint})
    fault = f"fault_{uuid.uuid4().hex[:12]}"
    logger.debug("Unexpected failure %s", fault, exc_info=error)
    message = f"Internal error in graph-memory ({type(error).__name__}), {fault}"
    return GraphError(
        Code.INTERNAL, message, {"hint": "Repeat the command with GRAPH_MEMORY_LOG_LEVEL=DEBUG to see the traceback."}
    )


def error_text(error: GraphError) -> str:
    """Return the error as lines of text for people."""
    hint = with_commands(error.hint or "")
    lines = (
        f"{error.code}: {_message(error)}",
        error.path and f"Path: {error.path}",
        hint and f"Hint: {hint}",
        *(
            f"  {candidate}"
            for candidate in (
                *_candidate_lines(error),
                *_fault_lines(error),
                *_material_lines(error),
                *_conflict_lines(error),
            )
        ),
    )
    return "\n".join(line for line in lines if line)


def error_data(error: GraphError) -> dict[str, object]:
    """Return the error as JSON data, with the path of the file that caused it, if any."""
    hint = {"hint": with_commands(error.hint)} if error.hint else {}
    data = {**error.to_dict(), "message": _message(error), "details": {**error.details, **hint}}
    return {**data, "path": error.path} if error.path else data


def with_commands(text: object) -> str:
    """Return the text with references to operations and arguments replaced by commands and options."""
    return text.render(_render_reference) if isinstance(text, Hint) else str(text)


def _render_reference(reference: Reference) -> str:
    """Return a reference in a hint as text: commands in backticks, an option, or the name itself."""
    return reference.render([]) if reference.is_command else join_alternatives([*dict.fromkeys(_commands(reference))])


def _commands(reference: Reference) -> Iterator[str]:
    from graph_memory.operations.schemas import properties_of, required_names
    from graph_memory.operations.table import CALLABLE

    arguments = {name: value or True for name, value in reference.arguments.items()}
    for name in reference.names:
        command = COMMANDS.get(":".join([name, *arguments]))
        if command and not CALLED_BY_NAME.get():
            words = [str(arguments.get(word, word)) for word in command.split()]
            is_of_domain = "domain" in properties_of(CALLABLE[name].input_schema)
            yield f"`{command_line(*words) if is_of_domain else f'graph-memory {command}'}`"
        elif name in CALLABLE:
            needed = [argument for argument in required_names(CALLABLE[name].input_schema) if argument not in arguments]
            call = _call_text(name, arguments)
            yield f"`{' '.join([call, *(f'{argument}=…' for argument in needed)])}`"
        else:
            yield name if CALLED_BY_NAME.get() else OPTIONS.get(name, name)


def _message(error: GraphError) -> str:
    """Return the message. An invalid argument's name at the start or end is replaced by its option."""
    message, argument = with_commands(error.message), str(error.details.get("argument"))
    if CALLED_BY_NAME.get() or argument not in OPTIONS:
        return message
    if message.startswith(f"{argument} "):
        return OPTIONS[argument] + message.removeprefix(argument)
    return message.removesuffix(argument) + OPTIONS[argument] if message.endswith(f" {argument}") else message


def fault_line(fault: Mapping[str, object]) -> str:
    """Describe the error of a batch operation on one line: its index, name, code, message and hint."""
    hint = f" {with_commands(fault['hint'])}" if "hint" in fault else ""
    text = f"operations[{fault['index']}] {fault['op']}: {fault['code']}: {with_commands(fault['message'])}."
    return escape_line(f"{text.replace('..', '.')}{hint}")


def _fault_lines(error: GraphError) -> list[str]:
    faults = cast("Sequence[Mapping[str, object]]", error.details.get("faults", ()))
    return [fault_line(fault) for fault in faults if "index" in fault]


def _material_lines(error: GraphError) -> list[str]:
    """Return the passages that a language model would read, one per line. Only NO_MODEL errors have passages."""
    passages = cast("Sequence[Mapping[str, object]]", error.details.get("material", ()))
    return [
        escape_line(f"{passage['title']} ({passage['type']}) [{passage['id']}]: {passage['text']}".removesuffix(": "))
        for passage in passages
        if "id" in passage
    ]


def _candidate_lines(error: GraphError) -> list[str]:
    candidates = cast("Sequence[Mapping[str, object]]", error.details.get("candidates", ()))
    return [
        escape_line("  ".join(str(candidate[key]) for key in ("id", "type", "title") if key in candidate))
        for candidate in candidates
    ]


def _conflict_lines(error: GraphError) -> list[str]:
    """Return lines that describe the conflicts of a revert or merge, with the commands or options that resolve them."""
    entries = cast("Sequence[object]", error.details.get("conflicts", ()))
    conflicts = [cast("Mapping[str, Any]", entry) for entry in entries if isinstance(entry, Mapping)]
    lines: list[str] = []
    for conflict in conflicts:
        subject = f"“{conflict['title']}”" if "title" in conflict else conflict["subject"]
        lines.append(escape_line(f"{subject}: {conflict['reason']}"))
        if "call" in conflict:
            lines.append(f"  {_call_text(**conflict['call'])}")
        lines += [f"  {as_option(resolution)}" for resolution in conflict.get("resolve", ())]
    calls = cast("Mapping[str, Mapping[str, Any]]", error.details.get("calls", {}))
    return [*lines, *(f"{choice}: {_call_text(**call)}" for choice, call in calls.items())]


def as_option(resolution: Mapping[str, Any]) -> str:
    """Return a resolution of a merge conflict as text: an option of `merge`, or an argument of `call`."""
    if CALLED_BY_NAME.get():
        return shlex.join(_argument_words("resolutions", [resolution]))
    target = " ".join(filter(None, (resolution["subject"], resolution.get("property"))))
    return escape_line(f"--resolve {shlex.quote(target + '=' + resolution['take'])}")


def as_command(call: ReadyCall) -> str:
    """Return a tool call as a command line."""
    return _call_text(call.tool, call.arguments)


def _call_text(tool: str, arguments: Mapping[str, object]) -> str:
    arguments = dict(arguments)
    domain = cast("str | None", arguments.pop("domain", None))
    words = [word for name, value in arguments.items() for word in _argument_words(name, value)]
    return command_line("call", tool, *words, domain=domain)


def _argument_words(name: str, value: object) -> list[str]:
    """Return an argument as words for `call`. Text that `call` would parse differently is written as ASCII JSON."""
    texts = cast("list[object]", value) if isinstance(value, list) else [value]
    if texts and all(
        isinstance(text, str) and escape_line(text) == text and text[:1] not in ("[", "{") for text in texts
    ):
        return [f"{name}={text}" for text in texts]
    return [f"{name}:={json.dumps(value)}"]
