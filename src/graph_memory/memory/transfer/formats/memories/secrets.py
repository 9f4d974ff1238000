"""Removes secrets from memories that agents wrote, before anything is stored, with the rules that hooks use."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import cast

from graph_memory.hooks.redact import count_markers, redact
from graph_memory.memory.transfer.formats.memories.note_files import is_vault
from graph_memory.memory.transfer.formats.memories.rows import (
    EntityRow,
    ObservationRow,
    RelationRow,
    Rows,
    Source,
)
from graph_memory.memory.transfer.results import MemoryFormat

_AGENT_FORMATS: frozenset[MemoryFormat] = frozenset({"instructions", "claude-memories", "memory-tool"})
_AUTO_MEMORY = "MEMORY.md"
"""The index in a folder of Claude Code's auto-memory, including the memory of a subagent."""
_MARKER = "[secret: password]"
_SAMPLE_VALUE = "x9x9x9x9"
"""A value that counts as a secret if its key has a name such as `password`."""
_SMALLEST_SECRET_NUMBER = 1_000
"""The smallest number that can be a secret. The limit also excludes true and false."""
IsOfAgent = Callable[[str], bool]
"""Returns whether an agent wrote the file at a path of the source."""


def files_of_agents(source: Source, form: MemoryFormat) -> IsOfAgent:
    """Return a function that recognises files that agents wrote. Users' own notes are imported unchanged.

    A note belongs to auto-memory if a file `MEMORY.md` is in its folder or in a parent folder. Notes in an Obsidian
    vault or a synchronised folder are the user's own: a later sync could replace their text with markers.
    """
    if form != "markdown" or not isinstance(source, Path):
        return lambda _: form in _AGENT_FORMATS
    root = (source if source.is_dir() else source.parent).resolve()
    is_auto_memory = cache(_is_auto_memory)
    return lambda file: is_auto_memory((root / file).parent)


def _is_auto_memory(folder: Path) -> bool:
    return any(_has_index(parent) for parent in (folder, *folder.parents)) and not is_vault(folder)


def _has_index(folder: Path) -> bool:
    """Return whether the folder has the index under its exact name, even if the file system ignores case."""
    with suppress(OSError):
        return (folder / _AUTO_MEMORY).is_file() and _AUTO_MEMORY in os.listdir(folder)  # noqa: PTH208 - names suffice
    return False


@dataclass(slots=True)
class SecretFilter:
    """Replaces secrets in texts and rows with markers, and counts the secrets."""

    is_of_agent: IsOfAgent
    _replaced: int = 0
    _counted: set[str] = field(default_factory=set[str])

    def clean(self, text: str) -> str:
        """Return the text with a marker in place of each secret."""
        cleaned, secrets = redact(text)
        self._count(text, secrets)
        return cleaned

    def rows(self, rows: Rows) -> Rows:
        """Yield the rows without secrets, if an agent wrote their files. Equal names stay equal."""
        for row in rows:
            if isinstance(row, EntityRow | ObservationRow | RelationRow) and self.is_of_agent(row.place.file):
                values = {part.name: self._clean_value(getattr(row, part.name)) for part in fields(row)}
                yield replace(row, **values)
            else:
                yield row

    def secrets_in(self, texts: Iterable[str]) -> int:
        """Return the number of replaced secrets in new texts. A text that occurs several times is counted once.

        Markers that were in the source before are not secrets.
        """
        return min(self._replaced, sum(map(count_markers, set(texts)))) if self._replaced else 0

    def _count(self, text: str, secrets: int) -> None:
        if secrets and text not in self._counted:
            self._counted.add(text)
            self._replaced += secrets

    def _clean_value(self, value: object) -> object:
        match value:
            case str():
                return self.clean(value)
            case Mapping():
                return self._clean_properties(cast("Mapping[str, object]", value))
            case list():
                return [self._clean_value(item) for item in cast("list[object]", value)]
            case _:
                return value

    def _clean_properties(self, properties: Mapping[str, object]) -> Mapping[str, object]:
        """Return the properties without secrets in names and values. Different names stay different."""
        cleaned: dict[str, object] = {}
        for name, value in properties.items():
            clean_name = self.clean(name)
            numbered = (f"{clean_name} ({number})" if number > 1 else clean_name for number in count(1))
            unique_name = name if clean_name == name else next(key for key in numbered if key not in cleaned)
            cleaned[unique_name] = self._clean_property(name, value)
        return cleaned

    def _clean_property(self, name: str, value: object) -> object:
        """Return the property's value without secrets. The whole value of a property such as `password` is a secret.

        Short numbers are not secrets, because a name such as `passed_tests` also matches.
        """
        is_short = isinstance(value, int | float) and abs(value) < _SMALLEST_SECRET_NUMBER
        if value != "" and not is_short and redact(f'{name}="{_SAMPLE_VALUE}"')[1]:
            self._count(f"{name}={value}", 1)
            return _MARKER
        if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
            with suppress(ValueError, RecursionError):  # a list of names, which must remain a list
                parsed: object = json.loads(value)
                cleaned = self._clean_value(parsed)
                return value if cleaned == parsed else json.dumps(cleaned, ensure_ascii=False)
        return self._clean_value(value)
