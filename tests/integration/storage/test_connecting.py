"""A server named by NEO4J_URI is used as it is; what is wrong with it is one clear error that says what to do."""

from __future__ import annotations

import pytest

from container.images import address_of
from graph_memory import Code, GraphError, Settings, open_memory
from graph_memory.app import check_connection, check_version

pytestmark = pytest.mark.anyio


def server_settings(settings: Settings, **changes: str) -> Settings:
    server = address_of(settings)
    arguments = {"neo4j_uri": server.uri, "neo4j_password": server.password, **changes}
    return Settings(home=settings.home, **arguments)  # pyright: ignore[reportArgumentType]


async def failure(settings: Settings) -> GraphError:
    with pytest.raises(GraphError) as caught:
        async with open_memory(settings):
            pass
    return caught.value


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
async def test_a_server_that_is_named_is_used(settings: Settings, scheme: str, domain: str) -> None:
    uri = address_of(settings).uri.replace("bolt", scheme)
    async with open_memory(server_settings(settings, neo4j_uri=uri)) as memory:
        assert (await memory.query_nodes(domain=domain)).node_ids == ()
    assert (await check_connection(server_settings(settings))).startswith("Neo4j 20")


async def test_wrong_credentials_name_the_settings_to_correct(settings: Settings) -> None:
    error = await failure(server_settings(settings, neo4j_password="wrong-password"))
    assert error.code is Code.STORE_UNAVAILABLE
    assert "NEO4J_PASSWORD" in str(error.hint)


async def test_a_host_that_does_not_answer_is_named(settings: Settings) -> None:
    error = await failure(server_settings(settings, neo4j_uri="bolt://127.0.0.1:9"))
    assert error.code is Code.STORE_UNAVAILABLE
    assert "bolt://127.0.0.1:9" in error.message


@pytest.mark.parametrize("uri", ["http://127.0.0.1:7474", "localhost:7687", "bolt+x://127.0.0.1", "://"])
async def test_an_address_of_another_kind_is_refused_with_the_kinds_there_are(settings: Settings, uri: str) -> None:
    error = await failure(server_settings(settings, neo4j_uri=uri))
    assert error.code is Code.STORE_UNAVAILABLE
    assert "neo4j+s://" in str(error.hint)


@pytest.mark.parametrize("uri", ["http://neo4j:s3cret@127.0.0.1:7474", "bolt://neo4j:s3cret@127.0.0.1:9"])
async def test_a_password_in_an_address_is_not_repeated(settings: Settings, uri: str) -> None:
    error = await failure(server_settings(settings, neo4j_uri=uri))
    assert error.code is Code.STORE_UNAVAILABLE
    assert "s3cret" not in str(error.to_dict())
    assert "Move them to" in str(error.hint)


async def test_a_server_without_tls_is_refused_over_tls(settings: Settings) -> None:
    uri = address_of(settings).uri.replace("bolt://", "bolt+ssc://")
    error = await failure(server_settings(settings, neo4j_uri=uri))
    assert error.code is Code.STORE_UNAVAILABLE
    assert "without +s" in str(error.hint)


async def test_a_database_that_does_not_exist_is_named_as_such(settings: Settings) -> None:
    error = await failure(server_settings(settings, neo4j_database="elsewhere"))
    assert error.code is Code.STORE_UNAVAILABLE
    assert "NEO4J_DATABASE" in str(error.hint)


@pytest.mark.parametrize("version", ["4.4.30", "5.26.0", "5.27-aura", "2025.07.1"])
def test_a_server_that_is_too_old_is_refused_with_the_oldest_that_will_do(version: str) -> None:
    with pytest.raises(GraphError) as caught:
        check_version(version)
    assert caught.value.code is Code.STORE_INCOMPATIBLE
    assert version in caught.value.message


@pytest.mark.parametrize("version", ["2025.08.0", "2026.08.1", "2027.01.0-aura"])
def test_a_server_that_is_new_enough_is_welcome(version: str) -> None:
    assert check_version(version) is None
