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
from graph_memory.memory.entities.remember_results import Remembered
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
    server.asked.clear()
    server.always = None


@pytest.fixture(params=["openai"])
async def advised(memory: Memory, server: ModelServer, request: pytest.FixtureRequest) -> AsyncIterator[Memory]:
    settings = Settings(model=request.param, model_url=server.url)
    core = replace(memory._core, chat=chat_model(settings), advice_time=5.0, embedder=None)
    yield Memory(core, default_domain=memory._default_domain)
    assert core.chat is not None
    await core.chat.aclose()


def says(server: ModelServer, facts: object = (), answers: object = ()) -> None:
    server.says = lambda text: json.dumps({"facts": facts} if '"sentence"' in text else {"answers": answers})


def decided(told: Remembered) -> list[tuple[str, str]]:
    return [(one.decision.value, one.fact) for one in told.facts]


@pytest.mark.parametrize("advised", ["openai", "ollama", "anthropic"], indirect=True)
async def test_a_text_is_split_into_facts_properties_and_what_it_says_of_others_in_one_write(
    advised: Memory, server: ModelServer
) -> None:
    entities = advised.entities
    await entities.remember(name="Merrow", type="company", observations=["is in Leeds"])
    before = await entities.read_graph()
    says(server, FACTS)
    told = await entities.remember(TEXT, name="Ben")

    assert decided(told) == [("ADD", "Ben works at Merrow as a data analyst."), ("ADD", "city: York")]
    assert (told.type, told.created, told.warnings) == ("person", True, None)
    assert told.model is not None
    assert told.model.startswith(str(advised._core.chat and advised._core.chat.name))
    others = [(other.entity, [one.fact for one in other.facts]) for other in told.others or ()]
    assert others == [("Merrow", ["Merrow insures ships."])]
    [asked] = server.asked
    assert TEXT.split(". ")[0] in asked["messages"][-1]["content"]
    await advised.history.revert(since=told.since, until=told.until)
    assert await entities.read_graph() == before
    assert (await advised.upkeep.verify()).differences == ()


async def test_a_model_names_what_a_text_is_about_where_nothing_known_is_named(advised: Memory, server: ModelServer):
    says(server, FACTS)
    tried = await advised.entities.remember(TEXT, dry_run=True)
    told = await advised.entities.remember(TEXT)
    assert (told.entity, told.found_by, tried.entity, tried.dry_run) == ("Ben", "new", "Ben", True)
    facts = ["Ben works at Merrow as a data analyst.", "Merrow insures ships.", "city: York"]
    assert decided(tried) == decided(told) == [("ADD", one) for one in facts]
    assert told.others is None  # of somebody whom nobody knows it stays with what the text is about


async def test_a_property_with_two_values_or_one_that_the_call_gives_stays_as_it_was_said(
    advised: Memory, server: ModelServer
) -> None:
    text = ["He has a house in Leeds.", "He has a house in York.", "He plays the oboe."]
    owned = [
        {"sentences": [at], "entity": "Ben", "property": "home", "value": town}
        for at, town in ((1, "Leeds"), (2, "York"))
    ]
    says(server, [*owned, {"sentences": [3], "entity": "Ben", "property": "instrument", "value": "oboe"}])
    told = await advised.entities.remember(" ".join(text), name="Ben", properties={"instrument": "cello"})
    assert [one for _, one in decided(told)] == [*text, "instrument: cello"]


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
    advised: Memory, server: ModelServer, answer: str, decision: str, shown: tuple[str, ...]
) -> None:
    entities = advised.entities
    first = await entities.remember(
        name="Ben", observations=["works as a data analyst at Merrow", "has a desk at Merrow"]
    )
    says(server, answers=[{"question": 1, "decision": answer, "reason": "he left"}])
    told = await entities.remember(name="Ben", observations=["left Merrow; since 1 February at Tarn Energy"])

    [receipt] = told.facts
    assert (receipt.decision, receipt.rule, receipt.model) == (decision, f"model: {answer}", "openai/gpt-5-mini")
    assert receipt.evidence == "works as a data analyst at Merrow: he left"
    assert receipt.replaced == ((first.facts[0].id,) if answer == "close" else None)
    assert [one.known_text for one in told.questions or ()] == [
        "has a desk at Merrow"
    ]  # of which the model says nothing
    assert told.model is None
    assert (await entities.open_nodes(["Ben"])).entities[0].observations == shown
    await advised.history.revert(since=told.since, until=told.until)
    assert len((await entities.open_nodes(["Ben"])).entities[0].observations) == 2
    assert (await advised.upkeep.verify()).differences == ()


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
async def test_a_model_that_fails_makes_nothing_worse(advised: Memory, server: ModelServer, fault: str) -> None:
    hurried = Memory(replace(advised._core, advice_time=1.0), default_domain=advised._default_domain)
    plain = Memory(replace(advised._core, chat=None), default_domain=f"{advised._default_domain}-plain")
    server.always = FAULTS[fault]
    told: list[list[Remembered]] = []
    for memory in (plain, hurried):
        await memory.entities.remember(name="Ben", observations=["works as a data analyst at Merrow", "likes tea"])
        text = "Left Merrow; since 1 February at Tarn Energy. Plays the oboe."
        told.append([await memory.entities.remember(text, name="Ben") for _ in range(2)])
    known, found = told
    for one, other in zip(known, found, strict=True):
        assert decided(one) == decided(other)
        assert [each.known_text for each in one.questions or ()] == [each.known_text for each in other.questions or ()]
    assert (found[0].model, [one.model for one in found[0].facts]) == (None, [None, None])
    assert "so it was remembered without it" in str(found[0].warnings)


async def test_what_the_ontology_refuses_of_a_model_is_remembered_as_it_was_given(
    advised: Memory, server: ModelServer
) -> None:
    rules = [{"name": "city", "type": "string", "enum": ["Leeds"]}]
    types = [{"name": "person", "properties": rules}, "entity"]
    await advised.create_ontology(ontology_from({"node_types": types, "connection_types": [], "open": False}))
    says(server, FACTS)
    told = await advised.entities.remember(TEXT, name="Ben", type="person")
    assert [one for _, one in decided(told)] == TEXT.replace(". ", ".|").split("|")
    assert "were rejected" in str(told.warnings)


async def test_no_model_is_asked_where_it_is_switched_off_or_somebody_holds_the_lock(
    advised: Memory, server: ModelServer
) -> None:
    says(server, FACTS)
    off = Memory(replace(advised._core, advice_time=0.0), default_domain=advised._default_domain)
    await off.entities.remember(TEXT, name="Ben")
    async with advised.transaction() as inside:
        await inside.entities.remember("Ben plays the oboe.", name="Ben")
    assert server.asked == []
    assert len((await advised.entities.open_nodes(["Ben"])).entities[0].observations) == 4


async def test_others_write_while_a_model_thinks_and_what_they_change_is_not_settled(
    advised: Memory, server: ModelServer
) -> None:
    plain = Memory(replace(advised._core, chat=None), default_domain=advised._default_domain)
    known, new = "works as a data analyst at Merrow", "left Merrow; since 1 February at Tarn Energy"
    first = await plain.entities.remember(name="Ben", observations=[known])
    says(server, answers=[{"question": 1, "decision": "close", "reason": "he left"}])
    server.always = Fault(wait=1.0)
    order: list[str] = []

    async def remember() -> None:
        told = await advised.entities.remember(name="Ben", observations=[new])
        order.append("advised")
        assert [one.decision.value for one in told.facts] == ["ADD"]

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(remember)
        while not server.asked:  # noqa: ASYNC110 - it is asked in another thread
            await anyio.sleep(0.01)
        await plain.entities.update_observation("Ben", str(first.facts[0].id), text="worked at Merrow until January")
        order.append("plain")
    assert order == ["plain", "advised"]
    assert (await plain.entities.open_nodes(["Ben"])).entities[0].observations == (
        "worked at Merrow until January",
        new,
    )
