"""The rows of search as they stand in Neo4j."""

from __future__ import annotations

from typing import Any, LiteralString

from neo4j import Driver

from graph_memory import Memory
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index.coverage import Coverage
from graph_memory.memory.search.index.index import catch_up
from graph_memory.memory.search.index.index_filters import domain_token, until_token


class Rows:
    """The passages of a domain as they stand in Neo4j."""

    def __init__(self, driver: Driver, memory: Memory, domain: str) -> None:
        self._driver = driver
        self.core: Core = memory._core
        self.domain = domain

    def run(self, cypher: LiteralString, **arguments: Any) -> list[list[Any]]:
        return [
            record.values() for record in self._driver.execute_query(cypher, domain=self.domain, **arguments).records
        ]

    def texts(self, at: int | None = None) -> list[str]:
        """The rows that are current, or were after a number of the log."""
        return [
            text
            for [text] in self.run(
                "MATCH (p:_Passage {_domain: $domain}) WHERE p._since <= $at AND p._until > $at "
                "RETURN p._text ORDER BY p._owner, p._order, p._place",
                at=END - 1 if at is None else at,
            )
        ]

    async def catch_up(self, within: float = 60.0, handful_within: float | None = None) -> Coverage:
        patience = within if handful_within is None else handful_within
        return await catch_up(self.core, self.domain, within=within, handful_within=patience)

    def filters(self, branch: str | None = None, at: int | None = None) -> dict[str, set[str]]:
        """The tokens that passages are filtered by, as they are or would be in a branch made after a number."""
        results = self.run(
            "MATCH (p:_Passage {_domain: $domain}) WHERE p._since <= $at AND p._until > $at "
            "RETURN p._text, p._filter, p._until",
            at=END - 1 if at is None else at,
        )
        rendered = {
            text: set(tokens.split()) - {until_token(until)} | {until_token(END)} for text, tokens, until in results
        }
        if branch is None:
            return rendered
        ours, theirs = domain_token(self.domain), domain_token(branch)
        return {text: tokens - {ours} | {theirs} for text, tokens in rendered.items()}
