"""Errors when the first password cannot be set, or is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_memory.local.home.home import HomeFolder
from graph_memory.local.process import password
from graph_memory.local.process.admin import AdminError
from graph_memory.local.process.password import ensure_password
from graph_memory.model.errors import Code, GraphError
from graph_memory.settings import Settings


@pytest.fixture
def place(tmp_path: Path) -> HomeFolder:
    place = HomeFolder.of(Settings(home=tmp_path))
    place.make_folders()
    return place


@pytest.mark.parametrize("content", [None, b"", b"\xff"])
def test_a_password_that_is_gone_is_told_with_its_file_apart(place: HomeFolder, content: bytes | None) -> None:
    if content is not None:
        place.password_file.write_bytes(content)
    with pytest.raises(GraphError) as caught:
        ensure_password(place, Path("java"))
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert caught.value.path == str(place.password_file)
    assert str(place.root) not in str(caught.value.to_dict())


def test_a_java_that_is_not_there_is_told_without_where_it_was_looked_for(place: HomeFolder) -> None:
    place.prepare_start()
    with pytest.raises(GraphError) as caught:
        ensure_password(place, place.root / "java")
    assert "No such file" in caught.value.message
    assert str(place.root) not in str(caught.value.to_dict())


def test_what_neo4j_says_of_a_failure_is_told_without_the_folder_of_the_home(
    place: HomeFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AdminError(f"{place.data}/dbms/auth.ini cannot be written")

    monkeypatch.setattr(password, "run_admin", fail)
    place.prepare_start()
    with pytest.raises(GraphError) as caught:
        ensure_password(place, Path("java"))
    assert "neo4j/data/dbms/auth.ini cannot be written" in caught.value.message
    assert str(place.root) not in caught.value.message
