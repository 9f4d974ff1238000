"""Pairs notes with entities, and determines which side changed since the last synchronisation. Does no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from unicodedata import normalize

from graph_memory.memory.folder_sync.folder_ends import NAME, NODE, FolderEnds, parse_note
from graph_memory.memory.folder_sync.folder_files import FolderFiles, hash_text
from graph_memory.memory.folder_sync.snapshot import Snapshot
from graph_memory.memory.folder_sync.state_file import Entry
from graph_memory.memory.folder_sync.three_way import Side, SyncedNote, keep_links
from graph_memory.memory.transfer.formats.memories.link_targets import LinkNames, comparison_key
from graph_memory.memory.transfer.formats.memories.markdown import NoteFile
from graph_memory.memory.transfer.formats.memories.notes import front_matter_of, note_of

_RANKS = 4
"""Number of keys by which a moved note can be recognised."""
NEW = "new:"
"""The prefix of provisional ids of entities that a note will create."""


@dataclass(slots=True)
class Matching:
    """Pairs each note in the folder with its entity in the memory."""

    files: FolderFiles
    entries: Mapping[PurePosixPath, Entry]
    snapshot: Snapshot
    prefer: Side | None
    pairs: list[SyncedNote] = field(default_factory=list[SyncedNote])
    heads: dict[PurePosixPath, NoteFile] = field(default_factory=dict[PurePosixPath, NoteFile])
    """The notes by path, with only their front matter parsed."""
    ends: FolderEnds = field(init=False)

    def run(self) -> None:
        """Pair the notes, compare both sides with the last common state, and read the changed notes."""
        self.heads = {path: NoteFile(path, front_matter_of(text)) for path, text in self.files.texts.items()}
        for path, head in self.heads.items():
            if fault := head.note.fault:
                self.files.unreadable[path] = f"line {fault.line} of its front matter: {fault.message}"
                del self.files.texts[path]
        self._pair_notes()
        self._choose_names()
        self._compare()
        deleted_pairs = [pair for pair in self.pairs if self._is_deleted(pair)]
        self.ends = self._make_ends(deleted_pairs)
        self._read_changed(
            {f"{NODE}{pair.subject}" for pair in deleted_pairs if pair.memory is not None}, _link_names(deleted_pairs)
        )

    def _pair_notes(self) -> None:
        """Pair each note with its entity, according to the last common state or else by name."""
        moves = self._moves()
        by_name = {note.name: subject for subject, note in self.snapshot.notes.items()}
        bound = {entry.node for entry in self.entries.values()}
        for old, entry in self.entries.items():
            path = moves.get(old, old)
            if entry.node in self.snapshot.left_out or self.files.is_unreadable(path):
                continue
            subject = entry.node
            if subject not in self.snapshot.notes and by_name.get(entry.name, subject) not in bound:
                subject = by_name[entry.name]
            bound.add(subject)
            self._add(subject, path, entry)
        left_out = {*self.snapshot.left_out.values()}
        for path in sorted(self.files.texts.keys() - {pair.path for pair in self.pairs}):
            if path in self.entries:
                continue
            title = self.heads[path].title
            subject = by_name.get(title, f"{NEW}{path}")
            if title not in left_out:
                self._add(f"{NEW}{path}" if subject in bound else subject, path, None)
                bound.add(subject)
        for subject in self.snapshot.notes.keys() - bound:
            self._add(subject, None, None)
        self.pairs.sort(key=lambda pair: (pair.path is None, pair.path or PurePosixPath(), pair.subject))

    def _add(self, subject: str, path: PurePosixPath | None, entry: Entry | None) -> None:
        text = self.files.texts.get(path) if path else None
        memory = self.snapshot.notes.get(subject)
        self.pairs.append(SyncedNote(subject=subject, path=path, entry=entry, text=text, memory=memory))

    def _moves(self) -> dict[PurePosixPath, PurePosixPath]:
        """Return the new paths of moved notes, which are recognised by text, title or file name, by their old paths."""
        missing_notes = {
            path: _keys(path, entry.file, entry.name)
            for path, entry in self.entries.items()
            if path not in self.files.texts
        }
        new_notes = {
            path: _keys(path, hash_text(text), self.heads[path].title)
            for path, text in self.files.texts.items()
            if path not in self.entries
        }
        moves: dict[PurePosixPath, PurePosixPath] = {}
        for rank in range(_RANKS):
            paths: dict[str, list[PurePosixPath]] = {}
            for path, keys in new_notes.items():
                paths.setdefault(keys[rank], []).append(path)
            for old, keys in missing_notes.items():
                if old not in moves and len(candidates := paths.get(keys[rank], [])) == 1:
                    moves[old] = candidates.pop()
                    del new_notes[moves[old]]
        return moves

    def _choose_names(self) -> None:
        """Choose a unique name for each note: its title, else its previous name, else its file name."""
        old_stems = {entry.node: normalize("NFC", path.stem) for path, entry in self.entries.items()}
        wanted: list[tuple[SyncedNote, PurePosixPath, str]] = []
        for pair in self.pairs:
            if pair.path is None or not pair.has_file:
                continue
            head, entry = self.heads[pair.path], pair.entry
            stem = normalize("NFC", pair.path.stem)
            is_renamed = entry is not None and normalize("NFC", entry.name) == old_stems[entry.node] != stem
            old_name = entry.name if entry is not None and not is_renamed else None
            wanted.append((pair, pair.path, head.own_title or old_name or head.title))
        counts = Counter(name for _, _, name in wanted)
        for pair, path, name in wanted:
            is_unchanged = pair.entry is not None and pair.entry.name == name
            pair.folder_name = name if counts[name] == 1 or is_unchanged else str(path.with_suffix(""))

    def _compare(self) -> None:
        for pair in self.pairs:
            entry, memory = pair.entry, pair.memory
            if entry is None:
                pair.is_folder_changed, pair.is_memory_changed = pair.has_file, memory is not None
                continue
            is_same = pair.text is not None and hash_text(pair.text) == entry.file
            pair.is_folder_changed = not is_same or pair.folder_name != entry.name
            pair.is_memory_changed = memory is None or memory.fingerprint != entry.memory

    def _is_deleted(self, pair: SyncedNote) -> bool:
        """Return whether one side deleted the note, so that it must be deleted on the other side too."""
        if pair.entry is None or (pair.has_file and pair.memory is not None):
            return False
        if not pair.has_file:
            return not pair.is_memory_changed or self.prefer == "folder"
        return not pair.is_folder_changed or self.prefer == "memory"

    def _make_ends(self, deleted_pairs: Iterable[SyncedNote]) -> FolderEnds:
        """Return the endpoints that links in the folder can refer to, except notes that will be deleted."""
        deleted = {pair.subject for pair in deleted_pairs}
        notes: list[tuple[LinkNames, str]] = []
        names = {subject: note.name for subject, note in self.snapshot.notes.items() if subject not in deleted}
        for pair in self.pairs:
            if pair.has_file and pair.path is not None and pair.subject not in deleted:
                notes.append((self.heads[pair.path].link_names, pair.subject))
                names[pair.subject] = pair.folder_name
        return FolderEnds.of(notes, names, self.files.others)

    def _read_changed(self, deleted: set[str], names: set[str]) -> None:
        """Read the notes that were changed, or that have relations to deleted entities.

        Links to deleted entities become links to names.
        """
        for pair in self.pairs:
            memory = pair.memory
            if not pair.has_file or pair.path is None:
                continue
            loses_end = memory is not None and any(end in deleted for _, end in memory.relations)
            if not (pair.is_folder_changed or loses_end or (pair.is_memory_changed and names)):
                continue
            file = NoteFile(pair.path, note_of(pair.text or ""))
            pair.folder = parse_note(file, pair.folder_name, self.ends)
            if memory is not None and pair.is_memory_changed and names:
                ends = {end for _, end in pair.folder.relations if end.startswith(NAME)}
                pair.memory = keep_links(memory, pair.folder, {end for end in ends if comparison_key(end[1:]) in names})
                loses_end = loses_end or pair.memory.key != memory.key
            pair.is_folder_changed = pair.is_folder_changed or loses_end


def _keys(path: PurePosixPath, text: str, name: str) -> tuple[str, ...]:
    """Return the keys by which a moved note is recognised, most reliable first."""
    stem = comparison_key(path.stem)
    return f"{text} {stem}", text, name, comparison_key(name)


def _link_names(pairs: Iterable[SyncedNote]) -> set[str]:
    """Return the names by which links may refer to these pairs' notes, in the form of `comparison_key`."""
    names: set[str] = set()
    for pair in pairs:
        if pair.path is not None and pair.entry is not None:
            names |= {pair.entry.name, pair.path.stem, str(pair.path.with_suffix(""))}
    return {comparison_key(name) for name in names}
