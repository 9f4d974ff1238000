"""Content for a node or connection: from the command line itself, a file, standard input or an editor."""

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
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.content import Encoding

FORMATS = {".md": "markdown", ".markdown": "markdown", ".txt": "text", ".yml": "yaml", ".htm": "html", ".jpeg": "jpg"}
"""Formats that a file's ending does not name by itself."""


@dataclass(frozen=True, slots=True)
class Given:
    """Content that was given, and how a call names it."""

    content: str | bytes
    encoding: Encoding
    format: str | None
    """What a file's name says that it is."""


def given_content(
    text: str | None, file: Path | None, *, edit: bool = False, before: str = "", binary: bool = False
) -> Given | None:
    """Return the content that the options give, None without any; an editor begins with the text of `before`.

    Raises INVALID_ARGUMENT for two sources at once, a file that cannot be read, and an editor that cannot be run.
    """
    if sum((text is not None, file is not None, edit)) > 1:
        raise fault("content", "The content was given twice", "Use one of --content, --file and --edit.")
    if edit:
        text = edited(before)
    given = _from_file(file) if file is not None else None if text is None else Given(text, "utf-8", None)
    return _as_binary(given) if given and binary else given


def given_text(text: str | None, file: Path | None) -> str | None:
    """Return content that must be text, None without any. Raises INVALID_ARGUMENT and INVALID_ENCODING."""
    given = given_content(text, file)
    if given is None or isinstance(given.content, str):
        return None if given is None else str(given.content)
    hint = "Store it as the content of a node, and connect that."
    raise GraphError(Code.INVALID_ENCODING, "The notes of a connection must be UTF-8 text", {"hint": hint})


def edited(before: str) -> str:
    """Return what a person made of the text in an editor. Raises INVALID_ARGUMENT."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
    with tempfile.TemporaryDirectory(prefix="graph-memory-") as folder:
        path = Path(folder, "content.md")
        path.write_text(before, encoding="utf-8", newline="")
        try:
            ended = subprocess.run([*shlex.split(command, posix=os.name != "nt"), str(path)], check=False).returncode
        except (OSError, ValueError) as error:
            raise fault("edit", f"The editor {command} cannot be run", "Set VISUAL or EDITOR.") from error
        if ended != 0:
            raise fault("edit", f"The editor {command} exited with {ended}", "Nothing was changed.")
        return _decoded(path.read_bytes())


@contextmanager
def saved_on_failure(given: Given | None, *, edit: bool) -> Generator[None]:
    """Keep what a person wrote in an editor in a file when the write fails, and say where."""
    try:
        yield
    except BaseException as error:  # Ctrl-C and a lost terminal too: what a person wrote must not go with them
        if given is None or not edit:
            raise
        saved = f"Your text is in {_saved(given)}."
        if isinstance(error, GraphError):
            hint = Hint("{hint}", " {saved}", hint=error.hint, saved=saved) if error.hint else saved
            raise GraphError(error.code, error.message, {**error.details, "hint": hint}) from error
        note(saved)
        raise


def _saved(given: Given) -> str:
    data = given.content if isinstance(given.content, bytes) else given.content.encode(errors="surrogatepass")
    with tempfile.NamedTemporaryFile(prefix="graph-memory-", suffix=".md", delete=False) as file:
        file.write(data)
        return file.name


def _as_binary(given: Given) -> Given:
    data = given.content.encode() if isinstance(given.content, str) else given.content
    return Given(data, "base64", given.format)


def _from_file(path: Path) -> Given:
    if str(path) == "-":
        return _of(sys.stdin.buffer.read(), None)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise fault("file", f"Cannot read {path}: {error.strerror}", "Give a readable file.") from error
    suffix = path.suffix.lower()
    return _of(data, FORMATS.get(suffix) or suffix.removeprefix(".") or None)


def _of(data: bytes, content_format: str | None) -> Given:
    """Return UTF-8 without null bytes as text, which is searched, and everything else as binary content."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return Given(data, "base64", content_format or "binary")
    return Given(text, "utf-8", content_format)


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise fault("edit", "The editor did not save UTF-8", "Set it to save as UTF-8.") from error
