"""Makes the pictures of the documentation: a recording of the tutorial, and screenshots of the viewer.

`make pictures` runs it. It needs Chromium on the PATH, and uses a home of its own.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

import anyio
from playwright.async_api import Browser, Page, async_playwright

from acceptance.browser import household
from pages import FILE, ROOT, Step, complete, steps_of

IMAGES = ROOT / "docs" / "images"
COMMAND = Path(sys.executable).with_name("graph-memory")
TUTORIAL = ROOT / "docs" / "tutorial.md"
CHROMIUM_ARGUMENTS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
LONG = 60_000
"""Maximum number of milliseconds to wait for a part of a page."""

MAX_COLUMNS = 128
MAX_LINES = 26
"""Number of lines of a screen of the recording."""
COMMAND_SECONDS, OUTPUT_SECONDS, PAUSE_SECONDS = 1.2, 0.12, 3.0
LINE_HEIGHT, CHARACTER_WIDTH, MARGIN = 18, 7.8, 16

SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>The commands of the tutorial and their output</title>
<style>
text{{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#c9d1d9;opacity:0;
animation:{seconds}s step-end infinite}}
.command{{fill:#7ee787}}
{rules}
@media (prefers-reduced-motion){{text{{animation:none}}.first{{opacity:1}}}}
</style>
<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>
{texts}
</svg>
"""


@dataclass(frozen=True)
class Line:
    """A line of the recording, and the second at which it appears."""

    text: str
    is_command: bool
    second: float


@contextmanager
def own_home() -> Generator[dict[str, str]]:
    """Yield the environment of a new home, whose Neo4j is stopped at the end."""
    with TemporaryDirectory() as folder:
        variables = {
            name: value for name, value in os.environ.items() if not name.startswith(("GRAPH_MEMORY", "NEO4J"))
        }
        environment = {**variables, "GRAPH_MEMORY_HOME": folder, "NO_COLOR": "1", "COLUMNS": str(MAX_COLUMNS)}
        try:
            yield environment
        finally:
            subprocess.run([COMMAND, "neo4j", "stop"], env=environment, check=False, stdout=subprocess.DEVNULL)


def play(steps: Sequence[Step], environment: dict[str, str], folder: Path) -> list[list[tuple[str, str]]]:
    """Run the commands of a page. Returns screens of commands with their outputs."""
    screens: list[list[tuple[str, str]]] = [[]]
    before, height = "", 0
    for step in steps:
        command = complete(step.command, before)
        done = subprocess.run(
            [COMMAND, *shlex.split(command)[1:]],
            env=environment,
            cwd=folder,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        before = done.stdout
        lines = 1 + len(before.splitlines())
        if height + lines > MAX_LINES and screens[-1]:
            screens.append([])
            height = 0
        screens[-1].append((command, before))
        height += lines
    return screens


def timed_lines(screens: Sequence[Sequence[tuple[str, str]]]) -> tuple[list[list[Line]], list[float]]:
    """Return the lines of each screen with their times, and the second at which each screen ends."""
    second, timed, ends = 0.5, list[list[Line]](), list[float]()
    for screen in screens:
        lines: list[Line] = []
        for command, output in screen:
            lines.append(Line(f"$ {command}", is_command=True, second=second))
            second += COMMAND_SECONDS
            for text in output.splitlines():
                lines.append(Line(text, is_command=False, second=second))
                second += OUTPUT_SECONDS
        second += PAUSE_SECONDS
        timed.append(lines[:MAX_LINES])
        ends.append(second)
    return timed, ends


def recording(screens: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Return an SVG that shows the screens one after the other, again and again.

    With the setting for reduced motion, it shows the first screen.
    """
    timed, ends = timed_lines(screens)
    rules: list[str] = []
    texts: list[str] = []
    for number, (lines, end) in enumerate(zip(timed, ends, strict=True)):
        for row, line in enumerate(lines):
            name = f"l{number}-{row}"
            rules.append(_visibility(name, 100 * line.second / ends[-1], 100 * end / ends[-1]))
            classes = ("command" if line.is_command else "output") + (" first" if number == 0 else "")
            y = MARGIN + LINE_HEIGHT * (row + 1)
            text = escape(line.text[:MAX_COLUMNS])
            texts.append(f'<text class="{classes}" x="{MARGIN}" y="{y}" style="animation-name:{name}">{text}</text>')
    width = round(2 * MARGIN + CHARACTER_WIDTH * MAX_COLUMNS)
    height = 2 * MARGIN + LINE_HEIGHT * (max(map(len, timed)) + 1)
    return SVG.format(
        width=width, height=height, seconds=f"{ends[-1]:.1f}", rules="\n".join(rules), texts="\n".join(texts)
    )


def _visibility(name: str, begin: float, end: float) -> str:
    """Return the CSS animation that shows a line from `begin` to `end`, both in percent of the recording."""
    return f"@keyframes {name}{{0%,100%{{opacity:0}}{begin:.2f}%{{opacity:1}}{min(end, 99.99):.2f}%{{opacity:0}}}}"


def record_tutorial(environment: dict[str, str]) -> None:
    """Run the commands of the tutorial, and write the recording."""
    variables = {**environment, "GRAPH_MEMORY_DOMAIN": "notebook"}
    with TemporaryDirectory() as folder:
        for file, text in FILE.findall(TUTORIAL.read_text(encoding="utf-8")):
            Path(folder, file).write_text(text, encoding="utf-8")
        screens = play([*steps_of(TUTORIAL)][:-2], variables, Path(folder))  # the last two delete the domains
    (IMAGES / "tutorial.svg").write_text(recording(screens), encoding="utf-8")


@contextmanager
def viewer(environment: dict[str, str]) -> Generator[str]:
    """Yield the address at which the viewer of the household logs in."""
    command = [COMMAND, "view", "--no-open", "--port", "0", "--domain", "household"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)


async def take_pictures(address: str, project: str) -> None:
    """Write the screenshots of the viewer."""
    base = address.partition("#")[0]
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium, "There is no Chromium on the PATH"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGUMENTS)
        page = await _new_page(browser, 1280, 800)
        await page.goto(address)
        await page.get_by_role("heading", level=1).wait_for(timeout=LONG)
        await _shoot(page, f"{base}#/home?domain=household", "viewer-home")
        await _shoot(page, f"{base}#/nodes?domain=household&node={project}", "viewer-nodes")
        await _shoot(page, f"{base}#/graph?domain=household&seed={project}&node={project}", "viewer-graph", seconds=8)
        state = await page.context.storage_state()
        phone = await browser.new_page(viewport={"width": 375, "height": 720}, storage_state=state)
        await _shoot(phone, f"{base}#/nodes?domain=household", "viewer-phone")
        await browser.close()


async def _new_page(browser: Browser, width: int, height: int) -> Page:
    return await browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")


async def _shoot(page: Page, address: str, name: str, seconds: float = 3) -> None:
    """Open a page of the viewer, wait until it has settled, and write its picture."""
    await page.goto("about:blank")
    await page.goto(address)
    await page.get_by_role("heading").first.wait_for(timeout=LONG)
    await page.wait_for_load_state("networkidle", timeout=LONG)
    await page.locator(".loading").first.wait_for(state="detached", timeout=LONG)
    await page.wait_for_timeout(1_000 * seconds)
    await page.screenshot(path=IMAGES / f"{name}.png")


def main() -> None:
    """Make all pictures."""
    with own_home() as environment:
        record_tutorial(environment)
        program = Path(household.__file__)
        subprocess.run([sys.executable, program, "household"], env=environment, check=True)
        output = subprocess.check_output(
            [COMMAND, "query", "--type", "Project", "--domain", "household"], env=environment, text=True
        )
        ids = re.findall(r"mem_\w+", output)
        with viewer(environment) as address:
            sleep(2)
            anyio.run(take_pictures, address, ids[0])


if __name__ == "__main__":
    main()
