"""The setting that distributes domains over several Neo4j databases, and each domain's database."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, cast

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import PATTERN
from graph_memory.model.text.wording import join_names, join_parts, without_credentials

HOME = "home"
"""The name of the database in `NEO4J_URI`, or of the local database. It contains the keys, and all domains that belong
to no other database."""
SETTING = "GRAPH_MEMORY_DATABASES"
SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")

Pattern = Annotated[str, StringConstraints(pattern=f"^{PATTERN}$")]


class DatabaseSetting(BaseModel):
    """An additional database: the patterns of its domains, its address, and the source of its password."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    domains: tuple[Pattern, ...] = Field(min_length=1)
    uri: str
    database: str | None = None
    username: str = "neo4j"
    password_file: Path | None = None
    password_env: str | None = Field(default=None, min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _reject_password(cls, value: object) -> object:
        if isinstance(value, Mapping) and "password" in value:
            raise ValueError("contains a password: pass a file as password_file, or a variable as password_env")
        return cast("object", value)

    @model_validator(mode="after")
    def _check(self) -> DatabaseSetting:
        if without_credentials(self.uri) != self.uri:
            raise ValueError("has a uri with a user name or password: use username, and password_file or password_env")
        if self.uri.partition("://")[0] not in SCHEMES:
            raise ValueError(f"needs a uri that starts with one of {', '.join(f'{scheme}://' for scheme in SCHEMES)}")
        if (self.password_file is None) == (self.password_env is None):
            raise ValueError("needs either password_file or password_env")
        return self


def check_names(databases: dict[str, DatabaseSetting]) -> dict[str, DatabaseSetting]:
    """Check the names of the databases, and return them. Raises ValueError if a name is invalid or reserved."""
    for name in databases:
        if name == HOME or not _NAME.fullmatch(name):
            raise ValueError(
                "needs database names of up to 32 letters, digits, underscores and hyphens, other than home"
            )
    return databases


@dataclass(frozen=True, slots=True)
class Placement:
    """The assignment of domains to databases by patterns. The first pattern that matches a domain applies."""

    patterns: Sequence[tuple[str, str]] = ()
    """Pairs of a pattern and the name of its database, in the order of the setting."""

    @classmethod
    def of(cls, databases: Mapping[str, DatabaseSetting]) -> Placement:
        """Return the placement that the setting describes."""
        return cls([(pattern, name) for name, database in databases.items() for pattern in database.domains])

    def database_of(self, domain: str) -> str:
        """Return the name of the database to which a domain belongs."""
        return next((name for pattern, name in self.patterns if fnmatchcase(domain, pattern)), HOME)

    def require_one(self, domains: Sequence[str]) -> str:
        """Return the name of the database to which all domains belong.

        Raises DIFFERENT_DATABASES if they belong to several databases.
        """
        names = {domain: self.database_of(domain) for domain in domains}
        if len({*names.values()}) > 1:
            raise _different_databases_error(names)
        return next(iter(names.values()))


def _different_databases_error(names: Mapping[str, str]) -> GraphError:
    domains_by_database: dict[str, list[str]] = {}
    for domain, database in sorted(names.items()):
        domains_by_database.setdefault(database, []).append(domain)
    places = [f"{join_names(domains)} in {database}" for database, domains in domains_by_database.items()]
    message = f"The domains are in different databases: {', '.join(places)}"
    hint = (
        "One operation changes or compares domains of one database only, because two databases cannot commit "
        "together. Call it for the domains of each database separately, or store the domains in one database: "
        f"{SETTING} decides which."
    )
    return GraphError(Code.DIFFERENT_DATABASES, message, {"databases": domains_by_database, "hint": hint})


def misplaced_error(domains: Sequence[str], actual: str, placement: Placement) -> GraphError:
    """Return the STORE_CONFLICT error for domains that are not stored in the database that the setting assigns."""
    expected = {domain: placement.database_of(domain) for domain in domains}
    places = [f"{domain} in {name}" for domain, name in expected.items()]
    message = f"Database {actual} contains domains that {SETTING} assigns to other databases: {join_parts(places)}"
    hint = (
        f"Change {SETTING} so that {actual} has them again. To move a domain, export it with the earlier setting, "
        "delete it there, and import it with the new setting."
    )
    details = {"domains": list(domains), "database": actual, "expected": expected, "hint": hint}
    return GraphError(Code.STORE_CONFLICT, message, details)


def wrong_database_error(domain: str, expected: str, actual: str) -> GraphError:
    """Return the DIFFERENT_DATABASES error for an operation that needs a domain in another database."""
    message = f"Domain {domain} is in database {expected}, but this operation changes database {actual}"
    hint = (
        "Two databases cannot commit together, so an operation, a link and a parent need domains of one database. "
        f"Store the domains in one database: {SETTING} decides which."
    )
    return GraphError(Code.DIFFERENT_DATABASES, message, {"domain": domain, "database": expected, "hint": hint})
