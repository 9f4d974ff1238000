"""Parses the JSON in the reply of a language model. Pure."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

MAX_LENGTH = 100_000
"""Maximum number of characters of a reply."""
M = TypeVar("M", bound=BaseModel)


class Unusable(Exception):  # noqa: N818 - a state of a reply, which is ignored
    """Raised if a model's reply does not have the requested form."""


class Strict(BaseModel):
    """A part of a reply. Values must have their types, and other fields are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


def read(reply: str, model: type[M]) -> M:
    """Return the object in a reply, which may have text around it. Raises Unusable."""
    begins, ends = reply.find("{"), reply.rfind("}")
    if not 0 <= begins < ends or len(reply) > MAX_LENGTH:
        raise Unusable("it is not JSON")
    try:
        return model.model_validate_json(reply[begins : ends + 1])
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        raise Unusable(f"{place}: {fault['msg']}" if place else fault["msg"]) from None
