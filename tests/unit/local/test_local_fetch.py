import hashlib
import os
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from certificates import certificate
from graph_memory import maven as download
from graph_memory.jar import Jar
from graph_memory.local.jar_manifest import render
from graph_memory.local.jars.fetch import class_path, find_damaged, forget_checks, known_list
from graph_memory.model.errors import Code, GraphError
from graph_memory.settings import Settings

VERSION = "0.0.1"
CONTENT = {"alpha": b"first jar", "beta": b"second jar"}


def jar_of(name: str) -> Jar:
    content = CONTENT[name]
    return Jar("org.example", name, "1", "", hashlib.sha256(content).hexdigest(), len(content))


JARS = [jar_of(name) for name in CONTENT]


@dataclass
class Repository:
    """A Maven repository on this machine that may give other answers than it should."""

    url: str = ""
    requests: list[str] = field(default_factory=list)
    answer: Callable[[str], tuple[int, bytes]] = lambda name: (200, CONTENT[name])


class Handler(BaseHTTPRequestHandler):
    def __init__(self, repository: Repository, *args) -> None:
        self.repository = repository
        super().__init__(*args)

    def do_GET(self) -> None:
        self.repository.requests.append(self.path)
        status, body = self.repository.answer(self.path.split("/")[-3])
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args) -> None:
        pass


@contextmanager
def serve(repository: Repository, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, repository)) as server:
        if tls is not None:
            # each handshake in a thread of its own: clients take turns, and the first may wait for the second
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture
def repository(monkeypatch) -> Iterator[Repository]:
    repository = Repository()
    with serve(repository) as port:
        repository.url = f"http://127.0.0.1:{port}"
        monkeypatch.setattr("jgo.constants.MAVEN_CENTRAL_URL", repository.url)
        yield repository


@pytest.fixture
def authority(monkeypatch, tmp_path) -> Iterator[Path]:
    """A repository whose certificate is of an authority that nobody knows, and the file of this authority."""
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    file = certificate(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(file)
    with serve(Repository(), tls) as port:
        monkeypatch.setattr("jgo.constants.MAVEN_CENTRAL_URL", f"https://127.0.0.1:{port}")
        yield file


@pytest.fixture
def settings(tmp_path, monkeypatch) -> Settings:
    monkeypatch.setenv("M2_REPO", str(tmp_path / "m2"))
    monkeypatch.setattr(download, "FIRST_PAUSE", 0.001)
    lists = tmp_path / "cache" / "jars"
    lists.mkdir(parents=True)
    (lists / f"{VERSION}.txt").write_text(render(JARS))
    return Settings(home=tmp_path / "home", cache=tmp_path / "cache", neo4j_version=VERSION)


def contents(paths: list[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths]


@pytest.mark.parametrize("text", ["", "[]", "1", '{"a": 1}', '{"a": ["1"]}', "[" * 100_000, "\x00"])
def test_a_stamp_that_cannot_be_read_has_every_jar_read_again(settings, repository, text):
    jars = class_path(settings)
    stamp = settings.cache / "jars" / f"{VERSION}.checked.json"
    assert stamp.is_file()
    stamp.write_text(text)
    assert class_path(settings) == jars


@pytest.mark.parametrize("text", ["", "one word", "a:b:1 sum size", "a 0 1", "a:b:1 sum 1 more"])
def test_a_cached_list_that_cannot_be_read_is_none(settings, text):
    (settings.cache / "jars" / f"{VERSION}.txt").write_text(text)
    assert known_list(settings) is None


def test_missing_jars_are_fetched_in_class_path_order(settings, repository):
    assert contents(class_path(settings)) == list(CONTENT.values())
    assert len(repository.requests) == 2


def test_jars_in_the_cache_are_not_fetched_again(settings, repository):
    first = class_path(settings)
    repository.requests.clear()
    assert class_path(settings) == first
    assert repository.requests == []


def test_a_changed_jar_is_noticed_and_fetched_again(settings, repository):
    path = class_path(settings)[1]
    path.write_bytes(b"damaged")
    assert contents(class_path(settings)) == list(CONTENT.values())


def test_a_jar_changed_without_trace_is_found_by_reading_it(settings, repository):
    path = class_path(settings)[0]
    stat = path.stat()
    path.write_bytes(b"x" * stat.st_size)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert find_damaged(settings, JARS) == ([], [JARS[0]])
    forget_checks(settings)
    assert contents(class_path(settings)) == list(CONTENT.values())


def test_a_touched_but_sound_jar_is_not_fetched_again(settings, repository):
    path = class_path(settings)[0]
    os.utime(path, (1, 1))
    repository.requests.clear()
    class_path(settings)
    assert repository.requests == []


def test_a_jar_with_the_wrong_checksum_is_never_put_in_the_cache(settings, repository):
    repository.answer = lambda name: (200, b"something else")
    with pytest.raises(GraphError) as caught:
        class_path(settings)
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert len(find_damaged(settings, JARS)[0]) == 2


def test_passing_failures_are_tried_again(settings, repository):
    answers = iter([(503, b""), (500, b""), (429, b"")])
    repository.answer = lambda name: next(answers, (200, CONTENT[name]))
    assert contents(class_path(settings)) == list(CONTENT.values())


def test_a_jar_that_does_not_exist_is_asked_for_once(settings, repository):
    repository.answer = lambda name: (404, b"") if name == "alpha" else (200, CONTENT[name])
    with pytest.raises(GraphError):
        class_path(settings)
    assert len([path for path in repository.requests if "alpha" in path]) == 1


def test_an_interrupted_fetch_keeps_what_it_had(settings, repository):
    repository.answer = lambda name: (404, b"") if name == "beta" else (200, CONTENT[name])
    with pytest.raises(GraphError):
        class_path(settings)
    repository.requests.clear()
    repository.answer = lambda name: (200, CONTENT[name])
    class_path(settings)
    assert [path.split("/")[-3] for path in repository.requests] == ["beta"]


def test_without_network_and_cache_the_error_says_what_to_do(settings, monkeypatch):
    monkeypatch.setattr("jgo.constants.MAVEN_CENTRAL_URL", "http://127.0.0.1:9")
    with pytest.raises(GraphError) as caught:
        class_path(settings)
    assert caught.value.code is Code.STORE_UNAVAILABLE
    assert "NEO4J_URI" in (caught.value.hint or "")


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_an_authority_of_the_system_or_of_the_environment_is_trusted(settings, authority, monkeypatch, variable):
    monkeypatch.setenv(variable, str(authority))
    assert contents(class_path(settings)) == list(CONTENT.values())


def test_an_authority_that_nobody_knows_is_refused_with_what_to_do(settings, authority):
    with pytest.raises(GraphError, match="REQUESTS_CA_BUNDLE") as caught:
        class_path(settings)
    assert caught.value.code is Code.STORE_UNAVAILABLE


def test_jars_of_the_local_maven_repository_are_copied(settings, tmp_path, monkeypatch):
    monkeypatch.setattr("jgo.constants.MAVEN_CENTRAL_URL", "http://127.0.0.1:9")
    for jar in JARS:
        path = tmp_path / "m2" / jar.path
        path.parent.mkdir(parents=True)
        path.write_bytes(CONTENT[jar.artifact])
    assert contents(class_path(settings)) == list(CONTENT.values())


def test_a_wrong_jar_of_the_local_maven_repository_is_not_used(settings, tmp_path, repository):
    path = tmp_path / "m2" / JARS[0].path
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not it")
    assert contents(class_path(settings)) == list(CONTENT.values())


def test_progress_ends_at_one(settings, repository):
    values: list[float | None] = []
    class_path(settings, lambda stage, done: values.append(done))
    assert values[0] == 0.0
    assert values[-1] == 1.0


def test_the_list_of_another_version_is_read_from_the_cache(settings):
    assert known_list(settings) == tuple(JARS)
    assert known_list(settings.model_copy(update={"neo4j_version": "0.0.2"})) is None
