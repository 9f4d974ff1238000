"""Changing a node or connection while a person is asked about it: new property values, or its text in an editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from graph_memory.cli.errors import explained
from graph_memory.cli.input.assignments import assigned, of_type
from graph_memory.cli.input.content import Given, edited, saved_on_failure
from graph_memory.cli.input.prompts import answered, asked
from graph_memory.cli.output.printing import note
from graph_memory.memory.history.results import LogEntry
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.kinds import TYPE_OF, Kind

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.sync import SyncMemory


def can_be_edited(entry: LogEntry) -> bool:
    """Say whether the subject of a change may have values and a text to edit."""
    return entry.kind in TYPE_OF and entry.operation != "delete"


def edit(memory: SyncMemory, entry: LogEntry, domain: str | None) -> int | None:
    """Let a person change the subject as it is now, and return its version then; None if they did not.

    A refusal is told.
    """
    match answered("Edit", ["values", "content", "nothing"]):
        case "values":
            change = _values
        case "content":
            change = _content
        case _:
            return None
    try:
        return change(memory, entry, domain)
    except GraphError as error:
        note(explained(error))
        return None


def _values(memory: SyncMemory, entry: LogEntry, domain: str | None) -> int | None:
    given: list[str] = []
    question = "name=value or name:=JSON, nothing to end"
    while line := asked(lambda: typer.prompt(question, "", show_default=False, err=True)).strip():
        given.append(line)
    typed = assigned(given)
    if typed is None:
        return None
    values = memory.run(lambda opened: of_type(_in(opened, domain), typed, entry.kind, entry.type))
    if entry.kind is Kind.NODE:
        changed = memory.update_node(entry.subject, properties=values, domain=domain)
    else:
        changed = memory.update_connection(entry.subject, properties=values, domain=domain)
    return _told(entry, changed.version)


def _in(memory: Memory, domain: str | None) -> Memory:
    return memory if domain is None else memory.in_domain(domain)


def _content(memory: SyncMemory, entry: LogEntry, domain: str | None) -> int | None:
    before, version = _text(memory, entry, domain)
    after = edited(before)
    if after == before:
        note("The text is unchanged.")
        return None
    with saved_on_failure(Given(after, "utf-8", None), edit=True):
        if entry.kind is Kind.NODE:
            changed = memory.update_node(
                entry.subject, content=after, encoding="utf-8", expected_version=version, domain=domain
            )
        else:
            changed = memory.update_connection(entry.subject, content=after, expected_version=version, domain=domain)
    return _told(entry, changed.version)


def _text(memory: SyncMemory, entry: LogEntry, domain: str | None) -> tuple[str, int]:
    """Return the text of a subject as it is now, and the version that was read. Raises INVALID_ENCODING."""
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


def _told(entry: LogEntry, version: int) -> int:
    note(f"{entry.subject} is at version {version}.")
    return version
