"""Reads the content of a node or connection from an option, a file, standard input or an editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graph_memory.cli.output.printing import note
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import Encoding

FORMATS = {".md": "markdown", ".markdown": "markdown", ".txt": "text", ".yml": "yaml", ".htm": "html", ".jpeg": "jpg"}
"""Content formats by file extension, for extensions that differ from the format's name."""


@dataclass(frozen=True, slots=True)
class ContentInput:
    """Content from the command line, with its encoding and its format."""

    content: str | bytes
    encoding: Encoding
    format: str | None
    """The format for the file's extension, or None if there is no file or extension."""


def read_content(
    text: str | None, file: Path | None, *, edit: bool = False, original: str = "", binary: bool = False
) -> ContentInput | None:
    """Return the content from the option --content, a file, or an editor that opens with the text `original`.

    Returns None if no source is given. Raises INVALID_ARGUMENT if there are several sources, the file cannot be read,
    or the editor fails.
    """
    if sum((text is not None, file is not None, edit)) > 1:
        raise invalid_argument("content", "The content was given twice", "Use one of --content, --file and --edit.")
    if edit:
        text = edit_text(original)
    content = _from_file(file) if file is not None else None if text is None else ContentInput(text, "utf-8", None)
    if content is None or not binary:
        return content
    data = content.content.encode() if isinstance(content.content, str) else content.content
    return ContentInput(data, "base64", content.format)


def read_text(text: str | None, file: Path | None) -> str | None:
    """Return the notes of a connection from the option or the file, or None if neither is given.

    Raises INVALID_ARGUMENT if both are given or the file cannot be read, and INVALID_ENCODING if it is not UTF-8 text.
    """
    content = read_content(text, file)
    if content is None or isinstance(content.content, str):
        return None if content is None else str(content.content)
    hint = "Store it as the content of a node, and connect that node."
    raise GraphError(Code.INVALID_ENCODING, "The notes of a connection must be UTF-8 text", {"hint": hint})


def edit_text(original: str) -> str:
    """Open the text in the user's editor, and return the edited text.

    Raises INVALID_ARGUMENT if the editor cannot be run, fails, or does not save UTF-8.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
    with tempfile.TemporaryDirectory(prefix="graph-memory-") as folder:
        path = Path(folder, "content.md")
        path.write_text(original, encoding="utf-8", newline="")
        try:
            status = subprocess.run([*shlex.split(command, posix=os.name != "nt"), str(path)], check=False).returncode
        except (OSError, ValueError) as error:
            raise invalid_argument(
                "edit", f"The editor {command} cannot be run", "Set VISUAL or EDITOR to the command of an editor."
            ) from error
        if status != 0:
            raise invalid_argument(
                "edit",
                f"The editor {command} exited with status {status}",
                "Nothing was changed. Edit it again, or give the text with --content.",
            )
        return _decode(path.read_bytes())


@contextmanager
def save_on_failure(content: ContentInput | None, *, edit: bool) -> Generator[None]:
    """If the `with` block fails, save the text from an editor to a file, and add the file's path to the error."""
    try:
        yield
    except BaseException as error:  # even on Ctrl-C or a lost terminal, the text must not be lost
        if content is None or not edit:
            raise
        saved = f"Your text is in {_save(content)}."
        if isinstance(error, GraphError):
            hint = Hint("{hint}", " {saved}", hint=error.hint, saved=saved) if error.hint else saved
            raise GraphError(error.code, error.message, {**error.details, "hint": hint}) from error
        note(saved)
        raise


def _save(content: ContentInput) -> str:
    data = content.content if isinstance(content.content, bytes) else content.content.encode(errors="surrogatepass")
    with tempfile.NamedTemporaryFile(prefix="graph-memory-", suffix=".md", delete=False) as file:
        file.write(data)
        return file.name


def _from_file(path: Path) -> ContentInput:
    if str(path) == "-":
        return _from_bytes(sys.stdin.buffer.read(), None)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise invalid_argument("file", f"Cannot read {path}: {error.strerror}", "Pass a readable file.") from error
    suffix = path.suffix.lower()
    return _from_bytes(data, FORMATS.get(suffix) or suffix.removeprefix(".") or None)


def _from_bytes(data: bytes, content_format: str | None) -> ContentInput:
    """Return the data as searchable text if it is UTF-8 without null bytes, otherwise as binary content."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return ContentInput(data, "base64", content_format or "binary")
    return ContentInput(text, "utf-8", content_format)


def _decode(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise invalid_argument(
            "edit", "The editor did not save UTF-8", "Configure the editor to save UTF-8."
        ) from error
