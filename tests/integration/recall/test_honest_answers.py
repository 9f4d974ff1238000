"""Recall of ended statements, of open work and of disputed statements, and of questions that nothing stored fits."""

from __future__ import annotations

from uuid import uuid4

import pytest

from graph_memory import Memory

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def shop(shared_memory: Memory) -> Memory:
    memory = shared_memory.in_domain(f"shop-{uuid4().hex}")
    klarna = {"text": "worked as a developer at Klarna", "valid_from": "2021-03-01", "valid_to": "2026-09-30"}
    write = memory.entities.remember
    await write(name="Tomas Lind", type="person", observations=[klarna, "plays chess"])
    await write(name="Shop", type="project", observations=["is hosted at Hetzner", "sells lamps"])
    await write(name="Shop", observations=["is hosted at Scaleway"], replaces="is hosted at Hetzner")
    for name, kind, status, due in (
        ("Reach 500 orders", "goal", "open", "2026-12-24"),
        ("Load test the checkout", "task", "open", "2026-12-01"),
        ("Write the returns policy", "task", "Done", "2026-11-27"),
    ):
        await write(name=name, type=kind, properties={"status": status, "due": due})
    await write(name="Load test the checkout", relations=[{"type": "assigned_to", "to": "Tomas Lind"}])
    await write(name="Lena", type="person", observations=["works from Berlin on most days"])
    await write(name="Lena", observations=["works from Malmö on most days"])
    await write(name="Shop", properties={"launch": "2026-11-20"})
    await write(name="Shop", properties={"launch": "2026-12-04"})
    leased = {"text": "is leased from Berg", "valid_from": "2025-01-01", "valid_to": "2999-12-31"}
    flooded = {"text": "was flooded", "time": "2026-05-02"}
    await write(name="Warehouse", type="place", observations=[leased, flooded, "has a ramp"])
    await write(name="Showroom", type="place", observations=["has ten seats", "is still waiting for the landlord"])
    await write(name="Ines", type="person")
    await write(name="Nadia", type="person", observations=["took the design over from Ines"])
    await memory.entities.forget(["Ines"])
    await memory.upkeep.reindex(anew=False)
    return memory


async def answer(memory: Memory, question: str) -> str:
    return str((await memory.recall.recall(question)).content)


async def test_a_question_about_the_past_includes_ended_statements_with_their_ends(shop: Memory) -> None:
    text = await answer(shop, "What did Tomas do before October 2026?")
    assert 'since 1 March 2021: "worked as a developer at Klarna" (until 30 September 2026)' in text
    assert 'then "is hosted at Scaleway"' in await answer(shop, "Where was the shop hosted before?")
    assert "Hetzner" not in await answer(shop, "Where is the shop hosted?")


async def test_a_question_about_the_past_finds_the_earlier_values_of_properties(shop: Memory) -> None:
    text = await answer(shop, "What was the launch date of the shop before it slipped?")
    assert '"launch: 2026-11-20" (until ' in text
    assert 'then "2026-12-04")' in text
    assert "2026-11-20" not in await answer(shop, "What is the launch date of the shop?")


async def test_a_forgotten_entity_says_that_it_ended_and_comes_after_what_holds(shop: Memory) -> None:
    text = await answer(shop, "Ines")
    assert 0 < text.find('"Nadia"') < text.find('- "Ines" (person, ended ')
    assert (await answer(shop, "Who was Ines?")).find('"Ines" (person') < text.find('- "Ines" (person')


async def test_a_recall_as_of_a_point_says_nothing_of_what_came_later(shop: Memory) -> None:
    [kept, ended] = [
        (await shop.entities.remember(name="Stock", observations=[text], replaces=replaces)).until
        for text, replaces in (("is kept in Bremen", None), ("is kept in Kiel", "is kept in Bremen"))
    ]
    await shop.upkeep.reindex(anew=False)
    question = "Where was the stock kept before?"
    assert "Kiel" not in str((await shop.recall.recall(question, as_of=kept)).content)
    for point in (ended, None):
        rendered = str((await shop.recall.recall(question, as_of=point)).content)
        assert '"is kept in Bremen" (until ' in rendered
        assert 'then "is kept in Kiel")' in rendered


async def test_a_question_that_nothing_fits_is_answered_so_in_few_tokens(shop: Memory) -> None:
    result = await shop.recall.recall("Which hotel does Marta book in Lisbon?")
    assert str(result.content).startswith("Nothing stored fits this question.")
    assert result.tokens_used <= 120
    content = (await shop.recall.recall("Which hotel does Marta book in Lisbon?", as_="structured")).content
    assert isinstance(content, dict)
    assert content["notes"][0].startswith("Nothing stored fits this question.")
    assert "Nothing stored fits" not in await answer(shop, "Where is the shop hosted?")


async def test_open_work_comes_by_its_due_date_with_its_assignee(shop: Memory) -> None:
    text = await answer(shop, "What is open, what is next?")
    first, second = text.find('"Load test the checkout"'), text.find('"Reach 500 orders"')
    assert 0 < first < second
    assert 'due "2026-12-01"' in text
    assert 'assigned to "Tomas Lind"' in text
    assert "returns policy" not in text


async def test_observations_say_since_when_and_until_when_they_hold_and_on_which_day_they_happened(
    shop: Memory,
) -> None:
    text = await answer(shop, "Tell me about the warehouse")
    assert 'since 1 January 2025: "is leased from Berg" (until 31 December 2999)' in text
    assert 'on 2 May 2026: "was flooded"' in text
    assert "observed" in text.split('"has a ramp"')[0].splitlines()[-1]


async def test_sentences_that_say_that_something_is_open_come_after_the_tasks(shop: Memory) -> None:
    text = await answer(shop, "What is open?")
    goal, venue = text.find('"Reach 500 orders"'), text.find('"is still waiting for the landlord')
    assert 0 < goal < venue < text.find('"has ten seats"')
    assert "sells lamps" not in text
    text = await answer(shop, "What is open for the showroom?")
    assert text.find('"is still waiting for the landlord') < text.find('"has ten seats"')


@pytest.mark.long
async def test_overdue_work_leaves_out_what_is_due_later(memory: Memory) -> None:
    task = {"type": "task", "observations": ["is not decided yet"]}
    await memory.entities.remember(name="Test the checkout", properties={"status": "open", "due": "2999-12-01"}, **task)
    result = await memory.recall.recall("What is overdue?")
    assert "No open task or goal is overdue." in (result.warnings or ())
    assert "checkout" not in str(result.content)
    busy = [
        {"name": f"Errand {i}", "entityType": "task", "observations": ["status open, pending task"]} for i in range(160)
    ]
    await memory.entities.create_entities(busy)
    await memory.entities.remember(name="Renew the domain", properties={"status": "open", "due": "2020-01-31"}, **task)
    text = await answer(memory, "What is overdue?")
    assert '"Renew the domain"' in text
    assert "checkout" not in text
    assigned = [{"type": "assigned_to", "to": "Ann"}]
    await memory.entities.remember(name="Ann", type="person")
    for name in ("Test the checkout", "Renew the domain"):
        await memory.entities.remember(name=name, relations=assigned)
    text = await answer(memory, "Which tasks of Ann are overdue?")
    assert '- "Renew the domain" (task' in text
    assert '- "Test the checkout" (task' not in text


async def test_work_due_in_a_period_leaves_out_what_is_due_at_other_times(memory: Memory) -> None:
    for name, due in (("Near", "2998-11-30"), ("Far", "2999-05-01")):
        await memory.entities.remember(name=name, type="task", properties={"status": "open", "due": due})
    text = await answer(memory, "What is due before 1 December 2998?")
    assert '"Near"' in text
    assert '"Far"' not in text
    result = await memory.recall.recall("What is due in May 2998?")
    assert "Near" not in str(result.content)
    assert "No open task or goal is due in that time." in (result.warnings or ())


async def test_a_newer_statement_with_an_open_question_comes_before_the_earlier_one(shop: Memory) -> None:
    text = await answer(shop, "Where does Lena work from?")
    assert 0 < text.find("Malmö") < text.find("Berlin")
