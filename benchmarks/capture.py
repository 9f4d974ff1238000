"""A recorded project of 40 sessions through the hooks: what is injected, what is found, and how long each hook takes.

Sessions with facts and sessions with questions take turns. A question session asks what earlier sessions told, between
prompts to which nothing stored adds anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from benchmarks.graph import fresh, say
from benchmarks.hook_times import hook_times
from benchmarks.lives import LIVES, Statement
from benchmarks.report import table
from benchmarks.sizes import Place
from graph_memory import Memory, Settings
from graph_memory.agent.capture.briefing import prompt_context, session_briefing
from graph_memory.agent.capture.drain import drain
from graph_memory.hooks.clients import Kind
from graph_memory.hooks.events import event_of
from graph_memory.hooks.spool import Spool

PROMPTS = LIVES.with_name("capture_prompts.json")
NEEDLESS = 4
"""Number of needless prompts in each session."""
PROJECT = "tidepool"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the session after which the memory has its answer, and a part of the answer."""

    session: int
    text: str
    answer: str


@dataclass(slots=True)
class Outcome:
    """The results of a replay of all sessions."""

    briefings: list[int] = field(default_factory=list[int])
    """Tokens of the briefing of each session."""
    contexts: list[int] = field(default_factory=list[int])
    """Tokens that each prompt got; 0 for nothing."""
    injected: int = 0
    """Number of questions whose answer was injected with the prompt, or earlier in the session."""
    recallable: int = 0
    """Number of other questions whose answer a recall returns."""
    missed: list[str] = field(default_factory=list[str])
    needless: list[str] = field(default_factory=list[str])
    """Prompts with a needless addition."""
    chatter: int = 0
    """Number of needless prompts."""


class Project:
    """A project whose sessions are captured in a spool, and stored from it."""

    def __init__(self, memory: Memory, home: Path, domain: str) -> None:
        self.memory = memory
        self._spool = Spool.of(home)
        self._folder = str(home)
        self._domain = domain

    def capture(self, kind: Kind, session: str, **payload: object) -> None:
        """Capture an event as a hook does."""
        fields = {"session_id": session, **payload}
        event = event_of("claude-code", kind, fields, domain=self._domain, folder=self._folder)
        if event is not None:
            self._spool.add(event.to_json())

    async def store(self) -> None:
        """Store what was captured, and index it, as a server does in the background."""
        await drain(self.memory, self._spool)
        await self.memory.recall.search_memories("tide")


async def capture(place: Place, settings: Settings) -> str:
    """Return tables of the replay and of the times of hooks."""
    domain = fresh("bench-capture-")
    memory = place.memory.in_domain(domain)
    with TemporaryDirectory() as home:
        outcome = await _replay(Project(memory, Path(home), domain))
    return f"## Capture\n\n{_quality_table(outcome)}\n{await hook_times(settings, domain, _prompts())}"


def _prompts() -> Iterator[str]:
    """Return the questions of the recorded sessions, each followed by a prompt that needs no memory, without end."""
    data = json.loads(PROMPTS.read_text(encoding="utf-8"))
    pairs = zip(data["questions"], cycle(data["needless"]), strict=False)
    return cycle([prompt for question, needless in pairs for prompt in (question["text"], needless)])


async def _replay(project: Project) -> Outcome:
    data = json.loads(PROMPTS.read_text(encoding="utf-8"))
    questions = [Question(**question) for question in data["questions"]]
    lines = (json.loads(line) for line in LIVES.read_text(encoding="utf-8").splitlines())
    statements = [Statement(**line) for line in lines if line["life"] != "personal"]
    chatter = cycle(data["needless"])
    outcome = Outcome()
    for number in range(1, max(statement.session for statement in statements) + 1):
        say(f"session {number}")
        facts = [statement.text for statement in statements if statement.session == number and statement.text]
        await _tell(project, outcome, f"facts-{number}", facts, list(islice(chatter, NEEDLESS)))
        session_questions = [question for question in questions if question.session == number]
        await _ask(project, outcome, f"questions-{number}", session_questions, list(islice(chatter, NEEDLESS)))
    return outcome


async def _tell(project: Project, outcome: Outcome, session: str, facts: Sequence[str], chatter: Sequence[str]) -> None:
    """Play a session in which the user and the agent tell facts in turn, and tools are called."""
    shown = await _start(project, outcome, session)
    for place in range(0, len(facts), 2):
        await _prompt(project, outcome, session, facts[place], shown)
        arguments = {"file_path": f"src/part_{place}.py"}
        project.capture("tool", session, tool_name="Edit", tool_input=arguments, tool_use_id=f"{session}-{place}")
        project.capture("reply", session, last_assistant_message=(*facts[place + 1 : place + 2], "Noted.")[0])
    await _chat(project, outcome, session, chatter, shown)
    await _end(project, session)


async def _ask(
    project: Project, outcome: Outcome, session: str, questions: Sequence[Question], chatter: Sequence[str]
) -> None:
    """Play a session in which the user asks what earlier sessions told."""
    shown = await _start(project, outcome, session)
    texts = [*shown.values()]
    for question in questions:
        texts.append(await _prompt(project, outcome, session, question.text, shown))
        if question.answer in "\n".join(texts):
            outcome.injected += 1
        elif question.answer in str((await project.memory.recall.recall(query=question.text)).content):
            outcome.recallable += 1
        else:
            outcome.missed.append(question.text)
    await _chat(project, outcome, session, chatter, shown)
    await _end(project, session)


async def _start(project: Project, outcome: Outcome, session: str) -> dict[str, str]:
    """Start a session, and return what it was shown: the briefing under an empty id."""
    project.capture("start", session, source="startup")
    briefing = await session_briefing(project.memory, session, PROJECT)
    outcome.briefings.append(briefing.tokens)
    return {"": briefing.text}


async def _chat(
    project: Project, outcome: Outcome, session: str, prompts: Sequence[str], shown: dict[str, str]
) -> None:
    for prompt in prompts:
        text = await _prompt(project, outcome, session, prompt, shown)
        outcome.chatter += 1
        if text:
            outcome.needless.append(f"{prompt} → {text.splitlines()[-2]}")
        project.capture("reply", session, last_assistant_message="Done.")


async def _prompt(project: Project, outcome: Outcome, session: str, prompt: str, shown: dict[str, str]) -> str:
    """Capture a prompt, and return what a hook adds to it."""
    project.capture("prompt", session, prompt=prompt)
    context = await prompt_context(project.memory, prompt, session, shown)
    shown.update(dict.fromkeys(context.ids, ""))
    outcome.contexts.append(context.tokens)
    return context.text


async def _end(project: Project, session: str) -> None:
    project.capture("end", session, reason="clear")
    await project.store()


def _quality_table(outcome: Outcome) -> str:
    questions = outcome.injected + outcome.recallable + len(outcome.missed)
    sessions, prompts = len(outcome.briefings), len(outcome.contexts)
    share: Callable[[int, int], str] = lambda part, all_: f"{part} of {all_} ({part / all_:.0%})"  # noqa: E731
    rows = [
        ("tokens of a briefing: mean, most", f"{mean(outcome.briefings):.0f}, {max(outcome.briefings)}"),
        ("tokens injected in a session, mean", f"{sum(outcome.briefings + outcome.contexts) / sessions:.0f}"),
        ("questions whose answer was injected", share(outcome.injected, questions)),
        ("questions whose answer was injected or recallable", share(questions - len(outcome.missed), questions)),
        ("needless injections, of all prompts", share(len(outcome.needless), prompts)),
        ("needless injections, of needless prompts", share(len(outcome.needless), outcome.chatter)),
    ]
    missed = "".join(f"- no answer: {text}\n" for text in outcome.missed)
    needless = "".join(f"- needless: {text}\n" for text in outcome.needless)
    return f"{table((f'{sessions} sessions, {prompts} prompts', ''), rows)}\n{missed}{needless}"
