"""Several processes follow one log, stopped and killed in mid page, while others write, erase and compact."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest
from neo4j import Driver

from container.images import address_of
from graph_memory import Settings, ontology_from
from integration.search.fakes import Fake, with_embedder
from integration.search.oracle import check, check_filters
from integration.search.rows import Rows
from support import Conversation, last

ROUNDS = int(os.environ.get("FOLLOWING_ROUNDS") or 3)
ONTOLOGY = ontology_from({"node_types": ["Note"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]})


class Followers:
    """Processes that follow the log of one domain."""

    def __init__(self, settings: Settings, domain: str, count: int, lease: int | None = None) -> None:
        self._settings, self._domain = settings, domain
        self._lease = {} if lease is None else {"LEASE_MILLISECONDS": str(lease)}
        self._parents: list[subprocess.Popen[bytes]] = []
        self.ids = self._begin(count)

    def _begin(self, count: int) -> list[int]:
        address = address_of(self._settings)
        server = {"NEO4J_URI": address.uri, "NEO4J_USERNAME": address.username, "NEO4J_PASSWORD": address.password}
        script = str(Path(__file__).with_name("follower_process.py"))
        parent = subprocess.Popen(
            [sys.executable, script, str(self._settings.home), self._domain, str(count)],
            stdout=subprocess.PIPE,
            env=os.environ | server | self._lease,
        )
        self._parents.append(parent)
        assert parent.stdout
        return [int(parent.stdout.readline()) for _ in range(count)]

    def send(self, number: int, signals: signal.Signals) -> None:
        os.kill(self.ids[number], signals)

    def replace(self, number: int) -> None:
        [self.ids[number]] = self._begin(1)

    def add(self) -> None:
        """Add a process."""
        self.ids += self._begin(1)

    def end(self) -> None:
        for node_id in self.ids:
            with suppress(ProcessLookupError):
                os.kill(node_id, signal.SIGKILL)
        for parent in self._parents:
            parent.communicate()


@pytest.fixture
def run_followers(talk: Conversation, settings: Settings, domain: str) -> Iterator[Followers]:
    memory = talk.memory.in_domain(domain)
    talk.portal.call(memory.create_ontology, ONTOLOGY)
    followers = Followers(settings, domain, 3)
    yield followers
    followers.end()


def write_nodes(talk: Conversation, domain: str, rng: Random, secret: str, word: str, batches: int) -> None:
    """Create, change and delete nodes, and write a node that holds a secret."""
    memory = talk.memory.in_domain(domain)
    names = [f"n{number}-{uuid4().hex[:8]}" for number in range(6)]
    living = set[str]()
    for _ in range(batches):
        operations: list[dict[str, object]] = []
        for name in names:
            text = "\n\n".join(f"Paragraph {rng.randrange(9)} says {'word ' * 60}." for _ in range(3))
            if name not in living:
                operations.append({"op": "create_node", "type": "Note", "content": text, "id": name})
            else:
                operations.append({"op": "update_node", "node_id": name, "content": text, "encoding": "utf-8"})
            living.add(name)
        rendered = {"content": f"{word} {rng.random()}", "encoding": "utf-8"}
        operations.append({"op": "update_node", "node_id": secret, **rendered})
        talk.portal.call(memory.execute_batch, operations)
    talk.portal.call(memory.delete_node, names[0])


def check_rows(talk: Conversation, driver: Driver, domain: str, rng: Random, first: int) -> None:
    """Assert that nothing is missing or there twice, at some moments from a first one on."""
    memory = with_embedder(talk.memory.in_domain(domain), Fake())
    rows = Rows(driver, memory, domain)
    covered = talk.portal.call(rows.catch_up)
    assert (covered.behind, covered.without_vectors) == (0, 0)
    assert check(talk.portal, rows, covered.seq) == covered.open > 0
    for _ in range(4):
        check(talk.portal, rows, rng.randint(first, covered.seq))
    check_filters(rows, Fake().model)


def round_of(
    talk: Conversation, driver: Driver, followers: Followers, domain: str, folder: Path, seed: int, batches: int
) -> int:
    """Stop one, kill another, and erase and compact meanwhile; return who was killed."""
    rng, word = Random(seed), secret_of(domain)
    memory = talk.memory.in_domain(domain)
    asleep, killed, awake = rng.sample(range(3), 3)
    secret = f"erased-{seed}"
    talk.portal.call(lambda: memory.create_node("Note", word, id=secret, title=word))
    begin = talk.portal.call(last, memory)
    write_nodes(talk, domain, rng, secret, word, batches)
    while talk.portal.call(memory.upkeep.index_status).seq < begin:
        time.sleep(0.05)
    followers.send(asleep, signal.SIGSTOP)
    write_nodes(talk, domain, rng, secret, word, batches)
    followers.send(killed, signal.SIGKILL)
    talk.portal.call(memory.history.erase, secret)
    end = talk.portal.call(last, memory)
    done = talk.portal.call(lambda: memory.history.compact(end - 5, archive=folder / f"{domain}-{seed}.gz"))
    followers.send(asleep, signal.SIGCONT)
    check_rows(talk, driver, domain, rng, done.compacted_to)
    for number in (asleep, awake):
        followers.send(number, signal.SIGCONT)  # it is still there
    return killed


def secret_of(domain: str) -> str:
    """Return the word that every round in a domain erases."""
    return f"secret{domain.replace('-', '')}"


def is_erased(talk: Conversation, domain: str) -> bool:
    """Return whether the word is nowhere in the database. This is slow among the domains of other tests."""
    return talk.portal.call(talk.memory.in_domain(domain).history.scan, secret_of(domain)).clean


@pytest.mark.long
def test_no_passage_is_there_twice_or_missing_and_nothing_erased_comes_back(
    talk: Conversation, driver: Driver, run_followers: Followers, domain: str, tmp_path: Path
) -> None:
    round_of(talk, driver, run_followers, domain, tmp_path, seed=1, batches=2)
    assert is_erased(talk, domain)


@pytest.mark.long
def test_nor_in_many_rounds(
    talk: Conversation, driver: Driver, run_followers: Followers, domain: str, tmp_path: Path
) -> None:
    for seed in range(ROUNDS):
        run_followers.replace(round_of(talk, driver, run_followers, domain, tmp_path, seed, batches=3 + seed))
    assert is_erased(talk, domain)


@pytest.mark.long
def test_a_process_that_was_stopped_beyond_its_lease_writes_nothing_more(
    talk: Conversation, driver: Driver, settings: Settings, domain: str
) -> None:
    memory = talk.memory.in_domain(domain)
    talk.portal.call(memory.create_ontology, ONTOLOGY)
    talk.portal.call(lambda: memory.create_node("Note", "secret", id="secret"))
    followers = Followers(settings, domain, 1, lease=1_000)
    try:
        write_nodes(talk, domain, Random(1), "secret", "word", 6)
        wait_for_lease(driver, domain, 1)
        followers.send(0, signal.SIGSTOP)
        followers.add()
        wait_for_lease(driver, domain, 2)
        write_nodes(talk, domain, Random(2), "secret", "word", 2)
        followers.send(0, signal.SIGCONT)
        end = talk.portal.call(last, memory)
        while talk.portal.call(memory.upkeep.index_status).seq < end:
            time.sleep(0.05)
        check_rows(talk, driver, domain, Random(3), 1)
    finally:
        followers.end()


def wait_for_lease(driver: Driver, domain: str, number: int) -> None:
    """Wait until the lease of a domain's index has a number."""
    statement = "MATCH (i:_Index {_domain: $domain}) WHERE i._lease = $number RETURN i"
    until = time.monotonic() + 30
    while not driver.execute_query(statement, domain=domain, number=number).records:
        assert time.monotonic() < until
        time.sleep(0.05)
