"""`Agent`: the memory types of an agent, built with the public methods of `Memory`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import cast

from graph_memory.agent.archetypes import Archetype
from graph_memory.agent.contextual import Contextual
from graph_memory.agent.environmental import Environmental
from graph_memory.agent.episodic import Episodic
from graph_memory.agent.limits.pruning import archive_path, checked_path, prune, restore
from graph_memory.agent.limits.retention import DEFAULT_SESSION, Limits, limits_of
from graph_memory.agent.limits.usage import Limited, Usage
from graph_memory.agent.meta import MetaMemory
from graph_memory.agent.pipeline import events_from, record_events
from graph_memory.agent.procedural import PatternCache, Procedural
from graph_memory.agent.prospective import Prospective
from graph_memory.agent.querying import query_memory
from graph_memory.agent.relational import Relational
from graph_memory.agent.results import (
    ConversationImportResult,
    EventResult,
    MemoryResults,
    PruneResult,
    RestoreResult,
)
from graph_memory.agent.sentences.forgetting import Forgetting
from graph_memory.agent.sentences.sentence_router import SentenceRouter
from graph_memory.agent.user import CorrectionCache, UserMemory
from graph_memory.agent.working import Sessions, Working
from graph_memory.memory.api.entities import Entities
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.background import Background
from graph_memory.memory.entities.remember_results import RememberResult
from graph_memory.memory.entities.results import ForgetResult
from graph_memory.progress import Progress, log_progress

_PRUNE_TARGET = 0.8
"""Share of a limit to which background pruning reduces a domain."""
_PRUNE_INTERVAL = 3_600.0
"""Minimum time in seconds between two background prunings."""


class Agent:
    """The memory types of an agent in a domain. Access them as `memory.agent`.

    Events, patterns, goals and documents are nodes and connections of the domain. The first write adds the types of
    `ontologies/agent.yaml`. Other types with the same names stay unchanged. Users and capabilities are stored in
    separate domains. Working and environmental memory are kept only in the process.
    """

    def __init__(
        self,
        memory: Memory,
        cache: dict[tuple[str, str], object],
        domain: str,
        *,
        session: str | None = None,
        archives: Path = Path("archives"),
        limits: Mapping[str, int] | None = None,
        background: Background | None = None,
        archetype: str = "",
        users_domain: str = "users",
        agent_domain: str = "agent",
    ) -> None:
        self._memory = memory
        self._cache = cache
        self._domain = domain
        self._session = session or DEFAULT_SESSION
        self._archives = archives
        self._limits = limits_of(limits, Limits())
        self._background = background
        self._archetype = archetype
        self._users_domain = users_domain
        self._agent_domain = agent_domain

    async def query_memory(
        self, query: str, *, event_limit: int = 5, vector_limit: int = 10, max_tokens: int = 2_000
    ) -> MemoryResults:
        """Search all memory types for a query, and return matching patterns, goals, events, entities and more.

        `event_limit` and `vector_limit` are the maximum numbers of events and of other hits (up to 50). `max_tokens`
        (100 to 100,000) limits the whole result. `left_out` counts the results that did not fit. Raises
        INVALID_ARGUMENT if the query has no words, or a limit is out of range.
        """
        return await query_memory(
            self._memory,
            self.procedural,
            self.user,
            query,
            event_limit=event_limit,
            vector_limit=vector_limit,
            max_tokens=max_tokens,
        )

    async def remember(self, text: str, *, session: str | None = None, dry_run: bool = False) -> RememberResult:
        """Store each sentence of a text as a fact, preference, goal or pattern, and return a receipt for each.

        The beginning of an English sentence decides how it is stored: as a preference ("The user prefers"), a goal
        ("Goal:") or a pattern ("Never", "Next time", "This fixed it:"). `entities.remember` stores all other sentences
        as observations. With `session`, goals belong to that session, and a solution is learned from its last failure.
        By default, goals are for all sessions, and the last failure in the caller's session is used. `rule` and
        `evidence` of a receipt explain how a sentence was classified. In a domain with a closed ontology that lacks
        these types, all sentences are stored as observations. If all sentences are rejected, raises the error of the
        first: an error of `entities.remember`, `user.remember`, `prospective.create` or `procedural.record`.
        """
        layers = (self.episodic, self.procedural, self.prospective, self.user)
        router = SentenceRouter(self._memory, *layers, self._users_domain, session)
        return await router.remember(text, dry_run=dry_run)

    async def forget(
        self,
        names: Sequence[str] | None = None,
        *,
        ids: Sequence[str] | None = None,
        text: str | Sequence[str] | None = None,
        session: str | None = None,
        path: str | None = None,
        phrase: str | None = None,
        erase: bool = False,
        dry_run: bool = False,
    ) -> ForgetResult:
        """End or erase facts, like `entities.forget`. Also forgets goals, patterns and preferences.

        A name, or a text without a name, may also be the sentence passed to `remember`, or the name or text of a goal,
        pattern or preference. Case, white space and a final full stop are ignored. Preferences are forgotten in their
        own domain. Raises INVALID_ARGUMENT with `candidates` for an ambiguous text.

        `session`, `path` and `phrase` erase events from hooks and `import_conversations` that match all of them, and
        the summaries of their sessions. Deleted events, and events waiting in the spool, are erased too. `path` matches
        that path and all paths below it, as they were written. `phrase` ignores case. All three require `erase`.
        """
        if session is not None or path is not None or phrase is not None:
            from graph_memory.agent.capture.erasing import captured_filter_from, erase_captured

            captured_filter = captured_filter_from(
                session, path, phrase, is_alone=not (names or ids or text), erase=erase
            )
            return await erase_captured(
                self._memory, self._domain, self._archives.parent, captured_filter, dry_run=dry_run
            )
        forgetting = Forgetting(self._memory, self.user, self._domain, self._users_domain)
        return await forgetting.forget(names, ids, text, erase=erase, dry_run=dry_run)

    async def record_event(self, event: Mapping[str, object], archetype: str | Archetype | None = None) -> EventResult:
        """Record an event. `event` has the arguments of `episodic.record`, and optionally an `id`.

        Raises the errors of `episodic.record`.
        """
        [recorded] = await self.record_events([event], archetype)
        return recorded

    async def record_events(
        self, events: Sequence[Mapping[str, object]], archetype: str | Archetype | None = None
    ) -> tuple[EventResult, ...]:
        """Record up to 1,000 events in one transaction: all of them, or none.

        `caused_by` may refer to the `id` of another event in the call. Raises the errors of `episodic.record`.
        """
        archetype_or_name = self._archetype if archetype is None else archetype
        return await record_events(self._memory, self._usage, events_from(events, self._session), archetype_or_name)

    async def import_conversations(
        self,
        source: Path | str,
        *,
        format: str | None = None,  # noqa: A002 - as in `Transfer.import_memory`
        by_project: bool = False,
        dry_run: bool = False,
        progress: Progress = log_progress,
    ) -> ConversationImportResult:
        """Store conversations from Claude Code, Codex, ChatGPT or Claude.ai as events, and summarise their sessions.

        `source` is a transcript (JSON Lines), an exported `conversations.json`, or a folder of either, read in constant
        memory. Events have the same ids in each import. So a repeated import adds no event twice, and continues an
        interrupted import. As in hooks, secrets are replaced, and excluded projects skipped. With `by_project`, each
        session is stored in the domain of its project's folder. Raises INVALID_ARGUMENT if the source or the format is
        not supported, INVALID_SOURCE for a damaged export, and MEMORY_LIMIT_REACHED.
        """
        from graph_memory.agent.capture.importing import import_conversations

        return await import_conversations(
            self._memory, self._domain, Path(source), format, by_project=by_project, dry_run=dry_run, progress=progress
        )

    async def prune(
        self,
        *,
        dry_run: bool = True,
        limits: Mapping[str, int] | None = None,
        archive: Path | str | None = None,
    ) -> PruneResult:
        """Move the nodes and connections beyond the domain's limits to an archive file, and delete them in one batch.

        It archives the events of the oldest sessions that ended at least 7 days ago, the least salient entities, the
        relations with the lowest weight, patterns with a low success rate and at least 5 applications, and the oldest
        documents. It keeps protected nodes and their neighbours, sessions with unfinished goals, events that are
        evidence or causes of remaining items, and entities of remaining events. `limits` replaces limits by name:
        `events`, `entities`, `relations`, `patterns` and `documents`. One call archives at most 5,000 nodes and
        connections; `left_out` counts the rest. By default nothing is changed: pass `dry_run=False`. Raises
        INVALID_ARGUMENT, ONTOLOGY_NOT_FOUND, FILE_CREATION_FAILED, and PROTECTED if the domain is protected.
        """
        path = archive_path(self._archives, self._domain) if archive is None else checked_path(archive)
        effective_limits = limits_of(limits, self._limits)
        pruned = await prune(self._memory, effective_limits, dry_run=dry_run, archive=path)
        self._usage.recount()
        return pruned

    async def restore(self, archive: Path | str) -> RestoreResult:
        """Restore the nodes and connections in an archive written by `prune`.

        Reverts the batch that deleted them. If the log no longer has that batch, recreates them from the archive, in
        batches of 5,000. Recreated entities get new ids, and lose their aliases and their observations' validity.
        Raises INVALID_ARCHIVE if the file is not an archive, REVERT_CONFLICT if later changes prevent the revert, and
        BATCH_REFUSED if the items cannot be created.
        """
        return await restore(self._memory, checked_path(archive))

    @property
    def _usage(self) -> Usage:
        return Usage(self._memory, self._cache, self._domain, self._limits, self._begin_pruning)

    def _begin_pruning(self, name: Limited) -> None:
        """Prune the domain to 80 % of the limit in the background, at most once an hour, if the settings enable it."""
        key, now = (self._domain, "pruned"), monotonic()
        if self._background is None or now < cast("float", self._cache.get(key, 0.0)):
            return
        self._cache[key] = now + _PRUNE_INTERVAL
        limit = int(getattr(self._limits, name) * _PRUNE_TARGET)
        self._background.start(f"Pruning {self._domain}", self._prune_in_background({name: limit}))

    async def _prune_in_background(self, limits: Mapping[str, int]) -> None:
        await self.prune(dry_run=False, limits=limits)

    @property
    def working(self) -> Working:
        """The goal, task, outputs and notes of the caller's session."""
        return Working(Sessions(self._cache), self._domain, self._session)

    @property
    def episodic(self) -> Episodic:
        """The events in the domain, in chronological order."""
        return Episodic(self._memory, self._usage, self._archetype, self._session)

    @property
    def procedural(self) -> Procedural:
        """Patterns to follow or to avoid in a situation."""
        return Procedural(self._memory, PatternCache(self._cache, self._domain), self._usage)

    @property
    def prospective(self) -> Prospective:
        """Goals, their steps and their blockers."""
        return Prospective(self._memory)

    @property
    def semantic(self) -> Entities:
        """Entities, observations and relations. The same methods as `memory.entities`."""
        return self._memory.entities

    @property
    def relational(self) -> Relational:
        """Relations between entities, and paths along them."""
        return Relational(self._memory)

    @property
    def contextual(self) -> Contextual:
        """Texts from other sources, and search over all memory types."""
        return Contextual(self._memory, self._usage)

    @property
    def environmental(self) -> Environmental:
        """The project in the current folder: its files, conventions, services and git status."""
        return Environmental(self.episodic, self._cache)

    @property
    def user(self) -> UserMemory:
        """Preferences, corrections and feedback of users, in a separate domain."""
        return UserMemory(self._memory, CorrectionCache(self._cache, self._users_domain))

    @property
    def meta(self) -> MetaMemory:
        """Capabilities of the agent, in a separate domain, and statistics of its tools."""
        return MetaMemory(self._memory, self._agent_domain)
