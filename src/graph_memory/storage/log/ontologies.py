"""The ontologies of all domains, as this process last read them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.ontology.inheritance import inheriting
from graph_memory.model.ontology.inverses import agreeing
from graph_memory.model.ontology.ontology import Ontology, connection_type_from, node_type_from
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log.tree import above
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

HALF_SEEN = 20
"""How often something is read that was seen by halves."""


@dataclass(frozen=True, slots=True)
class HeadRow:
    """Where a domain's log stands, read without the lock."""

    seq: int
    ontology_version: int
    epoch: str
    parent: str | None


@dataclass(frozen=True, slots=True)
class OntologyRow:
    """A domain's ontology as stored."""

    ontology_version: int
    epoch: str
    newest: int
    versions: int | None
    found: int
    open: bool
    description: str
    node_types: list[str]
    connection_types: list[str]

    @property
    def is_whole(self) -> bool:
        """Whether all of it was read as it is at its version."""
        return self.newest == self.ontology_version and self.versions in (None, self.found)


HEAD = query("log/head", HeadRow)
ONTOLOGY = query("log/ontology", OntologyRow)


@dataclass(frozen=True, slots=True)
class CachedOntology:
    """An ontology as it was when it was read. Within an epoch types are only added."""

    epoch: str
    version: int
    ontology: Ontology
    above: tuple[tuple[str, str, int], ...] = ()
    """The domains above, the nearest first, with the epochs and versions of the ontologies that it inherits from."""

    def has(self, kind: Kind, name: str) -> bool:
        """Say whether it has a type of nodes or of connections."""
        if kind is Kind.NODE:
            return self.ontology.find_node_type(name) is not None
        return self.ontology.find_connection_type(self.ontology.stored_as(name)[0]) is not None

    def is_at(self, epoch: str, version: int) -> bool:
        """Say whether it is that of an epoch and a version."""
        return (self.epoch, self.version) == (epoch, version)


class Ontologies:
    """What was read last, by domain: its own types, and with them what it inherits."""

    def __init__(self) -> None:
        self._own: dict[str, CachedOntology] = {}
        self._known: dict[str, CachedOntology] = {}

    def cached_ontology(self, domain: str) -> CachedOntology | None:
        """Return what was read last, without a look at the store."""
        return self._known.get(domain)

    async def present(self, reader: Reader, domain: str) -> Ontology | None:
        """Return the domain's ontology as it is now, None when there is no such domain."""
        head = await reader.one(HEAD, domain=domain)
        if head is None:
            return None
        own = self._at(domain, head.epoch, head.ontology_version) or await self._load(reader, domain)
        return await self._whole(reader, domain, own, head.parent) if own else None

    async def locked(self, reader: Reader, domain: str, epoch: str, version: int, parent: str | None) -> Ontology:
        """Return the ontology of a domain whose lock is held."""
        own = self._at(domain, epoch, version)
        if own is None:
            row = await reader.one(ONTOLOGY, domain=domain)
            own = self._remember(domain, row) if row else None
        return await self._whole(reader, domain, own, parent) if own else Ontology()

    def forget(self, domain: str) -> None:
        """Read the domain's ontology anew when it is next needed."""
        self._own.pop(domain, None)
        self._known.pop(domain, None)

    async def _whole(self, reader: Reader, domain: str, own: CachedOntology, parent: str | None) -> Ontology:
        """Return a domain's own ontology with what it inherits, put together once for each version of all of them."""
        whole = own if parent is None else await self._inheriting(reader, domain, own, parent)
        if self._own.get(domain) is own:
            self._known[domain] = whole
        return whole.ontology

    async def _inheriting(self, reader: Reader, domain: str, own: CachedOntology, parent: str) -> CachedOntology:
        rows = await above(reader, domain, parent)
        known, stand = self._known.get(domain), tuple((row.name, row.epoch, row.ontology_version) for row in rows)
        if known is not None and known.is_at(own.epoch, own.version) and known.above == stand:
            return known
        ontologies: list[tuple[str, Ontology]] = []
        for row in rows:
            one = self._at(row.name, row.epoch, row.ontology_version) or await self._load(reader, row.name)
            ontologies += [(row.name, one.ontology)] if one else []
        return CachedOntology(own.epoch, own.version, inheriting(own.ontology, ontologies), stand)

    async def _load(self, reader: Reader, domain: str) -> CachedOntology | None:
        """Read the ontology until it was seen whole; a reader can see the halves of a change.

        One that a hand has damaged never agrees with its version: it is returned, but not remembered.
        """
        row = None
        for _ in range(HALF_SEEN):
            row = await reader.one(ONTOLOGY, domain=domain)
            if row is not None and row.is_whole:
                return self._remember(domain, row)
        return CachedOntology(row.epoch, -1, _ontology_of(row)) if row is not None else None

    def _at(self, domain: str, epoch: str, version: int) -> CachedOntology | None:
        own = self._own.get(domain)
        return own if own and own.is_at(epoch, version) else None

    def _remember(self, domain: str, row: OntologyRow) -> CachedOntology:
        own = CachedOntology(row.epoch, row.ontology_version, _ontology_of(row))
        self._own[domain] = own
        return own


def _ontology_of(row: OntologyRow) -> Ontology:
    return ontology_from_definitions(
        row.node_types, row.connection_types, is_open=row.open, description=row.description
    )


def ontology_from_definitions(
    nodes: Iterable[str], connections: Iterable[str], *, is_open: bool, description: str = ""
) -> Ontology:
    """Return the ontology of types that are given as the JSON of their definitions."""
    return Ontology.create(
        [node_type_from(json.loads(text)) for text in nodes],
        agreeing([connection_type_from(json.loads(text)) for text in connections]),
        open=is_open,
        description=description,
    )


def no_ontology(domain: str) -> GraphError:
    """Return the error for a domain that has no ontology, and so does not exist."""
    begin = "To begin one, use {remember|create_ontology}."
    hint = Hint(begin, " {list_domains} shows which there are.")
    return GraphError(Code.ONTOLOGY_NOT_FOUND, f"There is no domain {domain}", {"domain": domain, "hint": hint})
