"""Reads and caches the ontologies of all domains."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.ontology.inheritance import with_inherited_types
from graph_memory.model.ontology.inverses import without_disagreeing_inverses
from graph_memory.model.ontology.ontology import Ontology, connection_type_from, node_type_from
from graph_memory.model.rights import run_as
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import quote
from graph_memory.storage.log.tree import read_ancestors
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

MAX_READS = 20
"""Maximum number of attempts to read an ontology completely."""


@dataclass(frozen=True, slots=True)
class HeadRow:
    """A domain's log position, ontology version and parent, read without locking the domain."""

    seq: int
    ontology_version: int
    epoch: str
    parent: str | None


@dataclass(frozen=True, slots=True)
class OntologyRow:
    """A domain's stored ontology, with the versions that show whether it was read completely."""

    ontology_version: int
    epoch: str
    newest: int
    versions: int | None
    read_versions: int
    open: bool
    description: str
    node_types: list[str]
    connection_types: list[str]

    @property
    def is_complete(self) -> bool:
        """Whether the row is complete: all types were read at the ontology's version."""
        return self.newest == self.ontology_version and self.versions in (None, self.read_versions)


HEAD = query("log/head", HeadRow)
ONTOLOGY = query("log/ontology", OntologyRow)


@dataclass(frozen=True, slots=True)
class CachedOntology:
    """A cached ontology with its epoch and version. Within an epoch, types are not deleted."""

    epoch: str
    version: int
    ontology: Ontology
    above: tuple[tuple[str, str, int], ...] = ()
    """The ancestor domains, nearest first, each with its ontology's epoch and version."""

    def has(self, kind: Kind, name: str) -> bool:
        """Return whether the ontology has a node or connection type with this name."""
        if kind is Kind.NODE:
            return self.ontology.find_node_type(name) is not None
        return self.ontology.find_connection_type(self.ontology.stored_type(name)[0]) is not None

    def has_version(self, epoch: str, version: int) -> bool:
        """Return whether the ontology has this epoch and version."""
        return (self.epoch, self.version) == (epoch, version)


class Ontologies:
    """The cached ontologies by domain, both without and with inherited types."""

    def __init__(self) -> None:
        self._own: dict[str, CachedOntology] = {}
        self._complete: dict[str, CachedOntology] = {}

    def cached_ontology(self, domain: str) -> CachedOntology | None:
        """Return the domain's cached ontology, or None. Does not access the database."""
        return self._complete.get(domain)

    async def read_current(self, reader: Reader, domain: str) -> Ontology | None:
        """Return a domain's current ontology, or None if the domain does not exist."""
        head = await reader.first_row(HEAD, domain=domain)
        if head is None:
            return None
        own_ontology = await self._load(reader, domain, head.epoch, head.ontology_version)
        return await self._with_inherited(reader, domain, own_ontology, head.parent) if own_ontology else None

    async def read_at(self, reader: Reader, domain: str, epoch: str, version: int, parent: str | None) -> Ontology:
        """Return the ontology of a domain that the caller has locked, given the epoch and version in the locked row."""
        own_ontology = self._cached_version(domain, epoch, version)
        if own_ontology is None:
            row = await reader.first_row(ONTOLOGY, domain=domain)
            own_ontology = self._remember(domain, row) if row else None
        return await self._with_inherited(reader, domain, own_ontology, parent) if own_ontology else Ontology()

    def forget(self, domain: str) -> None:
        """Remove a domain's ontology from the cache."""
        self._own.pop(domain, None)
        self._complete.pop(domain, None)

    async def _with_inherited(
        self, reader: Reader, domain: str, own_ontology: CachedOntology, parent: str | None
    ) -> Ontology:
        """Return the domain's ontology with inherited types.

        Uses the cache if no ontology of its ancestors has changed.
        """
        complete = own_ontology
        if parent is not None:
            with run_as(None):  # types are also inherited from domains that the caller may not read
                complete = await self._inherit(reader, domain, own_ontology, parent)
        if self._own.get(domain) is own_ontology:
            self._complete[domain] = complete
        return complete.ontology

    async def _inherit(self, reader: Reader, domain: str, own_ontology: CachedOntology, parent: str) -> CachedOntology:
        rows = await read_ancestors(reader, domain, parent)
        cached_ontology = self._complete.get(domain)
        versions = tuple((row.name, row.epoch, row.ontology_version) for row in rows)
        if (
            cached_ontology is not None
            and cached_ontology.has_version(own_ontology.epoch, own_ontology.version)
            and cached_ontology.above == versions
        ):
            return cached_ontology
        ontologies: list[tuple[str, Ontology]] = []
        for row in rows:
            ontology = await self._load(reader, row.name, row.epoch, row.ontology_version)
            ontologies += [(row.name, ontology.ontology)] if ontology else []
        return CachedOntology(
            own_ontology.epoch, own_ontology.version, with_inherited_types(own_ontology.ontology, ontologies), versions
        )

    async def _load(self, reader: Reader, domain: str, epoch: str, version: int) -> CachedOntology | None:
        """Return a domain's own ontology, or None if the domain does not exist.

        If the cache has no ontology with this epoch and version, read the current ontology and cache it.
        The read is repeated until the row is complete, because a read can see part of a change. An ontology that was
        damaged outside of graph-memory is never complete. It is returned, but not cached.
        """
        if cached_ontology := self._cached_version(domain, epoch, version):
            return cached_ontology
        row = None
        for _ in range(MAX_READS):
            row = await reader.first_row(ONTOLOGY, domain=domain)
            if row is not None and row.is_complete:
                return self._remember(domain, row)
        return CachedOntology(row.epoch, -1, _ontology_of(row)) if row is not None else None

    def _cached_version(self, domain: str, epoch: str, version: int) -> CachedOntology | None:
        own_ontology = self._own.get(domain)
        return own_ontology if own_ontology and own_ontology.has_version(epoch, version) else None

    def _remember(self, domain: str, row: OntologyRow) -> CachedOntology:
        own_ontology = CachedOntology(row.epoch, row.ontology_version, _ontology_of(row))
        self._own[domain] = own_ontology
        return own_ontology


def _ontology_of(row: OntologyRow) -> Ontology:
    return ontology_from_definitions(
        row.node_types, row.connection_types, is_open=row.open, description=row.description
    )


def ontology_from_definitions(
    nodes: Iterable[str], connections: Iterable[str], *, is_open: bool, description: str = ""
) -> Ontology:
    """Return the ontology with the node types and connection types in these JSON definitions."""
    return Ontology.create(
        [node_type_from(json.loads(text)) for text in nodes],
        without_disagreeing_inverses([connection_type_from(json.loads(text)) for text in connections]),
        open=is_open,
        description=description,
    )


def no_ontology_error(domain: str) -> GraphError:
    """Return the ONTOLOGY_NOT_FOUND error for a domain that does not exist."""
    creation = "To create one, use {remember|create_ontology}."
    hint = Hint(creation, " Use {list_domains} to see the domains.")
    return GraphError(
        Code.ONTOLOGY_NOT_FOUND, f"Domain {quote(domain)} does not exist", {"domain": domain, "hint": hint}
    )
