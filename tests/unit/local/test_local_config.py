import re
from pathlib import Path, PureWindowsPath

import pytest

from graph_memory.local.home.config import quoted_class_path, server_command, write_config
from graph_memory.local.home.home import HomeFolder, Run
from graph_memory.settings import Settings

POLICY = "dbms.security.http_static_content_security_policy_header"


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(home=tmp_path, neo4j_heap="700m", neo4j_page_cache="90m")


@pytest.fixture
def conf(settings) -> dict[str, str]:
    place = HomeFolder.of(settings)
    place.make_folders()
    write_config(settings, place, Run(17687, 17474, "1"), [Path("/jars/a.jar")])
    lines = (place.conf / "neo4j.conf").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def test_every_address_is_on_this_machine_only(conf):
    listening = {key: value for key, value in conf.items() if key.endswith("listen_address")}
    assert len(listening) == 3
    assert all(re.fullmatch(r"127\.0\.0\.1(:\d+)?", value) for value in listening.values())


def test_the_advertised_addresses_carry_the_ports(conf):
    assert conf["server.bolt.advertised_address"] == "localhost:17687"
    assert conf["server.http.advertised_address"] == "localhost:17474"


@pytest.mark.parametrize(
    "key",
    [
        "dbms.usage_report.enabled",
        "dbms.fleet_manager.enabled",
        "server.fleet_discovery.enabled",
        "client.allow_telemetry",
    ],
)
def test_nothing_reports_to_anybody(conf, key):
    assert conf[key] == "false"


def test_neo4j_browser_may_load_from_this_machine_only(conf):
    policy = dict(rule.split(" ", 1) for rule in conf[POLICY].split("; "))
    assert policy.pop("connect-src") == "'self' ws: wss: http://localhost:* http://127.0.0.1:*"
    assert not any("http" in sources or "*" in sources for sources in policy.values())
    assert conf["browser.remote_content_hostname_whitelist"] == "localhost,127.0.0.1"


def test_neo4j_browser_opens_the_guide(conf):
    guide = "guide http://localhost:17474/browser/graph-memory/guide.html"
    assert conf["browser.post_connect_cmd"] == guide


def test_the_domain_of_whoever_starts_the_server_is_not_in_its_configuration(settings, conf):
    place = HomeFolder.of(settings)
    before = (place.conf / "neo4j.conf").read_text()
    theirs = settings.model_copy(update={"domain": "work\ndbms.security.auth_enabled=false"})
    write_config(theirs, place, Run(17687, 17474, "1"), [Path("/jars/a.jar")])
    assert (place.conf / "neo4j.conf").read_text() == before


def test_heap_and_page_cache_are_those_of_the_settings(settings, conf):
    assert conf["server.memory.pagecache.size"] == "90m"
    assert "-Xmx700m" in server_command(settings, HomeFolder.of(settings), Path("java"))


@pytest.mark.parametrize(("heap", "taken"), [("700m", "4g"), ("4096M", "4096M"), ("6g", "6g")])
def test_a_torn_log_is_read_with_room_for_any_length_that_neo4j_takes_from_it(settings, heap, taken):
    salvaging = settings.model_copy(update={"neo4j_salvage": True, "neo4j_heap": heap})
    assert f"-Xmx{taken}" in server_command(salvaging, HomeFolder.of(settings), Path("java"))


def test_the_command_line_names_the_home_and_no_password(settings):
    place = HomeFolder.of(settings)
    place.make_folders()
    command = server_command(settings, place, Path("java"))
    assert f"--home-dir={place.root}" in command
    assert place.generate_password() not in " ".join(command)


def test_a_class_path_with_spaces_and_backslashes_is_quoted_for_java():
    assert quoted_class_path([Path("/my jars/a.jar"), Path("/b.jar")]) == '-cp\n"/my jars/a.jar:/b.jar"\n'
    windows = [PureWindowsPath(r"C:\my jars\a.jar"), PureWindowsPath(r"C:\b.jar")]
    assert quoted_class_path(windows) == '-cp\n"C:\\\\my jars\\\\a.jar;C:\\\\b.jar"\n'
