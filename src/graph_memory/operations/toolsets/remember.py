"""The toolset `remember`: storing facts, and resolving facts that may be outdated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, cast, get_args

from pydantic import Field, WithJsonSchema

from graph_memory.memory.entities.cleaning.results import DecisionResult
from graph_memory.memory.entities.remember_results import RememberResult
from graph_memory.model.results import Result
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.operations.arguments import ANY_KEYS, NUMBER, STRING, Call, Properties, object_schema
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

_STATEMENT = object_schema(
    {
        "text": STRING,
        "replaces": STRING,
        "time": STRING,
        "source": STRING,
        "confidence": NUMBER,
        "valid_from": STRING,
        "valid_to": STRING,
    },
    "text",
)
Statement = str | Annotated[dict[str, Any], WithJsonSchema(_STATEMENT)]
Relation = Annotated[
    dict[str, Any],
    WithJsonSchema(object_schema({"type": STRING, "to": STRING, "from": STRING, "properties": ANY_KEYS})),
]


class RememberFacts(Call):
    """Arguments of `remember` for facts about one entity."""

    text: NotRequired[Annotated[str, Field(description="Facts to store, one per sentence")]]
    name: NotRequired[Annotated[str, Field(description="Entity (default: the one in text)")]]
    type: NotRequired[Annotated[str, Field(description="Type of a new entity")]]
    observations: NotRequired[list[Statement]]
    properties: NotRequired[Annotated[Properties, Field(description="Values that change, such as status or city")]]
    relations: NotRequired[
        Annotated[list[Relation], Field(description="Each has type, and the other end's name as to or from")]
    ]
    aliases: NotRequired[Annotated[list[str], Field(description="Other names")]]
    replaces: NotRequired[Annotated[str | list[str], Field(description="Outdated observations, by id or text")]]
    dry_run: NotRequired[bool]


class Remember(RememberFacts):
    """Arguments of `remember`."""

    session: NotRequired[str]


_TEXT_ARGUMENTS = frozenset({"text", "session", "dry_run", "domain"})
Answer = Literal["close", "keep", "same", "new"]
_DECISION = object_schema(
    {"id": STRING, "new": STRING, "known": STRING, "decision": {"type": "string", "enum": [*get_args(Answer)]}},
    "decision",
)


class Decide(Call):
    """Arguments of `decide`."""

    decisions: NotRequired[list[Annotated[dict[str, Any], WithJsonSchema(_DECISION)]]]
    id: NotRequired[Annotated[str, Field(description="Id of one question, with decision")]]
    new: NotRequired[Annotated[str, Field(description="Id of the new fact, with known, instead of id")]]
    known: NotRequired[str]
    decision: NotRequired[Answer]


async def remember(memory: Memory, arguments: Remember) -> RememberResult:
    """Store facts about an entity: adds new ones, skips known ones, and returns the outcome of each.

    Without a name, "The user prefers …", "Goal: …", "Never …", "Next time …" and "This fixed it: …" become preferences,
    goals and patterns. Pass changing values as properties, and outdated facts in replaces. Answer its questions with
    decide. To store texts unchecked, use add_observations; for nodes with content, create_node.
    """
    if "text" in arguments and arguments.keys() <= _TEXT_ARGUMENTS:
        target = memory.in_domain(arguments["domain"]) if "domain" in arguments else memory
        dry_run = arguments.get("dry_run", False)
        return await target.agent.remember(arguments["text"], session=arguments.get("session"), dry_run=dry_run)
    if "session" in arguments:
        raise invalid_argument(
            "session", "session applies only to text", "Omit it, or pass the source of each observation."
        )
    return await memory.entities.remember(**cast("RememberFacts", arguments))


async def decide(memory: Memory, arguments: Decide) -> Result:
    """Answer remember's questions. close: the known fact has ended. keep: both are true. same: one entity. new: two."""
    match arguments:
        case {"decisions": decisions} if not arguments.keys() & {"id", "new", "known", "decision"}:
            return await memory.entities.decide_all(decisions, domain=arguments.get("domain"))
        case {"id": question, "decision": decision} if not arguments.keys() & {"new", "known", "decisions"}:
            return await memory.entities.answer(question, decision, domain=arguments.get("domain"))
        case {"new": new, "known": known, "decision": decision} if not arguments.keys() & {"id", "decisions"}:
            return await memory.entities.decide(new, known, decision, domain=arguments.get("domain"))
        case _:
            hint = "Pass decisions (a list of objects with id and decision), or the id and decision of one question."
            raise invalid_argument("decisions", "decide needs either decisions, or id and decision", hint)


REMEMBER: tuple[AnyOperation, ...] = (
    Operation(remember, Remember, RememberResult, Effect.MIXED),
    Operation(decide, Decide, DecisionResult, Effect.MIXED),
)
