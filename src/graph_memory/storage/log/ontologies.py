"""The ontologies of all domains, as this process last read them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.kinds import Kind
from graph_memory.model.ontology.inverses import agreeing
from graph_memory.model.ontology.ontology import Ontology, connection_type_from, node_type_from
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

    def has(self, kind: Kind, name: str) -> bool:
        """Say whether it has a type of nodes or of connections."""
        if kind is Kind.NODE:
            return self.ontology.find_node_type(name) is not None
        return self.ontology.find_connection_type(self.ontology.stored_as(name)[0]) is not None


class Ontologies:
    """What was read last, by domain."""

    def __init__(self) -> None:
        self._known: dict[str, CachedOntology] = {}

    def cached_ontology(self, domain: str) -> CachedOntology | None:
        """Return what was read last, without a look at the store."""
        return self._known.get(domain)

    async def present(self, reader: Reader, domain: str) -> Ontology | None:
        """Return the domain's ontology as it is now, None when there is no such domain."""
        head = await reader.one(HEAD, domain=domain)
        if head is None:
            return None
        known = self._at(domain, head.epoch, head.ontology_version)
        return known if known is not None else await self._load(reader, domain)

    async def locked(self, reader: Reader, domain: str, epoch: str, version: int) -> Ontology:
        """Return the ontology of a domain whose lock is held."""
        known = self._at(domain, epoch, version)
        if known is None:
            row = await reader.one(ONTOLOGY, domain=domain)
            known = self._remember(domain, row) if row else Ontology()
        return known

    def forget(self, domain: str) -> None:
        """Read the domain's ontology anew when it is next needed."""
        self._known.pop(domain, None)

    async def _load(self, reader: Reader, domain: str) -> Ontology | None:
        """Read the ontology until it was seen whole; a reader can see the halves of a change.

        One that a hand has damaged never agrees with its version: it is returned, but not remembered.
        """
        row = None
        for _ in range(HALF_SEEN):
            row = await reader.one(ONTOLOGY, domain=domain)
            if row is not None and row.is_whole:
                return self._remember(domain, row)
        return _ontology_of(row) if row is not None else None

    def _at(self, domain: str, epoch: str, version: int) -> Ontology | None:
        known = self._known.get(domain)
        return known.ontology if known and (known.epoch, known.version) == (epoch, version) else None

    def _remember(self, domain: str, row: OntologyRow) -> Ontology:
        ontology = _ontology_of(row)
        self._known[domain] = CachedOntology(row.epoch, row.ontology_version, ontology)
        return ontology


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
    hint = "To begin one, call create_ontology, which defines its types. list_domains shows which there are."
    return GraphError(Code.ONTOLOGY_NOT_FOUND, f"There is no domain {domain}", {"domain": domain, "hint": hint})
