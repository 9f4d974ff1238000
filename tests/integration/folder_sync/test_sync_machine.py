"""Random changes of a folder and of a domain, with syncs in between: both become equal, and no text is ever lost."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Literal
from unittest.mock import patch
from uuid import uuid4

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from graph_memory.memory.folder_sync.folder_files import FolderFiles
from graph_memory.memory.folder_sync.results import FolderSyncResult
from graph_memory.memory.transfer.formats.memories.markdown import read_markdown
from graph_memory.memory.transfer.formats.memories.rows import EntityRow, ObservationRow, RelationRow
from profiles import profile
from support import Conversation

NAMES = st.sampled_from(["a", "a", "a", "a", "B c", "d"])
SIDES = st.sampled_from(["folder", "memory"])
CHANGES = st.one_of(
    *(
        st.tuples(st.just(method), st.tuples(NAMES))
        for method in ("add_item_to_file", "delete_file", "describe_entity", "observe", "delete_entity")
    ),
    st.just(("revert_sync", ())),
    *(
        st.tuples(st.just(method), st.tuples(NAMES, NAMES))
        for method in ("add_link_to_file", "relate", "rename_file", "rename_entity")
    ),
    st.tuples(st.just("edit_file"), st.tuples(NAMES, st.sampled_from([0, 2, 4]))),
)
"""Changes of a side: a method of the machine, and its arguments."""
ENDS = st.one_of(
    st.tuples(st.just("sync"), st.tuples(SIDES)),
    st.tuples(st.just("sync_without_preference"), st.tuples()),
    st.tuples(st.just("sync_until_killed"), st.tuples(st.integers(0, 2))),
)
TOKEN = re.compile(r"t\d+t")
Facts = dict[str, tuple[frozenset[str], frozenset[tuple[str, str]], str]]
"""The observations, relations and text of each entity."""


class Killed(Exception):  # noqa: N818
    """The end of the process in the middle of a sync."""


class SyncMachine(RuleBasedStateMachine):
    """A folder and a domain, and the changes of each note on either side since the last sync."""

    def __init__(self, talk: Conversation) -> None:
        super().__init__()
        self.talk = talk
        self.memory = talk.memory.in_domain(f"machine-{uuid4().hex[:16]}")
        self.folder = Path(mkdtemp())
        self.count = 0
        self.changes: dict[str, dict[str, str]] = {"folder": {}, "memory": {}}
        self.has_links = False
        self.session: str | None = None
        """The session of the last sync that changed the domain."""

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def call(self, method: Any, *arguments: object, **options: object) -> Any:
        return self.talk.portal.call(partial(method, *arguments, **options))

    def token(self) -> str:
        self.count += 1
        return f"t{self.count}t"

    def file(self, name: str) -> Path:
        return self.folder / f"{name}.md"

    def tokens_of_folder(self, where: str) -> set[str]:
        root = self.folder / ".graph-memory" / "replaced" if where == "copies" else self.folder
        paths = [path for path in root.rglob("*.md") if where == "copies" or ".graph-memory" not in path.parts]
        return {token for path in paths for token in TOKEN.findall(path.read_text())}

    def tokens_of_log(self) -> set[str]:
        """Return the tokens of all states that the log has, with the texts of entities."""
        entries = self.call(self.memory.history.log, full=True, limit=1000).entries
        texts = [str(entry.after) for entry in entries]
        kept = list(self.call(self.memory.history.logged_nodes, ["note"]))
        return {token for text in (*texts, *(node.text for node in kept)) for token in TOKEN.findall(text)}

    def in_folder(self) -> Facts:
        rows = list(read_markdown(self.folder))
        return {
            row.name: (
                frozenset(item.text for item in rows if isinstance(item, ObservationRow) and item.entity == row.name),
                frozenset(
                    (item.type, item.end) for item in rows if isinstance(item, RelationRow) and item.start == row.name
                ),
                row.description.strip("\n"),
            )
            for row in rows
            if isinstance(row, EntityRow)
        }

    def in_memory(self) -> Facts:
        graph = self.call(self.memory.entities.read_graph)
        return {
            entity.name: (
                frozenset(entity.observations),
                frozenset(
                    (item.relation_type, item.to_name) for item in graph.relations if item.from_name == entity.name
                ),
                (self.call(self.memory.entities.find_by_name, entity.name).description or "").strip("\n"),
            )
            for entity in graph.entities
        }

    def change(self, side: str, name: str, kind: str) -> None:
        self.changes[side][name] = kind

    @initialize()
    def begin(self) -> None:
        self.file("a").write_text("One.\n\nTwo.\n\nThree.\n")
        self.call(self.memory.entities.create_entities, [{"name": "d", "type": "note", "observations": ["x"]}])
        self.sync(None)

    def edit_file(self, name: str, paragraph: int) -> None:
        path = self.file(name)
        lines = path.read_text().split("\n") if path.exists() else ["One.", "", "Two.", "", "Three."]
        at = min(paragraph, len(lines) - 1) + (lines[0] == "---" and len(lines))
        path.write_text("\n".join([*lines[:at], self.token(), *lines[at:]]))
        self.change("folder", name, "changed")

    def add_item_to_file(self, name: str) -> None:
        path = self.file(name)
        path.write_text(f"{path.read_text() if path.exists() else ''}\n- [fact] {self.token()} %% {self.token()} %%\n")
        self.change("folder", name, "changed")

    def add_link_to_file(self, name: str, end: str) -> None:
        path = self.file(name)
        path.write_text(f"{path.read_text() if path.exists() else ''}\n- knows [[{end}]]\n")
        self.change("folder", name, "changed")
        self.has_links = True

    def delete_file(self, name: str) -> None:
        if self.file(name).exists():
            self.file(name).unlink()
            self.change("folder", name, "deleted")

    def describe_entity(self, name: str) -> None:
        self.call(self.memory.entities.upsert, name, type="note", description=f"{self.token()}\n\nTwo.\n\nThree.")
        self.change("memory", name, "changed")

    def observe(self, name: str) -> None:
        self.call(self.memory.entities.upsert, name, type="note", observations=[self.token()])
        self.change("memory", name, "changed")

    def relate(self, name: str, end: str) -> None:
        self.call(self.memory.entities.upsert, name, type="note", observations=[self.token()])
        relation = {"from": name, "to": end, "relationType": "likes"}
        self.call(self.memory.entities.create_relations, [relation])
        self.change("memory", name, "changed")
        self.has_links = True

    def delete_entity(self, name: str) -> None:
        if self.call(self.memory.entities.delete_entities, [name]).deleted:
            self.change("memory", name, "deleted")

    def rename_file(self, name: str, new_name: str) -> None:
        """Rename the note, so that the checks of single names do not apply."""
        if self.file(name).exists() and not self.file(new_name).exists():
            self.file(name).rename(self.file(new_name))
            self.has_links = True

    def rename_entity(self, name: str, new_name: str) -> None:
        names = self.in_memory()
        if name in names and new_name not in names:
            self.call(self.memory.entities.update_entity, name, new_name=new_name)
            self.has_links = True

    def revert_sync(self) -> None:
        if self.session is not None:
            self.call(self.memory.history.revert_session, self.session, on_conflict="skip")
            self.session, self.has_links = None, True

    def sync_until_killed(self, place: int) -> None:
        """Run a sync that is killed before it changes a file."""
        left, replace = [place], FolderFiles.replace

        def kill(files: FolderFiles, *arguments: Any) -> bool:
            if not left[0]:
                raise Killed
            left[0] -= 1
            return replace(files, *arguments)

        before = self.tokens_of_folder("notes")
        with patch.object(FolderFiles, "replace", kill):
            try:
                self.call(self.memory.transfer.sync_folder, self.folder, delete=True)
            except Killed:
                self.changes = {"folder": {}, "memory": {}}
                self.has_links = True
            else:
                self.changes = {"folder": {}, "memory": {}}
                self.has_links = True
        self.check_nothing_is_lost(before)

    def sync_without_preference(self) -> None:
        before, files, memory = self.tokens_of_folder("notes"), self.in_folder(), self.in_memory()
        synced: FolderSyncResult = self.call(self.memory.transfer.sync_folder, self.folder, delete=True)
        left = {conflict.name for conflict in synced.conflicts}
        self.check_nothing_is_lost(before)
        for name in left:
            for old, new in ((files, self.in_folder()), (memory, self.in_memory())):
                assert (old[name][0], old[name][2]) == (new[name][0], new[name][2]) if name in old else name not in new
        self.changes = {
            side: {name: kind for name, kind in changes.items() if name in left}
            for side, changes in self.changes.items()
        }

    def sync(self, side: Literal["folder", "memory"] | None) -> None:
        before, observed = self.tokens_of_folder("notes"), self.in_memory()
        tried = self.call(self.memory.transfer.sync_folder, self.folder, prefer=side, delete=True, dry_run=True)
        synced = self.call(self.memory.transfer.sync_folder, self.folder, prefer=side, delete=True)
        self.session = synced.session or self.session
        assert (tried.memory, tried.conflicts) == (synced.memory, synced.conflicts)
        self.check_nothing_is_lost(before)
        folder, memory = self.in_folder(), self.in_memory()
        assert folder == memory
        again = self.call(self.memory.transfer.sync_folder, self.folder)
        assert (again.session, again.folder, again.conflicts) == (None, type(again.folder)(), ())
        for name in {"a", "B c", "d"} if not self.has_links else set[str]():
            kinds = {place: self.changes[place].get(name, "same") for place in ("folder", "memory")}
            if "deleted" in kinds.values():
                other = kinds["memory" if kinds["folder"] == "deleted" else "folder"]
                assert (name in memory) == (other == "changed" and kinds[side or "folder"] != "deleted")
            elif name in observed:
                assert observed[name][0] <= memory[name][0]
        self.changes, self.has_links = {"folder": {}, "memory": {}}, False

    @rule(changes=st.lists(CHANGES, max_size=4), end=ENDS)
    def change_and_sync(
        self, changes: list[tuple[str, tuple[object, ...]]], end: tuple[str, tuple[object, ...]]
    ) -> None:
        """Change both sides, and then synchronise them."""
        for method, arguments in (*changes, end):
            getattr(self, method)(*arguments)

    def check_nothing_is_lost(self, tokens: set[str]) -> None:
        assert tokens <= self.tokens_of_folder("notes") | self.tokens_of_folder("copies") | self.tokens_of_log()


def test_a_folder_and_a_domain_become_equal_and_nothing_is_lost(talk: Conversation) -> None:
    run_state_machine_as_test(partial(SyncMachine, talk), settings=profile(examples=12, steps=5))
