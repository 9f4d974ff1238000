"""An agent remembers over MCP: facts, relations and other names in one call, and settles what it is asked."""

from __future__ import annotations

import pytest

from acceptance.agents import ToolError, serve_agent
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio


async def test_facts_relations_and_other_names_are_one_call_and_its_questions_can_be_answered(
    environment: dict[str, str], domain: str
):
    async with serve_agent(environment, "--toolsets", "entities,remember,search_memories", "--domain", domain) as agent:
        await agent.call("remember", name="Merrow", type="company", observations=["insures ships"])
        rendered = await agent.call(
            "remember",
            name="Ben Aldous",
            type="person",
            text="Works as a data analyst at Merrow.",
            properties={"city": "Leeds"},
            aliases=["Benny"],
            relations=[{"type": "works_at", "to": "Merrow"}, {"relationType": "knows", "from": "Ada"}],
        )
        assert [(fact["decision"], fact["fact"]) for fact in rendered["facts"]] == [
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
        results = await agent.call("remember", name="Benny", text="Left Merrow; since 1 February at Tarn Energy.")
        assert results["entity"] == "Ben Aldous"
        [question] = results["questions"]
        settled = await agent.call("decide", id=question["id"], decision="close")
        opened = await agent.call("open_nodes", names=["Ben Aldous"])
        whole = await agent.client.call_tool("open_nodes", {"names": ["Ben Aldous"]})
        assert [part.text for part in whole.content[1:]] == ['"Ben Aldous" has aliases "Benny", city "Leeds".']
        assert opened["entities"][0]["observations"] == ["Left Merrow; since 1 February at Tarn Energy."]
        assert sorted(relation["relationType"] for relation in opened["relations"]) == ["knows", "works_at"]
        answer = await agent.call(
            "search_memories", query="data analyst", search_mode="lexical", as_of=rendered["until"]
        )
        over = answer["hits"][0]["over"]
        assert over["since"] == settled["ended"]
        assert [replacement["text"] for replacement in over["replaced_by"]] == opened["entities"][0]["observations"]


async def test_an_agent_answers_whether_a_new_name_is_a_known_one(environment: dict[str, str], domain: str):
    async with serve_agent(environment, "--for", "agent", "--domain", domain) as agent:
        known = await agent.call("remember", name="Lena Vogt", type="person", text="Leads checkout.")
        rendered = await agent.call("remember", name="Lena", type="person", text="Moved to Malmö.")
        [result] = rendered["candidates"]
        assert (result["id"], [*result["choices"]]) == (known["id"], ["same", "new"])
        await agent.call("decide", decisions=[{"id": result["question"], "decision": "same"}])
        [lena] = (await agent.call("open_nodes", names=["Lena"]))["entities"]
        assert (lena["name"], lena["observations"]) == ("Lena Vogt", ["Leads checkout.", "Moved to Malmö."])
