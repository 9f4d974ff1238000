"""Runs a question set: stores each conversation in a new domain, asks its questions, judges, and deletes the domain."""

from __future__ import annotations

import platform
import random
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex
from time import perf_counter

import anyio
import anyio.to_thread

from graph_memory.evaluation.cases import Fact, Haystack, Question, Session, Turn
from graph_memory.evaluation.judging import Score, evidence_share, judge_update, share_of, summarise, summarise_updates
from graph_memory.evaluation.readers.recognise import SetFormat, hash_of, read_haystacks, recognise
from graph_memory.evaluation.results import Evaluation
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.recall.rendering.wording import flatten
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import printable
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress, log_progress

PREFIX = "eval-"
"""The name prefix of evaluation domains."""
_BATCH_SIZE = 500
"""Maximum number of messages stored in one transaction."""


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of an evaluation.

    `k` is the number of counted search hits, `max_tokens` the token budget of a recall, and `limit` the number of
    questions. `seed` determines the random choice of questions.
    """

    k: int = 10
    max_tokens: int = 2_000
    limit: int | None = None
    seed: int = 0
    keep: bool = False
    """Whether to keep the domains after the evaluation."""
    server: str = "Neo4j"
    """The database version for the result."""


@dataclass(slots=True)
class _Totals:
    scores: list[Score] = field(default_factory=list[Score])
    conversations: int = 0
    messages: int = 0
    message_seconds: float = 0.0
    facts: int = 0
    fact_seconds: float = 0.0
    model: str | None = None
    kept: list[str] = field(default_factory=list[str])


async def evaluate(
    memory: Memory, path: Path, form: str | None = None, options: Options = Options(), progress: Progress = log_progress
) -> Evaluation:
    """Measure search and recall with the questions of a file or folder. Each conversation is stored in a new domain.

    The domains are named `eval-…`. They are deleted at the end, even after an error, unless `options.keep` is set.
    Other domains are not changed. Raises INVALID_ARGUMENT if the path is not a question set or has no questions,
    INVALID_SOURCE with the position of damage in the file, and the errors of `Agent.record_events` and `Recall.recall`.
    """
    set_format = await anyio.to_thread.run_sync(recognise, path, form)
    hash_ = await anyio.to_thread.run_sync(hash_of, path, set_format)
    questions = await anyio.to_thread.run_sync(_sample, path, set_format, options)
    if not questions:
        raise invalid_argument("file", f"{printable(path)} has no questions", "Pass a file with questions.")
    totals, run = _Totals(), token_hex(4)
    haystacks = read_haystacks(path, set_format)
    count = sum(map(len, questions.values()))
    for number in range(max(questions) + 1):
        haystack = await anyio.to_thread.run_sync(next, haystacks, None)
        if haystack is not None and number in questions:
            try:
                async with _new_domain(memory, f"{PREFIX}{set_format}-{run}-{number}", totals, options) as scoped:
                    await _Conversation(
                        scoped, haystack.select(questions[number]), options, totals, progress, count
                    ).run()
            except GraphError as error:
                if not totals.kept:
                    raise
                message = f"{error.message}. Kept domains: {', '.join(totals.kept)}"
                raise GraphError(error.code, message, error.details) from error
    return _report(path, set_format, hash_, options, totals)


def _sample(path: Path, form: SetFormat, options: Options) -> Mapping[int, Collection[int]]:
    """Return the positions of the questions to ask, by the position of their conversation in the file."""
    places = [
        (number, position)
        for number, haystack in enumerate(read_haystacks(path, form))
        for position in range(len(haystack.questions))
    ]
    if options.limit is not None and options.limit < len(places):
        places = random.Random(options.seed).sample(places, options.limit)  # noqa: S311 - a sample that can be repeated
    positions: dict[int, set[int]] = {}
    for number, position in places:
        positions.setdefault(number, set()).add(position)
    return positions


@asynccontextmanager
async def _new_domain(memory: Memory, name: str, totals: _Totals, options: Options) -> AsyncGenerator[Memory]:
    """Yield the memory in a new domain. Delete the domain at the end unless `options.keep` is set."""
    if options.keep:
        totals.kept.append(name)
    try:
        yield memory.in_domain(name)
    finally:
        if not options.keep:
            with anyio.CancelScope(shield=True):
                try:
                    await memory.delete_domain(name)
                except GraphError as error:
                    if error.code is not Code.ONTOLOGY_NOT_FOUND:
                        raise


@dataclass(slots=True)
class _Conversation:
    memory: Memory
    haystack: Haystack
    options: Options
    totals: _Totals
    progress: Progress
    question_count: int
    """The number of questions of the whole evaluation."""
    turns: dict[str, str] = field(default_factory=dict[str, str])
    """Ids of the turns, keyed by the id of their event."""
    session_of: dict[str, str] = field(default_factory=dict[str, str])
    """Ids of the sessions, keyed by the id of the turn."""
    asked_about: dict[str, bool] = field(default_factory=dict[str, bool])
    """Whether `remember` asked about every old fact, keyed by the text of the new fact."""

    async def run(self) -> None:
        """Store the sessions in order, and ask each session's questions after it."""
        self.totals.conversations += 1
        waiting: list[tuple[Session, Turn]] = []
        for session in self.haystack.sessions:
            waiting += [(session, turn) for turn in session.turns]
            if session.facts or session.questions or len(waiting) >= _BATCH_SIZE:
                await self._store(waiting)
                waiting = []
            await self._remember(session.facts)
            if session.questions:
                await self._index()
            if session.questions and not self.totals.scores:
                await self._ask(session.questions[0])  # the first call loads models and plans queries
            for question in session.questions:
                self.totals.scores.append(await self._ask(question))
                count = len(self.totals.scores)
                self.progress(f"Asked {count:,} of {self.question_count:,} questions", count / self.question_count)

    async def _store(self, turns: Sequence[tuple[Session, Turn]]) -> None:
        """Record the turns as events, in the same way as an import of conversations."""
        start = perf_counter()
        for offset in range(0, len(turns), _BATCH_SIZE):
            batch = turns[offset : offset + _BATCH_SIZE]
            recorded = await self.memory.agent.record_events([_event(session, turn) for session, turn in batch])
            for (session, turn), event in zip(batch, recorded, strict=True):
                self.turns[event.event_id] = turn.id
                self.session_of[turn.id] = session.id
        self.totals.messages += len(turns)
        self.totals.message_seconds += perf_counter() - start
        self.progress(f"Stored {self.totals.messages:,} messages", None)

    async def _index(self) -> None:
        start = perf_counter()
        coverage = await self.memory.upkeep.reindex(anew=False)
        self.totals.model = coverage.model
        self.totals.message_seconds += perf_counter() - start

    async def _remember(self, facts: Sequence[Fact]) -> None:
        """Remember facts about the user, and answer questions about outdated facts according to the labels."""
        for fact in facts:
            start = perf_counter()
            remembered = await self.memory.entities.remember(name=self.haystack.user, observations=[fact.text])
            replaced, known_texts = {flatten(text) for text in fact.replaces}, set[str]()
            for question in remembered.questions or ():
                known_text = flatten(question.known_text)
                known_texts.add(known_text)
                if known_text in replaced:
                    await self.memory.entities.answer(question.id, "close")
            self.totals.fact_seconds += perf_counter() - start
            self.asked_about[fact.text] = replaced <= known_texts
        self.totals.facts += len(facts)

    async def _ask(self, question: Question) -> Score:
        start = perf_counter()
        reply = await self.memory.recall.recall(question.text, max_tokens=self.options.max_tokens)
        recalled_at = perf_counter()
        results = await self.memory.recall.search_memories(question.text, max_results=self.options.k)
        end = perf_counter()
        turns = [self.turns[hit.id] for hit in results.hits if hit.id in self.turns]
        content = str(reply.content)
        is_update = bool(question.outdated)
        was_asked = self.asked_about.get(question.text, False)
        return Score(
            kind=question.kind,
            tokens=reply.tokens_used,
            recall_ms=1_000 * (recalled_at - start),
            search_ms=1_000 * (end - recalled_at),
            session_share=share_of(question.sessions, (self.session_of[turn] for turn in turns)),
            turn_share=share_of(question.turns.intersection(self.session_of), turns),
            evidence=None if is_update else evidence_share(question.evidence, content),
            update=judge_update(question, content, was_asked=was_asked) if is_update else None,
        )


def _event(session: Session, turn: Turn) -> Mapping[str, object]:
    """Return the arguments of `Agent.record_events` for a turn."""
    return {
        "event_type": "message",
        "session": session.id,
        "actor": "agent" if turn.is_agent else "user",
        "content": f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text,
        **({"timestamp": turn.at.isoformat()} if turn.at else {}),
    }


def _report(path: Path, form: SetFormat, hash_: str, options: Options, totals: _Totals) -> Evaluation:
    def per_1000(seconds: float, number: int) -> float | None:
        return round(1_000 * seconds / number, 2) if number else None

    return Evaluation(
        format=form,
        file=path.name,
        sha256=hash_,
        graph_memory=version("graph-memory"),
        server=options.server,
        python=platform.python_version(),
        embeddings=totals.model or "none",
        k=options.k,
        max_tokens=options.max_tokens,
        limit=options.limit,
        seed=options.seed,
        conversations=totals.conversations,
        messages=totals.messages,
        facts=totals.facts,
        seconds_per_1000_messages=per_1000(totals.message_seconds, totals.messages),
        seconds_per_1000_facts=per_1000(totals.fact_seconds, totals.facts),
        kinds=summarise(totals.scores),
        updates=summarise_updates(totals.scores),
        kept=tuple(totals.kept) or None,
    )
