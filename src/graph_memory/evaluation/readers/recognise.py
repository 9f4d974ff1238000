"""Recognises the format of a question set, and reads its conversations one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, get_args

from graph_memory.evaluation.cases import Haystack
from graph_memory.evaluation.readers import beam, halumem, locomo, longmemeval
from graph_memory.evaluation.readers.fields import Record, read_records
from graph_memory.memory.search.request import MAX_QUERY_LENGTH
from graph_memory.memory.transfer.formats.records import UnreadableSource
from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument

SetFormat = Literal["longmemeval", "locomo", "beam", "halumem"]
"""The supported formats of question sets."""
FORMATS: tuple[SetFormat, ...] = get_args(SetFormat)
_CHUNK_BYTES = 1 << 20
_READERS: dict[SetFormat, tuple[Callable[[Record], bool], Callable[[Record], Haystack]]] = {
    "longmemeval": (longmemeval.is_longmemeval, longmemeval.read_haystack),
    "locomo": (locomo.is_locomo, locomo.read_haystack),
    "beam": (beam.is_beam, beam.read_haystack),
    "halumem": (halumem.is_halumem, halumem.read_haystack),
}


def recognise(path: Path, form: str | None = None) -> SetFormat:
    """Return the format of a question set: `form` if given, otherwise the format recognised from the content.

    Raises INVALID_ARGUMENT and INVALID_SOURCE.
    """
    try:
        path.stat()
    except (OSError, ValueError) as error:
        raise invalid_argument("file", f"No file or folder exists at {printable(path)}", "Check the path.") from error
    if form is not None:
        if form not in FORMATS:
            raise invalid_argument("format", f"{quote(form)} is not a format", f"Use one of {', '.join(FORMATS)}.")
        return form
    if path.is_dir():
        return "beam"
    try:
        first = next(read_records(path), None)
    except UnreadableSource as error:
        raise _with_place(error) from error
    for name, (is_format, _) in _READERS.items():
        if first is not None and is_format(first):
            return name
    hint = f"Pass a file of {', '.join(FORMATS)}, or a folder of BEAM chats. Use --format to specify the format."
    raise invalid_argument("file", f"{printable(path)} is not a known question set", hint)


def read_haystacks(path: Path, form: SetFormat) -> Iterator[Haystack]:
    """Yield the conversations of a file or folder.

    Raises INVALID_SOURCE with the position of the damage, and INVALID_ARGUMENT if the path cannot be read. A file also
    counts as damaged if a question is too long for a recall, or comes before the first message.
    """
    read = _READERS[form][1]
    try:
        for record in map(beam.read_folder, _folders(path, form)) if path.is_dir() else read_records(path):
            haystack = read(record)
            _check_questions(haystack, record)
            yield haystack
    except UnreadableSource as error:
        raise _with_place(error) from error


def hash_of(path: Path, form: SetFormat) -> str:
    """Return the SHA-256 of a file, or of the names and contents of a folder's chat files, in hexadecimal.

    Raises INVALID_ARGUMENT.
    """
    hash_ = hashlib.sha256()
    is_folder = path.is_dir()
    files = [file for folder in _folders(path, form) for file in beam.files_of(folder)] if is_folder else [path]
    for file in files:
        if is_folder:
            hash_.update(f"{file.relative_to(path).as_posix()}\0".encode("utf-8", "surrogateescape"))
        try:
            with file.open("rb") as stream:
                while data := stream.read(_CHUNK_BYTES):
                    hash_.update(data)
        except OSError as error:
            message = f"Cannot read {printable(file)}: {error.strerror or error}"
            raise invalid_argument("file", message, "Pass a readable file.") from error
    return hash_.hexdigest()


def _folders(path: Path, form: SetFormat) -> list[Path]:
    folders = beam.chat_folders(path) if form == "beam" else []
    if not folders:
        hint = "Pass a folder with chat.json and probing_questions, or a folder of such folders."
        raise invalid_argument("file", f"{printable(path)} has no BEAM chats", hint)
    return folders


def _check_questions(haystack: Haystack, record: Record) -> None:
    """Raise UnreadableSource for a question that is too long, or is asked before anything is stored."""
    is_empty = True
    for session in haystack.sessions:
        is_empty = is_empty and not session.turns and not session.facts
        if session.questions and is_empty:
            raise UnreadableSource(
                record.place, "A question comes before the first message", "Remove it from the file."
            )
        for question in session.questions:
            if len(question.text) > MAX_QUERY_LENGTH:
                message = f"A question is longer than {MAX_QUERY_LENGTH:,} characters: {quote(question.text)}"
                raise UnreadableSource(record.place, message, "Shorten it, or remove it from the file.")


def _with_place(error: UnreadableSource) -> GraphError:
    record = error.invalid_record
    return GraphError(record.code, f"{record.place}: {record.message}", {"hint": record.hint or "Repair the file."})
