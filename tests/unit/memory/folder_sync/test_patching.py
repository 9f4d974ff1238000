"""A change in the memory keeps the rest of a person's note."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from graph_memory.memory.folder_sync.entity_notes import EntityNote
from graph_memory.memory.folder_sync.folder_ends import FolderEnds
from graph_memory.memory.folder_sync.note_patching import patch
from graph_memory.memory.folder_sync.note_rendering import Renderer
from graph_memory.memory.folder_sync.state_file import Entry
from graph_memory.memory.folder_sync.three_way import Outcome, SyncedNote, decide
from tables import for_rows

PATH = PurePosixPath("Tea.md")
NOTE = """\
# All about tea

See [[Ann]]. %% a remark %%

- [fact] green #tea (book)
- grows_in [[China]]

1. The end.
"""
RENDERER = Renderer(FolderEnds.of((), {}))


def read(text: str) -> EntityNote:
    return RENDERER.read(text, PATH, "Tea")


@for_rows(
    ("change", "text"),
    [
        ({"observations": ("[fact] green #tea (book)", "hot")}, f"{NOTE}\n## Observations\n- hot\n"),
        ({"observations": ()}, NOTE.replace("- [fact] green #tea (book)\n", "")),
        (
            {"relations": (("links_to", "=Ann"), ("grows_in", "=China"), ("part_of", "=Drinks"))},
            f"{NOTE}\n## Relations\n- part_of [[Drinks]]\n",
        ),
        ({"properties": {"born": 5}}, f"---\ntitle: Tea\nborn: 5\n---\n\n{NOTE}"),
        ({"name": "Chai"}, f"---\ntitle: Chai\n---\n\n{NOTE}"),
        ({"text": read(NOTE).text.replace("1. The", "2. The")}, NOTE.replace("1. The", "2. The")),
    ],
)
def test_a_change_of_an_entity_changes_only_its_lines(change: dict[str, object], text: str) -> None:
    after = replace(read(NOTE), **change)
    patched = patch(RENDERER, NOTE, PATH, "Tea", after)
    assert patched == text
    windows = patch(RENDERER, NOTE.replace("\n", "\r\n"), PATH, "Tea", after)
    assert windows == text.replace("\n", "\r\n")


FRONT = """\
---
# of the parish
title: Tea
born: 1815  # parish register
address: {city: London}
empty:
parts:
- one

tags: [a, b]
---
"""


@for_rows(
    ("change", "front"),
    [
        ({"born": 1816}, FRONT.replace("1815  # parish register", "1816")),
        ({"born": None}, FRONT.replace("born: 1815  # parish register\n", "")),
        (
            {"born": 1816, "note": "x"},
            FRONT.replace("1815  # parish register", "1816").replace("b]\n", "b]\nnote: x\n"),
        ),
    ],
)
def test_a_changed_property_changes_only_its_lines(change: dict[str, object], front: str) -> None:
    text = FRONT + NOTE
    before = read(text)
    properties = {key: value for key, value in {**before.properties, **change}.items() if value is not None}
    after = replace(before, properties=properties)
    assert patch(RENDERER, text, PATH, "Tea", after) == front + NOTE
    both = replace(after, observations=())
    assert patch(RENDERER, text, PATH, "Tea", both) == front + NOTE.replace("- [fact] green #tea (book)\n", "")


def test_a_note_that_cannot_be_kept_is_rewritten() -> None:
    after = replace(read(NOTE), relations=(), observations=("x",), text="[[Ann]]")
    patched = patch(RENDERER, NOTE, PATH, "Tea", after)
    assert patched == RENDERER.render(after, PATH)
    assert RENDERER.read(patched, PATH).key == after.key


BASE = EntityNote(name="a", type="note", text="one\n\ntwo\n\nthree", observations=("x", "y"), properties={"p": 1})


@for_rows(
    ("folder", "memory", "fields", "merged"),
    [
        ({"text": "ONE\n\ntwo\n\nthree"}, {"text": "one\n\ntwo\n\nTHREE"}, (), {"text": "ONE\n\ntwo\n\nTHREE"}),
        ({"observations": ("x", "z")}, {"observations": ("y", "w")}, (), {"observations": ("w", "z")}),
        ({"properties": {"p": 1, "q": 2}}, {"properties": {}}, (), {"properties": {"q": 2}}),
        ({"name": "b"}, {"type": "person"}, (), {"name": "b", "type": "person"}),
        ({"text": "1"}, {"text": "2"}, ("text",), {"text": "2"}),
        ({"properties": {"p": 2}}, {"properties": {"p": True}}, ("property p",), {"properties": {"p": True}}),
    ],
)
def test_both_sides_are_merged_by_field(
    folder: dict[str, object], memory: dict[str, object], fields: tuple[str, ...], merged: dict[str, object]
) -> None:
    ours, theirs = replace(BASE, **folder), replace(BASE, **memory)
    pair = SyncedNote(subject="s", path=PATH, entry=None, text="", folder=ours, memory=theirs)
    pair.is_folder_changed = pair.is_memory_changed = True
    outcome = decide(pair, BASE, None)
    assert (outcome.conflicts, outcome.is_settled) == (fields, not fields)
    for prefer, side in (("folder", folder), ("memory", memory)):
        settled = decide(pair, BASE, prefer)
        assert settled.is_settled
        assert settled.note == replace(BASE, **(side if fields else merged))


def test_without_the_last_common_state_items_of_one_side_are_conflicts() -> None:
    entry = Entry(node="s", name="a", file="0" * 64, memory="0" * 64, seq=1)
    ours, theirs = replace(BASE, text="new"), replace(BASE, observations=("y",))
    pair = SyncedNote(subject="s", path=PATH, entry=entry, text="", folder=ours, memory=theirs)
    pair.is_folder_changed = pair.is_memory_changed = True
    assert decide(pair, None, None) == Outcome(theirs, ("text", "observations"), is_settled=False)
    assert decide(pair, None, "folder") == Outcome(ours, ("text", "observations"))


def test_a_deletion_against_a_change_is_a_conflict() -> None:
    entry = Entry(node="s", name="a", file="0" * 64, memory="0" * 64, seq=1)
    for side in ("folder", "memory"):
        pair = SyncedNote(subject="s", path=PATH, entry=entry, is_folder_changed=True, is_memory_changed=True)
        setattr(pair, side, BASE)
        assert not decide(pair, BASE, None).is_settled
        assert decide(pair, BASE, side) == Outcome(BASE, decide(pair, BASE, side).conflicts)
