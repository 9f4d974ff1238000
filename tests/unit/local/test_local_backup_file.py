"""Where a backup is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graph_memory.local.backup.backup import new_backup_path
from graph_memory.model.errors import Code, GraphError


@pytest.mark.parametrize("name", ["backups", "old/backups"])
def test_a_name_without_tar_is_a_folder_that_is_made_only_with_the_backup(tmp_path: Path, name: str):
    for _ in range(2):
        file = new_backup_path(tmp_path / name)
        assert file.parent == tmp_path / name
        assert re.fullmatch(r"graph-memory-\d{8}T\d{6}Z\.tar", file.name)
        assert not list(tmp_path.iterdir())


def test_a_file_cannot_be_the_folder(tmp_path: Path):
    (tmp_path / "notes").touch()
    for name in ("notes", "notes/old"):
        with pytest.raises(GraphError) as caught:
            new_backup_path(tmp_path / name)
        assert caught.value.code is Code.FILE_CREATION_FAILED


def test_a_name_with_tar_is_a_file_in_a_folder_that_is_there(tmp_path: Path):
    assert new_backup_path(tmp_path / "moved.tar") == tmp_path / "moved.tar"
    with pytest.raises(GraphError) as caught:
        new_backup_path(tmp_path / "no" / "moved.tar")
    assert caught.value.code is Code.FILE_CREATION_FAILED


def test_a_file_is_never_overwritten(tmp_path: Path):
    (tmp_path / "moved.tar").touch()
    with pytest.raises(GraphError) as caught:
        new_backup_path(tmp_path / "moved.tar")
    assert caught.value.code is Code.INVALID_ARGUMENT
