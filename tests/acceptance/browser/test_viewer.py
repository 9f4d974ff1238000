"""The viewer in a real Chromium, on a real memory: what a person sees and does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import anyio
import pytest
from playwright.async_api import Browser, Route, async_playwright, expect

from acceptance.browser.household import HOSTILE_TITLE
from acceptance.browser.visits import LONG, Visit, log_in
from graph_memory import Memory

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]

ROOT = Path(__file__).parents[3]
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
WITHOUT_GL = ["--no-sandbox", "--disable-gpu", "--disable-3d-apis"]
SERIOUS = """async () => (await axe.run()).violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => target + " " + failureSummary)}`)"""


async def test_keys_change_the_page_one_after_the_other(visit: Visit) -> None:
    page = visit.page
    await visit.open("home")
    await page.keyboard.press("2")
    search = page.get_by_role("searchbox", name="Search", exact=True)
    await expect(search).to_be_visible(timeout=LONG)
    await expect(search).not_to_be_focused()
    await page.keyboard.press("1")
    await page.get_by_role("link", name="Nodes", exact=True).click()
    await expect(search).to_be_focused(timeout=LONG)


async def test_a_person_finds_a_node_renames_it_and_undoes_that(
    visit: Visit, household: dict[str, str], memory: Memory
) -> None:
    page = visit.page
    await visit.open("home")
    await expect(page.get_by_text("may replace").first).to_be_visible(timeout=LONG)
    await page.keyboard.press("/")
    await expect(page.get_by_role("searchbox")).to_be_focused(timeout=LONG)
    await page.keyboard.type("sourdough")
    await page.keyboard.press("Enter")
    link = page.get_by_role("link", name="Sourdough recipe")
    await expect(page.get_by_text("best first")).to_be_visible(timeout=LONG)
    await expect(link).to_be_visible(timeout=LONG)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    card = page.get_by_role("complementary", name="Node Sourdough recipe")
    await expect(card.get_by_text("Feed the starter")).to_be_visible(timeout=LONG)
    await page.keyboard.press("e")
    await page.get_by_label("Title", exact=True).fill("Rye bread")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", name="Rye bread")).to_be_visible(timeout=LONG)
    assert (await memory.get_node(household["recipe"])).title == "Rye bread"
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("heading", name="Sourdough recipe")).to_be_visible(timeout=LONG)
    assert (await memory.get_node(household["recipe"])).title == "Sourdough recipe"
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("complementary")).to_have_count(0)


async def test_the_address_of_a_domain_logs_in_and_its_entities_have_observations(
    chrome: Browser, own_home: dict[str, str], server: str, domain: str, household: dict[str, str], memory: Memory
) -> None:
    visit = await log_in(await chrome.new_context(), own_home, server, domain, "--domain", domain)
    page = visit.page
    await expect(page.get_by_role("heading", level=1)).to_have_text(domain, timeout=LONG)
    [entity] = (await memory.entities.open_nodes(["Oskar"], detail=True)).entities
    await visit.open("nodes", node=str(entity.id))
    end = page.get_by_role("button", name="No longer true", exact=True)
    fact = page.get_by_role("listitem").filter(has=end).filter(has_text="drives an old van")
    await fact.get_by_role("button", name="No longer true").click(timeout=LONG)
    await expect(fact).to_have_count(0, timeout=LONG)
    await expect(page.get_by_role("listitem").filter(has=end)).to_have_count(1)
    assert visit.complaints == []


async def test_an_error_of_the_server_is_shown_at_its_field(visit: Visit, household: dict[str, str]) -> None:
    page = visit.page
    await visit.open("nodes", node=household["project"])
    await page.get_by_role("button", name="Edit").click()
    path = page.locator("form").get_by_label("Path")
    await path.fill("/" + 300 * "x")
    await page.get_by_role("button", name="Save").click()
    await expect(path).to_have_attribute("aria-invalid", "true", timeout=LONG)
    assert all("400" in text or "409" in text for text in visit.complaints)
    visit.complaints.clear()


async def test_stored_text_is_never_run(visit: Visit, household: dict[str, str]) -> None:
    page = visit.page
    await visit.open("nodes", node=household["hostile"])
    card = page.get_by_role("complementary")
    await expect(card.get_by_role("heading", name=HOSTILE_TITLE)).to_be_visible(timeout=LONG)
    await expect(card.get_by_text("[Click](javascript:window.harmed=1)")).to_be_visible(timeout=LONG)
    await expect(card.get_by_role("link", name="read")).to_have_attribute("rel", re.compile("noopener"))
    await expect(card.get_by_text("<b>bold</b>")).to_be_visible()
    for place in ("home", "time", "graph"):
        await visit.open(place, seed=household["hostile"], node=household["hostile"])
        await page.wait_for_timeout(1_000)
    assert await page.evaluate("window.harmed") is None
    assert await page.locator("a[href^='javascript']").count() == 0
    assert await page.locator("main script, aside script, aside img").count() == 0


async def test_changes_of_others_appear_without_a_reload(
    visit: Visit, household: dict[str, str], memory: Memory
) -> None:
    await visit.open("nodes", node=household["project"])
    heading = visit.page.get_by_role("complementary").get_by_role("heading", level=2).first
    await expect(heading).to_have_text("Renovate the kitchen", timeout=LONG)
    await memory.update_node(household["project"], title="Renovate everything")
    await expect(heading).to_have_text("Renovate everything", timeout=LONG)


async def test_a_question_is_decided_at_home(visit: Visit, household: dict[str, str], memory: Memory) -> None:
    await visit.open("home")
    row = visit.page.get_by_role("listitem").filter(has_text="may replace").first
    await row.get_by_role("button", name="The new one replaces it").click(timeout=LONG)
    answer = "Decided: the new one replaces it: Mira"
    await expect(visit.page.get_by_role("status").filter(has_text=answer)).to_be_visible(timeout=LONG)
    await expect(row.get_by_text(answer)).to_be_visible()
    await expect(row.get_by_role("button")).to_have_count(0)
    counted = visit.page.get_by_role("group").filter(has_text="Open questions").locator("summary")
    await expect(counted).to_have_text("Open questions 0", timeout=LONG)
    await expect(row.get_by_text(answer)).to_be_visible()
    assert "open_question" not in (await memory.entities.graph_health()).counts


async def test_the_graph_is_drawn_and_grows(visit: Visit, household: dict[str, str]) -> None:
    page = visit.page
    await visit.open("graph", seed=household["recipe"], layout="radial")
    counts = page.get_by_text(re.compile(r"^6 nodes, \d+ connections"))
    await expect(counts).to_be_visible(timeout=LONG)
    assert await page.locator(".canvas canvas").count() > 0
    await visit.open("graph", seed=household["recipe"], open=household["person"], node=household["person"])
    await expect(page.get_by_role("button", name="Expand")).to_be_visible(timeout=LONG)
    await expect(page.get_by_text(re.compile(r"^([7-9]|\d\d) nodes, \d+ connections"))).to_be_visible(timeout=LONG)


async def test_a_path_is_found_between_two_nodes_and_shown_in_words(
    visit: Visit, household: dict[str, str], memory: Memory
) -> None:
    page = visit.page
    await visit.open("nodes", node=household["recipe"])
    await page.get_by_role("link", name="Find a path from here").click(timeout=LONG)
    await expect(page.get_by_label("From")).to_have_value("Sourdough recipe", timeout=LONG)
    await expect(page.get_by_label("To", exact=True)).to_be_focused()
    await page.keyboard.type("Anna Berg")
    await page.keyboard.press("Enter")
    paths = page.get_by_role("list", name="Paths")
    await expect(paths.get_by_role("listitem").first).to_have_text(
        "Sourdough recipe — mentions → Anna Berg", timeout=LONG
    )
    lonely = (await memory.create_node("Note", "A lonely note", title="Lonely")).node_id
    await visit.open("graph", path=f"{household['recipe']},{lonely}")
    await expect(page.get_by_text("Lonely has no connections.")).to_be_visible(timeout=LONG)


async def test_without_webgl_the_graph_is_a_list(
    chromium: str, own_home: dict[str, str], server: str, domain: str, household: dict[str, str]
) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=WITHOUT_GL)
        visit = await log_in(await browser.new_context(), own_home, server, domain)
        await visit.open("graph", seed=household["recipe"])
        await expect(visit.page.get_by_text("has no WebGL2")).to_be_visible(timeout=LONG)
        row = visit.page.get_by_role("listitem").filter(
            has=visit.page.get_by_role("link", name="Anna Berg", exact=True)
        )
        await row.get_by_role("button", name="Expand").click()
        await expect(visit.page.get_by_role("link", name="Renovate the", exact=False).first).to_be_visible(timeout=LONG)
        await visit.page.get_by_role("button", name="Overview").click()
        communities = visit.page.get_by_role("list", name="Communities").get_by_role("button")
        await communities.first.click(timeout=LONG)
        await expect(visit.page.get_by_role("button", name="Expand").first).to_be_visible(timeout=LONG)


async def test_the_overview_shows_the_whole_domain_and_opens_a_community(visit: Visit, memory: Memory) -> None:
    page = visit.page
    overview = await memory.recall.get_communities(max_wait=30)
    assert len(overview.communities) > 2
    await visit.open("graph")
    await page.get_by_role("button", name="Overview").click()
    text = f"{overview.nodes} nodes in {len(overview.communities)} communities"
    await expect(page.get_by_text(text)).to_be_visible(timeout=LONG)
    await expect(page.locator(".canvas canvas").first).to_be_attached(timeout=LONG)
    await page.get_by_role("combobox", name="Show as").select_option("List")
    first = overview.communities[0]
    await page.get_by_role("button", name=first.label).focus()
    await page.keyboard.press("Enter")
    title = first.nodes[0].title
    await expect(page.get_by_text(f"Community of {title}: {first.size} nodes")).to_be_visible(timeout=LONG)
    await expect(page.get_by_role("link", name=title, exact=True)).to_be_visible()
    await page.get_by_role("combobox", name="Show as").select_option("Picture")
    legend = page.get_by_role("list", name="Colours")
    await page.get_by_role("combobox", name="Colour").select_option("Community")
    await expect(legend).to_have_text(title, timeout=LONG)
    await page.get_by_role("combobox", name="Colour").select_option("Use")
    await expect(legend).to_contain_text("in no reply", timeout=LONG)
    await page.go_back()
    await expect(page.get_by_text(text)).to_be_visible(timeout=LONG)


async def test_a_domain_of_one_community_begins_with_its_nodes(visit: Visit, memory: Memory, domain: str) -> None:
    small = f"{domain}-small"
    people = [{"name": name, "entityType": "person"} for name in ("Ann", "Ben")]
    await memory.entities.create_entities(people, domain=small)
    await memory.entities.create_relations([{"from": "Ann", "to": "Ben", "relationType": "knows"}], domain=small)
    await visit.open("graph", domain=small, **{"as": "list"})
    for name in ("Ann", "Ben"):
        await expect(visit.page.get_by_role("link", name=name, exact=True)).to_be_visible(timeout=LONG)
    await visit.page.get_by_role("button", name="Overview").click()
    await expect(visit.page.get_by_text("2 nodes in 1 community")).to_be_visible(timeout=LONG)


async def test_the_graph_of_many_differences_says_how_many_it_leaves_out(visit: Visit, memory: Memory) -> None:
    start = (await memory.domain_info()).events
    create = {"op": "create_node", "type": "Note", "content": "A note"}
    await memory.execute_batch([{**create, "title": f"Note {number}"} for number in range(310)])
    await visit.open("graph", since=str(start), **{"as": "list"})
    await expect(visit.page.get_by_text("10 differences not drawn")).to_be_visible(timeout=LONG)
    await expect(visit.page.get_by_text("300 nodes, 0 connections")).to_be_visible(timeout=LONG)


async def test_the_graph_of_differences_shows_nodes_before_more_connections_than_it_reads(
    visit: Visit, memory: Memory
) -> None:
    create = {"op": "create_node", "content": "A text"}
    ends = {"n": "Note", "p": "Project"}
    nodes = [{**create, "type": ends[end], "title": f"{end}{n}", "id": f"{end}{n}"} for end in ends for n in range(40)]
    await memory.execute_batch(nodes)
    start = (await memory.domain_info()).events
    connect = {"op": "create_connection", "type": "Mentions"}
    pairs = [
        {**connect, "from_node_id": f"n{first}", "to_node_id": f"p{last}"} for first in range(30) for last in range(40)
    ]
    await memory.execute_batch(pairs[:600])
    await memory.execute_batch(pairs[600:])
    await memory.execute_batch([{**create, "type": "Note", "title": f"New {number}"} for number in range(3)])
    await visit.open("graph", since=str(start), **{"as": "list"})
    await expect(visit.page.get_by_text("New 2")).to_be_visible(timeout=LONG)


async def test_an_accepted_change_is_accepted_for_everybody(visit: Visit, memory: Memory) -> None:
    page = visit.page
    await memory.in_session("morning").create_node("Note", "Buy grout", title="Buy grout")
    end = (await memory.domain_info()).events
    await visit.open("time", show="sessions", session="morning")
    change = page.get_by_role("listitem").filter(has_text="Buy grout")
    await change.get_by_role("button", name="Accept").click(timeout=LONG)
    await expect(change.get_by_text("Accepted by you")).to_be_visible(timeout=LONG)
    await expect(page.get_by_role("button", name="All reviewed")).to_be_disabled(timeout=LONG)
    assert (await memory.history.reviewed()).verdicts == {end: "accept"}
    await memory.history.mark_reviewed({end: "reject"})
    await page.reload()
    await expect(change.get_by_text("Rejected")).to_be_visible(timeout=LONG)
    await change.get_by_role("button", name="Accept").click()
    await expect(change.get_by_text("Accepted by you")).to_be_visible(timeout=LONG)  # "AcceptEdit" contains "accepted"
    await page.get_by_role("button", name="Undo").click()
    await expect(change.get_by_text("Rejected")).to_be_visible(timeout=LONG)
    assert (await memory.history.reviewed()).verdicts == {end: "reject"}


async def test_the_undo_of_a_revert_removes_its_verdict(visit: Visit, memory: Memory) -> None:
    page = visit.page
    await memory.in_session("noon").create_node("Note", "Buy tiles", title="Buy tiles")
    end = (await memory.domain_info()).events
    await visit.open("time", show="sessions", session="noon")
    change = page.get_by_role("listitem").filter(has_text="Buy tiles")
    await change.get_by_role("button", name="Revert").click(timeout=LONG)
    await expect(change.get_by_text("Reverted by you", exact=True)).to_be_visible(timeout=LONG)
    await page.get_by_role("button", name="Undo").first.click()
    await expect(change.get_by_text("Reverted by you", exact=True)).to_have_count(0, timeout=LONG)
    assert end not in (await memory.history.reviewed()).verdicts
    await page.get_by_role("button", name="Revert the session").click()
    await page.get_by_role("button", name="Revert 1 change").click(timeout=LONG)
    await expect(change.get_by_text("Reverted by you", exact=True)).to_be_visible(timeout=LONG)
    assert (await memory.history.reviewed()).verdicts == {end: "reject"}


async def test_the_changes_of_the_base_are_not_reviewed_in_a_branch(visit: Visit, memory: Memory, domain: str) -> None:
    page = visit.page
    await memory.in_session("evening").create_node("Note", "Buy paint", title="Buy paint")
    branch = (await memory.history.branch(f"{domain}/trial")).domain
    await visit.open("time", show="sessions", session="evening", domain=branch)
    change = page.get_by_role("listitem").filter(has_text="Buy paint")
    await expect(change).to_be_visible(timeout=LONG)
    await expect(page.get_by_role("button", name="Not in the log of this domain")).to_be_disabled(timeout=LONG)
    await expect(change.get_by_role("button", name=re.compile("Accept|Revert"))).to_have_count(0)
    await visit.open("home", domain=branch)
    await expect(page.get_by_text("Buy paint")).to_be_visible(timeout=LONG)
    await expect(page.get_by_role("button", name="Revert")).to_have_count(0)


async def test_a_difference_is_reverted_in_the_domain_whose_log_has_it(
    visit: Visit, memory: Memory, domain: str
) -> None:
    page = visit.page
    node = (await memory.create_node("Note", "Buy a rope", title="Buy a rope")).node_id
    branch = (await memory.history.branch(f"{domain}/cut")).domain
    await memory.delete_node(node, domain=branch)
    row = page.get_by_role("listitem").filter(has_text="Buy a rope")
    revert = row.get_by_role("button", name="Revert the last change")
    await visit.open("time", show="merge")
    await expect(row).to_be_visible(timeout=LONG)
    await expect(revert).to_have_count(0)
    await visit.open("time", show="merge", domain=branch)
    await revert.click(timeout=LONG)
    await expect(page.get_by_text(f"Nothing has changed in {branch}.")).to_be_visible(timeout=LONG)
    assert (await memory.get_node(node, domain=branch)).title == "Buy a rope"


async def test_a_branch_is_compared_with_its_base_and_merged_into_it(visit: Visit, memory: Memory, domain: str) -> None:
    page = visit.page
    branch = (await memory.history.branch(f"{domain}/plan")).domain
    await memory.create_node("Note", "Buy a saw", title="Buy a saw", domain=branch)
    await memory.create_node("Note", "Buy a lamp", title="Buy a lamp")
    await visit.open("time", show="merge")
    only = page.locator("section").filter(has_text=f"Changed in {branch} since")
    since = page.locator("section").filter(has_text=f"Changed in {domain} since the branch")
    await expect(only.get_by_role("link", name="Buy a saw")).to_be_visible(timeout=LONG)
    await expect(since.get_by_role("link", name="Buy a lamp")).to_be_visible(timeout=LONG)
    await expect(page.get_by_role("link", name="Buy a", exact=False)).to_have_count(2)
    await page.get_by_role("button", name=f"Merge 1 change of {branch} into {domain}").click()
    await expect(page.get_by_role("button", name=f"{domain} has all changes of {branch}")).to_be_visible(timeout=LONG)
    titles = {node.title for node in (await memory.query_nodes(type="Note", detail=True)).nodes or ()}
    assert {"Buy a saw", "Buy a lamp"} <= titles


async def test_nodes_are_listed_by_their_tag(visit: Visit) -> None:
    page = visit.page
    await visit.open("nodes")
    await page.get_by_label("Tag").fill("bread")
    await expect(page.get_by_text("1 of 1")).to_be_visible(timeout=LONG)
    await expect(page.get_by_role("link", name="Sourdough recipe")).to_be_visible()


async def test_pages_are_accessible_in_light_and_dark(
    chrome: Browser, own_home: dict[str, str], server: str, domain: str, household: dict[str, str]
) -> None:
    pages: list[tuple[str, dict[str, Any]]] = [
        ("home", {}),
        ("nodes", {"node": household["recipe"]}),
        ("nodes", {"q": "kitchen"}),
        ("graph", {"seed": household["recipe"]}),
        ("graph", {"seed": household["recipe"], "as": "list"}),
        ("graph", {"overview": "1"}),
        ("graph", {"overview": "1", "as": "list"}),
        ("time", {}),
        ("time", {"show": "differences", "since": "5"}),
        ("time", {"show": "sessions"}),
        ("recall", {"q": "Where does Mira live?"}),
    ]
    findings: dict[str, list[str]] = {}
    for theme in ("light", "dark"):
        context = await chrome.new_context(color_scheme=theme, reduced_motion="reduce", bypass_csp=True)
        visit = await log_in(context, own_home, server, domain)
        for page, parameters in pages:
            await visit.open(page, **parameters)
            await expect(visit.page.get_by_text("Loading…")).to_have_count(0, timeout=LONG)
            await visit.page.add_script_tag(path=AXE)
            if serious := await visit.page.evaluate(SERIOUS):
                findings[f"{page} {parameters} {theme}"] = serious
    assert findings == {}


async def test_a_phone_shows_the_list_and_the_card(
    chrome: Browser, own_home: dict[str, str], server: str, domain: str, household: dict[str, str]
) -> None:
    context = await chrome.new_context(viewport={"width": 375, "height": 800}, has_touch=True)
    visit = await log_in(context, own_home, server, domain)
    for page, parameters in (("home", {}), ("nodes", {}), ("nodes", {"node": household["recipe"]})):
        await visit.open(page, **parameters)
        await expect(visit.page.get_by_text("Loading…")).to_have_count(0, timeout=LONG)
        assert await visit.page.evaluate("document.documentElement.scrollWidth") <= 375


async def test_home_shows_domains_and_changes_while_its_slow_parts_are_read(visit: Visit) -> None:
    page, begun = visit.page, set[str]()
    may_answer = {"get_domain": anyio.Event(), "graph_health": anyio.Event()}

    async def hold(route: Route) -> None:
        operation = route.request.url.rpartition("/")[2]
        begun.add(operation)
        await may_answer[operation].wait()
        await route.continue_()

    for operation in may_answer:
        await page.route(f"**/{operation}", hold)
    await visit.open("home")
    domains, changes = (page.locator("section").filter(has_text=title) for title in ("Domains", "Latest changes"))
    await expect(domains.get_by_role("listitem").first).to_be_visible(timeout=LONG)
    await expect(changes.get_by_role("listitem")).to_have_count(12, timeout=LONG)
    figures = page.get_by_role("list").filter(has_text="nodes").first
    findings = page.locator("section").filter(has_text="To settle")
    await expect(figures.get_by_text("…").first).to_be_visible()
    await expect(findings.get_by_text("Loading…")).to_be_visible()
    before = await changes.bounding_box()
    for operation, part in (("get_domain", figures), ("graph_health", findings)):
        await expect(part.get_by_text("…").first).to_be_visible()
        assert operation == "graph_health" or "graph_health" not in begun
        may_answer[operation].set()
        await expect(part.get_by_text("…")).to_have_count(0, timeout=LONG)
    assert await changes.bounding_box() == pytest.approx(before, abs=1)
