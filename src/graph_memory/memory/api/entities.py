"""`Entities`: stores and reads facts about entities, which are identified by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.memory.api.cleaning import Cleaning
from graph_memory.memory.api.sessions import Sessions
from graph_memory.memory.entities import deletes, edits, paging, profiles, reads, updating, upsert, writes
from graph_memory.memory.entities.cleaning.results import DecisionResult, DecisionResults
from graph_memory.memory.entities.names import ids
from graph_memory.memory.entities.relations import create_relations
from graph_memory.memory.entities.remember_results import Answer, RememberResult
from graph_memory.memory.entities.results import (
    Confirmation,
    EntityCreationResult,
    EntityUpdateResult,
    ForgetResult,
    KnowledgeGraph,
    ObservationAdditionResult,
    ObservationUpdateResult,
    Profile,
    Profiles,
    RelationCreationResult,
)
from graph_memory.memory.entity_graph.values import request as requests
from graph_memory.storage.log.writing import utc_now


class Entities(Cleaning, Sessions):
    """Entities with observations and relations, identified by their names. Use it as `Memory.entities`.

    An entity is a node, a relation is a connection, and each observation is a separate record. Names are compared
    exactly, and are unique within a domain, regardless of entity type. If the domain does not exist, the first write
    creates it with an open ontology; before that, reads return nothing. In a domain with a closed ontology,
    unknown types raise INVALID_NODE_TYPE and INVALID_CONNECTION_TYPE. Wherever a method takes the name of an entity, it
    also takes the entity's id, unless another entity has that id as its name.
    """

    async def create_entities(
        self, entities: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> EntityCreationResult:
        """Create entities, and return the created entities. An entity whose name already exists is not changed.

        Each entity has a `name`, an `entityType` or `type` (default `entity`), and `observations`: strings, or objects
        with `text` and optionally `time`, `source`, `confidence` (from 0 to 1), `valid_from` and `valid_to`. It may
        have a `description` and `properties`. If a name occurs more than once, only the first entity with that name is
        created.
        """
        values = requests.new_entities(entities, utc_now())
        return await writes.create_entities(self._core, self._domain(domain), values)

    async def create_relations(
        self, relations: Sequence[Mapping[str, object]], *, lenient: bool | None = None, domain: str | None = None
    ) -> RelationCreationResult:
        """Create relations, and return the created relations. Existing relations are not created again.

        Each relation has the entity names `from` and `to`, a `relationType` or `type`, and optionally `properties`. If
        no entity has one of these names, the call raises NODE_NOT_FOUND with the most similar name. A `lenient`
        relation is stored even then. It is completed when an entity with that name is created. By default, relations
        with `relationType` are lenient.
        """
        values = requests.new_relations(relations, lenient=lenient)
        domain_name = self._domain(domain)
        return await create_relations(
            self._core, domain_name, await ids.resolve_relations(self._core, domain_name, values)
        )

    async def add_observations(
        self, observations: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> ObservationAdditionResult:
        """Add observations to entities, all or none, and return the added observations.

        Each item has an `entityName`, and `contents` or `observations` in the form that `create_entities` takes. Raises
        NODE_NOT_FOUND if no entity has the name.
        """
        domain_name = self._domain(domain)
        values = await ids.resolve_requests(self._core, domain_name, requests.new_observations(observations, utc_now()))
        return await writes.add_observations(self._core, domain_name, values)

    async def update_entity(
        self,
        name: str,
        *,
        new_name: str | None = None,
        type: str | None = None,  # noqa: A002 - the word that agents know
        aliases: Sequence[str] | None = None,
        properties: Mapping[str, object] | None = None,
        description: str | None = None,
        domain: str | None = None,
    ) -> EntityUpdateResult:
        """Change an entity, and return its new state. The entity keeps its id, observations and relations.

        `aliases` replaces all its other names, by which `remember` and recall identify it. `properties` are merged into
        the existing properties, and `description` replaces the old description. Lenient relations that were stored
        before an entity had the new name then point to this entity. If there are more than 2,500 of them, the call
        raises INVALID_ARGUMENT.

        Raises NODE_NOT_FOUND, with the most similar name, if the entity does not exist, UNIQUE_PROPERTY_TAKEN if
        another entity has the new name, INVALID_PROPERTY or REQUIRED_PROPERTY_MISSING if the properties do not match
        the type, INVALID_NODE_TYPE if a closed ontology lacks the type, INVALID_TOPOLOGY if a relation does not allow
        the type, TYPE_LIMIT_REACHED if an open ontology cannot have more types, and the errors of other rules for the
        relations.
        """
        arguments = {"name": name, "new_name": new_name, "type": type, "aliases": aliases}
        edit = edits.entity_edit({**arguments, "properties": properties, "description": description})
        domain_name = self._domain(domain)
        [resolved_edit] = await ids.resolve_requests(self._core, domain_name, [edit])
        return await updating.update_entity(self._core, domain_name, resolved_edit)

    async def update_observation(
        self,
        entity_name: str,
        observation: str,
        *,
        text: str | None = None,
        confidence: float | None = None,
        domain: str | None = None,
    ) -> ObservationUpdateResult:
        """Correct an observation, identified by its id or its text, and return its new state.

        The observation keeps its id, time and source. `confidence` is from 0 to 1. Raises NODE_NOT_FOUND, with the most
        similar name, if the entity does not exist. Raises INVALID_ARGUMENT if the entity does not have the observation
        (with the most similar text), or already has an observation with the new text.
        """
        arguments = {"entityName": entity_name, "observation": observation, "text": text, "confidence": confidence}
        domain_name = self._domain(domain)
        [edit] = await ids.resolve_requests(self._core, domain_name, [edits.observation_edit(arguments)])
        return await updating.update_observation(self._core, domain_name, edit)

    async def delete_entities(self, names: Sequence[str], *, domain: str | None = None) -> Confirmation:
        """Delete entities with their observations and relations. Unknown names are ignored.

        `deleted` in the result is the number of named entities that existed.
        """
        domain_name = self._domain(domain)
        return await deletes.delete_entities(
            self._core, domain_name, await ids.resolve_names(self._core, domain_name, requests.names_from(names))
        )

    async def delete_observations(
        self, deletions: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> Confirmation:
        """Delete observations. Each item has an `entityName` and `observations` to delete. Ignores unknown texts."""
        domain_name = self._domain(domain)
        removals = await ids.resolve_requests(self._core, domain_name, requests.removals(deletions))
        return await deletes.delete_observations(self._core, domain_name, removals)

    async def delete_relations(
        self, relations: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> Confirmation:
        """Delete relations, given in the form that `create_relations` takes. Unknown relations are ignored."""
        domain_name = self._domain(domain)
        values = await ids.resolve_relations(self._core, domain_name, requests.relations_to_delete(relations))
        return await deletes.delete_relations(self._core, domain_name, values)

    async def read_graph(
        self,
        *,
        max_tokens: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> KnowledgeGraph:
        """Return all entities and relations, or one page of them, in order of creation.

        A page contains at most `limit` entities. They and their relations fit into `max_tokens`, unless the page has
        only one entity. Each relation is on its source entity's page. Pass `next_cursor` to get the next page. It stays
        valid after writes. Raises INVALID_ARGUMENT if `max_tokens`, `limit` or `cursor` is invalid.
        """
        part = paging.part_from(max_tokens, limit, cursor)
        if part is None:
            return await reads.read_graph(self._core, self._domain(domain))
        return await paging.read_part(self._core, self._domain(domain), part)

    @property
    def read_graph_tokens(self) -> int:
        """The default token limit of `read_graph` over MCP."""
        return self._core.read_graph_tokens

    async def search_nodes(self, query: str, *, domain: str | None = None) -> KnowledgeGraph:
        """Return the entities whose name, type or observations contain a string, with their relations.

        Case is ignored, and an empty string matches all entities. If the query has several words and no entity contains
        the whole query, the call returns the entities that contain all its words, best first. The word search ignores
        stop words and word endings. GRAPH_MEMORY_SEARCH_NODES=plain disables it. Raises INVALID_ARGUMENT if the query
        is not a string, or cannot be stored.
        """
        return await reads.search_nodes(self._core, self._domain(domain), requests.text_from(query, "query"))

    async def open_nodes(
        self, names: Sequence[str], *, detail: bool = False, domain: str | None = None
    ) -> KnowledgeGraph:
        """Return the entities with these names, and their relations. Unknown names are omitted.

        With `detail`, each entity also has its id, creation time and creator, the time of its last change (including
        observations), how often it was returned before (written every few seconds), its `properties` and `aliases`, and
        the id, time, source and confidence of each observation.
        """
        domain_name = self._domain(domain)
        entity_names = await ids.resolve_all(self._core, domain_name, requests.names_from(names))
        return await (reads.open_detailed if detail else reads.open_nodes)(self._core, domain_name, entity_names)

    async def upsert(
        self,
        name: str,
        *,
        type: str | None = None,  # noqa: A002 - the word that agents know
        description: str | None = None,
        properties: Mapping[str, object] | None = None,
        observations: Sequence[str | Mapping[str, object]] | None = None,
        confidence: float | None = None,
        domain: str | None = None,
    ) -> Profile:
        """Create or update the entity with this name, and return it.

        The given properties replace existing values, new observations are added, and omitted fields keep their values.
        `type` (default `entity`) applies only to a new entity. An existing entity keeps its type. `confidence`, from 0
        to 1, is stored as the property `confidence`. Raises INVALID_ARGUMENT if an argument is invalid, and
        INVALID_PROPERTY if a property does not match the type.
        """
        arguments = {"name": name, "type": type, "description": description, "properties": properties}
        arguments |= {"observations": observations, "confidence": confidence}
        return await upsert.upsert(self._core, self._domain(domain), upsert.upsert_request_from(arguments))

    async def find_by_name(self, name: str, *, domain: str | None = None) -> Profile | None:
        """Return the entity with this name, or None.

        If no entity has exactly this name, differences in case, spaces and punctuation are ignored. Raises
        INVALID_ARGUMENT if several entities match.
        """
        return await profiles.find_by_name(self._core, self._domain(domain), requests.text_from(name, "name"))

    async def get_salient(self, limit: int = 10, *, domain: str | None = None) -> Profiles:
        """Return up to `limit` entities, most important first.

        Importance is a score from 0 to 1 with three parts: up to 0.4 for the number of mentions (0.2 for 10 mentions),
        up to 0.4 for the time of the last mention (halved every 30 days), and up to 0.2 for use (0.1 for 10 uses,
        halved after every 30 days without use).
        """
        return await profiles.get_salient(self._core, self._domain(domain), limit)

    async def remember(
        self,
        text: str | None = None,
        *,
        name: str | None = None,
        type: str | None = None,  # noqa: A002 - the word that agents know
        observations: Sequence[str | Mapping[str, object]] | None = None,
        properties: Mapping[str, object] | None = None,
        relations: Sequence[Mapping[str, object]] | None = None,
        aliases: Sequence[str] | None = None,
        replaces: str | Sequence[str] | None = None,
        dry_run: bool = False,
        domain: str | None = None,
    ) -> RememberResult:
        """Remember facts about one entity, all of them or none, and return a receipt for each fact.

        Pass a `text` with one fact in each sentence, or `observations` in the form that `add_observations` takes.
        `name` is the entity that the facts are about; by default, it is the only entity that the text names. An unknown
        name creates an entity, of the given `type` if you pass it. Entities with a similar name are returned as
        `candidates`: each asks whether it is the `same` entity or a `new` one. Pass a value that may change later as a
        property: a property has only one value, and the log keeps its old values.

        `relations` are objects with a `type`, and the other entity as `to` or `from`. A relation to an unknown entity
        is rejected, unless its type is given as `relationType`. The receipt of a rejected relation contains the reason,
        and the other facts are stored. If there are no other facts, the call raises NODE_NOT_FOUND. `aliases` are other
        names of the entity.

        `replaces` contains the ids or texts of known observations that the new observation supersedes, or that end
        without a replacement; an object in `observations` may have its own `replaces`. These observations end, and are
        kept as past facts. A fact that is already known is not added again. The receipts ask about up to three known
        observations that a new observation may make outdated, each with the call of `decide` that ends it. With
        `dry_run`, nothing is written. Raises INVALID_PROPERTY if a property is invalid, and INVALID_ARGUMENT, for
        example if the `name` or text could refer to several entities.
        """
        from graph_memory.memory.remember import facts
        from graph_memory.memory.remember.remember import remember

        arguments = {"text": text, "name": name, "type": type, "observations": observations}
        arguments |= {"properties": properties, "relations": relations, "aliases": aliases, "replaces": replaces}
        request = facts.request_from(arguments, utc_now())
        return await remember(self._core, self._domain(domain), request, dry_run=dry_run)

    async def answer(self, question: str | None, decision: Answer, *, domain: str | None = None) -> DecisionResult:
        """Answer a question that `remember` asked, given its id, with one of its choices. See `decide`."""
        from graph_memory.memory.remember.decide import decide, ids_in_question

        new, known = ids_in_question(question)
        return await decide(self._core, self._domain(domain), new, known, decision)

    async def decide(self, new: str, known: str, decision: Answer, *, domain: str | None = None) -> DecisionResult:
        """Answer a question that `remember` asked, given the ids of the new observation and the known observation.

        If a property has changed, `new` is the entity's id. `close` ends the known observation, which the new one
        supersedes. `keep` keeps both, and makes the known observation current again after `close`. `same` deletes the
        new observation as a duplicate. For two relations, `close` ends the known relation, and `same` deletes the new
        relation. For two entities, `same` merges the new entity into the known entity, and `new` changes nothing. All
        decisions except `same` can be repeated. Raises INVALID_ARGUMENT if the observations belong to different
        entities, if `same` would delete the only current observation, or if the known observation was added again after
        `close`.
        """
        from graph_memory.memory.remember.decide import decide

        return await decide(self._core, self._domain(domain), new, known, decision)

    async def decide_all(
        self, decisions: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> DecisionResults:
        """Answer several questions that `remember` asked, in order, all of them or none.

        Each answer has a `decision`, and either a question's `id`, or `new` and `known`. If an answer is invalid,
        raises INVALID_ARGUMENT with its position.
        """
        from graph_memory.memory.remember.decide import decide_all

        return await decide_all(self._core, self._domain(domain), decisions)

    async def forget(
        self,
        names: Sequence[str] | None = None,
        *,
        ids: Sequence[str] | None = None,
        text: str | Sequence[str] | None = None,
        erase: bool = False,
        dry_run: bool = False,
        domain: str | None = None,
    ) -> ForgetResult:
        """End facts, and return a receipt for each of them. Ended facts are only shown as past facts.

        `names` are the names, aliases or ids of entities, which end with all their facts. `text` is the exact text of
        an observation; with `names`, only the observations of these entities match. `ids` are ids of entities,
        observations or relations. Ended facts are kept: earlier states contain them, and a revert restores them.
        `erase` erases the facts for good, with all their earlier states, in all branches, one fact after another. With
        `dry_run`, nothing changes. Raises NODE_NOT_FOUND if a name is unknown, and INVALID_ARGUMENT if an id is
        unknown, an alias is ambiguous, or no fact is selected.
        """
        from graph_memory.memory.entities import forgetting

        request = forgetting.forget_request_from(names, ids, text)
        return await forgetting.forget(self._core, self._domain(domain), request, erasing=erase, dry_run=dry_run)
