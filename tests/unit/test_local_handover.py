import time
from collections.abc import Iterator
from threading import Event

import pytest
import requests

from graph_memory.local import hand_over, has_display


@pytest.fixture
def answers() -> list[requests.Response]:
    return []


@pytest.fixture
def connection() -> Iterator[requests.Session]:
    with requests.Session() as connection:
        connection.trust_env = False
        yield connection


def test_whoever_is_told_the_page_is_led_on(answers, connection):
    assert hand_over(
        "http://localhost/#secret",
        lambda page: answers.append(connection.get(page, allow_redirects=False)),
        5,
    )
    assert [answer.headers["Location"] for answer in answers] == ["http://localhost/#secret"]


def test_nobody_who_guesses_is_led_on(answers, connection):
    def guess(page: str) -> None:
        answers.append(connection.get(page + "x", allow_redirects=False))

    assert not hand_over("http://localhost/#secret", guess, 0.5)
    assert [answer.status_code for answer in answers] == [404]
    assert "secret" not in answers[0].text + str(answers[0].headers)


def test_only_one_visitor_is_led_on(answers, connection):
    done = Event()

    def visit(page: str) -> None:
        for _ in range(2):
            try:
                answers.append(connection.get(page, allow_redirects=False, timeout=1))
            except requests.ConnectionError:
                break
        done.set()

    assert hand_over("http://localhost/#secret", visit, 5)
    assert done.wait(5)
    assert sum(answer.status_code == 303 for answer in answers) == 1


def test_a_page_that_nobody_visits_is_given_up():
    assert not hand_over("http://localhost/#secret", lambda page: None, 0.2)


def test_a_page_that_cannot_be_opened_is_given_up_at_once():
    began = time.monotonic()
    assert not hand_over("http://localhost/#secret", lambda page: False, 60)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("name", "value"), [("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "wayland-0"), ("BROWSER", "firefox")]
)
def test_a_display_is_known_by_what_names_it(monkeypatch, name, value):
    monkeypatch.setattr("sys.platform", "linux")
    for one in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(one, raising=False)
    assert not has_display()
    monkeypatch.setenv(name, value)
    assert has_display()
