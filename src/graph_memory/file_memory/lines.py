"""Renders files with line numbers, and edits them, exactly as Anthropic's memory tool does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from graph_memory.file_memory.errors import invalid_call
from graph_memory.model.errors import Hint

_MAX_LINES = 999_999
_WIDTH = len(str(_MAX_LINES))
_CONTEXT_LINES = 2
"""Number of lines before and after a change in a reply."""
_MAX_LINE_NUMBERS = 100
"""Maximum number of line numbers in an error about several occurrences."""


def number_lines(path: str, text: str, view_range: Sequence[int] | None) -> str:
    """Return the lines of a file with their numbers.

    `view_range` contains the first and last line number; -1 means the last line of the file. Raises INVALID_ARGUMENT if
    the file has too many lines.
    """
    lines, first = text.split("\n"), 1
    if len(lines) > _MAX_LINES:
        template = "File {path} exceeds maximum line limit of 999,999 lines."
        raise invalid_call(template, Hint("Read its content with {get_node_content}."), path=path)
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0])
        lines = lines[first - 1 : len(lines) if view_range[1] == -1 else view_range[1]]
    return f"Here's the content of {path} with line numbers:\n{_with_numbers(lines, first)}"


def replace_text(path: str, text: str, old: str, new: str) -> tuple[str, str]:
    """Replace the only occurrence of `old`. Return the new text and the reply.

    Raises INVALID_ARGUMENT if `old` does not occur exactly once.
    """
    count = text.count(old)
    if count == 0:
        template = "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        raise invalid_call(template, "Copy the text from the file, with all its spaces.", old=old, path=path)
    if count > 1:
        places = ", ".join(map(str, islice(_line_numbers_of(text, old), _MAX_LINE_NUMBERS)))
        template = (
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {places}. "
            "Please ensure it is unique"
        )
        raise invalid_call(template, "Add text before or after it.", old=old, places=places)
    line = text[: text.find(old)].count("\n")
    edited = text.replace(old, new)
    first = max(0, line - _CONTEXT_LINES)
    snippet = _with_numbers(edited.split("\n")[first : line + _CONTEXT_LINES + 1], first + 1)
    reply = f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
    return edited, reply


def insert_lines(text: str, line: int, new: str) -> str:
    """Return the text with new lines inserted after the line with this number; 0 means the beginning.

    Raises INVALID_ARGUMENT if the text has no such line.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= line <= len(lines):
        template = "Invalid `insert_line` parameter: {line}. It should be within the range [0, {end}]."
        raise invalid_call(template, "To insert at the end, pass the largest number.", line=line, end=len(lines))
    edited = "\n".join([*lines[:line], new.rstrip("\n"), *lines[line:]])
    return edited if edited.endswith("\n") else f"{edited}\n"


def _line_numbers_of(text: str, part: str) -> Iterable[int]:
    before, line = 0, 1
    position = text.find(part)
    while position != -1:
        line += text.count("\n", before, position)
        yield line
        before, position = position, text.find(part, position + 1)


def _with_numbers(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first))
