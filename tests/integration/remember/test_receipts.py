"""Receipts of `remember` beyond added facts: changed values, and repeated statements."""

from __future__ import annotations

import pytest

from graph_memory import GraphError, Memory
from graph_memory.model.errors import Code

KESTREL = "She works as a product designer at Kestrel Health."
ONLY = "Her manager at Kestrel is Beatrice."
BOTH = "From Kestrel Health she went to Fernblick Reisen."


async def observations_of(memory: Memory, name: str) -> tuple[str, ...]:
    return (await memory.entities.open_nodes([name])).entities[0].observations


async def test_a_property_that_changes_asks_about_what_names_its_earlier_value(memory: Memory) -> None:
    entities = memory.entities
    first = await entities.remember(
        name="Nora", observations=[KESTREL, ONLY, BOTH], properties={"employer": "Kestrel Health", "age": 41}
    )
    changed = {"employer": "Fernblick Reisen", "age": 42}
    tried = await entities.remember(name="Nora", properties=changed, dry_run=True)
    result = await entities.remember(name="Nora", properties=changed)
    again = await entities.remember(name="Nora", properties=changed)

    assert first.questions is None
    assert again.questions is None
    assert [(question.known_text, question.id) for question in tried.questions or ()] == [(KESTREL, None)]
    [question] = result.questions or ()
    assert (question.known_text, question.new_text) == (KESTREL, "employer: Fernblick Reisen")
    assert question.reason == "employer was Kestrel Health"
    with pytest.raises(GraphError) as refused:
        await entities.answer(question.id, "same")
    assert refused.value.code is Code.INVALID_ARGUMENT
    kept = await entities.answer(question.id, "keep")
    closed = await entities.answer(question.id, "close")
    twice = await entities.answer(question.id, "close")
    assert (kept.changed, closed.changed, twice.changed, twice.ended) == (False, True, False, closed.ended)
    assert await observations_of(memory, "Nora") == (ONLY, BOTH)
    assert (await memory.upkeep.verify()).differences == ()


async def test_what_is_named_as_replaced_or_asked_about_already_is_not_asked_about_for_a_property(
    memory: Memory,
) -> None:
    entities = memory.entities
    texts = ["Lives in Hamburg.", *(f"Sails on lake {number} near Hamburg." for number in range(4))]
    first = await entities.remember(name="Nora", observations=texts, properties={"city": "Hamburg"})
    result = await entities.remember(
        name="Nora",
        observations=["Moved away; no longer lives in Hamburg."],
        properties={"city": "Berlin"},
        replaces=None,
    )
    requests = [str(question.id).partition(":")[2] for question in result.questions or ()]
    assert len(requests) == len(set(requests)) == 3
    assert requests[0] == first.facts[0].id
    await entities.remember(name="Ann", observations=["Lives in Leeds."], properties={"city": "Leeds"})
    over = await entities.remember(name="Ann", replaces="Lives in Leeds.", properties={"city": "York"})
    assert over.questions is None


async def test_keep_opens_again_what_close_ended_unless_it_was_said_again(memory: Memory) -> None:
    entities = memory.entities
    await entities.remember(name="Ann", observations=["Ann drives a red Fiat.", "Ann likes tea."])
    result = await entities.remember(name="Ann", observations=["Ann has sold her red Fiat."])
    [question] = result.questions or ()
    new, known = str(result.facts[0].id), str(question.id).partition(":")[2]
    closed = await entities.decide(new, known, "close")
    kept = await entities.decide(new, known, "keep")
    twice = await entities.decide(new, known, "keep")

    assert closed.ended is not None
    assert [(settled.changed, settled.ended) for settled in (kept, twice)] == [(True, None), (False, None)]
    texts = ("Ann drives a red Fiat.", "Ann likes tea.", "Ann has sold her red Fiat.")
    assert await observations_of(memory, "Ann") == texts
    assert (twice.since, twice.until) == (None, None)
    await memory.history.revert(since=kept.since, until=kept.until)
    assert await observations_of(memory, "Ann") == texts[1:]
    await entities.remember(name="Ann", observations=["Ann drives a red Fiat."])
    with pytest.raises(GraphError) as refused:
        await entities.decide(new, known, "keep")
    assert refused.value.code is Code.INVALID_ARGUMENT
    assert (await memory.upkeep.verify()).differences == ()


async def test_keep_opens_again_what_a_property_closed_and_nothing_that_another_ended(memory: Memory) -> None:
    entities = memory.entities
    first = await entities.remember(name="Ann", observations=["Lives in Leeds."], properties={"city": "Leeds"})
    moved = await entities.remember(name="Ann", properties={"city": "York"})
    [question] = moved.questions or ()
    await entities.decide(str(moved.id), str(question.id).partition(":")[2], "close")
    kept = await entities.decide(str(moved.id), str(question.id).partition(":")[2], "keep")
    assert (kept.changed, kept.ended, await observations_of(memory, "Ann")) == (True, None, ("Lives in Leeds.",))
    other = await entities.remember(name="Ann", observations=["Plays chess."])
    await entities.remember(name="Ann", observations=["Lives in Hull."], replaces="Lives in Leeds.")
    left = await entities.decide(str(other.facts[0].id), str(first.facts[0].id), "keep")
    assert left.changed is False
    assert left.ended is not None
    assert await observations_of(memory, "Ann") == ("Plays chess.", "Lives in Hull.")


async def test_the_second_question_about_what_is_gone_says_that_it_is_settled(memory: Memory) -> None:
    entities = memory.entities
    first = await entities.remember(name="Ann", observations=["Likes green tea.", "Adores tea."])
    result = await entities.remember(name="Ann", observations=["Is very fond of tea."])
    new, known = str(result.facts[0].id), [str(fact.id) for fact in first.facts]
    await entities.decide(new, known[0], "same")
    for text, name in ((new, "settled"), ("obs_never", "No observation")):
        with pytest.raises(GraphError, match=name) as refused:
            await entities.decide(text, known[1], "same")
        assert refused.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("CI", "Coverage must stay above 85%.", ["Coverage must not drop below 85 percent.", "obs_"]),
        ("CI", "Runs on GitHub.", ["CI runs on GitHub Actions."]),
        ("CI", "Likes tea.", ['belongs to "Ann"']),
        ("Nobody", "Likes tea.", ['belongs to "Ann"']),
        ("CI", "Was on holiday.", ["Use the id of an observation"]),
    ],
)
async def test_what_names_no_observation_is_told_what_was_meant_or_who_has_it(
    memory: Memory, name: str, text: str, lines: list[str]
) -> None:
    entities = memory.entities
    known = ["Coverage must not drop below 85 percent.", "CI runs on GitHub Actions.", "The pipeline is on hold."]
    await entities.remember(name="CI", observations=known)
    await entities.remember(name="Ann", observations=["Likes tea."])
    for refused in (
        lambda: entities.remember(name=name, observations=[{"text": "x y", "replaces": text}]),
        lambda: entities.remember(name=name, replaces=text),
        lambda: entities.remember(name=name, replaces=text, dry_run=True),
        *([lambda: entities.update_observation(name, text, confidence=0.5)] if name == "CI" else ()),
    ):
        with pytest.raises(GraphError) as raised:
            await refused()
        assert raised.value.code is Code.INVALID_ARGUMENT
        hint = str(raised.value.hint)
        assert all(line in hint for line in lines), hint
        assert "hold" not in hint
    assert (await entities.read_graph()).entities[0].observations == tuple(known)


async def test_what_is_said_again_after_it_ended_says_so(memory: Memory) -> None:
    entities = memory.entities
    await entities.remember(name="Ann", observations=["Lives in Leeds.", "Plays chess."])
    await entities.remember(name="Ann", observations=["Lives in York."], replaces="Lives in Leeds.")
    await entities.remember(name="Ann", replaces="Plays chess.")
    result = await entities.remember(name="Ann", observations=["Lives in Leeds.", "Plays chess.", "Sings."])

    texts = [fact.evidence for fact in result.facts]
    assert [fact.decision for fact in result.facts] == ["ADD"] * 3
    assert str(texts[0]).startswith("said before (until ")
    assert str(texts[0]).endswith(', then "Lives in York.")')
    assert str(texts[1]).startswith("said before (until ")
    assert texts[2] is None
    again = await entities.remember(name="Ann", observations=["Lives in Leeds."])
    assert (again.facts[0].decision, again.facts[0].evidence) == ("NOOP", None)


async def test_a_fact_that_says_another_number_than_a_property_says_which(memory: Memory) -> None:
    entities = memory.entities
    text = "The budget has been raised to 5,000 euros."
    first = await entities.remember(name="Trip", observations=[text], properties={"budget_eur": 4200})
    await entities.remember(name="Trip", replaces=text)
    result = await entities.remember(name="Trip", observations=[text, "The group is small now."])
    again = await entities.remember(name="Trip", observations=[f"{text} Again."], properties={"budget_eur": 5000})

    assert first.facts[0].evidence is None
    assert str(result.facts[0].evidence).startswith("said before (until ")
    assert str(result.facts[0].evidence).endswith(") | the property budget_eur is 4200: out of date?")
    assert [receipt.evidence for receipt in (result.facts[1], again.facts[0])] == [None, None]


async def test_a_deletion_says_how_many_of_what_was_named_were_there(memory: Memory) -> None:
    entities = memory.entities
    nobody = await entities.delete_entities(["Ann"])
    await entities.remember(name="Ann", observations=["Sings."], relations=[{"relationType": "knows", "to": "Bob"}])
    relation = {"from": "Ann", "to": "Bob", "relationType": "knows"}
    texts = {"entityName": "Ann", "observations": ["Sings.", "Dances."]}
    dones = [await entities.delete_observations([texts]) for _ in range(2)]
    dones += [await entities.delete_relations([relation]) for _ in range(2)]
    dones += [await entities.delete_entities(["Ann", "Zoe"]) for _ in range(2)]
    assert nobody.deleted == 0
    assert [done.deleted for done in dones] == [1, 0] * 3
