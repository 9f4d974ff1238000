"""Updates a folder's files to the state of the memory, after the folder's changes were written to the memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from graph_memory.memory.folder_sync.entity_notes import EntityNote
from graph_memory.memory.folder_sync.folder_ends import FolderEnds, link_names_of
from graph_memory.memory.folder_sync.folder_files import copies_folder, hash_text
from graph_memory.memory.folder_sync.matching import Matching
from graph_memory.memory.folder_sync.note_patching import patch
from graph_memory.memory.folder_sync.note_paths import PathChooser
from graph_memory.memory.folder_sync.note_rendering import Renderer
from graph_memory.memory.folder_sync.results import SyncCounts
from graph_memory.memory.folder_sync.snapshot import Snapshot
from graph_memory.memory.folder_sync.state_file import Entry
from graph_memory.memory.folder_sync.three_way import Outcome, SyncedNote
from graph_memory.memory.transfer.archive.writer import write_error
from graph_memory.memory.transfer.formats.memories.link_targets import LinkNames
from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import printable

Decided = Sequence[tuple[SyncedNote, Outcome]]


@dataclass(slots=True)
class FolderWriter:
    """Writes a folder's files. `snapshot` is the state of the memory to which the files are updated."""

    matching: Matching
    decided: Decided
    snapshot: Snapshot
    run_name: str
    """The name of the folder for copies of replaced files."""
    entries: dict[PurePosixPath, Entry] = field(default_factory=dict[PurePosixPath, Entry])
    """The common state of each note after the synchronisation, by path."""
    notes: list[str] = field(default_factory=list[str])
    has_copies: bool = False
    _counts: dict[str, int] = field(default_factory=lambda: {"created": 0, "updated": 0, "deleted": 0})
    _ids: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def counts(self) -> SyncCounts:
        """The numbers of created, updated and deleted files."""
        return SyncCounts(**self._counts)

    def run(self) -> None:
        """Create, update and delete the files. Raises FILE_CREATION_FAILED if a file cannot be written."""
        self.entries = {path: entry for path, entry in self.matching.entries.items() if self._is_skipped(path, entry)}
        self._ids = {note.name: subject for subject, note in self.snapshot.notes.items()}
        self._choose_paths()
        renderer = Renderer(self._make_ends())
        for pair, outcome in self.decided:
            if not outcome.is_settled:
                self._keep(pair)
                continue
            note = self._final_note(pair, outcome)
            try:
                if note is None:
                    self._delete(pair)
                elif pair.path is not None:
                    self._put(renderer, pair, self._id_of(pair, outcome), pair.path, note)
            except OSError as error:
                raise write_error(self.matching.files.root / (pair.path or ""), error) from error

    def _is_skipped(self, path: PurePosixPath, entry: Entry) -> bool:
        return self.matching.files.is_unreadable(path) or entry.node in self.matching.snapshot.left_out

    def _keep(self, pair: SyncedNote) -> None:
        """Keep the last common state, if any, of a pair that was not synchronised."""
        if pair.entry is not None and pair.path is not None:
            self.entries[pair.path] = pair.entry

    def _id_of(self, pair: SyncedNote, outcome: Outcome) -> str:
        if pair.subject in self.snapshot.notes or outcome.note is None:
            return pair.subject
        return self._ids.get(outcome.note.name, pair.subject)

    def _final_note(self, pair: SyncedNote, outcome: Outcome) -> EntityNote | None:
        return self.snapshot.notes.get(self._id_of(pair, outcome)) if outcome.note is not None else None

    def _choose_paths(self) -> None:
        files = self.matching.files
        chooser = PathChooser([*files.texts, *files.others, *files.folders, *files.unreadable])
        for pair, outcome in self.decided:
            if pair.has_file or outcome.note is None or not outcome.is_settled:
                continue
            wanted = self.matching.snapshot.paths.get(pair.subject) if pair.path is None else str(pair.path)
            pair.path = chooser.choose(outcome.note.name, wanted)

    def _make_ends(self) -> FolderEnds:
        """Return the endpoints that links in the folder can refer to after the synchronisation."""
        notes: list[tuple[LinkNames, str]] = []
        names = {subject: note.name for subject, note in self.snapshot.notes.items()}
        for pair, outcome in self.decided:
            note, head = self._final_note(pair, outcome), self.matching.heads.get(pair.path or PurePosixPath())
            if pair.path is None or (outcome.is_settled and note is None):
                continue
            if head is not None and (note is None or note.name == pair.folder_name or not outcome.is_settled):
                notes.append((head.link_names, self._id_of(pair, outcome)))
            elif note is not None:
                notes.append((link_names_of(note, pair.path), self._id_of(pair, outcome)))
        return FolderEnds.of(notes, names, self.matching.files.others)

    def _delete(self, pair: SyncedNote) -> None:
        if pair.path is not None and pair.has_file and self._replace(pair.path, None):
            self._counts["deleted"] += 1
        elif pair.has_file:
            self._keep(pair)

    def _put(self, renderer: Renderer, pair: SyncedNote, subject: str, path: PurePosixPath, note: EntityNote) -> None:
        """Write an entity's note, unless its file already describes the entity. Records the new common state."""
        text = pair.text
        is_same = pair.entry is not None and note.fingerprint == pair.entry.memory and not pair.is_folder_changed
        if not is_same or text is None:
            try:
                text = self._text_for(renderer, pair, path, note)
            except GraphError as error:
                self.notes.append(f"{printable(path)} was not changed: {error.message}")
                return
            if text != pair.text:
                if not self._replace(path, text):
                    self._keep(pair)
                    return
                self._counts["updated" if pair.has_file else "created"] += 1
        self.entries[path] = Entry(
            node=subject,
            name=note.name,
            file=hash_text(text),
            memory=note.fingerprint,
            seq=self.snapshot.seq,
        )

    def _text_for(self, renderer: Renderer, pair: SyncedNote, path: PurePosixPath, note: EntityNote) -> str:
        """Return the file's text for this note. The current text is kept if it describes the entity."""
        if pair.text is None:
            return renderer.render(note, path)
        if renderer.read(pair.text, path, pair.folder_name).key == note.key:
            return pair.text
        return patch(renderer, pair.text, path, pair.folder_name, note)

    def _replace(self, path: PurePosixPath, text: str | None) -> bool:
        files = self.matching.files
        if files.replace(path, text, copies_folder(files.root, self.run_name)):
            self.has_copies = self.has_copies or path in files.texts
            return True
        self.notes.append(f"{printable(path)} changed during the sync, and was not updated")
        return False
