"""What the arguments of tools share. Each class is read twice: as the type of a function and as a schema for agents.

Every class names its optional arguments `NotRequired`; one that is left out, or null, is absent from the call, so
that the memory's own default holds.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads the one of `typing` from Python 3.12 on

MOST = 2**53 - 1
"""The largest whole number that every JSON reader keeps exact."""

Names = list[str]
Properties = dict[str, object]
Fraction = Annotated[float, Field(ge=0, le=1)]
MinStrength = Annotated[Fraction, Field(description="Only connections of at least this weight")]
Strength = Annotated[
    dict[str, Any] | Fraction,
    Field(description="{semantic?, structural?, temporal?, confidence?}, each 0 to 1, or one number"),
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
