"""The entities and relations that an archetype extracts from an event."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest

from graph_memory.model.values.arguments import is_encodable

MAX_CHARACTERS = 100_000
"""Maximum number of characters of an event that archetypes receive."""
MAX_ENTITIES = 50
"""Maximum number of extracted entities of an event."""
MAX_RELATIONS = 100
"""Maximum number of extracted relations of an event."""
_MAX_NAME_CHARACTERS = 200
_MAX_LINES = 5_000
_MAX_LINE_CHARACTERS = 2_000


@dataclass(slots=True)
class Extraction:
    """The entities and relations that an archetype extracted from an event."""

    types: dict[str, str] = field(default_factory=dict[str, str])
    """The type of each entity, by its name."""
    observations: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    relations: dict[tuple[str, str, str], None] = field(default_factory=dict[tuple[str, str, str], None])
    """The relations without duplicates: name of the start, relation type, name of the end."""

    def add(self, entity_type: str, name: str, *observations: str) -> str:
        """Add an entity, and return its name. If it exists, it keeps its type and gets the new observations.

        Adds nothing and returns an empty string if the name or the type cannot be stored.
        """
        name = " ".join(name.split())
        if not _is_storable(name) or not _is_storable(entity_type):
            return ""
        self.types.setdefault(name, entity_type)
        if storable := tuple(text for text in observations if is_encodable(text)):
            self.observations[name] = tuple(dict.fromkeys([*self.observations.get(name, ()), *storable]))
        return name

    def relate(self, start: str, relation_type: str, end: str) -> None:
        """Add a relation between two entities that were added before.

        Ignores the relation if either entity was not added.
        """
        if start != end and start in self.types and end in self.types and _is_storable(relation_type):
            self.relations[start, relation_type, end] = None

    def truncate(self) -> Extraction:
        """Return up to 50 of the entities with their relations, about the same number of each type."""
        by_type: dict[str, list[str]] = {}
        for name, entity_type in self.types.items():
            by_type.setdefault(entity_type, []).append(name)
        alternating_names = (name for name in chain.from_iterable(zip_longest(*by_type.values())) if name is not None)
        types = {name: self.types[name] for name in islice(alternating_names, MAX_ENTITIES)}
        observations = {name: self.observations[name] for name in types if name in self.observations}
        relations = (relation for relation in self.relations if relation[0] in types and relation[2] in types)
        return Extraction(types, observations, dict.fromkeys(islice(relations, MAX_RELATIONS)))


Archetype = Callable[[str, str], Extraction]
"""A function that gets the type and the content of an event, and returns an `Extraction`."""


def lines_of(content: str) -> Iterator[str]:
    """Yield the first 5,000 lines that are not blank, each cut to 2,000 characters."""
    return (line[:_MAX_LINE_CHARACTERS] for line in islice(filter(str.strip, content.splitlines()), _MAX_LINES))


def words(text: str) -> frozenset[str]:
    """Split a text at white space, and return its unique words."""
    return frozenset(text.split())


def _is_storable(name: str) -> bool:
    return 0 < len(name) <= _MAX_NAME_CHARACTERS and name.isprintable()
