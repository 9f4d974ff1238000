"""A person makes domains under each other, looks at them, and asks several at once."""

from __future__ import annotations

import json

import pytest

from acceptance.agents import run

pytestmark = pytest.mark.anyio


async def test_a_person_makes_a_tree_and_asks_all_of_it(variables: dict[str, str], domain: str):
    home, pond = f"{domain}/home", f"{domain}/pond"
    assert run(variables, "ontology", "apply", "gtd", "--domain", home).returncode == 0
    made = run(
        *(variables, "call", "create_domain", f"name={pond}", f"parent={home}", "description=Water"),
        'metadata={"n": 1}',
    )
    assert made.returncode == 0, made.stderr
    node = run(
        variables, "node", "create", "Project", "-c", "# The lilies of the pond", "--domain", pond
    ).stdout.strip()
    info = run(variables, "domain", "info", pond).stdout
    for text in ("Water", home, '{"n": 1}', "Project"):
        assert text in info
    shown = run(variables, "domain", "list", "--cursor", f"after:{domain}").stdout  # other tests may have a page full
    listed = [line.split()[0] for line in shown.splitlines()]
    assert listed.index(pond) == listed.index(home) + 1
    assert f"  {pond}" in shown
    result = json.loads(run(variables, "search", "lilies", "--domain", home, "--include-children", "--json").stdout)
    assert [(hit["id"], hit["domain"]) for hit in result["hits"]] == [(node, pond)]
    assert f"in {pond}" in run(variables, "search", "lilies", "--in", home, "--in", pond).stdout
    rows = run(variables, "query", "--in", pond, "--in", home)
    assert pond in rows.stdout
    assert node in rows.stdout
    assert f"In domain {pond}:" in run(variables, "recall", "lilies", "--domain", home, "--include-children").stdout
    refused = run(variables, "query", "--in", pond, "--as-of", "now")
    assert refused.returncode == 2
    assert "--in" in refused.stderr
    assert run(variables, "call", "update_domain", f"name={pond}", "parent=").returncode == 0
    assert run(variables, "query", "--domain", home, "--include-children", "--json").stdout.count(node) == 0
    create = ("call", "create_domain", f"name={domain}/x")
    assert run(variables, *create, "metadata=[]").returncode == 2
    assert run(variables, *create, f"parent={domain}/no").returncode != 0
