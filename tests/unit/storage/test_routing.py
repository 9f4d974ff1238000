"""Which database a statement runs in, and what is refused, without a Neo4j."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeVar, cast
from unittest.mock import AsyncMock

import anyio
import pytest
from neo4j import AsyncTransaction
from pydantic import TypeAdapter, ValidationError

from graph_memory import Code, GraphError, Settings
from graph_memory.app import _find_server
from graph_memory.cli.commands.backup import _local_settings
from graph_memory.cli.session import read_settings
from graph_memory.memory.cypher import query
from graph_memory.memory.links.links import LinkRow, list_links
from graph_memory.memory.transfer.archive.importing import _ImportStages
from graph_memory.model.databases import HOME, DatabaseSetting, Placement
from graph_memory.model.rights import Caller, Grant, Principal, Right, run_as
from graph_memory.model.subjects.links import LinkState
from graph_memory.model.subjects.subjects import DomainState
from graph_memory.progress import log_progress
from graph_memory.storage.ad_hoc import AdHocRows
from graph_memory.storage.connecting import Limits
from graph_memory.storage.databases import NAMES
from graph_memory.storage.open_transaction import OpenTransaction, TransactionStore
from graph_memory.storage.queries import Query, assemble, cypher_root
from graph_memory.storage.routing import (
    BEGIN_DOMAIN,
    DOMAIN_LIST_STATEMENTS,
    HOME_STATEMENTS,
    STATEMENTS_OF_ALL,
    TOLERANT,
    RoutedStore,
    open_routed_store,
)
from graph_memory.storage.schema import STORE_ID
from graph_memory.storage.statement_rights import DOMAIN_PARAMS, Check
from graph_memory.storage.store import Store, Transaction

R = TypeVar("R")
T = TypeVar("T")

pytestmark = pytest.mark.anyio

WORK = DatabaseSetting(domains=("team-*", "shared"), uri="bolt://work", password_env="WORK_PASSWORD")
PLAY = DatabaseSetting(domains=("team-play", "play-*"), uri="bolt://play", password_env="PLAY_PASSWORD")
PLACEMENT = Placement.of({"work": WORK, "play": PLAY})
NOW = datetime(2026, 11, 29, tzinfo=UTC)
STATEMENTS = [
    assemble([path.relative_to(cypher_root()).with_suffix("").as_posix()])
    for path in sorted(cypher_root().rglob("*.cypher"))
    if path.parent.name != "schema"
]
OF_OWN_DATABASE = {
    *("domains/branches", "log/domain_names", "entities/compared_since"),
    *("search/frequencies", "search/passage_context", "search/passages", "search/create_names"),
}
"""Statements without a domain that the code sends to `Store.of` a domain, or runs later in a transaction."""


def statement(name: str) -> Query[Any]:
    return assemble([name])


class FakeTransaction(Transaction):
    """A transaction that records its statements."""

    def __init__(self, store: FakeStore) -> None:
        self._store = store

    async def run(self, query: Query[R], **params: object) -> list[R]:
        self._store.check(query, params)
        self._store.sent.append(query.name)
        return cast("list[R]", list(self._store.rows))


class FakeStore(Store):
    """A store that records its statements, and has the given domains."""

    def __init__(self, name: str, check: Check, domains: list[str]) -> None:
        self.name, self.check, self.domains = name, check, domains
        self.sent: list[str] = []
        self.committed: list[str] = []
        self.failure: GraphError | None = None
        self.rows: list[Any] = []
        self.before_answer: Callable[[], Awaitable[object]] | None = None
        self._limits = Limits()
        self._sessions = 0

    async def read_within(self, seconds: float, query: Query[R], **params: object) -> list[R]:
        del seconds
        self.check(query, params)
        if self.failure is not None:
            raise self.failure
        if query.name == STORE_ID.name:
            return cast("list[R]", [self.name])
        if query.name == NAMES.name:
            return cast("list[R]", list(self.domains))
        self.sent.append(query.name)
        if self.before_answer is not None:
            await self.before_answer()
        if query.name == "log/below":
            return cast("list[R]", [name for name in cast("list[str]", params["domains"]) if name in self.domains])
        return cast("list[R]", list(self.rows))

    async def write(
        self,
        name: str,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        limit: float | None = None,
        in_doubt: bool = False,
    ) -> T:
        del limit, in_doubt
        outcome = await work(FakeTransaction(self))
        self.committed.append(name)
        return outcome

    async def server_version(self) -> str:
        if self.failure is not None:
            raise self.failure
        return "2026.08.1"


class Servers:
    """The fake servers by name, and the domains that they have from the beginning."""

    def __init__(self, **domains: list[str]) -> None:
        self.domains = domains
        self.stores: dict[str, FakeStore] = {}
        self.down: set[str] = set()
        self.same: set[str] = set()

    @asynccontextmanager
    async def open(self, name: str, check: Check) -> AsyncGenerator[Store]:
        if name in self.down:
            raise GraphError(Code.STORE_UNAVAILABLE, "Neo4j cannot be reached")
        identity = HOME if name in self.same else name
        self.stores[name] = FakeStore(identity, check, self.domains.get(name, []))
        yield self.stores[name]

    @asynccontextmanager
    async def open_all(self) -> AsyncGenerator[RoutedStore]:
        async with open_routed_store(["work", "play"], PLACEMENT, self.open, Limits()) as store:
            yield store


async def error_of(call: Awaitable[object]) -> GraphError:
    with pytest.raises(GraphError) as caught:
        await call
    return caught.value


@pytest.mark.parametrize(
    ("domain", "database"),
    [
        ("team-a", "work"),
        ("team-play", "work"),
        ("play-1", "play"),
        ("shared", "work"),
        ("shared-2", HOME),
        ("x", HOME),
    ],
)
def test_the_first_pattern_that_matches_decides(domain: str, database: str):
    assert PLACEMENT.database_of(domain) == database


def test_every_statement_has_a_database():
    without = {row.name for row in STATEMENTS if row.params.isdisjoint(DOMAIN_PARAMS)}
    known = {name for name in without if name.startswith(HOME_STATEMENTS)} | STATEMENTS_OF_ALL | OF_OWN_DATABASE
    assert {name for name in without if not name.startswith("transfer/foreign")} == known
    assert {row.name for row in STATEMENTS if "domains" in row.params} == DOMAIN_LIST_STATEMENTS
    assert {*TOLERANT} <= STATEMENTS_OF_ALL | DOMAIN_LIST_STATEMENTS
    assert [row.name for row in STATEMENTS if "MERGE (d:_Domain" in row.text or "CREATE (d:_Domain" in row.text] == [
        BEGIN_DOMAIN
    ]


async def test_a_statement_runs_in_the_database_of_its_domain():
    servers = Servers()
    async with servers.open_all() as store:
        await store.read(statement("domains/info"), domain="team-a")
        await store.read(statement("keys/list"))
        await store.read(statement("log/below"), domains=["x", "team-a"])
        await store.read(statement("domains/list"), after="", limit=5)
    sent = {name: fake.sent for name, fake in servers.stores.items()}
    assert sent == {
        "work": ["domains/info", "log/below", "domains/list"],
        "play": ["domains/list"],
        HOME: ["keys/list", "log/below", "domains/list"],
    }


async def test_a_statement_of_two_databases_or_of_an_unknown_one_is_refused():
    servers = Servers()
    async with servers.open_all() as store:
        error = await error_of(store.read(statement("branches/versions"), domain="x", base="x", source="team-a"))
        assert error.code is Code.DIFFERENT_DATABASES
        assert error.details["databases"] == {HOME: ["x"], "work": ["team-a"]}
        with pytest.raises(GraphError) as caught:
            store.require_one_database("x", "play-1")
        assert caught.value.code is Code.DIFFERENT_DATABASES
        assert (await error_of(store.read(statement("search/passages"), ids=[]))).code is Code.INTERNAL
        assert (await error_of(store.of("x").read(statement("domains/info"), domain="team-a"))).code is (
            Code.DIFFERENT_DATABASES
        )


async def test_a_transaction_runs_in_the_database_of_its_first_statement_and_not_in_a_second():
    servers = Servers()

    async def link(transaction: Transaction) -> None:
        await transaction.run(statement("log/lock"), domain="team-a", batch="")
        await transaction.run(statement("links/title"), domain="x", id="mem_1")

    async def lock(transaction: Transaction) -> None:
        await transaction.run(statement("log/lock"), domain="team-a", batch="")

    async with servers.open_all() as store:
        error = await error_of(store.write("link", link))
        await store.write("lock", lock)
    assert error.code is Code.DIFFERENT_DATABASES
    assert "x is in database home" in error.message
    assert servers.stores["work"].committed == ["lock"]
    assert not servers.stores[HOME].committed


async def begin(store: RoutedStore, domain: str) -> None:
    async def work(transaction: Transaction) -> None:
        await transaction.run(statement(BEGIN_DOMAIN), domain=domain, at=None)

    await store.write("create_domain", work)


async def test_a_domain_that_another_database_has_is_told_and_not_created_there():
    servers = Servers(play=["team-b"], home=["play-old"])
    async with servers.open_all() as store:
        for domain, actual, expected in (("team-b", "play", "work"), ("play-old", HOME, "play")):
            for call in (store.read(statement("domains/info"), domain=domain), begin(store, domain)):
                error = await error_of(call)
                assert error.code is Code.STORE_CONFLICT
                assert error.details["database"] == actual
                assert error.details["expected"] == {domain: expected}
        servers.stores["play"].domains.append("team-c")  # by a process with other settings
        assert (await error_of(begin(store, "team-c"))).code is Code.STORE_CONFLICT
        servers.stores["play"].domains.remove("team-c")
        await begin(store, "team-c")
    assert servers.stores["work"].committed == ["create_domain"]


async def test_new_domains_need_all_databases_and_existing_ones_only_theirs():
    servers = Servers(work=["team-a"])
    servers.down = {"play"}
    async with servers.open_all() as store:
        await begin(store, "team-a")
        error = await error_of(begin(store, "team-new"))
        assert error.code is Code.STORE_UNAVAILABLE
        assert error.details["database"] == "play"
        await store.read(statement("domains/list"), after="", limit=5)
        assert store.unavailable == ["play"]
        assert (await error_of(store.read(statement("retention/scan_nodes"), texts=["a"], limit=1))).code is (
            Code.STORE_UNAVAILABLE
        )
        servers.down.clear()
        for code, database in ((Code.STORE_UNAVAILABLE, "work"), (Code.TIMEOUT, "work"), (Code.INTERNAL, None)):
            servers.stores["work"].failure = GraphError(code, "lost", path="/run/secret")
            error = await error_of(store.read(statement("domains/info"), domain="team-a"))
            assert (error.code, error.details.get("database"), error.path) == (code, database, "/run/secret")
            assert database is None or "before you repeat its change" in str(error)


async def test_databases_are_read_concurrently_in_a_fixed_order_and_fail_with_a_plain_error():
    servers, waiting, all_wait = Servers(), set[str](), anyio.Event()
    scan = {"texts": ["a"], "limit": 1}

    async def wait_for_others(name: str) -> None:
        waiting.add(name)
        if len(waiting) == len(servers.stores):
            all_wait.set()
        await all_wait.wait()

    async with servers.open_all() as store:
        for name, fake in servers.stores.items():
            fake.rows, fake.before_answer = [name], partial(wait_for_others, name)
        with anyio.fail_after(5):
            assert await store.read(statement("retention/scan_nodes"), **scan) == [HOME, "work", "play"]
        servers.stores["play"].failure = GraphError(Code.TIMEOUT, "slow")
        assert (await error_of(store.read(statement("retention/scan_nodes"), **scan))).code is Code.TIMEOUT


async def test_statements_of_all_databases_read_the_others_inside_a_transaction_too():
    servers = Servers()
    async with servers.open_all() as store:
        for number, (name, fake) in enumerate(sorted(servers.stores.items())):
            fake.rows = [SimpleNamespace(name=f"{number}-{name}")]
        open_transaction = OpenTransaction(cast("AsyncTransaction", None), 60.0, store.of("team-a").check)
        open_transaction.run = FakeTransaction(servers.stores["work"]).run
        inside = TransactionStore(store, open_transaction, "team-a")
        rows = await inside.read(statement("domains/list"), after="", limit=2)
        assert [row.name for row in rows] == ["0-home", "1-play"]
        assert inside.other_databases("team-a") == [HOME, "play"]
        servers.stores["play"].failure = GraphError(Code.STORE_UNAVAILABLE, "lost")
        assert (await error_of(inside.require_all())).code is Code.STORE_UNAVAILABLE
    assert servers.stores["work"].sent == ["domains/list"]


async def test_a_domain_in_a_wrong_database_hinders_lists_of_domains_only_while_it_is_there():
    servers = Servers(play=["team-b"])
    domains = ["team-a", "team-b", "x"]
    behind = {"word_rules_version": 1, "earlier": None}
    async with servers.open_all() as store:
        assert (await error_of(store.read(statement("history/positions"), domains=domains))).code is Code.STORE_CONFLICT
        await store.read(statement("search/behind"), domains=domains, **behind)
        servers.stores["play"].domains.clear()  # by another process
        await store.read(statement("history/positions"), domains=domains)
    assert servers.stores["work"].sent == ["search/behind", "history/positions"]


async def test_a_caller_learns_nothing_about_the_database_of_a_domain_without_rights():
    servers = Servers(work=["team-a"])
    async with servers.open_all() as store:
        with run_as(Caller(Principal("reader", (Grant("x", Right.ADMIN), Grant("play-*", Right.ADMIN))))):
            errors: list[GraphError] = []
            for domain in ("team-a", "missing"):  # in another database, and in the same one
                versions = {"domain": "x", "base": "x", "source": domain}
                errors.append(await error_of(store.read(statement("branches/versions"), **versions)))
                with pytest.raises(GraphError) as caught:
                    store.require_one_database("x", domain)
                errors.append(caught.value)
            assert len({str(error.to_dict()) for error in errors}) == 1
            assert errors[0].code is Code.INSUFFICIENT_RIGHTS
            with pytest.raises(GraphError, match="different databases"):
                store.require_one_database("x", "play-1")


async def test_an_imported_link_or_branch_tells_in_which_other_database_its_other_domain_is():
    servers = Servers()
    state = LinkState(
        target_domain="team-a", target="n2", type="reference", strength=1.0, bidirectional=False, created=NOW
    )
    ends: dict[str, Any] = {
        "source": "n1",
        "source_title": "One",
        "target": "n2",
        "target_title": None,
        "has_domain": False,
    }
    link = LinkRow(key="x/l", id="l", domain="x", is_out=True, last=None, stored=state.state(), **ends)
    header = SimpleNamespace(state=DomainState(created=NOW, forked_from="team-a", forked_at=3, begins_at=1))
    async with servers.open_all() as store:
        log = SimpleNamespace(require_ontology=lambda _: store.server_version())
        core: Any = SimpleNamespace(store=store, log=log)
        servers.stores[HOME].rows = [link]
        [listed] = (await list_links(core, "x", None, "both", None, None)).links
        parts: list[Any] = [SimpleNamespace(domain="x"), header, None]
        domain_state, warning = await _ImportStages(core, *parts, log_progress)._final_state()
    assert listed.dangling == "The domains are in different databases: [team-a] in work, [x] in home"
    assert domain_state.forked_from is None
    assert listed.dangling in str(warning)


async def test_the_home_database_is_needed_and_two_databases_may_not_be_the_same():
    servers = Servers()
    servers.down = {HOME}
    with pytest.raises(GraphError, match="cannot be reached"):
        async with servers.open_all():
            pass
    servers = Servers()
    servers.same = {"play"}
    with pytest.raises(GraphError, match="the same database"):
        async with servers.open_all():
            pass


async def test_a_cypher_statement_warns_about_the_databases_that_it_does_not_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(query, "read_ad_hoc", AsyncMock(return_value=AdHocRows(["n"], [[1]], has_more=False)))
    async with Servers().open_all() as store:
        rows = await query.query_cypher(cast("Any", SimpleNamespace(store=store)), "x", "RETURN 1 AS n", {}, 1, 100)
    [warning] = rows.warnings or ()
    assert "domains in databases [work, play] are missing" in warning
    assert "as the default domain" in warning


def test_a_backup_of_several_databases_names_them_and_the_next_step(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NEO4J_URI", raising=False)
    monkeypatch.setenv("GRAPH_MEMORY_DATABASES", TypeAdapter(dict[str, object]).dump_json({"work": ENTRY}).decode())
    with pytest.raises(GraphError, match=r"names \[work\]") as caught:
        _local_settings()
    assert "graph-memory export" in str(caught.value.hint)
    monkeypatch.setenv("GRAPH_MEMORY_DATABASES", "{}")  # as the hint says
    assert not _local_settings().databases


ENTRY = {"domains": ["team-*"], "uri": "bolt://db:7687", "password_env": "WORK_PASSWORD"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"password": "hunter2"}, "password_file"),
        ({"uri": "bolt://neo4j:hunter2@db"}, "uri with a user name"),
        ({"uri": "https://db"}, "a uri that starts"),
        ({"password_file": "/run/hunter2"}, "either password_file or password_env"),
        ({"password_env": None}, "either password_file or password_env"),
        ({"domains": []}, "a list with an entry"),
        ({"domains": ["hunter2 "]}, 'an invalid domain pattern in "domains"'),
        ({"user": "hunter2"}, 'the unknown key "user"'),
    ],
)
def test_an_invalid_entry_is_told_without_its_secrets(
    change: dict[str, object], problem: str, monkeypatch: pytest.MonkeyPatch
):
    text = TypeAdapter(dict[str, object]).dump_json({"work": ENTRY | change}).decode()
    monkeypatch.setenv("GRAPH_MEMORY_DATABASES", text)
    with pytest.raises(GraphError) as setting_error:
        read_settings()
    with pytest.raises(ValidationError) as settings_error:
        Settings()
    assert setting_error.value.message.startswith('Database "work" in GRAPH_MEMORY_DATABASES ')
    assert problem in setting_error.value.message
    assert "hunter2" not in f"{setting_error.value} {settings_error.value}"


def test_a_setting_that_is_not_json_is_told_without_its_value(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GRAPH_MEMORY_DATABASES", "{hunter2")
    with pytest.raises(GraphError) as caught:
        read_settings()
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert "GRAPH_MEMORY_DATABASES" in caught.value.message
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("name", [HOME, "", "a b", "1st"])
def test_a_database_needs_a_name_of_its_own(name: str):
    with pytest.raises(ValidationError, match="needs database names"):
        Settings(databases={name: DatabaseSetting.model_validate(ENTRY)})


async def test_a_password_comes_from_a_variable_or_a_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "password"
    by_file = DatabaseSetting.model_validate({**ENTRY, "password_env": None, "password_file": str(file)})
    settings = Settings(databases={"work": DatabaseSetting.model_validate(ENTRY), "play": by_file})
    for name, problem in (("work", "WORK_PASSWORD is empty"), ("play", "cannot be read")):
        error = await error_of(_find_server(settings, log_progress, name))
        assert error.code is Code.STORE_UNAVAILABLE
        assert problem in error.message
        assert str(file) not in str(error)
    monkeypatch.setenv("WORK_PASSWORD", "first")
    file.write_text("second\n", encoding="utf-8")
    assert [(await _find_server(settings, log_progress, name)).password for name in ("work", "play")] == [
        "first",
        "second",
    ]
    assert "first" not in repr(await _find_server(settings, log_progress, "work"))
