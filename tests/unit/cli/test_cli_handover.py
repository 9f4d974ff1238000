import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from threading import Event
from urllib.parse import urlsplit

import pytest
import requests

from graph_memory.cli.input.browser_login import hand_over, has_display, stdout_on_stderr, user_of

PAGE = "http://localhost:7474/browser/"
ORIGIN = "http://localhost:7474"
LOGIN = {"username": "neo4j", "password": "hush"}
LONG = 60.0

TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1D32 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1163 1 00000000953d8c9c 100 0
   1: 0100007F:9C40 0100007F:C350 01 00000000:00000000 03:00000F7E 00000000  1001        0 1164 3 00000000b2eba4fd
   2: 0100007F:C350 0100007F:9C40 01 00000000:00000000 03:000012AF 00000000  1000        0 1165 3 00000000a1675f0a
"""
TABLE_OF_IPV6 = """\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr  uid
   0: 0000000000000000FFFF00000100007F:9C41 0000000000000000FFFF00000100007F:C350 01 00000000:00000000 00:00000000 00000000  1002        0 1166 1
"""  # noqa: E501 - as the kernel writes it

little_endian = pytest.mark.skipif(sys.byteorder != "little", reason="the kernel writes addresses in its own order")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose a connection is")


class Visitor:
    """A visitor who knows the address that the web browser opened."""

    def __init__(self) -> None:
        self.answers: list[requests.Response] = []
        self.connection = requests.Session()
        self.connection.trust_env = False

    def ask(self, address: str, origin: str | None = ORIGIN) -> None:
        answer = self.connection.get(where(address), headers={"Origin": origin} if origin else {}, timeout=LONG)
        self.answers.append(answer)

    @property
    def codes(self) -> list[int]:
        return [answer.status_code for answer in self.answers]


def result_of_handing_over(visit: Callable[[str], bool | None]) -> bool:
    """Return the result of `hand_over` once the visit has ended too: a visitor may read the answer after that."""
    ended = Event()

    def visit_and_end(address: str) -> bool | None:
        try:
            return visit(address)
        finally:
            ended.set()

    result = hand_over(PAGE, LOGIN, visit_and_end, LONG)
    assert ended.wait(LONG)
    return result


def where(address: str) -> str:
    return f"http://127.0.0.1:{urlsplit(address).fragment.removeprefix('login=')}"


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    visitor = Visitor()
    with visitor.connection:
        yield visitor


def test_the_page_is_given_the_login_and_its_address_has_nothing_of_it(visitor):
    addresses: list[str] = []

    def visit(address: str) -> None:
        addresses.append(address)
        visitor.ask(address)

    assert result_of_handing_over(visit)
    [answer] = visitor.answers
    assert answer.json() == LOGIN
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert answer.headers["Cache-Control"] == "no-store"
    assert addresses[0].startswith(f"{PAGE}#login=")
    assert "hush" not in addresses[0]


def test_nobody_who_guesses_or_comes_from_another_page_is_answered_nor_keeps_the_page_from_it(visitor):
    def visit(address: str) -> None:
        visitor.ask(address + "x")
        for origin in (None, "null", "http://localhost:7475", "https://example.org"):
            visitor.ask(address, origin)
        visitor.ask(address)

    assert result_of_handing_over(visit)
    assert visitor.codes == [404, 404, 404, 404, 404, 200]
    assert not any("hush" in answer.text + str(answer.headers) for answer in visitor.answers[:-1])


def test_only_one_visitor_is_answered(visitor):
    def visit(address: str) -> None:
        for _ in range(2):
            try:
                visitor.ask(address)
            except requests.ConnectionError:
                break

    assert result_of_handing_over(visit)
    assert visitor.codes.count(200) == 1


@on_linux
def test_another_user_is_refused_and_the_page_still_waited_for(visitor, monkeypatch):
    real = os.getuid()

    def visit(address: str) -> None:
        monkeypatch.setattr(os, "getuid", lambda: real + 1)
        visitor.ask(address)
        monkeypatch.setattr(os, "getuid", lambda: real)
        visitor.ask(address)

    assert result_of_handing_over(visit)
    assert visitor.codes == [404, 200]


@on_linux
def test_another_user_is_refused_who_comes_by_an_ipv6_socket(monkeypatch):
    real, codes = os.getuid(), list[int]()
    monkeypatch.setattr(os, "getuid", lambda: real + 1)

    def visit(address: str) -> bool:
        url = urlsplit(where(address))
        connection = HTTPConnection("127.0.0.1", url.port or 0, timeout=LONG)
        connection.sock = by_ipv6(url.port or 0)
        connection.request("GET", url.path, headers={"Origin": ORIGIN})
        codes.append(connection.getresponse().status)
        connection.close()
        return False

    assert not result_of_handing_over(visit)
    assert codes == [404]


def by_ipv6(port: int) -> socket.socket:
    try:
        connection = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    except OSError:
        pytest.skip("no IPv6 here")
    connection.connect(("::ffff:127.0.0.1", port))
    return connection


def test_a_page_that_nobody_visits_is_given_up():
    assert not hand_over(PAGE, LOGIN, lambda address: None, 0.2)


def test_a_page_that_cannot_be_opened_is_given_up_at_once():
    began = time.monotonic()
    assert not hand_over(PAGE, LOGIN, lambda address: False, 2 * LONG)
    assert time.monotonic() - began < LONG


@little_endian
def test_the_user_of_a_connection_is_that_of_its_end():
    browser, server, sixth = ("127.0.0.1", 40_000), ("127.0.0.1", 50_000), ("127.0.0.1", 40_001)
    tables = [TABLE, TABLE_OF_IPV6]
    assert user_of(browser, server, tables) == 1001
    assert user_of(server, browser, tables) == 1000
    assert user_of(sixth, server, tables) == 1002
    assert user_of(sixth, server, [TABLE]) is None
    assert user_of(browser, ("127.0.0.2", 50_000), tables) is None
    assert user_of(browser, server, []) is None


def test_what_a_started_program_writes_on_stdout_comes_on_stderr(capfd):
    with stdout_on_stderr():
        subprocess.run([sys.executable, "-c", "print('chatter')"], check=True)
    subprocess.run([sys.executable, "-c", "print('result')"], check=True)
    written = capfd.readouterr()
    assert (written.out.split(), written.err.split()) == (["result"], ["chatter"])


@pytest.mark.parametrize(
    ("name", "value"), [("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "wayland-0"), ("BROWSER", "firefox")]
)
def test_a_display_is_known_by_what_names_it(monkeypatch, name, value):
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert not has_display()
    monkeypatch.setenv(name, value)
    assert has_display()
