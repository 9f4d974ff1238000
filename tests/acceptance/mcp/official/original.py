"""A model of the official server's answers, and of ours, which differ where that is safer.

The model without differences must answer as the npm server does, and with all of them as ours does. So each difference
is exactly what is written here, and every other byte is the same.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from acceptance.mcp.official.script import RESOURCE, Step
from graph_memory.memory.entities.word_search import search_terms_of

Fields = dict[str, Any]

DIFFERENCES = {
    "a name twice in one call": (
        "The original makes two entities of one name, of which later calls reach the first alone. "
        "Ours makes the first and skips the rest."
    ),
    "a relation twice in one call": "The original stores and tells it twice. Ours stores it once.",
    "arguments that are no object": (
        "The original answers with an internal error (-32603) that holds a dump of its validator. "
        "Ours says that the parameters are invalid (-32602), as JSON-RPC has it."
    ),
    "a text twice in one call": "The original stores it twice in one entity. Ours stores it once.",
    "a search for words that stand nowhere together": (
        "The original finds nothing. Ours finds the entities that have each word somewhere, the best first."
    ),
    "a search for accents that are encoded otherwise": (
        "The original finds nothing. Ours finds the text, whether its accents are composed or combining marks."
    ),
}
"""Where ours does not answer as the original, and why that is safer."""

ENTITY = {"name": str, "entityType": str, "observations": [str]}
RELATION = {"from": str, "to": str, "relationType": str}
SHAPES: dict[str, Fields] = {
    "create_entities": {"entities": [ENTITY]},
    "create_relations": {"relations": [RELATION]},
    "add_observations": {"observations": [{"entityName": str, "contents": [str]}]},
    "delete_entities": {"entityNames": [str]},
    "delete_observations": {"deletions": [{"entityName": str, "observations": [str]}]},
    "delete_relations": {"relations": [RELATION]},
    "read_graph": {},
    "search_nodes": {"query": str},
    "open_nodes": {"names": [str]},
}
NAMED = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    list: "array",
    dict: "object",
}


def faults(value: Any, shape: Any, path: str) -> list[str]:
    """Return a line for everything in which a value does not fit a shape."""
    kind = shape if isinstance(shape, type) else type(shape)
    if type(value) is not kind:
        received = "undefined" if value is ABSENT else NAMED[type(value)]
        return [f"Invalid input: expected {NAMED[kind]}, received {received} at {path}"]
    if kind is dict:
        return [
            line
            for key, item in shape.items()
            for line in faults(value.get(key, ABSENT), item, f"{path}.{key}".lstrip("."))
        ]
    if kind is list:
        return [line for place, item in enumerate(value) for line in faults(item, shape[0], f"{path}[{place}]")]
    return []


ABSENT = object()


def fit(value: Any, shape: Any) -> Any:
    """Return a value without the fields that its shape does not have."""
    if isinstance(shape, dict):
        return {key: fit(value[key], item) for key, item in shape.items()}
    return [fit(item, shape[0]) for item in value] if isinstance(shape, list) else value


class Original:
    """A graph in the order in which it was written, and the answers to steps."""

    def __init__(self, differences: Sequence[str] = ()) -> None:
        self.differences = frozenset(differences)
        self.applied: Counter[str] = Counter()
        self.entities: list[Fields] = []
        self.relations: list[Fields] = []
        self.is_subscribed = False

    def answer(self, step: Step) -> Fields:
        """Return the reply to a step, as it is on the wire, and how many notices come before it."""
        match step.act:
            case "call" if step.arguments is None or isinstance(step.arguments, dict):
                return self.call(step.name, step.arguments or {})
            case "call":
                is_told = self.differs("arguments that are no object")
                return {"error": {"code": -32602 if is_told else -32603}, "notices": 0}
            case "read" if step.name == RESOURCE:
                text = {"uri": RESOURCE, "mimeType": "application/json", "text": to_json(self.graph)}
                return {"result": {"contents": [text]}, "notices": 0}
            case "read":
                return {
                    "error": {"code": -32602, "message": f"MCP error -32602: Resource {step.name} not found"},
                    "notices": 0,
                }
            case _:
                self.is_subscribed = step.act == "subscribe" if step.name == RESOURCE else self.is_subscribed
                return {"result": {}, "notices": 0}

    def call(self, tool: str, arguments: Fields) -> Fields:
        if tool not in SHAPES:
            return error_reply(f"MCP error -32602: Tool {tool} not found")
        if wrong := faults(arguments, SHAPES[tool], ""):
            text = "\n".join(wrong)
            return error_reply(f"MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {text}")
        work: Callable[..., Fields] = getattr(self, tool)
        try:
            result = work(*fit(arguments, SHAPES[tool]).values())
        except KeyError as unknown:
            return error_reply(f"Entity with name {unknown.args[0]} not found")
        return {
            "result": result,
            "notices": int(self.is_subscribed and tool not in ("read_graph", "search_nodes", "open_nodes")),
        }

    @property
    def graph(self) -> Fields:
        return {"entities": self.entities, "relations": self.relations}

    def differs(self, name: str) -> bool:
        """Return whether a difference is made, which counts it."""
        assert name in DIFFERENCES
        self.applied[name] += 1
        return name in self.differences

    def once(self, items: Sequence[Any], key: Callable[[Any], Any], name: str) -> list[Any]:
        """Return the items, without repeated items if that difference is chosen."""
        firsts = [item for place, item in enumerate(items) if key(item) not in map(key, items[:place])]
        return firsts if len(firsts) < len(items) and self.differs(name) else list(items)

    def texts(self, items: Sequence[str]) -> list[str]:
        return self.once(items, str, "a text twice in one call")

    def create_entities(self, entities: list[Fields]) -> Fields:
        known_names = {entity["name"] for entity in self.entities}
        new = [entity for entity in entities if entity["name"] not in known_names]
        new = self.once(new, lambda item: item["name"], "a name twice in one call")
        made = [{**entity, "observations": self.texts(entity["observations"])} for entity in new]
        self.entities += made
        return structured_reply(copy(made), "entities")

    def create_relations(self, relations: list[Fields]) -> Fields:
        new = [relation for relation in relations if relation not in self.relations]
        new = self.once(new, lambda item: tuple(item.values()), "a relation twice in one call")
        self.relations += new
        return structured_reply(copy(new), "relations")

    def add_observations(self, observations: list[Fields]) -> Fields:
        for observation in observations:
            if not self.entities_named(observation["entityName"]):
                raise KeyError(observation["entityName"])
        results: list[Fields] = []
        for item in observations:
            entity = self.entities_named(item["entityName"])[0]
            added = self.texts([text for text in item["contents"] if text not in entity["observations"]])
            entity["observations"] += added
            results.append({"entityName": item["entityName"], "addedObservations": added})
        return structured_reply(results, "results")

    def entities_named(self, name: str) -> list[Fields]:
        return [entity for entity in self.entities if entity["name"] == name]

    def delete_entities(self, names: list[str]) -> Fields:
        self.entities = [entity for entity in self.entities if entity["name"] not in names]
        self.relations = [
            relation for relation in self.relations if relation["from"] not in names and relation["to"] not in names
        ]
        return deletion_reply("Entities")

    def delete_observations(self, deletions: list[Fields]) -> Fields:
        for deletion in deletions:
            for entity in self.entities_named(deletion["entityName"])[:1]:
                entity["observations"] = [
                    text for text in entity["observations"] if text not in deletion["observations"]
                ]
        return deletion_reply("Observations")

    def delete_relations(self, relations: list[Fields]) -> Fields:
        self.relations = [relation for relation in self.relations if relation not in relations]
        return deletion_reply("Relations")

    def read_graph(self) -> Fields:
        return structured_reply(copy(self.graph))

    def search_nodes(self, query: str) -> Fields:
        results = [entity for entity in self.entities if any(lower(query) in lower(text) for text in _texts_of(entity))]
        composed = [entity for entity in self.entities if any(is_in(fold(query), text) for text in _texts_of(entity))]
        if results != composed and self.differs("a search for accents that are encoded otherwise"):
            results = composed
        needles = search_terms_of(query)
        if not results and needles:
            results = [
                entity for entity in self.entities if all(_words_in([needle], _texts_of(entity)) for needle in needles)
            ]
            results.sort(key=lambda item: (-_words_in(needles, [item["name"]]), -_words_in(needles, _texts_of(item))))
            results = results if results and self.differs("a search for words that stand nowhere together") else []
        return self.neighbours_of(results)

    def open_nodes(self, names: list[str]) -> Fields:
        return self.neighbours_of([entity for entity in self.entities if entity["name"] in names])

    def neighbours_of(self, entities: list[Fields]) -> Fields:
        names = {entity["name"] for entity in entities}
        relations = [relation for relation in self.relations if relation["from"] in names or relation["to"] in names]
        return structured_reply(copy({"entities": entities, "relations": relations}))


def _texts_of(entity: Fields) -> list[str]:
    return [entity["name"], entity["entityType"], *entity["observations"]]


def _words_in(words: Sequence[str], texts: Sequence[str]) -> int:
    """Return the largest number of the words that a single text has."""
    return max(sum(is_in(word, text) for word in words) for text in texts)


def lower(text: str) -> str:
    """Return a text in lower case, as JavaScript does it: Python's is by the same rules of Unicode."""
    return text.lower()


def fold(text: str) -> str:
    """Return a text in lower case with composed accents."""
    return unicodedata.normalize("NFC", lower(text))


def is_in(small: str, text: str) -> bool:
    """Return whether a text has a part in lower case; the dot above a small i of a capital İ may be missing."""
    return any(small in form for form in (fold(text), fold(text).replace("i\u0307", "i")))


def copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def to_json(value: Any) -> str:
    """Return a value as JavaScript writes it with an indent of two."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def text_content(text: str) -> list[Fields]:
    return [{"type": "text", "text": text}]


def structured_reply(value: Any, under: str | None = None) -> Fields:
    return {"content": text_content(to_json(value)), "structuredContent": {under: value} if under else value}


def deletion_reply(text: str) -> Fields:
    message = f"{text} deleted successfully"
    return {"content": text_content(message), "structuredContent": {"success": True, "message": message}}


def error_reply(message: str) -> Fields:
    return {"result": {"content": text_content(message), "isError": True}, "notices": 0}


def comparable(reply: Fields) -> Fields:
    """Return a reply without what means nothing: that it is no error, and the words about a request that is no call."""
    if "error" in reply:
        error = reply["error"]
        return {**reply, "error": error if error["message"].startswith("MCP error") else {"code": error["code"]}}
    result = reply["result"]
    return {**reply, "result": {key: item for key, item in result.items() if (key, item) != ("isError", False)}}
