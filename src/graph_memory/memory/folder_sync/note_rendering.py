"""Renders entities as Markdown notes that are parsed as the same entities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from graph_memory.memory.folder_sync.entity_notes import EntityNote
from graph_memory.memory.folder_sync.folder_ends import FolderEnds, parse_note
from graph_memory.memory.transfer.formats.memories.exact_notes import (
    EXACT,
    MARK,
    PROPERTIES,
    write_exact,
    write_relation,
)
from graph_memory.memory.transfer.formats.memories.markdown import NOTE, NoteFile
from graph_memory.memory.transfer.formats.memories.notes import note_of
from graph_memory.model.ontology.yaml_io import dump_yaml
from graph_memory.model.text.name_list import listed_names
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import PropertyValue

OBSERVATIONS, RELATIONS = "## Observations", "## Relations"


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders entities as notes in a folder, and parses such notes. `ends` resolves their links."""

    ends: FolderEnds

    def read(self, text: str, path: PurePosixPath, name: str | None = None) -> EntityNote:
        """Return the entity that a note's text describes. If the front matter has no title, its name is `name`."""
        file = NoteFile(path, note_of(text))
        return parse_note(file, file.own_title or name or file.title, self.ends)

    def render(self, note: EntityNote, path: PurePosixPath) -> str:
        """Return an entity's note as text. Raises INVALID_ARGUMENT if a note cannot represent the entity's values."""
        for text in (self._ordinary(note, path), self._exact(note, path)):
            if text is not None and self.read(text, path).key == note.key:
                return text
        hint = "Shorten its properties, or keep long text in the description."
        raise invalid_argument("entity", f"{quote(note.name)} cannot be written as a note", hint)

    def _ordinary(self, note: EntityNote, path: PurePosixPath) -> str | None:
        """Return a note in its usual form, or None if that form cannot represent the entity."""
        front = {"title": note.name, **({} if note.type == NOTE else {"type": note.type})}
        front |= {"aliases": list(note.aliases)} if note.aliases else {}
        front |= {key: _tags(value) if key == "tags" else value for key, value in sorted(note.properties.items())}
        if len(front) < 1 + (note.type != NOTE) + bool(note.aliases) + len(note.properties):
            return None
        body = self.read(_assemble(front, note.text, (), ()), path)
        implied = set(body.relations)
        links = [
            (kind, self._link(end, path)) for kind, end in self._sort_relations(note) if (kind, end) not in implied
        ]
        if any(link is None for _, link in links):
            return None
        items = [observation.replace("\n", "\n  ") for observation in note.observations]
        return _assemble(front, note.text, items, [f"{kind} [[{link}]]" for kind, link in links])

    def _exact(self, note: EntityNote, path: PurePosixPath) -> str:
        front: dict[str, object] = {"title": note.name, "type": note.type}
        front |= {"aliases": list(note.aliases)} if note.aliases else {}
        front |= {MARK: EXACT, **({PROPERTIES: dict(sorted(note.properties.items()))} if note.properties else {})}
        relations = [
            write_relation(kind, self._link(end, path), self.ends.name_of(end))
            for kind, end in self._sort_relations(note)
        ]
        return f"---\n{dump_yaml(front)}---\n{write_exact(note.text, note.observations, relations)}"

    def _sort_relations(self, note: EntityNote) -> list[tuple[str, str]]:
        return sorted(note.relations, key=lambda relation: (relation[0], self.ends.name_of(relation[1])))

    def _link(self, end: str, path: PurePosixPath) -> str | None:
        """Return the text of a link to this endpoint, or None if it cannot be linked.

        Readers ignore white space around a name. An entity with such a name is therefore linked by its path.
        """
        name, target = self.ends.name_of(end), self.ends.path_of(end)
        is_link = name == name.strip() and not {"[", "]", "\n"} & {*name}
        candidates = [name] if is_link else []
        if target is not None:
            candidates.append(f"{target.with_suffix('')}|{name}" if candidates else f"{target.with_suffix('')}")
        for text in candidates:
            links = note_of(f"[[{text}]]").links
            if len(links) == 1 and self.ends.end_of(links[0], path) == end:
                return text
        return None


def _assemble(front: Mapping[str, object], text: str, observations: Iterable[str], relations: Iterable[str]) -> str:
    sections = [text] if text else []
    for heading, items in ((OBSERVATIONS, observations), (RELATIONS, relations)):
        if lines := [f"- {item}" for item in items]:
            sections.append("\n".join([heading, *lines]))
    body = "\n\n".join(sections)
    return f"---\n{dump_yaml(front)}---\n" + (f"\n{body}\n" if body else "")


def _tags(value: PropertyValue) -> PropertyValue | list[str]:
    """Return the tags as a list if readers would parse the list as the same value. Otherwise, return them unchanged."""
    names = [name.strip() for name in listed_names(value)]
    return names if all(names) and ", ".join(names) == value else value
