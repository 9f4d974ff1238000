"""Links between domains, as a person makes, lists and deletes them."""

from __future__ import annotations

import pytest

from acceptance.agents import run
from graph_memory import Memory, load_ontology

pytestmark = pytest.mark.anyio


async def test_a_person_links_a_node_to_another_domain(kitchen: Memory, variables: dict[str, str]) -> None:
    other = kitchen.in_domain(f"{kitchen._domain(None)}-other")
    await other.apply_ontology(load_ontology("gtd"))
    await kitchen.create_node("Action", "# Buy tiles")
    tiles = (await other.create_node("Action", "# Choose tiles")).node_id
    made = run(variables, "link", "create", "Buy tiles", other._domain(None), "Choose tiles", "--description", "first")
    assert (made.returncode, made.stderr) == (0, "")
    link = made.stdout.strip()
    shown = run(variables, "link", "list").stdout
    assert "Choose tiles" in shown
    assert link in shown
    process = run(variables, "link", "create", "Buy tiles", other._domain(None), "--type", "version", "--bidirectional")
    assert (process.returncode, "Choose tiles" in process.stderr) == (0, True)
    back = run(variables, "link", "list", "--domain", other._domain(None)).stdout
    assert "Buy tiles" in back
    await other.delete_node(tiles)
    assert "was deleted" in run(variables, "link", "list", "Buy tiles").stdout
    assert run(variables, "link", "delete", link).stderr == f"Link {link} deleted.\n"
    again = run(variables, "link", "delete", link)
    assert (again.returncode, "graph-memory link list" in again.stderr) == (66, True)
