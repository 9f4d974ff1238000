"""The endpoints of the relations in a folder's notes. Does no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from graph_memory.memory.folder_sync.entity_notes import EntityNote, entity_note
from graph_memory.memory.transfer.formats.memories.link_targets import LinkNames, LinkTargets
from graph_memory.memory.transfer.formats.memories.markdown import NoteFile, entity_rows, relation_rows
from graph_memory.memory.transfer.formats.memories.notes import Link
from graph_memory.memory.transfer.formats.memories.rows import EntityRow, ObservationRow

NODE, NAME = "#", "="
"""Prefixes of endpoints: `#` for an entity's id, and `=` for a name without an entity."""


@dataclass(slots=True)
class FolderEnds:
    """The endpoints of relations: the entities with the paths of their notes, and names that no entity has."""

    targets: LinkTargets
    names: dict[str, str] = field(default_factory=dict[str, str])
    """The entities' names, by id."""
    paths: dict[str, PurePosixPath] = field(default_factory=dict[str, PurePosixPath])
    """The paths of the entities' notes, by entity id. Entities without a note are omitted."""
    _ids: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(
        cls, notes: Iterable[tuple[LinkNames, str]], names: Mapping[str, str], others: Iterable[PurePosixPath] = ()
    ) -> FolderEnds:
        """Return the endpoints for notes with their entities' ids, and for entities, whose names are keyed by id."""
        by_path = sorted(notes, key=lambda note: note[0].path)
        targets = LinkTargets()
        for other in others:
            targets.add_other(other)
        targets.index((link_names, f"{NODE}{subject}") for link_names, subject in by_path)
        ends = cls(targets, dict(names), {subject: link_names.path for link_names, subject in by_path})
        ends._ids = {name: subject for subject, name in names.items()}
        return ends

    def end_of(self, link: Link, at: PurePosixPath) -> str | None:
        """Return the endpoint that a link in the note at this path refers to, or None if it refers to no note."""
        end = self.targets.find(link, at)
        if end is None and (name := self.targets.missing_name(link, at)) is not None:
            end = self.by_name(name)
        return end

    def by_name(self, name: str) -> str:
        """Return the endpoint for a name: the entity with this name or, if there is none, the name itself."""
        subject = self._ids.get(name)
        return f"{NAME}{name}" if subject is None else f"{NODE}{subject}"

    def name_of(self, end: str) -> str:
        """Return an endpoint's name."""
        return self.names.get(end[1:], "") if end.startswith(NODE) else end[1:]

    def path_of(self, end: str) -> PurePosixPath | None:
        """Return the path of the endpoint's note, or None if the endpoint has no note."""
        return self.paths.get(end[1:]) if end.startswith(NODE) else None


def link_names_of(note: EntityNote, path: PurePosixPath) -> LinkNames:
    """Return the names by which links can refer to an entity's note."""
    permalink = note.properties.get("permalink")
    title = note.name.strip() or note.name
    return LinkNames(
        path=path, title=title, permalink=permalink if isinstance(permalink, str) else "", aliases=note.aliases
    )


def parse_note(file: NoteFile, name: str, ends: FolderEnds) -> EntityNote:
    """Return the entity that a note file describes, under the given name."""
    rows = list(entity_rows(file, name, ends.end_of))
    [entity] = [row for row in rows if isinstance(row, EntityRow)]
    return entity_note(
        name=name,
        type=entity.type or "",
        text=entity.description,
        properties=entity.properties,
        observations=(row.text for row in rows if isinstance(row, ObservationRow)),
        relations=((row.type, row.end) for row in relation_rows(file, name, ends.end_of, ends.by_name)),
    )
