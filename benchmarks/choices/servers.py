"""A Neo4j of its own for each choice and size, stopped between the sides so that each side's size on disk is known."""

from __future__ import annotations

import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from neo4j import Driver, GraphDatabase

from graph_memory import Settings, local
from graph_memory.local import LocalServer

Row = dict[str, object]
MEMORY = {"neo4j_heap": "1g", "neo4j_page_cache": "1g", "aot": "use"}
"""More than is usual: all sides live in one database here, and none of them is to push another out of memory."""


@dataclass
class Bench:
    """A running server and a driver for it."""

    settings: Settings
    server: LocalServer
    driver: Driver

    def run(self, statement: str, **arguments: object) -> list[Row]:
        """Run one statement in a transaction of its own, and return its rows."""
        with self.driver.session() as session:
            return session.run(statement, arguments).data()  # pyright: ignore[reportArgumentType]

    def apply(self, statements: Sequence[str]) -> None:
        """Change the schema and wait for it."""
        for statement in statements:
            self.run(statement)
        self.run("CALL db.awaitIndexes()")

    def stored_bytes(self) -> int:
        """Return the bytes of the database on disk. The server is stopped for it, which writes everything."""
        self.close()
        folder = self.settings.home / "neo4j" / "data" / "databases" / "neo4j"
        size = sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())
        self.open()
        return size

    def index_sizes(self) -> Mapping[str, int]:
        """Return the bytes of each index, by its name."""
        names = self.run("SHOW INDEXES YIELD id, name, indexProvider")
        root = self.settings.home / "neo4j" / "data" / "databases" / "neo4j" / "schema" / "index"
        return {
            str(row["name"]): sum(
                file.stat().st_blocks * 512
                for file in (root / str(row["indexProvider"]) / str(row["id"])).rglob("*")
                if file.is_file()
            )
            for row in names
        }

    def open(self) -> None:
        """Have the server running."""
        self.server = local.ensure_running(self.settings)
        self.driver = GraphDatabase.driver(self.server.uri, auth=(self.server.username, self.server.password))

    def close(self) -> None:
        """Stop the server."""
        self.driver.close()
        local.stop(self.settings)


@contextmanager
def bench(name: str) -> Generator[Bench]:
    """Give an empty database, and remove it afterwards."""
    settings = Settings()
    settings = settings.model_copy(update={**MEMORY, "home": settings.home / "choices" / name, "neo4j_uri": None})
    shutil.rmtree(settings.home, ignore_errors=True)
    server = local.ensure_running(settings)
    driver = GraphDatabase.driver(server.uri, auth=(server.username, server.password))
    result = Bench(settings, server, driver)
    try:
        yield result
    finally:
        result.close()
        shutil.rmtree(settings.home, ignore_errors=True)
