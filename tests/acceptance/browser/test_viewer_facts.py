"""Facts in the viewer: a person corrects, adds, ends, merges, deletes and forgets them."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from acceptance.browser.visits import LONG, Visit
from graph_memory import Memory

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]


async def read_observations(memory: Memory, name: str) -> tuple[str, ...]:
    """Return the current observations of an entity."""
    [entity] = (await memory.entities.open_nodes([name])).entities
    return entity.observations


async def test_a_person_corrects_adds_and_ends_an_observation(visit: Visit, memory: Memory) -> None:
    page = visit.page
    await visit.open("home")
    await page.get_by_role("link", name="Mira", exact=True).first.click(timeout=LONG)
    card = page.get_by_role("complementary")
    await card.get_by_role("button", name="plays the cello", exact=True).click(timeout=LONG)
    await card.get_by_label("Corrected text").fill("plays the double bass")
    await page.keyboard.press("Enter")
    await expect(card.get_by_role("button", name="plays the double bass", exact=True)).to_be_visible(timeout=LONG)
    await card.get_by_role("button", name="Add an observation").click()
    await card.get_by_label("New observation").fill("keeps two bees")
    await card.get_by_role("button", name="Save").click()
    await expect(card.get_by_role("button", name="keeps two bees", exact=True)).to_be_visible(timeout=LONG)
    walnuts = card.get_by_role("listitem").filter(has=page.get_by_role("button", name="is allergic to walnuts"))
    await walnuts.get_by_role("button", name="No longer true").click()
    await card.get_by_text("2 observations no longer true").click(timeout=LONG)
    await expect(card.get_by_text("until").first).to_be_visible()
    observations = await read_observations(memory, "Mira")
    assert {"plays the double bass", "keeps two bees"} <= {*observations}
    assert not {"plays the cello", "is allergic to walnuts"} & {*observations}


async def test_a_correction_is_kept_if_the_fact_ends_meanwhile(visit: Visit, memory: Memory) -> None:
    page = visit.page
    [mira] = (await memory.entities.open_nodes(["Mira"], detail=True)).entities
    await visit.open("nodes", node=str(mira.id))
    await page.get_by_role("button", name="plays the cello", exact=True).click(timeout=LONG)
    field = page.get_by_label("Corrected text")
    await field.fill("plays the double bass")
    await memory.entities.remember(name="Mira", observations=["plays the viola"], replaces="plays the cello")
    await expect(page.get_by_role("alert")).to_contain_text("was corrected or ended", timeout=LONG)
    await expect(field).to_have_value("plays the double bass")
    await expect(field).to_be_focused()
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("button", name="plays the double bass", exact=True)).to_be_visible(timeout=LONG)
    assert {"plays the viola", "plays the double bass"} <= {*await read_observations(memory, "Mira")}


async def test_two_similar_people_are_settled_as_different_at_home(visit: Visit, memory: Memory) -> None:
    page = visit.page
    for name in ("Jon Berg", "John Berg"):
        await memory.entities.remember(name=name, observations=["lives in Linz", "is a carpenter"], type="Person")
    await visit.open("home")
    await page.get_by_role("button", name="Not the same").click(timeout=LONG)
    await expect(page.get_by_role("button", name="Not the same")).to_have_count(0, timeout=LONG)
    await expect(page.get_by_role("listitem").get_by_text("Not the same: ")).to_be_visible()
    assert not (await memory.entities.find_duplicates()).duplicates
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("button", name="Not the same")).to_be_visible(timeout=LONG)


async def test_a_duplicate_is_merged_at_home(visit: Visit, memory: Memory) -> None:
    page = visit.page
    await memory.entities.remember(name="Jon Berg", observations=["lives in Linz", "is a carpenter"], type="Person")
    observations = ["repairs chairs", "lives in Linz", "is a carpenter"]
    await memory.entities.remember(name="John Berg", observations=observations, type="Person")
    await visit.open("home")
    await page.get_by_role("button", name="Merge…").first.click(timeout=LONG)
    await page.get_by_label("John Berg").check()
    await expect(page.get_by_text(re.compile(r"\d observations and 0 connections of Jon Berg"))).to_be_visible(
        timeout=LONG
    )
    await page.get_by_role("button", name="Merge", exact=True).click()
    await expect(page.get_by_role("heading", name="John Berg")).to_be_visible(timeout=LONG)
    assert {"is a carpenter", "repairs chairs"} <= {*await read_observations(memory, "John Berg")}


async def test_the_changes_of_one_call_are_reverted_together(visit: Visit, memory: Memory) -> None:
    for name, fact in (("Katrin", "lives in Linz"), ("Nora", "is a carpenter")):
        await memory.entities.remember(name=name, observations=[fact], type="Person")
    await memory.entities.merge_entities(["Nora"], into="Katrin")
    await visit.open("home")
    merge = visit.page.get_by_role("listitem").filter(has_text=re.compile("and [0-9]+ more changes?")).first
    await merge.get_by_role("button", name="Revert").click(timeout=LONG)
    await expect(visit.page.get_by_role("status").get_by_text("Reverted: ")).to_be_visible(timeout=LONG)
    assert await read_observations(memory, "Nora") == ("is a carpenter",)
    assert await read_observations(memory, "Katrin") == ("lives in Linz",)


async def test_an_entity_is_renamed_by_its_one_field(visit: Visit, memory: Memory) -> None:
    page = visit.page
    [mira] = (await memory.entities.open_nodes(["Mira"], detail=True)).entities
    await visit.open("nodes", node=str(mira.id))
    await page.get_by_role("button", name="Edit", exact=True).click(timeout=LONG)
    await page.get_by_label("Name", exact=True).fill("Mira Okafor")
    await expect(page.get_by_label("Title", exact=True)).to_have_count(0)
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", name="Mira Okafor")).to_be_visible(timeout=LONG)
    [renamed] = (await memory.entities.open_nodes(["Mira Okafor"], detail=True)).entities
    assert renamed.id == mira.id


async def test_a_deleted_person_is_brought_back_and_then_forgotten_for_good(visit: Visit, memory: Memory) -> None:
    page = visit.page
    [entity] = (await memory.entities.open_nodes(["Oskar"], detail=True)).entities
    before = await read_observations(memory, "Oskar")
    await visit.open("nodes", node=str(entity.id))
    await page.get_by_role("button", name="Delete", exact=True).click(timeout=LONG)
    await expect(page.get_by_role("complementary")).to_have_count(0, timeout=LONG)
    await visit.open("nodes", node=str(entity.id))
    await page.get_by_role("button", name="Bring back").click(timeout=LONG)
    forget = page.get_by_role("button", name="Forget for good…")
    await expect(forget).to_be_visible(timeout=LONG)
    assert {*await read_observations(memory, "Oskar")} == {*before}
    await forget.click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text(re.compile(r"erased with \d observations.*cannot be undone"), timeout=LONG)
    await dialog.get_by_role("button", name="Forget for good").click()
    await expect(page.get_by_role("status").filter(has_text="Forgotten for good: Oskar")).to_be_visible(timeout=LONG)
    assert not (await memory.entities.open_nodes(["Oskar"])).entities
    visit.complaints[:] = [text for text in visit.complaints if "404" not in text]


async def test_a_protection_disables_the_actions_of_everyone_whom_it_does_not_name(
    visit: Visit, memory: Memory, domain: str, household: dict[str, str]
) -> None:
    page = visit.page
    await visit.open("home", node=household["recipe"])
    card = page.get_by_role("complementary")
    await page.get_by_role("main").get_by_role("button", name="Protect").click(timeout=LONG)
    mine = "This domain is read-only for everyone but you."
    for part in (page.get_by_role("main"), card):
        await expect(part.get_by_text(mine)).to_be_visible(timeout=LONG)
    await expect(card.get_by_role("button", name="Edit", exact=True)).to_be_enabled()
    await page.get_by_role("button", name="Lift protection").click()
    await expect(page.get_by_text(mine)).to_have_count(0, timeout=LONG)
    await memory.acting_as("carol").protect(domain=domain, reason="Under audit.", can_be_unprotected_by=["carol"])
    for part in (page.get_by_role("main"), card):
        await expect(part.get_by_text("This domain is read-only: protected by carol. Under audit.")).to_be_visible(
            timeout=LONG
        )
    for button in ("Edit", "No longer true", "Delete"):
        await expect(card.get_by_role("button", name=button, exact=True)).to_be_disabled()
    await expect(page.get_by_role("button", name="Lift protection")).to_be_disabled()


async def test_differences_say_that_a_fact_is_no_longer_true_and_who_ended_it(visit: Visit, memory: Memory) -> None:
    page = visit.page
    carol = memory.acting_as("carol", "garage")
    await carol.entities.remember(name="Oskar", observations=["drives a new van"], replaces="drives an old van")
    await visit.open("time", show="differences")
    await page.get_by_role("button", name="Today").click()
    row = page.get_by_role("listitem").filter(has_text="No longer true: drives an old van · Oskar")
    await expect(row).to_contain_text("carol · garage", timeout=LONG)
    await row.get_by_role("button", name="Revert").click()
    await expect(row).to_have_count(0, timeout=LONG)
    assert "drives an old van" in await read_observations(memory, "Oskar")


async def test_a_session_that_others_reverted_is_shown_as_reverted(visit: Visit, memory: Memory) -> None:
    page = visit.page
    await memory.in_session("attic").create_node("Note", "Buy planks", title="Buy planks")
    await visit.open("time", show="sessions", session="attic")
    session = page.get_by_role("list", name="Sessions").get_by_role("button", name="attic")
    await expect(session).not_to_contain_text("Reverted", timeout=LONG)
    await expect(page.get_by_role("button", name="Revert the session")).to_be_enabled()
    await memory.history.revert_session("attic")
    await expect(session).to_contain_text("Reverted", timeout=LONG)
    await expect(page.get_by_role("button", name="Reverted", exact=True)).to_be_disabled(timeout=LONG)


async def test_the_merge_dialog_suggests_entities_and_finds_them_by_name(visit: Visit, memory: Memory) -> None:
    page = visit.page
    [oskar] = (await memory.entities.open_nodes(["Oskar"], detail=True)).entities
    await visit.open("nodes", node=str(oskar.id))
    await page.get_by_role("button", name="Merge with…").click(timeout=LONG)
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_label("Name of the other entity")).to_be_focused()
    await expect(dialog.get_by_text("No similar name. Type a name.")).to_be_visible(timeout=LONG)
    await expect(dialog.get_by_role("button", name="Mira", exact=True)).to_be_visible(timeout=LONG)
    await page.keyboard.type("mira")
    await expect(dialog.get_by_text("No similar name")).to_have_count(0, timeout=LONG)
    await expect(dialog.get_by_role("button", name="Mira", exact=True)).to_be_visible(timeout=LONG)
    await page.keyboard.press("Enter")
    await expect(dialog.get_by_text("Which name stays?")).to_be_visible(timeout=LONG)


async def test_a_contradiction_is_settled_by_one_click(visit: Visit, memory: Memory) -> None:
    page = visit.page
    await visit.open("home")
    await page.get_by_role("button", name="The first is wrong").click(timeout=LONG)
    await expect(page.get_by_role("listitem").get_by_text("No longer true: The bed stands")).to_be_visible(timeout=LONG)
    await expect(page.get_by_role("button", name="is wrong")).to_have_count(0)
    assert not (await memory.find_contradictions()).contradictions
