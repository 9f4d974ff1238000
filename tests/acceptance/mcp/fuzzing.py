"""Arguments for the tools: what their schemas allow, and then whatever else a client may send."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hypothesis import strategies as st

from acceptance.agents import COMMAND
from graph_memory.model.errors import Code
from graph_memory.operations.official import ERROR_PREFIX

Arguments = dict[str, Any]
Schema = Mapping[str, Any]
Known = Mapping[str, Sequence[Any]]
"""Meaningful values, by the name of their argument."""
Way = tuple[str | int, ...]
"""The steps from the arguments of a call to a value inside of them."""

CLOSED = frozenset({"domain", "type_name", "name", "from", "into"})
"""Arguments that take only what is known: other domains belong to others, and a connection type costs a constraint."""

BEYOND_64_BITS = [2**63, -(2**63) - 1, 2**64, 10**400]
NO_NUMBERS = [math.nan, math.inf, -math.inf]

ODD_NAMES = [
    *("match (n) detach delete n", "x`) detach delete n //", "`", "``", "\\`", "\\u0060", "\\u0060) //", "'\"", "\\"),
    *(
        "$P",
        "{}",
        "%s",
        "*",
        "after:",
        "a.b",
        "a b",
        "../../etc",
        "\u202etxt.exe",
        "\u200f",
        "\u200b",
        "\ufeff",
        "e\u0301",
    ),
    *("constructor", "__proto__", "None", "null", "default", "id", "type", "🏠", "x" * 256, "漢" * 256),
]
"""Valid names of types and properties that a lower layer might misread."""

NOT_NAMES = ["", " ", "_id", "_", "\0", "a\0b", "a\nb", "\x7f", "\u2028", "\ud800", "a\udfffb", "x" * 257]
"""Text of which most cannot be a name."""


def nest(depth: int, inside: object, wrap: Callable[[object], object]) -> object:
    """Return a value with so many lists or objects around it."""
    for _ in range(depth):
        inside = wrap(inside)
    return inside


@dataclass(frozen=True)
class Large:
    """A value that is too large to be shown: made by `whole`, when it is used."""

    title: str
    make: Callable[[], object] = field(repr=False)


LARGE = [
    *(Large(f"{depth} lists", partial(nest, depth, "x", lambda inner: [inner])) for depth in (20, 1_000)),
    *(Large(f"{depth} objects", partial(nest, depth, "x", lambda inner: {"name": inner})) for depth in (20, 1_000)),
    Large("text over 1 MiB", lambda: "x" * 1_100_000),
    Large("wide text over 1 MiB", lambda: "漢" * 400_000),
    Large("a key of 100,000 characters", lambda: {"k" * 100_000: 1}),
    Large("a name of 100,000 characters", lambda: "x" * 100_000),
    Large("1,100 keys", lambda: {str(number): number for number in range(1_100)}),
    Large("10,000 texts", lambda: ["x"] * 10_000),
    Large("101 lists", lambda: [[]] * 101),
    Large("a number of 5,000 digits", lambda: 10**5_000),
]


def whole(value: object) -> Any:
    """Return a value with all that is large in it made."""
    match value:
        case Large():
            return value.make()
        case dict():
            return {key: whole(inner) for key, inner in value.items()}
        case list():
            return [whole(inner) for inner in value]
        case _:
            return value


OTHERS = [None, True, False, 0, 1, -1, 2**53, 1.5, -0.0, 1e308, [], {}, [""], {"": ""}, [None], {"a": None}, [[]], [{}]]
wild = st.one_of(*map(st.sampled_from, (OTHERS, BEYOND_64_BITS, NO_NUMBERS, ODD_NAMES, NOT_NAMES, LARGE)))
"""Values for any place of a call."""

names = st.sampled_from(ODD_NAMES)
values = st.one_of(
    st.text(max_size=20),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
mapped = st.dictionaries(
    st.sampled_from(["a", "due", "email", "n"]) | names | st.text(min_size=1, max_size=8), values, max_size=3
)
rules = st.fixed_dictionaries(
    {"name": names},
    optional={
        "type": st.sampled_from(["string", "integer", "number", "boolean", "date", "datetime"]),
        "enum": st.lists(values, min_size=1, max_size=3),
        "description": st.text(max_size=20),
        "required": st.booleans(),
        "indexed": st.booleans(),
        "unique": st.booleans(),
    },
)


def fitting(schema: Schema, known: Known, name: str = "") -> st.SearchStrategy[Any]:
    """Return values that a schema allows. If `known` has the argument, most of them are its values."""
    if name not in known:
        return _of_kind(schema, known)
    meant = st.sampled_from(known[name])
    return meant if name in CLOSED else st.one_of(meant, meant, meant, _of_kind(schema, known))


def _of_kind(schema: Schema, known: Known) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of(*(_of_kind(choice, known) for choice in schema["anyOf"]))
    match schema["type"]:
        case "string":
            return names | st.text(min_size=schema.get("minLength", 0), max_size=40)
        case "integer":
            least, most = schema.get("minimum", -9), schema.get("maximum", 2**53)
            return st.integers(least, max(least, 9)) | st.integers(least, most)
        case "number":
            return st.floats(schema.get("minimum", -9), schema.get("maximum", 9))
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(_of_kind(schema["items"], known), max_size=4)
        case "object":
            return _of_fields(schema, known) if "properties" in schema else mapped | rules
    raise AssertionError(schema)


def _of_fields(schema: Schema, known: Known) -> st.SearchStrategy[Any]:
    """Return objects with the fields that they need and at most three of the others."""
    fields = {name: fitting(part, known, name) for name, part in schema["properties"].items()}
    required = schema.get("required", [])
    others = [name for name in fields if name not in required]
    few = st.lists(st.sampled_from(others), unique=True, max_size=3) if others else st.just([])
    return few.flatmap(lambda chosen: st.fixed_dictionaries({name: fields[name] for name in [*required, *chosen]}))


@st.composite
def spoilt(draw: st.DrawFn, fit: st.SearchStrategy[Arguments]) -> Arguments:
    """Return arguments with one to three faults: a wild value, a key too many or a key too few, at any depth."""
    arguments: Any = draw(fit)
    for _ in range(draw(st.integers(1, 3))):
        way = draw(st.sampled_from([way for way in ways(arguments) if way] or [("unknown",)]))
        match draw(st.sampled_from(["wild", "wild", "wild", "unknown", "missing"])):
            case "missing" if way != ("unknown",):
                arguments = with_value_at(arguments, way, MISSING)
            case "unknown":
                arguments = with_value_at(arguments, (*way[:-1], draw(_unknown(way))), draw(wild))
            case _:
                arguments = with_value_at(arguments, way, draw(wild))
    return arguments


def _unknown(way: Way) -> st.SearchStrategy[Any]:
    return st.sampled_from([*ODD_NAMES, *NOT_NAMES]) if isinstance(way[-1], str) else st.just(way[-1])


MISSING = object()


def ways(value: object, deepest: int = 4) -> Iterator[Way]:
    """Give the way to every value inside of a value, as far as anybody looks into it."""
    yield ()
    if not deepest:
        return
    steps: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        steps = list(value.items())
    elif isinstance(value, list):
        steps = list(enumerate(value))
    for step, inner in steps[:10]:
        yield from ((step, *way) for way in ways(inner, deepest - 1))


def with_value_at(value: Any, way: Way, to: object) -> Any:
    """Return a copy of a value with another one at the end of the way, or none there."""
    if not way:
        return to
    step, *rest = way
    owner = copy(value)
    if rest:
        owner[step] = with_value_at(owner[step], tuple(rest), to)
    elif to is MISSING:
        del owner[step]
    else:
        owner[step] = to
    return owner


PYTHON = re.compile(
    r"Traceback|neo4j\.|Neo\.|pydantic|hypothesis|site-packages|\.py\b|\.cypher|object has no attribute|NoneType|"
    r"Error\(|ServiceUnavailable|bolt://|/home/|/tmp/|/usr/"
)
"""Text that no answer has: the driver, Python, and paths of this machine. No argument has it either."""
LEAKS = re.compile(
    r"MATCH[ (]|MERGE[ (]|UNWIND|CREATE CONSTRAINT|CALL db|CALL \(|"
    r"\$(?:domain|id|type|filter|after|limit|events|needle|grams|seq|params)\b|"
    rf"{PYTHON.pattern}|_Node\b|_Domain\b|_Event\b"
)
"""The same, and statements, which only the tools about Cypher name."""
ABOUT_CYPHER = ("get_schema", "query_cypher")

LONGEST = 40_000
"""Characters of an error: it lists 50 names twice, and a name may have 256 characters."""


def check_answer(answer: Mapping[str, Any], message: str, tool: str = "") -> Code | None:
    """Return the code of an answer, None for a result; it must say what a client can read, and nothing else."""
    text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
    text.encode()
    leaks = PYTHON if tool in ABOUT_CYPHER else LEAKS
    assert not (leak := leaks.search(text)), (leak, text[:2_000])
    assert not (leak := leaks.search(message)), (leak, message[:2_000])
    assert str(COMMAND.parent) not in text
    if answer.keys() != {"code", "message", "details"}:
        return None
    code = Code(answer["code"])
    assert code is not Code.INTERNAL, text
    assert len(text) < LONGEST, (len(text), text[:2_000])
    lines = answer["message"].split("\n")
    is_official = lines[0].startswith(ERROR_PREFIX)  # the original has a line for each invalid argument
    assert all(lines) if is_official else len(lines) == 1, text
    return code
