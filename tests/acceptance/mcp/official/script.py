"""Seeded scripts of what an agent, or a careless one, might ask a server of entities for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

RESOURCE = "memory://knowledge-graph"
NAMES = (
    *("Ann", "ann", "ANN", " Ann", "Ann ", "Ann Lee", "Ann\tLee", "Bob", "Bob\n", "", " ", "nul\0l", "\0", "x" * 300),
    *(
        "Straße",
        "STRASSE",
        "strasse",
        "Zoë",
        "Zoe\u0308",
        "İstanbul",
        "istanbul",
        "ﬁsh",
        "ΣΊΣΥΦΟΣ",
        "漢字",
        "🧠",
        "👩‍👩‍👧",
    ),
    *("__proto__", "constructor", "null", "undefined", "0", "-0", '"quoted"', "back\\slash", "a`b", "$name", "{name}"),
    *("\u2028", "\u202eleft", "mem_1", "_Node", "RETURN 1", "it's", "%s", "[object Object]", "\x7f", "\x01"),
)
ALWAYS = ("Ann", "ann", "Ann Lee", "nul\0l", "")
"""Names of every script."""
TYPES = (
    "person",
    "Person",
    "a place",
    "place",
    "",
    "_Node",
    "漢字",
    "nul\0l",
    "a`b",
    "1st",
    "x" * 200,
    "Straße",
    "type",
)
RELATIONS = ("knows", "works at", "KNOWS", "", "漢字", "_KNOWS", "a`b", "nul\0l", "x" * 200, "type")
TEXTS = (
    *(
        "likes tea",
        "Likes tea",
        "likes tea ",
        "",
        " ",
        "nul\0l",
        "two\nlines",
        "two\r\nlines",
        "漢字 🧠",
        "Straße",
        "İ",
    ),
    *("Zoë", "Zoe\u0308", "long " * 400, '{"json": [1]}', "a`b", "\u2028", "speaks French", "born 1970", "\ufeffmark"),
)
QUERIES = (
    *(
        "",
        " ",
        "ann",
        "ANN",
        "STRASSE",
        "straße",
        "ß",
        "i",
        "İ",
        "i̇",
        "tea",
        "likes tea",
        "tea likes",
        "person",
        "knows",
    ),
    *(
        "ë",
        "e\u0308",
        "漢",
        "🧠",
        "\0",
        "\n",
        "`",
        '"',
        ".*",
        "%",
        "zzz",
        "σ",
        "ς",
        "fi",
        "ﬁ",
        "\u2028",
        "a place",
        "x" * 300,
    ),
)
WRONG: tuple[Any, ...] = (None, 0, 1.5, -1, True, "text", [], ["text"], [[]], {}, {"name": "Ann"}, [None], [1], [{}])

UNKNOWN = ("create_entity", "Create_Entities", "create_entities ", "", "漢字", "drop_graph")
WRITES = ("create_entities", "create_relations", "add_observations")
DELETES = ("delete_entities", "delete_observations", "delete_relations")
READS = ("read_graph", "search_nodes", "open_nodes")
CALLS = {**dict.fromkeys(WRITES, 18), **dict.fromkeys(DELETES, 5), **dict.fromkeys(READS, 7)}
REST = {"spoilt": 8, "extra": 3, "unknown": 2, "no object": 1, "read": 3, "subscribe": 2, "unsubscribe": 1}


class Step(NamedTuple):
    """A call of the tool `name`, or a request about the resource of that address."""

    act: str
    name: str
    arguments: Any = None


@dataclass
class Scribe:
    """Thinks of steps about a few names, most of which it has created before."""

    rng: random.Random
    names: Sequence[str]
    repeats: float
    """How likely it is that an item of a call stands there twice."""
    strangers: float = 0.15
    """Probability of a name that no entity may have."""

    def __post_init__(self) -> None:
        self.known: list[str] = []

    def step(self) -> Step:
        """Return the next step."""
        counts = {**CALLS, **REST}
        [chosen] = self.rng.choices(list(counts), list(counts.values()))
        tool = self.rng.choices(list(CALLS), list(CALLS.values()))[0]
        match chosen:
            case "spoilt":
                return Step("call", tool, self.spoilt(self.arguments(tool), depth=0))
            case "extra":
                return Step("call", tool, self.widen(self.arguments(tool)))
            case "unknown":
                return Step("call", self.rng.choice(UNKNOWN), self.rng.choice([None, {}, self.arguments(tool)]))
            case "no object":
                return Step("call", tool, self.rng.choice([5, "text", [], [{}], True]))
            case "read" | "subscribe" | "unsubscribe":
                return Step(chosen, self.rng.choice([RESOURCE] * 4 + ["memory://other"]))
            case _:
                return Step("call", chosen, self.arguments(chosen))

    def arguments(self, tool: str) -> dict[str, Any]:
        """Return the arguments of a careful agent for a tool."""
        match tool:
            case "create_entities":
                return {"entities": self.make_some(self.entity)}
            case "create_relations" | "delete_relations":
                return {"relations": self.make_some(self.relation)}
            case "add_observations":
                values = self.make_some(lambda: {"entityName": self.name(), "contents": self.make_some(self.text)})
                return {"observations": values}
            case "delete_entities":
                results = self.make_some(self.name)
                self.known = [text for text in self.known if text not in results]
                return {"entityNames": results}
            case "delete_observations":
                values = self.make_some(lambda: {"entityName": self.name(), "observations": self.make_some(self.text)})
                return {"deletions": values}
            case "search_nodes":
                return {"query": self.rng.choice([self.rng.choice(QUERIES), self.name(), self.text()])}
            case "open_nodes":
                return {"names": self.make_some(self.name, repeats=0.3)}
            case _:
                return {}

    def make_some(self, make: Any, repeats: float | None = None) -> list[Any]:
        """Return up to four items, each once unless `repeats` allows more."""
        made = [make() for _ in range(self.rng.choice([0, 1, 1, 1, 2, 2, 3, 4]))]
        kept = [item for place, item in enumerate(made) if _key(item) not in map(_key, made[:place])]
        if kept and self.rng.random() < (self.repeats if repeats is None else repeats):
            kept.insert(self.rng.randrange(len(kept) + 1), self.rng.choice(kept))
        return kept

    def entity(self) -> dict[str, Any]:
        name = self.rng.choice(self.names)
        self.known.append(name)
        return {"name": name, "entityType": self.rng.choice(TYPES), "observations": self.make_some(self.text)}

    def relation(self) -> dict[str, Any]:
        return {"from": self.name(), "to": self.name(), "relationType": self.rng.choice(RELATIONS[:6])}

    def name(self) -> str:
        return self.rng.choice(self.known if self.known and self.rng.random() > self.strangers else self.names)

    def text(self) -> str:
        return self.rng.choice(TEXTS)

    def spoilt(self, value: Any, depth: int) -> Any:
        """Return arguments with a fault at any depth."""
        if isinstance(value, dict) and value and self.rng.random() < (0.95 if depth == 0 else 0.75):
            key = self.rng.choice(list(value))
            rest = {name: field for name, field in value.items() if name != key}
            return rest if self.rng.random() < 0.25 else {**rest, key: self.spoilt(value[key], depth + 1)}
        if isinstance(value, list) and value and self.rng.random() < 0.75:
            place = self.rng.randrange(len(value))
            return [*value[:place], self.spoilt(value[place], depth + 1), *value[place + 1 :]]
        return {} if depth == 0 else self.rng.choice(WRONG)

    def widen(self, value: Any) -> Any:
        """Return arguments with fields that no tool knows."""
        if isinstance(value, dict):
            return {**{key: self.widen(field) for key, field in value.items()}, "extra": self.rng.choice(WRONG)}
        return [self.widen(field) for field in value] if isinstance(value, list) else value


def _key(item: Any) -> Any:
    """Return the key by which items are equal: an entity's is its name alone."""
    return item["name"] if isinstance(item, dict) and "name" in item else str(item)


def script(seed: int, length: int, *, repeats: float = 0.0, strangers: float = 0.15) -> list[Step]:
    """Return the script of a seed: always the same steps."""
    rng = random.Random(seed)
    scribe = Scribe(rng, [*ALWAYS, *rng.sample(NAMES, 8)], repeats, strangers)
    return [scribe.step() for _ in range(length)]


def large(entities: int) -> list[Step]:
    """Return the script of a graph of so many entities with three observations each, and a ring of relations."""
    names = [f"Entity {number}" for number in range(entities)]
    made = [
        {
            "name": name,
            "entityType": f"kind {number % 7}",
            "observations": [f"{name} is {number}" for number in range(3)],
        }
        for number, name in enumerate(names)
    ]
    ring = [{"from": name, "to": names[number - 1], "relationType": "follows"} for number, name in enumerate(names)]
    requests = [{"names": names[::50]}, {"names": names}]
    searched = [{"query": query} for query in ("entity 77", "is 2", "KIND 3", "", "nowhere")]
    return [
        *(
            Step("call", "create_entities", {"entities": made[start : start + 500]})
            for start in range(0, entities, 500)
        ),
        *(
            Step("call", "create_relations", {"relations": ring[start : start + 500]})
            for start in range(0, entities, 500)
        ),
        *(Step("call", "open_nodes", arguments) for arguments in requests),
        *(Step("call", "search_nodes", arguments) for arguments in searched),
        Step("call", "read_graph", {}),
        Step("read", RESOURCE),
        Step("call", "delete_entities", {"entityNames": names[::3]}),
        Step("call", "read_graph", {}),
    ]
