"""Protection as its users meet it: what is read-only, for whom, until when, and what is still allowed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver

from graph_memory import Memory, Settings, open_memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Origin
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology
from graph_memory.storage.log import protection
from tables import for_rows

pytestmark = pytest.mark.anyio

TYPES = Ontology.create([NodeType("Note")], [ConnectionType("Link", ("Note",), ("Note",))])


async def _refusal_of(call: object, message: str) -> GraphError:
    with pytest.raises(GraphError) as caught:
        await call  # pyright: ignore[reportGeneralTypeIssues]
    assert caught.value.code is Code.PROTECTED
    assert caught.value.message == message
    return caught.value


async def test_a_protected_node_is_read_only_for_all_but_those_who_are_named(memory: Memory, domain: str) -> None:
    await memory.create_ontology(TYPES)
    node = (await memory.create_node("Note", "as it is")).node_id
    done = await memory.protect(node_id=node, reason="The contract", can_be_unprotected_by=["alice"])
    assert done.is_read_only
    error = await _refusal_of(
        memory.update_node(node, content="otherwise", encoding="utf-8"),
        f'Node "{node}" is protected against changes',
    )
    assert error.details["reason"] == "The contract"
    assert error.details["can_be_unprotected_by"] == ["alice"]
    await _refusal_of(memory.unprotect(node_id=node), f'Node "{node}" is protected against changes')
    alice = memory.acting_as("alice")
    await alice.update_node(node, content="by alice", encoding="utf-8")
    result = await memory.get_node(node)
    assert result.protection is not None
    assert result.protection.is_read_only
    assert not (await alice.unprotect(node_id=node)).is_read_only
    await memory.update_node(node, content="otherwise", encoding="utf-8")
    assert (await memory.get_node(node)).protection is None
    assert (await memory.upkeep.verify()).clean


@pytest.mark.parametrize("name", ["x" * 300, " "])
async def test_whoever_protects_may_call_itself_anything(memory: Memory, domain: str, name: str) -> None:
    await memory.create_ontology(TYPES)
    node = (await memory.create_node("Note", "one")).node_id
    odd = memory.acting_as(name)
    await odd.protect(node_id=node, can_be_unprotected_by=["alice"])
    await odd.protect(domain=domain, can_be_unprotected_by=["alice"])
    result, info = (await memory.get_node(node)).protection, (await memory.domain_info()).protection
    assert result is not None
    assert info is not None
    assert (result.locked_by, info.last_modified_by) == (name, name)
    await _refusal_of(
        memory.create_node("Note", "two"), f'The memories of domain "{domain}" are protected against changes'
    )
    await memory.acting_as("alice").unprotect(domain=domain)
    assert not (await memory.upkeep.verify()).differences


async def test_connections_to_a_protected_node_may_be_added_but_its_neighbour_stays(memory: Memory) -> None:
    await memory.create_ontology(TYPES)
    node, other = [(await memory.create_node("Note", text)).node_id for text in ("one", "two")]
    await memory.protect(node_id=node)
    link = (await memory.create_connection("Link", other, node)).connection_id
    await _refusal_of(memory.delete_node(other), f'Node "{node}" is protected against changes')
    await memory.delete_connection(link)
    await memory.delete_node(other)
    assert (await memory.query_nodes()).node_ids == (node,)


async def test_a_protected_domain_takes_no_write(memory: Memory, domain: str) -> None:
    await memory.create_ontology(TYPES)
    node = (await memory.create_node("Note", "one")).node_id
    await memory.protect(domain=domain, reason="Frozen", can_be_unprotected_by=["alice"])
    await _refusal_of(
        memory.create_node("Note", "two"), f'The memories of domain "{domain}" are protected against changes'
    )
    await _refusal_of(memory.delete_node(node), f'The memories of domain "{domain}" are protected against changes')
    await _refusal_of(memory.add_node_type(NodeType("More")), f'Domain "{domain}" is protected against changes')
    await _refusal_of(memory.delete_domain(domain), f'Domain "{domain}" is protected against changes')
    await _refusal_of(memory.unprotect(domain=domain), f'Domain "{domain}" is protected against changes')
    info = await memory.domain_info()
    assert info.protection is not None
    assert info.protection.is_read_only
    assert info.protection.protection_reason == "Frozen"
    await memory.acting_as("alice").create_node("Note", "two")
    await memory.acting_as("alice").unprotect(domain=domain)
    await memory.create_node("Note", "three")
    assert (await memory.domain_info()).protection is None


async def test_protection_ends_by_itself(memory: Memory, domain: str) -> None:
    await memory.create_ontology(TYPES)
    node = (await memory.create_node("Note", "one")).node_id
    soon = datetime.now(UTC) + timedelta(seconds=1)
    await memory.protect(node_id=node, expires_at=soon)
    await memory.protect(domain=domain, expires_at=soon)
    await _refusal_of(
        memory.create_node("Note", "two"), f'The memories of domain "{domain}" are protected against changes'
    )
    while datetime.now(UTC) <= soon:
        pass
    await memory.update_node(node, content="otherwise", encoding="utf-8")
    result = await memory.get_node(node)
    assert result.protection is not None
    assert not result.protection.is_read_only


async def test_it_is_told_in_the_log_and_in_a_diff_and_a_revert_is_for_those_who_may_lift_it(memory: Memory) -> None:
    await memory.create_ontology(TYPES)
    node = (await memory.create_node("Note", "one")).node_id
    done = await memory.protect(node_id=node, reason="Signed", can_be_unprotected_by=["alice"])
    [entry] = (await memory.history.log(limit=1)).entries
    assert entry.summary == 'Note "one": protected, alice can unprotect it: Signed'
    [changed] = (await memory.history.diff(since=done.version - 1)).entries
    assert [(attribute.name, attribute.after) for attribute in changed.attributes or ()] == [
        ("protection", "protected, alice can unprotect it: Signed")
    ]
    await _refusal_of(memory.history.revert(event_ids=[done.version]), f'Node "{node}" is protected against changes')
    await memory.acting_as("alice").history.revert(event_ids=[done.version])
    assert (await memory.get_node(node)).protection is None
    [entry] = (await memory.history.log(limit=1)).entries
    assert entry.summary == 'Note "one": no longer protected'


async def test_a_branch_has_what_is_protected_in_its_source_and_can_be_changed_where_the_domain_cannot(
    memory: Memory, domain: str
) -> None:
    await memory.create_ontology(TYPES)
    node, other = [(await memory.create_node("Note", text)).node_id for text in ("one", "two")]
    await memory.protect(node_id=node, can_be_unprotected_by=["alice"])
    await memory.protect(domain=domain, can_be_unprotected_by=["alice"])
    branch = f"{domain}-b"
    await memory.history.branch(branch)
    tried = memory.in_domain(branch)
    await tried.set_node_content(other, "otherwise")
    await _refusal_of(tried.set_node_content(node, "no"), f'Node "{node}" is protected against changes')
    await _refusal_of(
        memory.history.merge(branch, into=domain), f'The memories of domain "{domain}" are protected against changes'
    )
    await memory.acting_as("alice").history.merge(branch, into=domain)
    assert (await tried.upkeep.verify()).clean


async def test_two_protections_of_one_node_are_a_conflict_that_a_side_settles(memory: Memory, domain: str) -> None:
    await memory.create_ontology(TYPES)
    node = (await memory.create_node("Note", "one")).node_id
    branch = f"{domain}-b"
    await memory.history.branch(branch)
    alice = memory.acting_as("alice")
    await alice.protect(node_id=node, reason="Ours", can_be_unprotected_by=["alice"])
    await alice.in_domain(branch).protect(node_id=node, reason="Theirs", can_be_unprotected_by=["alice"])
    with pytest.raises(GraphError) as caught:
        await alice.history.merge(branch, into=domain)
    assert caught.value.code is Code.MERGE_CONFLICT
    assert 'both domains changed "protection" differently' in str(caught.value.details["conflicts"])
    lines = [{"subject": node, "property": "_protection", "take": "theirs"}]
    await alice.history.merge(branch, into=domain, resolutions=lines)
    info = (await memory.get_node(node)).protection
    assert info is not None
    assert info.reason == "Theirs"


async def test_an_export_has_all_protection_and_an_import_restores_it(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    await memory.create_ontology(TYPES)
    node = (await memory.create_node("Note", "one")).node_id
    await memory.protect(node_id=node, can_be_unprotected_by=["alice"])
    await memory.protect(domain=domain, reason="Frozen", can_be_unprotected_by=["bob"])
    await memory.transfer.export_file(tmp_path / "a.jsonl")
    name = f"{domain}-new"
    await memory.transfer.import_file(tmp_path / "a.jsonl", name=name)
    again = memory.in_domain(name)
    await _refusal_of(
        again.create_node("Note", "two"), f'The memories of domain "{name}" are protected against changes'
    )
    bob = again.acting_as("bob")
    await bob.create_node("Note", "two")
    await _refusal_of(bob.set_node_content(node, "no"), f'Node "{node}" is protected against changes')
    assert (await again.upkeep.verify()).clean
    await memory.transfer.export_folder(tmp_path / "folder")
    name = f"{domain}-folder"
    await memory.transfer.import_folder(tmp_path / "folder", name=name)
    again = memory.in_domain(name)
    await again.create_node("Note", "two")
    await _refusal_of(again.set_node_content(node, "no"), f'Node "{node}" is protected against changes')


async def test_without_names_only_the_command_line_lifts_it_and_nobody_writes(
    settings: Settings, memory: Memory, domain: str
) -> None:
    await memory.create_ontology(TYPES)
    node = (await memory.create_node("Note", "one")).node_id
    done = await memory.acting_as("alice").protect(node_id=node)
    message = f'Node "{node}" is protected against changes'
    error = await _refusal_of(memory.acting_as("alice").unprotect(node_id=node), message)
    assert "graph-memory unprotect" in str(error.details["hint"])
    async with open_memory(settings, origin=Origin(at_command_line=True)) as opened:
        person = opened.in_domain(domain)
        await _refusal_of(person.set_node_content(node, "no"), message)
        await person.unprotect(node_id=node)
        done = await person.protect(node_id=node)
        await person.history.revert(event_ids=[done.version])
    await memory.set_node_content(node, "otherwise")


@for_rows(
    "arguments",
    [
        {},
        {"node_id": "a", "connection_id": "b"},
        {"node_id": "a", "reason": ""},
        {"node_id": "a", "reason": "x" * 1001},
        {"node_id": "a", "reason": "\ud800"},
        {"node_id": "a", "expires_at": "yesterday"},
        {"node_id": "a", "expires_at": "whenever"},
        {"node_id": "a", "can_be_unprotected_by": "alice"},
        {"node_id": "a", "can_be_unprotected_by": [""]},
        {"node_id": "a", "can_be_unprotected_by": [7]},
        {"node_id": "a", "can_be_unprotected_by": ["a" * 256]},
        {"node_id": "a", "can_be_unprotected_by": [str(number) for number in range(101)]},
    ],
)
async def test_what_cannot_be_asked_for_is_refused(memory: Memory, arguments: dict[str, Any]) -> None:
    with pytest.raises(GraphError) as caught:
        await memory.protect(**arguments)
    assert caught.value.code is Code.INVALID_ARGUMENT


async def test_what_is_not_there_cannot_be_protected(memory: Memory, domain: str) -> None:
    with pytest.raises(GraphError) as caught:
        await memory.protect(domain=domain)
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND
    await memory.create_ontology(TYPES)
    for text, code in (("node_id", Code.NODE_NOT_FOUND), ("connection_id", Code.CONNECTION_NOT_FOUND)):
        with pytest.raises(GraphError) as caught:
            await memory.protect(**{text: "none"})
        assert caught.value.code is code


async def test_the_same_again_is_no_change(memory: Memory, domain: str) -> None:
    await memory.create_ontology(TYPES)
    node = (await memory.create_node("Note", "one")).node_id
    first = await memory.protect(node_id=node, reason="Why")
    assert (await memory.protect(node_id=node, reason="Why")).version == first.version
    assert (await memory.unprotect(domain=domain)).is_read_only is False


async def test_what_a_hand_did_in_a_protected_domain_is_listed_with_the_reason(
    memory: Memory, domain: str, driver: Driver
) -> None:
    await memory.create_ontology(TYPES)
    await memory.create_node("Note", "one")
    await memory.protect(domain=domain)
    driver.execute_query("MATCH (n:_Node {_domain: $domain}) SET n.by_hand = 1", {"domain": domain})
    [change] = (await memory.upkeep.reconcile()).changes
    assert not change.adoptable
    assert (change.reason or "").startswith(f'The memories of domain "{domain}" are protected against changes')
    await memory.upkeep.reconcile(restore="all")
    assert (await memory.upkeep.verify()).clean


async def test_a_write_into_a_domain_in_which_nothing_was_protected_looks_for_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.create_ontology(TYPES)
    node = (await memory.create_node("Note", "one")).node_id
    requests: list[str] = []

    async def note_request(*values: Any) -> Any:
        requests.append("asked")
        return []

    monkeypatch.setattr(protection, "_read_protected", note_request)
    await memory.set_node_content(node, "otherwise")
    await memory.delete_node(node)
    assert requests == []
    node = (await memory.create_node("Note", "one")).node_id
    await memory.protect(node_id=node)
    await memory.create_node("Note", "two")
    assert requests == []
    await memory.set_node_content(node, "otherwise")
    assert requests
