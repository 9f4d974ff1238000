"""The ontology that a graph suggests: its types, what they join, and rules that the data bears out.

A rule must hold for all that was seen, and enough must have been seen. How likely it is that something unseen breaks
it is judged as Good and Turing do, by what was seen only once: an enum, for example, needs each value to come up often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology
from graph_memory.model.ontology.types import PropertyRule
from graph_memory.model.values.properties import PropertyType, PropertyValue, key_value

FEW = 10
"""So many must have been seen of a type for any rule but the type of values."""
SOME = 20
"""So many must have been seen for a property to be called unique, or worth an index."""
VALUES_OF_AN_ENUM = 20
"""An enum has at most so many values."""
OFTEN = 5
"""Each value of an enum was seen at least so often, and the average value twice that."""
SHORT = 100
"""Characters of a value by which things are looked up, at most."""
SELECTIVE = 20
"""An index is worth it where a value picks at most one of so many."""
_KEYS_KEPT = 1_000_000
"""Different values of a property that are remembered; with more of them, it is not looked at for being unique."""
_NARROWEST = (
    PropertyType.DATE,
    PropertyType.DATETIME,
    PropertyType.BOOLEAN,
    PropertyType.INTEGER,
    PropertyType.NUMBER,
    PropertyType.STRING,
)


@dataclass(slots=True)
class _Property:
    """What was seen of the values of a property."""

    count: int = 0
    kinds: set[PropertyType] = field(default_factory=lambda: set(_NARROWEST))
    longest: int = 0
    values: dict[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    """Values by their keys: the first few, as the values of an enum are few."""
    seen: Counter[int] = field(default_factory=Counter[int])
    """How often each value came up, by its hash."""

    def see(self, value: PropertyValue) -> None:
        self.count += 1
        self.kinds = {kind for kind in self.kinds if kind.accepts(value)}
        self.longest = max(self.longest, len(value) if isinstance(value, str) else 0)
        key = key_value(value)
        if len(self.seen) <= _KEYS_KEPT:
            self.seen[hash(key)] += 1
        if len(self.values) <= VALUES_OF_AN_ENUM:
            self.values.setdefault(key, value)

    def rule(self, name: str, total: int, *, of_nodes: bool) -> PropertyRule:
        """Return what holds for the property of a type, of which `total` were seen."""
        kind = next((kind for kind in _NARROWEST if kind in self.kinds), None)
        if self.count < FEW and kind in (PropertyType.DATE, PropertyType.DATETIME):
            kind = PropertyType.STRING
        is_unique = of_nodes and self._is_unique(kind, total)
        enum = () if is_unique else self._enum(kind)
        return PropertyRule(
            name=name,
            type=kind,
            required=self.count == total >= FEW,
            enum=enum,
            unique=is_unique,
            indexed=not is_unique and not enum and of_nodes and self._is_selective(kind),
        )

    def _names_things(self, kind: PropertyType | None) -> bool:
        return kind in (PropertyType.STRING, PropertyType.INTEGER) and self.longest <= SHORT

    def _is_unique(self, kind: PropertyType | None, total: int) -> bool:
        names = self._names_things(kind) and self.count == total >= SOME
        return names and len(self.seen) == self.count <= _KEYS_KEPT

    def _enum(self, kind: PropertyType | None) -> tuple[PropertyValue, ...]:
        different = len(self.seen)
        is_of_words = self._names_things(kind) and 2 <= different <= VALUES_OF_AN_ENUM
        if not is_of_words or min(self.seen.values()) < OFTEN or self.count < 2 * OFTEN * different:
            return ()
        return tuple(sorted(self.values.values(), key=key_value))

    def _is_selective(self, kind: PropertyType | None) -> bool:
        finds = self._names_things(kind) or kind in (PropertyType.DATE, PropertyType.DATETIME)
        return finds and self.count >= SOME and len(self.seen) >= SELECTIVE


@dataclass(slots=True)
class _Type:
    """What was seen of a type."""

    count: int = 0
    properties: dict[str, _Property] = field(default_factory=dict[str, _Property])
    sources: Counter[str] = field(default_factory=Counter[str])
    targets: Counter[str] = field(default_factory=Counter[str])

    @property
    def told(self) -> str:
        return f"{self.count:,} seen."

    def see(self, properties: Mapping[str, PropertyValue]) -> None:
        self.count += 1
        for name, value in properties.items():
            self.properties.setdefault(name, _Property()).see(value)

    def rules(self, *, of_nodes: bool) -> tuple[PropertyRule, ...]:
        return tuple(one.rule(name, self.count, of_nodes=of_nodes) for name, one in self.properties.items())


class Inference:
    """Looks at nodes and connections, and then says what ontology they suggest."""

    def __init__(self) -> None:
        self._nodes: dict[str, _Type] = {}
        self._connections: dict[str, _Type] = {}

    def node(self, type_name: str, properties: Mapping[str, PropertyValue]) -> None:
        """Look at a node."""
        self._nodes.setdefault(type_name, _Type()).see(properties)

    def connection(self, type_name: str, source: str, target: str, properties: Mapping[str, PropertyValue]) -> None:
        """Look at a connection between nodes of two types."""
        found = self._connections.setdefault(type_name, _Type())
        found.see(properties)
        found.sources[source] += 1
        found.targets[target] += 1

    def ontology(self) -> Ontology:
        """Return the ontology; types come in the order of their names. Raises what faulty names raise."""
        nodes = (NodeType(name, one.told, one.rules(of_nodes=True)) for name, one in sorted(self._nodes.items()))
        connections = (
            ConnectionType(
                name=name,
                from_types=tuple(sorted(one.sources)),
                to_types=tuple(sorted(one.targets)),
                description=one.told,
                properties=one.rules(of_nodes=False),
            )
            for name, one in sorted(self._connections.items())
        )
        return Ontology.create(nodes, connections, description="Inferred from data. Read it, and change what is wrong.")
