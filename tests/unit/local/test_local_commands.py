import json
import socket
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from graph_memory import local
from graph_memory.cli.commands.doctor import doctor
from graph_memory.cli.commands.neo4j import app as neo4j
from graph_memory.local.home.home import HomeFolder, Run
from graph_memory.local.home.lock import file_lock
from graph_memory.local.jar_manifest import committed_list
from graph_memory.model.errors import Code, GraphError
from graph_memory.settings import Settings
from model_server import Fault, model_server

doctor_app = typer.Typer()
doctor_app.command()(doctor)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("GRAPH_MEMORY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GRAPH_MEMORY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "home"


def call(app: typer.Typer, *arguments: str):
    return CliRunner().invoke(app, list(arguments))


def checks(*arguments: str) -> dict[str, dict[str, str]]:
    result = call(doctor_app, "--json", *arguments)
    answer = json.loads(result.stdout)
    assert answer["ok"] == (result.exit_code == 0)
    return {check["name"]: check for check in answer["checks"]}


def test_a_neo4j_that_was_never_started_is_stopped():
    result = call(neo4j, "status", "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["state"] == "stopped"


def test_stop_names_what_still_runs_in_the_background(monkeypatch):
    assert "cache" not in call(neo4j, "stop").output
    monkeypatch.setattr(local, "fast_start", lambda _: local.FastStart(ready=False, reason=local.BEING_CREATED))
    assert "a cache is still being created in the background" in call(neo4j, "stop").output


def test_looking_and_stopping_make_no_folder(home):
    call(neo4j, "status")
    assert "not running" in call(neo4j, "stop").stdout
    call(doctor_app)
    assert not home.exists()


def test_a_stale_run_file_does_not_pass_for_a_running_neo4j(home):
    place = HomeFolder.of(Settings())
    place.make_folders()
    Run(7687, 7474, "1", pid=1, created=1.0, ready=True).save(place)
    assert local.status(Settings()).state is local.State.STOPPED
    assert local.stop(Settings()) is False


def test_the_log_is_printed_from_its_end(home):
    place = HomeFolder.of(Settings())
    place.make_folders()
    place.console_log.write_text("one\ntwo\nthree\n")
    assert call(neo4j, "logs", "--lines", "2").stdout == "two\nthree\n"
    assert call(neo4j, "logs", "--path").stdout.strip() == str(place.console_log)


def test_the_way_into_a_stopped_neo4j_is_an_error_with_a_remedy():
    error = call(neo4j, "browser", "--no-open").exception
    assert isinstance(error, GraphError)
    assert error.code is Code.STORE_UNAVAILABLE
    assert error.hint


def test_the_cypher_shell_line_of_a_named_server_leaves_the_password_to_the_environment(monkeypatch):
    monkeypatch.setenv("NEO4J_URI", "neo4j+s://db.example.org")
    monkeypatch.setenv("NEO4J_USERNAME", "anna b")
    monkeypatch.setenv("NEO4J_PASSWORD", "hush")
    monkeypatch.setenv("NEO4J_DATABASE", "memory")
    result = json.loads(call(neo4j, "browser", "--no-open", "--json").stdout)
    assert result["cypher_shell"] == "cypher-shell -a neo4j+s://db.example.org -u 'anna b' -d memory"
    assert "hush" not in json.dumps(result)


def test_the_browser_of_a_named_server_is_not_ours_to_open(monkeypatch, home):
    monkeypatch.setenv("NEO4J_URI", "neo4j+s://db.example.org")
    error = call(neo4j, "browser").exception
    assert isinstance(error, GraphError)
    assert error.code is Code.INVALID_ARGUMENT
    assert "http://db.example.org:7474/browser/" in (error.hint or "")
    assert not home.exists()


def test_the_doctor_finds_an_empty_machine_in_order():
    results = checks()
    assert results["java"]["outcome"] == "ok"
    assert results["jars"]["outcome"] == "note"
    assert {"python", "graph-memory", "neo4j", "neo4j driver", "bolt port", "http port", "home", "cache"} <= set(
        results
    )


def test_the_doctor_names_a_remedy_for_a_java_that_is_not_there(monkeypatch, tmp_path):
    assert call(doctor_app).stdout.splitlines()[-1] == "All is well."
    monkeypatch.setenv("GRAPH_MEMORY_JAVA", str(tmp_path / "java"))
    assert call(doctor_app).stdout.splitlines()[-1] == "1 check failed."
    java = checks()["java"]
    assert java["outcome"] == "failed"
    assert java["remedy"]


def test_the_doctor_names_a_remedy_for_a_port_that_is_taken(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("GRAPH_MEMORY_NEO4J_BOLT_PORT", str(server.getsockname()[1]))
        port = checks()["bolt port"]
    assert port["outcome"] == "failed"
    assert "GRAPH_MEMORY_NEO4J_BOLT_PORT" in port["remedy"]


def test_the_doctor_finds_a_damaged_jar(tmp_path):
    jar = (committed_list(Settings().neo4j_version) or ())[0]
    path = tmp_path / "cache" / "jars" / jar.path
    path.parent.mkdir(parents=True)
    path.write_bytes(b"damaged")
    jars = checks()["jars"]
    assert jars["outcome"] == "failed"
    assert jar.coordinates in jars["found"]
    assert jars["remedy"]


def test_the_doctor_tells_of_what_a_restore_that_was_killed_has_left(home):
    assert "restore" not in checks()
    (home / "restored").mkdir(parents=True)
    restore = checks()["restore"]
    assert (restore["outcome"], "neo4j start" in restore["remedy"]) == ("note", True)
    (home / "restored").rename(home / "restoring")
    restore = checks()["restore"]
    assert (restore["outcome"], "graph-memory restore" in restore["remedy"]) == ("failed", True)
    lock = HomeFolder.of(Settings()).lock.with_name("restore.lock")
    lock.parent.mkdir(parents=True)
    with file_lock(lock, 0.0, lambda: None):
        assert "restore" not in checks()


def test_the_doctor_tells_each_check_on_a_line():
    result = call(doctor_app)
    assert result.exit_code == 0
    assert "java" in result.stdout


def test_the_doctor_leaves_java_and_the_cache_alone_when_a_server_is_named(monkeypatch):
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:9")
    results = checks()
    assert {"java", "cache"}.isdisjoint(results)
    assert results["connection"]["outcome"] == "failed"
    assert results["connection"]["remedy"]


def test_the_doctor_says_what_makes_vectors(monkeypatch):
    local = checks()["embeddings"]
    assert (local["outcome"], local["found"]) == ("ok", "local/all-minilm-l6-v2-q, 384 dimensions")
    monkeypatch.setenv("GRAPH_MEMORY_EMBEDDINGS", "off")
    assert checks()["embeddings"]["outcome"] == "note"
    monkeypatch.setenv("GRAPH_MEMORY_EMBEDDINGS", "openai")
    monkeypatch.setenv("GRAPH_MEMORY_EMBEDDING_API_KEY", "sk-secret")
    with model_server() as server:
        monkeypatch.setenv("GRAPH_MEMORY_EMBEDDING_URL", server.url)
        assert checks()["embeddings"]["found"] == "openai/text-embedding-3-small, 8 dimensions"
        server.always = Fault(401, body=b'{"error": {"message": "sk-secret is wrong"}}')
        refused = checks()["embeddings"]
    assert refused["outcome"] == "failed"
    assert "status 401: *** is wrong" in refused["found"]
    assert "GRAPH_MEMORY_EMBEDDING_API_KEY" in refused["remedy"]
