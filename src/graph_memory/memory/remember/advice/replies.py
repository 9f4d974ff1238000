"""The JSON in what a language model answers. Pure."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

LONGEST = 100_000
"""Characters of an answer that are read."""
M = TypeVar("M", bound=BaseModel)


class Unusable(Exception):  # noqa: N818 - a state of an answer, which is left alone
    """An answer that is not what was asked for."""


class Strict(BaseModel):
    """A part of an answer: its values are of their types, and what else it has is left alone."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


def read(reply: str, model: type[M]) -> M:
    """Return the object in an answer, around which there may be words. Raises Unusable."""
    begins, ends = reply.find("{"), reply.rfind("}")
    if not 0 <= begins < ends or len(reply) > LONGEST:
        raise Unusable("it is no JSON")
    try:
        return model.model_validate_json(reply[begins : ends + 1])
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        raise Unusable(f"{place}: {fault['msg']}" if place else fault["msg"]) from None
