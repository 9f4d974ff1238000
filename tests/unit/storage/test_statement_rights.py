"""The check of every statement against the rights of the caller."""

from __future__ import annotations

from typing import Any

import pytest

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import Caller, Grant, Principal, Right, run_as
from graph_memory.storage.queries import Query, assemble, cypher_root
from graph_memory.storage.statement_rights import BOOKKEEPING, DOMAIN_PARAMS, SOURCES, WITHOUT_DOMAIN, check_statement

READER = Principal("reader", (Grant("mine", Right.READ),))
WRITER = Principal("writer", (Grant("mine", Right.WRITE),))
STATEMENTS = [
    assemble([path.relative_to(cypher_root()).with_suffix("").as_posix()])
    for path in sorted(cypher_root().rglob("*.cypher"))
    if path.parent.name != "schema"
]


def is_allowed(principal: Principal, statement: Query[Any], **params: object) -> bool:
    """Return whether a caller may run a statement."""
    with run_as(Caller(principal)):
        try:
            check_statement(statement, params)
        except GraphError as error:
            return error.code is not Code.INSUFFICIENT_RIGHTS
    return True


def of_domain(statement: Query[Any], domain: str) -> dict[str, object]:
    """Return parameters of a statement that name one domain."""
    lists: dict[str, object] = {"domains": [domain], "stretches": [{"domain": domain}]}
    return {name: lists.get(name, domain) for name in statement.params & {*DOMAIN_PARAMS}}


def names_domains(statement: Query[Any]) -> bool:
    """Return whether a statement has a parameter that names a domain."""
    return not statement.params.isdisjoint(DOMAIN_PARAMS)


def test_every_statement_names_its_domains_or_is_refused_or_listed():
    assert len(STATEMENTS) > 300
    without = [statement.name for statement in STATEMENTS if not names_domains(statement)]
    assert {*without} >= WITHOUT_DOMAIN
    allowed = {statement.name for statement in STATEMENTS if is_allowed(WRITER, statement)}
    assert allowed == WITHOUT_DOMAIN
    assert not any(name.startswith("keys/") for name in WITHOUT_DOMAIN)


def test_no_statement_runs_on_a_domain_of_others():
    for statement in filter(names_domains, STATEMENTS):
        assert not is_allowed(WRITER, statement, **of_domain(statement, "theirs")), statement.name
        for name in of_domain(statement, "mine"):
            mixed = {**of_domain(statement, "mine"), name: of_domain(statement, "theirs")[name]}
            is_filter = name == "source" and statement.name in SOURCES
            assert is_allowed(WRITER, statement, **mixed) == is_filter, (statement.name, name)


def test_a_statement_that_writes_needs_the_right_to_write():
    for statement in filter(names_domains, STATEMENTS):
        needs_write = statement.mode == "write" and not statement.name.startswith(BOOKKEEPING)
        params = of_domain(statement, "mine")
        assert is_allowed(WRITER, statement, **params), statement.name
        assert is_allowed(READER, statement, **params) != needs_write, statement.name


def test_without_a_caller_every_statement_runs():
    for statement in STATEMENTS:
        check_statement(statement, of_domain(statement, "theirs"))


@pytest.mark.parametrize("name", ["log/append", "log/lock", "domains/delete_nodes", "graph/drop_surplus_keys"])
def test_statements_that_change_data_are_not_bookkeeping(name: str):
    assert not name.startswith(BOOKKEEPING)
