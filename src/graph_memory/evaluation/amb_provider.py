"""A memory provider for the Agent Memory Benchmark (github.com/vectorize-io/agent-memory-benchmark).

The benchmark cannot be installed as a package, so `GraphMemoryProvider` contains only the code of this memory. In a
checkout of the benchmark, derive a class from it and from the benchmark's `MemoryProvider`.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Protocol, cast

from graph_memory.evaluation.cases import with_caption
from graph_memory.memory.recall.guide import split_guide
from graph_memory.memory.recall.results import RecallResult
from graph_memory.settings import Settings
from graph_memory.sync import SyncMemory, open_memory_sync

_BATCH_SIZE = 500
_AGENT_ROLES = frozenset({"assistant", "agent", "ai", "system"})
_MAX_TOKENS = 5_000
_MAX_HITS = 100


class AmbDocument(Protocol):
    """The fields of the benchmark's `Document` that this provider reads."""

    id: str
    content: str
    user_id: str | None
    messages: list[dict[str, Any]] | None
    timestamp: str | None


@dataclass
class RecalledDocument:
    """A document of a reply, with the fields of the benchmark's `Document`."""

    id: str
    content: str
    user_id: str | None = None
    messages: list[dict[str, Any]] | None = None
    timestamp: str | None = None
    context: str | None = None


class GraphMemoryProvider:
    """Stores each user's documents as events in a domain named `amb-…`, and answers with a recall.

    By default, environment variables configure the memory. Other domains are not changed.
    """

    name: ClassVar[str] = "graph-memory"
    description: ClassVar[str] = "Typed graph memory on Neo4j. Ranks by words and meaning, without a language model."
    kind: ClassVar[str] = "local"
    provider: ClassVar[str | None] = "graph-memory"
    concurrency: ClassVar[int] = 4

    def __init__(self, settings: Settings | None = None, max_tokens: int = _MAX_TOKENS) -> None:
        self._settings = settings
        self._max_tokens = max_tokens
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._memory: SyncMemory | None = None
        self._run = ""

    def initialize(self) -> None:
        """Open the memory. The other methods also open it if needed."""
        self._open()

    def cleanup(self) -> None:
        """Close the memory. Keeps the domains, so that a later run can skip ingestion."""
        with self._lock:
            self._memory = None
            self._stack.close()

    def prepare(self, store_dir: Path, unit_ids: set[str] | None = None, reset: bool = True) -> None:
        """Select the domains of a run by its folder's path. If `reset` is set, delete its existing domains."""
        del unit_ids
        self._run = _hash(str(store_dir.absolute()))
        if reset:
            memory = self._open()
            for domain in memory.list_domains().domains:
                if domain.name.startswith(self._prefix):
                    memory.delete_domain(domain.name)

    def ingest(self, documents: Sequence[AmbDocument]) -> None:
        """Record each message of the documents as an event, and index the events. Each document is a session.

        A document without messages is one event, unless its content is a JSON array of messages. Raises the errors of
        `Agent.record_events`.
        """
        domains: dict[str, list[Mapping[str, object]]] = {}
        for document in documents:
            domains.setdefault(self._domain(document.user_id), []).extend(_events_of(document))
        for name, events in domains.items():
            scoped = self._open().in_domain(name)
            for start in range(0, len(events), _BATCH_SIZE):
                scoped.agent.record_events(events[start : start + _BATCH_SIZE])
            scoped.upkeep.reindex(anew=False)

    def retrieve(
        self,
        query: str,
        k: int = 10,
        user_id: str | None = None,
        query_timestamp: str | None = None,
        filters: object = None,
    ) -> tuple[list[RecalledDocument], dict[str, Any] | None]:
        """Return the recall of a query as one document, and the complete reply.

        `k` is the number of search hits from which the recall starts. There is no document if nothing is stored for the
        user. Ignores the query's time and filters. Raises the errors of `Recall.recall`.
        """
        del query_timestamp, filters
        scoped = self._open().in_domain(self._domain(user_id))
        reply: RecallResult = scoped.recall.recall(query, max_tokens=self._max_tokens, limit=min(max(k, 1), _MAX_HITS))
        content, _ = split_guide(reply.content)
        return [RecalledDocument("recall", str(content), user_id)] if content else [], reply.to_dict()

    @property
    def _prefix(self) -> str:
        return f"amb-{self._run or 'default'}-"

    def _domain(self, user_id: str | None) -> str:
        readable = re.sub(r"[^a-z0-9]+", "-", (user_id or "all").lower()).strip("-")[:24]
        return f"{self._prefix}{readable or 'user'}-{_hash(user_id or '')}"

    def _open(self) -> SyncMemory:
        with self._lock:
            if self._memory is None:
                self._memory = self._stack.enter_context(open_memory_sync(self._settings or Settings()))
            return self._memory


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def _events_of(document: AmbDocument) -> Iterator[Mapping[str, object]]:
    messages = document.messages or _messages_in(document.content) or [{"content": document.content}]
    for message in messages:
        content = message.get("content", message.get("text"))
        speaker = str(message.get("speaker") or "")
        text = content if isinstance(content, str) else json.dumps(message, ensure_ascii=False)
        text = with_caption(text, str(message.get("blip_caption") or ""))
        time = _time_of(document.timestamp)
        yield {
            "event_type": "message",
            "session": document.id,
            "actor": "agent" if str(message.get("role")).lower() in _AGENT_ROLES else "user",
            "content": f"{speaker}: {text}" if speaker else text,
            **({"timestamp": time} if time else {}),
        }


def _messages_in(content: str) -> list[dict[str, Any]]:
    """Return the messages in a JSON array, or an empty list for other content."""
    with suppress(ValueError, RecursionError):
        value: object = json.loads(content) if content.lstrip().startswith("[") else None
        if isinstance(value, list):
            entries = cast("list[object]", value)
            if all(isinstance(entry, dict) for entry in entries):
                return cast("list[dict[str, Any]]", entries)
    return []


def _time_of(text: str | None) -> str | None:
    """Return an ISO 8601 time with its time zone (default UTC), or None if the text is not a time."""
    with suppress(ValueError, TypeError):
        time = datetime.fromisoformat(cast("str", text))
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).isoformat()
    return None
