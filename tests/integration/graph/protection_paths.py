"""Every way to write, each with what protection it must stop at. `test_protection_matrix.py` walks them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from neo4j import Driver

from graph_memory import Memory, ontology_from
from graph_memory.memory.changes import paging
from graph_memory.memory.retention import erasure
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology
from graph_memory.model.subjects.kinds import Kind

DOMAIN, NODE, CONNECTION = "domain", "node", "connection"
TYPES: dict[str, Any] = {
    "node_types": [{"name": "Note", "properties": {"n": "integer"}}],
    "connection_types": [{"name": "Link", "from_types": ["Note"], "to_types": ["Note"]}],
}


@dataclass
class World:
    """Two nodes and the connection between them, of which a node, the connection or all may be protected."""

    memory: Memory
    domain: str
    driver: Driver
    folder: Path
    patch: pytest.MonkeyPatch
    a: str = ""
    b: str = ""
    r: str = ""
    events: dict[str, int] = field(default_factory=dict[str, int])
    more: dict[str, Any] = field(default_factory=dict[str, Any])

    async def fill(self) -> World:
        """Make what is there, with a change of each that can be reverted."""
        memory = self.memory
        await memory.create_ontology(ontology_from(TYPES))
        self.a, self.b = [(await memory.create_node("Note", text)).node_id for text in ("one", "two")]
        self.r = (await memory.create_connection("Link", self.a, self.b)).connection_id
        self.events[NODE] = (await memory.update_node(self.a, properties={"n": 1})).version
        self.events[CONNECTION] = (await memory.update_connection(self.r, properties={"m": 1})).version
        return self

    async def end(self) -> int:
        """Return the number of the last event."""
        return (await self.memory.history.log(limit=1)).entries[0].seq

    def hand(self, cypher: str) -> None:
        """Change the graph behind the memory's back."""
        arguments = {"domain": self.domain, "a": self.a, "b": self.b}
        self.driver.execute_query(cypher, arguments)  # pyright: ignore[reportArgumentType]


Act = Callable[[World, Memory], Awaitable[object]]
Prepare = Callable[[World], Awaitable[None]]


@dataclass(frozen=True)
class Path_:  # noqa: N801 - a way to write, not one of the disk
    """A way to write, and what protection stops it."""

    run: Act
    stops: frozenset[str]
    prepare: Prepare | None = None
    by_hand: str | None = None
    """Done once all is protected."""
    leaves: bool = True
    """Whether the domain is there afterwards."""
    beside: bool = False
    """Whether the path creates subjects that do not need it."""
    lifts: bool = False
    """Whether it lifts a protection, which that of the domain stops only where there is one to lift."""
    of: tuple[str, Kind] | None = None
    """The way that takes a subject of any kind, and the kind that it takes here."""

    @property
    def name(self) -> str:
        """The name of the path."""
        return self.run.__name__


PATHS: dict[str, Path_] = {}


def path(
    *stops: str,
    prepare: Prepare | None = None,
    by_hand: str | None = None,
    leaves: bool = True,
    beside: bool = False,
    lifts: bool = False,
    of: tuple[str, Kind] | None = None,
) -> Callable[[Act], Act]:
    """Add a way to the table, with what protection must stop it."""

    def add(run: Act) -> Act:
        PATHS[run.__name__] = Path_(run, frozenset(stops), prepare, by_hand, leaves, beside, lifts, of)
        return run

    return add


# Preparations: what is there before anything is protected.


async def _link(world: World) -> None:
    await _branch(world)
    made = await world.memory.links.create_cross_domain_link(world.a, world.more["branch"], world.b)
    world.more["link"] = made.link_id


async def _observe(world: World) -> None:
    """Make an entity of the node, with an observation that was changed."""
    await _entity(world)
    world.more["observation"] = world.more["told"][0]
    changed = await world.memory.entities.update_observation("Ada", "is ill", confidence=0.5)
    world.events[Kind.OBSERVATION] = changed.version or 0


async def _changed_observation_in_branch(world: World) -> None:
    await _entity(world)
    await _branch(world)
    branch = world.memory.in_domain(world.more["branch"])
    await branch.entities.update_observation("Ada", "is ill", confidence=0.5)


async def _deleted_observation(world: World) -> None:
    await _observe(world)
    await world.memory.entities.delete_observations([{"entityName": "Ada", "observations": ["is ill"]}])


async def _observe_in_a_branch(world: World) -> None:
    await _observe(world)
    await _branch(world)


async def _link_and_note(world: World) -> None:
    await _link(world)
    world.events[Kind.LINK] = await world.end()


async def _link_in_a_branch(world: World) -> None:
    await _branch(world)
    branch = world.memory.in_domain(world.more["branch"])
    await branch.links.create_cross_domain_link(world.a, world.domain, world.b)


async def _branch(world: World) -> None:
    world.more["branch"] = f"{world.domain}-b"
    await world.memory.history.branch(world.more["branch"])


async def _changed_branch(world: World) -> None:
    await _branch(world)
    branch = world.memory.in_domain(world.more["branch"])
    await branch.update_node(world.a, properties={"n": 2})


async def _changed_link_in_branch(world: World) -> None:
    await _branch(world)
    await world.memory.in_domain(world.more["branch"]).update_connection(world.r, properties={"m": 2})


async def _delete_in_branch(world: World) -> None:
    await _branch(world)
    await world.memory.in_domain(world.more["branch"]).delete_node(world.b)


async def _within_branch(world: World) -> None:
    await _branch(world)
    world.domain = world.more["branch"]
    world.memory = world.memory.in_domain(world.domain)


async def _entity(world: World) -> None:
    result = await world.memory.entities.remember(name="Ada", type="Note", observations=["is ill", "is in Rome"])
    world.a, world.more["told"] = result.id or "", [fact.id for fact in result.facts]


async def _note(world: World) -> None:
    await _entity(world)
    await world.memory.transfer.sync_folder(world.folder / "notes")


async def _two_entities(world: World) -> None:
    entities = world.memory.entities
    await entities.create_entities([{"name": name, "type": "Note", "observations": [name]} for name in ("Ada", "A.")])
    node = (await world.memory.create_node("Note", "three")).node_id
    world.a = (await entities.remember(name="Ada", observations=["is ill"])).id or ""
    world.r = (await world.memory.create_connection("Link", world.a, node)).connection_id


async def _block(world: World) -> None:
    for name in ("MemoryBlock", "SessionSummary"):
        await world.memory.add_node_type(NodeType(name))
    world.a = (await world.memory.entities.edit_block("persona", "An agent.")).id or ""


async def _summary(world: World) -> None:
    await _block(world)
    world.a = (await world.memory.entities.session_end("Nothing.", session_id="s")).summary_id


async def _hub(world: World) -> None:
    for _ in range(12):
        node = (await world.memory.create_node("Note", "leaf")).node_id
        await world.memory.create_connection("Link", world.b, node)
    world.patch.setattr(paging, "AT_ONCE", 10)
    world.patch.setattr(paging, "PAGE", 5)
    world.patch.setattr(erasure, "PAGE", 5)


async def _little_at_once(world: World) -> None:
    world.patch.setattr(paging, "AT_ONCE", 1)


async def _chain(world: World) -> None:
    await world.memory.add_connection_type(ConnectionType("Within", ("Note",), ("Note",), transitive=True))
    c = (await world.memory.create_node("Note", "three")).node_id
    await world.memory.create_connection("Within", world.a, world.b)
    await world.memory.create_connection("Within", world.b, c)


async def _file(world: World) -> None:
    world.more["file"] = world.folder / f"{world.domain}.jsonl"
    await world.memory.transfer.export_file(world.more["file"])


# Nodes and connections, one by one.


@path(DOMAIN)
async def create_node(_: World, memory: Memory) -> object:
    return await memory.create_node("Note", "three")


@path(DOMAIN, NODE)
async def update_node(world: World, memory: Memory) -> object:
    return await memory.update_node(world.a, properties={"n": 2})


@path(DOMAIN, NODE, prepare=_branch)
async def create_a_link(world: World, memory: Memory) -> object:
    return await memory.links.create_cross_domain_link(world.a, world.more["branch"], world.a)


@path(DOMAIN, NODE, prepare=_link)
async def delete_a_link(world: World, memory: Memory) -> object:
    return await memory.links.delete_cross_domain_link(world.more["link"])


@path(DOMAIN, NODE)
async def set_content(world: World, memory: Memory) -> object:
    return await memory.set_node_content(world.a, "otherwise")


@path(DOMAIN, NODE)
async def set_validity_of_a_node(world: World, memory: Memory) -> object:
    return await memory.set_validity(world.a, valid_to="2030-01-01")


@path(DOMAIN, NODE, prepare=_entity)
async def upsert(_: World, memory: Memory) -> object:
    return await memory.entities.upsert("Ada", properties={"m": 3}, observations=["likes tea"])


@path(DOMAIN, NODE, prepare=_entity)
async def remember(_: World, memory: Memory) -> object:
    return await memory.entities.remember(name="Ada", observations=["likes tea"], replaces="is ill")


@path(DOMAIN, NODE, prepare=_entity)
async def decide(world: World, memory: Memory) -> object:
    return await memory.entities.decide(*reversed(world.more["told"]), "close")


@path(DOMAIN, NODE, prepare=_entity)
async def forget(_: World, memory: Memory) -> object:
    return await memory.entities.forget(["Ada"])


@path(DOMAIN, NODE, prepare=_entity)
async def update_entity(_: World, memory: Memory) -> object:
    return await memory.entities.update_entity("Ada", new_name="Ada Oak")


@path(DOMAIN, NODE, prepare=_entity)
async def update_observation(_: World, memory: Memory) -> object:
    return await memory.entities.update_observation("Ada", "is ill", confidence=0.5)


@path(DOMAIN, NODE, prepare=_block)
async def edit_block(_: World, memory: Memory) -> object:
    return await memory.entities.edit_block("persona", "Kind.")


@path(DOMAIN, prepare=_block)
async def make_a_block(_: World, memory: Memory) -> object:
    return await memory.entities.edit_block("human", "Kind.")


@path(DOMAIN, NODE, prepare=_summary)
async def session_end(_: World, memory: Memory) -> object:
    return await memory.entities.session_end("Done.", session_id="s")


@path(DOMAIN, NODE, CONNECTION, prepare=_two_entities)
async def merge_entities(_: World, memory: Memory) -> object:
    return await memory.entities.merge_entities(["Ada"], "A.")


@path(DOMAIN, NODE, prepare=_two_entities)
async def merge_entities_into_one(_: World, memory: Memory) -> object:
    return await memory.entities.merge_entities(["A."], "Ada")


@path(DOMAIN, NODE, CONNECTION)
async def delete_node(world: World, memory: Memory) -> object:
    return await memory.delete_node(world.a)


@path(DOMAIN, NODE, CONNECTION)
async def delete_a_neighbour(world: World, memory: Memory) -> object:
    return await memory.delete_node(world.b)


@path(DOMAIN, NODE, CONNECTION, prepare=_hub)
async def delete_a_neighbour_in_pages(world: World, memory: Memory) -> object:
    return await memory.delete_node(world.b)


@path(DOMAIN)
async def create_connection(world: World, memory: Memory) -> object:
    return await memory.create_connection("Link", world.b, world.a)


@path(DOMAIN, CONNECTION)
async def update_connection(world: World, memory: Memory) -> object:
    return await memory.update_connection(world.r, properties={"m": 2})


@path(DOMAIN, CONNECTION)
async def set_validity_of_a_connection(world: World, memory: Memory) -> object:
    return await memory.set_validity(world.r, valid_to="2030-01-01")


@path(DOMAIN, CONNECTION)
async def delete_connection(world: World, memory: Memory) -> object:
    return await memory.delete_connection(world.r)


@path(DOMAIN, prepare=_chain)
async def infer_connections(_: World, memory: Memory) -> object:
    return await memory.infer_connections(dry_run=False)


# Many at once.


@path(DOMAIN, NODE)
async def execute_batch(world: World, memory: Memory) -> object:
    update = {"op": "update_node", "node_id": world.a, "properties": {"n": 2}}
    return await memory.execute_batch([{"op": "create_node", "type": "Note", "content": "x"}, update])


@path(DOMAIN, NODE, CONNECTION)
async def execute_batch_without_all_or_nothing(world: World, memory: Memory) -> object:
    return await memory.execute_batch([{"op": "delete_node", "node_id": world.b}], options={"atomic": False})


@path(DOMAIN, NODE)
async def transaction(world: World, memory: Memory) -> object:
    async with memory.transaction() as within:
        await within.create_node("Note", "three")
        await within.update_node(world.a, properties={"n": 2})


@path(DOMAIN, NODE, prepare=_note)
async def sync_a_folder(world: World, memory: Memory) -> object:
    note = world.folder / "notes" / "Ada.md"
    note.write_text(
        "---\ntitle: Ada\ntype: Note\nn: 2\n---\n\n## Observations\n- is ill\n- is in Rome\n", encoding="utf-8"
    )
    return await memory.transfer.sync_folder(note.parent)


@path(DOMAIN, NODE, CONNECTION, beside=True)
async def writes_that_wait_for_each_other(world: World, memory: Memory) -> object:
    """A group commit: each is refused or made by itself."""
    errors: list[GraphError] = []

    async def attempt(call: Awaitable[object]) -> None:
        try:
            await call
        except GraphError as error:
            errors.append(error)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(attempt, memory.update_node(world.a, properties={"n": 2}))
        tasks.start_soon(attempt, memory.update_connection(world.r, properties={"m": 2}))
    if errors:
        raise errors[0]


@path(DOMAIN)
async def load_new(world: World, memory: Memory) -> object:
    return await memory.transfer.load(_graph(world, "new"))


@path(DOMAIN, NODE)
async def load_over(world: World, memory: Memory) -> object:
    return await memory.transfer.load(_graph(world, world.a), on_conflict="update")


def _graph(world: World, node: str) -> Path:
    target = world.folder / "graph.jsonl"
    target.write_text(json.dumps({"type": "node", "id": node, "labels": ["Note"], "properties": {"n": 7}}) + "\n")
    return target


# The ontology.


@path(DOMAIN)
async def add_node_type(_: World, memory: Memory) -> object:
    return await memory.add_node_type(NodeType("More"))


@path(DOMAIN)
async def add_connection_type(_: World, memory: Memory) -> object:
    return await memory.add_connection_type(ConnectionType("Knows", ("Note",), ("Note",)))


@path(DOMAIN)
async def apply_an_ontology(_: World, memory: Memory) -> object:
    return await memory.apply_ontology(Ontology.create([NodeType("More")], []))


@path(DOMAIN)
async def apply_an_ontology_step_by_step(_: World, memory: Memory) -> object:
    results = {**TYPES, "node_types": [{"name": "Note", "properties": {"n": {"type": "integer", "indexed": True}}}]}
    return await memory.apply_ontology(ontology_from(results))


# The log.


@path(DOMAIN, NODE, of=("revert", Kind.NODE))
async def revert_a_node(world: World, memory: Memory) -> object:
    return await memory.history.revert(event_ids=[world.events[NODE]], on_conflict="force")


@path(DOMAIN, CONNECTION, of=("revert", Kind.CONNECTION))
async def revert_a_connection(world: World, memory: Memory) -> object:
    return await memory.history.revert(event_ids=[world.events[CONNECTION]], on_conflict="force")


@path(DOMAIN, NODE, prepare=_observe, of=("revert", Kind.OBSERVATION))
async def revert_an_observation(world: World, memory: Memory) -> object:
    return await memory.history.revert(event_ids=[world.events[Kind.OBSERVATION]], on_conflict="force")


@path(DOMAIN, NODE, prepare=_link_and_note, of=("revert", Kind.LINK))
async def revert_a_link(world: World, memory: Memory) -> object:
    return await memory.history.revert(event_ids=[world.events[Kind.LINK]], on_conflict="force")


@path(DOMAIN, NODE, CONNECTION, prepare=_little_at_once)
async def revert_in_pages(world: World, memory: Memory) -> object:
    events = [world.events[NODE], world.events[CONNECTION]]
    return await memory.history.revert(event_ids=events, on_conflict="force")


@path(DOMAIN, NODE, prepare=_changed_branch, of=("merge", Kind.NODE))
async def merge_a_node(world: World, memory: Memory) -> object:
    return await memory.history.merge(world.more["branch"], into=world.domain, strategy="theirs")


@path(DOMAIN, CONNECTION, prepare=_changed_link_in_branch, of=("merge", Kind.CONNECTION))
async def merge_a_connection(world: World, memory: Memory) -> object:
    return await memory.history.merge(world.more["branch"], into=world.domain, strategy="theirs")


@path(DOMAIN, NODE, prepare=_changed_observation_in_branch, of=("merge", Kind.OBSERVATION))
async def merge_an_observation(world: World, memory: Memory) -> object:
    return await memory.history.merge(world.more["branch"], into=world.domain, strategy="theirs")


@path(DOMAIN, NODE, prepare=_link_in_a_branch, of=("merge", Kind.LINK))
async def merge_a_link(world: World, memory: Memory) -> object:
    return await memory.history.merge(world.more["branch"], into=world.domain, strategy="theirs")


@path(DOMAIN, NODE, CONNECTION, prepare=_delete_in_branch)
async def merge_a_deletion(world: World, memory: Memory) -> object:
    return await memory.history.merge(world.more["branch"], into=world.domain, strategy="theirs")


@path(DOMAIN, NODE, CONNECTION, of=("erase", Kind.NODE))
async def erase_a_node(world: World, memory: Memory) -> object:
    return await memory.history.erase(world.a)


@path(DOMAIN, NODE, CONNECTION)
async def erase_a_neighbour(world: World, memory: Memory) -> object:
    return await memory.history.erase(world.b)


@path(DOMAIN, CONNECTION, of=("erase", Kind.CONNECTION))
async def erase_a_connection(world: World, memory: Memory) -> object:
    return await memory.history.erase(world.r)


@path(DOMAIN, NODE, prepare=_observe, of=("erase", Kind.OBSERVATION))
async def erase_an_observation(world: World, memory: Memory) -> object:
    return await memory.history.erase(world.more["observation"])


@path(DOMAIN, NODE, prepare=_deleted_observation)
async def erase_a_deleted_observation(world: World, memory: Memory) -> object:
    return await memory.history.erase(world.more["observation"])


@path(DOMAIN, NODE, prepare=_observe_in_a_branch)
async def erase_an_observation_from_a_branch(world: World, memory: Memory) -> object:
    return await memory.in_domain(world.more["branch"]).history.erase(world.more["observation"])


@path(DOMAIN, NODE, prepare=_link, of=("erase", Kind.LINK))
async def erase_a_link(world: World, memory: Memory) -> object:
    return await memory.history.erase(world.more["link"])


@path(DOMAIN, NODE, CONNECTION, prepare=_branch)
async def erase_from_a_branch(world: World, memory: Memory) -> object:
    """Subjects that are protected in the source of a branch cannot be erased through the branch."""
    return await memory.in_domain(world.more["branch"]).history.erase(world.a)


@path(DOMAIN)
async def compact(world: World, memory: Memory) -> object:
    return await memory.history.compact(world.events[NODE], archive=world.folder / f"{world.domain}.jsonl.gz")


# Domains.


@path(DOMAIN, NODE, CONNECTION, leaves=False)
async def delete_domain(world: World, memory: Memory) -> object:
    return await memory.delete_domain(world.domain)


@path(DOMAIN, NODE, CONNECTION, prepare=_within_branch, leaves=False)
async def delete_a_branch(world: World, memory: Memory) -> object:
    return await memory.delete_domain(world.domain)


@path(DOMAIN)
async def describe_the_domain(world: World, memory: Memory) -> object:
    return await memory.update_domain(world.domain, description="Another")


async def _above(world: World) -> None:
    """Make a domain that the domain may be under."""
    await world.memory.create_domain(f"{world.domain}-new")


@path(DOMAIN, prepare=_above)
async def put_the_domain_under_another(world: World, memory: Memory) -> object:
    return await memory.update_domain(world.domain, parent=f"{world.domain}-new")


@path()
async def make_a_domain_under_it(world: World, memory: Memory) -> object:
    return await memory.create_domain(f"{world.domain}-new", parent=world.domain)


# What a hand did.


@path(
    *(DOMAIN, NODE),
    by_hand="MATCH (n:_Node {_domain: $domain, _id: $a}) SET n.n = 5",
    of=("adopt", Kind.NODE),
)
async def adopt_a_change(_: World, memory: Memory) -> object:
    return await _adopt(memory)


@path(
    *(DOMAIN, CONNECTION),
    by_hand="MATCH (:_Node {_domain: $domain, _id: $a})-[r:Link]->() SET r.m = 5",
    of=("adopt", Kind.CONNECTION),
)
async def adopt_a_change_of_a_connection(_: World, memory: Memory) -> object:
    return await _adopt(memory)


@path(
    *(DOMAIN, NODE),
    prepare=_observe,
    by_hand="MATCH (o:_Observation)-[:_OBSERVES]->(:_Node {_domain: $domain, _id: $a}) DETACH DELETE o",
    of=("adopt", Kind.OBSERVATION),
)
async def adopt_the_deletion_of_an_observation(_: World, memory: Memory) -> object:
    return await _adopt(memory)


@path(
    *(DOMAIN, NODE),
    prepare=_link,
    by_hand="MATCH (:_Node {_domain: $domain, _id: $a})-[:_LINKS]->(l:_Link) DETACH DELETE l",
    of=("adopt", Kind.LINK),
)
async def adopt_the_deletion_of_a_link(_: World, memory: Memory) -> object:
    return await _adopt(memory)


@path(DOMAIN, NODE, CONNECTION, by_hand="MATCH (n:_Node {_domain: $domain, _id: $b}) DETACH DELETE n", beside=True)
async def adopt_the_deletion_of_a_neighbour(_: World, memory: Memory) -> object:
    return await _adopt(memory)


async def _adopt(memory: Memory) -> object:
    reconciliation = await memory.upkeep.reconcile(adopt="all")
    for change in reconciliation.changes:
        if change.settled != "adopted":
            raise GraphError(Code.PROTECTED, (change.reason or "").partition(". ")[0])
    return reconciliation


# Protection itself.


@path(DOMAIN, NODE)
async def protect_a_node(world: World, memory: Memory) -> object:
    return await memory.protect(node_id=world.a, reason="Another", can_be_unprotected_by=["alice"])


@path(DOMAIN, CONNECTION)
async def protect_a_connection(world: World, memory: Memory) -> object:
    return await memory.protect(connection_id=world.r, reason="Another", can_be_unprotected_by=["alice"])


@path(DOMAIN)
async def protect_the_domain(world: World, memory: Memory) -> object:
    return await memory.protect(domain=world.domain, reason="Another", can_be_unprotected_by=["alice"])


@path(NODE, lifts=True)
async def unprotect_a_node(world: World, memory: Memory) -> object:
    return await memory.unprotect(node_id=world.a)


@path(CONNECTION, lifts=True)
async def unprotect_a_connection(world: World, memory: Memory) -> object:
    return await memory.unprotect(connection_id=world.r)


@path(DOMAIN)
async def unprotect_the_domain(world: World, memory: Memory) -> object:
    return await memory.unprotect(domain=world.domain)


# What changes nothing that is protected: a new domain, what the log says put back, and what is derived from it.


@path(by_hand="MATCH (n:_Node {_domain: $domain, _id: $a}) SET n.n = 5")
async def rebuild(_: World, memory: Memory) -> object:
    return await memory.upkeep.rebuild()


@path(by_hand="MATCH (n:_Node {_domain: $domain, _id: $a}) SET n.n = 5")
async def restore_what_a_hand_did(_: World, memory: Memory) -> object:
    return await memory.upkeep.reconcile(restore="all")


async def _entities(world: World) -> None:
    """Make entities of the node and the connection that are protected."""
    entities = world.memory.entities
    await entities.create_entities(
        [{"name": name, "type": "Note", "observations": ["is old"]} for name in ("Ann", "Bob")]
    )
    await entities.create_relations([{"from": "Ann", "to": "Bob", "type": "Link"}])
    ids = (await world.memory.query_nodes(type="Note", properties={"name": "Ann"})).node_ids
    links = (await world.memory.query_connections(type="Link", from_node_id=ids[0])).connection_ids
    world.a, world.r = ids[0], links[0]


@path(DOMAIN)
async def create_entities(_: World, memory: Memory) -> object:
    return await memory.entities.create_entities([{"name": "Cy", "type": "Note"}])


@path(DOMAIN, prepare=_entities)
async def create_relations(_: World, memory: Memory) -> object:
    return await memory.entities.create_relations([{"from": "Bob", "to": "Ann", "type": "Link"}])


@path(DOMAIN, NODE, prepare=_entities)
async def add_observations(_: World, memory: Memory) -> object:
    return await memory.entities.add_observations([{"entityName": "Ann", "contents": ["is kind"]}])


@path(DOMAIN, NODE, CONNECTION, prepare=_entities)
async def delete_entities(_: World, memory: Memory) -> object:
    return await memory.entities.delete_entities(["Ann"])


@path(DOMAIN, NODE, prepare=_entities)
async def delete_observations(_: World, memory: Memory) -> object:
    return await memory.entities.delete_observations([{"entityName": "Ann", "observations": ["is old"]}])


@path(DOMAIN, CONNECTION, prepare=_entities)
async def delete_relations(_: World, memory: Memory) -> object:
    return await memory.entities.delete_relations([{"from": "Ann", "to": "Bob", "type": "Link"}])


@path()
async def search(_: World, memory: Memory) -> object:
    return await memory.search_content("one")


@path()
async def mark_reviewed(world: World, memory: Memory) -> object:
    return await memory.history.mark_reviewed({world.events[NODE]: "accept"})


@path()
async def make_a_branch(world: World, memory: Memory) -> object:
    return await memory.history.branch(f"{world.domain}-new")


@path(prepare=_file)
async def import_a_file(world: World, memory: Memory) -> object:
    return await memory.transfer.import_file(world.more["file"], name=f"{world.domain}-new")


@path()
async def import_a_folder(world: World, memory: Memory) -> object:
    await memory.transfer.export_folder(world.folder / "folder")
    return await memory.transfer.import_folder(world.folder / "folder", name=f"{world.domain}-new")


_NEW = "writes into a domain that it has just begun"
_CHECKED_BEFORE = "is asked by what begins it, or by those who call it"
_DERIVES = "makes what is derived, for what grows an ontology, reverts or merges"
_FOR_SEARCH = "makes what search looks through of the log, which says nothing of who may write"
_ROUTED = "passes a write to the store of a database, and decides nothing"
CALLERS: dict[str, Sequence[str] | str] = {
    "storage.databases:DatabaseStore.write": _ROUTED,
    "storage.databases:DatabaseStore.write_at_once": _ROUTED,
    "storage.routing:RoutedStore.write": _ROUTED,
    "storage.routing:RoutedStore.write_at_once": _ROUTED,
    "memory.api.memory:Memory.transaction": ["transaction"],
    "memory.core:within": ["transaction"],
    "memory.folder_sync.memory_writes:write_changes": ["sync_a_folder"],
    "memory.batch.run:run": ["execute_batch", "execute_batch_without_all_or_nothing", "load_new", "load_over"],
    "memory.branches.branch:branch": ["make_a_branch"],
    "memory.branches.branch:_BranchStages._copy_types": _NEW,
    "memory.branches.branch:_BranchStages._drop_derived": _NEW,
    "memory.branches.branch:_BranchStages._make_derived": _NEW,
    "memory.branches.branch:_BranchStages._put_inverses": _NEW,
    "memory.branches.branch:_BranchStages._end": _NEW,
    "memory.branches.merge:merge": [
        *("merge_a_node", "merge_a_connection", "merge_an_observation", "merge_a_link", "merge_a_deletion"),
    ],
    "memory.changes.keys:put_inverses": _DERIVES,
    "memory.changes.keys:put_keys": _DERIVES,
    "memory.changes.paging:Batch.begin": ["delete_a_neighbour_in_pages", "revert_in_pages"],
    "memory.changes.paging:Batch.page": ["delete_a_neighbour_in_pages", "revert_in_pages"],
    "memory.domains.deletion:_delete_domain": ["delete_domain", "delete_a_branch"],
    "memory.domains.tree:append_job_event": _CHECKED_BEFORE,
    "memory.domains.tree:create_domain": ["make_a_domain_under_it"],
    "memory.domains.tree:update_domain": ["describe_the_domain", "put_the_domain_under_another"],
    "memory.drift.reconcile:_Attempt.write": [
        *("adopt_a_change", "adopt_a_change_of_a_connection", "adopt_the_deletion_of_an_observation"),
        *("adopt_the_deletion_of_a_link", "adopt_the_deletion_of_a_neighbour"),
    ],
    "memory.drift.reconcile:_drop_unnamed": ["restore_what_a_hand_did"],
    "memory.entities.writes:create_entities": ["create_entities"],
    "memory.entities.writes:add_observations": ["add_observations"],
    "memory.entities.relations:_attempt": ["create_relations"],
    "memory.entities.deletes:_delete": ["delete_entities", "delete_observations", "delete_relations"],
    "memory.entities.cleaning.merging:_attempt": ["merge_entities", "merge_entities_into_one"],
    "memory.remember.decide:_decide": ["decide"],
    "memory.remember.decide:decide_all": "writes in a transaction, whose row is above, what each `decide` would",
    "memory.entities.forgetting:_end": ["forget"],
    "memory.sessions.notes:write_note": ["edit_block", "make_a_block", "session_end"],
    "memory.entities.upsert:upsert": ["upsert"],
    "memory.remember.remember:_RememberCall._attempt": ["remember"],
    "memory.remember.remember:_write_all": "writes in a transaction, whose row is above",
    "memory.entities.updating:_attempt": ["update_entity"],
    "memory.entities.updating:update_observation": ["update_observation"],
    "memory.graph.connections:create_connection": ["create_connection"],
    "memory.graph.connections:update_connection": ["update_connection"],
    "memory.graph.connections:delete_connection": ["delete_connection"],
    "memory.graph.ontology_migration:apply_ontology": ["apply_an_ontology"],
    "memory.graph.ontology_migration:_migrate": ["apply_an_ontology_step_by_step"],
    "memory.graph.node_deletion:delete_node": ["delete_node", "delete_a_neighbour"],
    "memory.graph.node_deletion:_delete_in_pages": ["delete_a_neighbour_in_pages"],
    "memory.graph.nodes:create_node": ["create_node"],
    "memory.graph.nodes:update_node": ["update_node", "set_content"],
    "memory.graph.ontology:create_ontology": _NEW,
    "memory.graph.ontology:add_node_type": ["add_node_type"],
    "memory.graph.ontology:add_connection_type": ["add_connection_type"],
    "memory.graph.protection:protect": [
        *("protect_a_node", "protect_a_connection", "protect_the_domain"),
        *("unprotect_a_node", "unprotect_a_connection", "unprotect_the_domain"),
    ],
    "memory.graph.substring:SubstringSearch._index_windows": ["search"],
    "memory.graph.validity:set_validity": ["set_validity_of_a_node", "set_validity_of_a_connection"],
    "memory.history.reviews:mark_reviewed": ["mark_reviewed"],
    "memory.keys.access_keys:create_key": "writes a key, which is in no domain",
    "memory.keys.access_keys:record_use": "writes a key, which is in no domain",
    "memory.keys.access_keys:revoke_keys": "writes a key, which is in no domain",
    "memory.keys.access_keys:rotate_key": "writes a key, which is in no domain",
    "memory.links.links:_write_link": ["create_a_link"],
    "memory.links.links:delete_link": ["delete_a_link"],
    "memory.inference.inference:infer_connections": ["infer_connections"],
    "memory.search.access_store:_write": "counts who was looked at, which says nothing of who may write",
    "memory.entities.indexing:_index": "indexes texts, which are what they were",
    "memory.search.index.following:_take_lease": _FOR_SEARCH,
    "memory.search.index.index:_embed_rows": _FOR_SEARCH,
    "memory.search.index.index:_delete_rows": _FOR_SEARCH,
    "memory.search.index.index:_record_failure": _FOR_SEARCH,
    "memory.search.index.index:_write_part": _FOR_SEARCH,
    "memory.search.index.index:begin_index": _FOR_SEARCH,
    "memory.search.index.index:schedule_rebuild": _FOR_SEARCH,
    "memory.search.index.reindexing:_relabel": _FOR_SEARCH,
    "memory.search.index.retokenization:_write": _FOR_SEARCH,
    "memory.search.index.retokenization:retokenize_page": _FOR_SEARCH,
    "memory.search.index.reindexing:change_analyser": _FOR_SEARCH,
    "memory.search.index.reindexing:_embed_old_vectors": _FOR_SEARCH,
    "memory.search.index.reindexing:change_model": _FOR_SEARCH,
    "memory.search.index.reindexing:reindex": _FOR_SEARCH,
    "memory.servers:Servers.announce": "writes which servers run, which is in no domain",
    "memory.retention.compaction:compact": ["compact"],
    "memory.retention.compaction:_CompactionStages._write_archive": _CHECKED_BEFORE,
    "memory.retention.erasure:_begin_jobs": [
        *("erase_a_node", "erase_a_neighbour", "erase_a_connection", "erase_from_a_branch"),
        *("erase_an_observation", "erase_a_deleted_observation", "erase_an_observation_from_a_branch", "erase_a_link"),
    ],
    "memory.retention.erasure:_ErasureStages._append": _CHECKED_BEFORE,
    "memory.revert.pages:_revert_in_pages": ["revert_in_pages"],
    "memory.revert.revert:_attempt": ["revert_a_node", "revert_a_connection", "revert_an_observation", "revert_a_link"],
    "memory.transfer.folder.folder_import:_Source.write": "writes a file",
    "memory.transfer.archive.importing:import_file": ["import_a_file", "import_a_folder"],
    "memory.transfer.archive.importing:_ImportStages._append": _NEW,
    "memory.transfer.archive.importing:_ImportStages._put_types": _NEW,
    "memory.transfer.archive.importing:_ImportStages._put_subjects": _NEW,
    "memory.transfer.archive.importing:_ImportStages._end": _NEW,
    "memory.verify.verify:verify": "reads under the lock",
    "memory.verify.verify:repair_subjects": ["rebuild", "restore_what_a_hand_did"],
    "memory.verify.verify:repair_domain": ["rebuild"],
    "memory.verify.verify:_repair_page": ["rebuild"],
    "storage.log.jobs:begin": "asks",
    "storage.log.jobs:Job.step": _CHECKED_BEFORE,
    "storage.log.jobs:Job.end": _CHECKED_BEFORE,
    "storage.log.jobs:Job.withdraw": _CHECKED_BEFORE,
    "storage.log.project:append_events": _CHECKED_BEFORE,
    "storage.log.writing:Log._commit_group": _CHECKED_BEFORE,
    "storage.log.writing:Log._write_locked": _CHECKED_BEFORE,
    "storage.log.writing:Log._append_one": "asks",
    "storage.log.writing:Log._append_group": ["writes_that_wait_for_each_other"],
    "storage.log.writing:Log.append": "asks",
    "storage.log.writing:Log.check": "asks",
    "storage.log.writing:Log.is_written": "reads under the lock",
    "storage.schema:await_indexes": "waits for the schema, which is no domain's",
    "storage.schema:migrate": "makes the schema, which is no domain's",
}
"""Who appends to a log, begins a job, projects, or writes in a transaction: its rows, or why there is none."""

OPERATION_PATHS: dict[str, Sequence[str]] = {
    "apply_pattern_result": ["execute_batch"],
    "create_cross_domain_link": ["create_a_link"],
    "create_domain": ["make_a_domain_under_it"],
    "create_file": ["transaction"],
    "create_ontology": ["apply_an_ontology"],
    "delete_cross_domain_link": ["delete_a_link"],
    "delete_file": ["transaction"],
    "insert_into_file": ["transaction"],
    "memory_branch": ["make_a_branch"],
    "memory_compact": ["compact"],
    "memory_erase": ["erase_a_node", "erase_a_connection", "erase_an_observation", "erase_a_link"],
    "memory_merge": ["merge_a_node", "merge_a_connection", "merge_an_observation", "merge_a_link", "merge_a_deletion"],
    "memory_revert": ["revert_a_node", "revert_a_connection", "revert_an_observation", "revert_a_link"],
    "memory_revert_session": ["revert_a_node", "revert_in_pages"],
    "protect": ["protect_a_node", "protect_a_connection", "protect_the_domain"],
    "record_event": ["execute_batch"],
    "record_pattern": ["transaction"],
    "rename_file": ["transaction"],
    "set_goal": ["transaction"],
    "set_relation_importance": ["update_connection"],
    "set_validity": ["set_validity_of_a_node", "set_validity_of_a_connection"],
    "str_replace_in_file": ["transaction"],
    "unprotect": ["unprotect_a_node", "unprotect_a_connection", "unprotect_the_domain"],
    "update_domain": ["describe_the_domain", "put_the_domain_under_another"],
    "update_goal": ["transaction"],
    "update_user_profile": ["upsert"],
    "working_memory": [],  # held by the server's session, and stored nowhere
}
"""The paths by which each writing operation writes, unless a path has the operation's name."""
