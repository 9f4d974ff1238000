"""Infers an ontology from a graph: types, endpoint types of connections, and rules that the data supports.

A rule must hold for all records, and there must be enough records. The probability that unseen data breaks a rule is
estimated from the values that occur only once (Good and Turing). So an enum, for example, needs frequent values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from graph_memory.model.ontology.ontology import ConnectionType, NodeType, Ontology
from graph_memory.model.ontology.types import PropertyRule
from graph_memory.model.values.properties import PropertyType, PropertyValue, key_value

MIN_OF_TYPE = 10
"""Minimum number of records of a type before rules are inferred. The value types of properties need fewer records."""
MIN_FOR_UNIQUE = 20
"""Minimum number of values before a property is inferred to be unique or indexed."""
MAX_ENUM_VALUES = 20
"""Maximum number of values of an enum."""
MIN_PER_ENUM_VALUE = 5
"""Minimum number of occurrences of each value of an enum. The average number must be at least twice as high."""
MAX_KEY_LENGTH = 100
"""Maximum length in characters of the values of a property that is inferred to be unique or indexed."""
MIN_DISTINCT_FOR_INDEX = 20
"""Minimum number of distinct values before a property is inferred to be indexed."""
_MAX_HASHES = 1_000_000
"""Maximum number of distinct values that are counted. A property with more values is never inferred to be unique."""
_TYPES_BY_NARROWNESS = (
    PropertyType.DATE,
    PropertyType.DATETIME,
    PropertyType.BOOLEAN,
    PropertyType.INTEGER,
    PropertyType.NUMBER,
    PropertyType.STRING,
)


@dataclass(slots=True)
class _PropertyStatistics:
    count: int = 0
    possible_types: set[PropertyType] = field(default_factory=lambda: set(_TYPES_BY_NARROWNESS))
    longest: int = 0
    values: dict[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    """The first distinct values, keyed by `key_value`, up to one more than an enum can have."""
    counts: Counter[int] = field(default_factory=Counter[int])
    """Number of occurrences of each value, keyed by its hash."""

    def add(self, value: PropertyValue) -> None:
        self.count += 1
        self.possible_types = {kind for kind in self.possible_types if kind.accepts(value)}
        self.longest = max(self.longest, len(value) if isinstance(value, str) else 0)
        key = key_value(value)
        if len(self.counts) <= _MAX_HASHES:
            self.counts[hash(key)] += 1
        if len(self.values) <= MAX_ENUM_VALUES:
            self.values.setdefault(key, value)

    def rule(self, name: str, total: int, *, of_nodes: bool) -> PropertyRule:
        """Return the rule that the data supports for this property of a type with `total` records."""
        value_type = next((kind for kind in _TYPES_BY_NARROWNESS if kind in self.possible_types), None)
        if self.count < MIN_OF_TYPE and value_type in (PropertyType.DATE, PropertyType.DATETIME):
            value_type = PropertyType.STRING
        is_unique = of_nodes and self._is_unique(value_type, total)
        enum = () if is_unique else self._enum(value_type)
        return PropertyRule(
            name=name,
            type=value_type,
            required=self.count == total >= MIN_OF_TYPE,
            enum=enum,
            unique=is_unique,
            indexed=not is_unique and not enum and of_nodes and self._is_selective(value_type),
        )

    def _can_be_key(self, kind: PropertyType | None) -> bool:
        return kind in (PropertyType.STRING, PropertyType.INTEGER) and self.longest <= MAX_KEY_LENGTH

    def _is_unique(self, kind: PropertyType | None, total: int) -> bool:
        is_key = self._can_be_key(kind) and self.count == total >= MIN_FOR_UNIQUE
        return is_key and len(self.counts) == self.count <= _MAX_HASHES

    def _enum(self, kind: PropertyType | None) -> tuple[PropertyValue, ...]:
        distinct = len(self.counts)
        is_enum = self._can_be_key(kind) and 2 <= distinct <= MAX_ENUM_VALUES
        if (
            not is_enum
            or min(self.counts.values()) < MIN_PER_ENUM_VALUE
            or self.count < 2 * MIN_PER_ENUM_VALUE * distinct
        ):
            return ()
        return tuple(sorted(self.values.values(), key=key_value))

    def _is_selective(self, kind: PropertyType | None) -> bool:
        is_searchable = self._can_be_key(kind) or kind in (PropertyType.DATE, PropertyType.DATETIME)
        return is_searchable and self.count >= MIN_FOR_UNIQUE and len(self.counts) >= MIN_DISTINCT_FOR_INDEX


@dataclass(slots=True)
class _TypeStatistics:
    count: int = 0
    properties: dict[str, _PropertyStatistics] = field(default_factory=dict[str, _PropertyStatistics])
    sources: Counter[str] = field(default_factory=Counter[str])
    targets: Counter[str] = field(default_factory=Counter[str])

    @property
    def summary(self) -> str:
        return f"{self.count:,} seen."

    def add(self, properties: Mapping[str, PropertyValue]) -> None:
        self.count += 1
        for name, value in properties.items():
            self.properties.setdefault(name, _PropertyStatistics()).add(value)

    def rules(self, *, of_nodes: bool) -> tuple[PropertyRule, ...]:
        return tuple(property_.rule(name, self.count, of_nodes=of_nodes) for name, property_ in self.properties.items())


class Inference:
    """Collects statistics of nodes and connections, and infers their ontology."""

    def __init__(self) -> None:
        self._nodes: dict[str, _TypeStatistics] = {}
        self._connections: dict[str, _TypeStatistics] = {}

    def node(self, type_name: str, properties: Mapping[str, PropertyValue]) -> None:
        """Add a node to the statistics."""
        self._nodes.setdefault(type_name, _TypeStatistics()).add(properties)

    def connection(self, type_name: str, source: str, target: str, properties: Mapping[str, PropertyValue]) -> None:
        """Add a connection between nodes of two types to the statistics."""
        statistics = self._connections.setdefault(type_name, _TypeStatistics())
        statistics.add(properties)
        statistics.sources[source] += 1
        statistics.targets[target] += 1

    def ontology(self) -> Ontology:
        """Return the ontology, with types sorted by name. Raises INVALID_ONTOLOGY if a name is invalid."""
        nodes = (
            NodeType(name, statistics.summary, statistics.rules(of_nodes=True))
            for name, statistics in sorted(self._nodes.items())
        )
        connections = (
            ConnectionType(
                name=name,
                from_types=tuple(sorted(statistics.sources)),
                to_types=tuple(sorted(statistics.targets)),
                description=statistics.summary,
                properties=statistics.rules(of_nodes=False),
            )
            for name, statistics in sorted(self._connections.items())
        )
        return Ontology.create(nodes, connections, description="Inferred from data. Review and correct it.")
