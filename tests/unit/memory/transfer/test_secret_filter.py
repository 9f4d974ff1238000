"""Secrets in rows of agents' memories: in divided texts, in properties, and which files agents wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from graph_memory.hooks.redact import redact
from graph_memory.memory.transfer.formats.memories.recognise import recognise_format, rows_of
from graph_memory.memory.transfer.formats.memories.rows import EntityRow, ObservationRow, Row
from graph_memory.memory.transfer.formats.memories.secrets import SecretFilter, files_of_agents
from graph_memory.memory.transfer.formats.records import SourcePosition
from unit.memory.transfer.test_memories import write

TOKEN = "sk-ant-api03-" + "a1B2" * 20
BODY = "MIIEowIBAAKCAQEAx9planted\nq8planted"
ENCRYPTED_KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n"
    f"{BODY}\n-----END RSA PRIVATE KEY-----"
)
INDEX = "- [Access](access.md)"


def rows_from(source: Path) -> tuple[list[Row], SecretFilter]:
    form = recognise_format(source)
    secrets = SecretFilter(files_of_agents(source, form))
    return list(secrets.rows(rows_of(source, form, secrets.clean))), secrets


def properties_without_secrets(properties: Mapping[str, object]) -> Mapping[str, object]:
    row = EntityRow(place=SourcePosition("a.md"), name="a", properties=properties)  # type: ignore[arg-type]
    (cleaned,) = SecretFilter(lambda _: True).rows(iter([row]))
    assert isinstance(cleaned, EntityRow)
    return cleaned.properties


def test_a_private_key_with_a_blank_line_is_replaced_before_its_text_is_divided(tmp_path: Path) -> None:
    text = f"# Keys\n\nThe deploy key:\n{ENCRYPTED_KEY}\n\nThe end."
    account = {"conversations_memory": text, "project_memories": {"p-1": text, TOKEN: "A project."}}
    rows, secrets = rows_from(write(tmp_path, "memories.json", json.dumps([account])))
    texts = [row.text for row in rows if isinstance(row, ObservationRow)]
    assert texts[:2] == ["Keys: The deploy key:\n[secret: private key]", "Keys: The end."]
    assert "planted" not in repr(rows)
    assert TOKEN not in repr(rows)
    assert secrets.secrets_in(texts) == 1


@pytest.mark.parametrize("value", [48151623, 0.48151623e8, 'abcd"efgh9xyz', "line1\nline2", "swordfish\\", "abc", "["])
@pytest.mark.parametrize("name", ["password", "client_secret", "token", "API-Key"])
def test_the_name_of_a_property_shows_that_its_whole_value_is_secret(name: str, value: object) -> None:
    assert properties_without_secrets({name: value}) == {name: "[secret: password]"}


@pytest.mark.parametrize(
    "properties", [{"passed_tests": 12}, {"has_token": True}, {"password": ""}, {"port": 48151623}, {"tags": "[a"}]
)
def test_other_properties_stay(properties: Mapping[str, object]) -> None:
    assert properties_without_secrets(properties) == properties


def test_names_of_properties_are_cleaned_and_stay_different() -> None:
    cleaned = properties_without_secrets({TOKEN: 1, f"{TOKEN}2": 2, "owner": "Ann"})
    assert cleaned == {"[secret: token]": 1, "[secret: token] (2)": 2, "owner": "Ann"}


def test_a_list_of_names_stays_one() -> None:
    names = json.dumps(["a, b", "-----BEGIN PRIVATE KEY-----\nplanted"])
    assert properties_without_secrets({"aliases": names}) == {"aliases": '["a, b", "[secret: private key]"]'}


@pytest.mark.parametrize("text", [f"TOKEN={TOKEN}", "password: hunter22xy", f"bearer {TOKEN}", f"x {ENCRYPTED_KEY}"])
def test_markers_are_no_secrets(text: str) -> None:
    cleaned, count = redact(text)
    assert count == 1
    assert redact(cleaned) == (cleaned, 0)


@pytest.mark.parametrize(
    "source", ["project", "project/memory", "project/memory/deep", "project/memory/deep/access.md"]
)
def test_auto_memory_is_recognised_from_each_of_its_folders(source: str, tmp_path: Path) -> None:
    write(tmp_path / "project" / "memory", "MEMORY.md", INDEX)
    write(tmp_path / "project" / "memory" / "deep", "access.md", f"The key is {TOKEN}.")
    write(tmp_path / "project", "own.md", "The password is sword4fish.")
    rows, _ = rows_from(tmp_path / source)
    assert "[secret: token]" in repr(rows)
    assert ("sword4fish" in repr(rows)) is (source == "project")


@pytest.mark.parametrize(
    ("folder", "index", "mark"),
    [
        ("vault", "MEMORY.md", ".obsidian/app.json"),
        ("vault", "MEMORY.md", ".graph-memory/sync.json"),
        ("memories", "MEMORY.md", ".graph-memory/sync.json"),
        ("vault", "memory.md", "other.txt"),
    ],
)
def test_notes_of_the_user_keep_their_text(folder: str, index: str, mark: str, tmp_path: Path) -> None:
    write(tmp_path / folder, index, INDEX)
    write(tmp_path / folder, mark, "{}")
    write(tmp_path / folder / "below", "access.md", f"The key is {TOKEN}.")
    rows, secrets = rows_from(tmp_path / folder)
    assert TOKEN in repr(rows)
    assert secrets.secrets_in(["[secret: token]"]) == 0


def test_only_secrets_of_new_texts_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "memories", "a.txt", f"{TOKEN}, password: hunter22xy")
    rows, secrets = rows_from(tmp_path / "memories")
    texts = [row.description for row in rows if isinstance(row, EntityRow)]
    assert texts == ["[secret: token], password: [secret: password]"]
    assert [secrets.secrets_in(new) for new in (texts, texts * 2, [], ["[secret: token]"] * 9)] == [2, 2, 0, 1]
