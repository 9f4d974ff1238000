"""BEAM: very long chats with ten kinds of probing questions (github.com/mohammadtavakoli78/BEAM)."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

from graph_memory.evaluation.cases import Haystack, Question, Session, Turn, ask_last
from graph_memory.evaluation.readers.fields import Record, as_list, as_record, as_records
from graph_memory.memory.transfer.formats.memories.json_lines import read_json_file
from graph_memory.memory.transfer.formats.records import SourcePosition, UnreadableSource
from graph_memory.model.values.plain import parse_json_strictly

_CHAT = "chat.json"
_CUT_CHAT = "chat_trunecated.json"
"""The file with the part of the chat used by BEAM's own evaluation, if the folder has one. The spelling is BEAM's."""
_QUESTIONS = Path("probing_questions") / "probing_questions.json"
_MARK = re.compile(r"\s*->->\s*[\d,\s]*$")
"""The marker of the generated plan at the end of many user messages."""
_MOST_CHARACTERS = 4_000_000
"""Maximum number of characters of questions given as one string."""


def is_beam(record: Record) -> bool:
    """Return whether the record is a BEAM conversation in the format of its Hugging Face data set."""
    return "chat" in record and "probing_questions" in record


def chat_folders(path: Path) -> list[Path]:
    """Return the chat folders of BEAM's repository: the folder itself, or its subfolders that contain a chat."""
    folders = [path] if (path / _CHAT).is_file() else [chat.parent for chat in path.glob(f"*/{_CHAT}")]
    complete = [folder for folder in folders if (folder / _QUESTIONS).is_file()]
    return sorted(complete, key=lambda folder: (len(folder.name), folder.name))


def files_of(folder: Path) -> tuple[Path, Path]:
    """Return the paths of a chat folder's chat and questions."""
    cut = folder / _CUT_CHAT
    return cut if cut.is_file() else folder / _CHAT, folder / _QUESTIONS


def read_folder(folder: Path) -> Record:
    """Read a chat folder of BEAM's repository as one record. Raises UnreadableSource."""
    chat, questions = files_of(folder)
    values = {
        "conversation_id": folder.name,
        "chat": read_json_file(chat),
        "probing_questions": read_json_file(questions),
    }
    return Record(values, SourcePosition(f"{folder.name}/{chat.name}"))


def read_haystack(record: Record) -> Haystack:
    """Return a chat with its questions. A message without a time gets the time of the previous message.

    Raises UnreadableSource.
    """
    name = record.text("conversation_id")
    sessions: list[Session] = []
    texts: dict[str, str] = {}
    session_of: dict[str, str] = {}
    date = ""
    for number, messages in enumerate(_sessions(record), 1):
        turns: list[Turn] = []
        for message in messages:
            date = message.text("time_anchor", date)
            id_, text = message.text("id"), _MARK.sub("", message.text("content"))
            if id_ in texts:
                raise UnreadableSource(message.place, f"Two messages have the id {id_}", "BEAM-10M cannot be read.")
            texts[id_], session_of[id_] = text, f"session {number}"
            turns.append(Turn(id_, text, date, is_agent=message.text("role") == "assistant"))
        sessions.append(Session(f"session {number}", turns))
    questions = [
        _question(kind, question, texts, session_of)
        for kind, entries in _questions(record).values.items()
        for question in as_records(entries, record.at(f"probing_questions {kind}"))
    ]
    return Haystack(name, ask_last(sessions, questions))


def _sessions(record: Record) -> Iterator[list[Record]]:
    """Yield the messages of each session. A session is a list, or an object with groups of messages in `turns`."""
    for number, session in enumerate(as_list(record.values.get("chat"), record.at("chat")), 1):
        place = replace(record.at("chat"), element=f"session {number}, message")
        is_list = isinstance(session, list)
        groups = [cast("object", session)] if is_list else as_record(session, place).list("turns")
        if not groups:
            raise UnreadableSource(place, "The session has no turns", "BEAM-10M, which has plans, cannot be read.")
        yield [message for group in groups for message in as_records(group, place)]


def _questions(record: Record) -> Record:
    """Return the questions by kind. In the Hugging Face data set, they are a string with a Python or JSON object."""
    value, place = record.values.get("probing_questions"), record.at("probing_questions")
    if isinstance(value, str):
        if len(value) > _MOST_CHARACTERS:
            raise UnreadableSource(
                place, f"The text is longer than {_MOST_CHARACTERS:,} characters", "Repair the file."
            )
        try:
            if not value.lstrip().startswith('{"'):
                value = json.dumps(ast.literal_eval(value))
            value = parse_json_strictly(value.encode())
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
            raise UnreadableSource(
                place, "The text is not a JSON object", "Use the original, unmodified file."
            ) from error
    return as_record(value, place)


def _question(kind: str, question: Record, texts: dict[str, str], session_of: dict[str, str]) -> Question:
    turns = [id_ for id_ in dict.fromkeys(_ids(question.values.get("source_chat_ids"))) if id_ in texts]
    return Question(
        kind,
        question.statement("question"),
        frozenset(turns),
        frozenset(session_of[turn] for turn in turns),
        tuple(texts[turn] for turn in turns),
    )


def _ids(value: object) -> Iterator[str]:
    """Yield the ids of messages in a list, or in an object's lists, such as `original_info` and `updated_info`."""
    lists = list(cast("dict[str, object]", value).values()) if isinstance(value, dict) else [value]
    for entries in lists:
        if isinstance(entries, list):
            yield from map(str, cast("list[object]", entries))
