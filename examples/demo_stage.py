"""The stage of the demo: an agent that calls the tools of a real server process, and the page that shows its calls."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill
from typing import cast

from mcp import Client, StdioServerParameters
from rich.console import Console
from rich.text import Text

from graph_memory import Code, GraphError

COMMAND = Path(sys.executable).with_name("graph-memory.exe" if sys.platform == "win32" else "graph-memory")
"""The installed command, beside the interpreter that runs this."""
WIDTH = 100
PATIENCE = 10
"""How often a search is repeated for what it did not cover."""
MARKS = {"→": "green", "✗": "bold red"}
Answer = Mapping[str, object]


def stage() -> Console:
    """Return a console of at most 100 columns, and of just as many where nobody can tell, as in a pipe."""
    console = Console(highlight=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    return console


@dataclass
class Page:
    """The printed page: headings, remarks, and calls with their answers, with titles in place of ids."""

    console: Console
    titles: dict[str, str] = field(default_factory=dict[str, str])
    chapters: int = 0

    def chapter(self, title: str, *remarks: str) -> None:
        """Begin the next chapter."""
        self.chapters += 1
        self.console.print()
        self.console.rule(Text(f"{self.chapters}  {title}", "bold"), align="left", style="dim", characters="─")
        self.say(*remarks)

    def say(self, *remarks: str) -> None:
        """Print remarks, each a paragraph between blank lines."""
        for remark in remarks:
            self.console.print()
            self.verbatim(fill(remark, self.console.width, break_long_words=False, break_on_hyphens=False))
        self.console.print()

    def verbatim(self, text: str, style: str = "") -> None:
        """Print text as it is, for copying: its lines are never broken."""
        self.console.print(Text(text, style), soft_wrap=True)

    def call(self, tool: str, arguments: Answer) -> None:
        """Print a call: the tool and its arguments."""
        self.row(" ", [Text(tool, "bold cyan"), *self._pairs(arguments)])

    def answer(self, answer: Answer, seconds: float) -> None:
        """Print what a call gave, and how long it took."""
        self.row("→", self._pairs(answer), seconds)

    def refusal(self, error: GraphError, seconds: float) -> None:
        """Print how a call was refused: the code, the server's own message and its hint."""
        self.row("✗", [Text(error.code, "bold red")], seconds)
        self.row(" ", [Text(error.message, "red")])
        if error.hint:
            self.row(" ", [Text(f"Hint: {error.hint}", "yellow")])

    def row(self, mark: str, parts: Sequence[Text], seconds: float | None = None) -> None:
        """Print parts after a mark, broken between parts where possible, with a time at the right edge."""
        clock = "" if seconds is None else shown_time(seconds)
        width = self.console.width - len(mark) - 1
        first, *rest = self._lines(parts, width - len(clock) - 2 if clock else width)
        gap = width - len(clock) - first.cell_len if clock else 0
        self._put(Text.assemble((mark, MARKS.get(mark, "")), " ", first, " " * gap, (clock, "dim")))
        for line in rest:
            self._put(Text.assemble(" " * (len(mark) + 1), line))

    def _put(self, line: Text) -> None:
        line.rstrip()
        self.console.print(line, soft_wrap=True)

    def _lines(self, parts: Sequence[Text], width: int) -> list[Text]:
        lines = [Text()]
        for part in parts:
            gap = "  " if lines[-1] else ""
            if lines[-1].cell_len + len(gap) + part.cell_len <= width:
                lines[-1] = Text.assemble(lines[-1], gap, part)
            else:
                lines[-1 if not lines[-1] else len(lines) :] = part.wrap(self.console, width)
        return lines

    def _pairs(self, data: Answer) -> list[Text]:
        return [Text.assemble((f"{key}: ", "dim"), self.value(value)) for key, value in data.items()]

    def value(self, value: object) -> Text:
        """Return a value in few words: text by its first line, a node by its title, a declaration by its name."""
        match value:
            case Mapping():
                return self._mapping(cast("Answer", value))
            case list() | tuple():
                items = [self.value(item) for item in cast("Sequence[object]", value)]
                return Text.assemble("[", Text(", ").join(items), "]")
            case bool():
                return Text(str(value).lower())
            case _:
                return self._text(str(value))

    def _mapping(self, value: Answer) -> Text:
        if {"name", "description"} <= value.keys():
            return Text(str(value["name"]))
        return Text.assemble("{", Text(", ").join(self._pairs(value)), "}")

    def _text(self, value: str) -> Text:
        if value in self.titles:
            return Text(f"‹{self.titles[value]}›", "green")
        first, _, more = value.partition("\n")
        return Text(f'"{first} …"' if more else f'"{first}"' if " " in first else first)


def shown_time(seconds: float) -> str:
    """Return a time as a person says it."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


@dataclass
class Agent:
    """A client of a server process. All calls are real; some are shown on the page."""

    client: Client
    page: Page
    began: float
    """When the server process was started, in seconds of `time.perf_counter`."""
    times: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    """Each call's tool and how long it took."""

    async def call(self, tool: str, /, **arguments: object) -> Answer:
        """Make a call and show it with its answer; a refusal is shown and raised."""
        self.page.call(tool, arguments)
        try:
            answer = await self.quietly(tool, **arguments)
        except GraphError as error:
            self.page.refusal(error, self.times[-1][1])
            raise
        self.page.answer(answer, self.times[-1][1])
        return answer

    async def call_refused(self, tool: str, /, **arguments: object) -> GraphError:
        """Make a call that the server must refuse, and return what it says."""
        try:
            await self.call(tool, **arguments)
        except GraphError as error:
            return error
        raise GraphError(Code.INTERNAL, f"The server took a {tool} that it should have refused")

    async def quietly(self, tool: str, /, **arguments: object) -> Answer:
        """Make a call that is not shown."""
        began = time.perf_counter()
        result = await self.client.call_tool(tool, arguments)
        self.times.append((tool, time.perf_counter() - began))
        answer = cast("dict[str, object]", result.structured_content or {})
        if result.is_error:
            details = cast("Answer", answer.get("details", {}))
            raise GraphError(Code(str(answer["code"])), str(answer["message"]), details)
        return answer

    async def node(self, node_type: str, text: str, /, **properties: object) -> str:
        """Create a node, shown in one line, and return its id. Its title stands for the id from now on."""
        arguments = {"type": node_type, "content": text, "format": "markdown", "properties": properties}
        node_id = str((await self.quietly("create_node", **arguments))["node_id"])
        self.title(node_id, text)
        self._brief("create_node", f"{node_type:<7}", self.page.value(node_id), self.page.value(properties))
        return node_id

    async def search(self, query: str, /, **more: object) -> None:
        """Search, and show of each hit what it is, why it was found, and the passage that fits."""
        arguments = {"query": query, **more}
        self.page.call("search_memories", arguments)
        result = await self.quietly("search_memories", **arguments)
        for _ in range(PATIENCE):  # on a busy machine a search does not wait for all vectors, and says so
            if result["mode"] != "lexical" and not {"not_covered", "without_vectors"} & result.keys():
                break
            result = await self.quietly("search_memories", **arguments)
        seconds: float | None = self.times[-1][1]
        for hit in cast("Sequence[Answer]", result["hits"]):
            self.page.row("→", [self.page.value(hit["id"]), Text(str(hit["why"]), "dim")], seconds)
            self.page.row(" ", [Text(" ".join(str(hit.get("passage", "")).split()))])
            seconds = None

    async def recall(self, query: str, /, **more: object) -> None:
        """Recall, and show what is told as the agent reads it."""
        arguments = {"query": query, **more}
        self.page.call("recall", arguments)
        result = await self.quietly("recall", **arguments)
        seconds: float | None = self.times[-1][1]
        for line in str(result["content"]).splitlines():
            self.page.row("→" if seconds else " ", [Text(line)], seconds)
            seconds = None

    async def connect(self, connection_type: str, source: str, target: str, /) -> None:
        """Create a connection, shown in one line."""
        arguments = {"type": connection_type, "from_node_id": source, "to_node_id": target}
        await self.quietly("create_connection", **arguments)
        joined = Text.assemble(self.page.value(source), f" ─{connection_type}→ ", self.page.value(target))
        self._brief("create_connection", joined)

    def title(self, node_id: str, text: str) -> None:
        """Show a node by the heading of its text from now on."""
        self.page.titles[node_id] = text.partition("\n")[0].removeprefix("# ")

    def _brief(self, tool: str, *about: Text | str) -> None:
        parts = [part if isinstance(part, Text) else Text(part) for part in about]
        self.page.row("→", [Text(tool, "bold cyan"), *parts], self.times[-1][1])


@asynccontextmanager
async def agent_on(page: Page, domain: str, preset: str = "application") -> AsyncGenerator[Agent]:
    """Give an agent with a server process of its own, which ends with it, and the tools of a preset."""
    began = time.perf_counter()
    args = ["mcp", "--for", preset, "--domain", domain]
    server = StdioServerParameters(command=str(COMMAND), args=args, env=dict(os.environ))
    async with Client(server, read_timeout_seconds=120) as client:
        yield Agent(client, page, began)
