"""Domains in two databases: each call uses the database of its domain, and no operation needs both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import anyio
import anyio.to_thread
import pytest
from neo4j import GraphDatabase
from pydantic import SecretStr

from container.images import address_of
from graph_memory import Code, GraphError, Memory, Settings, local, open_memory
from graph_memory.agent.capture import drain
from graph_memory.cli.commands.doctor import _checks
from graph_memory.hooks.events import HookEvent
from graph_memory.hooks.spool import Spool
from graph_memory.local.checks import Outcome
from graph_memory.memory.search.index import following
from graph_memory.model.databases import DatabaseSetting
from graph_memory.model.rights import Caller, Grant, Principal, Right, run_as
from graph_memory.storage import databases as store_databases

pytestmark = [pytest.mark.anyio, pytest.mark.long, pytest.mark.timeout(600)]

ANN = [{"name": "Ann", "entityType": "person", "observations": ["Ann plays the oboe"]}]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The second Neo4j, which stands for the server of a team."""
    settings = Settings(home=tmp_path_factory.mktemp("other"))
    local.ensure_running(settings)
    yield settings
    local.stop(settings)


@pytest.fixture
def prefix() -> str:
    """The prefix of the domains in the second database. Other tests have no such domains."""
    return f"team-{uuid4().hex[:12]}"


def with_other(settings: Settings, other: Settings, folder: Path, pattern: str, uri: str | None = None) -> Settings:
    """Return settings in which the second database has the domains that match the pattern."""
    server = local.ensure_running(other)
    password = folder / "password"
    password.write_text(f"{server.password}\n", encoding="utf-8")
    entry = DatabaseSetting(domains=(pattern,), uri=uri or server.uri, password_file=password)
    return settings.model_copy(update={"databases": {"work": entry}, "home": settings.home})


@pytest.fixture
def spread(settings: Settings, other: Settings, tmp_path: Path, prefix: str) -> Settings:
    """Settings with both databases."""
    return with_other(settings, other, tmp_path, f"{prefix}*")


@pytest.fixture
async def both(spread: Settings) -> AsyncIterator[Memory]:
    """A memory with both databases."""
    async with open_memory(spread) as memory:
        yield memory


def domains_of(settings: Settings) -> set[str]:
    """Return the names of the domains in a database, read by the driver alone."""
    address = address_of(settings)
    with GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        return {record["name"] for record in driver.execute_query("MATCH (d:_Domain) RETURN d._id AS name").records}


async def error_of(call: Awaitable[object]) -> GraphError:
    with pytest.raises(GraphError) as caught:
        await call
    return caught.value


async def add_ann(memory: Memory, *domains: str) -> None:
    for domain in domains:
        await memory.entities.create_entities(ANN, domain=domain)


async def node_of(memory: Memory, domain: str) -> str:
    [node_id] = (await memory.query_nodes(domain=domain)).node_ids
    return node_id


async def names_in(memory: Memory, domain: str) -> set[str]:
    return {entity.name for entity in (await memory.entities.read_graph(domain=domain)).entities}


async def test_each_domain_is_written_to_and_read_from_its_own_database(
    both: Memory, settings: Settings, other: Settings, domain: str, prefix: str
) -> None:
    await add_ann(both, domain, prefix)
    await both.entities.create_entities([{"name": "Bob", "entityType": "person"}], domain=prefix)
    assert domain in domains_of(settings)
    assert domain not in domains_of(other)
    assert prefix in domains_of(other)
    assert prefix not in domains_of(settings)
    assert await names_in(both, domain) == {"Ann"}
    assert await names_in(both, prefix) == {"Ann", "Bob"}
    assert {domain, prefix} <= {row.name for row in (await both.list_domains()).domains}
    result = await both.recall.search_memories("oboe", domains=[domain, prefix])
    assert {hit.domain for hit in result.hits} == {domain, prefix}
    for name in (domain, prefix):
        assert (await both.recall.recall("Who plays the oboe?", domain=name)).content
        assert (await both.upkeep.verify(domain=name)).clean
        assert (await both.history.log(domain=name)).entries
    assert (await both.history.scan("Ann plays the oboe")).findings


async def test_pages_of_the_list_of_domains_follow_each_other_across_databases(both: Memory, prefix: str) -> None:
    names = [f"{prefix}-a", f"test-{prefix}-b", f"{prefix}-c"]
    await add_ann(both, *names)
    listed, cursor = [], None
    while True:
        page = await both.list_domains(limit=2, cursor=cursor)
        listed += [row.name for row in page.domains]
        if (cursor := page.next_cursor) is None:
            break
    assert listed == sorted(set(listed))
    assert {*names} <= {*listed}


async def test_operations_that_need_both_databases_are_refused_and_change_nothing(
    both: Memory, domain: str, prefix: str
) -> None:
    await add_ann(both, domain, prefix)
    source, target = await node_of(both, domain), await node_of(both, prefix)
    states = [(await both.upkeep.verify(domain=name)).to_dict() for name in (domain, prefix)]
    calls = [
        lambda: both.links.create_cross_domain_link(source, prefix, target, source_domain=domain),
        lambda: both.links.create_cross_domain_link(target, domain, source_domain=prefix),
        lambda: both.history.branch(f"{prefix}-branch", domain=domain),
        lambda: both.history.merge(prefix, into=domain),
        lambda: both.in_domain(domain).history.diff(against=prefix),
        lambda: both.create_domain(f"{prefix}-child", parent=domain),
        lambda: both.update_domain(domain, parent=prefix),
    ]
    for call in calls:
        error = await error_of(call())
        assert error.code is Code.DIFFERENT_DATABASES
        assert "GRAPH_MEMORY_DATABASES" in str(error.hint)
        assert prefix in error.message or domain in error.message
        assert "work" in error.message
    async with both.transaction(domain=domain) as transaction:
        assert (await error_of(transaction.query_nodes(domain=prefix))).code is Code.DIFFERENT_DATABASES
        assert {domain, prefix} <= {row.name for row in (await transaction.list_domains()).domains}
    assert [(await both.upkeep.verify(domain=name)).to_dict() for name in (domain, prefix)] == states
    assert not {f"{prefix}-child", f"{prefix}-branch"} & {row.name for row in (await both.list_domains()).domains}
    assert not (await both.links.list_cross_domain_links(domain=domain)).links


async def test_links_branches_and_parents_within_the_second_database_work(both: Memory, prefix: str) -> None:
    first, second = f"{prefix}-1", f"{prefix}-2"
    await add_ann(both, first, second)
    link = await both.links.create_cross_domain_link(
        await node_of(both, first), second, await node_of(both, second), source_domain=first
    )
    assert link.success
    await both.history.branch(f"{prefix}-branch", domain=first)
    await both.create_domain(f"{prefix}-child", parent=first)
    await both.entities.create_entities([{"name": "Eve", "entityType": "person"}], domain=f"{prefix}-branch")
    assert (await both.history.merge(f"{prefix}-branch", into=first)).created
    assert len(await names_in(both, first)) == 2
    async with both.transaction(domain=second) as transaction:
        await transaction.entities.create_entities([{"name": "Bob", "entityType": "person"}], domain=second)
    assert len(await names_in(both, second)) == 2
    assert (await error_of(both.delete_domain(first))).code is Code.DOMAIN_HAS_BRANCHES
    await both.delete_domain(f"{prefix}-branch")
    await both.delete_domain(f"{prefix}-child")
    await both.delete_domain(first)
    assert first not in {row.name for row in (await both.list_domains()).domains}


async def test_a_domain_in_another_database_than_the_setting_says_is_told_and_not_created_again(
    both: Memory, settings: Settings, other: Settings, spread: Settings, prefix: str, tmp_path: Path
) -> None:
    await add_ann(both, prefix)
    moved = with_other(settings, other, tmp_path, f"{prefix}-moved*")
    async with open_memory(moved) as memory:
        for call in (memory.query_nodes, partial(memory.entities.create_entities, ANN)):
            error = await error_of(call(domain=prefix))
            assert error.code is Code.STORE_CONFLICT
            assert error.message.startswith(
                "Database work contains domains that GRAPH_MEMORY_DATABASES assigns to other databases:"
            )
            assert error.details["expected"] == {prefix: "home"}
            assert error.hint
        # a domain that another process creates meanwhile, with the earlier setting
        late = f"{prefix}-late"
        await add_ann(both, late)
        assert (await error_of(memory.entities.create_entities(ANN, domain=late))).code is Code.STORE_CONFLICT
        await both.delete_domain(late)
        await add_ann(memory, late)
    assert late in domains_of(settings)
    assert {prefix, late}.isdisjoint(domains_of(settings) & domains_of(other))
    failed = [check async for check in _failed_checks(moved)]
    assert any(prefix in text and name == "database work" for name, text in failed), failed


async def _failed_checks(settings: Settings) -> AsyncIterator[tuple[str, str]]:
    for check in await anyio.to_thread.run_sync(lambda: list(_checks(settings))):
        if check.outcome is Outcome.FAILED:
            yield check.name, check.found


async def test_two_entries_for_the_same_database_are_refused(
    settings: Settings, other: Settings, tmp_path: Path, prefix: str
) -> None:
    spread = with_other(settings, other, tmp_path, f"{prefix}*")
    twice = {**spread.databases, "again": spread.databases["work"]}
    error = await error_of(_open(spread.model_copy(update={"databases": twice})))
    assert error.code is Code.STORE_CONFLICT
    assert "are the same database" in error.message


async def _open(settings: Settings) -> None:
    async with open_memory(settings):
        pass


async def test_a_wrong_password_is_neither_shown_nor_logged(
    spread: Settings, prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="graph_memory")
    file = spread.databases["work"].password_file
    assert file is not None
    file.write_text("hunter2-secret", encoding="utf-8")
    async with open_memory(spread) as memory:
        error = await error_of(memory.query_nodes(domain=prefix))
        assert error.code is Code.STORE_UNAVAILABLE
        assert "work" in error.message
        file.unlink()
        missing = await error_of(memory.query_nodes(domain=prefix))
    assert str(file) not in f"{missing} {dict(missing.details)}"
    assert "hunter2" not in f"{error!r} {error} {dict(error.details)} {caplog.text} {spread!r}"


async def test_rights_of_keys_hold_in_both_databases(both: Memory, domain: str, prefix: str) -> None:
    await add_ann(both, domain, prefix)
    with run_as(Caller(Principal("reader", (Grant(f"{prefix}*", Right.READ),)))):
        assert await names_in(both, prefix)
        assert [row.name for row in (await both.list_domains()).domains] == [prefix]
        assert (await error_of(both.query_nodes(domain=domain))).code is Code.INSUFFICIENT_RIGHTS
        assert (await error_of(both.entities.create_entities(ANN, domain=prefix))).code is Code.INSUFFICIENT_RIGHTS
        assert (await both.recall.search_memories("oboe", domain=prefix)).hits
    writer = Caller(Principal("writer", (Grant(f"{prefix}*", Right.WRITE),)))
    with run_as(writer):
        await both.entities.create_entities(ANN, domain=f"{prefix}-new")


async def test_cypher_reads_the_database_of_the_default_domain_and_says_so(
    both: Memory, domain: str, prefix: str
) -> None:
    await add_ann(both, domain, prefix)
    statement = "MATCH (n:_Node) WHERE n._domain IN [$a, $b] RETURN n._domain"
    for own in (domain, prefix):
        rows = await both.in_domain(own).query_cypher(statement, {"a": domain, "b": prefix})
        assert rows.rows == ((own,),)
        assert "Only the database of domain" in (rows.warnings or ("",))[0]


async def test_the_background_indexes_domains_of_both_databases(
    spread: Settings, domain: str, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "INTERVAL", 0.2)
    indexing = spread.model_copy(update={"background_index": True, "embeddings": "off"})
    async with open_memory(indexing, follows=True) as memory:
        await add_ann(memory, domain, prefix)
        with anyio.fail_after(60):
            for name in (domain, prefix):
                while not (row := await memory.upkeep.index_status(domain=name)).seq or row.behind:  # noqa: ASYNC110 - nobody tells it
                    await anyio.sleep(0.2)


def _add_event(spool: Spool, domain: str) -> None:
    event = HookEvent(
        client="claude-code",
        kind="prompt",
        session=f"session-{domain}",
        at="2026-11-29T10:00:00Z",
        folder=str(spool.folder),
        domain=domain,
        text="Ann tunes it",
    )
    assert spool.add(event.to_json())


async def test_the_domains_of_one_database_work_while_the_other_is_down(
    settings: Settings, other: Settings, tmp_path: Path, domain: str, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spread = with_other(settings, other, tmp_path, f"{prefix}*")
    monkeypatch.setattr(store_databases, "SKIPPED_SECONDS", 0.0)
    async with open_memory(spread) as memory:
        await add_ann(memory, domain, prefix)
        local.stop(other)
        try:
            await add_ann(memory, domain)
            assert await names_in(memory, domain) == {"Ann"}
            assert (await memory.recall.search_memories("oboe", domain=domain)).hits
            error = await error_of(memory.query_nodes(domain=prefix))
            assert error.code is Code.STORE_UNAVAILABLE
            assert error.message.startswith("Database work: ")
            listed = await memory.list_domains()
            assert listed.unavailable_databases == ("work",)
            assert domain in {row.name for row in listed.domains}
            await memory.upkeep.check_ready()
            assert [*memory.upkeep.unavailable_databases] == ["work"]
            # whether the other database has this new domain is unknown
            new = await error_of(memory.entities.create_entities(ANN, domain=f"new-{domain}"))
            assert new.code is Code.STORE_UNAVAILABLE
            spool = Spool.of(tmp_path)
            _add_event(spool, prefix)
            _add_event(spool, domain)
            assert await drain.drain(memory, spool) == 1
            assert len(spool.names()) == 1
            assert not spool.count_invalid()
            assert (await error_of(memory.upkeep.collect_blobs(dry_run=True, grace=0))).code is Code.STORE_UNAVAILABLE
            async with open_memory(spread) as opened_meanwhile:
                assert await names_in(opened_meanwhile, domain)
                assert (await error_of(opened_meanwhile.query_nodes(domain=prefix))).code is Code.STORE_UNAVAILABLE
                _restart(other, spread)
                assert await names_in(opened_meanwhile, prefix)
        finally:
            _restart(other, spread)
        assert await names_in(memory, prefix)
        assert not (await memory.list_domains()).unavailable_databases
        assert await drain.drain(memory, spool) == 1


async def test_other_databases_work_while_the_home_database_is_down(
    settings: Settings, other: Settings, tmp_path: Path, domain: str, prefix: str
) -> None:
    home, server = local.ensure_running(other), address_of(settings)
    password = tmp_path / "password"
    password.write_text(server.password, encoding="utf-8")
    entry = DatabaseSetting(domains=(f"{prefix}*",), uri=server.uri, password_file=password)
    login = {"neo4j_uri": home.uri, "neo4j_password": SecretStr(home.password), "home": tmp_path}
    async with open_memory(other.model_copy(update={**login, "databases": {"work": entry}})) as memory:
        await add_ann(memory, domain, prefix)
        local.stop(other)
        try:
            assert (await error_of(names_in(memory, domain))).code is Code.STORE_UNAVAILABLE
            assert await names_in(memory, prefix) == {"Ann"}
            await memory.entities.create_entities([{"name": "Bob", "entityType": "person"}], domain=prefix)
            assert (await memory.recall.recall("Who plays the oboe?", domain=prefix)).content
            assert (await error_of(memory.upkeep.check_ready())).code is Code.STORE_UNAVAILABLE
        finally:
            local.ensure_running(other)


def _restart(other: Settings, spread: Settings) -> None:
    """Start the second Neo4j again at its former address."""
    server = local.ensure_running(other)
    assert server.uri == spread.databases["work"].uri
