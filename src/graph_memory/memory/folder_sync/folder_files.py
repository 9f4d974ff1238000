"""Reads and changes a folder's notes. Does not follow or replace symbolic links."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from graph_memory.files import make_private_folder, new_private_file, new_temporary_path, sync_folder
from graph_memory.memory.folder_sync.note_paths import safe_path
from graph_memory.memory.transfer.formats.memories.note_files import (
    STATE_FOLDER,
    decode_text,
    read_bytes,
    read_text,
    walk_files,
)
from graph_memory.memory.transfer.formats.records import InvalidSourceValue, Note
from graph_memory.model.values.arguments import invalid_argument

_MAX_NOTES = 200_000


@dataclass(slots=True)
class FolderFiles:
    """The notes of a folder."""

    root: Path
    texts: dict[PurePosixPath, str] = field(default_factory=dict[PurePosixPath, str])
    others: list[PurePosixPath] = field(default_factory=list[PurePosixPath])
    """Files and symbolic links that are not notes."""
    folders: list[PurePosixPath] = field(default_factory=list[PurePosixPath])
    """Folders whose names end in `.md`, like the names of notes."""
    unreadable: dict[PurePosixPath, str] = field(default_factory=dict[PurePosixPath, str])
    """The reasons why notes and linked folders cannot be read, by path. These notes stay unchanged on both sides."""

    def is_unreadable(self, path: PurePosixPath) -> bool:
        """Return whether a note, or a folder above it, is unreadable."""
        return any(at in self.unreadable for at in (path, *path.parents))

    def replace(self, path: PurePosixPath, text: str | None, copies: Path) -> bool:
        """Write a note, or delete it if `text` is None. If it has changed since it was read, return False instead.

        The old file is first copied to `copies`, a folder below the root. Raises OSError if a file cannot be written.
        """
        target, copy = self.root / path, copies / path
        self._check_folders(target)
        self._check_folders(copy)
        old = _read_if_exists(target)
        if not _is_text(old, self.texts.get(path)):
            return False
        if old is not None:
            make_private_folder(copy.parent)
            with new_private_file(copy) as file:
                file.write(old)
            sync_folder(copy.parent)
        if text is None:
            return self._delete(target, old)
        target.parent.mkdir(parents=True, exist_ok=True)
        return _write(target, old, text)

    def _delete(self, target: Path, old: bytes | None) -> bool:
        if _read_if_exists(target) != old:
            return False
        target.unlink(missing_ok=True)
        folder = target.parent
        while folder != self.root and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
        sync_folder(folder)
        return True

    def _check_folders(self, target: Path) -> None:
        """Raise OSError if a folder above the file is a symbolic link, because the link could lead out of the root."""
        for folder in target.relative_to(self.root).parents[:-1]:
            if (self.root / folder).is_symlink():
                raise OSError(0, f"{self.root / folder} is a symbolic link")


def _is_text(data: bytes | None, text: str | None) -> bool:
    """Return whether a file's data is this text in UTF-8. For both arguments, None means a missing file."""
    try:
        return (None if data is None else decode_text(data)) == text
    except InvalidSourceValue:
        return False


def _write(target: Path, old: bytes | None, text: str) -> bool:
    """Write a file and return True. If its content is no longer `old`, return False instead.

    An existing file keeps its permissions.
    """
    part = new_temporary_path(target)
    try:
        with new_private_file(part, 0o666 if old is None else 0o600) as file:
            file.write(text.encode())
        if old is not None:
            part.chmod(target.stat().st_mode & 0o777)
        if _read_if_exists(target) != old:  # keep the time between this comparison and the replacement short
            return False
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(target.parent)
    return True


def _read_if_exists(target: Path) -> bytes | None:
    try:
        return read_bytes(target)
    except FileNotFoundError:
        return None
    except InvalidSourceValue as error:
        raise OSError(0, f"{target} is not a readable note") from error


def read_files(folder: Path) -> FolderFiles:
    """Return the notes of a folder.

    Raises INVALID_ARGUMENT if there are too many notes, and OSError if the folder cannot be read.
    """
    files = FolderFiles(folder.resolve())
    for parent, names, _ in os.walk(files.root):
        at = PurePosixPath(Path(parent).relative_to(files.root).as_posix())
        names[:] = [name for name in names if not name.startswith(".")]
        files.folders += [at / name for name in names if name.lower().endswith(".md")]
    for file, at in walk_files(files.root, PurePosixPath()):
        if isinstance(at, Note):
            _add_link(files, file, at)
        elif not at.name.lower().endswith(".md"):
            files.others.append(at)
        elif safe_path(str(at)) is None:
            files.unreadable[at] = "its name is too long or has unusual characters"
        else:
            _read_note(files, file, at)
        if len(files.texts) > _MAX_NOTES:
            hint = "Synchronise the subfolders one at a time, each with a domain of its own."
            raise invalid_argument("folder", f"The folder contains more than {_MAX_NOTES:,} notes", hint)
    return files


def _add_link(files: FolderFiles, file: Path, note: Note) -> None:
    """Add a symbolic link. A link to a folder, or with the name of a note, counts as unreadable."""
    path = PurePosixPath(note.place.file)
    files.others.append(path)
    if path.name.lower().endswith(".md") or file.is_dir():
        files.unreadable[path] = note.text


def _read_note(files: FolderFiles, file: Path, at: PurePosixPath) -> None:
    try:
        files.texts[at] = read_text(file)
    except InvalidSourceValue as error:
        files.unreadable[at] = str(error)
    except OSError as error:
        files.unreadable[at] = error.strerror or str(error)


def copies_folder(root: Path, name: str) -> Path:
    """Return the folder for copies of files that a run replaces."""
    return root / STATE_FOLDER / "replaced" / name


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()
