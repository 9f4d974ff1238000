"""Reads Claude's memories: the `memories.json` of Claude.ai's export, and the folder of the memory tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import cast

from graph_memory.memory.transfer.formats.memories.json_lines import (
    Object,
    read_json_file,
    rows_of_entries,
    rows_or_invalid_record,
)
from graph_memory.memory.transfer.formats.memories.note_files import read_text, walk_files
from graph_memory.memory.transfer.formats.memories.rows import EntityRow, ObservationRow, Row, Rows, text_in
from graph_memory.memory.transfer.formats.records import (
    InvalidRecord,
    InvalidSourceValue,
    Note,
    SourcePosition,
)
from graph_memory.model.errors import Code
from graph_memory.model.text.wording import kind_of
from graph_memory.model.values.arguments import invalid_argument

CONVERSATIONS, PROJECTS = "conversations_memory", "project_memories"
"""Keys in `memories.json`: for an account's memory of all conversations, and for its memories of projects."""
FOLDER = "memories"
"""The name of the folder in which the memory tool keeps its files."""
_ACCOUNT = "account_uuid"
_HEADING = re.compile(r"(?:#+ *|\*\*)(?P<heading>[^*#\n]+?):?(?:\*\*)?:?")
"""A paragraph that is a heading: after `#`, or in bold."""
_LEFT_OUT = "other fields of the account are left out"
_MAX_FILES = 200_000


def read_claude_memories(path: Path, clean: Callable[[str], str] = str) -> Rows:
    """Yield the rows of a `memories.json`. Each paragraph becomes an observation of the user or of a project.

    `clean` is applied to each text before it is divided into paragraphs.
    """

    def rows() -> Rows:
        data = read_json_file(path)
        accounts: object = [cast("Object", data)] if isinstance(data, dict) else data
        return rows_of_entries(accounts, "accounts", path.name, partial(_account, clean=clean))

    return rows_or_invalid_record(SourcePosition(path.name), rows)


def _account(account: Object, place: SourcePosition, clean: Callable[[str], str]) -> Rows:
    account = cast("Object", _clean_texts(account, clean))
    if not account.keys() & {CONVERSATIONS, PROJECTS}:
        raise InvalidSourceValue("The account has no memories", f"Pass {{{CONVERSATIONS}: …, {PROJECTS}: …}}.")
    source = ", ".join(filter(None, ["claude.ai", text_in(account, _ACCOUNT)]))
    yield from _observations(account.get(CONVERSATIONS), "user", "user", source, place)
    projects: object = account.get(PROJECTS)
    if projects is not None and not isinstance(projects, dict):
        raise InvalidSourceValue(f"{PROJECTS} is {kind_of(projects)}; it must be an object", None, PROJECTS)
    for project, text in cast("Object", projects or {}).items():
        yield from _observations(text, project, "project", source, place)
    if any(account[name] for name in account.keys() - {CONVERSATIONS, PROJECTS, _ACCOUNT}):
        yield Note(SourcePosition(place.file), _LEFT_OUT)


def _clean_texts(value: object, clean: Callable[[str], str]) -> object:
    """Return a text cleaned, or an object with all its texts cleaned. Other values are unchanged."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {name: _clean_texts(item, clean) for name, item in cast("Object", value).items()}
    return value


def _observations(text: object, name: str, kind: str, source: str, place: SourcePosition) -> Rows:
    if text is None:
        return
    if not isinstance(text, str):
        raise InvalidSourceValue(f"The memory of {name} is {kind_of(text)}; it must be text")
    yield EntityRow(place=place, name=name, type=kind)
    for paragraph in _paragraphs(text):
        yield ObservationRow(place=place, entity=name, text=paragraph, source=source)


def _paragraphs(text: str) -> Iterator[str]:
    """Yield each paragraph, preceded by the last heading above it."""
    heading = ""
    for paragraph in filter(None, map(str.strip, re.split(r"\n\s*\n", text))):
        if match := _HEADING.fullmatch(paragraph):
            heading = f"{match['heading']}: "
        else:
            yield f"{heading}{paragraph}"


def read_memory_folder(path: Path) -> Rows:
    """Yield an entity for each file in a folder of the memory tool, with the file's path and text."""
    if not path.is_dir():
        raise invalid_argument(
            "source", f"{path} is not a folder", "Pass the folder in which the tool keeps its files."
        )
    for number, (file, at) in enumerate(walk_files(path, PurePosixPath())):
        if number == _MAX_FILES:
            hint = "Import the subfolders one at a time."
            raise invalid_argument("source", f"The folder contains more than {_MAX_FILES:,} files", hint)
        yield at if isinstance(at, Note) else _file(file, at)


def _file(file: Path, at: PurePosixPath) -> Row:
    place, name = SourcePosition(str(at)), f"/{FOLDER}/{at}"
    try:
        text = read_text(file)
    except InvalidSourceValue as error:
        return error.at(place)
    except OSError as error:
        return InvalidRecord(place, Code.INVALID_SOURCE, f"The file cannot be read: {error.strerror or error}")
    properties = {"path": name, "source": "memory-tool"}
    return EntityRow(place=place, name=name, type="memory_file", description=text, properties=properties)
