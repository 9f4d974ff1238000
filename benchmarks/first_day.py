"""The first day of an agent: six sessions of notes about a web shop, then questions, each asked once.

The calls and questions are data (`tests/data/first_day.json`). The server has the setup of the README.
A question is answered if the reply to its one call has every expected text and no wrong text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.graph import fresh, say
from benchmarks.replies import tokens
from benchmarks.report import table
from benchmarks.servers import COMMAND, over_stdio
from graph_memory import Settings

DATA = Path(__file__).parents[1] / "tests" / "data"
JOB = DATA / "first_day.json"
UNSEEN = DATA / "first_day_unseen.json"
"""Questions by an author who had not seen the rules of recall."""
SERVER = ("--for", "agent")
Fields = Mapping[str, Any]


@dataclass(slots=True)
class Agent:
    """A client whose calls are counted."""

    client: Any
    closes: Sequence[str]
    """Known observations that the agent ends when it is asked about them."""
    calls: int = 0
    rejected: list[str] = field(default_factory=list[str])

    async def call(self, tool: str, arguments: Fields) -> tuple[str, Fields]:
        """Call a tool. Return its text and its structured content."""
        result = await self.client.call_tool(tool, dict(arguments))
        self.calls += 1
        text = "\n".join(content.text for content in result.content)
        if result.is_error:
            self.rejected.append(f"{tool} {json.dumps(arguments, ensure_ascii=False)}: {text}")
        return text, result.structured_content or {}

    async def note(self, tool: str, arguments: Fields) -> None:
        """Write, and answer the questions of the reply in one call."""
        _, reply = await self.call(tool, arguments)
        decisions = [
            {"id": question["id"], "decision": "close" if question["known_text"] in self.closes else "keep"}
            for question in reply.get("questions") or ()
        ]
        if decisions:
            await self.call("decide", {"decisions": decisions})


async def first_day(settings: Settings) -> str:
    """Return a table of the calls, the rejected calls and the answers."""
    domain = fresh("bench-first-day-")
    command = (str(COMMAND), "mcp", "--domain", domain, *SERVER)
    job: Fields = json.loads(JOB.read_text("utf-8"))
    calls, rejected = 0, list[str]()
    for number, session in enumerate(job["sessions"], start=1):
        say(f"first day: session {number}")
        async with over_stdio(settings, *command) as server:
            agent = Agent(server.client, job["closes"])
            if not session["calls"]:
                answers = [await _ask(agent, question) for question in job["questions"]]
                unseen = json.loads(UNSEEN.read_text("utf-8")) if UNSEEN.exists() else []
                others = [await _ask(agent, question) for question in unseen]
                break
            await agent.call("session_start", {})
            for tool, arguments in session["calls"]:
                await agent.note(tool, arguments)
            await agent.call("session_end", {"summary": session["summary"]})
        calls += agent.calls
        rejected += agent.rejected
    lines = [f"## The first day of an agent\n\n{calls} calls, {len(rejected)} rejected.\n", *rejected]
    lines.append(_report("Questions of the job", answers))
    if others:
        lines.append(_report("Questions by somebody who had not seen the rules", others))
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """The missing and superfluous words in the reply to a question, and its tokens."""

    question: str
    faults: tuple[str, ...]
    tokens: int


async def _ask(agent: Agent, question: Fields) -> Answer:
    text, _ = await agent.call(question.get("tool", "recall"), question.get("arguments", {"query": question["asks"]}))
    faults = [f"lacks {expected!r}" for expected in question.get("has", ()) if expected not in text]
    faults += [f"has {unwanted!r}" for unwanted in question.get("lacks", ()) if unwanted in text]
    places = [place for expected in question.get("first", ()) if (place := text.find(expected)) >= 0]
    if places != sorted(places):
        faults.append(f"{question['first'][0]!r} is not first")
    return Answer(question["asks"], tuple(faults), tokens(text))


def _report(title: str, answers: Sequence[Answer]) -> str:
    right = sum(not answer.faults for answer in answers)
    average = round(sum(answer.tokens for answer in answers) / len(answers))
    rows = [(answer.question, "; ".join(answer.faults) or "answered", answer.tokens) for answer in answers]
    heading = ("question", "answer", "tokens")
    return f"### {title}: {right} of {len(answers)}, {average} tokens on average\n\n{table(heading, rows)}\n"
