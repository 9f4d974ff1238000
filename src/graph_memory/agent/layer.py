"""`Agent`: the memory types of an agent, on the public facades."""

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
from graph_memory.agent.results import ConversationsImported, EventRecorded, MemoryResults, Pruned, Restored
from graph_memory.agent.sentences.forgetting import Forgetting
from graph_memory.agent.sentences.sentence_router import SentenceRouter
from graph_memory.agent.user import CorrectionCache, UserMemory
from graph_memory.agent.working import Sessions, Working
from graph_memory.memory.api.entities import Entities
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.background import Background
from graph_memory.memory.entities.remember_results import Remembered
from graph_memory.memory.entities.results import Forgotten
from graph_memory.progress import Progress, silent

_PRUNED_TO = 0.8
"""Share of a limit to which a domain is pruned in the background."""
_PRUNE_AGAIN = 3_600.0
"""Seconds between two prunings in the background."""


class Agent:
    """The memory types of an agent in a domain. `memory.agent` is one.

    Events, patterns, goals and documents are nodes and connections of the domain. The first write adds the types of
    `ontologies/agent.yaml`. Other types with the same names stay unchanged. Users and capabilities are in domains of
    their own. Working and environmental memory are in the memory of the process.
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
        """Return the results of all memory types for a query, such as patterns, goals, events and entities.

        `event_limit` and `vector_limit` are the maximum numbers of events and of other hits (up to 50). `max_tokens`
        (100 to 100,000) is one budget for the whole result. `left_out` counts the results that did not fit. Raises
        INVALID_ARGUMENT.
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

    async def remember(self, text: str, *, session: str | None = None, dry_run: bool = False) -> Remembered:
        """Remember a text sentence by sentence, and return a receipt for each.

        The beginning of an English sentence decides how it is stored: as a preference ("The user prefers"), a goal
        ("Goal:"), a pattern ("Never", "Next time", "This fixed it:"), or else as an observation, as `entities.remember`
        does it. Goals with a `session` are for that session, and a solution is learned from its last failure (default:
        goals for all sessions, and the last failure of the caller's session). `rule` and `evidence` of the receipt name
        the choice. In a domain with a closed ontology that lacks these types, all sentences are observations. If all
        sentences are refused, raises the error of the first: an error of `entities.remember`, `user.remember`,
        `prospective.create` or `procedural.record`.
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
    ) -> Forgotten:
        """End or erase facts as `entities.forget` does, and goals, patterns and preferences also by their sentences.

        A name or text without a name may be the sentence that `remember` was given, or the name or text of a goal,
        pattern or preference, ignoring case, white space and a final full stop. Preferences are forgotten in their own
        domain. Raises INVALID_ARGUMENT with `candidates` for an ambiguous text.

        `session`, `path` and `phrase` erase what hooks have captured or `import_conversations` has added: the events
        that match all of them, also deleted ones and those that wait in the spool, and the summaries of their sessions.
        A path matches as a whole path or a folder, as it was written; a phrase matches in any case. They need `erase`.
        """
        if session is not None or path is not None or phrase is not None:
            from graph_memory.agent.capture.erasing import captured_filter_from, erase_captured

            wanted = captured_filter_from(session, path, phrase, is_alone=not (names or ids or text), erase=erase)
            return await erase_captured(self._memory, self._domain, self._archives.parent, wanted, dry_run=dry_run)
        forgetting = Forgetting(self._memory, self.user, self._domain, self._users_domain)
        return await forgetting.forget(names, ids, text, erase=erase, dry_run=dry_run)

    async def record_event(
        self, event: Mapping[str, object], archetype: str | Archetype | None = None
    ) -> EventRecorded:
        """Record an event, given as an object with the arguments of `episodic.record`, and optionally its `id`.

        Raises the errors of `episodic.record`.
        """
        [recorded] = await self.record_events([event], archetype)
        return recorded

    async def record_events(
        self, events: Sequence[Mapping[str, object]], archetype: str | Archetype | None = None
    ) -> tuple[EventRecorded, ...]:
        """Record up to 1,000 events in one transaction: all of them, or none.

        `caused_by` can have the `id` of an event of the same call. Raises the errors of `episodic.record`.
        """
        chosen = self._archetype if archetype is None else archetype
        return await record_events(self._memory, self._usage, events_from(events, self._session), chosen)

    async def import_conversations(
        self,
        source: Path | str,
        *,
        format: str | None = None,  # noqa: A002 - as in `Transfer.import_memory`
        by_project: bool = False,
        dry_run: bool = False,
        tell: Progress = silent,
    ) -> ConversationsImported:
        """Store conversations of Claude Code, Codex, ChatGPT or Claude.ai as events, and summarise their sessions.

        `source` is a transcript (JSON Lines), an exported `conversations.json`, or a folder of them, which are read in
        constant memory. An event has the same id in each import, so a repeated import adds nothing and an interrupted
        one continues. Secrets are replaced, and excluded projects are left out, as hooks do. With `by_project`, each
        session goes to the domain of its project's folder. Raises INVALID_ARGUMENT, INVALID_SOURCE for a damaged
        export, and MEMORY_LIMIT_REACHED.
        """
        from graph_memory.agent.capture.importing import import_conversations

        return await import_conversations(
            self._memory, self._domain, Path(source), format, by_project=by_project, dry_run=dry_run, tell=tell
        )

    async def prune(
        self,
        *,
        dry_run: bool = True,
        limits: Mapping[str, int] | None = None,
        archive: Path | str | None = None,
    ) -> Pruned:
        """Archive the nodes and connections over the domain's limits to a file, and delete them in one batch.

        Archived are the events of the oldest sessions that ended 7 days ago or earlier, the least salient entities, the
        relations with the lowest weight, the patterns with a low success rate and at least 5 applications, and the
        oldest documents. Never archived are protected nodes and their neighbours, the sessions of unfinished goals,
        events that a remaining node or connection has as evidence or cause, and entities of remaining events.
        `limits` replaces limits by name: `events`, `entities`, `relations`, `patterns` and `documents`. One call
        archives at most 5,000 nodes and connections; `left_out` counts the rest. Without `dry_run=False` nothing
        changes. Raises INVALID_ARGUMENT, ONTOLOGY_NOT_FOUND, FILE_CREATION_FAILED, and PROTECTED if the domain is.
        """
        path = archive_path(self._archives, self._domain) if archive is None else checked_path(archive)
        effective = limits_of(limits, self._limits)
        pruned = await prune(self._memory, effective, dry_run=dry_run, archive=path)
        self._usage.recount()
        return pruned

    async def restore(self, archive: Path | str) -> Restored:
        """Restore the nodes and connections that `prune` has archived to a file.

        It reverts the batch of `prune`, so everything is as it was. If the log no longer has that batch, it creates the
        nodes and connections of the file, in one batch for each 5,000 of them. Then entities have new ids, and neither
        aliases nor the validity of their observations. Raises INVALID_ARCHIVE, REVERT_CONFLICT and BATCH_REFUSED.
        """
        return await restore(self._memory, checked_path(archive))

    @property
    def _usage(self) -> Usage:
        return Usage(self._memory, self._cache, self._domain, self._limits, self._begin_pruning)

    def _begin_pruning(self, name: Limited) -> None:
        """Prune the domain to 80 % of a limit in the background, at most once an hour, if the settings say so."""
        key, now = (self._domain, "pruned"), monotonic()
        if self._background is None or now < cast("float", self._cache.get(key, 0.0)):
            return
        self._cache[key] = now + _PRUNE_AGAIN
        limit = int(getattr(self._limits, name) * _PRUNED_TO)
        self._background.start(f"Pruning {self._domain}", self._prune_in_background({name: limit}))

    async def _prune_in_background(self, limits: Mapping[str, int]) -> None:
        await self.prune(dry_run=False, limits=limits)

    @property
    def working(self) -> Working:
        """The goal, task, outputs and notes of the caller's session."""
        return Working(Sessions(self._cache), self._domain, self._session)

    @property
    def episodic(self) -> Episodic:
        """Events, in the order of time."""
        return Episodic(self._memory, self._usage, self._archetype, self._session)

    @property
    def procedural(self) -> Procedural:
        """Patterns that work in a situation or must be avoided there."""
        return Procedural(self._memory, PatternCache(self._cache, self._domain), self._usage)

    @property
    def prospective(self) -> Prospective:
        """Goals, their steps and their blockers."""
        return Prospective(self._memory)

    @property
    def semantic(self) -> Entities:
        """Entities: the same as `memory.entities`."""
        return self._memory.entities

    @property
    def relational(self) -> Relational:
        """Relations between entities."""
        return Relational(self._memory)

    @property
    def contextual(self) -> Contextual:
        """Texts of other sources, and the search over everything."""
        return Contextual(self._memory, self._usage)

    @property
    def environmental(self) -> Environmental:
        """The project in the current folder."""
        return Environmental(self.episodic, self._cache)

    @property
    def user(self) -> UserMemory:
        """Preferences, corrections and feedback of users, in a domain of their own."""
        return UserMemory(self._memory, CorrectionCache(self._cache, self._users_domain))

    @property
    def meta(self) -> MetaMemory:
        """Capabilities of the agent and statistics of its tools, in a domain of its own."""
        return MetaMemory(self._memory, self._agent_domain)
