"""Lets the user change a node or connection interactively: its property values, or its text in an editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from graph_memory.cli.errors import error_text
from graph_memory.cli.input.assignments import parse_assignments, read_for_type
from graph_memory.cli.input.content import ContentInput, edit_text, save_on_failure
from graph_memory.cli.input.prompts import choose_answer, run_prompt
from graph_memory.cli.output.printing import note
from graph_memory.memory.history.results import LogEntry
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.kinds import TYPE_OF, Kind

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.sync import SyncMemory


def can_be_edited(entry: LogEntry) -> bool:
    """Return whether the changed subject has property values or text that the user can edit."""
    return entry.kind in TYPE_OF and entry.operation != "delete"


def edit(memory: SyncMemory, entry: LogEntry, domain: str | None) -> int | None:
    """Ask the user how to change the node or connection of a log entry, and apply the change.

    Returns the new version, or None if nothing was changed. Errors are printed to stderr.
    """
    match choose_answer("Edit", ["values", "content", "nothing"]):
        case "values":
            change = _edit_values
        case "content":
            change = _edit_content
        case _:
            return None
    try:
        return change(memory, entry, domain)
    except GraphError as error:
        note(error_text(error))
        return None


def _edit_values(memory: SyncMemory, entry: LogEntry, domain: str | None) -> int | None:
    lines: list[str] = []
    question = "name=value or name:=JSON, empty to end"
    while line := run_prompt(lambda: typer.prompt(question, "", show_default=False, err=True)).strip():
        lines.append(line)
    assignments = parse_assignments(lines)
    if assignments is None:
        return None
    values = memory.run(lambda opened: read_for_type(_in_domain(opened, domain), assignments, entry.kind, entry.type))
    if entry.kind is Kind.NODE:
        changed = memory.update_node(entry.subject, properties=values, domain=domain)
    else:
        changed = memory.update_connection(entry.subject, properties=values, domain=domain)
    return _report_version(entry, changed.version)


def _in_domain(memory: Memory, domain: str | None) -> Memory:
    return memory if domain is None else memory.in_domain(domain)


def _edit_content(memory: SyncMemory, entry: LogEntry, domain: str | None) -> int | None:
    before, version = _read_text(memory, entry, domain)
    after = edit_text(before)
    if after == before:
        note("The text is unchanged.")
        return None
    with save_on_failure(ContentInput(after, "utf-8", None), edit=True):
        if entry.kind is Kind.NODE:
            changed = memory.update_node(
                entry.subject, content=after, encoding="utf-8", expected_version=version, domain=domain
            )
        else:
            changed = memory.update_connection(entry.subject, content=after, expected_version=version, domain=domain)
    return _report_version(entry, changed.version)


def _read_text(memory: SyncMemory, entry: LogEntry, domain: str | None) -> tuple[str, int]:
    """Return the subject's current text and version. Raises INVALID_ENCODING if its content is binary."""
    if entry.kind is Kind.CONNECTION:
        connection = memory.get_connection(entry.subject, include_content=True, domain=domain)
        return connection.content or "", connection.version
    version = memory.get_node(entry.subject, domain=domain).version
    content = memory.get_node_content(entry.subject, domain=domain)
    if content.encoding != "utf-8":
        hint = f"Replace it with `graph-memory node update {entry.subject} --file FILE`."
        message = f"The content of {entry.subject} is binary, not text"
        raise GraphError(Code.INVALID_ENCODING, message, {"hint": hint})
    return content.content, version


def _report_version(entry: LogEntry, version: int) -> int:
    note(f"{entry.subject} is at version {version}.")
    return version
