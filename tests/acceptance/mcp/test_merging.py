"""`graph-memory merge` and the tool `memory_merge`: a branch that was tried out is taken over."""

from __future__ import annotations

import json

import pytest

from acceptance.agents import GTD, Agent, ToolError, run
from graph_memory import Memory, ontology_from
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio


@pytest.fixture
async def kitchen(memory: Memory, domain: str) -> Memory:
    """A domain, and a branch of it named `…-b`; both have changed the same property."""
    await memory.create_ontology(ontology_from({"node_types": ["Action"], "connection_types": []}))
    await memory.create_node("Action", "# Call\nAnna", properties={"status": "next"}, id="call")
    await memory.history.branch(f"{domain}-b")
    branch = memory.in_domain(f"{domain}-b")
    await branch.update_node("call", properties={"status": "done", "by": "ann"})
    await branch.create_node("Action", "# Phone", id="phone")
    await memory.update_node("call", properties={"status": "later"}, tags=["home"])
    return memory


async def test_a_branch_is_looked_at_merged_and_taken_back(
    kitchen: Memory, variables: dict[str, str], domain: str
) -> None:
    source = f"{domain}-b"
    tried = run(variables, "merge", source, "--preview")
    assert tried.stdout.splitlines() == [
        "new       Action “Phone” phone",
        'conflict  node “Call”: both domains changed "status" differently',
        "    --resolve 'call status=ours'",
        "    --resolve 'call status=theirs'",
        "    base    next",
        "    ours    later",
        "    theirs  done",
    ]
    assert tried.stderr == "1 change would be merged, 0 conflicts resolved, 1 conflict to resolve.\n"
    refused = run(variables, "merge", source)
    assert (refused.returncode, refused.stdout) == (73, "")
    assert refused.stderr.startswith(
        'MERGE_CONFLICT: "Call" (call) cannot be merged: both domains changed "status" differently'
    )
    assert "“Call”: both domains changed \"status\" differently\n    --resolve 'call status=ours'" in refused.stderr
    assert (await kitchen.get_node("call")).properties == {"status": "later"}

    done = run(variables, "merge", source, "--resolve", "call status=theirs")
    assert (done.returncode, sorted(done.stdout.splitlines())) == (
        0,
        ["changed   Action “Call” call", "new       Action “Phone” phone"],
    )
    info = await kitchen.get_node("call")
    assert (info.properties, info.tags) == ({"status": "done", "by": "ann"}, ("home",))
    again = run(variables, "merge", source, "--json")
    assert json.loads(again.stdout) == (await kitchen.history.merge(source)).to_dict()
    newest = json.loads(run(variables, "log", "--limit", "1", "--json").stdout)["entries"][0]["seq"]
    undone = run(variables, "revert", "--since", str(newest - 2), "--until", str(newest))
    assert "deleted  Action “Phone” phone" in undone.stdout
    assert (await kitchen.get_node("call")).properties == {"status": "later"}


async def test_a_value_is_given_and_the_source_brought_up_to_date(
    kitchen: Memory, variables: dict[str, str], domain: str
) -> None:
    done = run(variables, "merge", domain, "--into", f"{domain}-b", "--set", "call status=waiting")
    assert (done.returncode, done.stdout) == (0, "changed   Action “Call” call\n"), done.stderr
    branch = kitchen.in_domain(f"{domain}-b")
    assert (await branch.get_node("call")).properties == {"status": "waiting", "by": "ann"}
    wrong = run(variables, "merge", domain, "--into", f"{domain}-b", "--resolve", "call")
    assert (wrong.returncode, wrong.stderr.split(":")[0]) == (2, "INVALID_ARGUMENT")


async def test_an_agent_merges_what_it_tried_out(historian: Agent, domain: str) -> None:
    agent = historian.within(domain)
    await agent.call("create_ontology", **GTD)
    node = await agent.node("Action", "# Call", properties={"status": "next"})
    await agent.call("memory_branch", name=f"{domain}-b")
    for where, status in ((domain, "later"), (f"{domain}-b", "done")):
        await agent.call("update_node", node_id=node, properties={"status": status}, domain=where)
    with pytest.raises(ToolError) as refused:
        await agent.call("memory_merge", **{"from": f"{domain}-b"})
    assert refused.value.code is Code.MERGE_CONFLICT
    arguments = {"from": f"{domain}-b", "resolutions": [{"subject": node, "take": "theirs"}]}
    tried = await agent.call("memory_merge", **arguments, preview=True)
    done = await agent.call("memory_merge", **arguments)
    assert (tried["updated"], tried["changes"], tried["settled"]) == (1, done["changes"], 1)
    assert (await agent.call("get_node", node_id=node))["properties"] == {"status": "done"}
    assert "changes" in await agent.call("memory_merge", **{"from": domain, "into": f"{domain}-b"})
