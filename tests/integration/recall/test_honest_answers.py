"""Recall of ended statements, of open work and of disputed statements, and of questions that nothing stored fits."""

from __future__ import annotations

from uuid import uuid4

import pytest

from graph_memory import Memory

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def shop(opened: Memory) -> Memory:
    memory = opened.in_domain(f"shop-{uuid4().hex}")
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
    told = await answer(shop, "What did Tomas do before October 2026?")
    assert 'since 1 March 2021: "worked as a developer at Klarna" (until 30 September 2026)' in told
    assert 'then "is hosted at Scaleway"' in await answer(shop, "Where was the shop hosted before?")
    assert "Hetzner" not in await answer(shop, "Where is the shop hosted?")


async def test_a_question_about_the_past_finds_the_earlier_values_of_properties(shop: Memory) -> None:
    told = await answer(shop, "What was the launch date of the shop before it slipped?")
    assert '"launch: 2026-11-20" (until ' in told
    assert 'then "2026-12-04")' in told
    assert "2026-11-20" not in await answer(shop, "What is the launch date of the shop?")


async def test_a_forgotten_entity_says_that_it_ended_and_comes_after_what_holds(shop: Memory) -> None:
    told = await answer(shop, "Ines")
    assert 0 < told.find('"Nadia"') < told.find('- "Ines" (person, ended ')
    assert (await answer(shop, "Who was Ines?")).find('"Ines" (person') < told.find('- "Ines" (person')


async def test_a_recall_as_of_a_point_says_nothing_of_what_came_later(shop: Memory) -> None:
    [kept, ended] = [
        (await shop.entities.remember(name="Stock", observations=[text], replaces=replaces)).until
        for text, replaces in (("is kept in Bremen", None), ("is kept in Kiel", "is kept in Bremen"))
    ]
    await shop.upkeep.reindex(anew=False)
    question = "Where was the stock kept before?"
    assert "Kiel" not in str((await shop.recall.recall(question, as_of=kept)).content)
    for point in (ended, None):
        told = str((await shop.recall.recall(question, as_of=point)).content)
        assert '"is kept in Bremen" (until ' in told
        assert 'then "is kept in Kiel")' in told


async def test_a_question_that_nothing_fits_is_answered_so_in_few_tokens(shop: Memory) -> None:
    found = await shop.recall.recall("Which hotel does Marta book in Lisbon?")
    assert str(found.content).startswith("Nothing stored fits this question.")
    assert found.tokens_used <= 120
    content = (await shop.recall.recall("Which hotel does Marta book in Lisbon?", as_="structured")).content
    assert isinstance(content, dict)
    assert content["notes"][0].startswith("Nothing stored fits this question.")
    assert "Nothing stored fits" not in await answer(shop, "Where is the shop hosted?")


async def test_open_work_comes_by_its_due_date_with_its_assignee(shop: Memory) -> None:
    told = await answer(shop, "What is open, what is next?")
    first, second = told.find('"Load test the checkout"'), told.find('"Reach 500 orders"')
    assert 0 < first < second
    assert 'due "2026-12-01"' in told
    assert 'assigned to "Tomas Lind"' in told
    assert "returns policy" not in told


async def test_observations_say_since_when_and_until_when_they_hold_and_on_which_day_they_happened(
    shop: Memory,
) -> None:
    told = await answer(shop, "Tell me about the warehouse")
    assert 'since 1 January 2025: "is leased from Berg" (until 31 December 2999)' in told
    assert 'on 2 May 2026: "was flooded"' in told
    assert "observed" in told.split('"has a ramp"')[0].splitlines()[-1]


async def test_sentences_that_say_that_something_is_open_come_after_the_tasks(shop: Memory) -> None:
    told = await answer(shop, "What is open?")
    goal, venue = told.find('"Reach 500 orders"'), told.find('"is still waiting for the landlord')
    assert 0 < goal < venue < told.find('"has ten seats"')
    assert "sells lamps" not in told
    told = await answer(shop, "What is open for the showroom?")
    assert told.find('"is still waiting for the landlord') < told.find('"has ten seats"')


@pytest.mark.long
async def test_overdue_work_leaves_out_what_is_due_later(memory: Memory) -> None:
    task = {"type": "task", "observations": ["is not decided yet"]}
    await memory.entities.remember(name="Test the checkout", properties={"status": "open", "due": "2999-12-01"}, **task)
    found = await memory.recall.recall("What is overdue?")
    assert "No open task or goal is overdue." in (found.warnings or ())
    assert "checkout" not in str(found.content)
    busy = [
        {"name": f"Errand {i}", "entityType": "task", "observations": ["status open, pending task"]} for i in range(160)
    ]
    await memory.entities.create_entities(busy)
    await memory.entities.remember(name="Renew the domain", properties={"status": "open", "due": "2020-01-31"}, **task)
    told = await answer(memory, "What is overdue?")
    assert '"Renew the domain"' in told
    assert "checkout" not in told
    assigned = [{"type": "assigned_to", "to": "Ann"}]
    await memory.entities.remember(name="Ann", type="person")
    for name in ("Test the checkout", "Renew the domain"):
        await memory.entities.remember(name=name, relations=assigned)
    told = await answer(memory, "Which tasks of Ann are overdue?")
    assert '- "Renew the domain" (task' in told
    assert '- "Test the checkout" (task' not in told


async def test_work_due_in_a_period_leaves_out_what_is_due_at_other_times(memory: Memory) -> None:
    for name, due in (("Near", "2998-11-30"), ("Far", "2999-05-01")):
        await memory.entities.remember(name=name, type="task", properties={"status": "open", "due": due})
    told = await answer(memory, "What is due before 1 December 2998?")
    assert '"Near"' in told
    assert '"Far"' not in told
    found = await memory.recall.recall("What is due in May 2998?")
    assert "Near" not in str(found.content)
    assert "No open task or goal is due in that time." in (found.warnings or ())


async def test_a_newer_statement_with_an_open_question_comes_before_the_earlier_one(shop: Memory) -> None:
    told = await answer(shop, "Where does Lena work from?")
    assert 0 < told.find("Malmö") < told.find("Berlin")
