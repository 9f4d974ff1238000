"""`FileError`: the error of a rejected call, with the reply of Anthropic's memory tool."""

from __future__ import annotations

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import printable

LIST_FILES = Hint("List the files with {view_file} of /memories.")


class FileError(GraphError):
    """The error of a rejected call on a file. `reply` is the text that Anthropic's own tool returns in this case.

    The message is the same text with long values shortened and invisible characters escaped.
    """

    def __init__(self, code: Code, template: str, hint: str, **values: object) -> None:
        shown = {name: printable(value) for name, value in values.items()}
        super().__init__(code, template.format(**shown), {"hint": hint})
        self.reply = template.format(**values)


def not_found(template: str, path: str) -> FileError:
    """Return the error for a path without a file or folder."""
    return FileError(Code.NODE_NOT_FOUND, template, LIST_FILES, path=path)


def invalid_call(template: str, hint: str, **values: object) -> FileError:
    """Return the error for invalid arguments. `values` fill the message template."""
    return FileError(Code.INVALID_ARGUMENT, template, hint, **values)


def already_exists(template: str, path: str) -> FileError:
    """Return the error for a new path that is already in use."""
    hint = Hint("Choose another path.", " To change the existing file, use {str_replace_in_file|insert_into_file}.")
    return FileError(Code.NODE_ALREADY_EXISTS, template, hint, path=path)
