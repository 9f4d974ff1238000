"""The Chromium in which the tests of this folder open pages, and a visit of the viewer in it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

from acceptance.agents import COMMAND
from acceptance.browser.household import fill
from acceptance.browser.visits import Visit, log_in
from graph_memory import Memory

ROOT = Path(__file__).parents[3]
SOFTWARE_GL = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@pytest.fixture(scope="session")
def chromium() -> str:
    """The Chromium of this machine."""
    text = next((path for name in NAMES if (path := shutil.which(name))), None)
    if text is None and os.environ.get("REQUIRE_CHROMIUM"):
        pytest.fail("REQUIRE_CHROMIUM is set, and there is no Chromium on the PATH")
    if text is None:
        pytest.skip(f"there is no Chromium on the PATH (looked for {', '.join(NAMES)})")
    return text


@pytest.fixture(scope="session")
def build_viewer() -> None:
    """Build the viewer if nobody has, and install the packages that check it."""
    steps = [] if (ROOT / "src/graph_memory/viewer/index.html").exists() else ["build"]
    subprocess.run([sys.executable, ROOT / "tools/node_packages.py", ROOT / "web", *steps], check=True)


@pytest.fixture(scope="module")
def server(own_home: dict[str, str], build_viewer: None) -> Iterator[str]:
    """The address at which a process serves the viewer."""
    assert build_viewer is None
    command = [COMMAND, "view", "--no-open", "--port", "0"]
    with subprocess.Popen(command, env=own_home, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().partition("#")[0]
            _wait_for_socket(Path(own_home["GRAPH_MEMORY_HOME"]))
            yield address
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)


def _wait_for_socket(home: Path) -> None:
    """Wait until other commands find the server, or they would start their own."""
    until = time.monotonic() + 60
    while not [*(home / "sockets").glob("*.sock")]:
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.fixture
async def household(memory: Memory, domain: str) -> dict[str, str]:
    """The ids of some nodes of a small household in the test's domain."""
    return await fill(memory, domain, people=8)


@pytest.fixture
async def chrome(chromium: str) -> AsyncIterator[Browser]:
    """A Chromium that draws without a graphics card."""
    async with async_playwright() as playwright:
        yield await playwright.chromium.launch(executable_path=chromium, args=SOFTWARE_GL)


@pytest.fixture
async def visit(
    chrome: Browser, own_home: dict[str, str], server: str, domain: str, household: dict[str, str]
) -> AsyncIterator[Visit]:
    """A visit of the household without errors, and without requests to other machines."""
    assert household
    visit = await log_in(await chrome.new_context(), own_home, server, domain)
    yield visit
    assert visit.complaints == []
