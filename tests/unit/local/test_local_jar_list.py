import re

import pytest

from graph_memory.jar import Jar
from graph_memory.local.jar_manifest import committed_list, parse, render
from graph_memory.model.errors import Code, GraphError
from graph_memory.settings import Settings
from tables import for_rows

DEFAULT = Settings.model_fields["neo4j_version"].default


def test_the_default_version_has_a_committed_list_with_browser_and_checksums():
    jars = committed_list(DEFAULT) or ()
    coordinates = {jar.coordinates for jar in jars}
    assert {f"org.neo4j:neo4j:{DEFAULT}", f"org.neo4j.app:neo4j-server:{DEFAULT}"} <= coordinates
    assert any(jar.artifact == "neo4j-browser" for jar in jars)
    assert all(re.fullmatch(r"[0-9a-f]{64}", jar.sha256) and jar.size > 0 for jar in jars)


def test_no_two_jars_of_the_committed_list_share_a_file():
    jars = committed_list(DEFAULT) or ()
    assert len({jar.path for jar in jars}) == len(jars) > 200


def test_a_list_is_read_as_it_was_written():
    jars = (Jar("a.b", "c", "1", "", "0" * 64, 5), Jar("d", "e", "2.0", "linux-x86_64", "f" * 64, 7))
    assert parse(render(jars)) == jars


def test_a_jar_lies_where_a_maven_repository_keeps_it():
    jar = Jar("io.netty", "netty-transport", "4.2", "linux-x86_64", "0" * 64, 1)
    assert jar.path == "io/netty/netty-transport/4.2/netty-transport-4.2-linux-x86_64.jar"
    assert jar.coordinates == "io.netty:netty-transport:4.2:linux-x86_64"


def test_a_version_without_a_list_gives_none():
    assert committed_list("1999.1") is None


@for_rows("version", ["", "../x", "a/b", "/etc", "1 2"])
def test_what_cannot_be_a_version_is_refused(version):
    with pytest.raises(GraphError) as caught:
        committed_list(version)
    assert caught.value.code is Code.INVALID_ARGUMENT
