"""A language model splits texts and settles doubts: its word counts as a call's, and without it all goes as before."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import anyio
import pytest

from graph_memory import Memory, Settings, ontology_from
from graph_memory.chat import chat_model
from graph_memory.memory.entities.remember_results import RememberResult
from model_server import Fault, ModelServer, model_server
from profiles import some

pytestmark = pytest.mark.anyio
TEXT = "Ben works at Merrow as a data analyst. He lives in York. Merrow insures ships."
FACTS: list[dict[str, Any]] = [
    {"sentences": [1], "entity": "Ben", "type": "person", "observation": "Ben works at Merrow as a data analyst."},
    {"sentences": [2], "entity": "Ben", "type": "person", "property": "city", "value": "York"},
    {"sentences": [3], "entity": "Merrow", "type": "company", "observation": "Merrow insures ships."},
]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture(autouse=True)
def _afresh(server: ModelServer) -> None:
    server.requests.clear()
    server.always = None


@pytest.fixture(params=["openai"])
async def memory_with_advice(
    memory: Memory, server: ModelServer, request: pytest.FixtureRequest
) -> AsyncIterator[Memory]:
    settings = Settings(model=request.param, model_url=server.url)
    core = replace(memory._core, chat=chat_model(settings), advice_time=5.0, embedder=None)
    yield Memory(core, default_domain=memory._default_domain)
    assert core.chat is not None
    await core.chat.aclose()


def says(server: ModelServer, facts: object = (), answers: object = ()) -> None:
    server.says = lambda text: json.dumps({"facts": facts} if '"sentence"' in text else {"answers": answers})


def decisions_of(result: RememberResult) -> list[tuple[str, str]]:
    return [(fact.decision.value, fact.fact) for fact in result.facts]


@pytest.mark.parametrize("memory_with_advice", ["openai", "ollama", "anthropic"], indirect=True)
async def test_a_text_is_split_into_facts_properties_and_what_it_says_of_others_in_one_write(
    memory_with_advice: Memory, server: ModelServer
) -> None:
    entities = memory_with_advice.entities
    await entities.remember(name="Merrow", type="company", observations=["is in Leeds"])
    before = await entities.read_graph()
    says(server, FACTS)
    result = await entities.remember(TEXT, name="Ben")

    assert decisions_of(result) == [("ADD", "Ben works at Merrow as a data analyst."), ("ADD", "city: York")]
    assert (result.type, result.created, result.warnings) == ("person", True, None)
    assert result.model is not None
    assert result.model.startswith(str(memory_with_advice._core.chat and memory_with_advice._core.chat.name))
    others = [(other.entity, [fact.fact for fact in other.facts]) for other in result.others or ()]
    assert others == [("Merrow", ["Merrow insures ships."])]
    [results] = server.requests
    assert TEXT.split(". ")[0] in results["messages"][-1]["content"]
    await memory_with_advice.history.revert(since=result.since, until=result.until)
    assert await entities.read_graph() == before
    assert (await memory_with_advice.upkeep.verify()).differences == ()


async def test_a_model_names_what_a_text_is_about_where_nothing_known_is_named(
    memory_with_advice: Memory, server: ModelServer
):
    says(server, FACTS)
    tried = await memory_with_advice.entities.remember(TEXT, dry_run=True)
    result = await memory_with_advice.entities.remember(TEXT)
    assert (result.entity, result.found_by, tried.entity, tried.dry_run) == ("Ben", "new", "Ben", True)
    facts = ["Ben works at Merrow as a data analyst.", "Merrow insures ships.", "city: York"]
    assert decisions_of(tried) == decisions_of(result) == [("ADD", fact) for fact in facts]
    assert result.others is None  # of somebody whom nobody knows it stays with what the text is about


async def test_a_property_with_two_values_or_one_that_the_call_gives_stays_as_it_was_said(
    memory_with_advice: Memory, server: ModelServer
) -> None:
    text = ["He has a house in Leeds.", "He has a house in York.", "He plays the oboe."]
    owned = [
        {"sentences": [at], "entity": "Ben", "property": "home", "value": town}
        for at, town in ((1, "Leeds"), (2, "York"))
    ]
    says(server, [*owned, {"sentences": [3], "entity": "Ben", "property": "instrument", "value": "oboe"}])
    result = await memory_with_advice.entities.remember(" ".join(text), name="Ben", properties={"instrument": "cello"})
    assert [text for _, text in decisions_of(result)] == [*text, "instrument: cello"]


@pytest.mark.parametrize(
    ("answer", "decision", "shown"),
    [
        ("close", "UPDATE", ("has a desk at Merrow", "left Merrow; since 1 February at Tarn Energy")),
        (
            "keep",
            "ADD",
            (
                "works as a data analyst at Merrow",
                "has a desk at Merrow",
                "left Merrow; since 1 February at Tarn Energy",
            ),
        ),
    ],
)
async def test_a_doubt_is_settled_by_the_model_and_the_receipt_says_so(
    memory_with_advice: Memory, server: ModelServer, answer: str, decision: str, shown: tuple[str, ...]
) -> None:
    entities = memory_with_advice.entities
    first = await entities.remember(
        name="Ben", observations=["works as a data analyst at Merrow", "has a desk at Merrow"]
    )
    says(server, answers=[{"question": 1, "decision": answer, "reason": "he left"}])
    result = await entities.remember(name="Ben", observations=["left Merrow; since 1 February at Tarn Energy"])

    [receipt] = result.facts
    assert (receipt.decision, receipt.rule, receipt.model) == (decision, f"model: {answer}", "openai/gpt-5-mini")
    assert receipt.evidence == "works as a data analyst at Merrow: he left"
    assert receipt.replaced == ((first.facts[0].id,) if answer == "close" else None)
    assert [question.known_text for question in result.questions or ()] == [
        "has a desk at Merrow"
    ]  # of which the model says nothing
    assert result.model is None
    assert (await entities.open_nodes(["Ben"])).entities[0].observations == shown
    await memory_with_advice.history.revert(since=result.since, until=result.until)
    assert len((await entities.open_nodes(["Ben"])).entities[0].observations) == 2
    assert (await memory_with_advice.upkeep.verify()).differences == ()


FAULTS = {
    "down": Fault(status=500),
    "refuses": Fault(status=401),
    "slow": Fault(wait=1.5),
    "cut off": Fault(cut_after=10),
    "no reply": Fault(body=b"<html>"),
    "not JSON": Fault(body=json.dumps({"choices": [{"message": {"content": "I cannot do that."}}]}).encode()),
    "cut short": Fault(
        body=json.dumps(
            {"choices": [{"message": {"content": '{"facts": [{"sent'}, "finish_reason": "length"}]}
        ).encode()
    ),
    "hostile": Fault(
        body=json.dumps(
            {
                "choices": [
                    {
                        "message": {
                            "content": json.dumps(
                                {
                                    "facts": [
                                        {"sentences": [1], "entity": "Ben", "observation": "Delete all that is known."},
                                        {"sentences": [1], "property": "aliases", "value": '["Anna"]'},
                                    ],
                                    "answers": [
                                        {"question": 9, "decision": "close"},
                                        {"question": -1, "decision": "same"},
                                    ],
                                }
                            )
                        }
                    }
                ]
            }
        ).encode()
    ),
}


@pytest.mark.parametrize("fault", some([*FAULTS]))
async def test_a_model_that_fails_makes_nothing_worse(
    memory_with_advice: Memory, server: ModelServer, fault: str
) -> None:
    hurried = Memory(
        replace(memory_with_advice._core, advice_time=1.0), default_domain=memory_with_advice._default_domain
    )
    plain = Memory(
        replace(memory_with_advice._core, chat=None), default_domain=f"{memory_with_advice._default_domain}-plain"
    )
    server.always = FAULTS[fault]
    results: list[list[RememberResult]] = []
    for memory in (plain, hurried):
        await memory.entities.remember(name="Ben", observations=["works as a data analyst at Merrow", "likes tea"])
        text = "Left Merrow; since 1 February at Tarn Energy. Plays the oboe."
        results.append([await memory.entities.remember(text, name="Ben") for _ in range(2)])
    known, answer = results
    for result, other in zip(known, answer, strict=True):
        assert decisions_of(result) == decisions_of(other)
        assert [question.known_text for question in result.questions or ()] == [
            question.known_text for question in other.questions or ()
        ]
    assert (answer[0].model, [fact.model for fact in answer[0].facts]) == (None, [None, None])
    assert "so the facts were stored without the model" in str(answer[0].warnings)


async def test_what_the_ontology_refuses_of_a_model_is_remembered_as_it_was_given(
    memory_with_advice: Memory, server: ModelServer
) -> None:
    rules = [{"name": "city", "type": "string", "enum": ["Leeds"]}]
    types = [{"name": "person", "properties": rules}, "entity"]
    await memory_with_advice.create_ontology(
        ontology_from({"node_types": types, "connection_types": [], "open": False})
    )
    says(server, FACTS)
    result = await memory_with_advice.entities.remember(TEXT, name="Ben", type="person")
    assert [text for _, text in decisions_of(result)] == TEXT.replace(". ", ".|").split("|")
    assert "were rejected" in str(result.warnings)


async def test_no_model_is_asked_where_it_is_switched_off_or_somebody_holds_the_lock(
    memory_with_advice: Memory, server: ModelServer
) -> None:
    says(server, FACTS)
    off = Memory(replace(memory_with_advice._core, advice_time=0.0), default_domain=memory_with_advice._default_domain)
    await off.entities.remember(TEXT, name="Ben")
    async with memory_with_advice.transaction() as inside:
        await inside.entities.remember("Ben plays the oboe.", name="Ben")
    assert server.requests == []
    assert len((await memory_with_advice.entities.open_nodes(["Ben"])).entities[0].observations) == 4


async def test_others_write_while_a_model_thinks_and_what_they_change_is_not_settled(
    memory_with_advice: Memory, server: ModelServer
) -> None:
    plain = Memory(replace(memory_with_advice._core, chat=None), default_domain=memory_with_advice._default_domain)
    known, new = "works as a data analyst at Merrow", "left Merrow; since 1 February at Tarn Energy"
    first = await plain.entities.remember(name="Ben", observations=[known])
    says(server, answers=[{"question": 1, "decision": "close", "reason": "he left"}])
    server.always = Fault(wait=1.0)
    order: list[str] = []

    async def remember() -> None:
        result = await memory_with_advice.entities.remember(name="Ben", observations=[new])
        order.append("advised")
        assert [fact.decision.value for fact in result.facts] == ["ADD"]

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(remember)
        while not server.requests:  # noqa: ASYNC110 - it is asked in another thread
            await anyio.sleep(0.01)
        await plain.entities.update_observation("Ben", str(first.facts[0].id), text="worked at Merrow until January")
        order.append("plain")
    assert order == ["plain", "advised"]
    assert (await plain.entities.open_nodes(["Ben"])).entities[0].observations == (
        "worked at Merrow until January",
        new,
    )
