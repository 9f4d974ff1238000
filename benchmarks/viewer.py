"""The viewer on a large domain, in a real Chromium: how soon pages show, how fast pictures are drawn, and memory.

Needs Chromium on the PATH, and draws with software. Each time is taken in the page, with `performance.now()`: from the
event to the frame that shows the result.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

import psutil
from playwright.async_api import Page, async_playwright

from benchmarks.graph import say
from benchmarks.report import table
from benchmarks.servers import COMMAND, environment_of
from benchmarks.sizes import Place
from benchmarks.viewer_domain import CORE_SIZE, SUPER_HUBS, Plan, fill_domain, node_id
from graph_memory import Settings

TRIES = int(os.environ.get("TRIES", "12"))
EXPANSIONS = 200
MAX_DRAWN = 2_000
SEEDS = 50
"""Nodes with which the graph begins that is then expanded."""
DRAG_SECONDS = 2.0
SLOWDOWN_SECONDS = 0.3
"""Processor time of the loop that shows how much other programs slow this machine."""
LONG = 180_000
"""Maximum number of milliseconds to wait for a part of a page."""
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SOFTWARE_GL = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
SCRIPT = Path(__file__).with_suffix(".js")


@dataclass
class Bar:
    """A limit, and what was measured. A rate must be above the limit, other values below it."""

    name: str
    limit: float
    unit: str = "ms"
    values: list[float] = field(default_factory=list[float])
    alone: list[float] = field(default_factory=list[float])
    """Times of the same call without the page."""
    call: str = ""
    slowdown: float = 1.0

    @property
    def is_rate(self) -> bool:
        """Whether more is better."""
        return self.unit == "frames/s"

    def row(self) -> Sequence[object]:
        """Return the cells of the bar."""
        p50, p95 = median(self.values), _worst(self.values, is_rate=self.is_rate)
        is_met = p95 >= self.limit if self.is_rate else p95 <= self.limit
        alone = f"{median(self.alone):,.0f} ({self.call})" if self.alone else "–"
        limit = f"{'≥' if self.is_rate else '≤'} {self.limit:,.0f} {self.unit}"
        return (
            self.name,
            limit,
            f"{p50:,.0f}",
            f"{p95:,.0f}",
            alone,
            len(self.values),
            f"{self.slowdown:.1f}",
            "yes" if is_met else "**no**",
        )


def _worst(values: Sequence[float], *, is_rate: bool) -> float:
    """Return the value that 95 of 100 are better than."""
    if len(values) == 1:
        return values[0]
    steps = quantiles(values, n=20, method="inclusive")
    return steps[0] if is_rate else steps[-1]


@dataclass(frozen=True)
class Visit:
    """A person's page, on one domain."""

    page: Page
    address: str
    domain: str
    plan: Plan

    def hash(self, page: str, **parameters: str) -> str:
        """Return the fragment of the address of a page."""
        query = "&".join(f"{name}={value}" for name, value in {"domain": self.domain, **parameters}.items())
        return f"#/{page}?{query}"

    async def load(self, page: str, **parameters: str) -> None:
        """Load one page of the viewer."""
        await self.page.goto("about:blank")
        await self.page.goto(self.address + self.hash(page, **parameters), wait_until="commit")

    async def measure(self, function: str, *arguments: object) -> float:
        """Return the milliseconds that a function of the script returns, or its count."""
        return (await self.measure_all(function, *arguments))[0]

    async def measure_all(self, function: str, *arguments: object) -> list[float]:
        """Return the numbers that a function of the script returns."""
        return await self.page.evaluate(f"async (given) => [await bench.{function}(...given)].flat()", list(arguments))

    async def call_alone(self, bar: Bar, operation: str, **arguments: object) -> None:
        """Time a call that the page makes, without the page."""
        bar.call = operation
        for _ in range(TRIES):
            bar.alone.append(await self.measure("call", operation, {"domain": self.domain, **arguments}))

    async def picture(self, name: str) -> None:
        """Store a screenshot in the folder that VIEWER_SHOTS names."""
        if folder := os.environ.get("VIEWER_SHOTS"):
            await self.page.screenshot(path=Path(folder, f"{name}.png"))

    async def frames(self, bar: Bar) -> None:
        """Measure the frames while a person drags the picture."""
        box = await self.page.locator(".canvas").bounding_box()
        assert box is not None
        mouse, left, top = self.page.mouse, box["x"] + 8, box["y"] + box["height"] / 2
        for _ in range(TRIES):
            await self.page.get_by_role("button", name="Fit").click()
            await mouse.move(left, top)
            await mouse.down()
            before, end = await self.measure_all("frames"), time.monotonic() + DRAG_SECONDS
            step = 0
            while time.monotonic() < end:
                step += 1
                await mouse.move(left + 20 * (step % 3), top + 20 * (step % 4))
            after = await self.measure_all("frames")
            await mouse.up()
            bar.values.append(1_000 * (after[0] - before[0]) / (after[1] - before[1]))


def _memory_of(kind: str) -> float:
    """Return the private memory, in MB, of the largest process of Chromium of a kind."""
    processes = [child for child in psutil.Process().children(recursive=True) if f"--type={kind}" in child.cmdline()]
    return max(process.memory_full_info().uss for process in processes) / 1e6


async def viewer(place: Place, settings: Settings, sizes: Sequence[int]) -> str:
    """Return a table of the bars for each size."""
    return "\n".join([await _at_size(place, settings, size) for size in sizes])


async def _at_size(place: Place, settings: Settings, size: int) -> str:
    home = await fill_domain(place.memory, size)
    info = await home.domain_info()
    bars: list[Bar] = []
    async with _visit(settings, info.name, Plan(size)) as visit:
        for part in PARTS:
            bars += await measure_part(part, visit)
    heading = ("viewer", "limit", "p50", "p95", "the call alone, p50", "tries", "slowdown", "met")
    title = f"## Viewer, {info.nodes:,} nodes and {info.connections:,} connections\n"
    load = " ".join(f"{value:.1f}" for value in psutil.getloadavg())
    return f"{title}\n{table(heading, [bar.row() for bar in bars])}\nLoad (1, 5 and 15 minutes): {load}.\n"


async def measure_part(part: Callable[[Visit], Awaitable[list[Bar]]], visit: Visit) -> list[Bar]:
    """Measure some bars, and how much other programs slow this machine meanwhile."""
    before = _slowdown()
    bars = await part(visit)
    after = _slowdown()
    for bar in bars:
        bar.slowdown = (before + after) / 2
        say(" | ".join(map(str, bar.row())))
    return bars


def _slowdown() -> float:
    """Return the duration of a loop divided by its processor time."""
    start, used = time.perf_counter(), time.process_time()
    while time.process_time() - used < SLOWDOWN_SECONDS:
        pass
    return (time.perf_counter() - start) / SLOWDOWN_SECONDS


@contextmanager
def _serve_viewer(settings: Settings) -> Generator[str]:
    """Start the viewer as a person does, and yield the address with its token."""
    command = [str(COMMAND), "view", "--no-open", "--port", "0"]
    with subprocess.Popen(command, env=environment_of(settings), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)


@asynccontextmanager
async def _visit(settings: Settings, domain: str, plan: Plan) -> AsyncGenerator[Visit]:
    """Start the viewer, and log in."""
    chromium = next(path for name in CHROMIUM if (path := shutil.which(name)))
    with _serve_viewer(settings) as address:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=SOFTWARE_GL)
            page = await browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(LONG)
            await page.add_init_script(path=SCRIPT)
            await page.goto(address)
            await page.get_by_role("heading", level=1).wait_for()
            yield Visit(page, address.partition("#")[0], domain, plan)


async def home(visit: Visit) -> list[Bar]:
    """Measure the first page, from the begin of its load until domains and changes, and until all parts are shown."""
    begun, complete = Bar("home, domains and latest changes", 1_500), Bar("home, complete", 1_500)
    for _ in range(TRIES):
        await visit.load("home")
        begun.values.append(await visit.measure("homeBegun"))
        complete.values.append(await visit.measure("homeShown"))
    await visit.picture("home")
    await visit.call_alone(complete, "graph_health", limit=20)
    return [begun, complete]


async def node_list(visit: Visit) -> list[Bar]:
    """Measure the list, from the click on its link, and the next page, from the key."""
    first, second = Bar("list, first page", 500), Bar("list, next page", 500)
    for _ in range(TRIES):
        await visit.load("home")
        await visit.measure("homeShown")
        first.values.append(await visit.measure("listShown", "a[href^='#/nodes']"))
        second.values.append(await visit.measure("listShown", "nav.pages button:last-child"))
    await visit.picture("list")
    await visit.call_alone(first, "query_nodes", detail=True, limit=100)
    return [first, second]


async def past(visit: Visit) -> list[Bar]:
    """Measure a move of the slider, until the earlier state is shown."""
    jump = Bar("as-of jump with the slider", 1_000)
    await visit.load("time")
    await visit.measure("shown", ".slider")
    head = int(await visit.page.locator(".slider input").get_attribute("max") or 0)
    for number in range(TRIES):
        jump.values.append(await visit.measure("jumped", 1 + head * (number * 5 % TRIES + 1) // (TRIES + 2)))
    await visit.picture("time")
    query = {"detail": True, "limit": 100}
    await visit.call_alone(jump, "memory_as_of", at=head // 2, tool="query_nodes", arguments=query)
    earlier = Bar("graph at an earlier moment, 12 nodes", 1_000)
    seeds = ",".join(node_id(group[0]) for group in visit.plan.groups[:12])
    for number in range(TRIES):
        await visit.page.evaluate("(hash) => { location.hash = hash }", visit.hash("time"))
        await visit.measure("shown", ".slider")
        hash_ = visit.hash("graph", seed=seeds, at=str(head * (number + TRIES) // (2 * TRIES)))
        earlier.values.append(await visit.measure("graphShown", hash_))
    await visit.picture("graph-then")
    return [jump, earlier]


async def expand_hubs(visit: Visit) -> list[Bar]:
    """Measure the expansion of nodes with some thousand connections."""
    bar = Bar("expand a node with thousands of connections", 300)
    hubs = [node_id(group[0]) for group in visit.plan.groups[: min(SUPER_HUBS, len(visit.plan.groups))]]
    other = node_id(visit.plan.groups[-1][0])
    for hub in [*hubs, *hubs[:2]]:
        await visit.load("graph", seed=f"{other},{hub}", node=hub)
        await visit.measure("graphLoaded")
        bar.values.append(await visit.measure("expanded", hub))
    await visit.picture("hub")
    await visit.call_alone(bar, "get_neighbors", node_id=hubs[0], limit=40)
    return [bar]


async def expand_many(visit: Visit) -> list[Bar]:
    """Measure 200 expansions up to the maximum of drawn nodes, and the picture that results."""
    expand = Bar("expand a node, up to 2,000 drawn", 300)
    full = Bar("expand a node, 2,000 drawn", 300)
    groups = visit.plan.groups[SUPER_HUBS:][:SEEDS]
    members = [node_id(group[place]) for place in range(1, CORE_SIZE) for group in groups if place < len(group)]
    await visit.load("graph", seed=",".join(node_id(group[0]) for group in groups))
    await visit.measure("graphLoaded")
    for node in [*(node_id(group[0]) for group in groups), *members]:
        if len(expand.values) + len(full.values) == min(EXPANSIONS, visit.plan.size // 100):
            break
        drawn = await visit.measure("drawn")
        taken = await visit.measure("expanded", node)
        if taken >= 0:
            (full if drawn >= MAX_DRAWN else expand).values.append(taken)
    await visit.call_alone(expand, "get_neighbors", node_id=node_id(groups[0][0]), limit=40)
    drawn = await visit.measure("drawn")
    say(f"{drawn:,} nodes are drawn")
    moving = Bar(f"{drawn:,} nodes dragged, layout running", 10, "frames/s")
    await visit.frames(moving)
    keys = await _keys(visit, f"a key in the search field, {drawn:,} drawn")
    await visit.measure("settled")
    resting = Bar(f"{drawn:,} nodes dragged, layout done", 10, "frames/s")
    await visit.frames(resting)
    await visit.picture("graph-many")
    expansions = len(expand.values) + len(full.values)
    memory = Bar(f"memory of the tab after {expansions} expansions", 500, "MB", [_memory_of("renderer")])
    bars = [expand, full, moving, resting, *keys, await _choices(visit, drawn), memory]
    return [bar for bar in bars if bar.values]


async def _keys(visit: Visit, name: str) -> list[Bar]:
    """Measure keys, from the event until the next frame is done."""
    bar = Bar(name, 100)
    field = visit.page.locator(".start-choice input")
    await field.focus()
    await visit.measure("watchKeys")
    for letter in "kitchen garden":
        await visit.page.keyboard.press("Space" if letter == " " else letter, delay=60)
        await visit.page.wait_for_timeout(120)
    bar.values += await visit.measure_all("keyTimes")
    await visit.picture("typing")
    await field.fill("")
    return [bar]


async def _choices(visit: Visit, drawn: float) -> Bar:
    """Measure the choice of another node, which paints all nodes again."""
    bar = Bar(f"choose a node, {drawn:,} drawn, until the next frame", 100)
    for group in visit.plan.groups[SUPER_HUBS:][:TRIES]:
        bar.values.append(await visit.measure("chosen", node_id(group[0])))
        await visit.page.wait_for_timeout(500)
    return bar


async def overview(visit: Visit) -> list[Bar]:
    """Measure the overview of all communities."""
    opened = Bar("overview opened, communities cached", 1_000)
    await visit.load("graph", overview="1")
    await visit.measure("overviewShown")
    for _ in range(TRIES):
        await visit.page.evaluate("(hash) => { location.hash = hash }", visit.hash("graph"))
        await visit.measure("shown", "p.empty")
        opened.values.append(await visit.measure("overviewShown", visit.hash("graph", overview="1")))
    await visit.call_alone(opened, "get_communities", limit=2_000)
    count = await visit.page.locator(".canvas").get_attribute("aria-label")
    say(f"overview: {count}")
    moving = Bar(f"overview dragged, {_number_in(count)} communities, layout running", 10, "frames/s")
    await visit.frames(moving)
    await visit.measure("settled")
    resting = Bar(f"overview dragged, {_number_in(count)} communities, layout done", 10, "frames/s")
    await visit.frames(resting)
    await visit.picture("overview")
    return [opened, moving, resting]


def _number_in(text: str | None) -> str:
    return next((word for word in (text or "").split() if word.replace(",", "").isdigit()), "?")


PARTS: Sequence[Callable[[Visit], Awaitable[list[Bar]]]] = (
    home,
    node_list,
    past,
    expand_hubs,
    expand_many,
    overview,
)
