"""A sync carries over changes of both sides against the log, links to deleted notes, and moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_memory import Code, GraphError, Memory
from graph_memory.memory.folder_sync import memory_writes
from graph_memory.memory.folder_sync.state_file import folder_lock

pytestmark = pytest.mark.anyio


async def test_both_sides_are_compared_with_their_state_in_the_log(memory: Memory, tmp_path: Path) -> None:
    note = tmp_path / "a.md"
    note.write_text("One.\n\n## Observations\n- x\n- y\n")
    await memory.transfer.sync_folder(tmp_path)
    note.write_text("One.\n\n## Observations\n- y\n")
    await memory.entities.add_observations([{"entityName": "a", "contents": ["z"]}])
    synced = await memory.transfer.sync_folder(tmp_path)
    assert (synced.memory.updated, synced.folder.updated, synced.conflicts) == (1, 1, ())
    assert note.read_text() == "One.\n\n## Observations\n- y\n- z\n"
    assert set((await memory.entities.open_nodes(["a"])).entities[0].observations) == {"y", "z"}


@pytest.mark.parametrize("is_imported", [True, False])
async def test_a_domain_that_was_created_again_is_compared_anew(
    memory: Memory, tmp_path: Path, *, is_imported: bool
) -> None:
    (tmp_path / "vault").mkdir()
    notes = {name: tmp_path / "vault" / f"{name}.md" for name in ("a", "b")}
    for name, note in notes.items():
        note.write_text(f"Text of {name}.\n")
    await memory.transfer.sync_folder(tmp_path / "vault")
    await memory.transfer.export_file(tmp_path / "old.jsonl")
    notes["a"].write_text("Edited.\n")
    await memory.transfer.sync_folder(tmp_path / "vault")
    await memory.delete_domain((await memory.domain_info()).name)
    if is_imported:
        await memory.transfer.import_file(tmp_path / "old.jsonl")
    else:
        for name in notes:
            await memory.entities.upsert(name, type="note", description="Other.")
    synced = await memory.transfer.sync_folder(tmp_path / "vault")
    assert [conflict.name for conflict in synced.conflicts] == (["a"] if is_imported else ["a", "b"])
    assert synced.notes == ("The domain was deleted or restored since the last sync, so all notes were compared",)
    assert (notes["a"].read_text(), notes["b"].read_text()) == ("Edited.\n", "Text of b.\n")


async def test_a_compacted_domain_is_not_compared_anew(memory: Memory, tmp_path: Path) -> None:
    note = tmp_path / "a.md"
    note.write_text("Text.\n")
    await memory.transfer.sync_folder(tmp_path)
    await memory.entities.update_entity("a", description="New.")
    await memory.history.compact((await memory.history.log()).entries[0].seq, archive=tmp_path / "archive.jsonl.gz")
    synced = await memory.transfer.sync_folder(tmp_path)
    assert (synced.folder.updated, synced.conflicts, synced.notes) == (1, (), ())
    note.write_text("Edited.\n")
    synced = await memory.transfer.sync_folder(tmp_path)
    assert (synced.memory.updated, synced.conflicts, synced.notes) == (1, (), ())


async def test_each_replaced_file_is_copied(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Old.\n")
    await memory.transfer.sync_folder(tmp_path)
    await memory.entities.update_entity("a", description="New.")
    synced = await memory.transfer.sync_folder(tmp_path)
    assert (tmp_path / "a.md").read_text() == "New.\n"
    assert (Path(str(synced.copies)) / "a.md").read_text() == "Old.\n"


async def test_a_note_replaced_by_a_link_keeps_its_entity(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "vault" / "d").mkdir(parents=True)
    for name in ("a", "b", "d/c"):
        (tmp_path / "vault" / f"{name}.md").write_text(f"Text of {name}.\n")
    await memory.transfer.sync_folder(tmp_path / "vault")
    for name in ("a.md", "d"):
        (tmp_path / "vault" / name).rename(tmp_path / name)
        (tmp_path / "vault" / name).symlink_to(tmp_path / name)
    synced = await memory.transfer.sync_folder(tmp_path / "vault")
    assert (synced.session, len(synced.notes)) == (None, 2)
    assert {entity.name for entity in (await memory.entities.read_graph()).entities} == {"a", "b", "c"}


@pytest.mark.parametrize("side", ["folder", "memory"])
async def test_a_link_to_a_deleted_note_stays_on_both_sides(memory: Memory, tmp_path: Path, side: str) -> None:
    texts = {"a": "Text.\n", "b": "See [[a]].\n\n- knows [[a]]\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.md").write_text(text)
    await memory.transfer.sync_folder(tmp_path)
    if side == "folder":
        (tmp_path / "a.md").unlink()
    else:
        await memory.entities.delete_entities(["a"])
    await memory.transfer.sync_folder(tmp_path)
    assert not (tmp_path / "a.md").exists()
    assert (tmp_path / "b.md").read_text() == texts["b"]
    graph = await memory.entities.read_graph()
    assert [entity.name for entity in graph.entities] == ["b"]
    assert {(item.relation_type, item.to_name) for item in graph.relations} == {("links_to", "a"), ("knows", "a")}
    assert (await memory.transfer.sync_folder(tmp_path)).session is None


async def test_a_moved_note_keeps_its_entity_and_a_new_file_name_is_a_new_name(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Text.\n")
    await memory.transfer.sync_folder(tmp_path)
    [before] = (await memory.entities.open_nodes(["a"], detail=True)).entities
    (tmp_path / "d").mkdir()
    (tmp_path / "a.md").rename(tmp_path / "d" / "b.md")
    synced = await memory.transfer.sync_folder(tmp_path)
    assert (synced.memory.updated, synced.folder) == (1, type(synced.folder)())
    [after] = (await memory.entities.open_nodes(["b"], detail=True)).entities
    assert after.id == before.id


async def test_moved_and_edited_notes_keep_their_entities(memory: Memory, tmp_path: Path) -> None:
    names = ["Ada", "Caf\u00e9", "F1", "empty", "void"]
    for name in names:
        (tmp_path / f"{name}.md").write_text("" if name in ("empty", "void") else f"Text of {name}.\n")
    await memory.transfer.sync_folder(tmp_path)
    before = {item.name: item.id for item in (await memory.entities.open_nodes(names, detail=True)).entities}
    (tmp_path / "d").mkdir()
    for old, new in {
        "Ada": "d/Ada",
        "Caf\u00e9": "Cafe\u0301",
        "F1": "f1",
        "empty": "d/empty",
        "void": "d/void",
    }.items():
        (tmp_path / f"{old}.md").rename(tmp_path / f"{new}.md")
        if old not in ("empty", "void"):
            (tmp_path / f"{new}.md").write_text("Edited.\n")
    await memory.transfer.sync_folder(tmp_path)
    names[2] = "f1"
    after = {item.name: item.id for item in (await memory.entities.open_nodes(names, detail=True)).entities}
    assert after == {("f1" if name == "F1" else name): known for name, known in before.items()}
    assert len((await memory.entities.read_graph()).entities) == len(names)


async def test_erased_text_does_not_return(memory: Memory, tmp_path: Path) -> None:
    note = tmp_path / "a.md"
    note.write_text("Text.\n\n- [fact] secret\n")
    await memory.transfer.sync_folder(tmp_path)
    await memory.entities.forget(["a"], text="[fact] secret", erase=True)
    note.write_text("Other.\n\n- [fact] secret\n")
    synced = await memory.transfer.sync_folder(tmp_path)
    assert [conflict.fields for conflict in synced.conflicts] == [("text", "observations")]
    assert (await memory.entities.open_nodes(["a"])).entities[0].observations == ()


async def test_a_taken_name_is_a_conflict_of_its_note_alone(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "Eve.md").mkdir()
    await memory.entities.upsert("Eve", type="note")
    (tmp_path / "Ada.md").write_text("---\naliases: [Lovelace]\n---\n")
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text(f"---\ntitle: {name}\n---\n")
    await memory.transfer.sync_folder(tmp_path)
    assert (tmp_path / "Eve (2).md").exists()
    (tmp_path / "lovelace.md").write_text("New.\n")
    (tmp_path / "a.md").write_text("---\ntitle: b\n---\n")
    (tmp_path / "b.md").write_text("---\ntitle: a\n---\n")
    (tmp_path / "c.md").write_text("New.\n")
    synced = await memory.transfer.sync_folder(tmp_path)
    assert {(conflict.path, conflict.fields) for conflict in synced.conflicts} == {
        (path, ("name",)) for path in ("a.md", "b.md", "lovelace.md")
    }
    assert synced.memory.created == 1


async def test_a_protected_entity_is_named(memory: Memory, tmp_path: Path) -> None:
    note = tmp_path / "a.md"
    note.write_text("Text.\n")
    await memory.transfer.sync_folder(tmp_path)
    [entity] = (await memory.entities.open_nodes(["a"], detail=True)).entities
    await memory.protect(node_id=entity.id)
    note.write_text("Other.\n")
    for dry_run in (True, False):
        with pytest.raises(GraphError) as error:
            await memory.transfer.sync_folder(tmp_path, dry_run=dry_run)
        assert error.value.code is Code.PROTECTED
        assert str(error.value.hint).startswith('Its note is "a". ')
    assert note.read_text() == "Other.\n"


async def test_a_dry_run_changes_neither_side(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Text.\n")
    await memory.transfer.sync_folder(tmp_path)
    (tmp_path / "a.md").write_text("Other.\n")
    (tmp_path / "b.md").write_text("- [fact] x\n")
    await memory.entities.create_entities([{"name": "c", "type": "note", "observations": []}])
    before = (await memory.history.log(limit=1)).entries[0].seq
    synced = await memory.transfer.sync_folder(tmp_path, dry_run=True)
    assert (synced.memory.created, synced.memory.updated, synced.folder.created) == (1, 1, 1)
    assert (await memory.history.log(limit=1)).entries[0].seq == before
    assert not (tmp_path / "c.md").exists()


async def test_a_dry_run_leaves_no_blob(memory: Memory, domain: str, tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("---\ntype: note\n---\n# Long\n\n" + "word " * 10_000)
    blobs = memory._core.contents.blobs
    await memory.transfer.sync_folder(tmp_path, dry_run=True)
    assert domain not in await blobs.domains()
    await memory.transfer.sync_folder(tmp_path)
    assert domain in await blobs.domains()


async def test_a_dry_run_checks_the_first_batch(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_writes, "_MAX_CHANGES", 4)
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\ntext\n")
    await memory.transfer.sync_folder(tmp_path)
    await memory.protect(node_id=(await memory.entities.open_nodes(["c"], detail=True)).entities[0].id)
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nother text\n")
    await memory.transfer.sync_folder(tmp_path, dry_run=True)
    with pytest.raises(GraphError) as refused:
        await memory.transfer.sync_folder(tmp_path)
    assert refused.value.code is Code.PROTECTED


async def test_a_link_in_place_of_the_lock_is_not_followed(memory: Memory, tmp_path: Path) -> None:
    target = tmp_path / "precious.txt"
    target.write_text("precious")
    folder = tmp_path / "notes"
    (folder / ".graph-memory").mkdir(parents=True)
    (folder / ".graph-memory" / "lock").symlink_to(target)
    with pytest.raises(GraphError) as refused:
        await memory.transfer.sync_folder(folder)
    assert refused.value.code is Code.FILE_CREATION_FAILED
    assert target.read_text() == "precious"


async def test_a_folder_is_not_synchronised_twice_at_once(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Text.\n")
    with folder_lock(tmp_path), pytest.raises(GraphError, match="Another sync of") as error:
        await memory.transfer.sync_folder(tmp_path)
    assert error.value.code is Code.DOMAIN_BUSY
    assert (await memory.transfer.sync_folder(tmp_path)).memory.created == 1


async def test_a_note_with_faulty_front_matter_is_left_as_it_is(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntype: person\n---\nText.\n")
    await memory.transfer.sync_folder(tmp_path)
    (tmp_path / "a.md").write_text("---\ntype: [\n---\nText.\n")
    synced = await memory.transfer.sync_folder(tmp_path)
    assert (synced.session, len(synced.notes)) == (None, 1)
    assert (await memory.entities.open_nodes(["a"])).entities[0].entity_type == "person"


async def test_an_empty_folder_deletes_nothing_and_no_conflict_is_decided(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Text.\n")
    await memory.transfer.sync_folder(tmp_path)
    (tmp_path / "a.md").unlink()
    with pytest.raises(GraphError) as refused:
        await memory.transfer.sync_folder(tmp_path)
    assert (refused.value.code, "--delete" in str(refused.value.hint)) == (Code.INVALID_ARGUMENT, True)
    await memory.entities.update_entity("a", description="Changed.")
    synced = await memory.transfer.sync_folder(tmp_path)
    assert [(conflict.fields, conflict.settled) for conflict in synced.conflicts] == [
        (("deleted in the folder",), False)
    ]
    settled = await memory.transfer.sync_folder(tmp_path, prefer="memory")
    assert settled.conflicts[0].settled
    assert "Changed." in (tmp_path / "a.md").read_text()
