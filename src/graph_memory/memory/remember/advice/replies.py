"""Parses the JSON in the reply of a language model."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

MAX_LENGTH = 100_000
"""Maximum number of characters of a model's reply."""
M = TypeVar("M", bound=BaseModel)


class UnusableReply(Exception):  # noqa: N818 - a state of a reply, which is ignored
    """Raised if a model's reply does not have the requested form."""


class ReplyModel(BaseModel):
    """The base of the parts of a reply. Values must have the declared types, and unknown fields are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


def parse_reply(reply: str, model: type[M]) -> M:
    """Parse the object in a reply, which may have text around it. Raises UnusableReply if there is no such object."""
    start, end = reply.find("{"), reply.rfind("}")
    if not 0 <= start < end or len(reply) > MAX_LENGTH:
        raise UnusableReply("it is not JSON")
    try:
        return model.model_validate_json(reply[start : end + 1])
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise UnusableReply(f"{place}: {problem['msg']}" if place else problem["msg"]) from None
