"""What the arguments of tools share. Each class is read twice: as the type of a function and as a schema for agents.

Every class names its optional arguments `NotRequired`; one that is left out, or null, is absent from the call, so
that the memory's own default holds.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict  # pydantic reads the one of `typing` from Python 3.12 on

MOST = 2**53 - 1
"""The largest whole number that every JSON reader keeps exact."""

STRING = {"type": "string"}
NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
BOOLEAN = {"type": "boolean"}
STRINGS = {"type": "array", "items": STRING}
ANY_KEYS = {"type": "object", "additionalProperties": True}
"""An object whose keys the caller chooses."""


def object_schema(properties: dict[str, dict[str, Any]], *required: str) -> dict[str, Any]:
    """Return the schema of an object with these properties, of which some are required.

    Clients of OpenAI, Gemini, Cursor and VS Code reject or ignore an object that names no properties.
    """
    return {"type": "object", "properties": properties, **({"required": [*required]} if required else {})}


Names = list[str]
Properties = dict[str, object]
Fraction = Annotated[float, Field(ge=0, le=1)]
MinStrength = Annotated[Fraction, Field(description="Only connections of at least this weight")]
Strength = Annotated[
    Annotated[
        dict[str, Any],
        WithJsonSchema(object_schema(dict.fromkeys(("semantic", "structural", "temporal", "confidence"), NUMBER))),
    ]
    | Fraction,
    Field(description="Parts, each 0 to 1, or one number"),
]
Limit = Annotated[int, Field(ge=1, le=MOST, description="Max ids (default all)")]
ValidAt = Annotated[str, Field(description="Only what holds in the world then")]
Detail = Annotated[bool, Field(description="Also type, title, ends")]
Cursor = Annotated[str, Field(description="From next_cursor")]
ExpectedVersion = Annotated[int, Field(ge=0, le=MOST, description="Refuse if the version has changed")]


class Call(TypedDict):
    """What every tool takes. The instructions of the server say what it is: once is enough."""

    domain: NotRequired[str]


class CallOfSeveral(Call):
    """What those tools take that may read several domains, as the instructions of the server say."""

    domains: NotRequired[Names]
    include_children: NotRequired[bool]
