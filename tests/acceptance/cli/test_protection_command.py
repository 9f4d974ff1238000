"""A person protects what is settled, is stopped from changing it, and lifts the protection again."""

from __future__ import annotations

import json

import pytest

from acceptance.agents import run
from graph_memory import Memory
from graph_memory.cli.errors import NOT_PERMITTED

pytestmark = pytest.mark.anyio


async def test_a_person_protects_a_node_by_its_title_and_lifts_that(kitchen: Memory, variables: dict[str, str]):
    done = run(variables, "protect", "Call", "--reason", "Signed", "--until", "in 2 hours")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Call is read-only until ")
    refused = run(variables, "node", "update", "call", "-p", "status=open")
    assert refused.returncode == NOT_PERMITTED
    text, hint = refused.stderr.splitlines()
    assert text == 'PROTECTED: Node "call" is protected against changes'
    assert hint.startswith("Hint: Reason: Signed. Only `graph-memory unprotect` on the command line can")
    shown = run(variables, "node", "get", "call").stdout
    assert "because" in shown
    assert "Signed" in shown
    assert run(variables, "unprotect", "call").stdout == "call is not read-only.\n"
    assert run(variables, "node", "update", "call", "-p", "status=open").returncode == 0


async def test_a_domain_is_named_and_its_protection_shown(kitchen: Memory, variables: dict[str, str], domain: str):
    nothing = run(variables, "protect")
    assert nothing.returncode == 2
    assert "--whole-domain" in nothing.stderr
    done = run(variables, "protect", "--whole-domain", "--by", "ann", "--by", "bob", "--json")
    assert json.loads(done.stdout)["is_read_only"] is True
    info = run(variables, "domain", "info").stdout
    assert "ann, bob" in info
    assert run(variables, "node", "create", "Action", "-c", "# by Ann, who may").returncode == 0
    other = {**variables, "GRAPH_MEMORY_ACTOR": "carol"}
    refused = run(other, "domain", "delete", domain, "--yes")
    assert refused.returncode == NOT_PERMITTED
    assert f'Domain "{domain}" is protected against changes' in refused.stderr
    assert run(other, "unprotect", "--whole-domain").returncode == NOT_PERMITTED
    assert run(variables, "unprotect", "--whole-domain", "--domain", domain).returncode == 0
