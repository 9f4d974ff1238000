"""`Entities`: facts about entities, by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.memory.api.cleaning import Cleaning
from graph_memory.memory.api.sessions import Sessions
from graph_memory.memory.entities import (
    deletes,
    edits,
    paging,
    profiles,
    reads,
    relations,
    updating,
    upsert,
    writes,
)
from graph_memory.memory.entities.cleaning.results import AllSettled, Settled
from graph_memory.memory.entities.names import ids
from graph_memory.memory.entities.remember_results import Answer, Remembered
from graph_memory.memory.entities.results import (
    Done,
    EntitiesCreated,
    EntityUpdated,
    Forgotten,
    KnowledgeGraph,
    ObservationsAdded,
    ObservationUpdated,
    Profile,
    Profiles,
    RelationsCreated,
)
from graph_memory.memory.entity_graph.values import request as asked
from graph_memory.storage.log.writing import utc_now


class Entities(Cleaning, Sessions):
    """Entities with observations, and relations between them, by their names. Use it as `Memory.entities`.

    An entity is a node, a relation is a connection, and each observation is a record of its own. Names are compared
    exactly, and are unique within a domain, whatever the types of the entities. The first write creates the domain with
    an open ontology if it does not exist; before that, reads return nothing. In a domain with a closed ontology,
    unknown types raise INVALID_NODE_TYPE and INVALID_CONNECTION_TYPE. Wherever a method takes the name of an entity, it
    also takes the entity's id, unless another entity has that id as its name.
    """

    async def create_entities(
        self, entities: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> EntitiesCreated:
        """Create entities, and return the new ones. Entities whose name exists are not changed.

        Each has a `name`, an `entityType` or `type` (default `entity`), and `observations`: texts, or objects with
        `text` and optionally `time`, `source`, `confidence` (0 to 1), `valid_from` and `valid_to`. It may have a
        `description` and `properties`. If a name occurs twice, only its first entity is created.
        """
        values = asked.new_entities(entities, utc_now())
        return await writes.create_entities(self._core, self._domain(domain), values)

    async def create_relations(
        self, relations: Sequence[Mapping[str, object]], *, lenient: bool | None = None, domain: str | None = None
    ) -> RelationsCreated:
        """Create relations, and return the new ones.

        Each has the names `from` and `to`, a `relationType` or `type`, and optionally `properties`. A name without an
        entity raises NODE_NOT_FOUND with the nearest name. A `lenient` relation is stored even then; creating an entity
        with that name completes it. By default, relations with `relationType` are lenient.
        """
        values = asked.new_relations(relations, lenient=lenient)
        return await self._relations(values, domain)

    async def _relations(self, values: Sequence[asked.NewRelation], domain: str | None) -> RelationsCreated:
        where = self._domain(domain)
        return await relations.create_relations(
            self._core, where, await ids.resolve_relations(self._core, where, values)
        )

    async def add_observations(
        self, observations: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> ObservationsAdded:
        """Add observations to entities, all or none, and return the new ones.

        Each item has an `entityName`, and `contents` or `observations` in the form that `create_entities` takes. Raises
        NODE_NOT_FOUND for a name without an entity.
        """
        where = self._domain(domain)
        values = await ids.resolve_requests(self._core, where, asked.new_observations(observations, utc_now()))
        return await writes.add_observations(self._core, where, values)

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
    ) -> EntityUpdated:
        """Change an entity, and return its new state. It keeps its id, observations and relations.

        `aliases` replaces all its other names, by which `remember` and recall find it. `properties` are merged with the
        existing ones, and `description` replaces the old one. Lenient relations to the new name, stored before it had
        an entity, then lead to this entity (at most 2,500, otherwise INVALID_ARGUMENT). Also raises NODE_NOT_FOUND with
        the nearest name, UNIQUE_PROPERTY_TAKEN for the name of another entity, INVALID_PROPERTY and
        REQUIRED_PROPERTY_MISSING if the properties do not fit the type, INVALID_NODE_TYPE for a type that a closed
        ontology lacks, INVALID_TOPOLOGY for a type that one of the relations does not allow, the errors of their other
        rules, and TYPE_LIMIT_REACHED.
        """
        arguments = {"name": name, "new_name": new_name, "type": type, "aliases": aliases}
        wanted = edits.entity_edit({**arguments, "properties": properties, "description": description})
        where = self._domain(domain)
        [named] = await ids.resolve_requests(self._core, where, [wanted])
        return await updating.update_entity(self._core, where, named)

    async def update_observation(
        self,
        entity_name: str,
        observation: str,
        *,
        text: str | None = None,
        confidence: float | None = None,
        domain: str | None = None,
    ) -> ObservationUpdated:
        """Correct an observation of an entity, given by its id or its text, and return its new state.

        It keeps its id, time and source. `confidence` is from 0 to 1. Raises NODE_NOT_FOUND with the nearest name, and
        INVALID_ARGUMENT with the nearest text if the entity has no such observation, or if it already has one with the
        new text.
        """
        arguments = {"entityName": entity_name, "observation": observation, "text": text, "confidence": confidence}
        where = self._domain(domain)
        [named] = await ids.resolve_requests(self._core, where, [edits.observation_edit(arguments)])
        return await updating.update_observation(self._core, where, named)

    async def delete_entities(self, names: Sequence[str], *, domain: str | None = None) -> Done:
        """Delete entities with their observations and relations. Unknown names are ignored.

        `deleted` in the result is the number of named entities that existed.
        """
        where = self._domain(domain)
        return await deletes.delete_entities(
            self._core, where, await ids.resolve_names(self._core, where, asked.names_from(names))
        )

    async def delete_observations(
        self, deletions: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> Done:
        """Delete observations. Each item has an `entityName` and `observations` to delete; unknown ones are ignored."""
        where = self._domain(domain)
        removals = await ids.resolve_requests(self._core, where, asked.removals(deletions))
        return await deletes.delete_observations(self._core, where, removals)

    async def delete_relations(self, relations: Sequence[Mapping[str, object]], *, domain: str | None = None) -> Done:
        """Delete relations, given as in `create_relations`. Unknown ones are ignored."""
        where = self._domain(domain)
        values = await ids.resolve_relations(self._core, where, asked.relations_to_delete(relations))
        return await deletes.delete_relations(self._core, where, values)

    async def read_graph(
        self,
        *,
        max_tokens: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> KnowledgeGraph:
        """Return all entities and relations, or one page of them, in the order of their creation.

        A page has at most `limit` entities, and as many as fit in `max_tokens` together with their relations, but at
        least one. Each relation is on the page of its source entity. `next_cursor` leads to the next page, and stays
        valid after writes. Raises INVALID_ARGUMENT.
        """
        part = paging.part_from(max_tokens, limit, cursor)
        if part is None:
            return await reads.read_graph(self._core, self._domain(domain))
        return await paging.read_part(self._core, self._domain(domain), part)

    @property
    def read_graph_tokens(self) -> int:
        """The default maximum number of tokens of `read_graph` over MCP."""
        return self._core.read_graph_tokens

    async def search_nodes(self, query: str, *, domain: str | None = None) -> KnowledgeGraph:
        """Return the entities whose name, type or observations contain a text, with their relations.

        Case is ignored, and an empty text matches all entities. If no entity contains a text of several words as a
        whole, the result has the entities that contain each word, best first, without stop words and ignoring word
        endings. GRAPH_MEMORY_SEARCH_NODES=plain turns this off. Raises INVALID_ARGUMENT.
        """
        return await reads.search_nodes(self._core, self._domain(domain), asked.text_from(query, "query"))

    async def open_nodes(
        self, names: Sequence[str], *, detail: bool = False, domain: str | None = None
    ) -> KnowledgeGraph:
        """Return the entities with these names, and their relations. Unknown names are left out.

        With `detail`, each entity also has its id, creation time and creator, the time of its last change (including
        observations), how often it was returned before (written every few seconds), its `properties` and `aliases`, and
        the id, time, source and confidence of each observation.
        """
        where = self._domain(domain)
        wanted = await ids.resolve_all(self._core, where, asked.names_from(names))
        return await (reads.open_detailed if detail else reads.open_nodes)(self._core, where, wanted)

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

        Given properties replace existing ones, new observations are added, and omitted fields keep their values. `type`
        (default `entity`) applies to a new entity; an existing one keeps its type. `confidence`, from 0 to 1, is stored
        as the property `confidence`. Raises INVALID_ARGUMENT and INVALID_PROPERTY.
        """
        arguments = {"name": name, "type": type, "description": description, "properties": properties}
        arguments |= {"observations": observations, "confidence": confidence}
        return await upsert.upsert(self._core, self._domain(domain), upsert.upsert_request_from(arguments))

    async def find_by_name(self, name: str, *, domain: str | None = None) -> Profile | None:
        """Return the entity with a name, or None.

        If no entity has exactly this name, names match that differ only in case, spaces or punctuation. Raises
        INVALID_ARGUMENT if several entities match.
        """
        return await profiles.find_by_name(self._core, self._domain(domain), asked.text_from(name, "name"))

    async def get_salient(self, limit: int = 10, *, domain: str | None = None) -> Profiles:
        """Return the most important entities, at most `limit`.

        Salience is a score from 0 to 1. Up to 0.4 is for the number of mentions (0.2 for 10 mentions), up to 0.4 for
        the last mention (halved every 30 days), and up to 0.2 for use (0.1 for 10 uses, halved after every 30 days
        without use).
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
    ) -> Remembered:
        """Remember facts about one entity, all of them or none, and return a receipt for each.

        Pass a `text` with one fact in each sentence, or `observations` in the form that `add_observations` takes.
        `name` is the entity that the facts are about; by default, it is the one entity that the text names. An unknown
        name creates an entity, of this `type` if you pass one. Entities with a similar name are `candidates`: each is a
        question with the choices `same` and `new`. Pass a value that will change in `properties`: each has one value,
        and the log keeps the old ones.

        `relations` are objects with a `type`, and the other end as `to` or `from`. A relation to an unknown entity is
        rejected, unless its type is given as `relationType`: its receipt has the reason, and the other facts are
        stored. A call with no other facts then raises NODE_NOT_FOUND. `aliases` are other names of the entity.

        `replaces` has the ids or texts of known observations that the new one supersedes, or that end without a new
        one; an object in `observations` may have its own `replaces`. They end, and are kept as past facts. A fact that
        is already known is not added again. The receipts ask about up to three known observations that a new one may
        make outdated, each with the call of `decide` that ends it. With `dry_run`, nothing is written. Raises
        INVALID_PROPERTY, and INVALID_ARGUMENT, for example if the `name` or text can mean several entities.
        """
        from graph_memory.memory.remember import facts
        from graph_memory.memory.remember.remember import remember

        arguments = {"text": text, "name": name, "type": type, "observations": observations}
        arguments |= {"properties": properties, "relations": relations, "aliases": aliases, "replaces": replaces}
        wanted = facts.request_from(arguments, utc_now())
        return await remember(self._core, self._domain(domain), wanted, dry_run=dry_run)

    async def answer(self, question: str | None, decision: Answer, *, domain: str | None = None) -> Settled:
        """Answer a question of `remember` by its id, with one of its choices. See `decide`."""
        from graph_memory.memory.remember.decide import decide, ids_in_question

        new, known = ids_in_question(question)
        return await decide(self._core, self._domain(domain), new, known, decision)

    async def decide(self, new: str, known: str, decision: Answer, *, domain: str | None = None) -> Settled:
        """Answer a question of `remember`, given the ids of the new observation and of the known one.

        If a property has changed, `new` is the id of the entity. `close` ends the known observation, which the new one
        supersedes. `keep` keeps both, and reopens the known one after `close`. `same` deletes the new one as a
        duplicate. For two relations, `close` ends the known one, and `same` deletes the new one. For two entities,
        `same` merges the new one into the known one, and `new` changes nothing. All but `same` can be repeated. Raises
        INVALID_ARGUMENT if the observations are not of one entity, if the one to keep has ended, and if the known one
        was added again after `close`.
        """
        from graph_memory.memory.remember.decide import decide

        return await decide(self._core, self._domain(domain), new, known, decision)

    async def decide_all(self, decisions: Sequence[Mapping[str, object]], *, domain: str | None = None) -> AllSettled:
        """Answer several questions of `remember` in order, all of them or none.

        Each answer has a `decision`, and the `id` of a question, or `new` and `known`. Raises INVALID_ARGUMENT with the
        position of the faulty answer.
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
    ) -> Forgotten:
        """End facts, and return a receipt for each. Ended facts are only shown as past facts.

        `names` are the names, aliases or ids of entities, which are ended with all their facts. `text` is the exact
        text of an observation; with `names`, only their observations count. `ids` are ids of entities, observations or
        relations. Ended facts are kept: earlier states have them, and a revert restores them. `erase` erases them for
        good, with all earlier states, in all branches, one after another. With `dry_run`, nothing changes. Raises
        NODE_NOT_FOUND and INVALID_ARGUMENT.
        """
        from graph_memory.memory.entities import forgetting

        wanted = forgetting.forget_request_from(names, ids, text)
        return await forgetting.forget(self._core, self._domain(domain), wanted, erasing=erase, dry_run=dry_run)
