"""Protection as its users meet it: what is read-only, for whom, until when, and what is still allowed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graph_memory import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology

pytestmark = pytest.mark.anyio

TYPES = Ontology.create([NodeType("Note")], [ConnectionType("Link", ("Note",), ("Note",))])


async def _refused(call: object, message: str) -> GraphError:
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
    error = await _refused(
        memory.update_node(node, content="otherwise", encoding="utf-8"),
        f"Memory {node} is read-only and cannot be modified",
    )
    assert error.details["reason"] == "The contract"
    assert error.details["can_be_unprotected_by"] == ["alice"]
    await _refused(memory.unprotect(node_id=node), f"Memory {node} is read-only and cannot be modified")
    alice = memory.acting_as("alice")
    await alice.update_node(node, content="by alice", encoding="utf-8")
    found = await memory.get_node(node)
    assert found.protection is not None
    assert found.protection.is_read_only
    assert not (await alice.unprotect(node_id=node)).is_read_only
    await memory.update_node(node, content="otherwise", encoding="utf-8")
    assert (await memory.get_node(node)).protection is None
    assert (await memory.upkeep.verify()).clean


async def test_connections_to_a_protected_node_may_be_added_but_its_neighbour_stays(memory: Memory) -> None:
    await memory.create_ontology(TYPES)
    node, other = [(await memory.create_node("Note", text)).node_id for text in ("one", "two")]
    await memory.protect(node_id=node)
    link = (await memory.create_connection("Link", other, node)).connection_id
    await _refused(memory.delete_node(other), f"Memory {node} is read-only and cannot be modified")
    await memory.delete_connection(link)
    await memory.delete_node(other)


async def test_a_protected_domain_takes_no_write(memory: Memory, domain: str) -> None:
    await memory.create_ontology(TYPES)
    node = (await memory.create_node("Note", "one")).node_id
    await memory.protect(domain=domain, reason="Frozen", can_be_unprotected_by=["alice"])
    await _refused(memory.create_node("Note", "two"), f"Cannot modify memory in read-only domain {domain}")
    await _refused(memory.delete_node(node), f"Cannot modify memory in read-only domain {domain}")
    await _refused(memory.add_node_type(NodeType("More")), f"Domain {domain} is read-only and cannot be modified")
    await _refused(memory.delete_domain(domain), f"Domain {domain} is read-only and cannot be modified")
    await _refused(memory.unprotect(domain=domain), f"Domain {domain} is read-only and cannot be modified")
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
    await _refused(memory.create_node("Note", "two"), f"Cannot modify memory in read-only domain {domain}")
    while datetime.now(UTC) <= soon:
        pass
    await memory.update_node(node, content="otherwise", encoding="utf-8")
    found = await memory.get_node(node)
    assert found.protection is not None
    assert not found.protection.is_read_only
