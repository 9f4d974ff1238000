"""What the official server answers, told by a model of it; and what ours answers, which differs where that is safer.

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
from graph_memory.memory.entities.word_search import needles_of

Given = dict[str, Any]

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
SHAPES: dict[str, Given] = {
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
            for key, one in shape.items()
            for line in faults(value.get(key, ABSENT), one, f"{path}.{key}".lstrip("."))
        ]
    if kind is list:
        return [line for place, one in enumerate(value) for line in faults(one, shape[0], f"{path}[{place}]")]
    return []


ABSENT = object()


def fitted(value: Any, shape: Any) -> Any:
    """Return a value without the fields that its shape does not have."""
    if isinstance(shape, dict):
        return {key: fitted(value[key], one) for key, one in shape.items()}
    return [fitted(one, shape[0]) for one in value] if isinstance(shape, list) else value


class Original:
    """A graph in the order in which it was written, and the answers to steps."""

    def __init__(self, differences: Sequence[str] = ()) -> None:
        self.differences = frozenset(differences)
        self.applied: Counter[str] = Counter()
        self.entities: list[Given] = []
        self.relations: list[Given] = []
        self.is_subscribed = False

    def answer(self, step: Step) -> Given:
        """Return the reply to a step, as it is on the wire, and how many notices come before it."""
        match step.act:
            case "call" if step.arguments is None or isinstance(step.arguments, dict):
                return self.call(step.name, step.arguments or {})
            case "call":
                is_told = self.differs("arguments that are no object")
                return {"error": {"code": -32602 if is_told else -32603}, "notices": 0}
            case "read" if step.name == RESOURCE:
                text = {"uri": RESOURCE, "mimeType": "application/json", "text": written(self.graph)}
                return {"result": {"contents": [text]}, "notices": 0}
            case "read":
                return {
                    "error": {"code": -32602, "message": f"MCP error -32602: Resource {step.name} not found"},
                    "notices": 0,
                }
            case _:
                self.is_subscribed = step.act == "subscribe" if step.name == RESOURCE else self.is_subscribed
                return {"result": {}, "notices": 0}

    def call(self, tool: str, arguments: Given) -> Given:
        if tool not in SHAPES:
            return refused(f"MCP error -32602: Tool {tool} not found")
        if wrong := faults(arguments, SHAPES[tool], ""):
            said = "\n".join(wrong)
            return refused(f"MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {said}")
        work: Callable[..., Given] = getattr(self, tool)
        try:
            result = work(*fitted(arguments, SHAPES[tool]).values())
        except KeyError as unknown:
            return refused(f"Entity with name {unknown.args[0]} not found")
        return {
            "result": result,
            "notices": int(self.is_subscribed and tool not in ("read_graph", "search_nodes", "open_nodes")),
        }

    @property
    def graph(self) -> Given:
        return {"entities": self.entities, "relations": self.relations}

    def differs(self, name: str) -> bool:
        """Return whether a difference is made, which counts it."""
        assert name in DIFFERENCES
        self.applied[name] += 1
        return name in self.differences

    def once(self, items: Sequence[Any], key: Callable[[Any], Any], name: str) -> list[Any]:
        """Return items without those that are repeated, if that is a difference to be made."""
        firsts = [one for place, one in enumerate(items) if key(one) not in map(key, items[:place])]
        return firsts if len(firsts) < len(items) and self.differs(name) else list(items)

    def texts(self, items: Sequence[str]) -> list[str]:
        return self.once(items, str, "a text twice in one call")

    def create_entities(self, entities: list[Given]) -> Given:
        there = {one["name"] for one in self.entities}
        new = [one for one in entities if one["name"] not in there]
        new = self.once(new, lambda one: one["name"], "a name twice in one call")
        made = [{**one, "observations": self.texts(one["observations"])} for one in new]
        self.entities += made
        return told(copied(made), "entities")

    def create_relations(self, relations: list[Given]) -> Given:
        new = [one for one in relations if one not in self.relations]
        new = self.once(new, lambda one: tuple(one.values()), "a relation twice in one call")
        self.relations += new
        return told(copied(new), "relations")

    def add_observations(self, observations: list[Given]) -> Given:
        for one in observations:
            if not self.named(one["entityName"]):
                raise KeyError(one["entityName"])
        results: list[Given] = []
        for one in observations:
            entity = self.named(one["entityName"])[0]
            added = self.texts([text for text in one["contents"] if text not in entity["observations"]])
            entity["observations"] += added
            results.append({"entityName": one["entityName"], "addedObservations": added})
        return told(results, "results")

    def named(self, name: str) -> list[Given]:
        return [one for one in self.entities if one["name"] == name]

    def delete_entities(self, names: list[str]) -> Given:
        self.entities = [one for one in self.entities if one["name"] not in names]
        self.relations = [one for one in self.relations if one["from"] not in names and one["to"] not in names]
        return done("Entities")

    def delete_observations(self, deletions: list[Given]) -> Given:
        for one in deletions:
            for entity in self.named(one["entityName"])[:1]:
                entity["observations"] = [text for text in entity["observations"] if text not in one["observations"]]
        return done("Observations")

    def delete_relations(self, relations: list[Given]) -> Given:
        self.relations = [one for one in self.relations if one not in relations]
        return done("Relations")

    def read_graph(self) -> Given:
        return told(copied(self.graph))

    def search_nodes(self, query: str) -> Given:
        found = [one for one in self.entities if any(lower(query) in lower(text) for text in _texts_of(one))]
        composed = [one for one in self.entities if any(is_in(folded(query), text) for text in _texts_of(one))]
        if found != composed and self.differs("a search for accents that are encoded otherwise"):
            found = composed
        needles = needles_of(query)
        if not found and needles:
            found = [one for one in self.entities if all(_words_in([each], _texts_of(one)) for each in needles)]
            found.sort(key=lambda one: (-_words_in(needles, [one["name"]]), -_words_in(needles, _texts_of(one))))
            found = found if found and self.differs("a search for words that stand nowhere together") else []
        return self.around(found)

    def open_nodes(self, names: list[str]) -> Given:
        return self.around([one for one in self.entities if one["name"] in names])

    def around(self, entities: list[Given]) -> Given:
        names = {one["name"] for one in entities}
        relations = [one for one in self.relations if one["from"] in names or one["to"] in names]
        return told(copied({"entities": entities, "relations": relations}))


def _texts_of(entity: Given) -> list[str]:
    return [entity["name"], entity["entityType"], *entity["observations"]]


def _words_in(words: Sequence[str], texts: Sequence[str]) -> int:
    """Return how many of the words are in one of the texts, in that which has most."""
    return max(sum(is_in(word, text) for word in words) for text in texts)


def lower(text: str) -> str:
    """Return a text in lower case, as JavaScript does it: Python's is by the same rules of Unicode."""
    return text.lower()


def folded(text: str) -> str:
    """Return a text in lower case with composed accents."""
    return unicodedata.normalize("NFC", lower(text))


def is_in(small: str, text: str) -> bool:
    """Return whether a text has a part in lower case; the dot above a small i of a capital İ may be missing."""
    return any(small in form for form in (folded(text), folded(text).replace("i\u0307", "i")))


def copied(value: Any) -> Any:
    return json.loads(json.dumps(value))


def written(value: Any) -> str:
    """Return a value as JavaScript writes it with an indent of two."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def said(text: str) -> list[Given]:
    return [{"type": "text", "text": text}]


def told(value: Any, under: str | None = None) -> Given:
    return {"content": said(written(value)), "structuredContent": {under: value} if under else value}


def done(what: str) -> Given:
    message = f"{what} deleted successfully"
    return {"content": said(message), "structuredContent": {"success": True, "message": message}}


def refused(message: str) -> Given:
    return {"result": {"content": said(message), "isError": True}, "notices": 0}


def comparable(reply: Given) -> Given:
    """Return a reply without what means nothing: that it is no error, and the words about a request that is no call."""
    if "error" in reply:
        error = reply["error"]
        return {**reply, "error": error if error["message"].startswith("MCP error") else {"code": error["code"]}}
    result = reply["result"]
    return {**reply, "result": {key: one for key, one in result.items() if (key, one) != ("isError", False)}}
