"""Neo4j Browser in a real Chromium: what a person sees who opens it on the local Neo4j."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import anyio
import anyio.to_thread
import pytest
from playwright.async_api import (
    BrowserContext,
    ConsoleMessage,
    Frame,
    Page,
    Request,
    Route,
    async_playwright,
    expect,
)

from acceptance.agents import COMMAND, GTD, environment_of, run
from graph_memory import Memory, Settings, local, ontology_from
from graph_memory.local.browser.jar import read_saved_queries

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]

ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
LOCAL_HOSTS = {"localhost", "127.0.0.1"}
SCREEN = {"width": 1440, "height": 700}
LONG = 30_000

NODES = """() => [...document.querySelectorAll("g.node")].map((node) => ({
  caption: [...node.querySelectorAll("text")].map((text) => text.textContent.trim()).join(" ").trim(),
  colour: node.querySelector("circle.b-outline").getAttribute("fill"),
}))"""


@dataclass
class Seen:
    """A page, the addresses that it came to or asked, those on other machines, and what its console complained of."""

    page: Page
    addresses: list[str] = field(default_factory=list[str])
    outside: list[str] = field(default_factory=list[str])
    complaints: list[str] = field(default_factory=list[str])

    def note_request(self, request: Request) -> None:
        self.addresses.append(request.url)
        url = urlsplit(request.url)
        if url.scheme not in ("data", "blob") and url.hostname not in LOCAL_HOSTS:
            self.outside.append(request.url)

    def came(self, frame: Frame) -> None:
        self.addresses.append(frame.url)

    def note_console(self, message: ConsoleMessage) -> None:
        is_icon = message.location["url"].endswith("/favicon.ico")  # asked for beside a page that is no HTML
        if (message.type == "error" and not is_icon) or "graph-memory" in message.text:
            self.complaints.append(f"{message.text} {message.location}")

    async def run(self, text: str) -> None:
        """Type into the editor and run it."""
        await self.page.locator(".monaco-editor").first.click()
        await self.page.keyboard.press("Control+A")
        await self.page.keyboard.insert_text(text)
        await self.page.keyboard.press("Control+Enter")

    async def log_in(self, rendered: dict[str, str]) -> None:
        """Open the page that the command names, and type the password."""
        await self.page.goto(rendered["browser"])
        await expect(self.page.get_by_test_id("username")).to_have_value("neo4j", timeout=LONG)
        await self.page.get_by_test_id("password").fill(rendered["password"])
        await self.page.get_by_test_id("connect").click()
        await expect(self.page.get_by_test_id("guidesDrawer")).to_be_visible(timeout=LONG)

    async def nodes(self) -> dict[str, str]:
        """Give the colour of each node of the newest picture by its caption."""
        await self.page.wait_for_selector("g.node text", timeout=LONG)
        return {node["caption"].removesuffix("…").strip(): node["colour"] for node in await self.page.evaluate(NODES)}


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """The folder of the Chromium's profile."""
    return tmp_path / "profile"


@pytest.fixture
async def chrome(chromium: str, profile: Path) -> AsyncIterator[BrowserContext]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium, args=ARGUMENTS.split(), viewport=SCREEN
        )
        yield browser
        await browser.close()


@pytest.fixture
async def visitor(chrome: BrowserContext) -> AsyncIterator[Seen]:
    """A page of a new visitor. It logs no errors and sends no requests to other machines."""
    page = chrome.pages[0]
    visitor = Seen(page)
    page.on("request", visitor.note_request)
    page.on("framenavigated", visitor.came)
    page.on("console", visitor.note_console)
    page.on("pageerror", lambda error: visitor.complaints.append(str(error)))
    yield visitor
    assert visitor.outside == []
    assert visitor.complaints == []


@pytest.fixture
def login_data(environment: dict[str, str]) -> dict[str, str]:
    """The output of the command if no page can be opened."""
    done = run(environment, "neo4j", "browser", "--no-open", "--show-password", "--json")
    return json.loads(done.stdout)


@pytest.fixture
async def kitchen(memory: Memory) -> dict[str, str]:
    """A day of the demo in a fresh domain, with a type in small letters; titles by id."""
    types = {**GTD, "node_types": [*GTD["node_types"], "habit"]}
    types["connection_types"] = [
        *types["connection_types"],
        {"name": "RelatesTo", "from_types": ["*"], "to_types": ["*"]},
    ]
    await memory.create_ontology(ontology_from(types))
    ids = {
        title: (await memory.create_node(kind, f"# {title}\n\n{text}", properties=properties)).node_id
        for kind, title, text, properties in (
            (
                "Project",
                "Kitchen Renovation",
                "Modern farmhouse style. Budget: $50k.",
                {"status": "active", "priority": 1},
            ),
            ("Project", "Bathroom Remodel", "Farmhouse sink and fixtures.", {"status": "active"}),
            ("Action", "Call contractor", "Get 3 quotes.", {"status": "next", "context": "phone"}),
            ("Action", "Ask the electrician", "The oven needs a circuit of its own.", {"status": "next"}),
            ("Action", "Research sinks", "Find suppliers.", {"status": "next", "context": "computer"}),
            ("Action", "Call plumber", "Schedule bathroom work.", {"status": "waiting", "context": "phone"}),
            ("Context", "Phone", "", {}),
            ("Person", "Anna Anderson", "Recommended by the neighbours.", {"role": "contractor"}),
            ("habit", "Tidy up", "Every Sunday.", {}),
        )
    }
    for kind, start, end, properties in (
        ("NextAction", "Kitchen Renovation", "Call contractor", {}),
        ("NextAction", "Kitchen Renovation", "Ask the electrician", {}),
        ("NextAction", "Bathroom Remodel", "Research sinks", {}),
        ("NextAction", "Bathroom Remodel", "Call plumber", {}),
        ("RequiresContext", "Call contractor", "Phone", {}),
        ("RequiresContext", "Ask the electrician", "Phone", {}),
        ("RequiresContext", "Call plumber", "Phone", {}),
        ("DependsOn", "Call plumber", "Research sinks", {}),
        ("WaitingFor", "Kitchen Renovation", "Anna Anderson", {"since": "2025-10-15", "follow_up_date": "2025-11-15"}),
        ("RelatesTo", "Tidy up", "Bathroom Remodel", {}),
    ):
        await memory.create_connection(kind, ids[start], ids[end], properties=properties)
    return ids


async def open_favourites(page: Page) -> None:
    await page.get_by_test_id("navigationFavorites").click()
    await page.get_by_text("graph-memory", exact=True).first.click()


async def test_a_person_who_logs_in_finds_titles_colours_a_guide_and_saved_queries(
    login_data: dict[str, str], visitor: Seen, kitchen: dict[str, str], domain: str, tmp_path: Path
) -> None:
    page = visitor.page
    await visitor.log_in(login_data)
    drawer = page.get_by_test_id("guidesDrawer")
    await expect(drawer).to_contain_text("What your agents remember")
    await visitor.run(f':param domain => "{domain}"')
    await visitor.run(":clear")
    await open_favourites(page)
    for title in read_saved_queries():
        await expect(page.get_by_text(title, exact=True)).to_be_visible()
    await page.get_by_test_id("navigationGuides").click()
    await drawer.locator("pre", has_text="OPTIONAL MATCH").first.click()
    await page.get_by_test_id("editor-Run").click()

    nodes = await visitor.nodes()
    assert set(nodes) == set(kitchen)
    colours = {nodes[title] for title in ("Kitchen Renovation", "Call contractor", "Phone", "Anna Anderson", "Tidy up")}
    assert len(colours) == 5
    assert nodes["Kitchen Renovation"] == nodes["Bathroom Remodel"]

    await page.wait_for_timeout(3_000)  # the picture comes to rest
    await page.locator("g.node", has_text="Kitchen").first.click()
    shown = page.get_by_test_id("viz-details-pane-properties-table")
    assert await shown.locator("tr td:first-child").all_inner_texts() == ["priority", "status", "_title", "_content"]
    await page.mouse.move(5, 5)
    await page.screenshot(path=tmp_path / "browser.png")
    if wanted := os.environ.get("SCREENSHOT"):
        shutil.copyfile(tmp_path / "browser.png", wanted)
    await page.get_by_text("Show all", exact=True).click()
    await expect(shown).to_contain_text("_version")


async def open_by_command(visitor: Seen, environment: dict[str, str], domain: str, folder: Path) -> str:
    """Have the command open the page in a domain; give the address that the web browser was started with."""
    address, browser = folder / "address", folder / "browser"
    browser.write_text(f'#!/bin/sh\necho chatter\nprintf %s "$1" > {address}.part && mv {address}.part {address}\n')
    browser.chmod(0o700)
    arguments = [COMMAND, "neo4j", "browser", "--domain", domain, "--json"]
    async with await anyio.open_process(arguments, env={**environment, "BROWSER": str(browser)}) as command:
        while not address.exists():  # noqa: ASYNC110 - another process makes it
            await anyio.sleep(0.05)
        text = address.read_text()
        await visitor.page.goto(text)
        assert await command.wait() == 0
        assert command.stdout is not None
        assert json.loads(await command.stdout.receive())["opened"] is True
    await expect(visitor.page.get_by_test_id("guidesDrawer")).to_be_visible(timeout=LONG)
    return text


def history_of(profile: Path) -> bytes:
    """Give what a Chromium that was closed has written down of where it was."""
    return b"".join(file.read_bytes() for file in profile.glob("Default/History*"))


async def test_the_command_opens_a_domain_logged_in_and_keeps_the_password_out_of_addresses(
    login_data: dict[str, str],
    visitor: Seen,
    kitchen: dict[str, str],
    environment: dict[str, str],
    domain: str,
    tmp_path: Path,
    profile: Path,
) -> None:
    opened_address = await open_by_command(visitor, environment, domain, tmp_path)
    assert re.fullmatch(re.escape(login_data["browser"]) + r"#login=\d+/[\w-]{43}", opened_address)
    assert visitor.page.url == login_data["browser"]
    assert set(await visitor.nodes()) == set(kitchen)
    if wanted := os.environ.get("SCREENSHOT_OF_HANDOVER"):
        await visitor.page.screenshot(path=wanted)

    await visitor.page.context.close()
    assert login_data["browser"] in visitor.addresses
    assert not any(login_data["password"] in unquote(address) for address in (opened_address, *visitor.addresses))
    assert login_data["browser"].encode() in history_of(profile)
    assert login_data["password"].encode() not in history_of(profile)


async def test_a_link_that_is_not_the_commands_logs_nobody_in(login_data: dict[str, str], visitor: Seen) -> None:
    login = json.dumps({"host": "bolt://example.org:7687", "username": "eve", "password": "x", "domain": "hers"})
    requests: list[str] = []

    async def hand_over(route: Route) -> None:
        requests.append(route.request.url)
        await route.fulfill(body=login, headers={"Access-Control-Allow-Origin": "*"})

    await visitor.page.route(re.compile("127.0.0.1:9/"), hand_over)
    for fragment in (quote(login), f"9/{'x' * 42}", f"9/{'x' * 42}/", f"example.org/{'x' * 43}", f"9/{'x' * 43}"):
        await visitor.page.goto("about:blank")
        await visitor.page.goto(f"{login_data['browser']}#login={fragment}")
        await expect(visitor.page.get_by_test_id("username")).to_have_value("neo4j", timeout=LONG)
        assert await visitor.page.evaluate("window.graphMemoryParams.domain") == "default"
        assert "example.org" not in await visitor.page.evaluate('localStorage.getItem("neo4j.connections")')
    assert requests == [f"http://127.0.0.1:9/{'x' * 43}"]


async def test_the_domain_that_is_opened_counts_and_not_that_of_whoever_started_the_server(
    visitor: Seen, tmp_path: Path
) -> None:
    alpha = Settings(home=tmp_path / "home", domain="alpha")
    await anyio.to_thread.run_sync(local.ensure_running, alpha)
    try:
        await open_by_command(visitor, environment_of(alpha), "beta", tmp_path)
        await visitor.page.wait_for_timeout(5_000)  # what the server has it do after a login is done
        await visitor.run("RETURN 'in ' + $domain AS answer")
        answer = visitor.page.get_by_text(re.compile('^"in (alpha|beta)"$')).first
        await expect(answer).to_have_text('"in beta"', timeout=LONG)
    finally:
        await visitor.page.goto("about:blank")  # or it complains of the server that goes
        await anyio.to_thread.run_sync(local.stop, alpha)


async def test_the_line_for_cypher_shell_holds_no_password_and_hands_over_the_right_one(
    login_data: dict[str, str], environment: dict[str, str], settings: Settings, tmp_path: Path
) -> None:
    shell = tmp_path / "cypher-shell"
    shell.write_text('#!/bin/sh\necho "$NEO4J_USERNAME $NEO4J_PASSWORD $*"\n')
    shell.chmod(0o700)
    line = json.loads(run(environment, "neo4j", "browser", "--no-open", "--json").stdout)["cypher_shell"]
    assert login_data["password"] not in line
    pasted = await anyio.run_process(["sh", "-c", line], env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert pasted.stdout.decode().split() == ["neo4j", login_data["password"], "-a", local.ensure_running(settings).uri]


async def test_what_a_person_changed_or_deleted_stays_so(login_data: dict[str, str], visitor: Seen) -> None:
    page = visitor.page
    await visitor.log_in(login_data)
    await page.wait_for_function("""() => localStorage.getItem("neo4j.connections").match(/"password":"[^"]/)""")
    await page.goto(login_data["browser"] + "graph-memory/style.grass")
    changed = await page.evaluate("""() => {
      const read = (key) => JSON.parse(localStorage.getItem(key));
      const documents = read("neo4j.documents").filter((one) => !(one.content ?? "").startsWith("// The ontology"));
      documents.push({ id: "mine", content: "// Mine\\nRETURN 1" });
      const style = { ...read("neo4j.grass"), "node.Project": { color: "#000000" } };
      localStorage.setItem("neo4j.documents", JSON.stringify(documents));
      localStorage.setItem("neo4j.grass", JSON.stringify(style));
      localStorage.setItem("graph-memory.seeds", JSON.stringify({ ...read("graph-memory.seeds"), settings: {} }));
      return documents.filter((one) => one.id).length;
    }""")
    await page.goto(login_data["browser"])
    await expect(page.get_by_test_id("guidesDrawer")).to_be_visible(timeout=LONG)
    await open_favourites(page)
    await expect(page.get_by_text("Mine", exact=True)).to_be_visible()
    await expect(page.get_by_text("The live graph", exact=True)).to_be_visible()
    await expect(page.get_by_text("The ontology", exact=True)).to_have_count(0)
    documents = await page.evaluate('() => JSON.parse(localStorage.getItem("neo4j.documents"))')
    assert changed == len(
        [document for document in documents if "id" in document]
    )  # the others are Neo4j Browser's own
    style = await page.evaluate('() => JSON.parse(localStorage.getItem("neo4j.grass"))')
    assert style["node.Project"]["color"] == "#000000"  # Neo4j Browser adds a caption once it draws one
