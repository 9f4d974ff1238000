"""Reading of memories of Claude: the `memories.json` of Claude.ai's export, and the folder of the memory tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import cast

from graph_memory.memory.transfer.formats.memories.json_lines import (
    Object,
    entries_of,
    read_json_file,
    rows_or_refusal,
)
from graph_memory.memory.transfer.formats.memories.note_files import read_text, walk_files
from graph_memory.memory.transfer.formats.memories.rows import EntityRow, ObservationRow, Row, Rows, text_in
from graph_memory.memory.transfer.formats.records import Note, Place, Refused, Unfit, Unreadable
from graph_memory.model.errors import Code
from graph_memory.model.text.wording import kind_of
from graph_memory.model.values.arguments import invalid_argument

CONVERSATIONS, PROJECTS = "conversations_memory", "project_memories"
"""The keys of an account's memory of all its conversations, and of its memories of projects."""
FOLDER = "memories"
"""The name of the folder in which the memory tool keeps its files."""
_ACCOUNT = "account_uuid"
_HEADING = re.compile(r"(?:#+ *|\*\*)(?P<heading>[^*#\n]+?):?(?:\*\*)?:?")
"""A paragraph that is a heading: after `#`, or in bold."""
_LEFT_OUT = "other fields of the account are left out"
_MAX_FILES = 200_000


def read_claude_memories(path: Path) -> Rows:
    """Yield the rows of a `memories.json`. Each paragraph becomes an observation of the user, or of the project."""
    try:
        data = read_json_file(path)
    except Unreadable as error:
        yield error.refused
        return
    accounts: object = [cast("Object", data)] if isinstance(data, dict) else data
    yield from rows_or_refusal(Place(path.name), lambda: _accounts(accounts, path.name))


def _accounts(data: object, file: str) -> Rows:
    for place, account in entries_of(data, "accounts", file):
        yield from rows_or_refusal(place, partial(_account, account, place))


def _account(account: Object, place: Place) -> Rows:
    if not account.keys() & {CONVERSATIONS, PROJECTS}:
        raise Unfit("The account has no memories", f"It is {{{CONVERSATIONS}: …, {PROJECTS}: …}}.")
    source = ", ".join(filter(None, ["claude.ai", text_in(account, _ACCOUNT)]))
    yield from _observations(account.get(CONVERSATIONS), "user", "user", source, place)
    projects: object = account.get(PROJECTS)
    if projects is not None and not isinstance(projects, dict):
        raise Unfit(f"{PROJECTS} is {kind_of(projects)}; it must be an object", None, PROJECTS)
    for project, text in cast("Object", projects or {}).items():
        yield from _observations(text, project, "project", source, place)
    if any(account[name] for name in account.keys() - {CONVERSATIONS, PROJECTS, _ACCOUNT}):
        yield Note(Place(place.file), _LEFT_OUT)


def _observations(text: object, name: str, kind: str, source: str, place: Place) -> Rows:
    if text is None:
        return
    if not isinstance(text, str):
        raise Unfit(f"The memory of {name} is {kind_of(text)}; it must be text")
    yield EntityRow(place=place, name=name, type=kind)
    for paragraph in _paragraphs(text):
        yield ObservationRow(place=place, entity=name, text=paragraph, source=source)


def _paragraphs(text: str) -> Iterator[str]:
    """Yield each paragraph, with the heading above it."""
    heading = ""
    for paragraph in filter(None, map(str.strip, re.split(r"\n\s*\n", text))):
        if match := _HEADING.fullmatch(paragraph):
            heading = f"{match['heading']}: "
        else:
            yield f"{heading}{paragraph}"


def read_memory_folder(path: Path) -> Rows:
    """Yield an entity for each file of a folder of the memory tool, with the file's path and text."""
    if not path.is_dir():
        raise invalid_argument(
            "source", f"{path} is not a folder", "Give the folder in which the tool keeps its files."
        )
    for number, (file, at) in enumerate(walk_files(path, PurePosixPath())):
        if number == _MAX_FILES:
            hint = "Import the subfolders one at a time."
            raise invalid_argument("source", f"The folder has more than {_MAX_FILES:,} files", hint)
        yield at if isinstance(at, Note) else _file(file, at)


def _file(file: Path, at: PurePosixPath) -> Row:
    place, name = Place(str(at)), f"/{FOLDER}/{at}"
    try:
        text = read_text(file)
    except Unfit as error:
        return error.at(place)
    except OSError as error:
        return Refused(place, Code.INVALID_SOURCE, f"The file cannot be read: {error.strerror or error}")
    properties = {"path": name, "source": "memory-tool"}
    return EntityRow(place=place, name=name, type="memory_file", description=text, properties=properties)
