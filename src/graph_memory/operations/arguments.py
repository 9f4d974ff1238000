"""Argument types shared by several tools. A class declares a function's arguments and their JSON schema.

Optional arguments are `NotRequired`. If they are omitted or null, they are not passed on, so that the memory's defaults
apply.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict  # pydantic accepts the one in `typing` only from Python 3.12 on

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON parser represents exactly."""

STRING = {"type": "string"}
NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
BOOLEAN = {"type": "boolean"}
STRINGS = {"type": "array", "items": STRING}
ANY_KEYS = {"type": "object", "additionalProperties": True}
"""The schema of an object whose keys the caller chooses."""


def object_schema(properties: dict[str, dict[str, Any]], *required: str) -> dict[str, Any]:
    """Return the JSON schema of an object with these properties. `required` are its required properties.

    Clients from OpenAI, Gemini, Cursor and VS Code reject or ignore objects without declared properties.
    """
    return {"type": "object", "properties": properties, **({"required": [*required]} if required else {})}


Names = list[str]
Properties = dict[str, object]
Fraction = Annotated[float, Field(ge=0, le=1)]
MinStrength = Fraction
Strength = Annotated[
    Annotated[
        dict[str, Any],
        WithJsonSchema(object_schema(dict.fromkeys(("semantic", "structural", "temporal", "confidence"), NUMBER))),
    ]
    | Fraction,
    Field(description="From 0 to 1, or one number per component"),
]
Limit = Annotated[int, Field(ge=1, le=MAX_INTEGER, description="Max results (default all)")]
ValidAt = Annotated[str, Field(description="Return facts that hold at this time")]
Detail = Annotated[bool, Field(description="Also return types and titles")]
Cursor = Annotated[str, Field(description="Cursor from the previous page")]
ExpectedVersion = Annotated[int, Field(ge=0, le=MAX_INTEGER, description="Fail if the version differs")]


class Call(TypedDict):
    """The argument that every tool has. It is described once, in the server's instructions."""

    domain: NotRequired[str]


class MultiDomainCall(Call):
    """The arguments of tools that can read several domains. They are described in the server's instructions."""

    domains: NotRequired[Names]
    include_children: NotRequired[bool]
