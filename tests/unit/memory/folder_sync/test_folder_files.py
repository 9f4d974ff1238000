"""Notes of a folder are read and written in that folder only, and its state file is not trusted."""

from __future__ import annotations

import json
import os
from pathlib import Path, PurePosixPath

import pytest

from graph_memory.memory.folder_sync import folder_files
from graph_memory.memory.folder_sync.folder_files import read_files
from graph_memory.memory.folder_sync.state_file import Entry, State, read_state, write_state
from graph_memory.model.errors import Code, GraphError

ENTRY = Entry(node="mem_1", name="a", file="0" * 64, memory="1" * 64, seq=3)
VALID = {"version": 1, "domain": "d", "seq": 3, "event": "evt_1", "notes": {"a.md": ENTRY.model_dump()}}


def test_links_hidden_files_and_unusual_names_are_not_notes(tmp_path: Path) -> None:
    folder, outside = tmp_path / "notes", tmp_path / "outside"
    (folder / ".obsidian").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (folder / ".obsidian" / "x.md").write_text("hidden")
    (folder / "link.md").symlink_to(outside / "secret.md")
    (folder / "linked").symlink_to(outside)
    (folder / "a.md").write_bytes(b"\xef\xbb\xbfa\r\n")
    (folder / "b.md").write_bytes(b"\xff")
    (folder / "c\\d.md").write_text("x")
    (folder / "picture.png").write_bytes(b"")
    files = read_files(folder)
    assert files.texts == {PurePosixPath("a.md"): "a\r\n"}
    assert {str(path) for path in files.unreadable} == {"b.md", "c\\d.md", "link.md", "linked"}
    assert {str(path) for path in files.others} == {"link.md", "linked", "picture.png"}
    copies = files.root / ".graph-memory" / "replaced" / "run"
    with pytest.raises(OSError, match="is a symbolic link"):
        files.replace(PurePosixPath("linked/new.md"), "x", copies)
    with pytest.raises(OSError, match="link"):
        files.replace(PurePosixPath("link.md"), "x", copies)
    copies.parent.parent.mkdir()
    copies.parent.symlink_to(outside)
    with pytest.raises(OSError, match="replaced is a symbolic link"):
        files.replace(PurePosixPath("a.md"), "x", copies)
    assert (folder / "a.md").read_bytes() == b"\xef\xbb\xbfa\r\n"
    assert [path.name for path in outside.iterdir()] == ["secret.md"]
    assert (outside / "secret.md").read_text() == "secret"


def test_a_file_that_changed_since_it_was_read_is_left_as_it_is(tmp_path: Path) -> None:
    note, path = tmp_path / "d" / "a.md", PurePosixPath("d/a.md")
    note.parent.mkdir()
    note.write_text("old")
    note.chmod(0o640)
    files, copies = read_files(tmp_path), tmp_path / "copies"
    assert files.replace(path, "new", copies)
    assert (note.read_text(), note.stat().st_mode & 0o777) == ("new", 0o640)
    assert (copies / path).read_text() == "old"
    assert (copies / path).stat().st_mode & 0o777 == 0o600
    assert not files.replace(path, "other", copies)
    assert not files.replace(path, None, copies)
    assert note.read_text() == "new"
    assert read_files(tmp_path / "d").replace(PurePosixPath("a.md"), None, tmp_path / "d" / "copies")
    assert not note.exists()


@pytest.mark.parametrize("text", ["new", None])
def test_a_file_that_is_saved_while_a_sync_replaces_it_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    note = tmp_path / "a.md"
    note.write_text("old")
    files = read_files(tmp_path)

    def save(path: Path) -> None:
        note.write_text("saved")

    monkeypatch.setattr(folder_files, "sync_folder", save)
    assert not files.replace(PurePosixPath("a.md"), text, tmp_path / "copies")
    assert note.read_text() == "saved"
    assert {path.name for path in tmp_path.iterdir()} == {"a.md", "copies"}


def test_a_new_note_has_the_mode_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        assert read_files(tmp_path).replace(PurePosixPath("a.md"), "x", tmp_path / "copies")
    finally:
        os.umask(before)
    assert (tmp_path / "a.md").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    "state",
    [
        "",
        "[]",
        "[" * 100_000,
        json.dumps(VALID | {"version": 2}),
        json.dumps(VALID | {"more": 1}),
        *(json.dumps(VALID | {"notes": {path: ENTRY.model_dump()}}) for path in ("../a.md", "/a.md", ".x.md", "a", "")),
        json.dumps(VALID | {"notes": {"a.md": ENTRY.model_dump() | {"file": "x"}}}),
        json.dumps(VALID | {"notes": {"a.md": ENTRY.model_dump() | {"seq": -1}}}),
        json.dumps(VALID | {"domain": "other"}),
    ],
)
def test_a_forged_or_foreign_state_is_refused(tmp_path: Path, state: str) -> None:
    (tmp_path / ".graph-memory").mkdir()
    (tmp_path / ".graph-memory" / "sync.json").write_text(state)
    with pytest.raises(GraphError) as error:
        read_state(tmp_path, "d")
    assert error.value.code is Code.INVALID_ARGUMENT


def test_the_state_is_read_as_it_was_written_and_never_through_a_link(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    assert read_state(folder, "d") is None
    write_state(folder, "d", 3, "evt_1", {PurePosixPath("a.md"): ENTRY})
    assert read_state(folder, "d") == State.model_validate(VALID)
    (folder / ".graph-memory").rename(tmp_path / "elsewhere")
    (folder / ".graph-memory").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(GraphError):
        read_state(folder, "d")
