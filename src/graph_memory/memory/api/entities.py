"""`Entities`: facts about entities, by their names. The modules beside it do the work."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from graph_memory.memory.api.cleaning import Cleaning
from graph_memory.memory.entities import (
    deletes,
    edits,
    forgetting,
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
from graph_memory.memory.entities.remember_results import Remembered
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
from graph_memory.memory.recall.recall import recall_unseen
from graph_memory.memory.recall.results import Unseen
from graph_memory.memory.remember import facts
from graph_memory.memory.remember.decide import Answer, decide, decide_all, ids_in_question
from graph_memory.memory.remember.remember import remember
from graph_memory.memory.sessions import blocks, sessions
from graph_memory.memory.sessions.results import BlockEdited, Blocks, SessionEnded, SessionStarted
from graph_memory.storage.log.writing import utc_now


class Entities(Cleaning):
    """Entities with observations, and relations between them, by their names. It is `Memory.entities`.

    An entity is a node of its type, a relation a connection, and an observation a record of its own. Names are compared
    exactly, and no two entities of a domain have one name, whatever their types. The first write begins a domain with
    an open ontology, if there is none; until then, reads find nothing. Where the types of a domain are closed, writes
    raise INVALID_NODE_TYPE and INVALID_CONNECTION_TYPE for others. For the name of an entity that exists, its id can be
    given, unless that is itself the name of one.
    """

    async def create_entities(
        self, entities: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> EntitiesCreated:
        """Create entities, and return the new ones. Entities whose name exists are not changed.

        Each has a `name`, an `entityType` or `type` (default `entity`), and `observations`: texts, or objects with
        `text` and optionally `time`, `source`, `confidence` (0 to 1), `valid_from` and `valid_to`. It may have a
        `description` and `properties`. A name that is given twice is created once, with what is given first.
        """
        values = asked.new_entities(entities, utc_now())
        return await writes.create_entities(self._core, self._domain(domain), values)

    async def create_relations(
        self, relations: Sequence[Mapping[str, object]], *, lenient: bool | None = None, domain: str | None = None
    ) -> RelationsCreated:
        """Create relations, and return the new ones.

        Each has the names `from` and `to`, a `relationType` or `type`, and optionally `properties`. A name without
        an entity raises NODE_NOT_FOUND, with the nearest name. A `lenient` relation is stored nevertheless, and the
        name becomes an entity when one is created. By default, relations with `relationType` are lenient.
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

        Each has an `entityName`, and `contents` or `observations` as `create_entities` takes them. Raises
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
        """Change an entity, and return its present state. Its id, observations and relations stay.

        `aliases` are all its other names, by which `remember` and recall find it. `properties` are merged with the
        existing ones; a description replaces the earlier one. What it has must fit its `type`. Relations that
        lead to a `new_name` of which there is no entity yet are its own then. Raises NODE_NOT_FOUND with the nearest
        name, UNIQUE_PROPERTY_TAKEN for the name of another entity, INVALID_PROPERTY, REQUIRED_PROPERTY_MISSING,
        INVALID_NODE_TYPE for a type that a closed ontology does not have, INVALID_TOPOLOGY for a type that one of its
        relations does not allow, the errors of their other rules, TYPE_LIMIT_REACHED, and INVALID_ARGUMENT,
        also if more than 2,500 relations lead to the new name.
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
        """Correct an observation of an entity, given by its id or its text, and return its present state.

        Its id, time and source stay. `confidence` is from 0 to 1. Raises NODE_NOT_FOUND with the nearest name, and
        INVALID_ARGUMENT, also for what is no observation of the entity, with the nearest text, and for a text that
        another of its observations has.
        """
        arguments = {"entityName": entity_name, "observation": observation, "text": text, "confidence": confidence}
        where = self._domain(domain)
        [named] = await ids.resolve_requests(self._core, where, [edits.observation_edit(arguments)])
        return await updating.update_observation(self._core, where, named)

    async def delete_entities(self, names: Sequence[str], *, domain: str | None = None) -> Done:
        """Delete entities with their observations and relations. Unknown names are ignored.

        `deleted` of the answer says how many were there, here and for observations and relations.
        """
        where = self._domain(domain)
        return await deletes.delete_entities(
            self._core, where, await ids.resolve_names(self._core, where, asked.names_from(names))
        )

    async def delete_observations(
        self, deletions: Sequence[Mapping[str, object]], *, domain: str | None = None
    ) -> Done:
        """Delete observations: each has an `entityName` and the `observations` to delete. Unknown ones are ignored."""
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
        """Return all entities and relations, in the order in which they were created; or a part of them.

        A part has at most `limit` entities, and as many as fit in `max_tokens` with their relations, at least one.
        Each relation comes once, with the entity that it leads from; `next_cursor` leads to the next part, also after
        writes. Raises INVALID_ARGUMENT.
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
        """Return the entities whose name, type or observations contain a text, and the relations of each.

        Capital and small letters are the same. An empty text finds all. Where no entity has a text of several words,
        those are returned that have each word somewhere, best first: words that say nothing are left out, and endings
        do not count. GRAPH_MEMORY_SEARCH_NODES=plain switches that off. Raises INVALID_ARGUMENT.
        """
        return await reads.search_nodes(self._core, self._domain(domain), asked.text_from(query, "query"))

    async def open_nodes(
        self, names: Sequence[str], *, detail: bool = False, domain: str | None = None
    ) -> KnowledgeGraph:
        """Return the entities of these names, and the relations of each. Names that do not exist are left out.

        With `detail` each has also its id, when and by whom it was created, when it or its observations changed last,
        how often it was found or opened before, as far as that is written (it is every few seconds), its `properties`
        and `aliases`, and of each observation the id, time, source and confidence.
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
        is the type of a new entity, by default `entity`. An existing entity keeps its type. `confidence`,
        from 0 to 1, is kept as the property of that name. Raises INVALID_ARGUMENT and INVALID_PROPERTY.
        """
        arguments = {"name": name, "type": type, "description": description, "properties": properties}
        arguments |= {"observations": observations, "confidence": confidence}
        return await upsert.upsert(self._core, self._domain(domain), upsert.upsert_request_from(arguments))

    async def find_by_name(self, name: str, *, domain: str | None = None) -> Profile | None:
        """Return the entity of a name, or None.

        If no entity has exactly this name, an entity counts whose name differs only in capitals, spaces or
        punctuation. Raises INVALID_ARGUMENT if there are several.
        """
        return await profiles.find_by_name(self._core, self._domain(domain), asked.text_from(name, "name"))

    async def get_salient(self, limit: int = 10, *, domain: str | None = None) -> Profiles:
        """Return the entities that matter most, at most `limit`.

        Salience is from 0 to 1: 0.4 for how often an entity is mentioned (half of it at 10 mentions), 0.4 for how
        lately it was seen (half as much after each 30 days), and 0.2 for how much it is used (half at 10 uses, half as
        much after each 30 days without one).
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
        """Remember facts about one thing, all of them or none, and return what became of each.

        Give a `text`, a sentence a fact, or `observations`, which are texts or objects as `add_observations` takes
        them; and the `name` of what they are about, else it is the one entity that the text names. A name of which
        there is no entity makes one, of the `type` if there is one; entities with a name that is only alike are
        `candidates`, each a question with the choices `same` and `new`. A fact that changes is best said as one of the
        `properties`: each holds one value, and the log keeps the earlier ones.

        `relations` are objects with a `type`, and the other end as `to` or `from`. A relation to an end of which there
        is no entity is refused, unless the type is given as `relationType`: its receipt says why, and the rest is
        stored. If nothing else is given, it raises NODE_NOT_FOUND. `aliases` are other names, by which it is found.

        `replaces` names known observations, by id or text, that the new one takes the place of, or which are over if
        there is no new one; an object of `observations` may have its own. They end, are kept, and are no longer shown.
        What is known already is not added again. Everything else is added, and at most three known observations that it
        may make out of date are asked about, each with the call of `decide` that ends it. With `dry_run` nothing is
        written. Raises INVALID_ARGUMENT, also where `name` or text may mean several entities, and INVALID_PROPERTY.
        """
        arguments = {"text": text, "name": name, "type": type, "observations": observations}
        arguments |= {"properties": properties, "relations": relations, "aliases": aliases, "replaces": replaces}
        wanted = facts.request_from(arguments, utc_now())
        return await remember(self._core, self._domain(domain), wanted, dry_run=dry_run)

    async def answer(self, question: str | None, decision: Answer, *, domain: str | None = None) -> Settled:
        """Answer a question by its id, with one of its choices. See `decide`."""
        new, known = ids_in_question(question)
        return await decide(self._core, self._domain(domain), new, known, decision)

    async def decide(self, new: str, known: str, decision: Answer, *, domain: str | None = None) -> Settled:
        """Answer a question of `remember`, given the ids of the new observation and of the known one.

        If a property has changed, `new` is the id of the entity. `close` ends the known observation, which the new one
        supersedes. `keep` keeps both, and reopens the known one after `close`. `same` deletes the new one as a
        duplicate. For two relations, `close` ends the known one, and `same` deletes the new one. For two entities,
        `same` merges the new one into the known one, and `new` changes nothing. All but `same` can be repeated.
        Raises INVALID_ARGUMENT if the two are not observations of one entity, if the one to keep has ended, and if the
        known one was repeated after `close`.
        """
        return await decide(self._core, self._domain(domain), new, known, decision)

    async def decide_all(self, decisions: Sequence[Mapping[str, object]], *, domain: str | None = None) -> AllSettled:
        """Answer several questions of `remember` in order, all of them or none.

        Each has the `id` of a question, or `new` and `known`; and `decision`. Raises INVALID_ARGUMENT with its place.
        """
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
        """End facts, which are shown as past from then on if at all, and return a receipt of each.

        `names` are entities, by name, alias or id, with all that is known of them. `text` is an observation, exactly;
        with `names` only theirs. `ids` are entities, observations or relations. What ended is kept: the past shows it,
        and a revert brings it back. With `erase` it is erased for good, with its whole past, in all branches, one after
        another. With `dry_run` nothing changes. Raises NODE_NOT_FOUND and INVALID_ARGUMENT.
        """
        wanted = forgetting.forget_request_from(names, ids, text)
        return await forgetting.forget(self._core, self._domain(domain), wanted, erasing=erase, dry_run=dry_run)

    async def get_block(self, label: str | None = None, *, domain: str | None = None) -> Blocks:
        """Return the block of a label, or all: short texts that an agent reads at the start of each session.

        `persona`, `human` and `project` are there from the beginning, with empty texts. Raises INVALID_ARGUMENT for a
        label of which there is no block.
        """
        return await blocks.get_blocks(self._core, self._domain(domain), label)

    async def edit_block(
        self,
        label: str,
        text: str,
        *,
        mode: blocks.Mode = "append",
        old: str | None = None,
        limit: int | None = None,
        expected_version: int | None = None,
        domain: str | None = None,
    ) -> BlockEdited:
        """Append a text to a block on a line of its own, or replace the block, or only its part `old`, by it.

        A label of your own makes a block. A block has at most `limit` characters, 2,000 unless it is said, and that up
        to 20,000. `expected_version` refuses the edit if the block changed since. The log keeps every version. Raises
        CONTENT_TOO_LARGE over the limit, INVALID_ARGUMENT, VERSION_CONFLICT, and INVALID_NODE_TYPE where the types of
        the domain are closed and lack `MemoryBlock`.
        """
        edit = blocks.Edit(label=label, text=text, mode=mode, old=old, limit=limit, expected_version=expected_version)
        return await blocks.edit_block(self._core, self._domain(domain), edit)

    async def session_start(
        self,
        *,
        session_id: str | None = None,
        project: str | None = None,
        max_tokens: int = sessions.DEFAULT_TOKENS,
        domain: str | None = None,
    ) -> SessionStarted:
        """Return a primer for the start of a session, of at most `max_tokens`.

        Its order is: corrections by users that fit the project, or without a project the newest; the blocks; the last
        summary, of this session or project if there is one; facts about the project; the size of the memory; the last
        changes with their actors; open questions of `remember`; goals; contradictions; facts about the most used
        entities, as far as the budget allows.
        For an empty memory, `text` is a guide for the agent. Nothing is stored. Raises INVALID_ARGUMENT.
        """
        request = sessions.StartRequest(session_id, project, max_tokens)
        return await sessions.session_start(self._core, self._domain(domain), request)

    async def session_context(self, prompt: str, *, shown: Collection[str] = (), max_tokens: int = 500) -> Unseen:
        """Return what fits a prompt, without the nodes `shown`, and the ids of its nodes: none if nothing fits."""
        return await recall_unseen(self._core, self._domain(None), prompt, shown, max_tokens)

    async def session_end(
        self,
        summary: str,
        *,
        session_id: str | None = None,
        project: str | None = None,
        domain: str | None = None,
    ) -> SessionEnded:
        """Store the summary of a session for the next session. It replaces an earlier one of this session.

        Raises INVALID_ARGUMENT, and INVALID_NODE_TYPE if a closed ontology lacks `SessionSummary`.
        """
        return await sessions.session_end(self._core, self._domain(domain), summary, session_id, project)
