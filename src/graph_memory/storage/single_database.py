"""The part of a store that handles calls about several databases, for a store with only one database.

`routing` has the implementation for several databases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from graph_memory.storage.queries import Query

R = TypeVar("R")


class SingleDatabase:
    """The part of a store that differs if domains are distributed over several databases."""

    def require_one_database(self, *domains: str) -> None:
        """Raise DIFFERENT_DATABASES if the domains are in different databases."""

    async def require_all(self) -> None:
        """Raise STORE_UNAVAILABLE if one of several databases cannot be reached."""

    def other_databases(self, domain: str) -> Sequence[str]:
        """Return the names of the databases other than the domain's."""
        del domain
        return ()

    async def add_other_databases(
        self, domain: str, rows: list[R], seconds: float, query: Query[R], params: Mapping[str, Any]
    ) -> list[R]:
        """Add the other databases' rows to the rows of the domain's database, if the statement covers all databases."""
        del domain, seconds, query, params
        return rows

    @property
    def unavailable(self) -> Sequence[str]:
        """The names of the databases that could not be reached at the last attempt."""
        return ()
