"""A scripted agent takes notes on a project over 30 turns, as the texts of the tools tell it to: calls, tokens, truth.

It begins with `session_start`, looks before it writes and before it answers, says what changes as properties, names
what is no longer true in `replaces`, answers what it is asked with the ready call, and asks what changed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.graph import fresh, say
from benchmarks.replies import tokens
from benchmarks.report import table
from benchmarks.servers import COMMAND, over_stdio
from graph_memory import Settings

TOOLSETS = "entities,remember,sessions,recall,memory_log,memory_revert"
Fields = dict[str, Any]


@dataclass(slots=True)
class Agent:
    """The client of the script, which counts its calls."""

    client: Any
    calls: Counter[str] = field(default_factory=Counter[str])
    argument_tokens: int = 0
    """Tokens of arguments."""
    reply_tokens: int = 0
    """Tokens of replies."""
    refused: list[str] = field(default_factory=list[str])
    wrong: list[str] = field(default_factory=list[str])
    """Answers that lack a current fact, or tell an outdated fact as current."""
    questions: int = 0
    """Questions of `remember`."""

    async def call(self, tool: str, **arguments: object) -> Fields:
        """Make a call, and return its result."""
        result = await self.client.call_tool(tool, arguments)
        [content] = result.content
        self.calls[tool] += 1
        self.argument_tokens += tokens(json.dumps(arguments, ensure_ascii=False))
        self.reply_tokens += tokens(content.text)
        if result.is_error:
            self.refused.append(f"{tool}: {content.text}")
        return result.structured_content or {}

    async def note(self, name: str, *observations: str, over: Sequence[str] = (), **more: object) -> None:
        """Remember facts, and answer the questions of `remember`: close the facts in `over`, keep all others."""
        result = await self.call("remember", name=name, observations=list(observations), **more)
        for question in result.get("questions") or ():
            self.questions += 1
            answer = "close" if question["known_text"] in over else "keep"
            await self.call("decide", id=question["id"], decision=answer)

    async def change(self, name: str, old: str, new: str) -> None:
        """Read the known facts, and replace the outdated fact by its text."""
        entities = (await self.call("open_nodes", names=[name])).get("entities") or [{"observations": ()}]
        known = next((observation for observation in entities[0]["observations"] if old in observation), None)
        if known is None:
            self.wrong.append(f"{name}: nothing known has {old!r}")
            return
        await self.call("remember", name=name, observations=[{"text": new, "replaces": known}])

    async def answer(self, question: str, *holds: str, over: Sequence[str] = ()) -> None:
        """Recall before answering: the reply must have all of `holds`, and none of `over`."""
        text = str((await self.call("recall", query=question)).get("content"))
        self.wrong += [f"{question} lacks {hold!r}" for hold in holds if hold not in text]
        self.wrong += [f"{question} tells {outdated!r}" for outdated in over if outdated in text]


Turn = tuple[str, Callable[[Agent], Awaitable[None]]]


def _first() -> list[Turn]:
    return [
        ("We start a project, Harbour: an app for berths.", lambda it: it.note(
            "Harbour", "is an app with which skippers book berths", type="project", properties={"status": "planned"})),
        ("Mira leads it, and Jonas builds it.", lambda it: it.note(
            "Mira", "leads the project Harbour", type="person", relations=[{"type": "leads", "to": "Harbour"}])),
        ("Jonas is the developer, from Bergen.", lambda it: it.note(
            "Jonas", "builds Harbour", type="person", properties={"city": "Bergen"},
            relations=[{"type": "works_on", "to": "Harbour"}])),
        ("We use PostgreSQL, and deploy to Hetzner.", lambda it: it.note(
            "Harbour", "keeps its data in PostgreSQL", "is deployed to Hetzner")),
        ("The API is called tide.", lambda it: it.note(
            "tide", "is the API of Harbour, written in Go", type="service", properties={"port": 8080},
            relations=[{"type": "part_of", "to": "Harbour"}])),
        ("The first release is on 1 June.", lambda it: it.note("Harbour", properties={"release": "2026-06-01"})),
        ("Who builds the app?", lambda it: it.answer("Who builds Harbour?", "Jonas")),
        ("We started today.", lambda it: it.note("Harbour", properties={"status": "active"})),
        ("Mira wants weekly demos on Fridays.", lambda it: it.note("Harbour", "has a demo every Friday")),
        ("Jonas prefers short pull requests.", lambda it: it.note("Jonas", "prefers short pull requests")),
        ("No, the demos are on Thursdays.", lambda it: it.change(
            "Harbour", "demo every Friday", "has a demo every Thursday")),
        ("When is the demo?", lambda it: it.answer("When is the demo of Harbour?", "Thursday", over=["Friday"])),
        ("tide listens on 9090 now.", lambda it: it.note("tide", properties={"port": 9090})),
        ("Which port has tide?", lambda it: it.answer("Which port does tide listen on?", "9090", over=["8080"])),
        ("The marina of Bergen is our first customer.", lambda it: it.note(
            "Bergen Marina", "is the first customer of Harbour", type="customer",
            relations=[{"type": "uses", "to": "Harbour"}])),
        ("They pay 400 euros a month.", lambda it: it.note("Bergen Marina", properties={"price": "400 euros a month"})),
        ("Jonas said it again: short pull requests, please.", lambda it: it.note(
            "Jonas", "prefers short pull requests")),
        ("We moved from Hetzner to Scaleway.", lambda it: it.change(
            "Harbour", "Hetzner", "is deployed to Scaleway since the outage")),
        ("Jonas stopped building Harbour, Petra took over.", lambda it: it.note(
            "Jonas", "no longer builds Harbour; Petra took over in April", over=["builds Harbour"])),
        ("So Petra is the developer.", lambda it: it.note(
            "Petra", "builds Harbour", type="person", relations=[{"type": "works_on", "to": "Harbour"}])),
    ]  # fmt: skip


def _second() -> list[Turn]:
    return [
        ("What changed lately?", _changes),
        ("Where do we deploy?", lambda it: it.answer("Where is Harbour deployed?", "Scaleway", over=["Hetzner"])),
        ("I misspoke: the customer pays 450.", lambda it: it.note(
            "Bergen Marina", properties={"price": "450 euros a month"})),
        ("The project is called Quayside from now on.", _rename),
        ("The release slips to 15 June.", lambda it: it.note("Quayside", properties={"release": "2026-06-15"})),
        ("When is the release?", lambda it: it.answer("When is the release of Quayside?", "2026-06-15")),
        ("Who builds it now?", lambda it: it.answer("Who builds Quayside now?", "Petra")),
        ("Petra moved to Oslo, they say.", lambda it: it.note("Petra", "is said to move to Oslo")),
        ("Undo that: it was gossip.", _undo),
        ("What do we know of the customer?", lambda it: it.answer(
            "What do we know of Bergen Marina?", "450 euros", "first customer", over=["400 euros"])),
    ]  # fmt: skip


async def _changes(it: Agent) -> None:
    text = str(await it.call("memory_log", limit=20))
    it.wrong += [f"the log lacks {word!r}" for word in ("Scaleway", "Petra", "valid to") if word not in text]


async def _rename(it: Agent) -> None:
    await it.call("update_entity", name="Harbour", new_name="Quayside", aliases=["Harbour"])


async def _undo(it: Agent) -> None:
    entries = (await it.call("memory_log", limit=1)).get("entries") or [{}]
    await it.call("memory_revert", since=entries[0].get("seq"))
    opened = (await it.call("open_nodes", names=["Petra"])).get("entities") or [{"observations": ()}]
    if any("Oslo" in observation for observation in opened[0]["observations"]):
        it.wrong.append("what was undone is still known")


async def session(settings: Settings) -> str:
    """Return a table of calls and tokens. Fails where a call was refused or an answer is wrong."""
    domain, rows, agents = fresh("bench-session-"), list[Sequence[object]](), list[Agent]()
    for name, turns, summary in (("first", _first(), "Harbour is set up."), ("second", _second(), "Renamed.")):
        say(f"session: {name}")
        command = (str(COMMAND), "mcp", "--domain", domain, "--toolsets", TOOLSETS)
        async with over_stdio(settings, *command) as server:
            listed = await server.client.list_tools()
            agent = Agent(server.client)
            await agent.call("session_start", project="Harbour")
            for _, turn in turns:
                await turn(agent)
            await agent.call("session_end", summary=summary, project="Harbour")
        agents.append(agent)
        text = json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools])
        rows.append(
            (
                name,
                len(turns),
                agent.calls.total(),
                agent.questions,
                agent.argument_tokens,
                agent.reply_tokens,
                tokens(text),
            )
        )
    faults = [text for agent in agents for text in (*agent.refused, *agent.wrong)]
    if faults:
        raise AssertionError("\n".join(faults))
    heading = ("session", "turns", "calls", "questions", "tokens given", "tokens told", "tokens of the tools")
    return f"## A session of 30 turns\n\n{table(heading, rows)}\n{_by_tool(agents)}\n"


def _by_tool(agents: Sequence[Agent]) -> str:
    calls: Mapping[str, int] = sum((agent.calls for agent in agents), Counter[str]())
    return "Calls: " + ", ".join(f"{tool} {number}" for tool, number in calls.items()) + ".\n"
