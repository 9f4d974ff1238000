"""Random changes of data and types, reverts, branches, merges, compactions; a model remembers what each event led to.

Transactions take little here, so nodes with connections are deleted in pages, as most reverts are written, and many
of these are cut off and asked for again. The log tells which event was about which subject; the model says what the
subject came to. In the end every point of every domain is read again, and must be what the model remembers.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from graph_memory import GraphError, Memory, ontology_from
from graph_memory.memory.changes import paging
from graph_memory.memory.history.diff_results import DiffEntry
from graph_memory.memory.history.past import Past
from graph_memory.memory.history.results import LogEntry
from graph_memory.memory.search.index.index import index_words
from graph_memory.model.ontology.ontology import NodeType
from integration.reference_model import Connection, Node, Text, to_the_letter
from profiles import profile
from support import Conversation

pytestmark = pytest.mark.long

ONTOLOGY = ontology_from(
    {"node_types": ["Note", "Task"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]}
)
TEXTS = {
    "none": Text(""),
    "title": Text("# Hello"),
    "short": Text("b"),
    "other format": Text("b", format="text"),
    "blob": Text("x" * 16_385),
    "binary": Text("AP8=", "base64"),
}
PROPERTIES: list[dict[str, Any]] = [
    {},
    {"p": 1},
    {"p": 1.0},
    {"p": True},
    {"q": "x"},
    {"q": "y", "p": 2},
    {"title": ""},
]
TIMES: list[tuple[str | None, str | None]] = [
    *(("2020-01-01", None), ("open", "open"), (None, "2030-01-01"), ("2021-01-01", "2031-01-01"), (None, "open"))
]
TAGS: list[tuple[str, ...] | None] = [None, None, (), ("a",), ("b", "a")]
which = st.integers(0, 999)
CHANGES = [
    *("create", "create", "update", "update", "delete", "link", "link", "hub", "relink", "set validity", "declare"),
    *("batch", "batch", "transaction", "follow", "follow"),
]
ACTS = [
    *("revert a stretch", "revert a stretch", "revert events", "revert events", "branch", "branch"),
    *("merge", "merge", "merge", "compact", "delete a branch"),
]

Subject = Node | Connection
State = dict[str, Subject]
"""Living subjects by their id. Versions are kept apart, and properties with their types."""


@dataclass
class World:
    """A domain: its log as it was told, and the state after each event of it."""

    name: str
    memory: Memory
    then: dict[int, State]
    versions: dict[int, dict[str, int]] = field(default_factory=dict[int, dict[str, int]])
    """After each event, the numbers of the last events of those subjects that have one since the domain began."""
    log: dict[int, LogEntry] = field(default_factory=dict[int, LogEntry])
    parent: World | None = None
    forked_at: int = 0
    begins_at: int = 0
    floor: int = 0
    has_merged: bool = False
    types: dict[int, frozenset[str]] = field(default_factory=dict[int, frozenset[str]])
    """The node types after each event."""

    @property
    def last(self) -> int:
        return max(self.then)

    @property
    def now(self) -> State:
        return self.then[self.last]

    def at(self, seq: int) -> State | None:
        """The state at a number, None where it was compacted; that of a fork is also in the snapshots of the branch."""
        if self.parent and seq <= self.begins_at:
            is_copied = seq >= self.forked_at and self.floor <= self.begins_at
            return self.then[self.begins_at] if is_copied else self.parent.at(min(seq, self.forked_at))
        return self.then[seq] if seq >= self.floor else None

    def types_at(self, seq: int) -> frozenset[str]:
        """The node types at a number."""
        if self.parent and seq <= self.begins_at:
            return self.parent.types_at(min(seq, self.forked_at))
        return self.types[seq]


def name_of(subject: str) -> str:
    """The name of a type, by its subject."""
    return subject.partition("/")[2]


def nodes_of(state: Mapping[str, Subject]) -> list[str]:
    return sorted(key for key, item in state.items() if isinstance(item, Node))


def connections_of(state: Mapping[str, Subject]) -> list[str]:
    return sorted(key for key, item in state.items() if isinstance(item, Connection))


def connections_at(state: Mapping[str, Subject], node: str) -> list[str]:
    return [key for key, item in state.items() if isinstance(item, Connection) and node in (item.source, item.target)]


def changed_keys(before: Mapping[str, Subject], after: Mapping[str, Subject]) -> set[str]:
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


CLEARED: dict[str, Any] = {"path": "", "namespace": "", "title": "", "content_summary": "", "metadata": {}}
EDITS: list[dict[str, Any]] = [
    {},
    {"path": "/a/b", "title": "Given", "metadata": {"a": [1, None]}},
    {"namespace": "n", "title": "Other", "content_summary": "short", "metadata": {"b": 1}},
    CLEARED,
    {"title": ""},
]
GIVEN_TITLES = ("Given", "Other")
FIELD_NAMES = {"given title": "title", "summary": "content_summary"}
FIELD_NAMES |= {name: name for name in ("path", "namespace", "metadata")}


class HistoryMachine(RuleBasedStateMachine):
    """A domain, the branches of it, and what each was after every event."""

    def __init__(self, talk: Conversation) -> None:
        super().__init__()
        self.talk = talk
        self.worlds: list[World] = []
        self.known: dict[str, World] = {}
        self.made = 0
        self.broken = False

    # How the machine talks

    def ask(self, method: Callable[..., Awaitable[Any]], *args: Any, **kwargs: Any) -> Any:
        """Return the result or the error code of a call. Repeats a call that was cut off between two pages."""
        try:
            return self.talk.portal.call(partial(method, *args, **kwargs))
        except CutOff:
            return self.ask(method, *args, **kwargs)
        except GraphError as error:
            return str(error.code)
        except BaseException:
            self.broken = True
            raise

    def same(self, result: object, wanted: object, why: object = "") -> None:
        if result != wanted:
            self.broken = True
            raise AssertionError(f"the memory says {result!r}, the model {wanted!r} {why}")

    def world(self, number: int) -> World:
        return self.worlds[number % len(self.worlds)]

    def wrote(self, world: World, after: State) -> list[LogEntry]:
        """Take up the events of a write that should lead to a state, and return them."""
        page = self.ask(world.memory.history.log, since=world.last, limit=1_000)
        fresh = [entry for entry in reversed(page.entries) if entry.seq > world.last]
        about = [entry for entry in fresh if entry.kind in ("node", "connection")]
        before, versions = world.now, dict(world.versions[world.last])
        self.same(sorted(entry.subject for entry in about), sorted(changed_keys(before, after)), "are the changed")
        self.same([entry.seq for entry in fresh], [world.last + 1 + place for place in range(len(fresh))])
        self.same(len({entry.batch for entry in fresh}) <= 1, True, "one batch")
        state = dict(before)
        for entry in fresh:
            if entry in about:
                self.same(entry.operation, operation(before, after, entry.subject), entry.subject)
                state.pop(entry.subject, None)
                state |= {entry.subject: after[entry.subject]} if entry.subject in after else {}
                versions[entry.subject] = entry.seq
            world.log[entry.seq] = entry
            world.then[entry.seq], world.versions[entry.seq] = dict(state), dict(versions)
            name = {name_of(entry.subject)} if entry.kind == "node_type" else set[str]()
            types = world.types[entry.seq - 1]
            world.types[entry.seq] = types - name if entry.operation == "delete" else types | name
        current = self.ask(world.memory.get_ontology).node_types
        self.same({item.name for item in current}, world.types[world.last], "are the types")
        return fresh

    # Changes

    @initialize()
    def begin(self) -> None:
        name = f"past-{uuid4().hex[:16]}"
        memory = self.talk.memory.in_domain(name)
        self.ask(memory.create_ontology, ONTOLOGY)
        first = self.ask(memory.domain_info).events
        main = World(name, memory, {seq: {} for seq in range(first + 1)}, {first: {}})
        main.types = dict.fromkeys(main.then, frozenset({"Note", "Task"}))
        self.worlds, self.known = [main], {name: main}
        for _ in range(3):
            self.create(0, 0, {"p": 1}, "title", None)
        self.link(0, (0, 1), {}, "why")

    def create(self, where: int, kind: int, arguments: dict[str, Any], text: str, tags: tuple[str, ...] | None) -> None:
        world, self.made = self.world(where), self.made + 1
        types = sorted(world.types[world.last])
        answer, type_name = f"n{self.made}", types[kind % len(types)]
        content = TEXTS[text]
        node = Node(type_name, to_the_letter(arguments), content, 0, tags or (), EDITS[kind % 3])
        about = {"encoding": content.encoding, "format": content.format, "tags": tags, **node.fields}
        self.ask(world.memory.create_node, type_name, content.argument, properties=arguments, id=answer, **about)
        self.wrote(world, {**world.now, answer: node})

    def update(
        self, where: int, number: int, arguments: dict[str, Any], text: str | None, tags: tuple[str, ...] | None
    ) -> None:
        world = self.world(where)
        if not (ids := nodes_of(world.now)):
            return
        answer, before = ids[number % len(ids)], world.now[ids[number % len(ids)]]
        assert isinstance(before, Node)
        content = before.content if text is None else TEXTS[text]
        rendered = {"content": content.argument, "encoding": content.encoding, "format": content.format}
        about, edit = {} if text is None else rendered, EDITS[number % len(EDITS)]
        self.ask(world.memory.update_node, answer, properties=arguments, tags=tags, **about, **edit)
        fields = {name: value for name, value in (before.fields | edit).items() if value}
        values = {**before.properties, **to_the_letter(arguments)}
        after = replace(before, properties=values, content=content, fields=fields)
        self.wrote(world, {**world.now, answer: after if tags is None else replace(after, tags=tags)})

    def delete(self, where: int, number: int) -> None:
        world = self.world(where)
        if not world.now:
            return
        text = sorted(world.now)[number % len(world.now)]
        is_node = isinstance(world.now[text], Node)
        self.ask(world.memory.delete_node if is_node else world.memory.delete_connection, text)
        results = {text, *connections_at(world.now, text)}
        self.wrote(world, {key: item for key, item in world.now.items() if key not in results})

    def link(self, where: int, ends: tuple[int, int], arguments: dict[str, Any], content: str | None) -> None:
        world, self.made = self.world(where), self.made + 1
        if not (ids := nodes_of(world.now)):
            return
        source, target = (ids[number % len(ids)] for number in ends)
        text = f"c{self.made}"
        results = {"properties": arguments, "content": content, "id": text}
        self.ask(world.memory.create_connection, "Link", source, target, **results)
        self.wrote(world, {**world.now, text: Connection("Link", source, target, to_the_letter(arguments), content, 0)})

    def hub(self, where: int, number: int) -> None:
        """Tie one node to several, so that deleting it is more than a page."""
        for other in range(5):
            self.link(where, (number, number + other) if other % 2 else (number + other, number), {}, None)

    def relink(self, where: int, number: int, arguments: dict[str, Any], content: str | None) -> None:
        world = self.world(where)
        if not (ids := connections_of(world.now)):
            return
        text, before = ids[number % len(ids)], world.now[ids[number % len(ids)]]
        assert isinstance(before, Connection)
        self.ask(world.memory.update_connection, text, properties=arguments, content=content)
        after = replace(before, properties={**before.properties, **to_the_letter(arguments)})
        self.wrote(world, {**world.now, text: after if content is None else replace(after, content=content)})

    def set_validity(self, where: int, number: int, times: tuple[str | None, str | None]) -> None:
        world = self.world(where)
        if not world.now:
            return
        text = sorted(world.now)[number % len(world.now)]
        before = world.now[text]
        self.ask(world.memory.set_validity, text, valid_from=times[0], valid_to=times[1])
        start, end = (moment(time) if time else None for time in times)
        end = end and end + timedelta(days=1)  # a day that is named as the end belongs to it
        valid = tuple(
            known if time is None else at for time, known, at in zip(times, before.valid, (start, end), strict=True)
        )
        self.wrote(world, {**world.now, text: replace(before, valid=valid)})

    def batch(self, where: int, number: int, other: int, arguments: dict[str, Any]) -> None:
        """Change a node, delete another, and create a third with a connection to the first, as one batch."""
        world, self.made = self.world(where), self.made + 1
        if not (ids := nodes_of(world.now)):
            return
        kept, text = ids[number % len(ids)], ids[other % len(ids)]
        new, tie, types = f"n{self.made}", f"c{self.made}", sorted(world.types[world.last])
        before = world.now[kept]
        node = Node(types[other % len(types)], to_the_letter(arguments), Text("b", format="text"), 0)
        after: State = {
            **world.now,
            new: node,
            tie: Connection("Link", new, kept, {}, None, 0),
            kept: replace(before, properties={**before.properties, **to_the_letter(arguments)}),
        }
        operations: list[dict[str, Any]] = [
            {"op": "update_node", "node_id": kept, "properties": arguments},
            {"op": "create_node", "type": node.type, "content": "b", "properties": arguments, "id": new, "ref": "new"},
            {"op": "create_connection", "type": "Link", "from_node_id": "$new", "to_node_id": kept, "id": tie},
            {"op": "delete_node", "node_id": text},
        ]
        away = {text, *connections_at(after, text)}
        self.ask(world.memory.execute_batch, operations, idempotency_key=new)
        self.wrote(world, {key: item for key, item in after.items() if key not in away})
        self.same(self.ask(world.memory.execute_batch, operations, idempotency_key=new).repeated, True)

    def transaction(self, where: int, number: int, arguments: dict[str, Any]) -> None:
        """Change a node, make another and tie it to it, as one."""
        world, self.made = self.world(where), self.made + 1
        if not (ids := nodes_of(world.now)):
            return
        text, type_name = ids[number % len(ids)], min(world.types[world.last])
        new, tie = f"n{self.made}", f"c{self.made}"
        before = world.now[text]

        async def work() -> None:
            async with world.memory.transaction() as t:
                await t.update_node(text, properties=arguments)
                await t.create_node(type_name, "b", id=new)
                await t.create_connection("Link", new, text, id=tie)

        self.ask(work)
        after = replace(before, properties={**before.properties, **to_the_letter(arguments)})
        made: State = {new: Node(type_name, {}, Text("b"), 0), tie: Connection("Link", new, text, {}, None, 0)}
        self.wrote(world, {**world.now, text: after, **made})

    def follow(self, where: int) -> None:
        """Have the words of a domain indexed; `verify` compares them with the log in the end."""
        memory = self.world(where).memory
        self.ask(index_words, memory._core, memory._domain(None))

    def declare(self, where: int) -> None:
        world, self.made = self.world(where), self.made + 1
        self.ask(world.memory.add_node_type, NodeType(f"Kind{self.made}"))
        self.wrote(world, world.now)

    @rule(
        changes=st.lists(st.tuples(which, st.sampled_from(CHANGES), which, which), max_size=3),
        act=st.sampled_from(ACTS),
        where=which,
        numbers=st.tuples(which, which),
        picked=st.sets(st.integers(0, 12), min_size=1, max_size=3),
        choice=st.sampled_from(["stop", "skip", "force"]),
    )
    def turn(
        self,
        changes: list[tuple[int, str, int, int]],
        act: str,
        where: int,
        numbers: tuple[int, int],
        picked: set[int],
        choice: str,
    ) -> None:
        """Make some changes, then an operation on the past: one rule, so that every run mixes all of them."""
        for place, text, number, other in changes:
            self.change(place, text, number, other)
        back, more = numbers
        match act:
            case "revert a stretch":
                self.revert_stretch(where, back % 9, 1 + more % 5, choice)
            case "revert events":
                self.revert_events(where, picked, choice, only_deletions=back % 2 == 0)
            case "branch" if len(self.worlds) < 4:
                self.branch(where, None if more % 2 else back % 21)
            case "compact":
                self.compact(where, 3 + back % 12)
            case "delete a branch" if len(self.worlds) > 2:
                self.delete_branch(back)
            case "merge" if len(self.worlds) > 1:
                self.merge((back, more), "ours" if where % 2 else "theirs")
            case _:
                pass

    def change(self, where: int, name: str, number: int, other: int) -> None:
        arguments = PROPERTIES[other % len(PROPERTIES)]
        text, tags = [*TEXTS, None][number // 7 % (len(TEXTS) + 1)], TAGS[other // 7 % len(TAGS)]
        match name:
            case "create":
                self.create(where, number, arguments, text or "none", tags)
            case "update":
                self.update(where, number, arguments, text, tags)
            case "delete":
                self.delete(where, number)
            case "link":
                self.link(where, (number, other // 7), arguments, [None, "", "why"][number % 3])
            case "hub":
                self.hub(where, number)
            case "declare":
                self.declare(where)
            case "batch":
                self.batch(where, number, other, arguments)
            case "transaction":
                self.transaction(where, number, arguments)
            case "follow":
                self.follow(where)
            case "relink":
                self.relink(where, number, arguments, [None, "new", "x" * 16_385][other % 3])
            case _:
                self.set_validity(where, number, TIMES[other % len(TIMES)])

    # Reverts

    def revert_stretch(self, where: int, back: int, length: int, choice: str) -> None:
        world = self.world(where)
        first = max(world.last - back, *world.log, 0) if world.last - back not in world.log else world.last - back
        until = min(first + length - 1, world.last)
        if self.can_revert(world, range(first, until + 1)):
            self.check_revert(world, set(range(first, until + 1)), choice, since=first, until=until)

    def revert_events(self, where: int, picked: set[int], choice: str, *, only_deletions: bool) -> None:
        world = self.world(where)
        seqs = {world.last - back for back in picked if world.last - back in world.log}
        if only_deletions:
            deletions = (seq for seq, entry in world.log.items() if (entry.kind, entry.operation) == ("node", "delete"))
            seqs = set(sorted(seq for seq in deletions if seq > world.floor)[-len(picked) :])
        if seqs and self.can_revert(world, seqs):
            ids = [world.log[seq].id for seq in sorted(seqs)]
            self.check_revert(world, seqs, choice, event_ids=ids)

    def can_revert(self, world: World, seqs: Sequence[int] | range | set[int]) -> bool:
        return all(seq in world.log and seq > world.floor for seq in seqs)

    def check_revert(self, world: World, seqs: set[int], choice: str, **arguments: Any) -> None:
        before, taken = world.now, seqs | self.taken_along(world, seqs)
        targets = self.targets(world, taken)
        done = self.ask(world.memory.history.revert, on_conflict=choice, **arguments)
        skipped = {item.subject for item in getattr(done, "skipped", ())} - {"domain"}
        after = {} if done == "REVERT_CONFLICT" else self.undo_changes(before, targets, skipped)
        own = {world.log[seq].subject for seq in seqs}
        reasons = self.reasons(world, targets, taken, before, after, choice)
        reasons |= self.reasons_of_types(world, targets, seqs, after, choice)
        if done == "REVERT_CONFLICT":
            about = any(seq in seqs and world.log[seq].kind == "domain" for seq in world.log)
            whole = self.undo_changes(before, targets, set())
            full = self.reasons(world, targets, taken, before, whole, choice)
            full |= self.reasons_of_types(world, targets, seqs, whole, choice)
            self.same((choice, about or bool(full & own) or bool(full)), ("stop", True), "nothing stands against it")
            self.wrote(world, before)
            return
        self.same(choice == "stop" and bool(skipped & own), False, "skipped")
        self.same(skipped - reasons, set(), "was skipped without a reason")
        self.same(
            choice != "force" and bool(self.later(world, targets, taken, before) - skipped), False, "lost changes"
        )
        ends = [end for item in after.values() if isinstance(item, Connection) for end in (item.source, item.target)]
        self.same({end for end in ends if end not in after}, set(), "ends")
        wanted = {
            name: was for name, was in self.types_before(world, seqs).items() if f"node_type/{name}" not in skipped
        }
        self.wrote(world, after)
        types = world.types[world.last]
        self.same({name: name in types for name in wanted}, wanted, "the types")
        self.same({item.type for item in after.values() if isinstance(item, Node)} - types, set(), "the types of nodes")

    def types_before(self, world: World, seqs: set[int]) -> dict[str, bool]:
        """Of each type that the events are about, whether it was there before the first of them."""
        about = [seq for seq in sorted(seqs, reverse=True) if world.log[seq].kind == "node_type"]
        return {
            name_of(world.log[seq].subject): name_of(world.log[seq].subject) in world.types_at(seq - 1) for seq in about
        }

    def reasons_of_types(
        self, world: World, targets: Mapping[str, Subject | None], seqs: set[int], after: State, choice: str
    ) -> set[str]:
        """Types that may stay as they are, because of later changes or nodes that stay; and nodes that lack a type."""
        now, was = world.types[world.last], self.types_before(world, seqs)
        changing = {name for name, current in was.items() if current != (name in now)}
        used = {item.type for item in after.values() if isinstance(item, Node)}
        first = {name: min(s for s in seqs if world.log[s].subject == f"node_type/{name}") for name in changing}
        since = {
            name_of(e.subject) for s, e in world.log.items() if s not in seqs and s > first.get(name_of(e.subject), s)
        }
        later = changing & since if choice != "force" else set[str]()
        stay = {name for name in changing if name in later or (not was[name] and name in used)}
        types = {name for name in now | was.keys() if (name in now if name in stay else was.get(name, True))}
        lacking = {name for name, target in targets.items() if isinstance(target, Node) and target.type not in types}
        return {f"node_type/{name}" for name in stay} | lacking

    def taken_along(self, world: World, seqs: set[int]) -> set[int]:
        """The deletions of connections that went with the nodes whose deletions are selected."""
        entries = [e for seq in seqs if (e := world.log[seq]).kind == "node" and e.operation == "delete"]
        return {
            seq
            for node in entries
            for seq, entry in world.log.items()
            if seq < node.seq and entry.batch == node.batch and entry.operation == "delete"
            if entry.subject in connections_at(world.then[seq - 1], node.subject)
        }

    def targets(self, world: World, taken: set[int]) -> dict[str, Subject | None]:
        """The state of each subject before the first of the events."""
        first: dict[str, int] = {}
        for seq in sorted(taken):
            if world.log[seq].kind in ("node", "connection"):
                first.setdefault(world.log[seq].subject, seq)
        return {subject: world.then[seq - 1].get(subject) for subject, seq in first.items()}

    def later(self, world: World, targets: Mapping[str, Subject | None], taken: set[int], before: State) -> set[str]:
        """Subjects that were changed since by what is not undone, and that would not be as they are."""
        first = {s: min(seq for seq in taken if world.log[seq].subject == s) for s in targets}
        since = {e.subject for seq, e in world.log.items() if seq not in taken and seq > first.get(e.subject, seq)}
        return {subject for subject in since if targets[subject] != before.get(subject)}

    def reasons(
        self,
        world: World,
        targets: Mapping[str, Subject | None],
        taken: set[int],
        before: State,
        after: State,
        choice: str,
    ) -> set[str]:
        """Subjects that may be left as they are."""
        results = self.later(world, targets, taken, before) if choice != "force" else set[str]()
        for subject, target in targets.items():
            stay = [
                text
                for text in connections_at(before, subject)
                if text in after or targets.get(text, before) is not None
            ]
            if target is None and stay and choice != "force":
                results.add(subject)
            ends = (target.source, target.target) if isinstance(target, Connection) else ()
            if any(end not in after or targets.get(end, before) is None for end in ends):
                results.add(subject)
        return results

    def undo_changes(self, before: State, targets: Mapping[str, Subject | None], skipped: set[str]) -> State:
        after = dict(before)
        for subject in targets.keys() - skipped:
            target = targets[subject]
            after.pop(subject, None)
            results = connections_at(before, subject) if target is None else []
            for text in [key for key in results if targets.get(key) is None or key in skipped]:
                after.pop(text, None)
            after |= {} if target is None else {subject: target}
        return after

    # Branches, merges, compactions

    def branch(self, where: int, back: int | None) -> None:
        source, self.made = self.world(where), self.made + 1
        at = None if back is None else max(source.last - back, min(source.log, default=source.last))
        seq = source.last if at is None else at
        expected = source.at(seq)
        name = f"{self.worlds[0].name}-{self.made}"
        done = self.ask(source.memory.history.branch, name, at=at)
        if expected is None:
            self.same(done, "HISTORY_COMPACTED")
            return
        self.same((done.forked_from, done.forked_at), (source.name, seq))
        memory = self.talk.memory.in_domain(name)
        new = World(name, memory, {done.seq: expected}, {done.seq: {}}, {}, source, seq, done.seq, done.seq)
        new.has_merged = source.has_merged
        new.types[done.seq] = source.types_at(seq)
        self.worlds.append(new)
        self.known[name] = new
        self.same(self.talk.portal.call(read, memory)[0], expected, "in the branch")

    def merge(self, ends: tuple[int, int], strategy: str) -> None:
        source, target = self.world(ends[0]), self.world(ends[0] + 1 + ends[1] % (len(self.worlds) - 1))
        done = self.ask(target.memory.history.merge, source.name)
        if done == "MERGE_CONFLICT":
            self.wrote(target, target.now)
            manual, done = False, self.ask(target.memory.history.merge, source.name, strategy=strategy)
            if done == "MERGE_CONFLICT":  # only one side can be had where the target has taken a type back
                lacking = {item.type for item in source.now.values()} - target.types[target.last] - {"Link"}
                self.same((strategy, bool(lacking)), ("theirs", True), "cannot be settled")
                strategy = "ours"
                done = self.ask(target.memory.history.merge, source.name, strategy=strategy)
        else:
            manual = True
        if done == "HISTORY_COMPACTED":
            self.same(any(world.floor > world.begins_at for world in self.known.values()), True, "none was compacted")
            return
        base = self.known[done.base].at(done.base_seq)
        self.same(base is None, False, "the base was compacted")
        if not (source.has_merged or target.has_merged) and source.parent is target:
            self.same((done.base, done.base_seq), (target.name, source.forked_at))
        after, open_ones = self.talk.portal.call(read, target.memory)[0], set[str]()
        for subject in target.now.keys() | source.now.keys() | (base or {}).keys():
            versions = (base or {}).get(subject), target.now.get(subject), source.now.get(subject)
            allowed, conflicts = merge_states(*versions, strategy)
            if after.get(subject) != allowed:
                open_ones.add(subject)
            self.same(manual and conflicts, False, subject)
        for subject in open_ones:
            types = {kind.name for kind in self.ask(target.memory.get_ontology).node_types}
            self.same(self.may_differ(subject, base or {}, target.now, source.now, after, types), True, (subject, done))
        target.has_merged = source.has_merged = True
        self.wrote(target, after)
        lost = {item.type for item in target.now.values() if isinstance(item, Node)} - target.types[target.last]
        self.same(lost, set(), "the types of nodes")

    def may_differ(
        self, subject: str, base: State, ours: State, theirs: State, after: State, types: Collection[str]
    ) -> bool:
        """Return whether other subjects explain that a subject's state is not the merged state of the subject alone."""
        if after.get(subject) not in (ours.get(subject), theirs.get(subject)):
            return False
        item = ours.get(subject) or theirs.get(subject) or base.get(subject)
        if isinstance(item, Connection):
            return any(end not in state for end in (item.source, item.target) for state in (ours, theirs, after))
        if item is not None and item.type not in types:
            return True
        ties = {*connections_at(ours, subject), *connections_at(theirs, subject)}
        return bool(
            changed_keys({key: ours[key] for key in ties if key in ours}, {k: base[k] for k in ties if k in base})
        ) or bool(
            changed_keys({key: theirs[key] for key in ties if key in theirs}, {k: base[k] for k in ties if k in base})
        )

    def compact(self, where: int, back: int) -> None:
        world = self.world(where)
        split = [number for number in world.log if number > world.floor and self.goes_on(world, number)]
        seq = split[back % len(split)] if split and back % 2 else world.last - back
        if seq not in world.log or seq <= world.floor:
            return
        batch = [key for key, entry in world.log.items() if entry.batch == world.log[seq].batch]
        to = min(batch) - 1 if self.goes_on(world, seq) else seq
        done = self.ask(world.memory.history.compact, seq)
        self.same(done.compacted_to, max(to, world.floor))
        if done.events or done.archive:
            world.floor = max(to, world.floor)
        self.wrote(world, world.now)

    def goes_on(self, world: World, seq: int) -> bool:
        return seq + 1 in world.log and world.log[seq + 1].batch == world.log[seq].batch

    def delete_branch(self, number: int) -> None:
        world = self.worlds[1 + number % (len(self.worlds) - 1)]
        done = self.ask(self.talk.memory.delete_domain, world.name)
        if any(other.parent is world for other in self.worlds):
            self.same(done, "DOMAIN_HAS_BRANCHES")
            return
        self.same(isinstance(done, str), False, done)
        self.worlds.remove(world)

    # What must hold in the end

    def teardown(self) -> None:
        if self.broken:
            return
        for place, world in enumerate(self.worlds):
            self.follow(place)
            self.same(self.ask(world.memory.upkeep.verify).differences, ())
            self.same(self.ask(world.memory.upkeep.rebuild).differences, ())
            self.same(self.talk.portal.call(read, world.memory)[0], world.now, "now")
            self.talk.portal.call(self.look_back, world)
            self.talk.portal.call(self.compare, world)

    async def look_back(self, world: World) -> None:
        """Read the domain at every number of its log, a branch also at some before it."""
        begin = max(world.parent.floor, world.forked_at - 2) - 1 if world.parent else 0
        for seq in range(max(begin, 0), world.last + 1):
            wanted = world.at(seq)
            try:
                state, versions = await read(await world.memory.history.as_of(seq))
            except GraphError as error:
                self.same((str(error.code), wanted), ("HISTORY_COMPACTED", None), (world.name, seq))
                continue
            self.same(state, wanted, (world.name, seq))
            known = world.versions.get(seq, {})
            self.same(versions, versions | {key: known[key] for key in known if key in versions}, "versions")

    async def compare(self, world: World) -> None:
        """Apply what differs between two points to the earlier one."""
        points = [seq for seq in world.then if seq >= max(world.floor, world.begins_at)]
        rng = Random(len(points))
        for since, until in [sorted(rng.choices(points, k=2)) for _ in range(4)] + [(points[0], points[-1])]:
            entries: dict[str, DiffEntry] = {}
            cursor: str | None = None
            while True:
                arguments = {"since": since, "until": until, "cursor": cursor, "limit": 5, "content": True}
                page = await world.memory.history.diff(**arguments)
                entries |= {entry.subject: entry for entry in page.entries if entry.kind in ("node", "connection")}
                if (cursor := page.next_cursor) is None:
                    break
            self.applies(world.then[since], world.then[until], entries)

    def applies(self, before: State, after: State, entries: Mapping[str, DiffEntry]) -> None:
        rendered = {subject: entry.operation for subject, entry in entries.items()}
        kinds = {"create": "added", "delete": "removed", "update": "changed"}
        self.same(
            rendered, {text: kinds[operation(before, after, text)] for text in changed_keys(before, after)}, "differ"
        )
        for subject, entry in entries.items():
            if entry.operation == "changed":
                self.same(apply_entry(before[subject], entry, after[subject]), after[subject], "patched")


def operation(before: Mapping[str, Subject], after: Mapping[str, Subject], subject: str) -> str:
    if subject not in before:
        return "create"
    return "update" if subject in after else "delete"


def moment(text: str) -> datetime | None:
    return None if text == "open" else datetime.fromisoformat(text).replace(tzinfo=UTC)


def merge_states(
    base: Subject | None, ours: Subject | None, theirs: Subject | None, strategy: str
) -> tuple[Subject | None, bool]:
    """The merged state of a single subject, and whether the changes of both sides conflict."""
    if theirs == base or ours == theirs:
        return ours, False
    if ours == base:
        return theirs, False
    chosen = ours if strategy == "ours" else theirs
    if base is None or ours is None or theirs is None:
        return chosen, True
    return by_value(base, ours, theirs, chosen)


def by_value(base: Any, ours: Any, theirs: Any, chosen: Any) -> tuple[Subject, bool]:
    clashes = False

    def pick(*sides: Any) -> Any:
        nonlocal clashes
        result, other, third, taken = sides
        clashes = clashes or (third not in (result, other) and other != result)
        return other if third in (result, other) else third if other == result else taken

    sides = (base, ours, theirs, chosen)
    names = base.properties.keys() | ours.properties.keys() | theirs.properties.keys()
    values = {name: pick(*(side.properties.get(name) for side in sides)) for name in names}
    after = replace(ours, properties={name: value for name, value in values.items() if value is not None})
    after = replace(after, valid=tuple(pick(*(side.valid[place] for side in sides)) for place in (0, 1)))
    if isinstance(after, Connection):
        return replace(after, content=pick(*(side.content for side in sides))), clashes
    both = tuple(tag for tag in ours.tags if tag in theirs.tags or tag not in base.tags)
    both += tuple(tag for tag in theirs.tags if tag not in (*base.tags, *ours.tags))
    is_one_sided = theirs.tags in (base.tags, ours.tags) or ours.tags == base.tags
    tags = pick(base.tags, ours.tags, theirs.tags, ours.tags) if is_one_sided else both
    names = base.fields.keys() | ours.fields.keys() | theirs.fields.keys()
    fields = {name: pick(*(side.fields.get(name) for side in sides)) for name in names}
    after = replace(after, tags=tags, fields={name: value for name, value in fields.items() if value is not None})
    text = pick(*((side.content.argument, side.content.encoding) for side in sides))
    shown = pick(*(side.content.format for side in sides))
    return replace(after, content=Text(*text, shown)), clashes


def apply_entry(before: Any, entry: DiffEntry, after: Any) -> Subject:
    """The earlier state with what a diff tells; content is told by its size, and as lines where it is text."""
    values: dict[str, Any] = dict(before.properties)
    for change in entry.properties or ():
        values.pop(change.name, None)
        values |= {} if change.after is None else to_the_letter({change.name: change.after})
    result = replace(before, properties=values)
    for change in entry.attributes or ():
        if change.name == "tags":
            result = replace(result, tags=change.after if change.after is not None else ())
        elif change.name in FIELD_NAMES and isinstance(result, Node):
            name = FIELD_NAMES[change.name]
            answer = json.loads(str(change.after)) if name == "metadata" and change.after else change.after
            kept = {key: value for key, value in result.fields.items() if key != name}
            result = replace(result, fields=kept if answer is None else {**kept, name: answer})
        elif change.name == "format" and isinstance(before, Node):
            result = replace(result, content=replace(result.content, format=str(change.after)))
        elif change.name.startswith("valid "):
            answer = change.after and datetime.fromisoformat(str(change.after))
            valid = (answer, result.valid[1]) if change.name == "valid from" else (result.valid[0], answer)
            result = replace(result, valid=valid)
    if entry.content is None:
        return result
    if entry.content.note is None and entry.content.diff is not None:
        content = after.content.argument if isinstance(after, Node) else after.content
        added = [line[1:] for line in entry.content.diff.splitlines()[2:] if line.startswith("+")]
        assert "\n".join(added) == (content or "")
    if isinstance(after, Connection):
        return replace(result, content=after.content)
    return replace(result, content=replace(after.content, format=result.content.format))


async def read(memory: Memory | Past) -> tuple[State, dict[str, int]]:
    """Return everything that a domain holds, and the versions."""
    state: State = {}
    versions: dict[str, int] = {}
    for node_id in (await memory.query_nodes()).node_ids:
        node, text = await memory.get_node(node_id), await memory.get_node_content(node_id)
        content = Text(text.content, text.encoding, text.format)
        rendered = {**node.to_dict(), "title": node.title if node.title in GIVEN_TITLES else None}
        fields = {name: rendered[name] for name in CLEARED if rendered.get(name)}
        about = (node.tags or (), fields, (node.valid_from, node.valid_to))
        state[node_id] = Node(node.type, to_the_letter(node.properties), content, 0, *about)
        versions[node_id] = node.version
    for connection_id in (await memory.query_connections()).connection_ids:
        tie = await memory.get_connection(connection_id, include_content=True)
        valid = (tie.valid_from, tie.valid_to)
        letters = to_the_letter(tie.properties)
        state[connection_id] = Connection(tie.type, tie.from_node_id, tie.to_node_id, letters, tie.content, 0, valid)
        versions[connection_id] = tie.version
    return state, versions


class CutOff(Exception):  # noqa: N818 - what the machine does to a job
    """Ends a job between two of its pages, as `kill -9` would."""


def cut_off_often(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """End every third page with the end of its job, as far as anybody in this process knows; count the pages."""
    page, count = paging.Batch.page, [0]

    async def cut(batch: paging.Batch, *values: Any) -> None:
        await page(batch, *values)
        count[0] += 1
        if count[0] % 3 == 0:
            raise CutOff

    monkeypatch.setattr(paging.Batch, "page", cut)
    return count


@pytest.mark.timeout(600)
def test_every_point_of_every_history_is_what_the_model_remembers(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "AT_ONCE", 1)
    monkeypatch.setattr(paging, "PAGE", 2)
    pages = cut_off_often(monkeypatch)
    run_state_machine_as_test(partial(HistoryMachine, talk), settings=profile(examples=6, steps=15))
    assert pages[0] >= 3  # one was cut off
