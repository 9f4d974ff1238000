"""A restored home takes the place of the old one, whatever moment the process dies at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graph_memory.files import write_private
from graph_memory.local.home import swap
from graph_memory.local.home.home import HomeFolder
from graph_memory.local.home.swap import finish_restore, swap_in


class Killed(BaseException):
    """The exception that stands for the end of a process."""


def fill(home: Path, mark: str, password: str | None) -> HomeFolder:
    place = HomeFolder(home / "neo4j")
    place.make_folders()
    for file in (place.data / "databases" / mark, home / "blobs" / "garden" / mark):
        file.parent.mkdir(parents=True)
        file.write_text(mark)
    if password:
        write_private(place.password_file, password)
    return place


@pytest.fixture
def place(tmp_path: Path) -> HomeFolder:
    """A home with data, and a complete restored one in it."""
    place = fill(tmp_path, "old", "secret")
    fill(tmp_path / "restoring", "new", "secret")
    return place


@pytest.fixture
def die_before_move(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Let the process die before its nth move or removal of a path."""
    rename, rmtree = Path.rename, swap.shutil.rmtree

    def kill(step: int) -> None:
        done = 0

        def count() -> None:
            nonlocal done
            done += 1
            if done == step:
                raise Killed

        def counted_rename(path: Path, target: Path) -> Path:
            count()
            return rename(path, target)

        def counted_rmtree(path: Path, **options: bool) -> None:
            count()
            rmtree(path, **options)

        monkeypatch.setattr(Path, "rename", counted_rename)
        monkeypatch.setattr(swap.shutil, "rmtree", counted_rmtree)

    yield kill
    monkeypatch.undo()


def files_of(place: HomeFolder) -> list[str]:
    home = place.root.parent
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.name in {"old", "new", "newest"})


OLD = ["blobs/garden/old", "neo4j/data/databases/old"]
NEW = ["blobs/garden/new", "neo4j/data/databases/new"]


def test_the_new_takes_the_place_of_the_old(place):
    swap_in(place)
    assert files_of(place) == NEW
    assert sorted(path.name for path in place.root.parent.iterdir()) == ["blobs", "neo4j"]


@pytest.mark.parametrize("step", range(3, 10))
def test_a_restore_that_was_killed_after_its_commit_is_completed_by_the_next_start(
    place, die_before_move, monkeypatch, step
):
    die_before_move(step)
    try:
        swap_in(place)
    except Killed:
        pass
    else:
        assert step > 8, "there are more steps than are tried"
    monkeypatch.undo()
    finish_restore(place)
    assert files_of(place) == NEW
    assert sorted(path.name for path in place.root.parent.iterdir()) == ["blobs", "neo4j"]
    assert place.password() == "secret"


@pytest.mark.parametrize("step", range(3, 9))
def test_a_restore_that_was_killed_after_its_commit_can_be_repeated(place, die_before_move, monkeypatch, step):
    die_before_move(step)
    with pytest.raises(Killed):
        swap_in(place)
    monkeypatch.undo()
    fill(place.root.parent / "restoring", "newest", "secret")
    swap_in(place)
    assert files_of(place) == [path.replace("new", "newest") for path in NEW]
    assert sorted(path.name for path in place.root.parent.iterdir()) == ["blobs", "neo4j"]


@pytest.mark.parametrize("step", [1, 2])
def test_one_that_was_killed_before_leaves_the_old(place, die_before_move, monkeypatch, step):
    die_before_move(step)
    with pytest.raises(Killed):
        swap_in(place)
    monkeypatch.undo()
    finish_restore(place)
    assert files_of(place) == [*OLD, *(f"restoring/{path}" for path in NEW)]


def test_a_home_without_a_memory_takes_the_password_too(tmp_path):
    place = HomeFolder(tmp_path / "neo4j")
    place.make_folders()
    place.prepare_start()
    fill(tmp_path / "restoring", "new", "fresh")
    swap_in(place)
    assert files_of(place) == NEW
    assert (place.password(), place.first_start_mark.exists()) == ("fresh", False)
    assert place.password_file.stat().st_mode & 0o077 == 0


def test_a_blob_that_is_written_meanwhile_stands_in_nobodys_way(place, monkeypatch):
    rename, blobs = Path.rename, place.root.parent / "blobs"

    def rename_and_write(path: Path, target: Path) -> Path:
        moved = rename(path, target)
        if path == blobs and not (target.parent / "written").exists():
            (target.parent / "written").touch()
            (blobs / "garden").mkdir(parents=True)
        return moved

    monkeypatch.setattr(Path, "rename", rename_and_write)
    swap_in(place)
    assert files_of(place) == NEW
