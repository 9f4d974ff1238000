"""An agent remembers over MCP: facts, relations and other names in one call, and settles what it is asked."""

from __future__ import annotations

import pytest

from acceptance.agents import ToolError, served
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio


async def test_facts_relations_and_other_names_are_one_call_and_its_questions_can_be_answered(
    environment: dict[str, str], domain: str
):
    async with served(environment, "--toolsets", "entities,remember,search_memories", "--domain", domain) as agent:
        await agent.call("remember", name="Merrow", type="company", observations=["insures ships"])
        told = await agent.call(
            "remember",
            name="Ben Aldous",
            type="person",
            text="Works as a data analyst at Merrow.",
            properties={"city": "Leeds"},
            aliases=["Benny"],
            relations=[{"type": "works_at", "to": "Merrow"}, {"relationType": "knows", "from": "Ada"}],
        )
        assert [(one["decision"], one["fact"]) for one in told["facts"]] == [
            ("ADD", "Works as a data analyst at Merrow."),
            ("ADD", "city: Leeds"),
            ("ADD", "alias: Benny"),
            ("ADD", "Ben Aldous works_at Merrow"),
            ("ADD", "Ada knows Ben Aldous"),
        ]
        with pytest.raises(ToolError) as refused:
            await agent.call("remember", name="Ben Aldous", relations=[{"type": "knows", "to": "Merow"}])
        assert refused.value.code is Code.NODE_NOT_FOUND
        assert "Merrow" in refused.value.details["hint"]
        asked = await agent.call("remember", name="Benny", text="Left Merrow; since 1 February at Tarn Energy.")
        assert asked["entity"] == "Ben Aldous"
        [question] = asked["questions"]
        settled = await agent.call("decide", id=question["id"], decision="close")
        opened = await agent.call("open_nodes", names=["Ben Aldous"])
        whole = await agent.client.call_tool("open_nodes", {"names": ["Ben Aldous"]})
        assert [part.text for part in whole.content[1:]] == ['"Ben Aldous" has aliases "Benny", city "Leeds".']
        assert opened["entities"][0]["observations"] == ["Left Merrow; since 1 February at Tarn Energy."]
        assert sorted(one["relationType"] for one in opened["relations"]) == ["knows", "works_at"]
        found = await agent.call("search_memories", query="data analyst", search_mode="lexical", as_of=told["until"])
        over = found["hits"][0]["over"]
        assert over["since"] == settled["ended"]
        assert [one["text"] for one in over["replaced_by"]] == opened["entities"][0]["observations"]


async def test_an_agent_answers_whether_a_new_name_is_a_known_one(environment: dict[str, str], domain: str):
    async with served(environment, "--for", "agent", "--domain", domain) as agent:
        known = await agent.call("remember", name="Lena Vogt", type="person", text="Leads checkout.")
        told = await agent.call("remember", name="Lena", type="person", text="Moved to Malmö.")
        [asked] = told["candidates"]
        assert (asked["id"], [*asked["choices"]]) == (known["id"], ["same", "new"])
        await agent.call("decide", decisions=[{"id": asked["question"], "decision": "same"}])
        [lena] = (await agent.call("open_nodes", names=["Lena"]))["entities"]
        assert (lena["name"], lena["observations"]) == ("Lena Vogt", ["Leads checkout.", "Moved to Malmö."])
