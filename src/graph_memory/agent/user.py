"""`UserMemory`: the preferences, corrections and feedback of users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from graph_memory.agent.kinds import CommunicationStyle, ExpertiseLevel
from graph_memory.agent.records.profiles import (
    STYLES,
    USER,
    UserEntry,
    check_choice,
    check_text,
    corrections_of,
    feedback_of,
    fitting_entries,
    preferences_of,
    stated_fields,
    stored_correction,
    stored_feedback,
    stored_texts,
    texts_of,
)
from graph_memory.agent.records.roles import add_types, roles_of
from graph_memory.agent.records.times import rfc3339
from graph_memory.agent.records.writing import build_with_defaults
from graph_memory.agent.results import Correction, Feedback, UserDeletionResult, UserMatches, UserProfile
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.entities.remember_results import RememberResult
from graph_memory.memory.entities.results import Entity
from graph_memory.memory.search.request import check_integer
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import can_read
from graph_memory.model.sessions import SessionSummary
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import check_query, invalid_argument

_MOST_PROFILES = 1_000
_MOST_SESSIONS = 100_000
_CACHE_KEY = "corrections"
_MOST_CORRECTIONS, _MOST_PREFERENCES = 3, 5
"""Maximum numbers of corrections and of preferences at the start of a recall."""


@dataclass(frozen=True, slots=True)
class _ProfileEntries:
    """All corrections and preferences in the users' domain as of the log entry with the id `change`."""

    change: str | None
    corrections: Sequence[UserEntry[Correction]] = ()
    preferences: Sequence[UserEntry[Feedback]] = ()


@dataclass(frozen=True, slots=True)
class CorrectionCache:
    """A cache of the corrections and preferences of all users. Any change in their domain's log invalidates it."""

    entries: dict[tuple[str, str], object]
    domain: str

    async def fitting_lines(self, users: Memory, query: str | None) -> Sequence[str]:
        """Return reply lines with the corrections and preferences that are relevant to the query.

        If `query` is None, returns lines with the newest corrections and preferences.
        """
        stored = await self.profile_entries(users)
        corrections = [entry.render() for entry in fitting_entries(stored.corrections, query, _MOST_CORRECTIONS)]
        return corrections + [entry.render() for entry in fitting_entries(stored.preferences, query, _MOST_PREFERENCES)]

    async def profile_entries(self, users: Memory) -> _ProfileEntries:
        """Return the corrections and preferences of all users, or none if the caller may not read their domain."""
        if not can_read(self.domain, counts=False):
            return _ProfileEntries(None)
        try:
            log = await users.history.log(limit=1)
        except GraphError as error:
            if error.code is not Code.ONTOLOGY_NOT_FOUND:
                raise
            return _ProfileEntries(None)
        last_change = log.entries[0].id if log.entries else None
        cached = self.entries.get((self.domain, _CACHE_KEY))
        if not isinstance(cached, _ProfileEntries) or cached.change != last_change:
            cached = self.entries[self.domain, _CACHE_KEY] = await _read_entries(users, last_change)
        return cached


class UserMemory:
    """The profiles of users, in a separate domain. Access them as `memory.agent.user`.

    A profile is an entity of type `UserProfile`. Corrections and feedback are its observations, so the domain's log,
    past states, reverts, search and `forget` include them. The first write creates the domain.
    """

    def __init__(self, memory: Memory, cache: CorrectionCache) -> None:
        self._project = memory
        self._cache = cache
        self._users = memory.in_domain(cache.domain)

    async def get(self, user: str | None = None, *, limit: int = 50) -> UserProfile:
        """Return the profile of a user (default `user`).

        `limit` is the maximum number each of corrections, preferences and feedback. Session statistics cover the log of
        the project's domain: all sessions for the default user, otherwise sessions whose actor has the user's name.
        Raises INVALID_ARGUMENT if `user` has no words or is the name of another entity, or `limit` is out of range.
        """
        name = USER if user is None else check_text("user", user)
        check_integer("limit", limit, 1, _MOST_PROFILES)
        entity = await self._find_entity(name)
        return _with_sessions(_profile(name, entity, limit), entity, await self._sessions(name))

    async def update(
        self,
        user: str | None = None,
        *,
        communication_style: CommunicationStyle | None = None,
        expertise_level: ExpertiseLevel | None = None,
        preferred_tools: Sequence[str] | None = None,
        custom_instructions: Sequence[str] | None = None,
        correction: Mapping[str, object] | None = None,
        feedback: str | None = None,
        source: str | None = None,
        time: datetime | str | None = None,
    ) -> UserProfile:
        """Change the profile of a user (default `user`) in one write. Omitted fields keep their values.

        `preferred_tools` and `custom_instructions` replace the stored lists. `correction` has `original`, `corrected`
        and optionally `context`. Corrections and feedback are added, with their `time` (default: now) and `source`
        (default: the name of the user). Returns the profile without session statistics. Raises INVALID_ARGUMENT if a
        field is invalid or no field is given, and CONTENT_TOO_LARGE if a text is too long.
        """
        name = USER if user is None else check_text("user", user)
        choices = {"communication_style": communication_style, "expertise_level": expertise_level}
        properties = {key: check_choice(key, value, STYLES[key]) for key, value in choices.items() if value is not None}
        lists = {"preferred_tools": preferred_tools, "custom_instructions": custom_instructions}
        properties |= {key: stored_texts(key, value) for key, value in lists.items() if value is not None}
        texts = [] if correction is None else [stored_correction(correction)]
        texts += [] if feedback is None else [stored_feedback(feedback)]
        if not properties and not texts:
            raise invalid_argument(
                "user",
                "No field to change was given",
                "Pass a field, such as communication_style, correction or feedback.",
            )
        origin = {"source": name if source is None else check_text("source", source), "time": rfc3339("time", time)}
        entity = await self._find_entity(name)  # raises before any write if another entity has the name
        name = entity.name if entity else name
        roles = await add_types(self._users, lambda _: (), "users")
        observations = [{"text": text, **origin} for text in texts]
        await self._users.entities.upsert(
            name, type=roles["UserProfile"], properties=properties, observations=observations
        )
        profile = _profile(name, await self._find_entity(name))
        return profile.model_copy(update=dict.fromkeys(("total_sessions", "first_seen", "last_seen")))

    async def delete(self, user: str) -> UserDeletionResult:
        """Delete a user: revoke all keys with this name, then erase the profile with all its earlier states.

        Logs keep the name as the author of changes. Repeat the call to resume an interrupted deletion. Raises
        INVALID_ARGUMENT if there is neither a key nor a profile with this name, INSUFFICIENT_RIGHTS, and the errors of
        `history.erase`.
        """
        name = check_text("user", user)
        entity = await self._find_entity(name)
        keys = [key for key in (await self._users.keys.list()).keys if key.name == name]
        if entity is None and not keys:
            raise invalid_argument("user", f"No key and no profile belong to {quote(name)}", "Check the name.")
        revoked = (await self._users.keys.revoke(name)).revoked if keys else ()
        erased = (await self._users.history.erase(entity.id)).domains if entity and entity.id else ()
        return UserDeletionResult(user=name, revoked=revoked, erased=erased)

    async def find_corrections(self, query: str, *, limit: int = 10) -> tuple[Correction, ...]:
        """Return the corrections of all users that share words with the query, best first.

        Raises INVALID_ARGUMENT if the query is empty, or `limit` is out of range.
        """
        return (await self.find(query, limit=limit)).corrections

    async def find(self, query: str, *, limit: int = 10) -> UserMatches:
        """Return the corrections and preferences of all users that share words with the query, best first.

        `limit` is the maximum number each of corrections and preferences. Raises INVALID_ARGUMENT if the query is
        empty, or `limit` is out of range.
        """
        check_integer("limit", limit, 1, _MOST_PROFILES)
        stored, query = await self._cache.profile_entries(self._users), check_query(query)
        corrections = tuple(user_entry.entry for user_entry in fitting_entries(stored.corrections, query, limit))
        preferences = tuple(user_entry.entry for user_entry in fitting_entries(stored.preferences, query, limit))
        return UserMatches(corrections=corrections, preferences=preferences)

    async def preferences(self) -> Sequence[Feedback]:
        """Return the preferences of all users: the stored sentences, and the fields of each profile as one sentence."""
        return [user_entry.entry for user_entry in (await self._cache.profile_entries(self._users)).preferences]

    async def entry_ids(self) -> frozenset[str | None]:
        """Return the ids of the corrections and preferences of all users."""
        stored = await self._cache.profile_entries(self._users)
        return frozenset(user_entry.entry.id for user_entry in (*stored.corrections, *stored.preferences))

    async def remember(self, preference: str, *, user: str | None = None, dry_run: bool = False) -> RememberResult:
        """Store a sentence as a preference of a user (default `user`), as `entities.remember` stores an observation.

        Raises INVALID_ARGUMENT if the sentence is blank or another entity has the name, and CONTENT_TOO_LARGE if the
        sentence is too long.
        """
        name = USER if user is None else check_text("user", user)
        entity = await self._find_entity(name)
        text, name = check_text("preference", preference), entity.name if entity else name
        roles = await roles_of(self._users, "users") if dry_run else await add_types(self._users, lambda _: (), "users")
        kind = roles["UserProfile"] if roles else None
        values = [{"text": text, "source": name}]
        return await self._users.entities.remember(name=name, type=kind, observations=values, dry_run=dry_run)

    async def _find_entity(self, name: str) -> Entity | None:
        """Return the profile's entity, or None. Raises INVALID_ARGUMENT if another entity has the name."""
        roles = await roles_of(self._users, "users")
        entities = (await self._users.entities.open_nodes([name], detail=True)).entities
        for entity in entities:
            if roles is None or entity.entity_type != roles["UserProfile"]:
                message = f"{quote(name)} is an entity of type {entity.entity_type}, not a user"
                raise invalid_argument(
                    "user", message, "Pass another name, or set GRAPH_MEMORY_USERS_DOMAIN to another domain."
                )
        return entities[0] if entities else None

    async def _sessions(self, user: str) -> Sequence[SessionSummary]:
        """Return the user's sessions in the log of the project's domain, or none if the domain does not exist."""
        try:
            sessions = (await self._project.history.sessions(limit=_MOST_SESSIONS)).sessions
        except GraphError as error:
            if error.code is not Code.ONTOLOGY_NOT_FOUND:
                raise
            return ()
        return [session for session in sessions if user in (USER, session.actor)]


def _profile(name: str, entity: Entity | None, limit: int = 50) -> UserProfile:
    """Return the profile that the entity stores. `limit` applies to corrections, preferences and feedback each."""
    details = entity.observation_details or () if entity else ()
    entries = {"corrections": corrections_of(details), "preferences": preferences_of(details)}
    entries |= {"feedback": feedback_of(details)}
    properties = dict(entity.properties or {}) if entity else {}
    fields: dict[str, object] = {
        **{key: value for key, value in properties.items() if key in UserProfile.model_fields},
        **{key: texts_of(properties.get(key)) for key in ("preferred_tools", "custom_instructions")},
        "user": entity.name if entity else name,
        **{key: tuple(texts[:limit]) or None for key, texts in entries.items()},
        "left_out": sum(max(len(texts) - limit, 0) for texts in entries.values()) or None,
        "warnings": None if entity else (f"No profile of {quote(name)} is stored yet",),
    }
    return build_with_defaults(UserProfile, fields, {"user": name})


def _with_sessions(profile: UserProfile, entity: Entity | None, sessions: Sequence[SessionSummary]) -> UserProfile:
    """Add session statistics to the profile: the stored numbers, updated from the log."""
    start_times = [*(session.began for session in sessions), profile.first_seen, entity and entity.created_at]
    end_times = [*(session.ended for session in sessions), profile.last_seen, entity and entity.updated_at]
    names = {session.session or session.first_seq for session in sessions}
    return profile.model_copy(
        update={
            "total_sessions": (profile.total_sessions or 0) + len(names),
            "first_seen": min(filter(None, start_times), default=None),
            "last_seen": max(filter(None, end_times), default=None),
        }
    )


async def _read_entries(users: Memory, change: str | None) -> _ProfileEntries:
    """Return the corrections and preferences of all profiles. `change` is the last change in the log."""
    roles = await roles_of(users, "users")
    if roles is None:
        return _ProfileEntries(change)
    profiles = await users.query_nodes(type=roles["UserProfile"], limit=_MOST_PROFILES)
    names = [str(node.properties.get("name", node.title)) for node in await users.describe_nodes(profiles.node_ids)]
    entities = (await users.entities.open_nodes(names, detail=True)).entities if names else ()
    corrections: list[UserEntry[Correction]] = []
    preferences: list[UserEntry[Feedback]] = []
    for entity in entities:
        details = entity.observation_details or ()
        fields = stated_fields(_profile(entity.name, entity), entity.updated_at or datetime.now(UTC))
        corrections += [UserEntry(entity.name, entry) for entry in corrections_of(details)]
        preferences += [UserEntry(entity.name, entry) for entry in (*preferences_of(details), *fields)]
    return _ProfileEntries(change, corrections, preferences)
