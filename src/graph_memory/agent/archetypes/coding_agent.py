"""The archetype `coding_agent`: finds names in the transcripts of coding agents, without a language model."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from graph_memory.agent.archetypes.coding_names import (
    commands_in,
    commits_in,
    errors_in,
    files_in,
    functions_in,
    packages_in,
    tests_in,
)
from graph_memory.agent.archetypes.extraction import Extraction, lines_of

_FINDERS: Mapping[str, Callable[[str], Iterator[str]]] = {
    "error": errors_in,
    "commit": commits_in,
    "file": files_in,
    "test": tests_in,
    "command": commands_in,
    "package": packages_in,
    "function": functions_in,
}
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_FIX = re.compile(r"\b(?:fix(?:e[sd])?|resolve[sd]?)\b", re.IGNORECASE)
_DIFF_STAT_LINE = re.compile(r" \S+ +\| +(?:\d+ [+-]*|Bin .*)$")
_CHANGED_FILE_LINE = re.compile(r"(?:diff --git|\+\+\+) |[ACDMR]\d{0,3}\t")
_IMPORT = re.compile(r"\+\s*(?:import|from) ([A-Za-z]\w*)")
_RAISED = re.compile(r"(?:E +|\|\s*)?[\w.]{0,200}(?:Error|Exception|Interrupt|Group)\b")
_SECTION_STARTS = ("____", "====", "FAILED ", "--- FAIL")
"""Prefixes of lines that start a section, for example the section about one failing test."""
_MESSAGE_STARTS = (" ", "Author", "Commit", "Date", "Merge: ")
_REQUIRES = re.compile(r"Requires: ")
_NAME = re.compile(r"Name: (\S{1,100})$")


def extract(event_type: str, content: str) -> Extraction:
    """Return the files, functions, errors, commits, commands, packages and tests that an event names.

    Also returns relations between them. A commit `edits` the files of its diff, and `fixes` the errors that a line of
    its message calls fixed. A test or a file `raises` the error at the end of its traceback. A file `depends_on` the
    packages that its diff imports. A package `depends_on` its requirements.
    """
    transcript = _Transcript(event_type)
    for line in lines_of(_COLOUR.sub("", content)):
        transcript.read(line)
    return transcript.extraction


@dataclass(slots=True)
class _Transcript:
    """The state while a transcript is read: the names to which later lines can refer."""

    event_type: str
    extraction: Extraction = field(default_factory=Extraction)
    commit: str = ""
    is_message: bool = False
    """Whether the current line belongs to the message of the commit."""
    file: str = ""
    """The file of the last diff or the last line of a traceback."""
    test: str = ""
    """The test whose failure the current section shows."""
    package: str = ""
    """The package that the current section describes."""

    def read(self, line: str) -> None:
        """Add the names in the line, and their relations to each other and to names in earlier lines."""
        names = {kind: [self.extraction.add(kind, name) for name in find(line)] for kind, find in _FINDERS.items()}
        self.commit = (names["commit"] or [self.commit])[0]
        self.is_message = line.startswith("commit ") or (self.is_message and line.startswith(_MESSAGE_STARTS))
        if line.startswith(_SECTION_STARTS):
            self.test = (names["test"] or [""])[0]
        self._relate_commit(line, names)
        self._relate_error(line, names)
        self._relate_packages(line, names)
        self.file = (names["file"] or [self.file])[-1]

    def _relate_commit(self, line: str, names: Mapping[str, list[str]]) -> None:
        if _DIFF_STAT_LINE.match(line) or _CHANGED_FILE_LINE.match(line):
            for path in names["file"]:
                self.extraction.relate(self.commit, "edits", path)
        is_message = self.is_message or self.event_type in ("fix", "commit") or names["commit"]
        if is_message and _FIX.search(line):
            for error in names["error"]:
                self.extraction.relate(self.commit, "fixes", error)

    def _relate_error(self, line: str, names: Mapping[str, list[str]]) -> None:
        is_failure = line.startswith(("FAILED ", "ERROR "))
        has_place = bool(names["file"]) and re.search(r":\d+: \w+$", line) is not None
        if names["error"] and (is_failure or has_place or _RAISED.match(line)):
            error = names["error"][0]
            self.extraction.relate((names["file"] or [self.file])[0], "raises", error)
            self.extraction.relate(self.test, "raises", error)

    def _relate_packages(self, line: str, names: Mapping[str, list[str]]) -> None:
        if name_line := _NAME.match(line):
            self.package = name_line[1]
        if _REQUIRES.match(line) and self.package:
            dependent = self.extraction.add("package", self.package.lower())
            for package in names["package"]:
                self.extraction.relate(dependent, "depends_on", package)
        imported = _IMPORT.match(line)
        if imported and self.file.endswith(".py") and imported[1] not in sys.stdlib_module_names:
            package = self.extraction.add("package", imported[1].replace("_", "-").lower())
            self.extraction.relate(self.file, "depends_on", package)
